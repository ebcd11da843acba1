"""``dugout serve`` as its users run it: processes, signals, crashes."""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import grpc
import pytest

from proto.stud.v1 import stud_pb2, stud_pb2_grpc

RETRIED = json.dumps(
    {
        "methodConfig": [
            {
                "name": [{}],
                "retryPolicy": {
                    "maxAttempts": 5,
                    "initialBackoff": "0.05s",
                    "maxBackoff": "0.5s",
                    "backoffMultiplier": 2,
                    "retryableStatusCodes": ["UNAVAILABLE"],
                },
            }
        ]
    }
)
pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc (Linux)")

COMMAND = [sys.executable, "-c", "from service.cli import main; main()", "serve"]


def processes() -> list[tuple[int, int, str]]:
    """Return pid, parent and command line of every process."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            found.append((int(folder.name), parent, (folder / "cmdline").read_text().replace("\0", " ")))
    return found


class Serving:
    """A running ``dugout serve``."""

    def __init__(self, process: subprocess.Popen, said: dict) -> None:
        self.process = process
        self.address = said["address"]
        self.metrics_url = said["metrics"]
        self.options = {"metadata": (("authorization", f"Bearer {said['operator_key']}"),), "timeout": 20}

    @contextmanager
    def tables(self) -> Iterator[stud_pb2_grpc.TableServiceStub]:
        options = [("grpc.service_config", RETRIED), ("grpc.use_local_subchannel_pool", 1)]
        with grpc.insecure_channel(self.address, options=options) as channel:
            yield stud_pb2_grpc.TableServiceStub(channel)

    def children(self, of: str) -> set[int]:
        """Return the child processes whose command line has some text in it."""
        return {pid for pid, parent, command in processes() if parent == self.process.pid and of in command}

    def metrics(self, path: str = "/metrics") -> tuple[int, str]:
        """Return the status and the body of an answer of the metrics port."""
        connection = http.client.HTTPConnection(urlsplit(self.metrics_url).netloc, timeout=10)
        with closing(connection):
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()

    def metric(self, name: str) -> int:
        lines = self.metrics()[1].splitlines()
        return int(next(line for line in lines if line.startswith(f"{name} ")).split()[1])

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)


@contextmanager
def serving(*flags: str, **environment: str) -> Iterator[Serving]:
    command = [*COMMAND, "--dev", "--json", "--port", "0", *flags]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env={**os.environ, **environment}
    )
    try:
        yield Serving(process, json.loads(process.stdout.readline()))
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)
        process.stdout.close()


def eventually(check, *, within_s: float = 60.0):
    """Wait until something holds and return it."""
    give_up = time.monotonic() + within_s
    while not (found := check()):
        assert time.monotonic() < give_up
        time.sleep(0.05)
    return found


def gone(pids: set[int]) -> bool:
    def alive(pid: int) -> bool:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        return True

    return not any(map(alive, pids))


def refused(*flags: str, **environment: str) -> tuple[int, str]:
    """Run ``dugout serve`` that cannot start and return its status and what it says."""
    without = {name: value for name, value in os.environ.items() if not name.startswith(("DUGOUT_", "REDIS_"))}
    run = subprocess.run([*COMMAND, *flags], capture_output=True, text=True, timeout=60, env={**without, **environment})
    return run.returncode, run.stderr


def create(tables, serving) -> stud_pb2.Table:
    return tables.CreateTable(stud_pb2.CreateTableRequest(profile="baseball"), **serving.options).table


def test_one_line_says_where_it_is_and_sigterm_ends_everything():
    with serving("--workers", "2") as server:
        with server.tables() as tables:
            table = create(tables, server)
            request = stud_pb2.GetTableRequest(table_id=table.table_id)
            assert table == tables.GetTable(request, **server.options).table
        workers, stores = server.children("service.server"), server.children("valkey")
        assert (2, 1) == (len(workers), len(stores))
        assert 2 == server.metric("dugout_workers")
        assert "/metrics" == urlsplit(server.metrics_url).path
        assert 404 == server.metrics("/other")[0]
        assert 0 == server.stop()
        assert gone(workers | stores)
        assert "" == server.process.stdout.read()


def test_every_worker_knows_every_table():
    with serving("--workers", "2") as server, server.tables() as tables:
        table = create(tables, server)
        for _ in range(8):  # each channel is a connection of its own, to either worker
            with server.tables() as others:
                request = stud_pb2.GetTableRequest(table_id=table.table_id)
                assert table == others.GetTable(request, **server.options).table


def test_a_killed_worker_loses_nothing_and_is_replaced():
    with serving("--workers", "2") as server, server.tables() as tables:
        table = create(tables, server)
        before = server.children("service.server")
        for pid in before:
            os.kill(pid, signal.SIGKILL)
            tables.TakeSeat(
                stud_pb2.TakeSeatRequest(table_id=table.table_id, player_id=f"player{pid}", stack=50),
                wait_for_ready=True,
                **server.options,
            )
        after = eventually(lambda: (now := server.children("service.server") - before) and len(now) == 2 and now)
        assert before.isdisjoint(after)
        assert 2 == server.metric("dugout_worker_restarts_total")
        request = stud_pb2.GetTableRequest(table_id=table.table_id)
        now = tables.GetTable(request, wait_for_ready=True, **server.options).table
        assert [50, 50] == [seat.stack for seat in now.seats]


def test_killed_workers_leave_no_absent_player_waiting():
    """Twenty hands of two who are away: each ends with the bring-in posted and a fold, once, though workers die."""
    with serving("--workers", "2") as server, server.tables() as tables:
        request = stud_pb2.CreateTableRequest(profile="seven-card-stud", action_time={"seconds": 1})
        table_ids = [tables.CreateTable(request, **server.options).table.table_id for _ in range(20)]
        for table_id in table_ids:
            for player in ("ann", "bob"):
                seating = stud_pb2.TakeSeatRequest(table_id=table_id, player_id=player, stack=50)
                tables.TakeSeat(seating, **server.options)
        for table_id in table_ids:
            tables.Deal(stud_pb2.DealRequest(table_id=table_id), **server.options)
        for _ in range(3):
            time.sleep(0.5)
            os.kill(min(server.children("service.server")), signal.SIGKILL)

        def played_out(table_id):
            request = stud_pb2.GetTableRequest(table_id=table_id)
            table = tables.GetTable(request, wait_for_ready=True, **server.options).table
            return table.status == stud_pb2.TABLE_STATUS_FINISHED

        for table_id in table_ids:
            eventually(lambda table_id=table_id: played_out(table_id))
            events = []
            for happening in tables.WatchTable(stud_pb2.WatchTableRequest(table_id=table_id), **server.options):
                events += [event.WhichOneof("kind") for event in happening.events]
                if "hand_ended" in events:
                    break
            assert [2, 1, 1] == [events.count(kind) for kind in ("action_timed_out", "bring_in_posted", "folded")]


def test_a_killed_store_comes_back_with_its_data(tmp_path: Path):
    with serving("--data-dir", str(tmp_path), DUGOUT_DURABILITY="always") as server, server.tables() as tables:
        table = create(tables, server)
        (store,) = server.children("valkey")
        os.kill(store, signal.SIGKILL)
        eventually(lambda: server.children("valkey") - {store})
        request = stud_pb2.GetTableRequest(table_id=table.table_id)
        assert table == tables.GetTable(request, **server.options).table
    with serving("--data-dir", str(tmp_path), DUGOUT_OPERATOR_KEYS="") as server, server.tables() as tables:
        assert table.table_id == tables.ListTables(stud_pb2.ListTablesRequest(), **server.options).tables[0].table_id


def test_when_the_parent_is_killed_nothing_stays():
    with serving("--workers", "2") as server:
        with server.tables() as tables:
            create(tables, server)
        left = server.children("")
        assert len(left) >= 3
        server.process.kill()
        server.process.wait()
        eventually(lambda: gone(left))


def test_a_second_server_on_the_port_fails():
    with serving() as server:
        port = server.address.rpartition(":")[2]
        status, said = refused("--dev", "--port", port)
        assert 1 == status
        assert port in said
        assert "Traceback" not in said
        with server.tables() as tables:
            assert create(tables, server).version == 1


def test_the_metrics_port_is_taken():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        status, said = refused("--dev", "--port", "0", "--metrics-port", port)
    assert 1 == status
    assert port in said


@pytest.mark.parametrize(
    ("flags", "environment", "status", "named"),
    [
        ((), {}, 2, "DUGOUT_OPERATOR_KEYS"),
        (("--workers", "0", "--dev"), {}, 2, "--workers"),
        (("--dev",), {"DUGOUT_DURABILITY": "perhaps"}, 2, "DUGOUT_DURABILITY"),
        (("--dev", "--port", "0", "--redis-url", "redis://127.0.0.1:1"), {}, 1, "a worker did not start"),
        (("--dev", "--port", "0", "--host", "192.0.2.1"), {}, 1, "192.0.2.1"),
        (("--dev", "--port", "0", "--data-dir", "/dev/null/x"), {}, 1, "/dev/null/x"),
        (("--polo",), {}, 2, "--polo"),
    ],
)
def test_what_cannot_work_is_said_without_a_traceback(flags, environment, status, named):
    ended, said = refused(*flags, **environment)
    assert status == ended, said
    assert named in said
    assert "Traceback" not in said


def test_people_get_the_settings_without_secrets():
    secret = "operator-secret-of-this-test"
    environment = {"DUGOUT_OPERATOR_KEYS": f"acme:{secret}", "DUGOUT_TOKEN_KEYS": f"k1:{'t' * 32}"}
    process = subprocess.Popen(
        [*COMMAND, "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    )
    said = ""
    while "Ctrl-C" not in said:
        line = process.stdout.readline()
        assert line, process.stderr.read()
        said += line
    commands = [command for _, parent, command in processes() if parent == process.pid]
    assert commands
    said += " ".join(commands)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert 0 == process.returncode
    assert "acme" in said
    for hidden in (secret, "t" * 32):
        assert hidden not in said + out + err
