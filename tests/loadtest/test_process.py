import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import loadtest.process
from loadtest.process import BadUsage, RunFailed, play
from loadtest.server import Server
from loadtest.settings import Settings


def settings_of(target: str, server: Server, profile: str = "baseball", duration_s: float = 1.0) -> Settings:
    return Settings(target, server.operator_key, 2, duration_s, None, 0.01, profile, seed=3)


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list["subprocess.Popen[str]"]:
    """Return the processes that are started from now on."""
    processes: list[subprocess.Popen[str]] = []

    class Noted(subprocess.Popen[str]):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            processes.append(self)

    monkeypatch.setattr("loadtest.process.subprocess.Popen", Noted)
    return processes


def test_the_child_plays_and_reports(server: Server, started: list["subprocess.Popen[str]"]) -> None:
    report = play(settings_of(server.address, server, duration_s=2.0))
    assert report.clean
    assert report.actions == report.by_rpc["Act"].calls
    assert 0 < report.generator_cpu
    assert [0] == [process.returncode for process in started]


def test_an_unknown_game_is_bad_usage(server: Server) -> None:
    with pytest.raises(BadUsage, match=r"--profile: .*whist"):
        play(settings_of(server.address, server, profile="whist"))


def test_a_child_without_a_report_is_a_failure(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "python"
    broken.write_text(f"#!{sys.executable}\nimport sys\nsys.exit(7)\n")
    broken.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(broken))
    with pytest.raises(RunFailed, match="status 7"):
        play(settings_of(server.address, server))


def test_a_child_that_does_not_end_is_ended(
    server: Server,
    proxy_before: Callable[..., Any],
    started: list["subprocess.Popen[str]"],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(loadtest.process, "WATCHDOG_S", 1.0)
    with proxy_before(server.address, lambda rpc, reply: reply) as (address, proxy):
        proxy.hanging.set()
        with pytest.raises(RunFailed, match="did not come to an end"):
            play(settings_of(address, server))
    assert [-9] == [process.returncode for process in started]


def test_the_child_ends_itself_if_nobody_else_does(server: Server, proxy_before: Callable[..., Any]) -> None:
    script = "import loadtest.locustfile as child; child.WATCHDOG_S = 0.5; child.main()"
    with proxy_before(server.address, lambda rpc, reply: reply) as (address, proxy):
        proxy.hanging.set()
        done = subprocess.run(
            [sys.executable, "-c", script],
            input=settings_of(address, server).to_json(),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert 1 == done.returncode
    assert "Timeout" in done.stderr
    assert "" == done.stdout
