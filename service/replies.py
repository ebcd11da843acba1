"""What the use cases answer: values with everything in them, and through whose eyes they may be seen."""

import msgspec

from engine.events import AnyEvent
from service.table import Table
from service.table_events import AnyTableEvent, Happening


class Reply(msgspec.Struct, frozen=True):
    """What a use case answers.

    ``table`` is the table as it is now and ``viewer`` the seat through whose eyes its hand is seen; ``version`` and
    ``etag`` are those of the change (the first one, if the request is a repetition). ``events_viewer`` is the same as
    ``viewer`` for ``events``, which may be of an earlier hand.
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


class SeenHappening(msgspec.Struct, frozen=True):
    """What one commit published, and as which seat the watcher sees it."""

    happening: Happening
    viewer: int | None
