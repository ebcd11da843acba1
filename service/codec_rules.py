"""The rules of a game as the API's ``Rules`` message, and back.

Knobs have the same names on both sides and go across by their types, so that a new knob needs nothing here.
"""

from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import lru_cache
from types import NoneType
from typing import Any, get_args

import msgspec
from google.protobuf.descriptor import FieldDescriptor

from engine import PROFILES, Rules, RulesError, Violation
from engine.cards import DECK_SIZE
from engine.rule_checks import DEPENDENTS, LOW_KNOBS
from proto.stud.v1 import stud_pb2
from service.codec_enums import names_of, numbers_by_choice
from service.errors import FieldViolation, Reason, ServiceError


def profile_rules(profile: str) -> Rules:
    """Return the rules of a named game.

    Raises:
        ServiceError: UNKNOWN_PROFILE if there is none of that name.
    """
    rules = PROFILES.get(profile)
    if rules is None:
        allowed = ", ".join(PROFILES)
        raise ServiceError(
            Reason.UNKNOWN_PROFILE,
            f"no game is called {profile!r}",
            metadata={"profile": profile, "allowed": allowed},
            fields=[FieldViolation("profile", profile, f"must be one of {allowed}")],
        )
    return rules


@lru_cache(maxsize=1024)
def rules_message(rules: Rules) -> stud_pb2.Rules:
    """Return the whole record: every knob that has a meaning in the game is set, those that are off as off, so that it
    makes the same game of any other one. The message is shared: copy it."""
    message = stud_pb2.Rules()
    for name, knob in _KNOBS.items():
        value = getattr(rules, name)
        governor = _GOVERNORS.get(name)
        if value is not None:
            knob.write(message, value)
        elif name not in LOW_KNOBS and (governor is None or getattr(rules, governor) is not None):
            knob.switch_off(message)
    return message


def changed_rules(base: Rules | None, message: stud_pb2.Rules) -> Rules:
    """Return rules, the defaults where there are none to build on, with the knobs that are set changed.

    Raises:
        RulesError: with every knob whose value is none of the possible ones, and with every violation of the record
            that the others make.
    """
    values, wrong = read_knobs(message)
    try:
        rules = (Rules() if base is None else base).replace(**values)
    except RulesError as error:
        raise RulesError((*wrong, *error.violations)) from None
    if wrong:
        raise RulesError(wrong)
    return rules


def read_knobs(message: stud_pb2.Rules) -> tuple[dict[str, Any], tuple[Violation, ...]]:
    """Return the knobs that are set, by name, as ``Rules`` takes them, and what is wrong with those it cannot take.

    None switches a knob off.
    """
    values: dict[str, Any] = {}
    wrong: list[Violation] = []
    for field, _ in message.ListFields():
        knob = _KNOBS[field.name]
        try:
            values[field.name] = knob.read(getattr(message, field.name))
        except ValueError as error:
            wrong.append(Violation(field.name, knob.text(getattr(message, field.name)), str(error)))
    return values, tuple(wrong)


class _Knob:
    """One knob on both sides."""

    def __init__(self, field: FieldDescriptor, kind: Any) -> None:
        self._name = field.name
        self._kinds = [one for one in get_args(kind) or (kind,) if one is not NoneType]
        self._optional = NoneType in get_args(kind)
        self._message = field.message_type.name if field.message_type is not None else ""
        self._choices: Mapping[str, int] = {}
        if field.enum_type is not None:
            self._choices = numbers_by_choice(field.enum_type, self._kinds[0])
            self._allowed = f"must be one of {names_of(field.enum_type)}"
        self.limit = self._message == "Limit"

    def write(self, message: stud_pb2.Rules, value: Any) -> None:
        if self._choices:
            setattr(message, self._name, self._choices[value])
        elif self._message:
            _WRITERS[self._message](getattr(message, self._name), value)
        else:
            setattr(message, self._name, value)

    def switch_off(self, message: stud_pb2.Rules) -> None:
        if self.limit:
            getattr(message, self._name).none = True
        elif self._message:
            getattr(message, self._name).SetInParent()
        else:
            setattr(message, self._name, "")

    def read(self, value: Any) -> Any:
        """Return the knob's value; ValueError says what is allowed."""
        if self._choices:
            return self._read_choice(value)
        if self.limit:
            return _read_limit(value)
        if self._message in _LISTS:
            listed = getattr(value, _LISTS[self._message])
            if len(listed) > DECK_SIZE:
                raise ValueError(f"must be at most {DECK_SIZE}, each once")
            return tuple(listed)
        if self._message:
            return self._read_shape(value)
        return None if value == "" and self._optional else value

    def text(self, value: Any) -> str:
        """Return a value as a refusal repeats it."""
        if self._message in _LISTS:
            return f"{len(getattr(value, _LISTS[self._message]))} entries"
        return " ".join(str(value).split())

    def _read_choice(self, number: int) -> StrEnum | None:
        if number == 0 and self._optional:
            return None
        for choice, its_number in self._choices.items():
            if number == its_number:
                found: StrEnum = self._kinds[0](choice)
                return found
        raise ValueError(self._allowed)

    def _read_shape(self, message: Any) -> msgspec.Struct | None:
        [oneof] = message.DESCRIPTOR.oneofs
        shape = message.WhichOneof(oneof.name)
        kinds = {kind.__struct_config__.tag: kind for kind in self._kinds}
        if shape is None and self._optional:
            return None
        if shape not in kinds:
            raise ValueError(f"must be one of {', '.join(kinds)}")
        values = getattr(message, shape)
        made: msgspec.Struct = kinds[shape](*(getattr(values, name) for name in kinds[shape].__struct_fields__))
        return made


def _read_limit(limit: stud_pb2.Limit) -> int | None:
    if limit.WhichOneof("limit") == "count":
        return limit.count
    if limit.none:
        return None
    raise ValueError("must be a count, or none = true")


def _write_limit(limit: stud_pb2.Limit, count: int) -> None:
    limit.count = count


def _write_shape(message: Any, value: msgspec.Struct) -> None:
    shape = getattr(message, str(value.__struct_config__.tag))
    shape.SetInParent()
    for name in value.__struct_fields__:
        setattr(shape, name, getattr(value, name))


def _write_list(message: Any, texts: tuple[str, ...]) -> None:
    message.SetInParent()
    getattr(message, _LISTS[message.DESCRIPTOR.name]).extend(texts)


_LISTS = {"RankSet": "ranks", "CardSet": "cards"}
_WRITERS: Mapping[str, Callable[[Any, Any], None]] = {
    "Limit": _write_limit,
    "Structure": _write_shape,
    "Price": _write_shape,
    "RankSet": _write_list,
    "CardSet": _write_list,
}
_KNOBS = {
    field.name: _Knob(stud_pb2.Rules.DESCRIPTOR.fields_by_name[field.name], field.type)
    for field in msgspec.structs.fields(Rules)
}
"""Every knob; an engine's knob that the API lacks is an error at import."""
_GOVERNORS = {knob: governor for governor, knobs in DEPENDENTS.items() for knob in knobs}


def violation_messages(error: RulesError) -> list[stud_pb2.FieldViolation]:
    """Return what is wrong with rules, as ValidateRules tells it: the first hundred violations."""
    return [
        stud_pb2.FieldViolation(
            field=f"rules.{violation.field}", value=violation.value[:100], description=violation.reason[:500]
        )
        for violation in error.violations[:100]
    ]
