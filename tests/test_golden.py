"""Play comes to what was recorded; who means to change play says why and runs ``make golden``."""

import subprocess
import sys

import pytest

from engine import PROFILES
from tests.golden import DECKS, SAMPLE_HANDS, SEED, action_tree, recorded, signatures

CHANGED = "play has changed: if that is meant, run make golden ARGS='--reason \"…\"'"


def test_every_game_is_recorded_with_a_reason():
    content = recorded()
    assert list(PROFILES) == list(content["signatures"])
    by_hands = [str(SAMPLE_HANDS), str(content["hands"])]
    assert all(by_hands == list(signed) for signed in content["signatures"].values())
    assert SEED == content["seed"]
    assert content["reasons"]
    assert all(len(reason.split()) > 2 for reason in content["reasons"])


@pytest.mark.parametrize("profile", PROFILES)
def test_the_first_hands_are_played_as_recorded(profile):
    signed = {str(SAMPLE_HANDS): recorded()["signatures"][profile][str(SAMPLE_HANDS)]}
    assert signed == signatures(profile, [SAMPLE_HANDS]), CHANGED


def test_the_games_differ():
    content = recorded()
    signed = [by_hands[str(content["hands"])] for by_hands in content["signatures"].values()]
    assert len(set(signed)) > len(signed) - 3  # a few differ only in cards that hardly ever decide


@pytest.mark.parametrize("profile", DECKS)
def test_everything_that_can_be_done_from_a_fixed_deck_is_as_recorded(profile):
    assert recorded()["action_trees"][profile] == action_tree(profile), CHANGED


def test_the_trees_reach_what_makes_their_games_special():
    trees = recorded()["action_trees"]
    assert list(DECKS) == list(trees)
    kinds = {profile: set(tree["kinds"]) for profile, tree in trees.items()}
    assert {"buy", "decline"} <= kinds["baseball"] & kinds["baseball-match-pot"]
    assert {"replace", "keep"} <= kinds["baseball-match-pot-replace-fours"]
    assert "roll" in kinds["night-baseball"]
    assert trees["rainy-day-baseball"]["rained_out"]
    assert all(tree["over"] for tree in trees.values())


def test_nothing_is_recorded_without_a_reason():
    command = [sys.executable, "-m", "tests.golden"]
    refused = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert 2 == refused.returncode
    assert "--reason" in refused.stderr
