"""Every named game against its description, written down once more: amounts in chips, the rest by default."""

import pytest

from engine import PROFILES, Rules
from engine.knobs import Doubling, Fixed, FixedLimit, Free, MatchPot, MatchPotCapped, MinBet, OneUnit
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

NO_BONUS = dict.fromkeys(("bonus_rank", "bonus_price", "bonus_decline", "bonus_face", "bonus_streets", "bonus_mode"))

HI_LO = {"split": "high_low", "low_scale": "A5", "low_qualifier": "eight", "wild_in_low": "wild"}

PAY_THREES = {"wild_ranks": ("9",), "pay_rank": "3", "pay_scope": "every", "pay_decline": "fold"}
NO_PAY = dict.fromkeys(("pay_rank", "pay_price", "pay_scope", "pay_decline"))

ROLLED = HOME | {"reveal_mode": "roll_your_own", "deal_pattern": "7d", "bonus_face": "down"}

MATCHED = (
    BASEBALL
    | PAY_THREES
    | {
        "max_players": 6,
        "pay_price": MatchPot(),
        "bonus_price": Free(),
        "bonus_face": "down",
        "burn": "every_round",
    }
)
HOLE_FOURS = {"hole_bonus": Free(), "hole_bonus_claim": "own_street", "hole_bonus_expose": False}

STUD = BASEBALL | NO_BONUS | {"wild_ranks": ()}

EXPECTED = {
    "baseball": BASEBALL,
    "baseball-free-fours": BASEBALL | {"bonus_price": Free()},
    "baseball-match-pot-fours": BASEBALL | {"bonus_price": MatchPot()},
    "baseball-wild-twos": BASEBALL | {"wild_ranks": ("2", "3", "9")},
    "baseball-one-eyed-jacks": BASEBALL | {"wild_cards": ("Jh", "Js")},
    "baseball-home": HOME,
    "baseball-home-pay-fours": HOME | {"bonus_price": Fixed(840), "bonus_decline": "no_card"},
    "baseball-hi-lo": BASEBALL | HI_LO,
    "baseball-home-pay-threes": HOME | PAY_THREES | {"pay_price": Fixed(840)},
    "night-baseball": ROLLED,
    "no-peek": ROLLED | NO_BONUS,
    "baseball-match-pot": MATCHED,
    "baseball-match-pot-capped": MATCHED | {"pay_price": MatchPotCapped(20)},
    "baseball-match-pot-first-three": MATCHED | {"pay_scope": "first_only"},
    "baseball-match-pot-free-threes": MATCHED | NO_PAY | {"wild_ranks": ("3", "9")},
    "baseball-match-pot-fours-up": MATCHED | {"bonus_face": "up"},
    "baseball-match-pot-replace-fours": MATCHED | {"bonus_mode": "replace"},
    "baseball-match-pot-hole-fours": MATCHED | HOLE_FOURS,
    "baseball-match-pot-hole-fours-buy": MATCHED | HOLE_FOURS | {"hole_bonus": MinBet(2)},
    "baseball-match-pot-hi-lo": MATCHED | HI_LO | {"low_scale": "A6", "low_qualifier": "none"},
    "football": MATCHED | {"wild_ranks": ("6",), "bonus_rank": "2"},
    "woolworth": MATCHED | NO_PAY | {"wild_ranks": ("5", "T"), "bonus_rank": "2"},
    "blind-baseball": MATCHED | {"max_players": 5, "deal_pattern": "2d1u,1u,1u,1u,1u,1u,1d"},
    "rainy-day-baseball": MATCHED | {"rain_card": "Qs", "rain_ante": True, "rain_returns": True},
    "baseball-simple": BASEBALL
    | {
        "max_players": 6,
        "bonus_price": Free(),
        "bonus_face": "up",
        "bring_in": 2,
        "structure": Doubling(2),
        "burn": "every_round",
    },
    "seven-card-stud": STUD,
    "seven-card-stud-hi-lo": STUD | HI_LO,
    "follow-the-queen": STUD | {"wild_ranks": ("Q",), "wild_next_after": "Q"},
}


def test_no_profile_is_unexpected_and_none_is_missing():
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
