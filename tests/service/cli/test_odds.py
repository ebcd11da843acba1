"""``dugout odds``: the engine's odds as people and programs get them."""

import json
import os
import pty
import re
import subprocess
import sys
import threading

import pytest

import engine
from engine import PROFILES
from service.known_hand import parse_hand

HANDS = ("(Ks Kh) Kd 9c", "(??) 4h 5d")


def told(dugout, *arguments):
    done = dugout("odds", *arguments, "--json")
    assert 0 == done.status, done.err
    assert "" == done.err
    return json.loads(done.out)


def test_the_json_says_what_the_engine_says(dugout):
    answer = told(dugout, *HANDS, "--samples", "20000", "--seed", "7", "--threads", "2")
    odds = engine.odds(PROFILES["baseball"], [parse_hand(text) for text in HANDS], samples=20_000, seed=7)
    assert ["exact", "deals", "seed", "hands"] == list(answer)
    assert (False, 20_000, 7) == (answer["exact"], answer["deals"], answer["seed"])
    assert answer["hands"] == [
        {
            "win": seat.win_chance,
            "split": seat.tie_chance,
            "equity": seat.equity,
            "standard_error": seat.standard_error,
        }
        for seat in odds.seats
    ]


def test_few_ways_are_exact_and_dead_cards_and_the_game_count(dugout):
    hands = ("(8h 4s) 2h 7h Kh 9c", "(Qs Jc 3d) Ac Ad 5c 6d")
    plain = told(dugout, *hands, "--profile", "seven-card-stud")
    assert (True, 39) == (plain["exact"], plain["deals"])
    fewer = told(dugout, *hands, "--profile", "seven-card-stud", "--dead", "3h 3c")
    assert 37 == fewer["deals"]
    assert told(dugout, *hands)["hands"] != plain["hands"]


def test_people_see_a_row_for_each_hand(dugout):
    shown = dugout("odds", *HANDS, "--samples", "5000").out.splitlines()
    assert ["HAND", "WINS", "SPLITS", "SHARE", "STANDARD", "ERROR"] == shown[0].split()
    assert shown[1].startswith(HANDS[0])
    assert 4 == len(re.findall(r"\d\.\d+%", shown[2]))
    assert "5,000 random deals, seed 1." == shown[3]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ((HANDS[0],), "HAND"),
        (HANDS * 4, "HAND"),
        (("(Ks) Kx", "Kd"), "HAND 1"),
        (("(Ks) Kd", "(Ks"), "HAND 2"),
        (("(Ks) Kd", "Ks"), "HAND 2: Ks is there twice"),
        (("(Ks Kh Kc 2c) Kd", "4s"), "HAND 1: 4 down cards"),
        ((*HANDS, "--dead", "Xx"), "--dead"),
        ((*HANDS, "--dead", "4h"), "--dead: 4h is there twice"),
        ((*HANDS, "--samples", "1"), "--samples"),
        ((*HANDS, "--seed", "-1"), "--seed"),
        ((*HANDS, "--threads", "65"), "--threads"),
        ((*HANDS, "--profile", "bridge"), "--profile"),
    ],
)
def test_bad_usage_is_named(dugout, arguments, named):
    refused = dugout("odds", *arguments)
    assert 2 == refused.status
    assert named in " ".join(refused.err.split())
    assert "Traceback" not in refused.err


def test_a_long_run_shows_how_far_it_is_on_a_terminal():
    """The bar goes to standard error; standard output stays what programs read."""
    ours, theirs = pty.openpty()
    shown = bytearray()

    def read():
        try:
            while chunk := os.read(ours, 4096):
                shown.extend(chunk)
        except OSError:
            pass  # the other end is closed

    reader = threading.Thread(target=read)
    command = "from service.cli import main; import service.cli.odds as it; it._BAR_AFTER_S = 0; main()"
    arguments = ["odds", *HANDS, "--samples", "1500000", "--threads", "1", "--json"]
    with subprocess.Popen(
        [sys.executable, "-c", command, *arguments],
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
    ) as process:
        os.close(theirs)
        reader.start()
        out = process.stdout.read()
        assert 0 == process.wait(timeout=60)
    reader.join(timeout=10)
    os.close(ours)
    assert 1_500_000 == json.loads(out)["deals"]
    assert b"/1500000" in shown
