"""What may be bet in a round of fixed limit, worked out from the actions alone: once by our rules, once by PokerKit's.

Both books agree until somebody goes all-in for less than a bet. Ours asks whether it was half of what was missing, by
which it counts as full or is only called; PokerKit's counts every all-in as one of the four bets of a round.
"""

from collections.abc import Mapping
from typing import NamedTuple

BETS_A_ROUND = 4


class Place(NamedTuple):
    """Where a seat that has not folded stands in the round, in minor units."""

    stack: int
    bet: int


Places = Mapping[int, Place]


class OurBook:
    """Our rules: a full bet is measured from the last full one, and half of it is enough."""

    def __init__(self, unit: int, bring_in: int | None) -> None:
        self.unit = unit
        self.bring_in_due = bring_in
        self.level = 0
        self.full = 0
        self.bets = 0
        self.had_short_bet = False
        self.acted: set[int] = set()

    def wager(self, seat: int, places: Places) -> int | None:
        """Return what a seat may complete, bet or raise to, or None."""
        room = sum(places[seat])
        level = self.level if self.bring_in_due is None else min(self.bring_in_due, room)
        may_answer = any(sum(place) > level and place.stack for other, place in places.items() if other != seat)
        answered = may_answer or self.bring_in_due is not None
        if seat in self.acted or self.bets == BETS_A_ROUND or room <= level or not answered:
            return None
        return min(room, self.full + self.unit)

    def opened(self, seat: int, to: int) -> None:
        """Note a bring-in."""
        self.level, self.bring_in_due = to, None
        self.acted.add(seat)

    def wagered(self, seat: int, to: int) -> None:
        """Note a completion, bet or raise."""
        self.level, self.bring_in_due = to, None
        self.had_short_bet |= to < self.full + self.unit
        if 2 * (to - self.full) >= self.unit:
            self.full = to
            self.bets += 1
            self.acted.clear()
        self.acted.add(seat)

    def passed(self, seat: int) -> None:
        """Note a check or a call."""
        self.acted.add(seat)


class TheirBook:
    """PokerKit's rules: the next bet stands on the highest one, all-in for less or not."""

    def __init__(self, unit: int, bring_in: int | None) -> None:
        self.unit = unit
        self.bring_in_due = bring_in
        self.level = 0
        self.largest = 0
        self.bets = 0
        self.shorts: list[int] = []
        self.acted: set[int] = set()

    def wager(self, seat: int, places: Places) -> int | None:
        """Return what a seat may complete, bet or raise to, or None."""
        stack, bet = places[seat]
        owed = min(stack, self.level - bet)
        barred = seat in self.acted and 0 < sum(self.shorts) < self.largest
        answered = any(sum(place) > self.level for other, place in places.items() if other != seat)
        too_little_owed = self.bring_in_due is None and owed < self.largest
        if too_little_owed or self.bets == BETS_A_ROUND or barred or stack + bet <= self.level or not answered:
            return None
        step = max(self.largest, self.unit)
        return min(stack + bet, step + (self.level if self.bets else 0))

    def opened(self, seat: int, to: int) -> None:
        """Note a bring-in."""
        self.level, self.bring_in_due = to, None
        self.acted.add(seat)

    def wagered(self, seat: int, to: int, *, all_in: bool) -> None:
        """Note a completion, bet or raise."""
        rise = to - self.level
        if rise >= self.largest:
            self.acted.clear()
        self.acted.add(seat)
        self.largest = max(self.largest, rise)
        self.level, self.bring_in_due = to, None
        self.bets += 1
        self.shorts = [*self.shorts, rise] if all_in else []
        if sum(self.shorts) >= self.largest:
            self.shorts = []

    def passed(self, seat: int) -> None:
        """Note a check or a call."""
        self.acted.add(seat)
