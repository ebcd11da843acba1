"""``dugout bench engine``: what is printed, not how fast it was."""

import json
import random

import pytest

from engine import PROFILES
from service.cli import engine_bench
from service.snapshot import decode_table, encode_table


@pytest.fixture
def quick(monkeypatch):
    for name, few in (("_ROUNDS", 1), ("_OUR_HANDS", 2), ("_THEIR_HANDS", 2), ("_STEPS", 5), ("_SNAPSHOT_REPEATS", 1)):
        monkeypatch.setattr(engine_bench, name, few)


def test_the_json_has_rows_and_ratios(dugout, quick):
    done = dugout("bench", "engine", "--json")
    assert (0, "") == (done.status, done.err)
    measured = json.loads(done.out)
    assert ["rows", "ratios"] == list(measured)
    assert all(["name", "value", "unit"] == list(row) for row in measured["rows"])
    values = {row["name"]: row["value"] for row in measured["rows"]}
    assert {f"step, {name}" for name in PROFILES} <= set(values)
    assert all(value > 0 for value in values.values())
    assert list(measured["ratios"]) == ["dugout/pokerkit hands per second"]


def test_people_see_a_table_and_the_ratio(dugout, quick):
    lines = dugout("bench", "engine").out.splitlines()
    assert "hands/s" == lines[0].split()[-1]
    assert lines[-1].startswith("dugout/pokerkit hands per second: ")


def test_a_part_that_cannot_be_measured_is_bad_usage(dugout):
    refused = dugout("bench", "weather")
    assert (2, "") == refused[:2]
    assert "engine" in refused.err


@pytest.mark.parametrize("profile", PROFILES)
def test_a_snapshot_of_six_players_late_in_a_hand_is_small(profile):
    table = engine_bench._late_table(profile, PROFILES[profile])
    assert min(6, PROFILES[profile].max_players) == len(table.seats)
    data = encode_table(table)
    assert table == decode_table(data)
    assert len(data) <= 1536


def test_nobody_folds_who_owes_nothing():
    rng = random.Random(3)
    state = engine_bench._start(PROFILES["seven-card-stud"], rng)
    while not state.finished:
        action = engine_bench._choose(state, rng)
        owes = state.phase == "bring_in" or state.player(state.actor).bet < state.betting.level
        assert owes or action.kind != "fold"
        state = engine_bench.engine.step(state, action).state
