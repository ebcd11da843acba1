"""What the service asks of a store, and nothing of how a store does it.

A store keeps the bytes of tables without knowing what they mean. Every change of a table is one ``Commit``
that names the etag it builds on and takes effect completely or not at all. Versions of a table count from 1;
an etag is made by the caller, is new with every commit and never repeated, so that a version reached twice
(after a failover that lost the first one) is told apart.

Errors a store raises::

    StoreError                  the store answered, and the answer makes no sense here
    ├── StoreMismatch           the store holds the data of an incompatible set-up
    ├── StoreUnfit              the store may lose what it is given, or does not allow what is needed
    ├── StoreDamaged            what is stored cannot be read; nothing was changed
    └── StoreUnavailable        nothing was changed; trying again is safe
        └── OutcomeUnknown      the change may have happened; try again with the same request id

Input that no store could accept (a malformed page token, a tenant with a NUL) is ``ValueError``.
"""

from collections.abc import AsyncIterator, Sequence
from typing import Protocol

from msgspec import Struct

LOOK_MS = 1000
"""How long a worker may take to notice a new deadline: no deadline that matters is nearer when it is set."""


class StoreError(Exception):
    """The store answered with something that should not be possible."""


class StoreMismatch(StoreError):
    """The store holds data laid out for another set-up, such as another count of shards."""


class StoreUnfit(StoreError):
    """The store is not set up for tables: it may drop what it is given, or its user may not do all that is needed."""


class StoreDamaged(StoreError):
    """What lies where a table, its events, its hands or its place should be is nothing that was put there."""


class StoreUnavailable(StoreError):
    """The store could not be reached or refused the work. Nothing was changed."""


class OutcomeUnknown(StoreUnavailable):
    """The change was sent and its answer did not arrive, or too few copies confirmed it.

    It may have happened. The same commit with the same request id finds out and does it at most once.
    """


HAND_COMMITS_MOST = 10_000
"""A hand of more commits is played, but not kept: what a table may take up has a bound."""


class RequestKey(Struct, frozen=True):
    """A caller's request id in its scope.

    ``scope`` is a digest as hex digits over everything the id is unique in (tenant, caller, RPC, table, id);
    ``body`` is a digest of the request itself, which tells a repetition from an id used twice.
    """

    scope: str
    body: bytes


class Stored(Struct, frozen=True):
    """A table as it is now."""

    snapshot: bytes
    version: int
    etag: str


class FinishedHand(Struct, frozen=True):
    """A hand that ends with a commit and is to be kept: its record, and the events from ``first_version`` on.

    ``number`` counts the hands of the table; ``ended_ms`` is milliseconds since the epoch.
    """

    number: int
    first_version: int
    ended_ms: int
    record: bytes


class Commit(Struct, frozen=True, kw_only=True):
    """One change of one table.

    ``expected_etag`` is the etag the change builds on; empty: the table must not exist yet.
    ``version`` is one more than the version it builds on (1 for a new table) and ``etag`` is new.
    ``events`` is one opaque blob, kept under the version; every commit has one, an empty one too.
    ``request`` is remembered with ``version``, ``etag`` and ``result`` (a few bytes, not a whole reply).
    ``deadline_ms`` is milliseconds since the epoch, None: nobody's clock is running.
    ``summary`` is the table's lobby entry, None: not in the lobby.
    ``delete`` removes the table and its kept hands; its last events stay readable as long as a request id is
    remembered.
    ``events_from`` is the first version of a hand that is being played: its events stay, however many follow,
    up to ``HAND_COMMITS_MOST``. ``finished`` is a hand that ends with this commit.
    """

    table_id: str
    tenant: str
    expected_etag: str
    version: int
    etag: str
    snapshot: bytes
    events: bytes
    request: RequestKey | None = None
    result: bytes = b""
    deadline_ms: int | None = None
    summary: bytes | None = None
    delete: bool = False
    events_from: int | None = None
    finished: FinishedHand | None = None


class Committed(Struct, frozen=True):
    """The change is stored as durably as the store was told to."""

    version: int
    etag: str


class Conflict(Struct, frozen=True):
    """The table is not at the expected etag and nothing was changed.

    ``version`` and ``etag`` are the current ones, 0 and empty if the table does not exist.
    """

    version: int
    etag: str


class Repeat(Struct, frozen=True):
    """The request id was used before: what its commit was answered with; nothing was changed now.

    ``same_body`` is False when the id came with another request the first time: its result is then none of
    the caller's business.
    """

    version: int
    etag: str
    result: bytes
    same_body: bool


class StoredEvents(Struct, frozen=True):
    """The events blob of one commit."""

    version: int
    etag: str
    payload: bytes


class EventPage(Struct, frozen=True):
    """Events of a table in order of their versions, and the state of the table in the same instant.

    ``oldest_version`` is the oldest version whose events are kept, 0 if none are.
    ``version`` and ``etag`` are the table's current ones, 0 and empty if it does not exist (any more).
    """

    events: Sequence[StoredEvents]
    oldest_version: int
    version: int
    etag: str

    def too_old(self, after_version: int) -> bool:
        """Say whether events that follow ``after_version`` are no longer kept."""
        return after_version + 1 < self.oldest_version


class LobbyEntry(Struct, frozen=True):
    """A table in its tenant's lobby."""

    table_id: str
    summary: bytes


class LobbyPage(Struct, frozen=True):
    """A page of the lobby; ``next_page_token`` is empty on the last one."""

    entries: Sequence[LobbyEntry]
    next_page_token: str


class KeptHand(Struct, frozen=True):
    """A finished hand: its record, and the events blob of each of its commits in order."""

    record: bytes
    events: Sequence[bytes]


class HandPage(Struct, frozen=True):
    """The records of finished hands, the newest first; ``next_page_token`` is empty on the last page."""

    records: Sequence[bytes]
    next_page_token: str


class Claimed(Struct, frozen=True):
    """Tables whose deadline has passed, which nobody else is told about for a while.

    ``again_ms`` is when to ask next: earlier nothing can be due, unless somebody sets a deadline that is less than
    ``LOOK_MS`` ahead.
    """

    table_ids: Sequence[str]
    again_ms: int


class Deadlines(Protocol):
    """The deadlines of all tables, as commits set them, for one worker that asks again and again.

    A claim is a promise to commit: the commit sets the table's next deadline or none. A table that its claimant does
    not change is due once more when the claim ends.
    """

    async def claim(self, now_ms: int, limit: int) -> Claimed:
        """Claim up to ``limit`` tables whose deadline is not after ``now_ms``, the most overdue first.

        An interrupted claim may hold; nothing is lost by it but time.
        """


class Notice(Struct, frozen=True):
    """Something may have happened at a watched table.

    ``version`` is the version it reached; None: notices may have been missed (the connection was lost, or the
    watch has just begun to hold), look for yourself.
    """

    table_id: str
    version: int | None


class Notices(Protocol):
    """A subscription to what happens at the tables it watches: a worker needs one. One consumer iterates over it.

    Notices of one table that nobody has fetched yet melt into one, so a slow consumer costs no memory.
    A commit after the ``None`` notice that follows ``watch`` is never missed.
    """

    def watch(self, table_id: str) -> None:
        """Begin to report a table; a notice with version None follows once the watch holds."""

    def unwatch(self, table_id: str) -> None:
        """Stop reporting a table."""

    def __aiter__(self) -> AsyncIterator[Notice]: ...

    async def __anext__(self) -> Notice: ...

    async def close(self) -> None:
        """End the subscription and, once what is pending was fetched, the iteration."""


class Store(Protocol):
    """Tables as bytes under an etag."""

    async def load(self, table_id: str) -> Stored | None:
        """Return the table, None if it does not exist."""

    async def commit(self, commit: Commit) -> Committed | Conflict | Repeat:
        """Change a table, once. The change goes on if the caller is cancelled while it is under way."""

    async def recall(self, table_id: str, request: RequestKey) -> Repeat | None:
        """Return what a request id was answered with, as durably stored as its commit; None if it is not remembered.

        Raises OutcomeUnknown if it is remembered and too few copies confirm it.
        """

    async def events(self, table_id: str, after_version: int, limit: int) -> EventPage:
        """Return up to ``limit`` events blobs of the versions that follow ``after_version``."""

    async def list_tables(self, tenant: str, page_size: int, page_token: str) -> LobbyPage:
        """Return up to ``page_size`` tables of a tenant's lobby in a stable order, from an opaque token on.

        Raises ValueError on a token that this store did not make.
        """

    async def hand(self, table_id: str, number: int, ended_since_ms: int) -> KeptHand | None:
        """Return a finished hand, None if it is not kept or ended before an instant."""

    async def list_hands(self, table_id: str, page_size: int, page_token: str, ended_since_ms: int) -> HandPage:
        """Return up to ``page_size`` finished hands that ended since an instant, the newest first, from an opaque
        token on.

        Raises ValueError on a token that this store did not make for this table.
        """

    async def count_tables(self) -> int:
        """Return how many tables stand in the lobbies of all tenants."""

    def notices(self) -> Notices:
        """Return a new subscription, for one consumer; it ends with the store at the latest."""

    def deadlines(self) -> Deadlines:
        """Return the worker's view of the deadlines, the same object every time."""

    async def ping(self) -> None:
        """Return if the store answers."""

    async def close(self) -> None:
        """Let commits under way finish, then give every connection back."""
