"""``dugout simulate``: repeatable, complete, and not blind to what it is there to find."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

import engine
from engine import PROFILES
from engine.hand_value import CATEGORIES
from service.cli.simulate import Simulation
from tests.service.serving import eventually, gone, processes

KEYS = (
    "hands",
    "actions",
    "showdowns",
    "seconds",
    "hands_per_second",
    "chip_delta",
    "broken",
    "categories",
    "signature",
)

# What 60 hands of each game come to under seed 2026. A change that means to change play changes these with it; any
# other change that does is a mistake. `dugout simulate --all --hands 60 --seed 2026` prints them.
SIGNATURES = {
    "baseball": "8691ceedb9704891",
    "baseball-free-fours": "9abf1d6147e2d708",
    "baseball-match-pot-fours": "116b8c478c598f55",
    "baseball-hi-lo": "5a3ace36a81ef4cc",
    "baseball-wild-twos": "d063127a1d11a13f",
    "baseball-one-eyed-jacks": "ee1d869e9ce2b438",
    "baseball-home": "42e2db678b40fa43",
    "baseball-home-pay-fours": "d8268a82104731bd",
    "baseball-home-pay-threes": "cf7794f24fd38e47",
    "night-baseball": "9219e5ff31d30b47",
    "no-peek": "7acd9971f6ca94c4",
    "baseball-simple": "00c653b87145a8bc",
    "baseball-match-pot": "b822d94525366bf7",
    "baseball-match-pot-capped": "eb60a458b4f7573f",
    "baseball-match-pot-first-three": "d57aa1fc59cdc055",
    "baseball-match-pot-free-threes": "4a251fc894411225",
    "baseball-match-pot-fours-up": "52e43417eca197d4",
    "baseball-match-pot-replace-fours": "28b1a61e3e9fedda",
    "baseball-match-pot-hole-fours": "0112a45d269a4c50",
    "baseball-match-pot-hole-fours-buy": "7f4c29cbc49e25dd",
    "baseball-match-pot-hi-lo": "edb731113f520d87",
    "football": "a3a7048c50e8f9c1",
    "woolworth": "25c50dd9130886c7",
    "blind-baseball": "21f1cd8877cc4942",
    "rainy-day-baseball": "01146692d7eba2b3",
    "seven-card-stud": "b0383e6b1b3253ee",
    "seven-card-stud-hi-lo": "cd753a452012ce0d",
    "follow-the-queen": "85b146aeafeb5bd5",
}


def simulated(dugout, *arguments):
    done = dugout("simulate", *arguments, "--json")
    assert 0 == done.status, done.err
    return json.loads(done.out)


def test_the_json_has_the_keys_that_programs_rely_on(dugout):
    played = simulated(dugout, "--hands", "30", "--players", "4", "--seed", "7")
    assert KEYS == tuple(played)
    assert (30, 0, []) == (played["hands"], played["chip_delta"], played["broken"])
    assert list(CATEGORIES) == list(played["categories"])
    assert 0 < played["showdowns"] <= 30
    assert played["actions"] > 30


def test_all_profiles_are_a_list_of_records(dugout):
    played = simulated(dugout, "--hands", "3", "--all")
    assert list(PROFILES) == [record["profile"] for record in played]
    assert all(tuple(record) == ("profile", *KEYS) for record in played)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("players", [2, 6])
def test_nothing_breaks_in_any_game(profile, players):
    rules = PROFILES[profile]
    played = Simulation(rules, min(players, rules.max_players), seed=players)
    played.run(40)
    assert ([], 0) == (played.broken, played.chip_delta)


def test_play_has_not_changed_unnoticed(dugout):
    played = simulated(dugout, "--all", "--hands", "60", "--seed", "2026")
    assert SIGNATURES == {record["profile"]: record["signature"] for record in played}


def test_the_number_of_jobs_makes_no_difference(dugout):
    one, three = (simulated(dugout, "--all", "--hands", "4", "--jobs", jobs) for jobs in ("1", "3"))
    timed = ("seconds", "hands_per_second")
    assert [record["profile"] for record in one] == list(PROFILES)
    for alone, beside in zip(one, three, strict=True):
        assert {**alone, **dict.fromkeys(timed)} == {**beside, **dict.fromkeys(timed)}


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_each_game_of_several_is_told_when_it_is_over(dugout, jobs):
    told = dugout("simulate", "--all", "--hands", "2", "--jobs", jobs).err.splitlines()
    assert set(PROFILES) == {line.partition(":")[0] for line in told}
    assert all(re.fullmatch(r"[a-z-]+: 2 hands in [0-9.]+ s, 0 broken", line) for line in told)
    assert "" == dugout("simulate", "--hands", "2").err


def players_of(pid):
    """The processes that play for a simulation, once there are two."""
    players = {child for child, parent, command in processes() if parent == pid and "spawn_main" in command}
    return players if len(players) == 2 else set()


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc (Linux)")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_nobody_plays_on_when_it_is_told_to_end(number):
    command = [sys.executable, "-c", "from service.cli import main; main()"]
    with subprocess.Popen(
        [*command, "simulate", "--all", "--hands", "10000000", "--jobs", "2"], stdout=subprocess.DEVNULL
    ) as parent:
        try:
            players = eventually(lambda: players_of(parent.pid))
            time.sleep(2)  # so that they are in the middle of a game; sooner they would end by themselves
        finally:
            parent.send_signal(number)
        assert -number == parent.wait(30)
        eventually(lambda: gone(players))


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc (Linux)")
def test_an_interrupt_at_the_terminal_ends_every_game_at_once_and_quietly():
    command = [sys.executable, "-c", "from service.cli import main; main()"]
    with subprocess.Popen(
        [*command, "simulate", "--all", "--hands", "10000000", "--jobs", "2"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # a terminal interrupts all processes of a group
    ) as parent:
        try:
            players = eventually(lambda: players_of(parent.pid))
            eventually(lambda: all(map(ignores_interrupts, players)))
            os.killpg(parent.pid, signal.SIGINT)
            assert "" == parent.communicate(timeout=60)[1]
        finally:
            parent.kill()  # and with it end those that play for it
        assert 130 == parent.returncode
        eventually(lambda: gone(players))


def ignores_interrupts(pid):
    mask = re.search(r"^SigIgn:\s*([0-9a-f]+)$", Path(f"/proc/{pid}/status").read_text(), re.M)[1]
    return int(mask, 16) >> signal.SIGINT - 1 & 1


def test_a_seed_plays_the_same_hands_and_another_seed_does_not():
    one, same, other = (Simulation(PROFILES["baseball"], 5, seed) for seed in (3, 3, 4))
    for simulation in (one, same, other):
        simulation.run(20)
    assert one.signature == same.signature
    assert one.signature != other.signature


def test_the_signature_covers_every_hand():
    short, long = (Simulation(PROFILES["baseball"], 5, seed=3) for _ in range(2))
    short.run(20)
    long.run(21)
    assert short.signature != long.signature


def test_running_on_is_the_same_as_running_longer():
    parts, whole = (Simulation(PROFILES["baseball"], 5, seed=3) for _ in range(2))
    parts.run(8)
    parts.run(12)
    whole.run(20)
    assert whole.signature == parts.signature


def test_the_button_and_the_seats_move_and_short_stacks_occur():
    seen = []

    class Watched(Simulation):
        def _stacks(self):
            stacks = super()._stacks()
            seen.append(stacks)
            return stacks

    watched = Watched(PROFILES["baseball"], 3, seed=1)
    watched.run(60)
    assert {1, 2, 3, 4, 5, 6, 7} == {seat for stacks in seen for seat in stacks}
    assert any(stack <= PROFILES["baseball"].ante for stacks in seen for stack in stacks.values())


def test_a_chip_that_vanishes_is_found(dugout, monkeypatch):
    step = engine.step

    def losing(state, action):
        after = step(state, action)
        if not after.state.finished:
            return after
        first, *others = after.state.players
        poorer = msgspec.structs.replace(first, stack=first.stack - 1)
        return msgspec.structs.replace(after, state=msgspec.structs.replace(after.state, players=(poorer, *others)))

    monkeypatch.setattr(engine, "step", losing)
    failed = dugout("simulate", "--hands", "5", "--json")
    assert 1 == failed.status
    played = json.loads(failed.out)
    assert -5 == played["chip_delta"]
    assert "seed 1, hand 1: " in played["broken"][0]
    assert 1 == dugout("simulate", "--hands", "5").status


def test_people_see_one_row_for_each_game(dugout):
    shown = dugout("simulate", "--hands", "5", "--seed", "2").out.splitlines()
    assert ["PROFILE", "HANDS", "ACTIONS"] == shown[0].split()[:3]
    assert ["baseball", "5"] == shown[1].split()[:2]
    assert "Hands shown:" in shown


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("--profile", "cricket"), "cricket"),
        (("--players", "8"), "baseball seats 2 to 7"),
        (("--players", "1"), "--players"),
        (("--players", "7", "--all"), "baseball-home seats 2 to 6"),
        (("--hands", "0"), "--hands"),
        (("--jobs", "0"), "--jobs"),
        (("--seed", "x"), "--seed"),
    ],
)
def test_bad_usage_names_what_is_allowed(dugout, arguments, named):
    refused = dugout("simulate", *arguments)
    assert (2, "") == refused[:2]
    assert named in refused.err
