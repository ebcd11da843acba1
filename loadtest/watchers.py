"""How many can watch: what ``dugout bench service`` measures.

A server of one worker, one table, and thousands who watch it while a hand is played, beside a server that only sends
something to as many streams. The watchers are a process of their own, which this module is run as: it prints what it
found as one line of JSON.
"""

import asyncio
import json
import os
import resource
import signal
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from types import FrameType
from typing import Any

import grpc
from google.protobuf.duration_pb2 import Duration

from loadtest.bare_server import LISTEN, SEND, BareServer, bare_server
from loadtest.crowd import CONNECTIONS, TIMEOUT_S, Crowd, FanOut, own_channel
from loadtest.server import Server, ServerFailed, embedded_server
from proto.stud.v1 import stud_pb2 as pb
from proto.stud.v1 import stud_pb2_grpc

_WATCH = "/stud.v1.TableService/WatchTable"
_PLAYERS = 6
_STACK = 1000
_ACTION_TIME_S = 3600
_COMMITS = 20
_CALLS = 2000
_CALLS_AT_ONCE = 16
_FURTHER_ROUNDS = 2


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


class PlayedTable:
    """A table at which hands are played before a crowd."""

    def __init__(self, server: Server) -> None:
        metadata = (("authorization", f"Bearer {server.operator_key}"),)
        self._channel = own_channel(server.address)
        self._options: dict[str, Any] = {"metadata": metadata, "timeout": TIMEOUT_S}
        self._tables = stud_pb2_grpc.TableServiceStub(self._channel)
        self._table = pb.Table()
        self.crowd = Crowd(server.address, _WATCH, metadata=metadata, counts=_is_commit)

    async def open(self) -> None:
        """Make the table and seat its players."""
        # Nobody is played for, however long a busy machine takes.
        request = pb.CreateTableRequest(profile="baseball", action_time=Duration(seconds=_ACTION_TIME_S))
        created = await self._tables.CreateTable(request, **self._options)
        for number in range(_PLAYERS):
            seating = pb.TakeSeatRequest(table_id=created.table.table_id, player_id=f"player{number}", stack=_STACK)
            self._table = (await self._tables.TakeSeat(seating, **self._options)).table

    def watch_request(self) -> bytes:
        """Return the request of who wants to know what happens from now on."""
        request = pb.WatchTableRequest(table_id=self._table.table_id, after_version=self._table.version)
        return request.SerializeToString()

    async def change(self) -> None:
        """Play on by one commit."""
        table, table_id = self._table, self._table.table_id
        if table.to_act_seat:
            choice = next(choice for choice in table.legal_actions if choice.kind != pb.ACTION_KIND_FOLD)
            action = pb.Action(kind=choice.kind, to=choice.min_to)
            request = pb.ActRequest(table_id=table_id, seat=table.to_act_seat, action=action)
            self._table = (await self._tables.Act(request, **self._options)).table
        elif table.status == pb.TABLE_STATUS_SHOWDOWN:
            self._table = (await self._tables.Showdown(pb.ShowdownRequest(table_id=table_id), **self._options)).table
        else:
            self._table = (await self._tables.Deal(pb.DealRequest(table_id=table_id), **self._options)).table

    async def look(self, calls: int) -> None:
        """Ask for the table so often: ordinary calls, to compare with."""
        request = pb.GetTableRequest(table_id=self._table.table_id)

        async def ask() -> None:
            for _ in range(calls // _CALLS_AT_ONCE):
                await self._tables.GetTable(request, **self._options)

        await asyncio.gather(*(ask() for _ in range(_CALLS_AT_ONCE)))

    async def close(self) -> None:
        """Close all connections."""
        await self.crowd.close()
        await self._channel.close()


def _is_commit(data: bytes) -> bool:
    return not pb.WatchTableResponse.FromString(data).checkpoint


@dataclass(frozen=True, slots=True)
class Cost:
    """What a crowd cost a server, and itself."""

    empty_kib: int
    full_kib: int
    opened_s: float
    fan_out: FanOut
    server_us: float
    """Processor time for each message."""
    own_us: float


async def cost(
    process: Process, crowd: Crowd, streams: int, request: bytes, change: Callable[[], Awaitable[None]]
) -> Cost:
    """Open streams at a server, change something ``_COMMITS`` times before them, and leave them open."""
    empty_kib = process.resident_kib()
    began_s = time.perf_counter()
    await crowd.come(streams, request)
    opened_s = time.perf_counter() - began_s
    await crowd.hear(change, 1)
    full_kib = process.resident_kib()
    began_cpu_s, own_cpu_s = process.cpu_s(), _own_cpu_s()
    fan_out = await crowd.hear(change, _COMMITS)
    messages = _COMMITS * streams
    server_us = 1e6 * (process.cpu_s() - began_cpu_s) / messages
    own_us = 1e6 * (_own_cpu_s() - own_cpu_s) / messages
    return Cost(empty_kib, full_kib, opened_s, fan_out, server_us, own_us)


async def cost_of_bare(server: BareServer, streams: int) -> Cost:
    """Return what as many streams cost a server that does nothing else."""
    channel = own_channel(server.address)
    call: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(SEND)

    async def send() -> None:
        await call(b"", timeout=TIMEOUT_S)

    await send()
    crowd = Crowd(server.address, LISTEN)
    found = await cost(Process(server.pid), crowd, streams, b"", send)
    await crowd.go()
    await crowd.close()
    await channel.close()
    return found


async def measure(server: Server, bare: BareServer, watchers: int) -> dict[str, Any]:
    """Measure with so many watchers; return ``rows`` of name, value and unit, and ``ratios``."""
    alone = await cost_of_bare(bare, watchers)
    worker = Process.worker_of(server.pid)
    table = PlayedTable(server)
    crowd = table.crowd
    await table.open()
    await table.look(_CALLS)
    call_us = await _cpu_us(worker, table.look(_CALLS), _CALLS)
    found = await cost(worker, crowd, watchers, table.watch_request(), table.change)
    await crowd.go()
    left_kib = worker.resident_kib()
    for _ in range(_FURTHER_ROUNDS):
        await crowd.come(watchers, table.watch_request())
        await crowd.hear(table.change, 1)
        await crowd.go()
    grown_kib = worker.resident_kib() - left_kib
    await table.close()
    fan_out = found.fan_out
    each_kib, each_bare_kib = ((one.full_kib - one.empty_kib) / watchers for one in (found, alone))
    rows = [
        ("watchers of one table on one worker", watchers, "streams"),
        (f"opened, over {CONNECTIONS} connections", watchers / found.opened_s, "streams/s"),
        ("worker without watchers", found.empty_kib / 1024, "MiB"),
        ("worker with all of them", found.full_kib / 1024, "MiB"),
        ("worker after they have gone", left_kib / 1024, "MiB"),
        ("memory per watcher", each_kib, "KiB"),
        ("memory per stream of a server that only sends", each_bare_kib, "KiB"),
        (f"growth per watcher that comes and goes, {_FURTHER_ROUNDS} rounds more",
         1024 * grown_kib / watchers / _FURTHER_ROUNDS, "bytes"),
        ("from the request of a change to a watcher, median", fan_out.percentile_ms(0.5), "ms"),
        ("from the request of a change to a watcher, p99", fan_out.percentile_ms(0.99), "ms"),
        ("from the request of a change to the last watcher, median", 1000 * median(fan_out.slowest_s), "ms"),
        ("worker's processor time per delivered commit", found.server_us, "us"),
        ("that of a server that only sends, per message", alone.server_us, "us"),
        ("watchers' processor time per delivered commit", found.own_us, "us"),
        ("worker's processor time per GetTable", call_us, "us"),
    ]  # fmt: skip
    return {
        "rows": [{"name": name, "value": round(value, 1), "unit": unit} for name, value, unit in rows],
        "ratios": {"delivered commit/GetTable processor time": round(found.server_us / call_us, 2)},
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
        with embedded_server(workers=1) as server, bare_server() as bare:
            result = asyncio.run(measure(server, bare, int(sys.argv[1])))
    except grpc.aio.AioRpcError as error:
        sys.exit(f"Error: {error.code().name}: {error.details()}")
    except TimeoutError:
        sys.exit(f"Error: not everybody had a change within {TIMEOUT_S:.0f} s")
    except (ServerFailed, OSError) as error:
        sys.exit(f"Error: {error}")
    except KeyboardInterrupt:
        sys.exit("Error: interrupted")
    print(json.dumps(result))


if __name__ == "__main__":
    main()
