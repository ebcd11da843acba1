"""``dugout serve`` as its users run it: processes, signals, crashes."""

import os
import random
import signal
import socket
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import grpc
import pytest
from prometheus_client.parser import text_string_to_metric_families

from proto.stud.v1 import stud_pb2
from tests.service.load import Load, more_calls
from tests.service.serving import COMMAND, Serving, create, eventually, gone, processes, serving

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc (Linux)")


def refused(*flags: str, **environment: str) -> tuple[int, str]:
    """Run ``dugout serve`` that cannot start and return its status and what it says."""
    without = {name: value for name, value in os.environ.items() if not name.startswith(("DUGOUT_", "REDIS_"))}
    run = subprocess.run([*COMMAND, *flags], capture_output=True, text=True, timeout=60, env={**without, **environment})
    return run.returncode, run.stderr


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


def at_once(server: Serving, table_ids: list[str]) -> list[stud_pb2.Table | str]:
    """Deal at each of some tables at the same moment, each call on a connection of its own, to either worker."""
    ready = threading.Barrier(len(table_ids))

    def deal(table_id: str) -> stud_pb2.Table | str:
        with server.tables() as tables:
            tables.GetTable(stud_pb2.GetTableRequest(table_id=table_id), **server.options)
            ready.wait(60)
            try:
                return tables.Deal(stud_pb2.DealRequest(table_id=table_id), **server.options).table
            except grpc.RpcError as error:
                return str(error.code().name)

    with ThreadPoolExecutor(len(table_ids)) as threads:
        return list(threads.map(deal, table_ids))


def test_both_workers_deal_at_once_one_hand_at_a_table_and_different_decks():
    with serving("--workers", "2") as server, server.tables() as tables:
        table_ids = []
        for _ in range(21):
            created = tables.CreateTable(stud_pb2.CreateTableRequest(profile="seven-card-stud"), **server.options)
            table_ids.append(created.table.table_id)
            for number in range(7):
                request = stud_pb2.TakeSeatRequest(table_id=table_ids[-1], player_id=f"player{number}", stack=50)
                tables.TakeSeat(request, **server.options)
        one, *others = table_ids
        answers = at_once(server, [one] * 20)
        assert ["FAILED_PRECONDITION"] * 19 == [answer for answer in answers if isinstance(answer, str)]
        now = tables.GetTable(stud_pb2.GetTableRequest(table_id=one), **server.options).table
        assert (1, 9) == (now.hand_number, now.version)  # made, seven sat down, one deal
        boards = {tuple(card for seat in table.seats for card in seat.up_cards) for table in at_once(server, others)}
        assert (20, {7}) == (len(boards), {len(set(board)) for board in boards})


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


def test_when_the_parent_is_killed_nothing_stays(tmp_path: Path):
    with serving("--workers", "2", TMPDIR=str(tmp_path)) as server:
        with server.tables() as tables:
            create(tables, server)
        left = server.children("")
        assert len(left) >= 3
        server.process.kill()
        server.process.wait()
        eventually(lambda: gone(left))
        assert [] == list(tmp_path.glob("dugout-metrics-*"))


def test_a_terminal_that_hangs_up_ends_the_server():
    terminal, its_end = os.openpty()
    with subprocess.Popen(
        [*COMMAND, "--dev", "--json", "--port", "0"],
        stdin=its_end,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout.readline()
        process.send_signal(signal.SIGHUP)
        assert 0 == process.wait(60)
    os.close(its_end)
    os.close(terminal)


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


def test_a_crash_loop_is_reported():
    with serving() as server:
        assert 0 == server.metric("dugout_crash_loop")
        killed: set[int] = set()

        def kill_the_next() -> bool:
            for pid in server.children("service.server") - killed:
                os.kill(pid, signal.SIGKILL)
                killed.add(pid)
            return bool(server.log("crash loop"))

        eventually(kill_the_next)
        assert 1 == len(server.log("crash loop"))
        assert (1, 5) == (server.metric("dugout_crash_loop"), server.metric("dugout_worker_restarts_total"))
        assert 5 == len(killed)
        with server.tables() as tables:  # it goes on trying, and then all is well
            eventually(lambda: server.metric("dugout_workers") == 1)
            assert 1 == create(tables, server).version


def test_the_figures_of_all_workers_on_one_port_and_none_goes_down_when_one_is_killed():
    def figures() -> dict[tuple[str, ...], float]:
        return {
            (sample.name, *(value for _, value in sorted(sample.labels.items()))): sample.value
            for family in text_string_to_metric_families(server.metrics()[1])
            for sample in family.samples
        }

    def counters(found: dict[tuple[str, ...], float]) -> dict[tuple[str, ...], float]:
        sums = ("_total", "_count", "_sum", "_bucket")
        return {name: value for name, value in found.items() if name[0].endswith(sums) and "process" not in name[0]}

    with serving("--workers", "2") as server, Load(server, 4) as load:
        more_calls(load)
        took_seats = ("dugout_rpcs_total", "OK", "stud.v1.TableService/TakeSeat")
        eventually(lambda: figures()[took_seats] > 50)
        before = figures()
        assert before["dugout_store_seconds_count", "commit"] > 100
        assert before["dugout_rpc_seconds_count", "stud.v1.TableService/TakeSeat"] > 50
        assert before["dugout_table_cache_hits_total",] > 50
        for process in ("parent", "store", "worker-1", "worker-2"):
            assert before["dugout_process_resident_memory_bytes", process] > 1 << 20
            assert ("dugout_process_cpu_seconds_total", process) in before
        killed = server.children("service.server")
        for pid in killed:
            os.kill(pid, signal.SIGKILL)
            eventually(lambda pid=pid: gone({pid}) and server.metric("dugout_workers") == 2)
        after = counters(figures())
        assert {} == {name: value for name, value in counters(before).items() if after[name] < value}
        assert after[took_seats] > before[took_seats]
        eventually(lambda: figures()["dugout_tables_live",] == 4)
        assert not [name for name in figures() if name[0].startswith("dugout") and "worker-3" in name]


def test_clients_that_leave_at_any_moment_are_no_defect():
    """Neither a watcher who is being written to nor a refusal that finds nobody."""
    with serving() as server, server.tables() as tables:
        table_id = create(tables, server).table_id
        for _ in range(25):
            tables.PauseTable(stud_pb2.PauseTableRequest(table_id=table_id), **server.options)
            tables.ResumeTable(stud_pb2.ResumeTableRequest(table_id=table_id), **server.options)

        def leave_early(seed: int) -> None:
            randomness = random.Random(seed)
            with server.tables() as here:
                for _ in range(50):
                    seconds = randomness.uniform(0.001, 0.03)
                    with suppress(grpc.RpcError):
                        options = {**server.options, "timeout": seconds}
                        list(here.WatchTable(stud_pb2.WatchTableRequest(table_id=table_id), **options))
                    with suppress(grpc.RpcError):
                        here.GetTable(stud_pb2.GetTableRequest(table_id="nonesuch"), timeout=seconds)

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(leave_early, range(4)))
        assert [] == server.log("rpc failed")
        assert 'reason="CANCELLED",rpc="stud.v1.TableService/WatchTable"' in server.metrics()[1]
        assert 'reason="UNKNOWN"' not in server.metrics()[1]
