"""What streams cost by themselves: a grpc.aio server that does nothing but send the same bytes to all who listen.

It is a process of its own, which this module is run as: it prints its port and ends when its standard input does.
"""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

import grpc
import uvloop

from loadtest.server import ServerFailed

LISTEN = "/bare.Server/Listen"
SEND = "/bare.Server/Send"
_MESSAGE = bytes(range(200))
_PROGRAM = (sys.executable, "-m", "loadtest.bare_server")
_STOP_TIMEOUT_S = 20.0

_Context: TypeAlias = "grpc.aio.ServicerContext[bytes, bytes]"


@dataclass(frozen=True, slots=True)
class BareServer:
    """A running server: where it listens."""

    address: str
    pid: int


@contextmanager
def bare_server() -> Iterator[BareServer]:
    """Run the server for as long as the block lasts; raises ``ServerFailed`` if it does not start."""
    process = subprocess.Popen(_PROGRAM, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        port = process.stdout.readline().strip()
        if not port:
            raise ServerFailed("the server that only sends did not start")
        yield BareServer(f"127.0.0.1:{port}", process.pid)
    finally:
        process.stdin.close()
        process.stdout.close()
        try:
            process.wait(_STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


class _Sender:
    """Sends a message to all streams each time that it is asked to."""

    def __init__(self) -> None:
        self._sent = 0
        self._more = asyncio.Event()

    async def listen(self, _request: bytes, context: _Context) -> AsyncIterator[bytes]:
        await context.send_initial_metadata(())
        had = self._sent
        while True:
            while had == self._sent:
                await self._more.wait()
            had += 1
            yield _MESSAGE

    async def send(self, _request: bytes, _context: Any) -> bytes:
        self._sent += 1
        self._more.set()
        self._more = asyncio.Event()
        return b""


async def _serve() -> None:
    sender = _Sender()
    server = grpc.aio.server()
    handlers: dict[str, Any] = {
        "Listen": grpc.unary_stream_rpc_method_handler(sender.listen),
        "Send": grpc.unary_unary_rpc_method_handler(sender.send),
    }
    server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler("bare.Server", handlers)])
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    print(port, flush=True)
    await asyncio.to_thread(sys.stdin.read)
    await server.stop(None)


if __name__ == "__main__":
    uvloop.run(_serve())
