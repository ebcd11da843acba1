"""A worker's subscription to the notices of a store's commits."""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from typing import Self

from redis.asyncio.connection import AbstractConnection
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError

from service.cancellation import cancelled
from service.store.base import Notice, StoreError
from service.store.keys import SHARDS, notices_channel, shard_of

_log = logging.getLogger(__name__)

_PING_INTERVAL_S = 5.0
_RECONNECT_FIRST_S = 0.05
_RECONNECT_MOST_S = 1.0
_DIGITS_MOST = 18

_SHARD_BY_CHANNEL = {notices_channel(shard).encode(): shard for shard in range(SHARDS)}


class RedisNotices:
    """``Notices`` over one connection that subscribes to the shards of the watched tables.

    The connection is opened with the first ``watch`` and again whenever it is lost or falls silent; each time
    a subscription begins to hold, every watched table of that shard is reported with version None.
    """

    def __init__(self, subscriber: Callable[[], Awaitable[AbstractConnection]], timeout_s: float) -> None:
        self._subscriber = subscriber
        self._timeout_s = timeout_s
        self._watched: dict[int, set[str]] = {}
        # Shards whose subscription the server has confirmed and we have not given up since.
        self._holding: set[int] = set()
        self._wishes_changed = asyncio.Event()
        self._pending: dict[str, int | None] = {}
        self._has_pending = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._closed = False

    @property
    def closed(self) -> bool:
        """Whether it has been closed."""
        return self._closed

    def watch(self, table_id: str) -> None:
        """Begin to report a table; a notice with version None follows once the watch holds."""
        if self._closed:
            raise RuntimeError("the store is closed")
        shard = shard_of(table_id)
        self._watched.setdefault(shard, set()).add(table_id)
        if shard in self._holding:
            self._report(table_id, None)
        self._wishes_changed.set()
        if self._task is None:
            self._task = asyncio.create_task(self._run())
            # Should it ever end by itself, the consumer gets the reason.
            self._task.add_done_callback(lambda _: self._has_pending.set())

    def unwatch(self, table_id: str) -> None:
        """Stop reporting a table."""
        shard = shard_of(table_id)
        tables = self._watched.get(shard, set())
        tables.discard(table_id)
        self._pending.pop(table_id, None)
        if not tables and self._watched.pop(shard, None) is not None:
            self._wishes_changed.set()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Notice:
        while not self._pending:
            if self._closed:
                raise StopAsyncIteration
            if self._task is not None and self._task.done():
                self._task.result()
            self._has_pending.clear()
            await self._has_pending.wait()
        table_id = next(iter(self._pending))
        return Notice(table_id, self._pending.pop(table_id))

    async def close(self) -> None:
        """End the subscription and, once what is pending was fetched, the iteration."""
        self._closed = True
        self._has_pending.set()
        if self._task is not None:
            await cancelled(self._task)

    def _report(self, table_id: str, version: int | None) -> None:
        # "Look for yourself" covers every version, so it stays until it is fetched.
        if version is None or self._pending.get(table_id, 0) is not None:
            self._pending[table_id] = version
        self._has_pending.set()

    def _announce(self, data: bytes) -> None:
        version, _, table_id = data.decode(errors="replace").partition(" ")
        if not version.isdecimal() or len(version) > _DIGITS_MOST:
            _log.warning("a notice that is none of ours on a channel of the store: %r", data)
        elif table_id in self._watched.get(shard_of(table_id), ()):
            self._report(table_id, int(version))

    async def _run(self) -> None:
        delay_s = _RECONNECT_FIRST_S
        while True:
            connection: AbstractConnection | None = None
            try:
                connection = await self._subscriber()
                await connection.connect()  # type: ignore[no-untyped-call]
                delay_s = _RECONNECT_FIRST_S
                wishes = asyncio.create_task(self._keep_subscribed(connection))
                # What ends it, an error of redis-py's own included, ends the connection, which the listener reports.
                wishes.add_done_callback(lambda task: task.cancelled() or task.exception())
                try:
                    await self._listen(connection)
                finally:
                    # Should it miss that, it ends when the connection does.
                    wishes.cancel()
            except (StoreError, RedisError, OSError) as error:
                if delay_s == _RECONNECT_FIRST_S:
                    _log.warning("store subscription lost, connecting again: %s", error)
            finally:
                self._holding.clear()
                if connection is not None:
                    await connection.disconnect(nowait=True)
            await asyncio.sleep(delay_s)
            delay_s = min(2 * delay_s, _RECONNECT_MOST_S)

    async def _keep_subscribed(self, connection: AbstractConnection) -> None:
        """Subscribe and unsubscribe as the watched tables ask for; ping while they ask for nothing."""
        subscribed: set[int] = set()
        # When sending fails the connection is closed, which is for the listener to notice and to report.
        with contextlib.suppress(RedisError, OSError):
            while connection.is_connected:
                self._wishes_changed.clear()
                wanted = set(self._watched)
                gone, new = subscribed - wanted, wanted - subscribed
                self._holding -= gone
                if gone:
                    await connection.send_command("UNSUBSCRIBE", *map(notices_channel, gone))
                if new:
                    await connection.send_command("SUBSCRIBE", *map(notices_channel, new))
                subscribed = wanted
                try:
                    async with asyncio.timeout(_PING_INTERVAL_S):
                        await self._wishes_changed.wait()
                except TimeoutError:
                    await connection.send_command("PING")

    async def _listen(self, connection: AbstractConnection) -> None:
        while True:
            answer = await connection.read_response(timeout=_PING_INTERVAL_S + self._timeout_s)
            match answer:
                case None:
                    raise RedisConnectionError("silent for too long")
                case [b"message", _, bytes(data)]:
                    self._announce(data)
                case [b"subscribe", bytes(channel), _]:
                    shard = _SHARD_BY_CHANNEL[channel]
                    self._holding.add(shard)
                    for table_id in self._watched.get(shard, ()):
                        self._report(table_id, None)
