"""The parent of all workers: holds the port, starts them, replaces those that die, and stops them.

Workers are fresh processes, never forks of this one. They share the parent's port, their settings come through a pipe
(secrets appear neither in arguments nor in the environment), and the same pipe tells them when the parent is gone.
"""

import asyncio
import contextlib
import signal
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable

import msgspec
import structlog
from msgspec.structs import replace

from service.address import Address
from service.config import Config
from service.metrics import MetricsServer, Sample
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


class Supervisor:
    """Runs the workers of one ``dugout serve`` on an address that is reserved already.

    ``store`` is the embedded store that this process has started, if there is one: it is started again, with its data,
    should it die.
    """

    def __init__(self, config: Config, address: Address, store: EmbeddedStore | None) -> None:
        if store is not None:
            config = replace(config, redis_url=store.url)
        self._config = replace(config, host=address.host, port=address.port)
        self._store = store
        self._stopping = asyncio.Event()
        self._processes: dict[int, Process] = {}
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
        metrics = MetricsServer(self._samples)
        tasks: list[asyncio.Task[None]] = []
        try:
            url = await metrics.start(self._config.host, self._config.metrics_port)
            first = await asyncio.gather(*(self._start() for _ in range(self._config.workers)))
            started(url)
            tasks = [asyncio.create_task(self._keep(process)) for process in first]
            if self._store is not None:
                tasks.append(asyncio.create_task(self._keep_store(self._store)))
            await self._stopping.wait()
        finally:
            self._stopping.set()
            await self._stop_workers()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await metrics.stop()

    async def _start(self) -> Process:
        """Start a worker and wait until it serves."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "service.server",
            stdin=PIPE,
            stdout=PIPE,
            # An interrupt from the terminal is for the parent alone, which lets the workers finish.
            start_new_session=True,
        )
        self._processes[process.pid] = process
        if process.stdin is None or process.stdout is None:
            raise StartError("a worker has no pipes")
        process.stdin.write(msgspec.json.encode(self._config) + b"\n")
        try:
            async with asyncio.timeout(_START_TIMEOUT_S):
                with contextlib.suppress(ConnectionError):
                    await process.stdin.drain()
                line = await process.stdout.readline()
        except TimeoutError:
            raise StartError(f"a worker did not start within {_START_TIMEOUT_S:.0f} s") from None
        word = msgspec.json.decode(line, type=_Word) if line else _Word(failed="it ended; its last words are above")
        if word.failed:
            await self._ended(process)
            raise StartError(f"a worker did not start: {word.failed}")
        return process

    async def _keep(self, process: Process) -> None:
        """Start a worker again, and again, whenever it has ended, more slowly if it ends at once."""
        pause_s = _PAUSE_FIRST_S
        while True:
            began_s = time.monotonic()
            status = await self._ended(process)
            if self._stopping.is_set():
                return
            self._worker_restarts += 1
            _log.error("worker died", pid=process.pid, status=status)
            pause_s = _PAUSE_FIRST_S if time.monotonic() - began_s > _HEALTHY_AFTER_S else pause_s
            while True:
                await asyncio.sleep(pause_s)
                pause_s = min(2 * pause_s, _PAUSE_MOST_S)
                try:
                    process = await self._start()
                    break
                except StartError as error:
                    _log.error("worker not restarted", why=str(error))

    async def _ended(self, process: Process) -> int:
        status = await process.wait()
        self._processes.pop(process.pid, None)
        return status

    async def _keep_store(self, store: EmbeddedStore) -> None:
        while True:
            await asyncio.sleep(_STORE_CHECK_S)
            if store.running:
                continue
            self._store_restarts += 1
            _log.error("embedded store died")
            try:
                store.start()
            except EmbeddedStoreError as error:
                _log.error("embedded store not restarted", why=str(error))

    async def _stop_workers(self) -> None:
        processes = list(self._processes.values())
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

    def _samples(self) -> list[Sample]:
        return [
            Sample("dugout_workers", "gauge", "Worker processes that run.", len(self._processes)),
            Sample("dugout_workers_wanted", "gauge", "Worker processes that should run.", self._config.workers),
            Sample("dugout_worker_restarts_total", "counter", "Workers that died.", self._worker_restarts),
            Sample("dugout_store_restarts_total", "counter", "Times the embedded store died.", self._store_restarts),
        ]
