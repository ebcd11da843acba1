"""What the use cases answer: values with everything in them, and through whose eyes they may be seen."""

import msgspec

from engine.events import AnyEvent
from service import access
from service.credentials import Caller
from service.feed import Published
from service.hands import HandRecord, PlayedHand
from service.seating import Payout
from service.table import Table
from service.table_events import AnyTableEvent
from service.table_writer import Written


class Reply(msgspec.Struct, frozen=True):
    """What a use case answers.

    ``table`` is the table as it is now and ``viewer`` the seat from which it is looked at, whose cards may still be
    another player's; ``version`` and ``etag`` are those of the change (the first one, if the request is a repetition).
    ``events_viewer`` is whose cards may be seen in ``events``, which may be of an earlier hand.
    """

    table: Table
    viewer: int | None
    version: int
    etag: str
    events: tuple[AnyEvent | AnyTableEvent, ...] = ()
    events_viewer: int | None = None


class SeatReply(msgspec.Struct, frozen=True):
    """The answer to sitting down."""

    reply: Reply
    seat: int
    token: str
    token_expires_ms: int


class LeaveReply(msgspec.Struct, frozen=True):
    """The answer to leaving: ``stack`` is what the player took along at once."""

    reply: Reply
    stack: int


class DeleteReply(msgspec.Struct, frozen=True):
    """The answer to the end of a table: who gets what."""

    version: int
    etag: str
    events: tuple[AnyEvent | AnyTableEvent, ...]
    payouts: tuple[Payout, ...]


class SeenHappening(msgspec.Struct, frozen=True):
    """What one commit published, and as which seat the watcher sees it."""

    published: Published
    viewer: int | None


class SeenHand(msgspec.Struct, frozen=True):
    """A finished hand of a table as it is now, and as which seat the caller sees it."""

    table: Table
    played: PlayedHand
    viewer: int | None


class HandsPage(msgspec.Struct, frozen=True):
    """A page of finished hands, the newest first, of a table as it is now; the token is empty on the last page."""

    table: Table
    records: tuple[HandRecord, ...]
    next_page_token: str


def reply_to(caller: Caller, written: Written, view_as: int) -> Reply:
    """Return the answer to a change as the caller may see it now: who has left sees what a spectator sees."""
    table, happening = written.table, written.happening
    seen_as = access.seating_if_seated(caller, table, view_as)
    return Reply(
        table=table,
        viewer=seen_as.seat if seen_as is not None else None,
        version=written.version,
        etag=written.etag,
        events=happening.events if happening is not None else (),
        events_viewer=seen_as.viewer(happening.hand_number) if seen_as is not None and happening else None,
    )
