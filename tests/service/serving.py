"""``dugout serve`` as its users run it, for tests: processes, their children, and the metrics port."""

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

import grpc

from proto.stud.v1 import stud_pb2, stud_pb2_grpc

GUIDE = (Path(__file__).parents[2] / "docs" / "api.md").read_text(encoding="utf-8")
RETRIED = next(block for block in re.findall(r"^```json\n(.*?)^```$", GUIDE, re.M | re.S) if "retryPolicy" in block)
"""The service config that the guide publishes."""

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

    def __init__(self, process: subprocess.Popen, said: dict, log: IO[str]) -> None:
        self.process = process
        self._log = log
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
        return int(float(next(line for line in lines if line.startswith(f"{name} ")).split()[1]))

    def log(self, event: str) -> list[dict[str, Any]]:
        """Return the lines of the log so far that tell of some event."""
        self._log.seek(0)
        lines = [json.loads(line) for line in self._log.read().splitlines() if line.startswith("{")]
        return [line for line in lines if line["event"] == event]

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)


@contextmanager
def serving(*flags: str, **environment: str) -> Iterator[Serving]:
    command = [*COMMAND, "--dev", "--json", "--port", "0", *flags]
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            env={**os.environ, **environment},
        )
        try:
            yield Serving(process, json.loads(process.stdout.readline()), log)
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


def create(tables: stud_pb2_grpc.TableServiceStub, server: Serving) -> stud_pb2.Table:
    return tables.CreateTable(stud_pb2.CreateTableRequest(profile="baseball"), **server.options).table
