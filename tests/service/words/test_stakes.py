"""What is said on players and stakes."""

import pytest

from engine import PROFILES

TITLE = "Players and stakes"


@pytest.mark.parametrize(
    ("knobs", "first"),
    [
        ({}, "2 to 7 players."),
        ({"min_players": 3, "max_players": 3}, "3 players."),
        ({"min_players": 2, "max_players": 5}, "2 to 5 players."),
    ],
)
def test_players(said, knobs, first):
    assert first == said(PROFILES["baseball"].replace(**knobs), TITLE)[0]


def test_amounts_are_in_chips(said):
    home = said(PROFILES["baseball-home"], TITLE)
    assert "Before the deal everybody puts an ante of 1 chip into the pot." in home
    assert "A chip divides into 840 units." in home
    assert "A session is over after 8 pots." in home
    half = PROFILES["baseball"].replace(minor_units=10, ante=25, bring_in=0)
    assert "Before the deal everybody puts an ante of 2 1/2 chips into the pot." in said(half, TITLE)


def test_without_an_ante_or_a_session(said):
    bare = said(PROFILES["baseball"].replace(ante=0), TITLE)
    assert "There is no ante." in bare
    assert not [sentence for sentence in bare if "session" in sentence]


def test_side_pots_belong_to_table_stakes(said):
    assert any("side pot" in sentence for sentence in said(PROFILES["baseball"], TITLE))
    assert not any("side pot" in sentence for sentence in said(PROFILES["baseball-home"], TITLE))
