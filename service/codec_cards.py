"""Cards and what they are worth, in the words of the API."""

from collections.abc import Iterable, Mapping

from engine import describe
from engine.cards import RANKS, card_text
from engine.hand_value import CATEGORIES
from proto.stud.v1 import stud_pb2
from service.codec_enums import prefix_of

_CATEGORIES: Mapping[str, "stud_pb2.HandCategory.ValueType"] = {
    category: stud_pb2.HandCategory.Value(prefix_of(stud_pb2.HandCategory.DESCRIPTOR) + category.upper())
    for category in CATEGORIES
}


def card_texts(cards: Iterable[int]) -> list[str]:
    """Return cards as text, hidden ones as ``??``."""
    return list(map(card_text, cards))


def rank_text(rank: int | None) -> str:
    """Return a rank as text, none as an empty one."""
    return "" if rank is None else RANKS[rank]


def category_number(category: str) -> "stud_pb2.HandCategory.ValueType":
    """Return the API's number of a category of ``engine.describe``."""
    return _CATEGORIES[category]


def wild_as_messages(wild_as: Iterable[tuple[int, int]]) -> list[stud_pb2.WildAs]:
    """Return what wild cards stand for."""
    return [stud_pb2.WildAs(card=card_text(card), stands_for=card_text(stands_for)) for card, stands_for in wild_as]


def shown_hand(
    value: int, best: Iterable[int], wild_as: Iterable[tuple[int, int]], low: Iterable[int] = ()
) -> stud_pb2.ShownHand:
    """Return what a hand that was shown is worth."""
    description = describe(value)
    return stud_pb2.ShownHand(
        value=value,
        category=category_number(description.category),
        words=description.words,
        best_five=card_texts(best),
        wild_as=wild_as_messages(wild_as),
        low_five=card_texts(low),
    )
