"""Following tables: what was committed, in order, without a gap and without a repeat.

The store's event stream is the truth and every watcher reads it from its own place on. Notices only wake a watcher that
has read everything; one subscription of the worker serves them all. A watcher holds one page of events at most, so a
slow one costs no memory: it falls behind, until what it needs is no longer kept.
"""

import asyncio
from collections.abc import AsyncGenerator

import msgspec

from service.errors import Reason, ServiceError, invalid_field
from service.snapshot import decode_happening
from service.store.base import EventPage, Store
from service.table_events import Happening

_PAGE = 64


class Checkpoint(msgspec.Struct, frozen=True):
    """Nothing has happened up to ``version`` that was not sent."""

    version: int
    etag: str
    hand_number: int


class Feed:
    """All watchers of a worker. A watcher that has heard nothing for ``idle_s`` gets a checkpoint."""

    def __init__(self, store: Store, *, idle_s: float = 15.0) -> None:
        self._store = store
        self._idle_s = idle_s
        self._wakes: dict[str, set[asyncio.Event]] = {}
        self._task: asyncio.Task[None] | None = None
        self._draining = False

    def start(self) -> None:
        """Begin to listen to the store's notices."""
        self._task = asyncio.create_task(self._listen())

    def drain(self) -> None:
        """Have every watcher end with DRAINING, now and from now on."""
        self._draining = True
        for wakes in self._wakes.values():
            for wake in wakes:
                wake.set()

    async def close(self) -> None:
        """Stop listening."""
        self.drain()
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    @property
    def watchers(self) -> int:
        """How many watchers there are."""
        return sum(map(len, self._wakes.values()))

    async def watch(
        self, table_id: str, after_version: int, hand_number: int = 0
    ) -> AsyncGenerator[Happening | Checkpoint, None]:
        """Yield what happened after a version and goes on to happen, until the table is gone.

        ``hand_number`` is the hand of a table that has not changed since that version, for its checkpoints.

        Raises:
            ServiceError: VERSION_TOO_OLD if that is no longer kept (also when a slow watcher falls behind),
                VERSION_TOO_NEW if the table has not come so far, DRAINING when the worker stops.
        """
        if after_version < 0:
            raise invalid_field("after_version", after_version, "must be 0 or a version of the table")
        wake = asyncio.Event()
        self._add(table_id, wake)
        try:
            last = after_version
            while True:
                # Whatever is committed from here on wakes us, so nothing can fall between reading and waiting.
                wake.clear()
                self._check_draining()
                page = await self._store.events(table_id, last, _PAGE)
                if not page.version:
                    return
                _check(page, last)
                for stored in page.events:
                    happening = decode_happening(stored.payload)
                    last, hand_number = stored.version, happening.hand_number
                    yield happening
                if last == page.version and not await self._woken(wake):
                    yield Checkpoint(last, page.etag, hand_number)
        finally:
            self._remove(table_id, wake)

    async def _woken(self, wake: asyncio.Event) -> bool:
        """Wait for a notice; False if there was none for a while."""
        try:
            async with asyncio.timeout(self._idle_s):
                await wake.wait()
        except TimeoutError:
            return False
        return True

    async def _listen(self) -> None:
        async for notice in self._store.notices():
            for wake in self._wakes.get(notice.table_id, ()):
                wake.set()

    def _add(self, table_id: str, wake: asyncio.Event) -> None:
        wakes = self._wakes.setdefault(table_id, set())
        wakes.add(wake)
        if len(wakes) == 1:
            self._store.notices().watch(table_id)

    def _remove(self, table_id: str, wake: asyncio.Event) -> None:
        wakes = self._wakes[table_id]
        wakes.discard(wake)
        if not wakes:
            del self._wakes[table_id]
            self._store.notices().unwatch(table_id)

    def _check_draining(self) -> None:
        if self._draining:
            raise ServiceError(Reason.DRAINING, "this server is shutting down: resume after the last version received")


def _check(page: EventPage, last: int) -> None:
    """Refuse to go on where the next version is not there to be read."""
    first = page.events[0].version if page.events else 0
    if page.too_old(last) or first > last + 1:
        raise ServiceError(
            Reason.VERSION_TOO_OLD,
            f"events after version {last} are no longer kept",
            metadata={"oldest_version": page.oldest_version, "version": page.version},
        )
    if last > page.version:
        raise ServiceError(
            Reason.VERSION_TOO_NEW,
            f"the table is at version {page.version}, not yet at {last}",
            metadata={"version": page.version},
        )
