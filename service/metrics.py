"""The metrics port: what the workers count, and what their parent knows of them, in the text format of Prometheus."""

import asyncio
import shutil
import struct
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4, CollectorRegistry, Metric, ProcessCollector, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from prometheus_client.registry import Collector

from service.address import Address

_REQUEST_BYTES_MOST = 8192
_REQUEST_TIMEOUT_S = 5.0
_ATTEMPTS = 100
_PAUSE_S = 0.01


class WorkerFiles(Collector):
    """The folder in which the meters of all workers lie, each worker's under a number of its own.

    A number is free again once its worker has ended, and the next one to get it counts on where that one stopped. So
    there are never more files than workers at a time, and a worker that was killed takes nothing with it.
    """

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="dugout-metrics-"))
        self._taken: set[int] = set()

    def take(self) -> int:
        """Return the lowest number that no worker has, counted from 1."""
        number = next(number for number in range(1, len(self._taken) + 2) if number not in self._taken)
        self._taken.add(number)
        return number

    def give_back(self, number: int) -> None:
        """Forget what is true of a living worker only, such as its watchers; what it has counted stays."""
        self._taken.discard(number)
        mark_process_dead(number, str(self.folder))  # type: ignore[no-untyped-call]

    def remove(self) -> None:
        """Delete the folder."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def collect(self) -> Iterable[Metric]:
        """Return the sums over all workers."""
        collector = MultiProcessCollector(None, path=str(self.folder))  # type: ignore[no-untyped-call]
        for _ in range(_ATTEMPTS):
            try:
                return list(collector.collect())  # type: ignore[no-untyped-call]
            except struct.error:
                # A worker that starts has made a file and not written its first bytes yet; it makes several.
                time.sleep(_PAUSE_S)
        return list(collector.collect())  # type: ignore[no-untyped-call]


class ProcessUsage(Collector):
    """Memory, processor time and open files of processes, by the name each has; nothing where there is no /proc."""

    def __init__(self, pids: Callable[[], Mapping[str, int]]) -> None:
        self._pids = pids

    def collect(self) -> Iterable[Metric]:
        """Return one family for each kind of figure, with a sample for each process."""
        families: dict[str, Metric] = {}
        for name, pid in self._pids().items():
            for found in ProcessCollector("dugout", pid=lambda pid=pid: pid, registry=None).collect():  # type: ignore[misc]
                family = families.setdefault(found.name, Metric(found.name, found.documentation, found.type))
                for sample in found.samples:
                    family.add_sample(sample.name, {"process": name}, sample.value)
        return families.values()


class MetricsServer:
    """Answers ``GET /metrics`` over HTTP with what some collectors have to say."""

    def __init__(self, *collectors: Collector) -> None:
        self._registry = CollectorRegistry(auto_describe=False)
        for collector in collectors:
            self._registry.register(collector)
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
                writer.write(await self._response(head.split(b"\r\n", 1)[0]))
                await writer.drain()
        except (TimeoutError, OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass  # whoever asked so gets no answer
        finally:
            writer.close()

    async def _response(self, request_line: bytes) -> bytes:
        method, _, rest = request_line.partition(b" ")
        path = rest.partition(b" ")[0].partition(b"?")[0]
        if method != b"GET":
            return _http("405 Method Not Allowed", "text/plain", b"GET is allowed\n")
        if path != b"/metrics":
            return _http("404 Not Found", "text/plain", b"/metrics is here\n")
        # Reading the files of many workers takes a while, in which the workers are to be looked after.
        text = await asyncio.to_thread(generate_latest, self._registry)
        return _http("200 OK", CONTENT_TYPE_PLAIN_0_0_4, text)


def _http(status: str, content_type: str, body: bytes) -> bytes:
    head = (
        f"HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + body
