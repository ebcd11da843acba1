"""The health check of containers, against a server that serves, one that is gone, and one that never answers."""

import json
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager

import pytest

from service.cli.health import main, status_of
from tests.service.certificate_authority import Authority


@contextmanager
def serving(*flags):
    serve = [sys.executable, "-c", "from service.cli import main; main()", "serve", "--dev", "--port", "0", "--json"]
    with subprocess.Popen([*serve, *flags], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            yield process, json.loads(process.stdout.readline())["address"]
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=30)


@pytest.fixture
def server():
    with serving() as running:
        yield running


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


class TestOverTls:
    def test_the_certificate_itself_is_trust_enough_under_its_own_name(self, tmp_path, capsys):
        """What a health check in the server's own container has at hand."""
        cert, key = Authority().sign("cards.example").write(tmp_path)
        with serving("--tls-cert", cert, "--tls-key", key) as (_, address):
            assert 0 == main([address, "--tls-ca", cert, "--tls-name", "cards.example"])
            assert 1 == main([address, "--tls-ca", cert, "--tls-name", "other.example"])
            assert 1 == main([address])
        assert 1 == capsys.readouterr().out.count("SERVING")

    def test_a_server_that_wants_a_certificate_of_its_clients(self, tmp_path):
        authority = Authority()
        roots = tmp_path / "authority.pem"
        roots.write_bytes(authority.certificate)
        cert, key = authority.sign().write(tmp_path)
        own_cert, own_key = authority.sign("probe").write(tmp_path, "probe")
        with serving("--tls-cert", cert, "--tls-key", key, "--tls-client-ca", str(roots)) as (_, address):
            asked = [address, "--tls-ca", str(roots)]
            assert 1 == main(asked)
            assert 0 == main([*asked, "--tls-cert", own_cert, "--tls-key", own_key])

    @pytest.mark.parametrize(
        ("flags", "complaint"),
        [
            (["--tls-ca", "nowhere.pem"], "nowhere.pem: No such file"),
            (["--tls-name", "cards.example"], "TLS needs --tls-ca"),
            (["--tls-cert", __file__, "--tls-key", __file__], "TLS needs --tls-ca"),
            (["--tls-ca", __file__, "--tls-cert", __file__], "belong together"),
            (["--tls-ca", __file__, "--tls-key", __file__], "belong together"),
        ],
    )
    def test_bad_usage(self, flags, complaint, capsys):
        with pytest.raises(SystemExit) as end:
            main(["127.0.0.1:9", *flags])
        assert 2 == end.value.code
        assert complaint in capsys.readouterr().err
