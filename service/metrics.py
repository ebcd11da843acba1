"""The metrics port: what can be counted, in the text format of Prometheus."""

import asyncio
from collections.abc import Callable, Sequence

import msgspec

from service.address import Address

_REQUEST_BYTES_MOST = 8192
_REQUEST_TIMEOUT_S = 5.0


class Sample(msgspec.Struct, frozen=True):
    """One number: its name, its type (gauge or counter), what it means, and its value."""

    name: str
    kind: str
    meaning: str
    value: float


class MetricsServer:
    """Answers ``GET /metrics`` over HTTP with what ``samples`` returns."""

    def __init__(self, samples: Callable[[], Sequence[Sample]]) -> None:
        self._samples = samples
        self._server: asyncio.Server | None = None

    async def start(self, host: str, port: int) -> str:
        """Listen, on a free port for 0, and return the address to read from; OSError if that is impossible."""
        self._server = await asyncio.start_server(self._answer, host, port, limit=_REQUEST_BYTES_MOST)
        bound_host, bound_port, *_ = self._server.sockets[0].getsockname()
        return f"http://{Address(bound_host, bound_port)}/metrics"

    async def stop(self) -> None:
        """Stop listening."""
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(_REQUEST_TIMEOUT_S):
                head = await reader.readuntil(b"\r\n\r\n")
                writer.write(self._response(head.split(b"\r\n", 1)[0]))
                await writer.drain()
        except (TimeoutError, OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass  # whoever asked so gets no answer
        finally:
            writer.close()

    def _response(self, request_line: bytes) -> bytes:
        method, _, rest = request_line.partition(b" ")
        path = rest.partition(b" ")[0].partition(b"?")[0]
        if method != b"GET":
            return _http("405 Method Not Allowed", "text/plain", "GET is allowed\n")
        if path != b"/metrics":
            return _http("404 Not Found", "text/plain", "/metrics is here\n")
        return _http("200 OK", "text/plain; version=0.0.4; charset=utf-8", "".join(map(_lines, self._samples())))


def _lines(sample: Sample) -> str:
    value = int(sample.value) if sample.value == int(sample.value) else sample.value
    return f"# HELP {sample.name} {sample.meaning}\n# TYPE {sample.name} {sample.kind}\n{sample.name} {value}\n"


def _http(status: str, content_type: str, body: str) -> bytes:
    head = (
        f"HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\nContent-Length: {len(body.encode())}\r\n"
        "Connection: close\r\n\r\n"
    )
    return (head + body).encode()
