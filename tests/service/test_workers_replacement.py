"""Workers that are replaced while players go on: no call fails, and keys are read again."""

import asyncio
import errno
import os
import signal
import time
from contextlib import suppress
from pathlib import Path

import grpc
import pytest

from proto.stud.v1 import stud_pb2
from service.address import Address
from service.config import Config
from service.workers import Supervisor, _Worker
from tests.service.load import Load, more_calls
from tests.service.serving import create, eventually, gone, serving

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc (Linux)")


class TestUnderLoad:
    def test_all_workers_are_replaced_one_by_one_and_no_call_fails(self):
        with serving("--workers", "2") as server, Load(server) as load:
            more_calls(load)
            for _ in range(2):
                before = server.children("service.server")
                server.process.send_signal(signal.SIGHUP)
                eventually(lambda before=before: gone(before) and server.metric("dugout_workers") == 2)
                more_calls(load)
            assert [] == load.failures
            assert 2 == len(eventually(lambda: (said := server.log("all workers replaced"))[1:] and said))
            assert 0 == server.metric("dugout_worker_restarts_total")

    def test_a_worker_that_is_told_to_end_fails_no_call_and_is_replaced(self):
        with serving("--workers", "2") as server, Load(server) as load:
            more_calls(load)
            for pid in server.children("service.server"):
                os.kill(pid, signal.SIGTERM)
                eventually(lambda pid=pid: gone({pid}) and server.metric("dugout_workers") == 2)
                more_calls(load)
            assert [] == load.failures
            assert 2 == len(server.log("worker ended as it was told"))
            assert (0, []) == (server.metric("dugout_worker_restarts_total"), server.log("worker died"))

    def test_the_whole_server_ends_in_order(self):
        with serving("--workers", "2") as server, Load(server) as load:
            more_calls(load)
            assert 0 == server.stop()
            eventually(lambda: len(load.failures) == 12)
            # Nobody listens any more: that is the only thing that callers are told.
            assert {"UNAVAILABLE"} == {failure.partition(":")[0] for failure in load.failures}


def test_keys_are_read_again(tmp_path):
    file = tmp_path / "operators"
    first, second = "acme/1:first-secret", "acme/2:second-secret"

    def accepted(tables) -> list[str]:
        """Return which of the keys may list tables."""
        found = []
        for key in (first, second):
            with suppress(grpc.RpcError):
                metadata = (("authorization", f"Bearer {key}"),)
                tables.ListTables(stud_pb2.ListTablesRequest(), timeout=20, metadata=metadata)
                found.append(key)
        return found

    file.write_text(first)
    with serving("--workers", "2", DUGOUT_OPERATOR_KEYS_FILE=str(file)) as server:

        def asked_again(text: str, told: str) -> list[str]:
            already = len(server.log(told))
            file.write_text(text)
            server.process.send_signal(signal.SIGHUP)
            eventually(lambda: len(server.log(told)) > already)
            with server.tables() as tables:
                create(tables, server)  # the key of --dev stays
                return accepted(tables)

        with server.tables() as tables:
            assert [first] == accepted(tables)
        assert [first, second] == asked_again(f"{first}\n{second}", "all workers replaced")
        assert [first, second] == asked_again(f"{second} rubbish", "replacing workers given up: those before go on")
        assert [second] == asked_again(second, "all workers replaced")
        assert "-secret" not in "".join(map(str, server.log("replacing workers given up: those before go on")))


async def test_a_place_where_nobody_starts_keeps_no_other_worker_from_being_replaced():
    """Keys that were withdrawn are refused by all who serve, even while one worker dies again and again."""
    replaced = []

    class Noting(Supervisor):
        async def _replace(self, index):
            async with self._changing[index]:
                replaced.append(index)

    supervisor = Noting(Config(workers=4), Address("127.0.0.1", 0), None, lambda config: config)
    try:
        async with supervisor._changing[1]:  # as while a worker is being started there
            replacing = asyncio.create_task(supervisor._replace_all(), name="replacing")
            async with asyncio.timeout(30):
                while len(replaced) < 3:  # noqa: ASYNC110 -- the inside of a supervisor tells nobody
                    await asyncio.sleep(0)
        await replacing
    finally:
        supervisor._files.remove()
    assert [0, 2, 3, 1] == replaced


def test_workers_that_cannot_be_replaced_go_on():
    with serving("--workers", "2") as server, server.tables() as tables:
        table = create(tables, server)
        before = server.children("service.server")
        (store,) = server.children("valkey")
        os.kill(store, signal.SIGSTOP)  # a new worker cannot begin without its store
        try:
            server.process.send_signal(signal.SIGHUP)
            eventually(lambda: server.log("replacing workers given up: those before go on"))
        finally:
            os.kill(store, signal.SIGCONT)
        eventually(lambda: server.children("service.server") == before)
        request = stud_pb2.GetTableRequest(table_id=table.table_id)
        assert table == tables.GetTable(request, **server.options).table


async def test_a_worker_that_no_process_can_be_made_for_is_started_once_there_can_be(monkeypatch):
    """Whoever keeps the workers running outlives a machine that is full for a while."""
    attempts, again = [], asyncio.Event()

    async def full_machine(*command, **options):
        attempts.append(command)
        if len(attempts) > 2:
            again.set()
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    supervisor = Supervisor(Config(), Address("127.0.0.1", 0), None, lambda config: config)
    dead = await asyncio.create_subprocess_exec("false")
    supervisor._serving = [_Worker(supervisor._files.take(), dead, time.monotonic())]
    monkeypatch.setattr(asyncio, "create_subprocess_exec", full_machine)
    keeping = asyncio.create_task(supervisor._keep(0))
    try:
        async with asyncio.timeout(30):
            await again.wait()
        assert not keeping.done()
    finally:
        keeping.cancel()
        await asyncio.wait((keeping,))
        supervisor._files.remove()
