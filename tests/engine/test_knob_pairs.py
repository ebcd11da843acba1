"""Every pair of knobs either works together or is refused, and only what the rules call impossible is refused."""

import random
from itertools import combinations

import pytest

from engine import Rules, RulesError
from engine.cards import parse_cards
from engine.knobs import (
    Doubling,
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
from tests.engine.random_hands import Setting, random_setting
from tests.engine.test_random_hands import check_hand

PAY = {"pay_rank": "3"}
BONUS = {"bonus_rank": "4"}
HOLE = {**BONUS, "hole_bonus": Free()}
LOW = {"split": "high_low"}
RAIN = {"rain_card": "Qs"}
OPENED = {"bring_in": 1}
ROLLED = {"deal_pattern": "7d"}
CHIPS = {"stakes": "credit", "minor_units": 840, "structure": OneUnit(840), "ante": 840}

VALUES = {
    "min_players": [(3, {})],
    "max_players": [(2, {}), (5, {})],
    "stakes": [("credit", {})],
    "minor_units": [(100, {})],
    "session_pots": [(8, {})],
    "dealers_choice": [(True, {})],
    "deal_pattern": [("2d1u,1u,1u,1u,1u,1u,1d", {"max_players": 5}), ("3d1u,1u,1u,1u,1u,1d", {"max_players": 5})],
    "burn": [("every_round", {}), ("every_round_but_the_first", {})],
    "exhaustion": [("community", {}), ("recycle_folded", {})],
    "reveal_mode": [("roll_your_own", ROLLED)],
    "wild_ranks": [(("9", "T"), {})],
    "wild_cards": [(("Jh", "Js"), {})],
    "wild_next_after": [("Q", {}), ("9", {})],
    "wild_bring_in": [("high", {**OPENED, "wild_ranks": ("9",)})],
    "double_ace_flush": [(True, {"wild_ranks": ("9",)})],
    "five_of_a_kind": [("below_royal_flush", {"wild_ranks": ("9",)})],
    "natural_beats_wild": [(True, {"wild_ranks": ("9",)})],
    "wild_in_showing": [(False, {"wild_ranks": ("9",)})],
    "showing_tie": [("suit", {})],
    "split": [("high_low", {})],
    "low_scale": [("A6", LOW)],
    "low_qualifier": [("none", LOW)],
    "wild_in_low": [("natural", LOW), ("excluded", LOW)],
    "pay_rank": [("3", {}), ("4", {}), ("9", {})],
    "pay_price": [(MatchPotCapped(3), PAY), (Fixed(2), PAY)],
    "pay_scope": [("first_only", PAY)],
    "pay_decline": [("natural", PAY)],
    "bonus_rank": [("4", {}), ("9", {})],
    "bonus_streets": [("not_door", BONUS)],
    "bonus_mode": [("replace", BONUS)],
    "bonus_face": [("down", BONUS), ("as_trigger", BONUS)],
    "bonus_price": [(Fixed(2), BONUS), (MatchPot(), BONUS), (MatchPotCapped(3), BONUS), (MinBet(2), BONUS)],
    "bonus_decline": [("no_card", {**BONUS, "bonus_price": Fixed(2)})],
    "hole_bonus": [(Free(), BONUS), (MinBet(2), BONUS), (MatchPot(), BONUS)],
    "hole_bonus_claim": [("between_rounds", HOLE)],
    "hole_bonus_expose": [(True, HOLE)],
    "short_purchase": [("fold", {**PAY, **BONUS, "bonus_price": Fixed(2)})],
    "purchase_timing": [("after_round", {**PAY, **BONUS, "bonus_price": Fixed(2)})],
    "purchase_to": [("current_pot", PAY)],
    "match_basis": [("eligible_pots", PAY)],
    "ante": [(0, {}), (3, {})],
    "bring_in": [(1, {}), (2, {})],
    "short_bring_in": [("as_posted", OPENED)],
    "structure": [(OneUnit(2), {}), (Doubling(2), {}), (Spread(2, 5), {}), (PotLimit(2), {}), (NoLimit(2), {})],
    "high_from_round": [(1, {}), (4, {})],
    "raise_cap": [(0, {}), (None, {})],
    "heads_up_uncapped": [(True, {})],
    "open_pair_high_bet": [(True, {})],
    "short_raise": [("half_bet", {}), ("full_raise", {})],
    "odd_unit": [("high_card_best_five", {}), ("first_left_of_dealer", {}), ("exact", CHIPS)],
    "rain_card": [("Qs", {}), ("4d", {})],
    "rain_ante": [(False, RAIN)],
    "rain_returns": [(False, RAIN)],
}  # fmt: skip
"""Each knob's values besides the default, and what a value needs in order to mean something."""

CHOICES = [(knob, value, basis) for knob, values in VALUES.items() for value, basis in values]

NOT_WITH_ROLLING = {
    "split", "low_scale", "low_qualifier", "wild_in_low", "hole_bonus", "hole_bonus_claim", "hole_bonus_expose",
    "bring_in", "wild_bring_in", "short_bring_in", "purchase_timing", "deal_pattern",
}  # fmt: skip
NINE_CARDS = {"2d1u,1u,1u,1u,1u,1u,1d", "3d1u,1u,1u,1u,1u,1d"}
HOT = parse_cards("3c 3d 3h 3s 4c 4d 4h 4s 9c 9d 9h 9s Qc Qd Qh Qs Jh Js As Ac 2c 7d")


def combined(first, second):
    """The two values over what each of them needs; neither value gives way."""
    basis = {"ante": 1, **first[2], **second[2]}
    return {**basis, first[0]: first[1], second[0]: second[1]}


def impossible(first, second):
    """Whether the rules (section 4) name this pair, or one of its values beside the basis of the other."""
    knobs = combined(first, second)
    structure = knobs.get("structure", FixedLimit(2, 4))
    rolled = knobs.get("reveal_mode") == "roll_your_own"
    seats = knobs.get("max_players", 7)
    exact = knobs.get("odd_unit") == "exact"
    credit = knobs.get("stakes") == "credit"
    low_bet = {FixedLimit: 2, OneUnit: getattr(structure, "bet", 0)}.get(type(structure), 2)
    unlimited = isinstance(structure, PotLimit | NoLimit)
    return any(
        (
            rolled and {first[0], second[0]} & NOT_WITH_ROLLING,
            rolled and knobs.get("bonus_mode") == "replace",
            knobs.get("deal_pattern") in NINE_CARDS and seats > 5,
            knobs.get("min_players", 2) > seats,
            isinstance(structure, NoLimit) and credit,
            unlimited and knobs.get("short_raise") == "half_bet",
            isinstance(structure, Doubling) and knobs.get("bring_in") == 1,
            knobs.get("bring_in", 0) > low_bet,
            knobs.get("open_pair_high_bet") and not isinstance(structure, FixedLimit),
            {knobs.get("pay_rank"), knobs.get("bonus_rank")} & {*knobs.get("wild_ranks", ())},
            exact and not only_whole_chips(knobs, structure),
        )
    )


def only_whole_chips(knobs, structure):
    """Whether stakes, units and every amount fit exact shares; prices in pots and in bets need not be whole."""
    unit = knobs["minor_units"]
    prices = [knobs.get(knob) for knob in ("pay_price", "bonus_price", "hole_bonus")]
    amounts = [
        price.amount if isinstance(price, Fixed) else price.cap
        for price in prices
        if isinstance(price, Fixed | MatchPotCapped)
    ]
    amounts += [knobs["ante"], knobs.get("bring_in", 0)]
    amounts += [getattr(structure, name) for name in structure.__struct_fields__]
    return knobs["stakes"] == "credit" and unit % 840 == 0 and not any(amount % unit for amount in amounts)


def hot_setting(rng, rules):
    """A hand whose first cards are those that mean something."""
    setting: Setting = random_setting(rng, rules)
    early = rng.sample(HOT, len(HOT))
    late = rng.sample(sorted(set(range(52)) - set(HOT)), 52 - len(HOT))
    deck = [*rng.sample(early + late[:14], len(HOT) + 14), *late[14:]]
    return setting._replace(deck=tuple(deck))


def attempt(knobs):
    """Return the rules, or None and what is wrong with them."""
    try:
        return Rules(**knobs), ()
    except RulesError as refusal:
        return None, refusal.violations


@pytest.mark.parametrize("knob", VALUES)
def test_each_value_is_possible_beside_its_basis(knob):
    for value, basis in VALUES[knob]:
        rules = Rules(**{"ante": 1, **basis, knob: value})
        assert value == getattr(rules, knob)
        rng = random.Random(f"{knob} {value}")
        for _ in range(3):
            check_hand(rng, hot_setting(rng, rules), leave=0.02)


@pytest.mark.parametrize("knob", VALUES)
def test_each_pair_is_refused_with_reasons_or_played(knob):
    """A pair is looked at with the knob that comes first in the record."""
    rng = random.Random(knob)
    for first, second in combinations(CHOICES, 2):
        if first[0] != knob or second[0] == knob:
            continue
        rules, violations = attempt(combined(first, second))
        assert impossible(first, second) == bool(violations), f"{first[:2]} with {second[:2]}: {violations}"
        if rules is None:
            assert all(violation.field and violation.reason for violation in violations)
            continue
        check_hand(rng, hot_setting(rng, rules), leave=0.02)


def test_every_knob_has_a_value_here():
    assert set(Rules.__struct_fields__) - {"first_opener"} == VALUES.keys()


def test_the_first_opener_follows_the_bring_in():
    for bring_in, opener, other in ((0, "best_showing", "bring_in"), (1, "bring_in", "best_showing")):
        assert opener == Rules(bring_in=bring_in).first_opener
        with pytest.raises(RulesError, match="first_opener"):
            Rules(bring_in=bring_in, first_opener=other)
