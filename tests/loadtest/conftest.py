"""A real server, and a proxy in front of it that changes, loses or delays what passes."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import grpc
import pytest

from loadtest.server import Server, embedded_server

Tamper = Callable[[str, bytes], bytes | None]
"""Takes the RPC and its reply, returns the reply to send; None loses it: the caller gets UNAVAILABLE."""


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    with embedded_server(workers=2) as running:
        yield running


class Proxy(grpc.GenericRpcHandler):
    """Passes every unary call on, with its credentials, and its reply or error back."""

    def __init__(self, target: str, tamper: Tamper) -> None:
        self._channel = grpc.insecure_channel(target)
        self._tamper = tamper
        self.hanging = threading.Event()
        self.done = threading.Event()

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> "grpc.RpcMethodHandler[bytes, bytes]":
        method = handler_call_details.method

        def forward(request: bytes, context: grpc.ServicerContext) -> bytes:
            if self.hanging.is_set():
                self.done.wait(60)
            metadata = tuple(pair for pair in context.invocation_metadata() if pair[0] == "authorization")
            call = self._channel.unary_unary(method, None, None)
            try:
                reply = call(request, timeout=10, metadata=metadata)
            except grpc.RpcError as refused:
                context.set_trailing_metadata(tuple(refused.trailing_metadata() or ()))  # type: ignore[attr-defined]
                context.abort(refused.code(), refused.details())  # type: ignore[attr-defined]
            changed = self._tamper(method.rpartition("/")[2], reply)
            if changed is None:
                context.abort(grpc.StatusCode.UNAVAILABLE, "the reply was lost")
            return changed

        return grpc.unary_unary_rpc_method_handler(forward, None, None)

    def close(self) -> None:
        self.done.set()
        self._channel.close()


@contextmanager
def _proxy_before(target: str, tamper: Tamper) -> Iterator[tuple[str, Proxy]]:
    proxy = Proxy(target, tamper)
    front = grpc.server(ThreadPoolExecutor(16), handlers=[proxy])
    port = front.add_insecure_port("127.0.0.1:0")
    front.start()
    try:
        yield f"127.0.0.1:{port}", proxy
    finally:
        proxy.done.set()
        front.stop(None).wait()
        proxy.close()


@pytest.fixture
def proxy_before() -> Callable[[str, Tamper], Any]:
    """Return a context manager: the address of a proxy before a target, and the proxy."""
    return _proxy_before
