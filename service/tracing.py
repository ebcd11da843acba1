"""Where traces go: nowhere, unless the extra ``otel`` is installed and an endpoint is configured.

A call is one span and its parts (the store's operations, the step of the engine) are spans below it. A span holds the
RPC, how the call ended and the call's id: no request, no card, no player and no secret.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol


class CallSpan(Protocol):
    """The span of one call."""

    def end(self, reason: str, status: int, failed: bool) -> None:
        """Say how the call ended: ``OK`` or the reason, its gRPC status, and whether that is the server's fault."""


class Tracing(Protocol):
    """Makes spans."""

    def call(
        self, rpc: str, metadata: Sequence[tuple[str, str | bytes]], call_id: str, *, stream: bool
    ) -> AbstractContextManager[CallSpan]:
        """Return the span of a call, which goes on a trace that the caller's metadata names.

        Parts of a stream's span are not traced: a watcher's would never end.
        """

    def part(self, name: str) -> AbstractContextManager[object]:
        """Return the span of a part of the running call; outside a call it is none."""

    def close(self) -> None:
        """Send what has not been sent."""


class _NoSpan:
    def end(self, reason: str, status: int, failed: bool) -> None:
        pass


class NoTracing:
    """Makes no spans."""

    _nothing = nullcontext(_NoSpan())

    def call(
        self, rpc: str, metadata: Sequence[tuple[str, str | bytes]], call_id: str, *, stream: bool
    ) -> AbstractContextManager[CallSpan]:
        """Return a span that is none."""
        return self._nothing

    def part(self, name: str) -> AbstractContextManager[object]:
        """Return a span that is none."""
        return self._nothing

    def close(self) -> None:
        """Do nothing."""
