"""What happens at a table outside its hands, and what one commit publishes.

Amounts are int64 minor units, instants milliseconds since the epoch. The events of a hand are the engine's.
"""

from collections.abc import Iterable

import msgspec

from engine.events import AnyEvent


class TableEvent(msgspec.Struct, frozen=True, array_like=True, tag=True, gc=False):
    """The root of what happens at a table outside its hands; their tags are the class names."""


class TableCreated(TableEvent, frozen=True):
    """The table exists."""


class SeatTaken(TableEvent, frozen=True):
    """A player sat down with ``stack``."""

    seat: int
    player_id: str
    stack: int


class SeatLeft(TableEvent, frozen=True):
    """A player left and took ``stack`` along; negative is a debt under credit."""

    seat: int
    player_id: str
    stack: int


class CarrySplit(TableEvent, frozen=True):
    """No hand can be dealt for a rained-out pot: ``shares`` are (seat, amount) of those who were in when it rained."""

    amount: int
    shares: tuple[tuple[int, int], ...]


class SatOut(TableEvent, frozen=True):
    """A player is not dealt in until further notice."""

    seat: int


class SatIn(TableEvent, frozen=True):
    """A player is dealt in again."""

    seat: int


class ChipsAdded(TableEvent, frozen=True):
    """A player brought more chips."""

    seat: int
    amount: int


class ChipsQueued(TableEvent, frozen=True):
    """A player's chips wait for the end of the running hand."""

    seat: int
    amount: int


class GameNamed(TableEvent, frozen=True):
    """Under dealer's choice the next hand is another game than the table's."""

    profile: str
    rules_changed: bool


class HandVoided(TableEvent, frozen=True):
    """The running hand is void: ``returned`` are (seat, amount) of what was paid into it."""

    returned: tuple[tuple[int, int], ...]


class ActionTimedOut(TableEvent, frozen=True):
    """A seat ran out of time; the action that follows was played for it."""

    seat: int


class TablePaused(TableEvent, frozen=True):
    """The clock stands still."""


class TableResumed(TableEvent, frozen=True):
    """The clock runs again."""


class SessionEnded(TableEvent, frozen=True):
    """The last pot of the session was played."""

    pots: int


class TableDeleted(TableEvent, frozen=True):
    """The table is gone; everybody was paid out. Nothing follows it."""


AnyTableEvent = (
    TableCreated
    | SeatTaken
    | SeatLeft
    | CarrySplit
    | SatOut
    | SatIn
    | ChipsAdded
    | ActionTimedOut
    | TablePaused
    | TableResumed
    | SessionEnded
    | TableDeleted
    | ChipsQueued
    | GameNamed
    | HandVoided
)


class Shuffled(msgspec.Struct, frozen=True, array_like=True):
    """The cards a hand was dealt from, one byte each, the first one first: for nobody outside the service to see.

    ``spare`` is the second permutation, which orders recycled cards, empty where none are.
    """

    deck: bytes
    spare: bytes = b""


def leaves(events: Iterable[AnyEvent | AnyTableEvent], seat: int, player_id: str) -> list[SeatLeft]:
    """Return the events that say that a player left a seat."""
    return [
        event for event in events if isinstance(event, SeatLeft) and (event.seat, event.player_id) == (seat, player_id)
    ]


class Happening(msgspec.Struct, frozen=True, array_like=True):
    """What one commit published: its events in order, under the version they made.

    ``shuffled`` is what the hand was dealt from that began with this commit; it stays in the service.
    """

    version: int
    etag: str
    hand_number: int
    time_ms: int
    events: tuple[AnyEvent | AnyTableEvent, ...]
    shuffled: Shuffled | None = None
