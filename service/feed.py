"""Following tables: what was committed, in order, without a gap and without a repeat.

The store's event stream is the truth. All watchers of a table on this worker share one reading of it: a commit is read
and decoded once, however many there are, and what came last is kept until all of them have it, up to a bound. A watcher
that needs something older reads pages by itself, so a slow one costs no memory: it falls behind, until what it needs is
no longer kept. Notices only say when to read; one subscription of the worker serves every table.
"""

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncGenerator, Callable, Sequence
from itertools import islice

import msgspec

from service.cancellation import cancelled
from service.damage import damage_of
from service.errors import Reason, ServiceError, invalid_field
from service.snapshot import decode_happening
from service.store.base import EventPage, Store, StoreDamaged, StoredEvents
from service.table_events import Happening

_PAGE = 64
_RECENT_MOST = 64
_TURN = 16
_TURN_S = 0.02


class Checkpoint(msgspec.Struct, frozen=True):
    """Nothing has happened up to ``version`` that was not sent."""

    version: int
    etag: str
    hand_number: int


class Published:
    """What one commit published, and how it looks to whom: worked out once for all watchers who see the same."""

    __slots__ = ("_seen", "happening")

    def __init__(self, happening: Happening) -> None:
        self.happening = happening
        self._seen: dict[int | None, bytes] = {}

    def seen(self, viewer: int | None, encode: Callable[[Happening, int | None], bytes]) -> bytes:
        """Return it as ``encode`` writes it for the holder of a seat's cards, or for nobody (None)."""
        seen = self._seen.get(viewer)
        if seen is None:
            seen = self._seen[viewer] = encode(self.happening, viewer)
        return seen


class _Watcher:
    """One watcher: the last version it took, and what wakes it."""

    __slots__ = ("last", "wake")

    def __init__(self, last: int) -> None:
        self.last = last
        self.wake = asyncio.Event()


class _SharedTable:
    """What the watchers of one table share: how far the table was read, and what was read last.

    ``version`` and ``etag`` are those of the last commit that was read, ``finished`` the number of readings so far.
    ``gone``: the table was deleted and everything was read; ``failed``: reading it has failed, which ends its watchers.
    """

    def __init__(self, store: Store, table_id: str) -> None:
        self.watchers: set[_Watcher] = set()
        self.version = 0
        self.etag = ""
        self.begun = 0
        self.finished = 0
        self.gone = False
        self.failed: Exception | None = None
        self._store = store
        self._table_id = table_id
        self._recent: deque[Published] = deque()
        self._wanted = False
        self._working = 0
        self._turn_over = asyncio.Event()
        self._reading: asyncio.Task[None] | None = None

    def after(self, version: int) -> Sequence[Published] | None:
        """Return what followed a version, None where that is not known here."""
        missing = self.version - version
        if not self.version or not 0 <= missing <= len(self._recent):
            return None
        return tuple(islice(self._recent, len(self._recent) - missing, None))

    def read(self) -> asyncio.Task[None]:
        """Have the table read, once more if it is being read, and return what ends when that is done."""
        self._wanted = True
        if self._reading is None:
            self._reading = asyncio.create_task(self._read_all())
        return self._reading

    async def read_after(self, begun: int) -> None:
        """Return once a reading has finished that is not one of the first ``begun``, or none will any more."""
        while self.finished <= begun and not self.gone and self.failed is None:
            await asyncio.wait((self.read(),))

    def rest(self) -> None:
        """Say that a watcher has nothing more to do for now."""
        self._working -= 1
        if self._working <= 0:
            self._turn_over.set()

    def wake(self) -> None:
        """Have every watcher look."""
        for watcher in self.watchers:
            watcher.wake.set()

    async def close(self) -> None:
        """Give up a reading that is under way, and end the watchers."""
        self.failed = _draining()
        self.wake()
        if self._reading is not None:
            await cancelled(self._reading)

    async def _read_all(self) -> None:
        try:
            while self._wanted and not self.gone:
                self._wanted = False
                self.begun += 1
                if not self.version:
                    self._begin(await _page(self._store, self._table_id, 0, 1))
                # From the last known commit on, to see that it is still what it was.
                elif self._take(await _page(self._store, self._table_id, self.version - 1, _PAGE)):
                    await self._wake_in_turns()
                self.finished = self.begun
        except Exception as error:
            self.failed = error
            self.wake()
        finally:
            self._reading = None

    def _begin(self, page: EventPage) -> None:
        """Begin with the present; who wants what was before reads it."""
        self.version, self.etag, self.gone = page.version, page.etag, not page.version

    def _take(self, page: EventPage) -> bool:
        """Add a page that begins with the last known commit; say whether it brings anything new."""
        new = page.events
        if new and new[0].version == self.version:
            if new[0].etag != self.etag:
                raise _rewritten(self.version, page.version)
            new = new[1:]
        elif page.version and (not new or page.version < self.version):
            raise _rewritten(self.version, page.version)
        else:
            # So many followed that it is no longer kept.
            self._recent.clear()
        self._add(new)
        self._wanted |= page.version > self.version or (not page.version and len(page.events) == _PAGE)
        self.gone = not page.version and not self._wanted
        return bool(new) or self.gone

    def _add(self, events: Sequence[StoredEvents]) -> None:
        self._recent.extend(_published(self._table_id, events))
        if events:
            self.version, self.etag = events[-1].version, events[-1].etag
        had_by_all = min((watcher.last for watcher in self.watchers), default=self.version)
        while self._recent and (len(self._recent) > _RECENT_MOST or self._recent[0].happening.version <= had_by_all):
            self._recent.popleft()

    async def _wake_in_turns(self) -> None:
        """Wake the watchers, some at a time: thousands at once would keep every other call waiting.

        The next ones get their turn when half of the last ones wait again, or after a moment, as some may be slow.
        """
        watchers = tuple(self.watchers)
        for first in range(0, len(watchers), _TURN):
            turn = watchers[first : first + _TURN]
            self._working, self._turn_over = len(turn) // 2, asyncio.Event()
            for watcher in turn:
                watcher.wake.set()
            if first + _TURN < len(watchers):
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(_TURN_S):
                        await self._turn_over.wait()


class Feed:
    """All watchers of a worker. A watcher that has heard nothing for ``idle_s`` gets a checkpoint."""

    def __init__(self, store: Store, *, idle_s: float = 15.0) -> None:
        self._store = store
        self._notices = store.notices()
        self._idle_s = idle_s
        self._tables: dict[str, _SharedTable] = {}
        self._task: asyncio.Task[None] | None = None
        self._draining = False

    def start(self) -> None:
        """Begin to listen to the store's notices."""
        self._task = asyncio.create_task(self._listen())

    def drain(self) -> None:
        """Have every watcher end with DRAINING, now and from now on."""
        self._draining = True
        for table in self._tables.values():
            table.wake()

    async def close(self) -> None:
        """Stop listening."""
        self.drain()
        if self._task is not None:
            await cancelled(self._task)
        for table in tuple(self._tables.values()):
            await table.close()
        await self._notices.close()

    @property
    def watchers(self) -> int:
        """How many watchers there are."""
        return sum(len(table.watchers) for table in self._tables.values())

    async def watch(
        self, table_id: str, after_version: int, hand_number: int = 0
    ) -> AsyncGenerator[Published | Checkpoint, None]:
        """Yield what happened after a version and goes on to happen, until the table is gone.

        ``hand_number`` is the hand of a table that has not changed since that version, for its checkpoints.

        Raises:
            ServiceError: VERSION_TOO_OLD if that is no longer kept (also when a slow watcher falls behind),
                VERSION_TOO_NEW if the table has not come so far, TABLE_DAMAGED if what happened cannot be read,
                DRAINING when the worker stops.
        """
        if after_version < 0:
            raise invalid_field("after_version", after_version, "must be 0 or a version of the table")
        watcher = _Watcher(after_version)
        self._check_draining()
        table = self._join(table_id, watcher)
        try:
            await table.read_after(0)
            while True:
                # Whatever is read from here on wakes us, so nothing can fall between looking and waiting.
                watcher.wake.clear()
                self._check_draining()
                found = await self._missed(table_id, table, watcher.last)
                for published in found:
                    watcher.last, hand_number = published.happening.version, published.happening.hand_number
                    yield published
                if found:
                    continue
                if table.gone:
                    return
                if not await self._woken(table, watcher) and watcher.last == table.version:
                    yield Checkpoint(watcher.last, table.etag, hand_number)
        finally:
            self._leave(table_id, table, watcher)

    async def _missed(self, table_id: str, table: _SharedTable, last: int) -> Sequence[Published]:
        """Return what comes next for a watcher, nothing if it has to wait."""
        if table.failed is not None:
            # The same error ends many watchers; each adds its own way to it.
            raise table.failed.with_traceback(None)
        recent = table.after(last)
        if recent is not None:
            return recent
        page = await _page(self._store, table_id, last, _PAGE)
        _check(page, last)
        if page.version > table.version:
            table.read()
        return tuple(_published(table_id, page.events))

    async def _woken(self, table: _SharedTable, watcher: _Watcher) -> bool:
        """Wait for something to happen; False if it is certain that for a while nothing has."""
        table.rest()
        begun = table.begun
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._idle_s):
                await watcher.wake.wait()
        if not watcher.wake.is_set():
            # One reading answers for everybody who began to wait before it.
            await table.read_after(begun)
        return watcher.wake.is_set()

    async def _listen(self) -> None:
        async for notice in self._notices:
            table = self._tables.get(notice.table_id)
            if table is not None and (notice.version is None or notice.version > table.version):
                table.read()

    def _join(self, table_id: str, watcher: _Watcher) -> _SharedTable:
        table = self._tables.get(table_id)
        if table is None or table.gone or table.failed is not None:
            table = self._tables[table_id] = _SharedTable(self._store, table_id)
            self._notices.watch(table_id)
        table.watchers.add(watcher)
        return table

    def _leave(self, table_id: str, table: _SharedTable, watcher: _Watcher) -> None:
        table.watchers.discard(watcher)
        # Watchers of a table that was gone or failed may have been followed by others already.
        if not table.watchers and self._tables.get(table_id) is table:
            del self._tables[table_id]
            self._notices.unwatch(table_id)

    def _check_draining(self) -> None:
        if self._draining:
            raise _draining()


async def _page(store: Store, table_id: str, after_version: int, limit: int) -> EventPage:
    with damage_of(table_id):
        page = await store.events(table_id, after_version, limit)
        versions = [stored.version for stored in page.events]
        if versions and versions[-1] - versions[0] >= len(versions):
            raise StoreDamaged(
                f"events of table {table_id} are missing between versions {versions[0]} and {versions[-1]}"
            )
        return page


def _published(table_id: str, events: Sequence[StoredEvents]) -> list[Published]:
    with damage_of(table_id):
        return [Published(decode_happening(stored.payload)) for stored in events]


def _check(page: EventPage, last: int) -> None:
    """Refuse to go on where the next version is not there to be read."""
    first = page.events[0].version if page.events else 0
    if page.too_old(last) or first > last + 1:
        raise ServiceError(
            Reason.VERSION_TOO_OLD,
            f"events after version {last} are no longer kept",
            metadata={"oldest_version": page.oldest_version, "version": page.version},
        )
    if page.version and last > page.version:
        raise _too_new(last, page.version)


def _rewritten(known: int, version: int) -> ServiceError:
    """Return the refusal to go on from a commit that the store has lost and perhaps replaced."""
    if version < known:
        return _too_new(known, version)
    return ServiceError(
        Reason.VERSION_TOO_NEW,
        f"version {known} was lost by the store and made anew",
        metadata={"version": version},
    )


def _too_new(last: int, version: int) -> ServiceError:
    return ServiceError(
        Reason.VERSION_TOO_NEW,
        f"the table is at version {version}, not yet at {last}",
        metadata={"version": version},
    )


def _draining() -> ServiceError:
    return ServiceError(Reason.DRAINING, "this server is shutting down: resume after the last version received")
