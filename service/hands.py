"""Hands that are over, as they are kept.

A hand's record says what it was and how it ended; everything that happened in it stands in the happenings of its
commits, hole cards and deck included, so nothing here may be shown before it went through ``engine.visible``. Amounts
are int64 minor units, instants milliseconds since the epoch.
"""

import msgspec

from engine import Rules, State
from engine.events import AnyEvent, Event, HandStarted
from engine.playback import PlaybackError, play_back
from service.table_events import Happening


class PlayerRecord(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A player's part in a hand."""

    seat: int
    player_id: str
    seating: int
    """The number of the seating that was dealt in: the hole cards are its own, and not those of who sits there next."""
    end_stack: int


class HandRecord(msgspec.Struct, frozen=True, array_like=True):
    """A finished hand without what happened in it. ``players`` are in dealing order."""

    number: int
    profile: str
    rules: Rules | None
    """None: the table's own."""
    button: int
    started_ms: int
    ended_ms: int
    players: tuple[PlayerRecord, ...]
    pot: int
    """All that was won, uncalled bets not in it."""
    winners: tuple[int, ...]
    """The seats that won something, lowest first."""
    showdown: bool
    """Whether hands were shown."""
    rained: bool

    def viewer(self, seating: int) -> int | None:
        """Return as which seat a seating sees this hand: none where it was not dealt in."""
        return next((player.seat for player in self.players if player.seating == seating), None)


class PlayedHand(msgspec.Struct, frozen=True):
    """A finished hand with the happening of each of its commits, the deal first."""

    record: HandRecord
    happenings: tuple[Happening, ...]

    @property
    def events(self) -> tuple[AnyEvent, ...]:
        """What happened in the hand itself, in order; what went on at the table meanwhile is left out."""
        return tuple(event for happening in self.happenings for event in happening.events if isinstance(event, Event))

    @property
    def start_stacks(self) -> dict[int, int]:
        """The stacks before the antes, by seat."""
        return next((dict(event.stacks) for event in self.events if isinstance(event, HandStarted)), {})


def replay(played: PlayedHand, table_rules: Rules) -> State:
    """Play a kept hand again and return what it came to.

    Raises:
        PlaybackError: if its events are not those of a hand by its rules and its deck.
    """
    shuffled = next((each.shuffled for each in played.happenings if each.shuffled is not None), None)
    if shuffled is None:
        raise PlaybackError(0, "the deck is not kept")
    spare = tuple(shuffled.spare) if shuffled.spare else None
    return play_back(played.record.rules or table_rules, tuple(shuffled.deck), played.events, spare=spare)
