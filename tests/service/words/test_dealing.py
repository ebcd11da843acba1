"""What is said on the deal and on rolling."""

import pytest

from engine import PROFILES
from engine.knobs import Burn, Exhaustion

SHORT = "If the deck is too short"


@pytest.mark.parametrize(
    ("pattern", "first", "rounds", "total"),
    [
        ("2d1u,1u,1u,1u,1d", "2 cards face down and 1 card face up", "3 rounds", "7 cards each"),
        ("2d1u,1u,1u,1u,1u,1u,1d", "2 cards face down and 1 card face up", "5 rounds", "9 cards each"),
        ("3d1u,1u,1u,1u,1u,1d", "3 cards face down and 1 card face up", "4 rounds", "9 cards each"),
    ],
)
def test_the_rounds_follow_from_the_pattern(said, pattern, first, rounds, total):
    deal = said(PROFILES["baseball"].replace(max_players=5, deal_pattern=pattern), "The deal")
    assert f"First everybody gets {first}." == deal[0]
    assert rounds in deal[1]
    assert total in deal[2]


@pytest.mark.parametrize(
    ("knobs", "expected"),
    [
        ({"max_players": 6}, None),
        ({"max_players": 6, "burn": Burn.EVERY_ROUND}, None),
        ({"max_players": 7}, "one card face up in the middle counts for everybody instead."),
        ({"max_players": 7, "burn": Burn.EVERY_ROUND}, "the burned cards come back"),
        ({"max_players": 7, "burn": Burn.EVERY_ROUND, "exhaustion": Exhaustion.COMMUNITY}, "everybody instead."),
        ({"max_players": 7, "exhaustion": Exhaustion.RECYCLE_FOLDED}, "those of folded players"),
    ],
)
def test_a_short_deck_is_spoken_of_only_where_it_can_be_short(said, knobs, expected):
    [*found] = [it for it in said(PROFILES["baseball"].replace(**knobs), "The deal") if it.startswith(SHORT)]
    assert (expected is not None) == bool(found)
    assert expected is None or expected in found[0]


def test_without_bonus_cards_and_burns_seven_players_have_enough_cards(said):
    assert not [it for it in said(PROFILES["seven-card-stud"], "The deal") if it.startswith(SHORT)]


def test_only_rolled_games_speak_of_rolling(said):
    assert 6 == len(said(PROFILES["night-baseball"], "Rolling the cards"))
    assert (
        "Everybody gets 7 cards face down, and nobody may look at them, not even their holder."
        == (said(PROFILES["night-baseball"], "The deal")[0])
    )
    assert [] == said(PROFILES["baseball"], "Rolling the cards")
