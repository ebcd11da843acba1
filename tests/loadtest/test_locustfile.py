"""Locust's own command plays the same tables."""

import subprocess
import sys
from pathlib import Path

import loadtest
from loadtest.server import Server

LOCUSTFILE = Path(loadtest.__file__).with_name("locustfile.py")


def locust(server: Server, *flags: str) -> subprocess.CompletedProcess[str]:
    command = [
        *(sys.executable, "-m", "locust", "-f", str(LOCUSTFILE), "--headless", "--users", "3", "--spawn-rate", "3"),
        *("--run-time", "3s", "--host", server.address, "--operator-key", server.operator_key),
        *("--think-time-s", "0.01", *flags),
    ]
    return subprocess.run(command, capture_output=True, text=True, timeout=90, check=False)


def test_locust_plays_tables_under_its_own_command(server: Server) -> None:
    done = locust(server)
    assert 0 == done.returncode, done.stderr
    for rpc in ("CreateTable", "TakeSeat", "Deal", "Act"):
        assert f"grpc     {rpc} " in done.stdout + done.stderr


def test_locust_fails_when_calls_fail(server: Server) -> None:
    done = locust(server, "--operator-key", "x:wrong")
    assert 1 == done.returncode
    assert "UNAUTHENTICATED" in done.stdout + done.stderr
