"""What open streams may cost: how many a caller has, and how long one waits for a client that does not read.

A stream holds one message that its client has not taken, and no more: a write ends only when the client's flow control
and the connection have had room for it. A client that takes nothing for a while is refused. Until it takes that
refusal, or its connection ends, its stream goes on to count, since grpc keeps it that long.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine

from service.admission import host_of
from service.credentials import Anonymous, Caller, Operator, SeatHolder
from service.errors import Reason, ServiceError


class Streams:
    """The open streams of a worker.

    ``operator_limit`` holds for an operator key, ``caller_limit`` for a seat token and for an address without
    credentials. A message that is not taken within ``patience_s`` ends its stream.
    """

    def __init__(
        self,
        *,
        operator_limit: int = 10_000,
        caller_limit: int = 1_000,
        patience_s: float = 10.0,
        on_limited: Callable[[str], None] = lambda limit: None,
    ) -> None:
        self._operator_limit = operator_limit
        self._caller_limit = caller_limit
        self._patience_s = patience_s
        self._on_limited = on_limited
        self._open: Counter[tuple[str, ...]] = Counter()

    @property
    def count(self) -> int:
        """How many streams are open."""
        return self._open.total()

    def open(self, caller: Caller, peer: str) -> Callable[[], None]:
        """Count a stream and return what is to be called once when it is closed.

        Raises:
            ServiceError: TOO_MANY_STREAMS if the caller has as many as allowed.
        """
        key = _key(caller, peer)
        limit = self._operator_limit if isinstance(caller, Operator) else self._caller_limit
        if self._open[key] >= limit:
            self._on_limited("streams")
            raise ServiceError(
                Reason.TOO_MANY_STREAMS,
                f"the caller has {limit} streams open at this worker",
                metadata={"limit": limit},
            )
        self._open[key] += 1

        def close() -> None:
            self._open[key] -= 1
            if not self._open[key]:
                del self._open[key]

        return close

    async def send(self, write: Coroutine[None, None, None]) -> None:
        """Wait until a message is on its way.

        Raises:
            ServiceError: WATCHER_TOO_SLOW if the client takes nothing for too long.
        """
        try:
            async with asyncio.timeout(self._patience_s) as patience:
                await write
        except TimeoutError:
            if not patience.expired():
                raise
            raise ServiceError(
                Reason.WATCHER_TOO_SLOW,
                f"the client took nothing for {self._patience_s:g} s: resume after the last version received",
            ) from None


def _key(caller: Caller, peer: str) -> tuple[str, ...]:
    """Return what tells those apart that have limits of their own."""
    match caller:
        case SeatHolder():
            return (caller.table_id, caller.identity)
        case Anonymous():
            return (host_of(peer),)
    return (caller.identity,)
