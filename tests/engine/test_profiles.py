"""Every named game against its description, written down once more: amounts in chips, the rest by default."""

import pytest

from engine import PROFILES, Rules
from engine.knobs import Doubling, Fixed, FixedLimit, Free, MatchPot, OneUnit
from engine.rule_checks import violations_of

BASEBALL = {
    "min_players": 2,
    "max_players": 7,
    "stakes": "table_stakes",
    "minor_units": 1,
    "session_pots": None,
    "deal_pattern": "2d1u,1u,1u,1u,1d",
    "burn": "none",
    "wild_ranks": ("3", "9"),
    "wild_cards": (),
    "bonus_rank": "4",
    "bonus_price": Fixed(2),
    "bonus_decline": "fold",
    "bonus_face": "down",
    "bonus_streets": "all",
    "bonus_mode": "extra",
    "ante": 1,
    "bring_in": 1,
    "first_opener": "bring_in",
    "structure": FixedLimit(2, 4),
    "high_from_round": 3,
    "raise_cap": 3,
    "short_raise": "half_bet",
    "odd_unit": "high_card_all_cards",
    "split": "high",
}

HOME = BASEBALL | {
    "max_players": 6,
    "stakes": "credit",
    "minor_units": 840,
    "session_pots": 8,
    "bonus_price": Free(),
    "bonus_face": "up",
    "ante": 840,
    "bring_in": 0,
    "first_opener": "best_showing",
    "structure": OneUnit(840),
    "odd_unit": "exact",
}

NO_BONUS = dict.fromkeys(
    ("bonus_rank", "bonus_price", "bonus_decline", "bonus_face", "bonus_streets", "bonus_mode"), None
)

EXPECTED = {
    "baseball": BASEBALL,
    "baseball-free-fours": BASEBALL | {"bonus_price": Free()},
    "baseball-match-pot-fours": BASEBALL | {"bonus_price": MatchPot()},
    "baseball-wild-twos": BASEBALL | {"wild_ranks": ("2", "3", "9")},
    "baseball-one-eyed-jacks": BASEBALL | {"wild_cards": ("Jh", "Js")},
    "baseball-home": HOME,
    "baseball-home-pay-fours": HOME | {"bonus_price": Fixed(840), "bonus_decline": "no_card"},
    "baseball-simple": BASEBALL
    | {
        "max_players": 6,
        "bonus_price": Free(),
        "bonus_face": "up",
        "bring_in": 2,
        "structure": Doubling(2),
        "burn": "every_round",
    },
    "seven-card-stud": BASEBALL | NO_BONUS | {"wild_ranks": ()},
}


def test_no_profile_is_unexpected_and_none_is_missing():
    """Those not listed here need knobs that are not played yet."""
    assert EXPECTED.keys() == PROFILES.keys()


@pytest.mark.parametrize("name", EXPECTED)
def test_a_profile_is_what_its_description_says(name):
    assert EXPECTED[name] == {knob: getattr(PROFILES[name], knob) for knob in EXPECTED[name]}


@pytest.mark.parametrize("name", EXPECTED)
def test_every_knob_that_is_not_named_has_its_default(name):
    profile, default = PROFILES[name], Rules()
    others = set(Rules.__struct_fields__) - EXPECTED[name].keys()
    assert {knob: getattr(default, knob) for knob in others} == {knob: getattr(profile, knob) for knob in others}


@pytest.mark.parametrize("name", EXPECTED)
def test_every_profile_is_possible(name):
    assert () == violations_of(PROFILES[name])


def test_profiles_are_different_games():
    assert len(PROFILES) == len(set(PROFILES.values()))


def test_nobody_can_change_the_list():
    with pytest.raises(TypeError):
        PROFILES["baseball"] = Rules()
