"""The health check of containers, against a server that serves, one that is gone, and one that never answers."""

import json
import signal
import socket
import subprocess
import sys

import pytest

from service.cli.health import main, status_of


@pytest.fixture
def server():
    serve = [sys.executable, "-c", "from service.cli import main; main()", "serve", "--dev", "--port", "0", "--json"]
    with subprocess.Popen(serve, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            yield process, json.loads(process.stdout.readline())["address"]
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=30)


def test_a_server_is_healthy_until_it_stops(server, capsys):
    process, address = server
    assert 0 == main([address])
    assert f"{address} SERVING\n" == capsys.readouterr().out
    process.send_signal(signal.SIGTERM)
    process.wait(timeout=30)
    assert 1 == main([address])
    assert f"{address} UNAVAILABLE\n" == capsys.readouterr().out


def test_a_service_is_asked_for_by_its_name(server, capsys):
    _, address = server
    assert 0 == main([address, "stud.v1.TableService"])
    assert 1 == main([address, "polo"])
    assert [
        f"{address} stud.v1.TableService SERVING",
        f"{address} polo NOT_FOUND",
    ] == capsys.readouterr().out.splitlines()


def test_the_port_comes_from_the_setting_of_the_server(server, capsys, monkeypatch):
    _, address = server
    monkeypatch.setenv("DUGOUT_PORT", address.rpartition(":")[2])
    assert 0 == main([])
    assert f"{address} SERVING\n" == capsys.readouterr().out


def test_a_port_that_accepts_and_says_nothing_is_not_healthy():
    with socket.create_server(("127.0.0.1", 0)) as mute:
        assert status_of(f"127.0.0.1:{mute.getsockname()[1]}", timeout_s=0.3) in ("DEADLINE_EXCEEDED", "UNAVAILABLE")
