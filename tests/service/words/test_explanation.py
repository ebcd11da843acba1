"""An explanation follows from the record alone: every knob that matters is heard, in every language."""

import re
from itertools import combinations

import pytest

from engine import PROFILES, Rules, RulesError
from engine.knobs import (
    BonusMode,
    Burn,
    Doubling,
    Exhaustion,
    Fixed,
    FixedLimit,
    Free,
    MatchPot,
    MatchPotCapped,
    MinBet,
    NoLimit,
    OneUnit,
    PotLimit,
    Spread,
)
from service.words import LANGUAGES, differences, explanation, explanation_text

CREDIT = {"stakes": "credit", "minor_units": 840, "ante": 840, "bring_in": 0, "structure": OneUnit(840)}
PAY = {"wild_ranks": ("9",), "pay_rank": "3", "pay_price": MatchPot()}
HOLE = {"hole_bonus": Free()}
HIGH_LOW = {"split": "high_low"}
BEST_SHOWING = {"bring_in": 0}
SHORT_DECK = {"max_players": 7, "burn": Burn.EVERY_ROUND}
# Every knob: rules on which it matters, as changes of baseball, and the values it then takes one after the other.
VARIATIONS = {
    "min_players": [({}, [2, 3, 7])],
    "max_players": [({}, [7, 6, 2])],
    "stakes": [({}, ["table_stakes", "credit"])],
    "minor_units": [({}, [1, 2, 840])],
    "session_pots": [({}, [None, 1, 8])],
    "dealers_choice": [({}, [False, True])],
    "deal_pattern": [({"max_players": 5}, ["2d1u,1u,1u,1u,1d", "2d1u,1u,1u,1u,1u,1u,1d", "3d1u,1u,1u,1u,1u,1d"])],
    "burn": [({}, list(Burn))],
    "exhaustion": [(SHORT_DECK, list(Exhaustion))],
    "reveal_mode": [(BEST_SHOWING, ["stud", "roll_your_own"])],
    "wild_ranks": [({}, [(), ("9",), ("2", "3", "9"), ("K",), ("A", "K", "Q")])],
    "wild_cards": [({}, [(), ("Jh",), ("Jh", "Js")])],
    "wild_next_after": [({}, [None, "Q", "K"])],
    "wild_bring_in": [({}, ["printed", "high"])],
    "double_ace_flush": [({}, [False, True])],
    "five_of_a_kind": [({}, ["above_straight_flush", "below_royal_flush"])],
    "natural_beats_wild": [({}, [False, True])],
    "wild_in_showing": [({}, [True, False])],
    "showing_tie": [({}, ["position", "suit"])],
    "low_scale": [(HIGH_LOW, ["A5", "A6"])],
    "low_qualifier": [(HIGH_LOW, ["eight", "none"])],
    "wild_in_low": [(HIGH_LOW, ["wild", "natural", "excluded"])],
    "pay_rank": [(PAY, ["3", "6", None])],
    "pay_price": [(PAY, [MatchPot(), MatchPotCapped(20), MatchPotCapped(8), Fixed(1), Fixed(2)])],
    "pay_scope": [(PAY, ["every", "first_only"])],
    "pay_decline": [(PAY, ["fold", "natural"])],
    "bonus_rank": [({}, ["4", "2", None])],
    "bonus_streets": [({}, ["all", "not_door"])],
    "bonus_mode": [({}, list(BonusMode)), ({"bonus_price": Free()}, list(BonusMode))],
    "bonus_face": [({}, ["up", "down"]), (HOLE, ["up", "down", "as_trigger"])],
    "bonus_price": [({}, [Free(), Fixed(2), MatchPot(), MatchPotCapped(9), MinBet(2), MinBet(3)])],
    "bonus_decline": [({}, ["fold", "no_card"]), ({"bonus_mode": BonusMode.REPLACE}, ["fold", "no_card"])],
    "hole_bonus": [({}, [None, Free(), Fixed(1), MatchPot(), MinBet(2)])],
    "hole_bonus_claim": [(HOLE, ["own_street", "between_rounds"])],
    "hole_bonus_expose": [(HOLE, [False, True])],
    "short_purchase": [({}, ["all_in", "fold"])],
    "purchase_timing": [
        ({}, ["as_dealt", "after_round"]),
        ({"bonus_mode": BonusMode.REPLACE}, ["as_dealt", "after_round"]),
    ],
    "purchase_to": [({}, ["main_pot", "current_pot"])],
    "match_basis": [(PAY, ["all_pots", "eligible_pots"])],
    "ante": [({}, [1, 0, 2])],
    "bring_in": [({}, [1, 2, 0])],
    "short_bring_in": [({}, ["full_amount", "as_posted"])],
    "first_opener": [],  # follows from the bring-in
    "structure": [
        (
            BEST_SHOWING,
            [
                FixedLimit(2, 4),
                FixedLimit(2, 6),
                OneUnit(2),
                Doubling(2),
                Spread(2, 4),
                PotLimit(2),
                NoLimit(2),
                NoLimit(3),
            ],
        )
    ],
    "high_from_round": [({}, [3, 1, 2, 4, 6])],
    "raise_cap": [({}, [3, 0, 1, 4, None])],
    "heads_up_uncapped": [({}, [False, True])],
    "open_pair_high_bet": [({}, [False, True])],
    "short_raise": [({}, ["half_bet", "full_raise"])],
    "split": [({}, ["high", "high_low"])],
    "odd_unit": [
        ({}, ["high_card_all_cards", "high_card_best_five", "first_left_of_dealer"]),
        ({**CREDIT, "bonus_price": Free()}, ["high_card_all_cards", "exact"]),
    ],
    "rain_card": [({}, [None, "Qs", "Kh"])],
    "rain_ante": [({"rain_card": "Qs"}, [True, False])],
    "rain_returns": [({"rain_card": "Qs"}, [True, False])],
}
WELL_FORMED = re.compile(r"(?!.*(  | [,.]|[,.][,.]|None))(\w[\w, ]*|- (?=\S)[^a-z{}][^{}]*\.|)")
FOLLOWING = {"roll_your_own": {"deal_pattern": "7d", "reveal_mode": "roll_your_own", "bonus_price": Free()}}


def varied(base, knob, value):
    following = FOLLOWING.get(value, {}) if isinstance(value, str) else {}
    game = PROFILES["baseball"].replace(**{**base, **following})
    return game.replace(**{knob: value})


def test_every_knob_is_tried():
    assert list(Rules.__struct_fields__) == list(VARIATIONS)


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("knob", VARIATIONS)
def test_every_value_of_a_knob_that_matters_is_heard(knob, code):
    for base, values in VARIATIONS[knob]:
        games = [varied(base, knob, value) for value in values]
        texts = {explanation_text(game, code) for game in games}
        assert len(games) == len(texts)


def test_the_first_opener_is_told_by_the_bring_in():
    assert "bring-in" in explanation_text(PROFILES["baseball"])
    assert "bring-in" not in explanation_text(PROFILES["baseball-home"])


@pytest.mark.parametrize("code", LANGUAGES)
def test_no_two_games_are_explained_alike(code):
    assert len(PROFILES) == len({explanation_text(rules, code) for rules in PROFILES.values()})


@pytest.mark.parametrize("code", LANGUAGES)
def test_variations_together_can_be_explained(code):
    choices = [
        {**base, **FOLLOWING.get(str(value), {}), knob: value}
        for knob, variations in VARIATIONS.items()
        for base, values in variations
        for value in values[1:]
    ]
    tried = 0
    for one, other in list(combinations(choices, 2))[LANGUAGES.index(code) :: 4 * len(LANGUAGES)]:
        try:
            game = PROFILES["baseball"].replace(**{**one, **other})
        except RulesError:
            continue
        tried += 1
        wrong = [line for line in explanation_text(game, code).splitlines() if not WELL_FORMED.fullmatch(line)]
        assert [] == wrong
    assert tried > 100


@pytest.mark.parametrize("code", [code for code in LANGUAGES if code != "en"])
def test_no_sentence_is_left_in_english(code, said):
    for name, rules in PROFILES.items():
        assert not set(said(rules)) & set(said(rules, code=code)), name
        assert len(said(rules)) == len(said(rules, code=code)), name


def test_the_text_has_headings_and_a_line_for_each_sentence():
    rules = PROFILES["baseball-home"]
    paragraphs = explanation_text(rules).split("\n\n")
    sections = explanation(rules)
    assert [section.title for section in sections] == [paragraph.split("\n")[0] for paragraph in paragraphs]
    assert [[f"- {it}" for it in section.sentences] for section in sections] == [
        paragraph.split("\n")[1:] for paragraph in paragraphs
    ]


def test_a_game_that_has_no_such_thing_does_not_speak_of_it():
    titles = [section.title for section in explanation(PROFILES["seven-card-stud"])]
    assert ["Players and stakes", "The deal", "Wild cards", "Betting", "Showdown"] == titles


def test_differences_are_what_only_one_of_the_two_says():
    [bonus, *rest] = differences(PROFILES["baseball"], PROFILES["baseball-free-fours"])
    assert "Bonus cards" == bonus.title
    assert ("Whoever is dealt a four face up pays 2 chips and gets one more card, face down, or folds.",) == bonus.one
    assert ("Whoever is dealt a four face up gets one more card for nothing, face down.",) == bonus.other
    assert ["Paying for cards", "Betting"] == [difference.title for difference in rest]


@pytest.mark.parametrize("code", LANGUAGES)
def test_differences_turn_round_and_a_game_has_none_from_itself(code):
    one, other = PROFILES["baseball"], PROFILES["night-baseball"]
    assert () == differences(one, one, code)
    turned = [(it.title, it.other, it.one) for it in differences(other, one, code)]
    assert turned == [(it.title, it.one, it.other) for it in differences(one, other, code)]


def test_an_unknown_language_is_refused():
    with pytest.raises(ValueError, match="'fr'"):
        explanation_text(PROFILES["baseball"], "fr")
