"""What a worker looks up about itself from time to time: whether its store answers, and how much there is."""

import asyncio
import contextlib

import structlog

from service.cancellation import cancelled
from service.feed import Feed
from service.health import Health
from service.meters import Meters
from service.store.base import Store, StoreError

_FAILURES_TO_BELIEVE = 2
_PINGS_PER_COUNT = 15
_FLUSH_S = 0.2

_log = structlog.get_logger()


class Pulse:
    """Asks the store every ``interval_s`` and tells the health service; two failures in a row count, one answer does.

    With every ask it counts the watchers, and with every fifteenth the tables. Meters are flushed five times a second.
    """

    def __init__(self, store: Store, health: Health, feed: Feed, meters: Meters, *, interval_s: float = 1.0) -> None:
        self._store = store
        self._health = health
        self._feed = feed
        self._meters = meters
        self._interval_s = interval_s
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Begin."""
        self._tasks = [asyncio.create_task(self._beat()), asyncio.create_task(self._flush())]

    async def stop(self) -> None:
        """Stop, at once, with everything flushed."""
        await cancelled(*self._tasks)
        self._meters.flush()

    async def _flush(self) -> None:
        while True:
            await asyncio.sleep(_FLUSH_S)
            self._meters.flush()

    async def _count(self) -> None:
        # That they cannot be counted does not mean that the store does not answer; failures are metered where they are.
        with contextlib.suppress(StoreError):
            self._meters.tables_live(await self._store.count_tables())

    async def _beat(self) -> None:
        failures = beats = 0
        while True:
            self._meters.watching(self._feed.watchers)
            try:
                await self._store.ping()
            except StoreError as error:
                failures += 1
                if failures == _FAILURES_TO_BELIEVE:
                    _log.error("store does not answer", error=type(error).__name__)
                    self._health.store_answers(False)
            else:
                if failures >= _FAILURES_TO_BELIEVE:
                    _log.info("store answers again")
                    self._health.store_answers(True)
                failures = 0
                if beats % _PINGS_PER_COUNT == 0:
                    await self._count()
                beats += 1
            await asyncio.sleep(self._interval_s)
