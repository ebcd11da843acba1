import sys
from pathlib import Path

import pytest

import loadtest.server
from loadtest.server import ServerFailed, embedded_server


def script(tmp_path: Path, body: str) -> str:
    """Return a command that stands in for a ``dugout`` that cannot serve."""
    path = tmp_path / "dugout"
    path.write_text(f"#!{sys.executable}\n{body}\n")
    path.chmod(0o755)
    return str(path)


def test_a_server_that_fails_to_start_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    body = "import sys; sys.exit('the port is taken')"
    monkeypatch.setattr(loadtest.server, "_dugout", lambda: script(tmp_path, body))
    with pytest.raises(ServerFailed, match="the port is taken"), embedded_server():
        pass


def test_a_server_that_says_nothing_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loadtest.server, "_dugout", lambda: script(tmp_path, "import time; time.sleep(60)"))
    monkeypatch.setattr(loadtest.server, "START_TIMEOUT_S", 1.0)
    with pytest.raises(ServerFailed, match="said nothing for 1 s"), embedded_server():
        pass


def test_a_server_that_does_not_stop_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    body = (
        "import json, signal, time\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "print(json.dumps({'address': '127.0.0.1:1', 'operator_key': 'k'}), flush=True)\n"
        "time.sleep(60)"
    )
    monkeypatch.setattr(loadtest.server, "_dugout", lambda: script(tmp_path, body))
    monkeypatch.setattr(loadtest.server, "STOP_TIMEOUT_S", 1.0)
    with embedded_server() as running:
        assert ("127.0.0.1:1", "k") == (running.address, running.operator_key)
        assert Path(f"/proc/{running.pid}").exists()
    assert not Path(f"/proc/{running.pid}").exists()


def test_a_missing_command_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ServerFailed, match="--target"), embedded_server():
        pass


def test_the_server_ends_with_the_block() -> None:
    with pytest.raises(RuntimeError, match="in the middle"), embedded_server() as running:
        raise RuntimeError("in the middle")
    assert not Path(f"/proc/{running.pid}").exists()
