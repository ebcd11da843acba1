import asyncio
import os
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import pytest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

from service.metrics import MetricsServer, ProcessUsage, WorkerFiles

COUNT = """
import sys
from service.meters import Meters, Place, share
share(Place(int(sys.argv[2]), sys.argv[1]))
meters = Meters()
meters.commit_conflicted()
meters.watching(3)
"""


class Two(Collector):
    def collect(self):
        return [GaugeMetricFamily("up", "Whether it is.", 1), CounterMetricFamily("seen", "How many.", 2.5)]


async def ask(url: str, request: bytes = b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n") -> str:
    host, _, port = url.removeprefix("http://").removesuffix("/metrics").rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(request)
    if not request.endswith(b"\r\n\r\n"):
        writer.write_eof()
    answer = await reader.read()
    writer.close()
    return answer.decode()


@pytest.fixture
async def url():
    server = MetricsServer(Two())
    yield await server.start("127.0.0.1", 0)
    await server.stop()


async def test_every_collector_in_the_text_format(url):
    head, _, body = (await ask(url)).partition("\r\n\r\n")
    assert head.startswith("HTTP/1.1 200 OK")
    assert f"Content-Length: {len(body)}" in head
    assert "Content-Type: text/plain; version=0.0.4" in head
    assert [
        "# HELP up Whether it is.",
        "# TYPE up gauge",
        "up 1.0",
        "# HELP seen_total How many.",
        "# TYPE seen_total counter",
        "seen_total 2.5",
    ] == body.splitlines()


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"GET /metrics?x=1 HTTP/1.1\r\n\r\n", "200"),
        (b"GET / HTTP/1.1\r\n\r\n", "404"),
        (b"POST /metrics HTTP/1.1\r\n\r\n", "405"),
        (b"\xff\xfe\r\n\r\n", "405"),
    ],
)
async def test_other_requests(url, request_, status):
    assert (await ask(url, request_)).startswith(f"HTTP/1.1 {status} ")


@pytest.mark.parametrize("request_", [b"", b"GET /metrics", b"x" * 100_000 + b"\r\n\r\n"])
async def test_what_is_no_request_gets_no_answer(url, request_):
    with suppress(ConnectionError):
        assert "" == await ask(url, request_)
    assert (await ask(url, b"GET /metrics HTTP/1.1\r\n\r\n")).startswith("HTTP/1.1 200")


class TestWorkerFiles:
    @pytest.fixture
    def files(self):
        files = WorkerFiles()
        yield files
        files.remove()
        assert not files.folder.exists()

    def test_a_number_is_one_workers_until_it_is_given_back(self, files):
        assert [1, 2, 3] == [files.take() for _ in range(3)]
        files.give_back(2)
        assert [2, 4] == [files.take() for _ in range(2)]

    def test_sums_over_workers_that_live_and_that_have_ended(self, files):
        def figures():
            return {sample.name: sample.value for family in files.collect() for sample in family.samples}

        def work(number):
            subprocess.run([sys.executable, "-c", COUNT, str(files.folder), str(number)], check=True)

        assert {} == figures()
        for number in (files.take(), files.take()):
            work(number)
        assert (2, 6) == (figures()["dugout_commit_conflicts_total"], figures()["dugout_watchers"])
        files.give_back(1)
        assert (2, 3) == (figures()["dugout_commit_conflicts_total"], figures()["dugout_watchers"])
        work(files.take())
        assert (3, 6) == (figures()["dugout_commit_conflicts_total"], figures()["dugout_watchers"])


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc (Linux)")
def test_what_processes_use_and_those_that_are_gone_do_not_disturb():
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    usage = ProcessUsage(lambda: {"parent": os.getpid(), "worker-1": ended.pid})
    families = {family.name: family for family in usage.collect()}
    memory, cpu = families["dugout_process_resident_memory_bytes"], families["dugout_process_cpu_seconds"]
    assert [{"process": "parent"}] == [sample.labels for sample in memory.samples]
    assert memory.samples[0].value > 1 << 20
    assert "dugout_process_cpu_seconds_total" == cpu.samples[0].name


def test_a_file_that_a_starting_worker_has_only_just_made_is_waited_for():
    files = WorkerFiles()
    made = files.folder / "counter_1.db"
    made.touch()
    written = threading.Timer(0.1, made.unlink)
    written.start()
    assert [] == list(files.collect())
    written.join()
    files.remove()
