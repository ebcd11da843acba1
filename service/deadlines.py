"""Playing what time runs out for: each worker claims the tables that are due and lets the use case do the rest.

The store says whose turn it is to look after a table; the commit's etag alone decides what happens there, so it happens
once, whichever worker is first and whatever a player does in the same moment. A worker that dies leaves its claims to
the others, which get them when the claims end.
"""

import asyncio
from collections.abc import Awaitable, Callable
from traceback import extract_tb

import structlog

from service.clock import Clock
from service.store.base import Deadlines, StoreError, StoreUnavailable

_AT_ONCE = 16
_COALESCE_S = 0.02
"""Claims are at least so far apart: that many tables come due one by one would cost a round trip for each otherwise."""
_RETRY_FIRST_S = 0.1
_RETRY_MOST_S = 1.0
_QUIET_S = 60.0

_log = structlog.get_logger()


class DeadlineKeeper:
    """A worker's task that keeps the deadlines of all tables.

    ``expire`` does what a table's time has come for and returns how many milliseconds late, None if nothing was due;
    ``on_played`` hears of the former.
    """

    def __init__(
        self,
        deadlines: Deadlines,
        expire: Callable[[str], Awaitable[int | None]],
        clock: Clock,
        *,
        on_played: Callable[[int], None] = lambda late_ms: None,
    ) -> None:
        self._deadlines = deadlines
        self._expire = expire
        self._clock = clock
        self._on_played = on_played
        self._stopping = asyncio.Event()
        self._playing: set[asyncio.Task[None]] = set()
        self._task: asyncio.Task[None] | None = None
        self._complaints: dict[str, float] = {}

    def start(self) -> None:
        """Begin to claim."""
        self._task = asyncio.create_task(self._run())

    def drain(self) -> None:
        """Claim nothing from now on."""
        self._stopping.set()

    async def close(self) -> None:
        """Stop, once what was claimed is played."""
        self.drain()
        if self._task is not None:
            await self._task

    async def _run(self) -> None:
        retry_s = _RETRY_FIRST_S
        while not self._stopping.is_set():
            try:
                pause_s = await self._claim()
                retry_s = _RETRY_FIRST_S
            except StoreUnavailable as error:
                self._complain("deadlines not read", error)
                pause_s, retry_s = retry_s, min(2 * retry_s, _RETRY_MOST_S)
            except Exception as error:  # the clock of every table depends on this task
                self._complain("deadlines not read", error)
                pause_s = _RETRY_MOST_S
            await self._pause(max(pause_s, _COALESCE_S))
        if self._playing:
            await asyncio.wait(self._playing)

    async def _claim(self) -> float:
        """Claim what is due and have it played; return how many seconds to wait for more."""
        while len(self._playing) >= _AT_ONCE:
            await asyncio.wait(self._playing, return_when=asyncio.FIRST_COMPLETED)
        claimed = await self._deadlines.claim(self._clock.now_ms(), _AT_ONCE - len(self._playing))
        for table_id in claimed.table_ids:
            task = asyncio.create_task(self._play(table_id))
            self._playing.add(task)
            task.add_done_callback(self._playing.discard)
        return (claimed.again_ms - self._clock.now_ms()) / 1000

    async def _play(self, table_id: str) -> None:
        try:
            late_ms = await self._expire(table_id)
        except Exception as error:  # the table is due again when the claim ends
            self._complain("deadline not played", error, table_id=table_id)
            return
        if late_ms is not None:
            self._on_played(late_ms)

    async def _pause(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._stopping.wait()
        except TimeoutError:
            pass

    def _complain(self, event: str, error: Exception, **context: str) -> None:
        """Log a failure, but one of a kind no more than once a minute."""
        kind, now_s = f"{event}: {type(error).__name__}", asyncio.get_running_loop().time()
        if now_s < self._complaints.get(kind, now_s):
            return
        self._complaints[kind] = now_s + _QUIET_S
        if isinstance(error, StoreError):
            _log.warning(event, error=str(error), **context)
            return
        # A defect, or a table that cannot be read: what such errors say may name cards.
        frames = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in extract_tb(error.__traceback__)]
        _log.error(event, error=type(error).__name__, where=frames, **context)
