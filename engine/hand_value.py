"""What the value of a hand means: category, ranks, words, and the five cards that play.

A value is a number of 31 bits, higher is better:

- bits 30..27: the category, 0 (high card) to 9 (five of a kind); 10: a royal flush that beats five of a kind
- bits 26..14: the ranks of the groups, bit 26 the ace: the quads, the triple, the pairs, the top card of a
  straight; in a flush the number of aces beyond the first (``double_ace_flush``)
- bits 13..1: the ranks of the loose cards, bit 13 the ace; in a full house the rank of its pair
- bit 0: set if the hand needs no wild card (``natural_beats_wild``), otherwise 0

The value of a low has 30 bits, lower is better: category 29..26, groups 25..13, loose cards 12..0, and the
ace is the lowest bit of each.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import combinations

import msgspec

from engine.cards import RANKS, cards_in, mask_of, rank_of, suit_of
from engine.evaluator import evaluate
from engine.ranking import STANDARD, Ranking

__all__ = [
    "CATEGORIES",
    "STANDARD",
    "BestFive",
    "Description",
    "Ranking",
    "best_five",
    "dense_rank",
    "describe",
    "describe_low",
]

CATEGORIES = (
    "high_card",
    "one_pair",
    "two_pair",
    "three_of_a_kind",
    "straight",
    "flush",
    "full_house",
    "four_of_a_kind",
    "straight_flush",
    "five_of_a_kind",
)
_ROYAL_ON_TOP = 10

_ACE = 12
_FIVE = 3
_ALL_RANKS = 0x1FFF
_RANK_NAMES = (
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "jack",
    "queen",
    "king",
    "ace",
)
# Ranks of one group, ranks of two, loose cards of a hand of five; fewer loose cards make a partial hand.
_GROUP_SHAPES = {
    "high_card": (0, 5),
    "one_pair": (1, 3),
    "two_pair": (2, 1),
    "three_of_a_kind": (1, 2),
    "full_house": (1, 1),
    "four_of_a_kind": (1, 1),
    "five_of_a_kind": (1, 0),
}
# How often the ranks of a description stand in the hand, loose cards once.
_GROUP_SIZES = {
    "high_card": (),
    "one_pair": (2,),
    "two_pair": (2, 2),
    "three_of_a_kind": (3,),
    "full_house": (3, 2),
    "four_of_a_kind": (4,),
    "five_of_a_kind": (5,),
}


class Description(msgspec.Struct, frozen=True):
    """A value for people.

    category: one of ``CATEGORIES``.
    ranks: 0 (deuce) to 12 (ace), in the order in which hands of the category compare: (triple, pair) of a
        full house, (high pair, low pair, loose card) of two pair, the top card of a straight.
    words: in English, such as ``three kings, queen and ten kickers``.
    """

    category: str
    ranks: tuple[int, ...]
    words: str


class BestFive(msgspec.Struct, frozen=True):
    """The cards of a hand that play.

    cards: held cards, the groups first, straights from the top; fewer than five only if no more are held.
    wild_as: (wild card, card it stands for) for each wild card that plays, in the order of ``cards``.
    """

    cards: tuple[int, ...]
    wild_as: tuple[tuple[int, int], ...]


def describe(value: int) -> Description:
    """Describe a value of ``evaluate`` or ``evaluate_showing``, under whatever ranking.

    Raises:
        ValueError: if no hand has this value.
        TypeError: if it is not an int.
    """
    if not isinstance(value, int):
        raise TypeError(f"value: an int is needed, not {type(value).__name__}")
    code = value >> 27
    if value <= 0 or code > _ROYAL_ON_TOP:
        raise _no_hand(value)
    category = "straight_flush" if code == _ROYAL_ON_TOP else CATEGORIES[code]
    groups, loose, natural = value >> 14 & _ALL_RANKS, value >> 1 & _ALL_RANKS, value & 1
    if category == "flush":
        ranks = _flush_ranks(groups, loose)
        # An ace that is there twice is wild.
        possible = len(ranks) == 5 and not (natural and groups)
    elif category in ("straight", "straight_flush"):
        ranks = _ranks_of(groups)
        possible = len(ranks) == 1 and ranks[0] >= _FIVE and not loose
        possible = possible and (code != _ROYAL_ON_TOP or ranks[0] == _ACE)
    else:
        ranks = (*_ranks_of(groups), *_ranks_of(loose))
        possible = _is_group_hand(category, groups, loose) and not (natural and category == "five_of_a_kind")
        possible = possible and not (category == "high_card" and (not ranks or _is_straight(loose)))
    if not possible:
        raise _no_hand(value)
    return Description(category, ranks, _words(category, ranks))


def describe_low(value: int) -> Description:
    """Describe a value of ``evaluate_low``; the ace is rank 12 here too, but compares as the lowest.

    Raises:
        ValueError: if no low has this value.
        TypeError: if it is not an int.
    """
    if not isinstance(value, int):
        raise TypeError(f"value: an int is needed, not {type(value).__name__}")
    code = value >> 26
    if value <= 0 or code >= len(CATEGORIES) - 1:
        raise _no_hand(value)
    category = CATEGORIES[code]
    low_groups, low_loose = value >> 13 & _ALL_RANKS, value & _ALL_RANKS
    groups, loose = _low_ranks_of(low_groups), _low_ranks_of(low_loose)
    ranks = (*groups, *loose)
    if category in ("straight", "straight_flush"):
        possible = len(groups) == 1 and low_groups >= 1 << 4 and not loose
    elif category == "flush":
        possible = not groups and len(loose) == 5 and low_loose != (low_loose & -low_loose) * 31
    else:
        group_count, loose_count = _GROUP_SHAPES[category]
        possible = (len(groups), len(loose)) == (group_count, loose_count) and not low_groups & low_loose
    if not possible:
        raise _no_hand(value)
    if category == "high_card":
        words = "-".join(RANKS[rank] for rank in ranks) + " low"
    else:
        words = f"{_words(category, ranks)}, as a low"
    return Description(category, ranks, words)


def dense_rank(value: int) -> int:
    """Return the place of a value among those of five and more cards, from 1, the worst hand, to 7,475, five aces.

    For tables and plots. The places are those of the standard ranking; values that only other rankings have,
    and those of fewer than five cards, have none.

    Raises:
        ValueError: if no five cards have this value under the standard ranking.
        TypeError: if it is not an int.
    """
    if not isinstance(value, int):
        raise TypeError(f"value: an int is needed, not {type(value).__name__}")
    values = _values_of_fives()
    place = bisect_left(values, value)
    if place == len(values) or values[place] != value:
        raise ValueError(f"value: no five cards have the value {value:#x} under the standard ranking")
    return place + 1


@cache
def _values_of_fives() -> tuple[int, ...]:
    return tuple(sorted(code << 27 | groups << 14 | loose << 1 for code, groups, loose in _shapes_of_fives()))


def _shapes_of_fives() -> Iterator[tuple[int, int, int]]:
    """Yield category, ranks of groups and loose ranks of everything that five cards can be."""
    for code, category in enumerate(CATEGORIES):
        if category in ("straight", "straight_flush"):
            yield from ((code, 1 << top, 0) for top in range(_FIVE, _ACE + 1))
            continue
        group_count, loose_count = (0, 5) if category == "flush" else _GROUP_SHAPES[category]
        for held in combinations(range(13), group_count + loose_count):
            for groups in combinations(held, group_count):
                loose = mask_of(set(held) - set(groups))
                if not _is_straight(loose):
                    yield code, mask_of(groups), loose


def _no_hand(value: int) -> ValueError:
    return ValueError(f"value: no hand has the value {value:#x}")


def _ranks_of(mask: int) -> tuple[int, ...]:
    return tuple(rank for rank in range(_ACE, -1, -1) if mask >> rank & 1)


def _low_ranks_of(mask: int) -> tuple[int, ...]:
    return tuple((bit - 1) % 13 for bit in range(12, -1, -1) if mask >> bit & 1)


def _flush_ranks(more_aces: int, distinct: int) -> tuple[int, ...]:
    """Return the ranks of a flush, or none if there is no such flush."""
    if more_aces > 2 or (more_aces and not distinct >> _ACE) or _in_a_row(distinct):
        return ()
    return (*(_ACE,) * more_aces, *_ranks_of(distinct))


def _in_a_row(mask: int) -> bool:
    """Whether the ranks fit into one straight."""
    from_ace = mask << 1 | mask >> _ACE
    return any(mask & ~(31 << low) == 0 for low in range(9)) or from_ace & 0x1FFF & ~31 == 0


def _is_straight(mask: int) -> bool:
    return mask.bit_count() == 5 and _in_a_row(mask)


def _is_group_hand(category: str, groups: int, loose: int) -> bool:
    group_count, loose_count = _GROUP_SHAPES[category]
    if groups.bit_count() != group_count or groups & loose:
        return False
    if category == "full_house":
        return loose.bit_count() == 1
    return loose.bit_count() <= loose_count


def _words(category: str, ranks: tuple[int, ...]) -> str:
    names = [_RANK_NAMES[rank] for rank in ranks]
    many = [name + ("es" if name == "six" else "s") for name in names]
    match category:
        case "five_of_a_kind":
            return f"five {many[0]}"
        case "straight_flush":
            return f"straight flush to the {names[0]}"
        case "four_of_a_kind":
            return f"four {many[0]}{_kickers(names[1:])}"
        case "full_house":
            return f"full house, {many[0]} over {many[1]}"
        case "flush":
            return f"flush, {' '.join(names)}"
        case "straight":
            return f"straight to the {names[0]}"
        case "three_of_a_kind":
            return f"three {many[0]}{_kickers(names[1:])}"
        case "two_pair":
            return f"two pair, {many[0]} and {many[1]}{_kickers(names[2:])}"
        case "one_pair":
            return f"pair of {many[0]}{_kickers(names[1:])}"
        case _:
            return ", ".join([f"{names[0]} high", *filter(None, [" ".join(names[1:])])])


def _kickers(names: list[str]) -> str:
    if not names:
        return ""
    if len(names) == 1:
        return f", {names[0]} kicker"
    return f", {', '.join(names[:-1])} and {names[-1]} kickers"


def best_five(cards: int, wild: int = 0, *, ranking: Ranking = STANDARD) -> BestFive:
    """Return which held cards play and what each wild card among them stands for.

    Among the fives that reach the value those with the highest printed cards play (rank, then suit
    s > h > d > c). A wild card stands for its printed card where that serves, else for a card that the five
    do not contain, of the highest suit; only a fifth card of a rank and a doubled ace of a flush repeat one.
    Arguments and errors are those of ``evaluate``.
    """
    value = evaluate(cards, wild, ranking=ranking)
    held = sorted(cards_in(cards), key=_printed_order, reverse=True)
    size = min(5, len(held))
    playing = next(five for five in combinations(held, size) if evaluate(mask_of(five), wild, ranking=ranking) == value)
    description = describe(value)
    naturals = [card for card in playing if not wild >> card & 1]
    stands_for = _assign(description, naturals, [card for card in playing if wild >> card & 1])
    order = _playing_order(description, playing, stands_for)
    return BestFive(order, tuple((card, stands_for[card]) for card in order if card in stands_for))


def _printed_order(card: int) -> tuple[int, int]:
    return rank_of(card), suit_of(card)


def _rank_list(description: Description) -> tuple[int, ...]:
    """Return the rank of each of the five cards."""
    if description.category in ("straight", "straight_flush"):
        return tuple((description.ranks[0] - step) % 13 for step in range(5))
    if description.category == "flush":
        return description.ranks
    sizes = _GROUP_SIZES[description.category]
    grouped = [rank for rank, size in zip(description.ranks, sizes, strict=False) for _ in range(size)]
    return (*grouped, *description.ranks[len(sizes) :])


def _assign(description: Description, naturals: list[int], wilds: list[int]) -> dict[int, int]:
    """Return what each wild card stands for, in the suit of the naturals if it is a flush."""
    suits: tuple[int, ...] = (3, 2, 1, 0)
    if description.category in ("flush", "straight_flush"):
        suits = (suit_of(naturals[0]) if naturals else 3,)
    missing = Counter(_rank_list(description))
    missing.subtract(map(rank_of, naturals))
    contained = set(naturals)
    stands_for: dict[int, int] = {}
    for card in wilds:
        if missing[rank_of(card)] and suit_of(card) in suits and card not in contained:
            stands_for[card] = card
            contained.add(card)
            missing[rank_of(card)] -= 1
    needed = iter(sorted(missing.elements(), reverse=True))
    for card in wilds:
        if card not in stands_for:
            stands_for[card] = _free_card(next(needed), suits, contained)
            contained.add(stands_for[card])
    return stands_for


def _free_card(rank: int, suits: tuple[int, ...], contained: set[int]) -> int:
    of_rank = [suit * 13 + rank for suit in suits]
    return next((card for card in of_rank if card not in contained), of_rank[0])


def _playing_order(description: Description, playing: tuple[int, ...], stands_for: dict[int, int]) -> tuple[int, ...]:
    """Return the cards by what they stand for: groups first, naturals before wilds, then by suit."""
    place = {rank: index for index, rank in reversed(list(enumerate(_rank_list(description))))}
    assigned = {card: index for index, card in enumerate(stands_for)}

    def key(card: int) -> tuple[int, int, int]:
        return place[rank_of(stands_for.get(card, card))], assigned.get(card, -1), -suit_of(card)

    return tuple(sorted(playing, key=key))
