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
from service.table import AnyTableEvent


def event_messages(events: Iterable[AnyEvent | AnyTableEvent], viewer: int | None) -> list[stud_pb2.Event]:
    """Return events as the holder of a seat's cards, or nobody (None), may see them."""
    return [event_message(event, viewer) for event in events]


def event_message(event: AnyEvent | AnyTableEvent, viewer: int | None) -> stud_pb2.Event:
    """Return one event as the holder of a seat's cards, or nobody (None), may see it."""
    seen = visible(event, viewer) if isinstance(event, Event) else event
    message = stud_pb2.Event()
    if isinstance(seen, HandShown):
        message.hand_shown.MergeFrom(_hand_shown(seen))
        return message
    plan = _PLANS[type(seen)]
    values = {
        field.api_name: getattr(seen, field.name) if field.turn is None else field.turn(getattr(seen, field.name))
        for field in plan.fields
    }
    getattr(message, plan.kind).MergeFrom(plan.message(**values))
    return message


def seat_amounts(pairs: Iterable[tuple[int, int]]) -> list[stud_pb2.SeatAmount]:
    """Return pairs of a seat and an amount."""
    return [stud_pb2.SeatAmount(seat=seat, amount=amount) for seat, amount in pairs]


def pot_messages(pots: Iterable[tuple[int, tuple[int, ...]]]) -> list[stud_pb2.Pot]:
    """Return pairs of an amount and the seats that can win it."""
    return [stud_pb2.Pot(amount=amount, seats=seats) for amount, seats in pots]


def purchase_number(purchase: PurchaseKind) -> "stud_pb2.PurchaseKind.ValueType":
    """Return the API's number of what a purchase buys."""
    number: stud_pb2.PurchaseKind.ValueType = _PURCHASES[purchase]
    return number


def _hand_shown(event: HandShown) -> stud_pb2.HandShown:
    return stud_pb2.HandShown(
        seat=event.seat,
        cards=card_texts(event.cards),
        hand=shown_hand(event.value, event.best, event.wild_as, event.low),
    )


_PURCHASES = numbers_by_choice(stud_pb2.PurchaseKind.DESCRIPTOR, PurchaseKind)
_FACES = numbers_by_choice(stud_pb2.Face.DESCRIPTOR, Face)
_CAUSES = numbers_by_choice(stud_pb2.DealCause.DESCRIPTOR, DealCause)
_HALVES = numbers_by_choice(stud_pb2.PotHalf.DESCRIPTOR, PotHalf)

_NAMES = {"button": "button_seat", "from_": "from_bet"}
_TURNS: Mapping[str, Callable[[Any], Any]] = {
    "card": card_text,
    "rank": rank_text,
    "face": _FACES.__getitem__,
    "cause": _CAUSES.__getitem__,
    "purchase": purchase_number,
    "half": _HALVES.__getitem__,
    "stacks": seat_amounts,
    "shares": seat_amounts,
    "pots": pot_messages,
}


class _Field(NamedTuple):
    name: str
    api_name: str
    turn: Callable[[Any], Any] | None


class _Plan(NamedTuple):
    """How one kind of event is written: the member of ``Event.kind``, its message and its fields."""

    kind: str
    message: type[Any]
    fields: tuple[_Field, ...]


def _plan(event: type[msgspec.Struct]) -> _Plan:
    kind = re.sub(r"(?<!^)(?=[A-Z])", "_", event.__name__).lower()
    api = stud_pb2.Event.DESCRIPTOR.fields_by_name[kind].message_type
    fields = []
    for name in event.__struct_fields__:
        field = api.fields_by_name[_NAMES.get(name, name)]
        plain = field.message_type is None and field.enum_type is None and name not in ("card", "rank")
        # "pots" is a list of pots where a betting round closes and their number where a session ends.
        fields.append(_Field(name, field.name, None if plain else _TURNS[name]))
    return _Plan(kind, getattr(stud_pb2, event.__name__), tuple(fields))


_PLANS = {event: _plan(event) for event in (*get_args(AnyEvent), *get_args(AnyTableEvent)) if event is not HandShown}
"""Every kind of event; one that the API lacks is an error at import."""
