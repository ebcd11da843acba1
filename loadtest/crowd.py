"""A crowd that listens: streams of one kind, opened over a few connections, and when each had what was sent.

They are opened a few at a time, since thousands of streams opened at once measure little but the opening.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import grpc

CONNECTIONS = 8
TIMEOUT_S = 60.0
_OPENED_AT_ONCE = 50
_SETTLE_S = 1.0
_OWN_CONNECTION = [("grpc.use_local_subchannel_pool", 1)]

Metadata: TypeAlias = tuple[tuple[str, str], ...]
_Listen: TypeAlias = "grpc.aio.UnaryStreamMultiCallable[bytes, bytes]"


def own_channel(address: str) -> grpc.aio.Channel:
    """Return a channel that shares its connection with no other one."""
    return grpc.aio.insecure_channel(address, _OWN_CONNECTION)


@dataclass(slots=True)
class FanOut:
    """How long after a change was asked for the crowd had it: one number per stream and change, in seconds."""

    delays_s: list[float] = field(default_factory=list)
    slowest_s: list[float] = field(default_factory=list)
    """Of each change when the last stream had it."""

    def add(self, delays_s: list[float]) -> None:
        """Count one change."""
        self.delays_s += delays_s
        self.slowest_s.append(max(delays_s))

    def percentile_ms(self, share: float) -> float:
        """Return the milliseconds that a share of all deliveries did not exceed."""
        ordered = sorted(self.delays_s)
        return 1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))]


class Crowd:
    """Streams of one method of a server; what ``counts`` is false of is no delivery."""

    def __init__(
        self, address: str, method: str, *, metadata: Metadata = (), counts: Callable[[bytes], bool] = bool
    ) -> None:
        self._channels = [own_channel(address) for _ in range(CONNECTIONS)]
        self._method = method
        self._metadata = metadata
        self._counts = counts
        self._streams: list[Any] = []
        self._tasks: list[asyncio.Task[None]] = []
        self._arrived_s: list[float] = []
        self._everybody = asyncio.Event()

    async def come(self, streams: int, request: bytes) -> None:
        """Open so many streams with the same request."""
        for first in range(0, streams, _OPENED_AT_ONCE):
            opened = []
            for number in range(first, min(first + _OPENED_AT_ONCE, streams)):
                call: _Listen = self._channels[number % CONNECTIONS].unary_stream(self._method)
                opened.append(call(request, metadata=self._metadata))
            for stream in opened:
                await asyncio.wait_for(stream.initial_metadata(), TIMEOUT_S)
            self._streams += opened
            self._tasks += [asyncio.create_task(self._listen(stream)) for stream in opened]

    async def _listen(self, stream: Any) -> None:
        async for data in stream:
            if self._counts(data):
                self._arrived_s.append(time.perf_counter())
                if len(self._arrived_s) == len(self._streams):
                    self._everybody.set()

    async def hear(self, change: Callable[[], Awaitable[None]], changes: int) -> FanOut:
        """Ask for so many changes; each waits until everybody has the last one."""
        fan_out = FanOut()
        for _ in range(changes):
            self._arrived_s.clear()
            self._everybody.clear()
            asked_s = time.perf_counter()
            await change()
            await asyncio.wait_for(self._everybody.wait(), TIMEOUT_S)
            fan_out.add([arrived_s - asked_s for arrived_s in self._arrived_s])
        return fan_out

    async def go(self) -> None:
        """Let all streams go."""
        for stream in self._streams:
            stream.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._streams.clear()
        self._tasks.clear()
        await asyncio.sleep(_SETTLE_S)

    async def close(self) -> None:
        """Close all connections."""
        for channel in self._channels:
            await channel.close()
