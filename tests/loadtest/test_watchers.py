"""Thousands of watchers, at a small scale: what is measured, not how much it is."""

import os
import sys

import pytest

from loadtest.bare_server import bare_server
from loadtest.server import ServerFailed, embedded_server
from loadtest.watchers import PlayedTable, Process, measure

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are measured on Linux only")


@pytest.fixture(scope="module")
def single():
    with embedded_server(workers=1) as server:
        yield server


async def test_every_row_is_measured(single):
    with bare_server() as bare:
        measured = await measure(single, bare, 20)
    assert ["rows", "ratios"] == list(measured)
    assert all(["name", "value", "unit"] == list(row) for row in measured["rows"])
    values = {row["name"]: row["value"] for row in measured["rows"]}
    assert len(measured["rows"]) == len(values)
    assert 20 == values["watchers of one table on one worker"]
    # Of so few the memory may not show, nor does what is freed come back at once.
    for name, value in values.items():
        assert value > 0 or name.startswith(("memory", "growth", "worker's", "watchers'", "that of")), name


async def test_everybody_has_every_change_before_the_next_one(single):
    table = PlayedTable(single)
    await table.open()
    await table.crowd.come(30, table.watch_request())
    fan_out = await table.crowd.hear(table.change, 12)
    assert (12 * 30, 12) == (len(fan_out.delays_s), len(fan_out.slowest_s))
    await table.crowd.go()
    await table.crowd.come(3, table.watch_request())
    assert 2 * 3 == len((await table.crowd.hear(table.change, 2)).delays_s)
    await table.crowd.go()
    await table.close()


def test_this_process_has_memory_and_no_worker():
    assert Process(os.getpid()).resident_kib() > 1000
    assert Process(os.getpid()).cpu_s() > 0
    with pytest.raises(ServerFailed, match="no worker"):
        Process.worker_of(os.getpid())
