"""The parent of all workers: holds the port, starts them, replaces those that die, and stops them.

Workers are fresh processes, never forks of this one. They share the parent's port, their settings come through a pipe
(secrets appear neither in arguments nor in the environment), and the same pipe tells them when the parent is gone.

Signals to the parent: SIGTERM and SIGINT stop everything; SIGHUP reads the files of keys again and replaces the workers
one after the other, each by one that serves already, except at a terminal, where it means that the terminal is gone and
stops everything too. SIGTERM to a worker replaces that one.
"""

import asyncio
import contextlib
import os
import signal
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Iterable

import msgspec
import structlog
from msgspec.structs import replace
from prometheus_client import Metric
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

from service.address import Address
from service.cancellation import cancelled
from service.config import Config, ConfigError
from service.crash_loop import DEATHS, WINDOW_S, CrashLoop
from service.meters import Place
from service.metrics import MetricsServer, ProcessUsage, WorkerFiles
from service.store.embedded import EmbeddedStore, EmbeddedStoreError

_START_TIMEOUT_S = 30.0
_STOP_MARGIN_S = 5.0
_HEALTHY_AFTER_S = 10.0
_PAUSE_FIRST_S = 0.1
_PAUSE_MOST_S = 5.0
_STORE_CHECK_S = 0.25

_log = structlog.get_logger()


class StartError(Exception):
    """A worker cannot start; the message says why."""


class _Word(msgspec.Struct):
    """What a worker says on its standard output."""

    serving: int = 0
    failed: str = ""


class _Worker(msgspec.Struct, frozen=True):
    number: int
    process: Process
    began_s: float


class Supervisor(Collector):
    """Runs the workers of one ``dugout serve`` on an address that is reserved already.

    ``store`` is the embedded store that this process has started, if there is one: it is started again, with its data,
    should it die. ``reread`` returns the settings with what has changed since, ConfigError if that cannot be used.
    """

    def __init__(
        self, config: Config, address: Address, store: EmbeddedStore | None, reread: Callable[[Config], Config]
    ) -> None:
        if store is not None:
            config = replace(config, redis_url=store.url)
        self._config = replace(config, host=address.host, port=address.port)
        self._store = store
        self._reread = reread
        self._stopping = asyncio.Event()
        self._asked_to_replace = asyncio.Event()
        self._files = WorkerFiles()
        self._running: dict[int, _Worker] = {}
        self._serving: list[_Worker] = []
        self._changing = [asyncio.Lock() for _ in range(config.workers)]
        self._loops = [CrashLoop() for _ in range(config.workers)]
        self._worker_restarts = 0
        self._store_restarts = 0

    async def run(self, started: Callable[[str], None]) -> None:
        """Keep the workers running until SIGTERM or SIGINT; ``started`` hears the address of the metrics.

        Raises:
            StartError: if a worker does not start.
        """
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._stopping.set)
        hung_up = self._stopping if sys.stdin is not None and sys.stdin.isatty() else self._asked_to_replace
        loop.add_signal_handler(signal.SIGHUP, hung_up.set)
        metrics = MetricsServer(self, ProcessUsage(self._pids), self._files)
        tasks: list[asyncio.Task[None]] = []
        try:
            url = await self._start_metrics(metrics)
            self._serving = await asyncio.gather(*(self._start() for _ in range(self._config.workers)))
            started(url)
            tasks = [asyncio.create_task(self._keep(index)) for index in range(self._config.workers)]
            tasks.append(asyncio.create_task(self._replace_when_asked()))
            if self._store is not None:
                tasks.append(asyncio.create_task(self._keep_store(self._store)))
            await self._stopping.wait()
        finally:
            self._stopping.set()
            await cancelled(*tasks)
            await self._finish(list(self._running.values()))
            await metrics.stop()
            self._files.remove()

    async def _start_metrics(self, metrics: MetricsServer) -> str:
        host, port = self._config.host, self._config.metrics_port
        try:
            return await metrics.start(host, port)
        except OSError as error:
            raise StartError(f"metrics port {port} on {host} cannot be had: {os.strerror(error.errno or 0)}") from error

    async def _start(self) -> _Worker:
        """Start a worker and wait until it serves."""
        number = self._files.take()
        try:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "service.server",
                stdin=PIPE,
                stdout=PIPE,
                # An interrupt from the terminal is for the parent alone, which lets the workers finish.
                start_new_session=True,
            )
        except OSError as error:  # too many processes or open files, no memory
            self._files.give_back(number)
            raise StartError(f"a worker did not start: {error.strerror}") from error
        worker = self._running[process.pid] = _Worker(number, process, time.monotonic())
        if process.stdin is None or process.stdout is None:
            raise StartError("a worker has no pipes")
        for told in (self._config, Place(number, str(self._files.folder))):
            process.stdin.write(msgspec.json.encode(told) + b"\n")
        try:
            async with asyncio.timeout(_START_TIMEOUT_S):
                with contextlib.suppress(ConnectionError):
                    await process.stdin.drain()
                line = await process.stdout.readline()
        except TimeoutError:
            process.kill()
            await self._ended(worker)
            raise StartError(f"a worker did not start within {_START_TIMEOUT_S:.0f} s") from None
        word = msgspec.json.decode(line, type=_Word) if line else _Word(failed="it ended; its last words are above")
        if word.failed:
            await self._ended(worker)
            raise StartError(f"a worker did not start: {word.failed}")
        return worker

    async def _keep(self, index: int) -> None:
        """Start a worker again, and again, whenever it has ended, more slowly if it ends at once."""
        pause_s = _PAUSE_FIRST_S
        while True:
            worker = self._serving[index]
            status = await self._ended(worker)
            async with self._changing[index]:
                if self._serving[index] is not worker:
                    continue  # another one serves in its place already
                if time.monotonic() - worker.began_s > _HEALTHY_AFTER_S:
                    pause_s = _PAUSE_FIRST_S
                if status == 0:
                    _log.info("worker ended as it was told", worker=worker.number, pid=worker.process.pid)
                else:
                    _log.error("worker died", worker=worker.number, pid=worker.process.pid, status=status)
                    self._note_death(index)
                    await asyncio.sleep(pause_s)
                    pause_s = min(2 * pause_s, _PAUSE_MOST_S)
                while not await self._started_again(index):
                    await asyncio.sleep(pause_s)
                    pause_s = min(2 * pause_s, _PAUSE_MOST_S)

    async def _started_again(self, index: int) -> bool:
        try:
            self._serving[index] = await self._start()
        except StartError as error:
            _log.error("worker not restarted", why=str(error))
            self._note_death(index)
            return False
        return True

    def _note_death(self, index: int) -> None:
        self._worker_restarts += 1
        if self._loops[index].died(time.monotonic()):
            _log.error("crash loop", place=index + 1, deaths=DEATHS, within_s=WINDOW_S)

    async def _replace_when_asked(self) -> None:
        while True:
            await self._asked_to_replace.wait()
            self._asked_to_replace.clear()
            _log.info("replacing all workers")
            try:
                self._config = self._reread(self._config)
                await self._replace_all()
            except (ConfigError, StartError) as error:
                _log.error("replacing workers given up: those before go on", why=str(error))
            else:
                _log.info("all workers replaced")

    async def _replace_all(self) -> None:
        """Replace one worker after the other, last those whose place is empty: who starts there may never serve."""
        waiting = list(range(self._config.workers))
        while waiting:
            index = min(waiting, key=lambda index: self._changing[index].locked())
            waiting.remove(index)
            await self._replace(index)

    async def _replace(self, index: int) -> None:
        """Put a worker that serves already in the place of another, and let that one finish.

        Raises:
            StartError: if the new one does not start; the old one goes on then.
        """
        async with self._changing[index]:
            old = self._serving[index]
            self._serving[index] = await self._start()
            await self._finish([old])

    async def _ended(self, worker: _Worker) -> int:
        status = await worker.process.wait()
        if self._running.pop(worker.process.pid, None) is not None:
            self._files.give_back(worker.number)
        return status

    async def _keep_store(self, store: EmbeddedStore) -> None:
        while True:
            await asyncio.sleep(_STORE_CHECK_S)
            if store.running:
                continue
            self._store_restarts += 1
            _log.error("embedded store died")
            pause_s = _PAUSE_FIRST_S
            while not _started(store):
                await asyncio.sleep(pause_s)
                pause_s = min(2 * pause_s, _PAUSE_MOST_S)

    async def _finish(self, workers: list[_Worker]) -> None:
        """Have workers drain and end; those that take too long are killed."""
        processes = [worker.process for worker in workers]
        for process in processes:
            with contextlib.suppress(ProcessLookupError):
                process.terminate()
        try:
            async with asyncio.timeout(self._config.drain_ms / 1000 + _STOP_MARGIN_S):
                await asyncio.gather(*(process.wait() for process in processes))
        except TimeoutError:
            for process in processes:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
            await asyncio.gather(*(process.wait() for process in processes))

    def _serving_now(self) -> int:
        return sum(worker.process.returncode is None for worker in self._serving)

    def _pids(self) -> dict[str, int]:
        pids = {"parent": os.getpid()}
        if self._store is not None and self._store.running:
            pids["store"] = self._store.pid
        return pids | {f"worker-{worker.number}": pid for pid, worker in list(self._running.items())}

    def collect(self) -> Iterable[Metric]:
        """Return what the parent knows of its workers."""
        now_s = time.monotonic()
        looping = any(loop.looping(now_s) for loop in self._loops)
        return [
            GaugeMetricFamily("dugout_workers", "Workers that serve.", self._serving_now()),
            GaugeMetricFamily("dugout_workers_wanted", "Workers that should serve.", self._config.workers),
            CounterMetricFamily(
                "dugout_worker_restarts_total", "Workers that died or did not start.", self._worker_restarts
            ),
            CounterMetricFamily("dugout_store_restarts_total", "Times the embedded store died.", self._store_restarts),
            GaugeMetricFamily("dugout_crash_loop", "1 while a worker dies again and again.", int(looping)),
        ]


def _started(store: EmbeddedStore) -> bool:
    try:
        store.start()
    except EmbeddedStoreError as error:
        _log.error("embedded store not restarted", why=str(error))
        return False
    return True
