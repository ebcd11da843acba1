"""Impossible records: each violation by its name, and all of them at once."""

import itertools

import msgspec
import pytest

from engine import PROFILES, Rules, RulesError
from engine.knobs import (
    BonusDecline,
    BonusFace,
    BonusMode,
    BonusStreets,
    Burn,
    Doubling,
    FirstOpener,
    Fixed,
    FixedLimit,
    Free,
    HoleBonusClaim,
    LowQualifier,
    LowScale,
    MatchPot,
    MatchPotCapped,
    MinBet,
    NoLimit,
    OddUnit,
    OneUnit,
    PayDecline,
    PayScope,
    PotLimit,
    PurchaseTiming,
    RevealMode,
    ShortRaise,
    Split,
    Spread,
    Stakes,
    WildInLow,
)
from engine.rule_checks import MAX_AMOUNT, deal_rounds

EXACT = {"stakes": Stakes.CREDIT, "odd_unit": OddUnit.EXACT, "minor_units": 840, "structure": OneUnit(840)}


def violations(**knobs):
    """The reasons by field."""
    with pytest.raises(RulesError) as refusal:
        Rules(**knobs)
    for violation in refusal.value.violations:
        assert violation.field in Rules.__struct_fields__
        assert violation.reason
    return {violation.field: violation.reason for violation in refusal.value.violations}


@pytest.mark.parametrize(
    ("knobs", "field"),
    [
        # exact shares
        ({**EXACT, "stakes": Stakes.TABLE_STAKES}, "odd_unit"),
        ({**EXACT, "minor_units": 420, "structure": OneUnit(420)}, "minor_units"),
        ({**EXACT, "minor_units": 841, "structure": OneUnit(841)}, "minor_units"),
        ({**EXACT, "ante": 420}, "ante"),
        ({**EXACT, "bring_in": 1}, "bring_in"),
        ({**EXACT, "structure": OneUnit(841)}, "structure"),
        ({**EXACT, "structure": FixedLimit(840, 1000)}, "structure"),
        ({**EXACT, "bonus_rank": "4", "bonus_price": Fixed(1)}, "bonus_price"),
        ({**EXACT, "bonus_rank": "4", "bonus_price": MatchPotCapped(841)}, "bonus_price"),
        ({**EXACT, "pay_rank": "3", "pay_price": Fixed(839)}, "pay_price"),
        ({**EXACT, "bonus_rank": "4", "hole_bonus": Fixed(839)}, "hole_bonus"),
        # structure against the rest
        ({"stakes": Stakes.CREDIT, "structure": NoLimit(2)}, "structure"),
        ({"structure": PotLimit(2), "short_raise": ShortRaise.HALF_BET}, "short_raise"),
        ({"structure": NoLimit(2), "short_raise": ShortRaise.HALF_BET}, "short_raise"),
        ({"first_opener": FirstOpener.BRING_IN}, "first_opener"),
        ({"first_opener": FirstOpener.BEST_SHOWING, "bring_in": 1}, "first_opener"),
        ({"bring_in": 3, "structure": FixedLimit(2, 4)}, "bring_in"),
        ({"bring_in": 3, "structure": OneUnit(2)}, "bring_in"),
        ({"bring_in": 3, "structure": Spread(2, 9)}, "bring_in"),
        ({"bring_in": 3, "structure": PotLimit(2)}, "bring_in"),
        ({"bring_in": 3, "structure": NoLimit(2)}, "bring_in"),
        ({"bring_in": 1, "structure": Doubling(2)}, "bring_in"),
        ({"structure": FixedLimit(4, 2)}, "structure"),
        ({"structure": Spread(4, 2)}, "structure"),
        ({"open_pair_high_bet": True, "structure": OneUnit(2)}, "open_pair_high_bet"),
        # amounts
        ({"ante": -1}, "ante"),
        ({"bring_in": -1}, "bring_in"),
        ({"ante": MAX_AMOUNT + 1}, "ante"),
        ({"ante": 2**63 - 1}, "ante"),
        ({"ante": 2**70}, "ante"),
        ({"structure": FixedLimit(0, 4)}, "structure"),
        ({"structure": FixedLimit(-2, 4)}, "structure"),
        ({"structure": OneUnit(0)}, "structure"),
        ({"structure": Doubling(0)}, "structure"),
        ({"structure": Spread(0, 4)}, "structure"),
        ({"structure": PotLimit(0)}, "structure"),
        ({"structure": NoLimit(-1)}, "structure"),
        ({"structure": OneUnit(2**63 - 1)}, "structure"),
        ({"bonus_rank": "4", "bonus_price": Fixed(-1)}, "bonus_price"),
        ({"bonus_rank": "4", "bonus_price": MatchPotCapped(-1)}, "bonus_price"),
        ({"bonus_rank": "4", "bonus_price": MinBet(-1)}, "bonus_price"),
        ({"bonus_rank": "4", "bonus_price": MinBet(10**9), "structure": OneUnit(10**9)}, "bonus_price"),
        ({"pay_rank": "3", "pay_price": Fixed(-1)}, "pay_price"),
        ({"raise_cap": -1}, "raise_cap"),
        ({"high_from_round": 0}, "high_from_round"),
        ({"high_from_round": 7}, "high_from_round"),
        ({"minor_units": 0}, "minor_units"),
        ({"minor_units": -840}, "minor_units"),
        ({"session_pots": 0}, "session_pots"),
        ({"session_pots": -8}, "session_pots"),
        # knobs without what they belong to
        ({"pay_price": MatchPot()}, "pay_price"),
        ({"pay_scope": PayScope.EVERY}, "pay_scope"),
        ({"pay_decline": PayDecline.FOLD}, "pay_decline"),
        ({"bonus_streets": BonusStreets.ALL}, "bonus_streets"),
        ({"bonus_mode": BonusMode.EXTRA}, "bonus_mode"),
        ({"bonus_face": BonusFace.UP}, "bonus_face"),
        ({"bonus_price": Free()}, "bonus_price"),
        ({"bonus_price": MatchPotCapped(5)}, "bonus_price"),
        ({"bonus_decline": BonusDecline.FOLD}, "bonus_decline"),
        ({"hole_bonus": Free()}, "hole_bonus"),
        ({"bonus_rank": "4", "hole_bonus_claim": HoleBonusClaim.OWN_STREET}, "hole_bonus_claim"),
        ({"bonus_rank": "4", "hole_bonus_expose": True}, "hole_bonus_expose"),
        ({"low_scale": LowScale.A5}, "low_scale"),
        ({"low_qualifier": LowQualifier.EIGHT}, "low_qualifier"),
        ({"wild_in_low": WildInLow.WILD}, "wild_in_low"),
        ({"rain_ante": True}, "rain_ante"),
        ({"rain_returns": False}, "rain_returns"),
        # ranks and cards
        ({"bonus_rank": "4", "wild_ranks": ("4",)}, "bonus_rank"),
        ({"bonus_rank": "J", "wild_cards": ("Jh",)}, "bonus_rank"),
        ({"pay_rank": "3", "wild_ranks": ("3", "9")}, "pay_rank"),
        ({"wild_ranks": ("1",)}, "wild_ranks"),
        ({"wild_ranks": ("10",)}, "wild_ranks"),
        ({"wild_ranks": ("",)}, "wild_ranks"),
        ({"wild_ranks": ("3", "3")}, "wild_ranks"),
        ({"wild_cards": ("J",)}, "wild_cards"),
        ({"wild_cards": ("Jx",)}, "wild_cards"),
        ({"wild_cards": ("Jh", "Jh")}, "wild_cards"),
        ({"bonus_rank": "four"}, "bonus_rank"),
        ({"pay_rank": ""}, "pay_rank"),
        ({"wild_next_after": "Queen"}, "wild_next_after"),
        ({"rain_card": "Q"}, "rain_card"),
        # seats and cards
        ({"min_players": 1}, "min_players"),
        ({"min_players": 8}, "min_players"),
        ({"min_players": 5, "max_players": 4}, "max_players"),
        ({"max_players": 8}, "max_players"),
        ({"max_players": 6, "deal_pattern": "2d1u,1u,1u,1u,1u,1u,1d"}, "max_players"),
        ({"max_players": 6, "deal_pattern": "3d1u,1u,1u,1u,1u,1d"}, "max_players"),
        ({"deal_pattern": "7d"}, "deal_pattern"),
        ({"deal_pattern": "1d,1u"}, "deal_pattern"),
        ({"deal_pattern": ""}, "deal_pattern"),
        ({"deal_pattern": "2d1u,"}, "deal_pattern"),
        ({"deal_pattern": "0d1u"}, "deal_pattern"),
        ({"deal_pattern": "two down"}, "deal_pattern"),
        ({"deal_pattern": "999999999999u"}, "deal_pattern"),
        ({"reveal_mode": RevealMode.ROLL_YOUR_OWN}, "deal_pattern"),
    ],
)  # fmt: skip
def test_an_impossible_record_is_refused_by_the_name_of_its_field(knobs, field):
    assert field in violations(**knobs)


@pytest.mark.parametrize(
    ("knobs", "fields"),
    [
        (
            {"ante": -1, "bring_in": 9, "raise_cap": -2, "pay_price": Fixed(1), "wild_ranks": ("1",), "max_players": 8},
            {"ante", "bring_in", "raise_cap", "pay_price", "wild_ranks", "max_players"},
        ),
        (
            {**EXACT, "stakes": Stakes.TABLE_STAKES, "minor_units": 100, "ante": 7, "structure": OneUnit(9)},
            {"odd_unit", "minor_units", "ante", "structure"},
        ),
        (
            {"bonus_price": Free(), "bonus_face": BonusFace.UP, "low_scale": LowScale.A6, "rain_ante": False},
            {"bonus_price", "bonus_face", "low_scale", "rain_ante"},
        ),
        (
            {"reveal_mode": RevealMode.ROLL_YOUR_OWN, "deal_pattern": "7d", "high_from_round": 1, "bring_in": 1,
             "split": Split.HIGH_LOW, "bonus_rank": "4", "hole_bonus": Free(), "bonus_mode": BonusMode.REPLACE,
             "purchase_timing": PurchaseTiming.AFTER_ROUND},
            {"bring_in", "split", "hole_bonus", "bonus_mode", "purchase_timing"},
        ),
    ],
)  # fmt: skip
def test_every_violation_is_named_at_once(knobs, fields):
    assert fields == violations(**knobs).keys()


@pytest.mark.parametrize("clash", ["bring_in", "split", "hole_bonus", "bonus_mode", "purchase_timing"])
def test_each_clash_with_roll_your_own_is_named_alone(clash):
    knobs = {"bring_in": 1, "split": "high_low", "hole_bonus": Free(), "bonus_mode": "replace"}
    knobs |= {"purchase_timing": "after_round"}
    rolled = {"reveal_mode": "roll_your_own", "deal_pattern": "7d", "high_from_round": 1, "bonus_rank": "4"}
    assert {clash} == violations(**rolled, **{clash: knobs[clash]}).keys()


@pytest.mark.parametrize(
    "knobs",
    [
        {"reveal_mode": RevealMode.ROLL_YOUR_OWN, "deal_pattern": "7d"},
        {"wild_next_after": "Q", "wild_ranks": ("Q",)},
        {"wild_next_after": "Q"},
        {"pay_rank": "3"},
        {"pay_rank": "4", "bonus_rank": "4"},
        {"bonus_rank": "4", "bonus_mode": BonusMode.REPLACE, "hole_bonus": Free()},
        {"bonus_rank": "4", "hole_bonus": MatchPot(), "hole_bonus_expose": True},
        {"purchase_timing": PurchaseTiming.AFTER_ROUND},
        {"split": Split.HIGH_LOW, "structure": PotLimit(2)},
        {"rain_card": "Qs"},
        {"rain_card": "Qs", "reveal_mode": RevealMode.ROLL_YOUR_OWN, "deal_pattern": "7d"},
        {"split": Split.HIGH_LOW, **EXACT},
    ],
)
def test_what_does_not_contradict_itself_is_played(knobs):
    assert Rules(**knobs)


# Values that are none


NOT_A_KNOB = [object(), 1.5, b"x", ["x"], [[]], {"kind": "none"}, {}, "no such thing", -(2**80), float("nan")]


@pytest.mark.parametrize("field", Rules.__struct_fields__)
def test_a_value_of_a_wrong_kind_names_its_field(field):
    """Unknown, mistyped and unhashable values of any knob: a refusal by name, whatever the value."""
    for value in NOT_A_KNOB:
        with pytest.raises(RulesError) as refusal:
            Rules(**{field: value})
        assert field in {violation.field for violation in refusal.value.violations}


@pytest.mark.parametrize(
    ("knobs", "field"),
    [
        ({"ante": 1.0}, "ante"),
        ({"ante": True}, "ante"),
        ({"ante": "1"}, "ante"),
        ({"ante": None}, "ante"),
        ({"raise_cap": False}, "raise_cap"),
        ({"max_players": 7.0}, "max_players"),
        ({"wild_in_showing": 1}, "wild_in_showing"),
        ({"heads_up_uncapped": 0}, "heads_up_uncapped"),
        ({"structure": FixedLimit(2.0, 4)}, "structure"),
        ({"structure": FixedLimit(2, None)}, "structure"),
        ({"structure": OneUnit("1")}, "structure"),
        ({"structure": Fixed(2)}, "structure"),
        ({"structure": {"kind": "fixed_limit", "low": 2}}, "structure"),
        ({"bonus_rank": "4", "bonus_price": Fixed(2.0)}, "bonus_price"),
        ({"bonus_rank": "4", "bonus_price": FixedLimit(2, 4)}, "bonus_price"),
        ({"wild_ranks": "39"}, "wild_ranks"),
        ({"wild_ranks": (3, 9)}, "wild_ranks"),
        ({"wild_ranks": None}, "wild_ranks"),
        ({"wild_cards": [["Jh"]]}, "wild_cards"),
        ({"bonus_rank": 4}, "bonus_rank"),
    ],
)
def test_a_look_alike_is_refused_even_after_the_real_value(knobs, field):
    """1.0 and True equal 1: money is neither."""
    Rules(ante=1)
    Rules(bonus_rank="4", bonus_price=Fixed(2))
    assert {field} == violations(**knobs).keys()


def test_all_mistyped_values_are_named_at_once():
    assert {"ante", "burn", "wild_ranks", "structure"} == violations(
        ante="1", burn="never", wild_ranks=7, structure=None
    ).keys()


# Section by section: what must be possible


def test_amounts_may_be_as_large_as_the_limit():
    rules = Rules(ante=MAX_AMOUNT, structure=FixedLimit(MAX_AMOUNT, MAX_AMOUNT))
    assert MAX_AMOUNT == rules.low_bet


@pytest.mark.parametrize("structure", [FixedLimit(2, 2), Spread(2, 2)])
def test_equal_bounds_are_no_contradiction(structure):
    assert structure == Rules(structure=structure).structure


def test_a_price_of_nothing_is_allowed():
    assert Fixed(0) == Rules(bonus_rank="4", bonus_price=Fixed(0)).bonus_price


def test_a_full_bring_in_is_allowed_where_raises_double():
    assert 2 == Rules(bring_in=2, structure=Doubling(2)).bring_in


def test_exact_shares_need_whole_chips_only():
    rules = Rules(**EXACT | {"minor_units": 1680, "ante": 1680, "structure": OneUnit(3360)})
    assert 1680 == rules.minor_units


PATTERNS = ("2d1u,1u,1u,1u,1d", "2d1u,1u,1u,1u,1u,1u,1d", "3d1u,1u,1u,1u,1u,1d")


@pytest.mark.parametrize(("players", "pattern", "burn"), list(itertools.product(range(2, 9), PATTERNS, Burn)))
def test_the_deck_bounds_the_table(players, pattern, burn):
    """players x cards fit, and players x (cards - 1) + 4 + burns before the last round fit."""
    rounds = pattern.count(",") + 1
    cards = {5: 7, 7: 9, 6: 9}[rounds]
    burns = {Burn.NONE: 0, Burn.EVERY_ROUND: rounds - 1, Burn.NOT_FIRST: rounds - 2}[burn]
    fits = players * cards <= 52 and players * (cards - 1) + 4 + burns <= 52 and players <= 7
    if fits:
        assert players == Rules(max_players=players, deal_pattern=pattern, burn=burn).max_players
    else:
        assert "max_players" in violations(max_players=players, deal_pattern=pattern, burn=burn)
    assert fits == (players <= {7: 7, 9: 5}[cards])


@pytest.mark.parametrize(
    ("text", "rounds"), [("2d1u,1u", ("ddu", "u")), ("7d", ("ddddddd",)), ("1u1d1u", ("udu",)), ("12u", ("u" * 12,))]
)
def test_rounds_are_spelled_out(text, rounds):
    assert rounds == deal_rounds(text)


@pytest.mark.parametrize("text", ["", ",", "d", "2", "2x", "-1d", "01d", "1d,", "1d 1u", "1D", "1d\n"])
def test_text_that_is_no_pattern_is_named(text):
    with pytest.raises(ValueError, match="is not a deal pattern"):
        deal_rounds(text)


def test_every_knob_is_checked_when_a_stored_record_is_read():
    stored = msgspec.json.decode(msgspec.json.encode(PROFILES["baseball"]))
    at = Rules.__struct_fields__.index("ante")
    stored[at] = -5
    with pytest.raises(msgspec.ValidationError, match="ante = -5"):
        msgspec.json.decode(msgspec.json.encode(stored), type=Rules)


@pytest.mark.parametrize("knob", ["wild_ranks", "wild_cards"])
def test_a_list_longer_than_the_deck_is_one_violation_that_does_not_repeat_it(knob) -> None:
    with pytest.raises(RulesError) as refusal:
        Rules(**{knob: ("?",) * 53})
    [violation] = refusal.value.violations
    assert (knob, "53 entries", "must be at most 52, each once") == (
        violation.field,
        violation.value,
        violation.reason,
    )
