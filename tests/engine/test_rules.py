"""The record of house rules: its defaults, what follows from what, and reading and writing it."""

import json

import pytest

from engine import PROFILES, Rules, RulesError
from engine.cards import cards_text, parse_cards
from engine.knobs import (
    BonusDecline,
    BonusFace,
    BonusMode,
    BonusStreets,
    Burn,
    Doubling,
    Exhaustion,
    FirstOpener,
    FiveOfAKind,
    Fixed,
    FixedLimit,
    Free,
    MatchBasis,
    MatchPotCapped,
    MinBet,
    NoLimit,
    OddUnit,
    OneUnit,
    PotLimit,
    PurchaseTiming,
    PurchaseTo,
    RevealMode,
    ShortBringIn,
    ShortPurchase,
    ShortRaise,
    ShowingTie,
    Split,
    Spread,
    Stakes,
    WildBringIn,
)
from engine.ranking import STANDARD, Ranking


def test_every_knob_has_the_value_that_is_listed_first():
    expected = {
        "min_players": 2,
        "max_players": 7,
        "stakes": Stakes.TABLE_STAKES,
        "minor_units": 1,
        "session_pots": None,
        "dealers_choice": False,
        "deal_pattern": "2d1u,1u,1u,1u,1d",
        "burn": Burn.NONE,
        "exhaustion": Exhaustion.BURNS_THEN_COMMUNITY,
        "reveal_mode": RevealMode.STUD,
        "wild_ranks": (),
        "wild_cards": (),
        "wild_next_after": None,
        "wild_bring_in": WildBringIn.PRINTED,
        "double_ace_flush": False,
        "five_of_a_kind": FiveOfAKind.ABOVE_STRAIGHT_FLUSH,
        "natural_beats_wild": False,
        "wild_in_showing": True,
        "showing_tie": ShowingTie.POSITION,
        "low_scale": None,
        "low_qualifier": None,
        "wild_in_low": None,
        "pay_rank": None,
        "pay_price": None,
        "pay_scope": None,
        "pay_decline": None,
        "bonus_rank": None,
        "bonus_streets": None,
        "bonus_mode": None,
        "bonus_face": None,
        "bonus_price": None,
        "bonus_decline": None,
        "hole_bonus": None,
        "hole_bonus_claim": None,
        "hole_bonus_expose": None,
        "short_purchase": ShortPurchase.ALL_IN,
        "purchase_timing": PurchaseTiming.AS_DEALT,
        "purchase_to": PurchaseTo.MAIN_POT,
        "match_basis": MatchBasis.ALL_POTS,
        "ante": 0,
        "bring_in": 0,
        "short_bring_in": ShortBringIn.FULL_AMOUNT,
        "first_opener": FirstOpener.BEST_SHOWING,
        "structure": FixedLimit(2, 4),
        "high_from_round": 3,
        "raise_cap": 3,
        "heads_up_uncapped": False,
        "open_pair_high_bet": False,
        "short_raise": ShortRaise.HALF_BET,
        "split": Split.HIGH,
        "odd_unit": OddUnit.HIGH_CARD_ALL_CARDS,
        "rain_card": None,
        "rain_ante": None,
        "rain_returns": None,
    }
    rules = Rules()
    assert expected == {knob: getattr(rules, knob) for knob in rules.__struct_fields__}


def test_a_bonus_rank_brings_the_first_values_of_its_knobs():
    rules = Rules(bonus_rank="4")
    assert (BonusStreets.ALL, BonusMode.EXTRA, BonusFace.UP, Free(), BonusDecline.FOLD, None) == (
        rules.bonus_streets,
        rules.bonus_mode,
        rules.bonus_face,
        rules.bonus_price,
        rules.bonus_decline,
        rules.hole_bonus,
    )


def test_a_bring_in_makes_it_the_opener():
    assert FirstOpener.BRING_IN == Rules(bring_in=1).first_opener


@pytest.mark.parametrize("structure", [PotLimit(2), NoLimit(2)])
def test_pot_and_no_limit_have_no_cap_and_want_a_full_raise(structure):
    rules = Rules(structure=structure, raise_cap=5)
    assert (None, ShortRaise.FULL_RAISE) == (rules.raise_cap, rules.short_raise)


@pytest.mark.parametrize("structure", [FixedLimit(2, 4), OneUnit(1), Doubling(2), Spread(1, 5)])
def test_limit_games_count_half_a_bet(structure):
    assert ShortRaise.HALF_BET == Rules(structure=structure).short_raise
    assert ShortRaise.FULL_RAISE == Rules(structure=structure, short_raise="full_raise").short_raise


# A value


def test_a_record_cannot_be_changed():
    with pytest.raises(AttributeError):
        Rules().ante = 5


def test_equal_records_are_one_value():
    first = Rules(wild_ranks=("9", "3"), wild_cards=["Js", "Jh"])
    second = Rules(wild_ranks={"3", "9"}, wild_cards=("Jh", "Js"))
    assert first == second
    assert hash(first) == hash(second)
    assert (("3", "9"), first) == (first.wild_ranks, {first: first}[second])


def test_names_and_plain_records_are_read_as_values():
    rules = Rules(stakes="credit", burn="every_round", structure={"kind": "one_unit", "bet": 3}, bonus_rank="4",
                  bonus_price={"kind": "match_pot_capped", "cap": 9})  # fmt: skip
    assert (Stakes.CREDIT, Burn.EVERY_ROUND, OneUnit(3), MatchPotCapped(9)) == (
        rules.stakes,
        rules.burn,
        rules.structure,
        rules.bonus_price,
    )
    assert (Stakes, Burn) == (type(rules.stakes), type(rules.burn))


# Changing and reading records


def test_replace_changes_some_knobs_and_checks_the_whole():
    rules = PROFILES["baseball"].replace(ante=5, bonus_price=Free())
    assert (5, Free(), 1) == (rules.ante, rules.bonus_price, rules.bring_in)
    with pytest.raises(RulesError) as refusal:
        PROFILES["baseball"].replace(bonus_rank="9")
    assert ["bonus_rank"] == [violation.field for violation in refusal.value.violations]


def test_what_a_knob_brought_goes_with_it():
    rules = PROFILES["baseball"].replace(bonus_rank=None)
    assert (None, None, None, None, None) == (
        rules.bonus_price,
        rules.bonus_face,
        rules.bonus_mode,
        rules.bonus_streets,
        rules.bonus_decline,
    )
    assert PROFILES["seven-card-stud"] == rules.replace(wild_ranks=())


def test_the_opener_follows_the_bring_in_and_the_short_raise_the_structure():
    rules = PROFILES["baseball"].replace(bring_in=0)
    assert FirstOpener.BEST_SHOWING == rules.first_opener
    assert FirstOpener.BRING_IN == rules.replace(bring_in=2).first_opener
    no_limit = rules.replace(structure=NoLimit(2))
    assert ShortRaise.FULL_RAISE == no_limit.short_raise
    assert ShortRaise.HALF_BET == no_limit.replace(structure=OneUnit(2)).short_raise


def test_replace_does_not_hide_a_contradiction_that_was_asked_for():
    for knobs in ({"bring_in": 0, "first_opener": "bring_in"}, {"bonus_rank": None, "bonus_price": Fixed(1)}):
        with pytest.raises(RulesError):
            PROFILES["baseball"].replace(**knobs)


def test_replace_names_every_unknown_knob():
    with pytest.raises(RulesError) as refusal:
        Rules().replace(antee=1, jokers=2, ante=3)
    assert ["antee", "jokers"] == [violation.field for violation in refusal.value.violations]


@pytest.mark.parametrize("name", PROFILES)
def test_every_profile_survives_json(name):
    rules = PROFILES[name]
    assert rules == Rules(**json.loads(json.dumps(rules.as_record())))


def test_a_record_may_name_a_few_knobs_over_a_base():
    base = PROFILES["baseball"]
    record = {"ante": 3, "structure": {"kind": "fixed_limit", "low": 5, "high": 10}, "wild_ranks": ["9"]}
    rules = base.replace(**record)
    assert base.replace(ante=3, structure=FixedLimit(5, 10), wild_ranks=("9",)) == rules
    assert base == base.replace()


def test_a_record_names_everything_that_cannot_be_read():
    record = {
        "ante": "one",
        "bring_in": 1.5,
        "raise_cap": True,
        "burn": "sometimes",
        "structure": {"kind": "fixed_limit", "low": 2},
        "bonus_price": {"kind": "cheap"},
        "wild_ranks": "39",
        "wild_in_showing": 1,
    }
    with pytest.raises(RulesError) as refusal:
        Rules(**record)
    assert set(record) == {violation.field for violation in refusal.value.violations}
    assert all(violation.reason for violation in refusal.value.violations)


def test_a_record_that_contradicts_itself_names_everything_too():
    with pytest.raises(RulesError) as refusal:
        Rules(ante=-1, bring_in=3, wild_ranks=["1"])
    assert {"ante", "bring_in", "wild_ranks"} == {violation.field for violation in refusal.value.violations}


def test_a_violation_says_field_value_and_reason():
    with pytest.raises(RulesError, match=r"bring_in = 3: must not exceed the low bet of 2"):
        Rules(bring_in=3)


# What follows from a record


@pytest.mark.parametrize(
    ("pattern", "rounds"),
    [
        ("2d1u,1u,1u,1u,1d", ("ddu", "u", "u", "u", "d")),
        ("2d1u,1u,1u,1u,1u,1u,1d", ("ddu", "u", "u", "u", "u", "u", "d")),
        ("3d1u,1u,1u,1u,1u,1d", ("dddu", "u", "u", "u", "u", "d")),
    ],
)
def test_a_deal_pattern_spells_the_rounds(pattern, rounds):
    assert rounds == Rules(max_players=5, deal_pattern=pattern).rounds


def test_wild_cards_are_ranks_and_single_cards():
    rules = PROFILES["baseball-one-eyed-jacks"]
    wild = parse_cards("3c 3d 3h 3s 9c 9d 9h 9s Jh Js")
    assert sum(1 << card for card in wild) == rules.wild_mask
    assert 0 == Rules().wild_mask


def test_the_bonus_cards_are_the_four_of_the_rank():
    mask = Rules(bonus_rank="4").bonus_mask
    assert "4c 4d 4h 4s" == cards_text(card for card in range(52) if mask >> card & 1)
    assert 0 == Rules().bonus_mask


def test_the_ranking_carries_its_knobs():
    assert STANDARD == Rules().ranking
    rules = Rules(double_ace_flush=True, five_of_a_kind="below_royal_flush", natural_beats_wild=True)
    assert (
        Ranking(double_ace_flush=True, five_of_a_kind=FiveOfAKind.BELOW_ROYAL_FLUSH, natural_beats_wild=True)
        == rules.ranking
    )


@pytest.mark.parametrize(
    ("structure", "bet"),
    [(FixedLimit(2, 4), 2), (OneUnit(3), 3), (Doubling(5), 5), (Spread(1, 5), 1), (PotLimit(7), 7), (NoLimit(9), 9)],
)
def test_the_low_bet_is_the_least_of_the_structure(structure, bet):
    assert bet == Rules(structure=structure).low_bet


def test_only_credit_lends():
    assert Rules(stakes=Stakes.CREDIT).credit
    assert not Rules().credit
    assert Fixed(1) != MinBet(1)
