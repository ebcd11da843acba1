"""What is said on betting."""

import pytest

from engine import PROFILES
from engine.knobs import Doubling, FixedLimit, NoLimit, OneUnit, PotLimit, Spread
from service.words import Language
from service.words.betting import structure_name

TITLE = "Betting"


@pytest.mark.parametrize(
    ("knobs", "expected"),
    [
        ({}, "Bets and raises are 2 chips, and 4 chips from betting round 3 on."),
        ({"high_from_round": 5}, "Bets and raises are 2 chips, and 4 chips from betting round 5 on."),
        ({"high_from_round": 6}, "Every bet and every raise is 2 chips."),
        ({"high_from_round": 1}, "Every bet and every raise is 4 chips."),
        ({"structure": FixedLimit(3, 3)}, "Every bet and every raise is 3 chips."),
        ({"structure": OneUnit(1)}, "Every bet and every raise is 1 chip."),
        ({"structure": Doubling(1)}, "Every round opens at 1 chip, and every raise doubles the bet."),
    ],
)
def test_the_sizes_of_bets(said, knobs, expected):
    assert expected in said(PROFILES["baseball"].replace(**knobs), TITLE)


@pytest.mark.parametrize(
    ("structure", "english", "spanish"),
    [
        (FixedLimit(2, 4), "limit 2/4", "límite 2/4"),
        (OneUnit(2), "2 a bet", "2 por apuesta"),
        (Doubling(2), "doubling from 2", "doblando desde 2"),
        (Spread(1, 5), "spread 1 to 5", "de 1 a 5"),
        (PotLimit(2), "pot limit from 2", "límite del bote desde 2"),
        (NoLimit(2), "no limit from 2", "sin límite desde 2"),
    ],
)
def test_the_structure_in_short(structure, english, spanish):
    game = PROFILES["baseball"].replace(bring_in=0, structure=structure)
    assert [english, spanish] == [structure_name(Language(code), game) for code in ("en", "es")]


def test_a_bring_in_is_partial_or_full(said):
    partial, full = said(PROFILES["baseball"], TITLE), said(PROFILES["baseball-simple"], TITLE)
    assert "That player, or a later one, may complete it to the full bet of 2 chips." in partial
    assert "The bring-in is a full bet: whoever goes on raises." in full
    assert "The bring-in is a full bet: whoever goes on raises." not in partial


def test_on_credit_nothing_is_short(said):
    table, credit = said(PROFILES["baseball"], TITLE), said(PROFILES["baseball"].replace(stakes="credit"), TITLE)
    assert ["posted short", "all-in"] == [
        word
        for word in ("posted short", "all-in")
        if any(word in it for it in table) and not any(word in it for it in credit)
    ]


def test_wild_doors_are_spoken_of_only_where_there_are_wild_cards(said):
    wild = "For the bring-in a wild card counts as the rank that is printed on it."
    assert wild in said(PROFILES["baseball"], TITLE)
    assert wild not in said(PROFILES["seven-card-stud"], TITLE)


@pytest.mark.parametrize(
    ("knobs", "expected"),
    [
        ({}, "After the opening bet of a round there may be 3 raises."),
        ({"raise_cap": 1}, "After the opening bet of a round there may be 1 raise."),
        ({"raise_cap": 0}, "Nobody may raise."),
        ({"raise_cap": None}, "There may be any number of raises."),
        ({"structure": NoLimit(2)}, "There may be any number of raises."),
    ],
)
def test_the_number_of_raises(said, knobs, expected):
    assert expected in said(PROFILES["baseball"].replace(**knobs), TITLE)


def test_the_moves_are_named_in_the_language(said):
    assert (
        "Moves of this game: fold, check, call, bet, raise, bring in, complete."
        == (said(PROFILES["seven-card-stud"], TITLE)[-1])
    )
    assert (
        "Züge in diesem Spiel: aussteigen, schieben, mitgehen, setzen, erhöhen, aufdecken."
        == (said(PROFILES["no-peek"], "Das Setzen", "de")[-1])
    )
