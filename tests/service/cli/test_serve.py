"""``dugout serve`` with certificates, as its users start it."""

import os
import signal
import socket
import subprocess
import sys

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from tests.service.certificate_authority import Authority

COMMAND = [sys.executable, "-c", "from service.cli import main; main()", "serve", "--dev", "--port", "0"]


def environment(**settings):
    return {name: value for name, value in os.environ.items() if not name.startswith("DUGOUT_")} | settings


@pytest.fixture(scope="module")
def authority():
    return Authority()


@pytest.mark.parametrize(
    ("flags", "settings", "named"),
    [
        (["--tls-cert", "server.pem"], {}, "DUGOUT_TLS_KEY"),
        (["--tls-key", "server-key.pem"], {}, "DUGOUT_TLS_CERT"),
        (["--tls-client-ca", "server.pem"], {}, "DUGOUT_TLS_CLIENT_CA"),
        (["--tls-cert", "server.pem", "--tls-key", "nowhere.pem"], {}, "nowhere.pem"),
        (["--tls-cert", "server.pem", "--tls-key", "other-key.pem"], {}, "the key of the certificate in server.pem"),
        ([], {"DUGOUT_TLS_CERT": "server-key.pem", "DUGOUT_TLS_KEY": "server.pem"}, "DUGOUT_TLS_CERT"),
        ([], {"DUGOUT_TLS_CERT": "server.pem", "DUGOUT_TLS_KEY": "locked-key.pem"}, "unencrypted private key"),
    ],
)
def test_certificates_that_cannot_be_used_are_bad_usage(flags, settings, named, authority, tmp_path):
    authority.sign().write(tmp_path)
    other = authority.sign()
    other.write(tmp_path, "other")
    (tmp_path / "locked-key.pem").write_bytes(other.locked_key)
    told = {**environment(**settings), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    run = subprocess.run([*COMMAND, *flags], capture_output=True, text=True, timeout=60, env=told, cwd=tmp_path)
    assert (2, "") == (run.returncode, run.stdout)
    assert named in run.stderr
    assert "Traceback" not in run.stderr
    assert "BEGIN" not in run.stderr


def test_a_metrics_port_that_is_taken_is_named():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        run = subprocess.run(
            [*COMMAND, "--metrics-port", str(port)], capture_output=True, text=True, timeout=60, env=environment()
        )
    assert (1, "") == (run.returncode, run.stdout)
    assert f"metrics port {port} on 127.0.0.1 cannot be had" in run.stderr
    assert "Traceback" not in run.stderr


def test_all_workers_speak_tls_and_nothing_printed_holds_the_key(authority, tmp_path):
    cert, key = authority.sign().write(tmp_path)
    roots = tmp_path / "authority.pem"
    roots.write_bytes(authority.certificate)
    own = authority.sign("frontend")
    credentials = grpc.ssl_channel_credentials(authority.certificate, own.key, own.certificate)
    settings = {"DUGOUT_TLS_CERT": cert, "DUGOUT_TLS_KEY": key, "DUGOUT_TLS_CLIENT_CA": str(roots)}
    log = tmp_path / "log"
    with (
        log.open("w") as file,
        subprocess.Popen(
            [*COMMAND, "--workers", "2"], stdout=subprocess.PIPE, stderr=file, text=True, env=environment(**settings)
        ) as process,
    ):
        said = []
        for line in process.stdout:
            said.append(line)
            if line.startswith("Serving."):
                break
        address = said[0].split()[1]
        for number in range(20):
            options = [("grpc.use_local_subchannel_pool", 1), ("number", number)]
            with grpc.secure_channel(address, credentials, options) as channel:
                answer = health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest(), timeout=20)
                assert health_pb2.HealthCheckResponse.SERVING == answer.status
        process.send_signal(signal.SIGTERM)
        assert 0 == process.wait(60)
    printed = "".join(said) + log.read_text()
    assert cert in printed
    assert key in printed
    for line in (tmp_path / "server-key.pem").read_text().splitlines():
        assert line not in printed
