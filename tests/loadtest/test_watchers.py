"""Thousands of watchers, at a small scale: what is measured, not how much it is."""

import os
import sys

import pytest

from loadtest.server import ServerFailed, embedded_server
from loadtest.watchers import Crowd, FanOut, Process, measure

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are measured on Linux only")


@pytest.fixture(scope="module")
def single():
    with embedded_server(workers=1) as server:
        yield server


async def test_every_row_is_measured(single):
    measured = await measure(single, 20)
    assert ["rows", "ratios"] == list(measured)
    assert all(["name", "value", "unit"] == list(row) for row in measured["rows"])
    values = {row["name"]: row["value"] for row in measured["rows"]}
    assert 20 == values["watchers of one table on one worker"]
    # Of so few the memory may not show, nor does what is freed come back at once.
    for name, value in values.items():
        assert value > 0 or name.startswith(("memory", "growth", "worker's", "watchers'")), name


async def test_everybody_has_every_change_before_the_next_one(single):
    crowd = Crowd(single)
    await crowd.open_table()
    await crowd.come(30)
    fan_out = await crowd.play(12)
    assert (12 * 30, 12) == (len(fan_out.delays_s), len(fan_out.slowest_s))
    await crowd.go()
    await crowd.come(3)
    assert 2 * 3 == len((await crowd.play(2)).delays_s)
    await crowd.go()
    await crowd.close()


def test_percentiles():
    fan_out = FanOut()
    fan_out.add([0.001, 0.002])
    fan_out.add([0.004, 0.003])
    assert [1, 3, 4, 4] == [fan_out.percentile_ms(share) for share in (0, 0.5, 0.99, 1)]
    assert [0.002, 0.004] == fan_out.slowest_s


def test_this_process_has_memory_and_no_worker():
    assert Process(os.getpid()).resident_kib() > 1000
    assert Process(os.getpid()).cpu_s() > 0
    with pytest.raises(ServerFailed, match="no worker"):
        Process.worker_of(os.getpid())
