"""The command as a user starts it: a process of its own, against real servers, honest and tampered with."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from loadtest.server import NOT_FOR_IT, Server
from proto.stud.v1 import stud_pb2 as pb
from service.cli import main
from tests.service.certificate_authority import Authority

DUGOUT = str(Path(sys.executable).with_name("dugout"))
KEYS = "hands actions actions_per_second failures violations seconds p50_ms p95_ms p99_ms by_rpc"


def run(*flags: str, timeout: float = 90) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "DUGOUT_OPERATOR_KEY"}
    command = [DUGOUT, "loadtest", *flags]
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout, env=environment, check=False)


def run_at(target: str, server: Server, *flags: str) -> subprocess.CompletedProcess[str]:
    return run("--target", target, "--operator-key", server.operator_key, *flags)


def children_of(pid: int) -> set[int]:
    """Return the children of a process and theirs."""
    found: set[int] = set()
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, children.read_text().split()):
            found |= {child} | children_of(child)
    return found


def test_a_server_is_started_played_on_and_ended() -> None:
    done = run("--tables", "5", "--duration", "3s", "--json")
    assert "" == done.stderr
    assert 0 == done.returncode
    numbers = json.loads(done.stdout)
    assert KEYS.split() == list(numbers)
    assert (0, 0) == (numbers["failures"], numbers["violations"])
    assert numbers["hands"] > 0
    assert numbers["actions"] > numbers["hands"]
    assert {"CreateTable", "TakeSeat", "Deal", "Act", "Showdown"} <= set(numbers["by_rpc"])
    assert all(0 < rpc["p50_ms"] <= rpc["p95_ms"] <= rpc["p99_ms"] for rpc in numbers["by_rpc"].values())
    assert numbers["seconds"] >= 3


def test_a_target_with_tls_that_wants_client_certificates(tmp_path: Path) -> None:
    authority = Authority()
    roots = tmp_path / "authority.pem"
    roots.write_bytes(authority.certificate)
    cert, key = authority.sign().write(tmp_path)
    own_cert, own_key = authority.sign("load test").write(tmp_path, "client")
    serve = [DUGOUT, "serve", "--dev", "--port", "0", "--json", "--tls-cert", cert, "--tls-key", key]
    with subprocess.Popen([*serve, "--tls-client-ca", str(roots)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        said = json.loads(process.stdout.readline())
        target = ("--target", said["address"], "--operator-key", said["operator_key"])
        own = ("--tls-cert", own_cert, "--tls-key", own_key)
        done = run(*target, "--tls-ca", str(roots), *own, "--tables", "2", "--duration", "1s", "--json")
        process.send_signal(signal.SIGTERM)
    assert 0 == done.returncode, done.stderr
    assert json.loads(done.stdout)["actions"] > 0


@pytest.mark.parametrize(
    ("flags", "complaint"),
    [
        (["--tls-ca", "nowhere.pem", "--target", "h:1", "--operator-key", "k"], "nowhere.pem"),
        (["--tls-ca", __file__], "called plainly"),
        (["--tls-cert", __file__, "--tls-key", __file__], "TLS needs the authorities"),
        (["--tls-ca", __file__, "--tls-cert", __file__, "--target", "h:1", "--operator-key", "k"], "belong together"),
    ],
)
def test_tls_flags_that_make_no_sense(flags: list[str], complaint: str) -> None:
    done = run(*flags)
    assert 2 == done.returncode
    assert complaint in " ".join(done.stderr.split())


def test_a_server_of_ones_own_has_no_part_in_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NOT_FOR_IT:
        monkeypatch.setenv(name, "1")
    monkeypatch.setenv("REDIS_URL", "redis://127.0.0.1:1")
    done = run("--tables", "2", "--duration", "1s", "--json")
    assert 0 == done.returncode, done.stderr


def test_people_get_tables(server: Server) -> None:
    done = run_at(server.address, server, "--tables", "3", "--duration", "2s", "--think-time", "5ms")
    assert 0 == done.returncode, done.stderr
    for words in ("hands", "actions per second", "violated checks", "p99", "TakeSeat", "Showdown"):
        assert words in done.stdout


@pytest.mark.parametrize(
    ("flags", "named"),
    [
        (("--duration", "banana"), "--duration"),
        (("--duration", "0s"), "--duration"),
        (("--duration", "-5s"), "--duration"),
        (("--duration", "٣s"), "--duration"),
        (("--duration", "9999h"), "--duration"),
        (("--think-time", "soon"), "--think-time"),
        (("--tables", "0"), "--tables"),
        (("--tables", "many"), "--tables"),
        (("--players", "1"), "--players"),
        (("--players", "8"), "--players"),
        (("--seed", "-1"), "--seed"),
        (("--target", "localhost"), "--target"),
        (("--target", ":50051"), "--target"),
        (("--target", "localhost:0"), "--target"),
        (("--target", "localhost:65536"), "--target"),
        (("--target", "localhost:50051"), "--operator-key"),
        (("--target", "localhost:50051", "--operator-key", "dev:sécret-of-ten"), "--operator-key"),
        (("--no-such-flag",), "--no-such-flag"),
    ],
)
def test_bad_usage_names_the_flag(
    flags: tuple[str, ...], named: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DUGOUT_OPERATOR_KEY", raising=False)
    with pytest.raises(SystemExit) as exit_:
        main(["loadtest", *flags])
    said = capsys.readouterr()
    assert 2 == exit_.value.code
    assert named in said.err
    assert "" == said.out


@pytest.mark.parametrize(
    ("flags", "named"),
    [(("--profile", "whist"), "whist"), (("--profile", "baseball-home", "--players", "7"), "2 to 6")],
)
def test_what_the_server_cannot_play_is_bad_usage(server: Server, flags: tuple[str, ...], named: str) -> None:
    done = run_at(server.address, server, *flags, "--duration", "1s")
    assert 2 == done.returncode
    assert named in done.stderr
    assert "Traceback" not in done.stderr


def test_nobody_at_the_target() -> None:
    done = run("--target", "127.0.0.1:9", "--operator-key", "k", "--duration", "1s")
    assert 1 == done.returncode
    assert "127.0.0.1:9" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_wrong_key_is_a_failure_and_not_an_empty_success(server: Server) -> None:
    done = run("--target", server.address, "--operator-key", "x:wrong", "--tables", "2", "--duration", "1s", "--json")
    assert 1 == done.returncode
    numbers = json.loads(done.stdout)
    assert 0 == numbers["actions"]
    assert numbers["failures"] > 0
    assert "UNAUTHENTICATED" in done.stderr
    assert "nothing was played" in done.stderr
    assert "had no answer" not in done.stderr


def test_without_locust_the_command_says_what_to_install() -> None:
    script = (
        "import sys; sys.modules['locust'] = None\nfrom service.cli import main\nmain(['loadtest', '--duration', '1s'])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert 1 == done.returncode
    assert "pip install 'dugout[loadtest]'" in done.stderr
    assert "Traceback" not in done.stderr


class Tamperer:
    """Changes one in so many of the replies to actions that can be changed so."""

    def __init__(self, change: Callable[[pb.ActResponse], bool], one_in: int) -> None:
        self._change = change
        self._one_in = one_in
        self._lock = threading.Lock()
        self._candidates = 0
        self.tampered = 0

    def __call__(self, rpc: str, reply: bytes) -> bytes:
        if rpc != "Act":
            return reply
        message = pb.ActResponse.FromString(reply)
        if not self._change(message):
            return reply
        with self._lock:
            self._candidates += 1
            if self._candidates % self._one_in:
                return reply
            self.tampered += 1
        return message.SerializeToString()


def lose_a_chip(reply: pb.ActResponse) -> bool:
    seat = reply.table.seats[0]
    seat.stack -= 1
    return seat.stack > 0


def move_a_chip(reply: pb.ActResponse) -> bool:
    one, other = reply.table.seats[:2]
    one.stack -= 1
    other.stack += 1
    return one.stack > 0


def leak_in_the_table(reply: pb.ActResponse) -> bool:
    for seat in reply.table.seats:
        if seat.seat != reply.table.viewer_seat and "??" in seat.down_cards:
            seat.down_cards[list(seat.down_cards).index("??")] = unseen(reply)
            return True
    return False


def leak_in_an_event(reply: pb.ActResponse) -> bool:
    for event in reply.events:
        if event.card_dealt.face == pb.FACE_DOWN and event.card_dealt.card == "??":
            event.card_dealt.card = unseen(reply)
            return True
    return False


def unseen(reply: pb.ActResponse) -> str:
    """Return a card that does not lie open, so that only its being shown is wrong."""
    seats = reply.table.seats
    open_cards = {card for seat in seats for card in (*seat.down_cards, *seat.up_cards, *seat.dead_cards)}
    return next(card for rank in "23456789TJQKA" for suit in "cdhs" if (card := rank + suit) not in open_cards)


@pytest.mark.parametrize(
    ("change", "one_in", "check"),
    [
        (lose_a_chip, 10, "chips"),
        (move_a_chip, 10, "stack"),
        (leak_in_the_table, 10, "hidden cards"),
        (leak_in_an_event, 1, "hidden cards"),
    ],
)
def test_a_planted_wrong_is_caught_and_fails_the_run(
    server: Server,
    proxy_before: Callable[..., Any],
    change: Callable[[pb.ActResponse], bool],
    one_in: int,
    check: str,
) -> None:
    tamper = Tamperer(change, one_in)
    flags = ("--tables", "4", "--players", "4", "--duration", "4s", "--think-time", "5ms", "--json")
    with proxy_before(server.address, tamper) as (address, _):
        done = run_at(address, server, *flags)
    assert tamper.tampered > 0
    assert 1 == done.returncode
    numbers = json.loads(done.stdout)
    assert numbers["violations"] >= tamper.tampered
    assert 0 == numbers["failures"]
    assert f"Act {check}: expected" in done.stderr
    assert "--seed" in done.stderr


def test_lost_replies_are_asked_for_again_and_nothing_is_doubled(
    server: Server, proxy_before: Callable[..., Any]
) -> None:
    calls = iter(range(10**9))
    lost = range(5, 35, 10)  # fewer than the attempts of a call, so that none can lose them all

    def lose_some(rpc: str, reply: bytes) -> bytes | None:
        return None if next(calls) in lost else reply

    flags = ("--tables", "4", "--duration", "3s", "--think-time", "5ms", "--json")
    with proxy_before(server.address, lose_some) as (address, _):
        done = run_at(address, server, *flags)
    assert 0 == done.returncode, done.stderr
    numbers = json.loads(done.stdout)
    assert (0, 0) == (numbers["failures"], numbers["violations"])
    assert sum(rpc["retries"] for rpc in numbers["by_rpc"].values()) > 0
    assert numbers["actions"] > 0


def test_a_server_that_stops_answering_fails_the_run_which_ends_all_the_same(
    server: Server, proxy_before: Callable[..., Any]
) -> None:
    proxies: list[Any] = []
    actions = iter(range(10**9))

    def hang_after_twenty_actions(rpc: str, reply: bytes) -> bytes:
        if rpc == "Act" and next(actions) == 20:
            proxies[0].hanging.set()
        return reply

    with proxy_before(server.address, hang_after_twenty_actions) as (address, proxy):
        proxies.append(proxy)
        done = run_at(address, server, "--tables", "3", "--duration", "3s", "--think-time", "0", "--json")
    assert 1 == done.returncode
    numbers = json.loads(done.stdout)
    assert numbers["actions"] >= 20
    assert numbers["failures"] >= 3
    assert 0 == numbers["violations"]
    assert "DEADLINE_EXCEEDED" in done.stderr
    assert "had no answer" not in done.stderr


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_run_leaves_nothing_running(ending: signal.Signals) -> None:
    process = subprocess.Popen(
        [DUGOUT, "loadtest", "--tables", "3", "--duration", "60s", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    # The server with its store and two workers, and the process that plays.
    deadline = time.monotonic() + 30
    while len(started := children_of(process.pid)) < 5 and time.monotonic() < deadline:
        time.sleep(0.1)
    assert len(started) >= 5
    process.send_signal(ending)
    out, err = process.communicate(timeout=40)
    assert 1 == process.returncode
    assert ("", "Error: interrupted\n") == (out, err)
    deadline = time.monotonic() + 10
    while (left := {pid for pid in started if Path(f"/proc/{pid}").exists()}) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert set() == left
