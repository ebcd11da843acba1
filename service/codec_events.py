"""Events as the API's ``Event`` messages.

Nothing leaves before it went through ``engine.visible``. Fields have the same names on both sides, apart from those in
``_NAMES``; the values that are not plain numbers or texts are turned into the API's form by the name of their field.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, get_args

import msgspec

from engine import visible
from engine.cards import card_text
from engine.events import AnyEvent, DealCause, Event, Face, HandShown, PotHalf, PurchaseKind
from proto.stud.v1 import stud_pb2
from service.codec_cards import card_texts, rank_text, shown_hand
from service.codec_enums import numbers_by_choice
from service.table_events import AnyTableEvent


def event_messages(events: Iterable[AnyEvent | AnyTableEvent], viewer: int | None) -> list[stud_pb2.Event]:
    """Return events as the holder of a seat's cards, or nobody (None), may see them."""
    return [event_message(event, viewer) for event in events]


def event_message(event: AnyEvent | AnyTableEvent, viewer: int | None) -> stud_pb2.Event:
    """Return one event as the holder of a seat's cards, or nobody (None), may see it."""
    seen = visible(event, viewer) if isinstance(event, Event) else event
    message = stud_pb2.Event()
    plan = _PLANS[type(seen)]
    happened = getattr(message, plan.kind)
    happened.SetInParent()
    if isinstance(seen, HandShown):
        _write_hand_shown(happened, seen)
        return message
    for name, api_name, text, write in plan.fields:
        value = getattr(seen, name)
        if write is not None:
            write(getattr(happened, api_name), value)
        else:
            setattr(happened, api_name, value if text is None else text(value))
    return message


def purchase_number(purchase: PurchaseKind) -> "stud_pb2.PurchaseKind.ValueType":
    """Return the API's number of what a purchase buys."""
    number: stud_pb2.PurchaseKind.ValueType = _PURCHASES[purchase]
    return number


def _write_hand_shown(message: stud_pb2.HandShown, event: HandShown) -> None:
    message.seat = event.seat
    message.cards.extend(card_texts(event.cards))
    message.hand.CopyFrom(shown_hand(event.value, event.best, event.wild_as, event.low))


def _write_amounts(messages: Any, pairs: Iterable[tuple[int, int]]) -> None:
    for seat, amount in pairs:
        messages.add(seat=seat, amount=amount)


def _write_pots(messages: Any, pots: Iterable[tuple[int, tuple[int, ...]]]) -> None:
    for amount, seats in pots:
        messages.add(amount=amount, seats=seats)


_PURCHASES = numbers_by_choice(stud_pb2.PurchaseKind.DESCRIPTOR, PurchaseKind)
_FACES = numbers_by_choice(stud_pb2.Face.DESCRIPTOR, Face)
_CAUSES = numbers_by_choice(stud_pb2.DealCause.DESCRIPTOR, DealCause)
_HALVES = numbers_by_choice(stud_pb2.PotHalf.DESCRIPTOR, PotHalf)

_NAMES = {"button": "button_seat", "from_": "from_bet"}
_TEXTS: Mapping[str, Callable[[Any], Any]] = {
    "card": card_text,
    "rank": rank_text,
    "face": _FACES.__getitem__,
    "cause": _CAUSES.__getitem__,
    "purchase": _PURCHASES.__getitem__,
    "half": _HALVES.__getitem__,
}
"""How a value is written that is a number or a text in the API and something else here."""

_WRITERS: Mapping[str, Callable[[Any, Any], None]] = {"SeatAmount": _write_amounts, "Pot": _write_pots}
"""How a list of messages is written, by their kind."""


class _Field(NamedTuple):
    name: str
    api_name: str
    text: Callable[[Any], Any] | None
    write: Callable[[Any, Any], None] | None


class _Plan(NamedTuple):
    """How one kind of event is written: the member of ``Event.kind`` and its fields."""

    kind: str
    fields: tuple[_Field, ...]


def _plan(event: type[msgspec.Struct]) -> _Plan:
    kind = re.sub(r"(?<!^)(?=[A-Z])", "_", event.__name__).lower()
    api = stud_pb2.Event.DESCRIPTOR.fields_by_name[kind].message_type
    if event is HandShown:
        return _Plan(kind, ())
    fields = []
    for name in event.__struct_fields__:
        field = api.fields_by_name[_NAMES.get(name, name)]
        write = _WRITERS[field.message_type.name] if field.message_type is not None else None
        fields.append(_Field(name, field.name, _TEXTS.get(name), write))
    return _Plan(kind, tuple(fields))


_PLANS = {event: _plan(event) for event in (*get_args(AnyEvent), *get_args(AnyTableEvent))}
"""Every kind of event; one that the API lacks is an error at import."""
