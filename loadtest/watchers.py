"""How many can watch: what ``dugout bench service`` measures.

A server of one worker, one table, and thousands who watch it while a hand is played. The watchers are a process of
their own, which this module is run as: it prints what it found as one line of JSON. They come over a few connections
and a few at a time, since thousands of streams opened at once measure little but the opening.
"""

import asyncio
import json
import os
import resource
import signal
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from types import FrameType
from typing import Any, TypeAlias

import grpc

from loadtest.server import Server, ServerFailed, embedded_server
from proto.stud.v1 import stud_pb2 as pb
from proto.stud.v1 import stud_pb2_grpc

_CONNECTIONS = 8
_OPENED_AT_ONCE = 50
_PLAYERS = 6
_STACK = 1000
_COMMITS = 20
_CALLS = 2000
_CALLS_AT_ONCE = 16
_FURTHER_ROUNDS = 2
_TIMEOUT_S = 60.0
_SETTLE_S = 1.0

_Watch: TypeAlias = "grpc.aio.UnaryStreamMultiCallable[bytes, bytes]"


class Process:
    """A process of this machine as Linux shows it."""

    def __init__(self, pid: int) -> None:
        self._folder = Path("/proc", str(pid))

    @classmethod
    def worker_of(cls, pid: int) -> "Process":
        """Return the worker of a ``dugout serve``."""
        children = Path("/proc", str(pid), "task", str(pid), "children").read_text().split()
        for child in map(int, children):
            if b"service.server" in Path("/proc", str(child), "cmdline").read_bytes():
                return cls(child)
        raise ServerFailed("the server has no worker")

    def resident_kib(self) -> int:
        """Return the memory it holds."""
        fields = dict(line.split(":", 1) for line in (self._folder / "status").read_text().splitlines())
        return int(fields["VmRSS"].split()[0])

    def cpu_s(self) -> float:
        """Return the processor time it has taken, in all its threads."""
        after_name = (self._folder / "stat").read_text().rpartition(")")[2].split()
        return (int(after_name[11]) + int(after_name[12])) / os.sysconf("SC_CLK_TCK")


@dataclass(slots=True)
class FanOut:
    """How long after a change was asked for the watchers had it: one number per watcher and change, in seconds."""

    delays_s: list[float] = field(default_factory=list)
    slowest_s: list[float] = field(default_factory=list)
    """Of each change when the last watcher had it."""

    def add(self, delays_s: list[float]) -> None:
        """Count one change."""
        self.delays_s += delays_s
        self.slowest_s.append(max(delays_s))

    def percentile_ms(self, share: float) -> float:
        """Return the milliseconds that a share of all deliveries did not exceed."""
        ordered = sorted(self.delays_s)
        return 1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))]


class Crowd:
    """Watchers of one table, and a hand that is played before them."""

    def __init__(self, server: Server) -> None:
        own = [("grpc.use_local_subchannel_pool", 1)]
        self._channels = [grpc.aio.insecure_channel(server.address, own) for _ in range(_CONNECTIONS + 1)]
        *self._watching, playing = self._channels
        self._metadata = (("authorization", f"Bearer {server.operator_key}"),)
        self._tables = stud_pb2_grpc.TableServiceStub(playing)
        self._table = pb.Table()
        self._streams: list[Any] = []
        self._tasks: list[asyncio.Task[None]] = []
        self._arrived_s: list[float] = []
        self._everybody = asyncio.Event()

    async def open_table(self) -> None:
        """Make the table and seat its players."""
        options: dict[str, Any] = {"metadata": self._metadata, "timeout": _TIMEOUT_S}
        created = await self._tables.CreateTable(pb.CreateTableRequest(profile="baseball"), **options)
        for number in range(_PLAYERS):
            request = pb.TakeSeatRequest(table_id=created.table.table_id, player_id=f"player{number}", stack=_STACK)
            self._table = (await self._tables.TakeSeat(request, **options)).table

    async def come(self, watchers: int) -> None:
        """Let watchers come who want to know what happens from now on."""
        request = pb.WatchTableRequest(table_id=self._table.table_id, after_version=self._table.version)
        data = request.SerializeToString()
        for first in range(0, watchers, _OPENED_AT_ONCE):
            streams = []
            for number in range(first, min(first + _OPENED_AT_ONCE, watchers)):
                channel = self._watching[number % _CONNECTIONS]
                call: _Watch = channel.unary_stream("/stud.v1.TableService/WatchTable")
                streams.append(call(data, metadata=self._metadata))
            for stream in streams:
                await asyncio.wait_for(stream.initial_metadata(), _TIMEOUT_S)
            self._streams += streams
            self._tasks += [asyncio.create_task(self._watch(stream)) for stream in streams]

    async def _watch(self, stream: Any) -> None:
        async for data in stream:
            if not pb.WatchTableResponse.FromString(data).checkpoint:
                self._arrived_s.append(time.perf_counter())
                if len(self._arrived_s) == len(self._streams):
                    self._everybody.set()

    async def play(self, changes: int) -> FanOut:
        """Play on until the table has changed so often; each change waits until everybody has the last one."""
        fan_out = FanOut()
        for _ in range(changes):
            self._arrived_s.clear()
            self._everybody.clear()
            asked_s = time.perf_counter()
            await self._change()
            await asyncio.wait_for(self._everybody.wait(), _TIMEOUT_S)
            fan_out.add([arrived_s - asked_s for arrived_s in self._arrived_s])
        return fan_out

    async def _change(self) -> None:
        options: dict[str, Any] = {"metadata": self._metadata, "timeout": _TIMEOUT_S}
        table, table_id = self._table, self._table.table_id
        if table.to_act_seat:
            choice = next(choice for choice in table.legal_actions if choice.kind != pb.ACTION_KIND_FOLD)
            action = pb.Action(kind=choice.kind, to=choice.min_to)
            request = pb.ActRequest(table_id=table_id, seat=table.to_act_seat, action=action)
            self._table = (await self._tables.Act(request, **options)).table
        elif table.status == pb.TABLE_STATUS_SHOWDOWN:
            self._table = (await self._tables.Showdown(pb.ShowdownRequest(table_id=table_id), **options)).table
        else:
            self._table = (await self._tables.Deal(pb.DealRequest(table_id=table_id), **options)).table

    async def look(self, calls: int) -> None:
        """Ask for the table so often: ordinary calls, to compare with."""
        options: dict[str, Any] = {"metadata": self._metadata, "timeout": _TIMEOUT_S}
        request = pb.GetTableRequest(table_id=self._table.table_id)

        async def ask() -> None:
            for _ in range(calls // _CALLS_AT_ONCE):
                await self._tables.GetTable(request, **options)

        await asyncio.gather(*(ask() for _ in range(_CALLS_AT_ONCE)))

    async def go(self) -> None:
        """Let all watchers go."""
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


async def measure(server: Server, watchers: int) -> dict[str, Any]:
    """Measure with so many watchers; return ``rows`` of name, value and unit, and ``ratios``."""
    worker = Process.worker_of(server.pid)
    crowd = Crowd(server)
    await crowd.open_table()
    await crowd.look(_CALLS)
    call_us = await _cpu_us(worker, crowd.look(_CALLS), _CALLS)
    empty_kib = worker.resident_kib()
    began_s = time.perf_counter()
    await crowd.come(watchers)
    opened_s = time.perf_counter() - began_s
    await crowd.play(1)
    full_kib = worker.resident_kib()
    began_cpu_s, own_cpu_s = worker.cpu_s(), _own_cpu_s()
    fan_out = await crowd.play(_COMMITS)
    deliveries = _COMMITS * watchers
    event_us = 1e6 * (worker.cpu_s() - began_cpu_s) / deliveries
    own_us = 1e6 * (_own_cpu_s() - own_cpu_s) / deliveries
    await crowd.go()
    left_kib = worker.resident_kib()
    for _ in range(_FURTHER_ROUNDS):
        await crowd.come(watchers)
        await crowd.play(1)
        await crowd.go()
    grown_kib = worker.resident_kib() - left_kib
    await crowd.close()
    rows = [
        ("watchers of one table on one worker", watchers, "streams"),
        ("opened, over 8 connections", watchers / opened_s, "streams/s"),
        ("worker without watchers", empty_kib / 1024, "MiB"),
        ("worker with all of them", full_kib / 1024, "MiB"),
        ("worker after they have gone", left_kib / 1024, "MiB"),
        ("memory per watcher", (full_kib - empty_kib) / watchers, "KiB"),
        (f"growth per watcher that comes and goes, {_FURTHER_ROUNDS} rounds more",
         1024 * grown_kib / watchers / _FURTHER_ROUNDS, "bytes"),
        ("from the request of a change to a watcher, median", fan_out.percentile_ms(0.5), "ms"),
        ("from the request of a change to a watcher, p99", fan_out.percentile_ms(0.99), "ms"),
        ("from the request of a change to the last watcher, median", 1000 * median(fan_out.slowest_s), "ms"),
        ("worker's processor time per delivered commit", event_us, "us"),
        ("watchers' processor time per delivered commit", own_us, "us"),
        ("worker's processor time per GetTable", call_us, "us"),
    ]  # fmt: skip
    return {
        "rows": [{"name": name, "value": round(value, 1), "unit": unit} for name, value, unit in rows],
        "ratios": {"delivered commit/GetTable processor time": round(event_us / call_us, 2)},
    }


async def _cpu_us(worker: Process, work: Any, count: int) -> float:
    began_s = worker.cpu_s()
    await work
    return 1e6 * (worker.cpu_s() - began_s) / count


def _own_cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def main() -> None:
    """Measure with as many watchers as the argument says."""
    signal.signal(signal.SIGTERM, _interrupt)
    if not Path("/proc/self/status").exists():
        sys.exit("Error: memory and processor time of a server are measured on Linux only")
    try:
        with embedded_server(workers=1) as server:
            result = asyncio.run(measure(server, int(sys.argv[1])))
    except (ServerFailed, OSError, grpc.aio.AioRpcError) as error:
        sys.exit(f"Error: {error}")
    except KeyboardInterrupt:
        sys.exit("Error: interrupted")
    print(json.dumps(result))


if __name__ == "__main__":
    main()
