"""Who gets what of the pots at a showdown, worked out from the pots and the hands: once our way, once PokerKit's."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

Pots = Sequence[tuple[int, tuple[int, ...]]]
"""Amounts, and the seats that can win them in dealing order; the main pot first."""


class Worth(NamedTuple):
    """The value of a hand, higher is better, and of its low, lower is better; None is no low."""

    high: int
    low: int | None


Worths = Mapping[int, Worth]


def our_way(pots: Pots, worths: Worths) -> Counter[int]:
    """Each pot by itself; its odd chips go one each to the first of its winners."""
    paid: Counter[int] = Counter()
    for amount, seats in pots:
        lows = _best_lows(seats, worths)
        low_half = amount // 2 if lows else 0
        for part, winners in ((amount - low_half, _best_highs(seats, worths)), (low_half, lows)):
            for place, seat in enumerate(winners):
                paid[seat] += part // len(winners) + (place < part % len(winners))
    return paid


def their_way(pots: Pots, worths: Worths) -> Counter[int]:
    """Hands that win nothing are dead first, so pots of the same survivors are one; odd chips go to one winner.

    Where anybody in the hand has a low every pot is halved, and the members of a pot without one share its low half.
    """
    highs_and_lows = [(_best_highs(seats, worths), _best_lows(seats, worths)) for _, seats in pots]
    alive = {seat for highs, lows in highs_and_lows for seat in (*highs, *lows)}
    merged: list[tuple[int, tuple[int, ...]]] = []
    for amount, seats in pots:
        left = tuple(seat for seat in seats if seat in alive)
        if merged and merged[-1][1] == left:
            amount += merged.pop()[0]
        merged.append((amount, left))
    any_low = any(worths[seat].low is not None for seat in alive)
    paid: Counter[int] = Counter()
    for amount, seats in merged:
        low_half = amount // 2 if any_low else 0
        low_winners = _best_lows(seats, worths) or seats
        for part, winners in ((amount - low_half, _best_highs(seats, worths)), (low_half, low_winners)):
            for seat in winners:
                paid[seat] += part // len(winners)
            paid[winners[0]] += part % len(winners)
    return paid


def _best_highs(seats: Sequence[int], worths: Worths) -> list[int]:
    best = max(worths[seat].high for seat in seats)
    return [seat for seat in seats if worths[seat].high == best]


def _best_lows(seats: Sequence[int], worths: Worths) -> list[int]:
    lows = {seat: low for seat in seats if (low := worths[seat].low) is not None}
    return [seat for seat, low in lows.items() if low == min(lows.values())]
