import subprocess
import sys
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry, Histogram, multiprocess
from prometheus_client.parser import text_string_to_metric_families

from service.meters import _RPC_BOUNDS_S, Meters

COUNT = """
import os, signal, sys
from service.meters import Meters, Place, share
share(Place(int(sys.argv[2]), sys.argv[1]))
meters = Meters()
for _ in range(int(sys.argv[3])):
    meters.call_ended("stud.v1.TableService/Act", "OK", 0.003)
meters.watching(7)
meters.flush()
os.kill(os.getpid(), signal.SIGKILL)
"""


def samples(text: str) -> dict[tuple[str, tuple[str, ...]], float]:
    """Return the numbers of a text by name and label values, in the order of the labels' names."""
    return {
        (sample.name, tuple(value for _, value in sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_what_happened_is_counted():
    meters = Meters()
    meters.call_ended("stud.v1.TableService/Act", "OK", 0.003)
    meters.call_ended("stud.v1.TableService/Act", "NOT_YOUR_TURN", 0.004)
    meters.call_ended("stud.v1.TableService/WatchTable", "DRAINING", None)
    meters.store_answered("commit", 0.002)
    meters.store_failed("load", "StoreUnavailable")
    meters.commit_conflicted()
    meters.table_known()
    meters.rate_limited("caller")
    meters.watching(3)
    meters.watching(2)
    meters.tables_live(100_000)
    counted = samples(meters.text())
    act = "stud.v1.TableService/Act"
    assert 1 == counted["dugout_rpcs_total", ("OK", act)] == counted["dugout_rpcs_total", ("NOT_YOUR_TURN", act)]
    assert 1 == counted["dugout_rpcs_total", ("DRAINING", "stud.v1.TableService/WatchTable")]
    assert 2 == counted["dugout_rpc_seconds_count", (act,)]
    assert ("dugout_rpc_seconds_count", ("stud.v1.TableService/WatchTable",)) not in counted
    assert (0, 2) == (
        counted["dugout_rpc_seconds_bucket", ("0.0025", act)],
        counted["dugout_rpc_seconds_bucket", ("0.005", act)],
    )
    assert pytest.approx(0.002) == counted["dugout_store_seconds_sum", ("commit",)]
    assert 1 == counted["dugout_store_errors_total", ("StoreUnavailable", "load")]
    assert 1 == counted["dugout_commit_conflicts_total", ()] == counted["dugout_table_cache_hits_total", ()]
    assert 1 == counted["dugout_rate_limited_total", ("caller",)]
    assert (2, 100_000) == (counted["dugout_watchers", ()], counted["dugout_tables_live", ()])


def test_a_stream_is_open_until_it_is_closed():
    meters = Meters()
    for _ in range(3):
        meters.stream_opened("stud.v1.TableService/WatchTable")
    meters.stream_closed("stud.v1.TableService/WatchTable")
    assert 2 == samples(meters.text())["dugout_streams", ("stud.v1.TableService/WatchTable",)]


def test_a_deadline_that_was_played_has_a_lateness():
    meters = Meters()
    for lateness_s in (0.02, 0.3, -0.001):  # clocks of machines differ: a little early is in time
        meters.deadline_played(lateness_s)
    counted = samples(meters.text())
    assert 3 == counted["dugout_deadlines_played_total", ()] == counted["dugout_deadline_lateness_seconds_count", ()]
    assert 1 == counted["dugout_deadline_lateness_seconds_bucket", ("0.01",)]
    assert pytest.approx(0.32) == counted["dugout_deadline_lateness_seconds_sum", ()]


def test_what_is_tallied_is_what_the_package_would_have_counted():
    meters = Meters()
    seconds = [0.0, 0.0001, 0.0005, 0.00051, 0.003, 0.01, 0.0101, 2.0, 10.0, 10.5, 1e6]
    expected = Histogram("dugout_rpc_seconds", "", ["rpc"], registry=None, buckets=_RPC_BOUNDS_S)
    for place, each in enumerate(seconds):
        meters.call_ended("rpc", "OK", each)
        expected.labels("rpc").observe(each)
        if place % 3 == 0:
            meters.flush()
    counted = samples(meters.text())
    wanted = {
        (sample.name, tuple(value for _, value in sorted(sample.labels.items()))): sample.value
        for family in expected.collect()
        for sample in family.samples
        if not sample.name.endswith("_created")
    }
    assert {name: pytest.approx(value) for name, value in wanted.items()} == {name: counted[name] for name in wanted}
    assert len(seconds) == counted["dugout_rpc_seconds_count", ("rpc",)]


def test_two_meters_of_a_process_are_apart():
    first, second = Meters(), Meters()
    first.commit_conflicted()
    assert 0 == samples(second.text())["dugout_commit_conflicts_total", ()]


def test_what_a_killed_worker_counted_stays_and_the_next_one_counts_on(tmp_path: Path):
    def run(number: int, calls: int) -> None:
        run = subprocess.run([sys.executable, "-c", COUNT, str(tmp_path), str(number), str(calls)], check=False)
        assert -9 == run.returncode

    def total() -> dict[str, float]:
        registry = CollectorRegistry()
        multiprocess.MultiProcessCollector(registry, path=str(tmp_path))
        return {sample.name: sample.value for family in registry.collect() for sample in family.samples}

    run(1, 100)
    run(2, 30)
    assert 130 == total()["dugout_rpcs_total"] == total()["dugout_rpc_seconds_count"]
    assert 14 == total()["dugout_watchers"]
    files = sorted(tmp_path.iterdir())
    run(1, 5)
    assert 135 == total()["dugout_rpcs_total"]
    assert files == sorted(tmp_path.iterdir())
    multiprocess.mark_process_dead(2, str(tmp_path))
    assert (135, 7) == (total()["dugout_rpcs_total"], total()["dugout_watchers"])
