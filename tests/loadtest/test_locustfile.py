"""Locust's own command plays the same tables."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import loadtest
from loadtest.server import Server
from proto.stud.v1 import stud_pb2 as pb

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


def test_locust_says_what_cannot_be_played(server: Server) -> None:
    done = locust(server, "--table-profile", "whist")
    assert 1 == done.returncode
    assert "whist" in done.stderr


def test_locust_fails_on_violated_checks(server: Server, proxy_before: Callable[..., Any]) -> None:
    def lose_a_chip(rpc: str, reply: bytes) -> bytes:
        message = pb.ActResponse.FromString(reply) if rpc == "Act" else None
        if message is None or not message.table.seats[0].stack:
            return reply
        message.table.seats[0].stack -= 1
        return message.SerializeToString()

    with proxy_before(server.address, lose_a_chip) as (address, _):
        done = locust(server, "--host", address)
    assert 1 == done.returncode
    assert "Act chips: expected" in done.stderr
