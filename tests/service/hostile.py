"""Requests that no honest client sends, from one seed: garbage, every field wrong in turn, messages at random.

They are bytes, made from the API's descriptors alone, so that a new RPC or field is attacked as soon as it exists.
"""

import random
from collections.abc import Iterator
from typing import Any, NamedTuple

from google.protobuf.descriptor import FieldDescriptor as Field
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from proto.stud.v1 import stud_pb2

_DEPTH_MOST = 4

_WHOLE = {
    Field.TYPE_INT32: (-(2**31), 2**31 - 1),
    Field.TYPE_INT64: (-(2**63), 2**63 - 1),
    Field.TYPE_UINT32: (0, 2**32 - 1),
    Field.TYPE_UINT64: (0, 2**64 - 1),
    Field.TYPE_FIXED64: (0, 2**64 - 1),
}
_NUMBERS = (0, 1, -1, 2, 3, 7, 8, 10, 52, 840, 1000, 1001, 2**31 - 1, -(2**31), 2**52, 2**53 + 1, 10**15, 10**15 + 1)
_TEXTS = (
    *("", "baseball", "no-peek", "rainy-day-baseball", "seven-card-stud-hi-lo", "Baseball", "baseball\n"),
    *("Ks Kh Kd 9c 7s", "As 2d 4c 6h 8s", "KsKs", "??", "10s", "3", "Q", "Qs", "2d1u,1u,1u,1u,1d", "7d"),
    *(
        "\0",
        "\x7f",
        "%s%n",
        "../../etc/passwd",
        "' OR 1=1 --",
        "{}",
        "dugout:{s000}:table:x",
        "*",
        "\u202eelbat",
        "💥" * 40,
    ),
    *("x" * 65, "y" * 5000, "123e4567-e89b-42d3-a456-426614174000", "123E4567-E89B-42D3-A456-42661417400G"),
)


class Attack(NamedTuple):
    """One request: the RPC, its bytes, who sends it, and what was done to it."""

    method: MethodDescriptor
    data: bytes
    bearer: str | None
    kind: str

    @property
    def path(self) -> str:
        """The RPC as HTTP/2 names it."""
        return f"/{self.method.containing_service.full_name}/{self.method.name}"


class Attacker:
    """Makes requests against one table; ``bearers`` are the credentials it got hold of, None for none."""

    def __init__(self, seed: int, table_id: str, bearers: tuple[str | None, ...]) -> None:
        self._rng = random.Random(seed)
        self._known: dict[str, Any] = {"table_id": table_id, "profile": "baseball", "player_id": "player1"}
        self._bearers = (*bearers, "nonsense", "a.b.c", "x" * 3000)
        self._methods = [
            method for service in stud_pb2.DESCRIPTOR.services_by_name.values() for method in service.methods
        ]

    def attacks(self, count: int) -> Iterator[Attack]:
        """Yield so many requests of every kind."""
        kinds = (self._garbage, self._damaged, self._one_wrong, self._one_wrong, self._at_random, self._at_random)
        for _ in range(count):
            method = self._rng.choice(self._methods)
            kind = self._rng.choice(kinds)
            yield Attack(method, kind(method), self._rng.choice(self._bearers), kind.__name__.strip("_"))

    def wrong_in_turn(self) -> Iterator[Attack]:
        """Yield, for every field of every request, requests in which only that field is wrong."""
        for method in self._methods:
            for field in method.input_type.fields:
                for bearer in self._bearers[:2]:
                    for value in self._wrong_values(field):
                        request = self._honest(method)
                        _put(request, field, value)
                        yield Attack(method, request.SerializeToString(), bearer, f"{field.name} wrong")

    def _garbage(self, method: MethodDescriptor) -> bytes:
        return self._rng.randbytes(self._rng.choice((0, 1, 2, 10, 100, 2000)))

    def _damaged(self, method: MethodDescriptor) -> bytes:
        data = bytearray(self._honest(method).SerializeToString())
        for _ in range(self._rng.randint(1, 3)):
            at = self._rng.randrange(len(data) + 1)
            match self._rng.randrange(3):
                case 0:
                    data[at : at + 1] = self._rng.randbytes(1)
                case 1:
                    del data[at:]
                case _:
                    data[at:at] = self._rng.randbytes(self._rng.randint(1, 4))
        return bytes(data)

    def _one_wrong(self, method: MethodDescriptor) -> bytes:
        request = self._honest(method)
        if not method.input_type.fields:
            return request.SerializeToString()
        field = self._rng.choice(method.input_type.fields)
        _put(request, field, self._rng.choice(self._wrong_values(field)))
        return request.SerializeToString()

    def _at_random(self, method: MethodDescriptor) -> bytes:
        request = GetMessageClass(method.input_type)()
        self._fill(request, 0)
        return request.SerializeToString() + (self._rng.randbytes(5) if self._rng.random() < 0.02 else b"")

    def _honest(self, method: MethodDescriptor) -> Message:
        """Return a request with what an honest client would send, as far as a stranger can know it."""
        request = GetMessageClass(method.input_type)()
        for name, value in self._known.items():
            if name in method.input_type.fields_by_name:
                setattr(request, name, value)
        return request

    def _wrong_values(self, field: Any) -> list[Any]:
        if field.message_type is not None:
            empty = GetMessageClass(field.message_type)
            values: list[Any] = [empty()]
            for _ in range(4):
                values.append(empty())
                self._fill(values[-1], 1)
        else:
            values = self._scalars(field)
        return [[value] * self._rng.choice((1, 2, 300)) for value in values] if field.is_repeated else values

    def _scalars(self, field: Any) -> list[Any]:
        if field.type in _WHOLE:
            low, high = _WHOLE[field.type]
            return [low, high, *(number for number in _NUMBERS if low <= number <= high)]
        if field.type == Field.TYPE_ENUM:
            return [0, 1, 2, 99, -1, 2**31 - 1]
        if field.type == Field.TYPE_BOOL:
            return [True, False]
        if field.type == Field.TYPE_STRING:
            return list(_TEXTS)
        raise AssertionError(f"{field.full_name}: the attacker knows no values of type {field.type}")

    def _fill(self, message: Message, depth: int) -> None:
        for field in message.DESCRIPTOR.fields:
            if self._rng.random() < 0.6 or depth > _DEPTH_MOST:
                continue
            if field.name in self._known and not depth and self._rng.random() < 0.7:
                setattr(message, field.name, self._known[field.name])
            elif field.message_type is not None:
                for _ in range(self._rng.randint(1, 3) if field.is_repeated else 1):
                    inner = getattr(message, field.name)
                    inner = inner.add() if field.is_repeated else inner
                    inner.SetInParent()
                    self._fill(inner, depth + 1)
            else:
                values = [self._rng.choice(self._scalars(field)) for _ in range(self._rng.randint(0, 4))]
                _put(message, field, values if field.is_repeated else self._rng.choice(self._scalars(field)))


def _put(message: Message, field: Any, value: Any) -> None:
    """Set a field of any type."""
    if field.message_type is not None:
        inner = getattr(message, field.name)
        if field.is_repeated:
            inner.extend(value)
        else:
            inner.SetInParent()
            inner.CopyFrom(value)
    elif field.is_repeated:
        getattr(message, field.name).extend(value)
    else:
        setattr(message, field.name, value)
