"""The evaluator in plain Python: the functions of ``engine.evaluator`` with the same values, to be read.

Nothing here is fast. Every hand that the cards could be is listed, and the best one counts; a wild card fills
whatever is missing. The layout of the values stands in ``engine.hand_value``.
"""

from collections import Counter
from collections.abc import Collection, Iterator
from itertools import combinations
from typing import Literal

from engine.cards import cards_in, rank_of, suit_of
from engine.hand_value import CATEGORIES
from engine.knobs import FiveOfAKind
from engine.ranking import STANDARD, Ranking

_CODES = {category: code for code, category in enumerate(CATEGORIES)} | {"royal_on_top": 10}
_ALL_CARDS = (1 << 52) - 1
_MOST_CARDS = 13
_ACE = 12
_STRAIGHTS = tuple(frozenset((top - step) % 13 for step in range(5)) for top in range(_ACE, 2, -1))
"""The ranks of every straight, from ace-high to five-high."""
_LOW_FIVES = tuple(sorted(combinations(range(12, -1, -1), 5)))
"""Every five different ranks, the lowest hand first; in a low the ace is 0 and the king 12."""


def evaluate(cards: int, wild: int = 0, *, ranking: Ranking = STANDARD) -> int:
    """Return the value of the best five cards of a hand; see ``engine.evaluator``."""
    _check(cards, wild)
    if not isinstance(ranking, Ranking):
        raise TypeError(f"ranking: a Ranking is needed, not {type(ranking).__name__}")
    value = _best_value(cards, wild, ranking)
    if ranking.natural_beats_wild and _best_value(cards, 0, ranking) == value:
        value |= 1
    return value


def evaluate_showing(cards: int, wild: int = 0, *, ranking: Ranking = STANDARD) -> int:
    """Return the value of the visible cards of a hand; see ``engine.evaluator``."""
    return evaluate(cards, wild, ranking=ranking)


def evaluate_low(
    cards: int,
    wild: int = 0,
    *,
    scale: Literal["A5", "A6"] = "A5",
    mode: Literal["wild", "natural", "excluded"] = "wild",
    qualifier: int | None = 8,
) -> int | None:
    """Return the value of the best low hand; see ``engine.evaluator``."""
    _check(cards, wild)
    if scale not in ("A5", "A6"):
        raise ValueError(f"scale: {scale!r} is neither 'A5' nor 'A6'")
    if mode not in ("wild", "natural", "excluded"):
        raise ValueError(f"mode: {mode!r} is none of 'wild', 'natural', 'excluded'")
    if qualifier is not None and not isinstance(qualifier, int):
        raise TypeError(f"qualifier: a rank is an int, not {type(qualifier).__name__}")
    if qualifier is not None and not 5 <= qualifier <= 13:
        raise ValueError("qualifier: the highest rank of a low is 5 to 13, or None")
    if mode == "excluded":
        cards &= ~wild
    if mode != "wild":
        wild = 0
    if cards.bit_count() < 5:
        return None
    low = _best_low(list(cards_in(cards & ~wild)), (cards & wild).bit_count(), scale == "A6")
    unpaired_below = 1 << 13 if qualifier is None else 1 << qualifier
    return None if qualifier is not None and low >= unpaired_below else low


def _check(cards: int, wild: int) -> None:
    for name, mask in (("cards", cards), ("wild", wild)):
        if not isinstance(mask, int):
            raise TypeError(f"{name}: a mask of cards is an int, not {type(mask).__name__}")
        if not 0 <= mask <= _ALL_CARDS:
            raise ValueError(f"{name}: {hex(mask)[:20]} is not a mask of the 52 cards (0 to 2**52 - 1)")
    if not 1 <= cards.bit_count() <= _MOST_CARDS:
        raise ValueError(f"cards: a hand has 1 to {_MOST_CARDS} cards, not {cards.bit_count()}")


def _bits(ranks: Collection[int]) -> int:
    return sum(1 << rank for rank in ranks)


def _value(category: str, groups: Collection[int], loose: Collection[int] = ()) -> int:
    return _CODES[category] << 27 | _bits(groups) << 14 | _bits(loose) << 1


def _best_value(cards: int, wild: int, ranking: Ranking) -> int:
    naturals = list(cards_in(cards & ~wild))
    wilds = (cards & wild).bit_count()
    if not naturals or wilds >= 5:
        # Wild cards alone are aces, and so are five of them whatever is beside them.
        naturals.append(_ACE)
        wilds = min(wilds - 1, 4)
    hands = [*_groups(naturals, wilds), *_straights(naturals, wilds), *_flushes(naturals, wilds, ranking)]
    hands += _straight_flushes(naturals, wilds, ranking)
    return max(hands)


def _groups(naturals: list[int], wilds: int) -> Iterator[int]:
    held = Counter(map(rank_of, naturals))

    def missing(rank: int, size: int) -> int:
        return max(0, size - held[rank])

    def best_others(count: int, *groups: int) -> list[int]:
        return sorted(held.keys() - set(groups), reverse=True)[:count]

    yield _value("high_card", (), best_others(5)) if not wilds else 0
    for rank in held:
        for category, size, loose in (
            ("one_pair", 2, 3),
            ("three_of_a_kind", 3, 2),
            ("four_of_a_kind", 4, 1),
            ("five_of_a_kind", 5, 0),
        ):
            if missing(rank, size) <= wilds and size <= held[rank] + wilds:
                yield _value(category, [rank], best_others(loose, rank))
        for other in held.keys() - {rank}:
            if missing(rank, 2) + missing(other, 2) <= wilds:
                yield _value("two_pair", [rank, other], best_others(1, rank, other))
            if missing(rank, 3) + missing(other, 2) <= wilds:
                yield _value("full_house", [rank], [other])


def _straight_top(ranks: frozenset[int]) -> int:
    return _ACE - _STRAIGHTS.index(ranks)


def _straights(naturals: list[int], wilds: int) -> Iterator[int]:
    held = set(map(rank_of, naturals))
    for straight in _STRAIGHTS:
        if len(straight - held) <= wilds:
            yield _value("straight", [_straight_top(straight)])


def _by_suit(naturals: list[int]) -> Iterator[set[int]]:
    for suit in range(4):
        yield {rank_of(card) for card in naturals if suit_of(card) == suit}


def _flushes(naturals: list[int], wilds: int, ranking: Ranking) -> Iterator[int]:
    for held in _by_suit(naturals):
        if len(held) + wilds < 5:
            continue
        if ranking.double_ace_flush and wilds:
            best = sorted(held, reverse=True)[: 5 - wilds]
            more_aces = wilds - 1 + (_ACE in best)
            # The aces beyond the first are counted where other hands have their groups.
            yield _value("flush", (), {_ACE, *best}) + (more_aces << 14)
        else:
            filled = sorted(set(range(13)) - held, reverse=True)[:wilds]
            yield _value("flush", (), sorted([*held, *filled], reverse=True)[:5])


def _straight_flushes(naturals: list[int], wilds: int, ranking: Ranking) -> Iterator[int]:
    for held in _by_suit(naturals):
        for straight in _STRAIGHTS:
            if len(straight - held) > wilds:
                continue
            top = _straight_top(straight)
            royal_on_top = top == _ACE and ranking.five_of_a_kind == FiveOfAKind.BELOW_ROYAL_FLUSH
            yield _value("royal_on_top" if royal_on_top else "straight_flush", [top])


def _low(category: str, groups: Collection[int], loose: Collection[int] = ()) -> int:
    return _CODES[category] << 26 | _bits(groups) << 13 | _bits(loose)


def _low_rank(card: int) -> int:
    return (rank_of(card) + 1) % 13


def _best_low(naturals: list[int], wilds: int, straights_count: bool) -> int:
    held = Counter(map(_low_rank, naturals))
    suits = [{_low_rank(card) for card in naturals if suit_of(card) == suit} for suit in range(4)]
    lows = list(_low_groups(held, wilds))
    for five in _LOW_FIVES:
        if len(set(five) - held.keys()) > wilds:
            continue
        straight = five[0] - five[4] == 4
        # A wild card can always be of a suit that makes no flush.
        flush = not wilds and any(set(five) <= suit and all(held[rank] == 1 for rank in five) for suit in suits)
        if straights_count and straight and flush:
            lows.append(_low("straight_flush", [five[0]]))
        elif straights_count and flush:
            lows.append(_low("flush", (), five))
        elif straights_count and straight:
            lows.append(_low("straight", [five[0]]))
        else:
            lows.append(_low("high_card", (), five))
            break
    return min(lows)


def _low_groups(held: Counter[int], wilds: int) -> Iterator[int]:
    """Yield the lows with equal ranks, all of them natural: a wild card is the lowest rank missing."""
    missing = [rank for rank in range(13) if rank not in held][:wilds]
    ranks = sorted([*held, *missing])

    def others(count: int, *groups: int) -> list[int]:
        return [rank for rank in ranks if rank not in groups][:count]

    for rank in held:
        for category, size, loose in (("one_pair", 2, 3), ("three_of_a_kind", 3, 2), ("four_of_a_kind", 4, 1)):
            if held[rank] >= size and len(others(loose, rank)) == loose:
                yield _low(category, [rank], others(loose, rank))
        for other in held.keys() - {rank}:
            if held[rank] >= 2 and held[other] >= 2 and others(1, rank, other):
                yield _low("two_pair", [rank, other], others(1, rank, other))
            if held[rank] >= 3 and held[other] >= 2:
                yield _low("full_house", [rank], [other])
