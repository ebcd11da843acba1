"""``dugout demo`` as people run it."""

import os
import random
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from proto.stud.v1 import stud_pb2
from service.cli.demo import _NOT_FOR_IT, choose_action

CARD = r"[2-9TJQKA][♠♥♦♣]"
COMMAND = [sys.executable, "-c", "from service.cli import main; main()", "demo"]


def demo(*flags: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *flags], capture_output=True, text=True, timeout=110, env={**os.environ, **environment}
    )


@pytest.mark.parametrize(("profile", "players"), [("baseball", 4), ("baseball-home", 2)])
def test_a_whole_hand_that_a_person_can_follow(profile, players):
    run = demo("--profile", profile, "--players", str(players))
    assert 0 == run.returncode, run.stderr
    told = run.stdout
    for heading in ("Third street", "Fourth street", "Fifth street", "Sixth street", "Seventh street", "Showdown"):
        assert told.index(f"── {heading}") > 0
    assert "Wild: 3s and 9s." in told
    assert "'s turn (" in told
    assert "Pot: " in told
    shown = re.findall(rf"^  \w+ shows ((?:{CARD} ?)+)$", told, re.MULTILINE)
    assert len(shown) >= 2
    for hand in shown:
        assert len(hand.split()) >= 7
        assert len(set(hand.split())) == len(hand.split())
    last = told.rstrip().splitlines()[-1]
    assert re.search(rf"(wins|splits) the (side )?pot.* with .*: ({CARD}( \(as {CARD}\))? ?){{5}}$", last), last
    assert "??" not in told
    assert "\x1b[" not in told


def test_a_hand_whose_cards_nobody_has_seen():
    run = demo("--profile", "night-baseball", "--players", "3", "--seed", "1")
    assert 0 == run.returncode, run.stderr
    lines = run.stdout.rstrip().splitlines()
    assert any(re.search(rf"'s turn \(roll, fold\): turns up {CARD}: \((\?\? ?)+\) {CARD}", line) for line in lines)
    assert any(re.search(r"^  \w+ leads$", line) for line in lines)
    assert re.search(r"(wins|splits) the pot", lines[-1]), lines[-1]


def test_it_stops_everything_it_started_and_leaves_no_file(tmp_path):
    """Every process of the demo has a mark in its environment; afterwards none has."""
    mark = f"dugout-demo-{os.getpid()}"
    # Nor have the settings of somebody's own server a part in it.
    own = dict.fromkeys(_NOT_FOR_IT, "1") | {"REDIS_URL": "redis://127.0.0.1:1"}
    assert 0 == demo(TMPDIR=str(tmp_path), DEMO_MARK=mark, **own).returncode
    left = []
    for environment in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            if mark.encode() in environment.read_bytes():
                left.append(environment.parent.name)
    assert [] == left
    assert [] == list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("flags", "named"),
    [
        (("--profile", "polo"), "polo"),
        (("--profile", "baseball-home", "--players", "7"), "2 to 6"),
        (("--players", "8"), "--players"),
        (("--players", "one"), "--players"),
    ],
)
def test_bad_usage(flags, named):
    run = demo(*flags)
    assert 2 == run.returncode
    assert named in run.stderr
    assert "Traceback" not in run.stderr


def test_a_server_that_does_not_start_is_told_with_its_words():
    run = demo(DUGOUT_DURABILITY="perhaps")
    assert 1 == run.returncode
    assert "DUGOUT_DURABILITY" in run.stderr
    assert "Traceback" not in run.stderr


def test_every_choice_is_a_legal_one_and_two_players_never_fold():
    rng = random.Random(1)
    kinds = range(1, 10)
    for _ in range(3000):
        legal = {
            kind: stud_pb2.LegalAction(kind=kind, min_to=kind * 2, max_to=kind * 3)
            for kind in rng.sample(kinds, rng.randint(1, 5))
        }
        still_in = rng.randint(2, 7)
        action = choose_action(legal, rng.randint(1, 10), rng.randint(3, 7), still_in, rng)
        assert action.kind in legal
        assert legal[action.kind].min_to == action.to
        passive = {stud_pb2.ACTION_KIND_CHECK, stud_pb2.ACTION_KIND_CALL, stud_pb2.ACTION_KIND_BRING_IN}
        if still_in == 2 and passive & set(legal):
            assert stud_pb2.ACTION_KIND_FOLD != action.kind
