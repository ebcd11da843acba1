"""A server to play against where none is named: ``dugout serve`` as a child process.

It runs in a session of its own, so that Ctrl-C reaches only the command, which then ends things in order.
"""

import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

START_TIMEOUT_S = 60.0
STOP_TIMEOUT_S = 20.0
SHOWN_LOG_LINES = 20
NOT_FOR_IT = (
    *("REDIS_URL", "DUGOUT_DATA_DIR", "DUGOUT_HOST", "DUGOUT_METRICS_PORT"),
    *("DUGOUT_TLS_CERT", "DUGOUT_TLS_KEY", "DUGOUT_TLS_CLIENT_CA"),
    *("DUGOUT_OPERATOR_RATE_LIMIT", "DUGOUT_SEAT_RATE_LIMIT", "DUGOUT_PEER_RATE_LIMIT"),
)
"""The settings of somebody's own server that are not for this one: above all, its store is not to be played on."""


class ServerFailed(Exception):
    """The server did not come up; the message says what it printed."""


@dataclass(frozen=True, slots=True)
class Server:
    """A running server: where it listens, and the key that may create tables."""

    address: str
    operator_key: str
    pid: int


@contextmanager
def embedded_server(workers: int = 2) -> Iterator[Server]:
    """Run a server with its own empty store for as long as the block lasts.

    Raises ``ServerFailed`` if it does not say within ``START_TIMEOUT_S`` where it listens.
    """
    command = [_dugout(), "serve", "--dev", "--workers", str(workers), "--port", "0", "--json"]
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as log:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            env={**os.environ, **dict.fromkeys(NOT_FOR_IT, "")},
            start_new_session=True,
        )
        try:
            yield _announced(process, log)
        finally:
            _end(process)


def _dugout() -> str:
    beside = Path(sys.executable).with_name("dugout")
    found = str(beside) if beside.exists() else shutil.which("dugout")
    if found is None:
        raise ServerFailed("the command dugout is not installed beside this Python; name a server with --target")
    return found


def _announced(process: subprocess.Popen[str], log: IO[str]) -> Server:
    """Wait for the line that says where the server listens, and keep its output from filling up after that."""
    assert process.stdout is not None
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=_drain, args=(process.stdout, lines), daemon=True).start()
    try:
        line = lines.get(timeout=START_TIMEOUT_S)
    except queue.Empty:
        raise ServerFailed(f"the server said nothing for {START_TIMEOUT_S:.0f} s{_tail(log)}") from None
    try:
        said = json.loads(line)
        return Server(said["address"], said["operator_key"], process.pid)
    except (ValueError, KeyError, TypeError):
        with suppress(subprocess.TimeoutExpired):
            process.wait(STOP_TIMEOUT_S)
        raise ServerFailed(f"the server did not start{_tail(log)}") from None


def _drain(stdout: IO[str], lines: queue.SimpleQueue[str]) -> None:
    with stdout:
        lines.put(stdout.readline())
        for _ in stdout:
            pass


def _tail(log: IO[str]) -> str:
    log.seek(0)
    lines = log.read().strip().splitlines()[-SHOWN_LOG_LINES:]
    return "; it printed:\n" + "\n".join(lines) if lines else " and printed nothing"


def _end(process: subprocess.Popen[str]) -> None:
    """Ask the server to stop, wait for its drain, and end what is left of it."""
    process.terminate()
    try:
        process.wait(STOP_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
