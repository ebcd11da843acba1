"""Paying the pots: high and low halves, ties in each, odd units, side pots."""

import pytest

import engine
from engine import PROFILES, Rules
from engine.cards import cards_text, parse_card
from engine.events import HandShown, PotAwarded
from engine.knobs import (
    LowQualifier,
    LowScale,
    NoLimit,
    OddUnit,
    OneUnit,
    Split,
    Stakes,
    WildInLow,
)
from tests.engine.play import deal

HI_LO = Rules(structure=OneUnit(1), split=Split.HIGH_LOW)
BASEBALL_HI_LO = PROFILES["baseball-hi-lo"]


def awards(hands, pot=0, rules=HI_LO, stacks=100, **more):
    """Check a hand down; return the parts of the pots that were paid, as (half, {seat: share})."""
    hand = deal(rules, hands, stacks, carry=pot, **more).check_down()
    return [(str(event.half), dict(event.shares)) for event in hand.all(PotAwarded)]


def lows(hand):
    return {event.seat: cards_text(event.low) for event in hand.all(HandShown)}


# The worked example: three hands, three ways to use a wild card in the low


WORKED = {
    1: "(4c As) Kd 2d 6h 9c (Ks)",
    2: "(3h Ah) Jc 2c 5s 7d (Js)",
    3: "(8c Ad) Qc 5h 7s Qd (Tc)",
}


def worked(mode):
    rules = BASEBALL_HI_LO.replace(wild_in_low=mode, bring_in=0, ante=0)
    return deal(rules, WORKED, carry=30).check_down()


def test_wild_cards_stand_for_whatever_makes_the_best_low():
    """The first hand scoops: three kings and 6-4-3-2-A."""
    hand = worked(WildInLow.WILD)
    assert [("high", 15), ("low", 15)] == [(event.half, event.amount) for event in hand.all(PotAwarded)]
    assert (1,) == hand.state.winners
    assert {"As", "2d", "4c", "6h", "9c"} == set(lows(hand)[1].split())
    shown = next(event for event in hand.all(HandShown) if event.seat == 1)
    assert "three kings" in engine.describe(shown.value).words


def test_wild_cards_may_count_only_with_their_printed_rank():
    """The second hand wins the low with 7-5-3-2-A."""
    hand = worked(WildInLow.NATURAL)
    assert [{1: 15}, {2: 15}] == [dict(event.shares) for event in hand.all(PotAwarded)]
    assert "7d 5s 3h 2c Ah" == lows(hand)[2]


def test_wild_cards_may_be_excluded_from_the_low():
    """Nobody qualifies, the high takes everything."""
    hand = worked(WildInLow.EXCLUDED)
    assert [("whole", {1: 30})] == [(event.half, dict(event.shares)) for event in hand.all(PotAwarded)]
    assert {1: "", 2: "", 3: ""} == lows(hand)


# Scales and qualifiers


@pytest.mark.parametrize(("scale", "winners"), [(LowScale.A5, {1}), (LowScale.A6, {1, 2})])
def test_the_perfect_low_where_straights_count(scale, winners):
    """9c 4d 2h As 5h Kd Qh: 5-4-3-2-A in A5, and in A6 6-5-4-2-A, which only ties with the same hand without a wild."""
    hands = {1: "(4d 2h) 9c 5h As Kd (Qh)", 2: "(6s 5d) Ac 4h 2s Js (Td)"}
    rules = HI_LO.replace(low_scale=scale, wild_ranks=("9",))
    parts = awards(hands, 20, rules)
    assert ("low", winners) == (parts[1][0], parts[1][1].keys())


def test_a_wild_card_completes_no_straight_against_its_holder():
    """5-4-3-2 and a wild: the wheel in A5; in A6 neither the ace nor the 6 but the 7, and 7-5-4-3-A is lower."""
    hands = {1: "(5d 4d) 9c 3h 2s Kd (Qh)", 2: "(7s 5s) Ac 4h 3s Js (Td)"}
    for scale, winner in ((LowScale.A5, 1), (LowScale.A6, 2)):
        assert ("low", {winner: 10}) == awards(hands, 20, HI_LO.replace(low_scale=scale, wild_ranks=("9",)))[1]


STRAIGHT_TO_THE_FIVE = {1: "(5c 4d) 3h 2s Ac Kd (Qh)", 2: "(7c 6d) 4h 3s 2c Js (Jh)"}


@pytest.mark.parametrize(("scale", "winner"), [(LowScale.A5, 1), (LowScale.A6, 2)])
def test_a_straight_is_the_best_low_or_none_at_all(scale, winner):
    """A5: 5-4-3-2-A; A6: Q-4-3-2-A, which loses to 7-6-4-3-2."""
    rules = HI_LO.replace(low_scale=scale, low_qualifier=LowQualifier.NONE)
    assert [("high", {1: 5}), ("low", {winner: 5})] == awards(STRAIGHT_TO_THE_FIVE, 10, rules)


@pytest.mark.parametrize(
    ("qualifier", "expected"),
    [("eight", [("whole", {1: 10})]), ("none", [("high", {1: 5}), ("low", {2: 5})])],
)
def test_a_nine_is_no_low_where_eight_must_qualify(qualifier, expected):
    hands = {1: "(Ks Kd) Kh 8c 6d Qs (5h)", 2: "(9c 7d) 4h 3s 2c Js (Jh)"}
    assert expected == awards(hands, 10, HI_LO.replace(low_qualifier=qualifier))


def test_without_a_qualifier_the_weaker_hand_is_the_lower():
    """Threes and twos, the lowest two pair that seat 1 can make, are lower than queens and threes."""
    hands = {
        1: "(2s 2d) 2h 3c 3d Ks (Kd)",
        2: "(3s 3h) Kh Kc Qs Qd (Qh)",
    }
    rules = HI_LO.replace(low_qualifier="none")
    assert [("high", {2: 5}), ("low", {1: 5})] == awards(hands, 10, rules)


def test_an_eight_may_be_the_lows_highest_card():
    hands = {1: "(Ks Kd) Kh 8c 6d Qs (Qh)", 2: "(8s 7d) 4h 3s 2c Js (Jh)"}
    assert [("high", {1: 5}), ("low", {2: 5})] == awards(hands, 10)


def test_pairs_are_no_low_that_qualifies():
    hands = {1: "(Ks Kd) Kh 9c 6d Qs (Qh)", 2: "(8s 8d) 4h 4s 2c 2h (As)"}
    assert [("whole", {1: 10})] == awards(hands, 10)


def test_high_and_low_are_two_choices_of_five():
    """One player: a flush in hearts and 6-4-3-2-A."""
    hands = {1: "(Kh 9h) 6h 4h 3h 2s (Ac)", 2: "(Qs Qd) 8c 7d 5s Jc (Td)"}
    hand = deal(HI_LO, hands, carry=10).check_down()
    assert (1,) == hand.state.winners
    assert [5, 5] == [event.amount for event in hand.all(PotAwarded)]
    shown = next(event for event in hand.all(HandShown) if event.seat == 1)
    assert ("flush", "6h 4h 3h 2s Ac") == (engine.describe(shown.value).category, cards_text(shown.low))
    assert parse_card("Kh") in shown.best


def test_the_same_wild_card_may_be_two_different_cards():
    """The 9 is a king in the high and a three in the low."""
    rules = BASEBALL_HI_LO.replace(bring_in=0, ante=0, bonus_rank=None)
    hand = deal(rules, {1: "(Ks Kd) 9c 2h 4d 6s (Ac)", 2: "(Qs Jd) Tc 8d 7h 5s (5d)"}, carry=10).check_down()
    assert (1,) == hand.state.winners
    shown = next(event for event in hand.all(HandShown) if event.seat == 1)
    assert parse_card("9c") in shown.best
    assert parse_card("9c") in shown.low


# Halves and odd units


SPLIT = {1: "(Ks Kd) Kh 9c Td Js (Qh)", 2: "(As 7d) 5h 4s 2c Jd (Th)"}
"""Seat 1 has the high, seat 2 the low."""


@pytest.mark.parametrize(("pot", "high", "low"), [(25, 13, 12), (24, 12, 12), (2, 1, 1), (3, 2, 1)])
def test_the_odd_unit_goes_to_the_high_half(pot, high, low):
    assert [("high", {1: high}), ("low", {2: low})] == awards(SPLIT, pot)


def test_a_pot_of_one_unit_is_the_high_half():
    assert [("high", {1: 1})] == awards(SPLIT, 1)


TIED_HIGHS = {
    1: "(Ah Kd) Qc Jh Td 9s (9d)",
    2: "(Ad Kh) Qd Jc Ts 9h (9c)",
    3: "(8c 6d) 5h 4s 2c As (2h)",
}
"""Seats 1 and 2 tie with a straight to the ace, seat 3 has the low."""


@pytest.mark.parametrize(
    ("odd_unit", "shares"),
    [
        (OddUnit.HIGH_CARD_ALL_CARDS, {1: 7, 2: 6}),
        (OddUnit.HIGH_CARD_BEST_FIVE, {1: 7, 2: 6}),
        (OddUnit.FIRST_LEFT_OF_DEALER, {1: 7, 2: 6}),
    ],
)
def test_tied_highs_share_the_high_half(odd_unit, shares):
    assert [("high", shares), ("low", {3: 12})] == awards(TIED_HIGHS, 25, HI_LO.replace(odd_unit=odd_unit))


def test_first_left_of_the_dealer_moves_with_the_button():
    rules = HI_LO.replace(odd_unit=OddUnit.FIRST_LEFT_OF_DEALER)
    assert ("high", {2: 7, 1: 6}) == awards(TIED_HIGHS, 25, rules, button=1)[0]


TIED_LOWS = {
    1: "(Ac 7d) 5h 4s 2c Jd (Th)",
    2: "(Ad 7c) 5d 4h 2s Js (Tc)",
    3: "(Ks Kd) Kh 9c Td Jc (Qh)",
}
"""Seats 1 and 2 tie with 7-5-4-2-A; the ace of clubs is the lowest card there is."""


@pytest.mark.parametrize("odd_unit", [OddUnit.HIGH_CARD_ALL_CARDS, OddUnit.HIGH_CARD_BEST_FIVE])
def test_the_odd_low_unit_goes_to_the_lowest_card_by_suit_ace_low(odd_unit):
    rules = HI_LO.replace(odd_unit=odd_unit)
    assert [("high", {3: 13}), ("low", {1: 7, 2: 6})] == awards(TIED_LOWS, 26, rules)
    swapped = {**TIED_LOWS, 1: "(Ad 7d) 5h 4s 2c Jd (Th)", 2: "(Ac 7c) 5d 4h 2s Js (Tc)"}
    assert [("high", {3: 13}), ("low", {1: 6, 2: 7})] == awards(swapped, 26, rules)


def test_the_odd_low_unit_counts_all_cards_or_the_five_of_the_low():
    """Both have 8-6-5-4-3; seat 2 holds a pair of twos that play in no low... the lowest card of all is seat 2's."""
    hands = {
        1: "(8c 6d) 5c 4s 3c Jd (Th)",
        2: "(8d 6c) 5d 4h 3d 8s (8h)",
        3: "(Ks Kd) Kh 9c Td Jc (Qh)",
    }
    for odd_unit, first in ((OddUnit.HIGH_CARD_ALL_CARDS, 1), (OddUnit.HIGH_CARD_BEST_FIVE, 1)):
        part = awards(hands, 26, HI_LO.replace(odd_unit=odd_unit))[1]
        assert ("low", {first: 7, 3 - first: 6}) == part


def test_in_the_low_a_wild_card_counts_with_its_printed_face():
    """Equal lows 5-4-3-2-A, seat 2 with a wild 9 for its ace: seat 1 shows the ace, the lowest card printed."""
    hands = {
        1: "(As 2d) 3d 4s 5h Jd (Th)",
        2: "(9s 2c) 3c 4h 5d Js (Tc)",
        3: "(Ks Kd) Kh Kc Td Jc (Qh)",
    }
    rules = HI_LO.replace(wild_ranks=("9",))
    assert [("high", {3: 13}), ("low", {1: 7, 2: 6})] == awards(hands, 26, rules)


def test_one_player_may_win_the_high_and_tie_for_the_low():
    hands = {1: "(Ac 7d) 7h 7s 5c 4d (2h)", 2: "(Ad 7c) 5d 4h 2s Js (Tc)"}
    assert [("high", {1: 10}), ("low", {1: 5, 2: 5})] == awards(hands, 20)


def test_everybody_may_tie_for_both():
    hands = {1: "(Ac 7d) 5h 4s 2c Jd (Th)", 2: "(Ad 7c) 5d 4h 2s Js (Tc)"}
    assert [("high", {1: 6, 2: 5}), ("low", {1: 5, 2: 5})] == awards(
        hands, 21, HI_LO.replace(odd_unit="first_left_of_dealer")
    )


@pytest.mark.parametrize("pot", [3, 4, 5])
def test_more_winners_than_units(pot):
    """Three tied lows share one or two units; nobody is paid a share of nothing."""
    hands = {
        1: "(Ac 7d) 5h 4s 2c Jd (Th)",
        2: "(Ad 7c) 5d 4h 2s Js (Tc)",
        3: "(Ah 7s) 5c 4c 2d Jh (Ts)",
        4: "(Ks Kd) Kh 9c Td Jc (Qh)",
    }
    parts = awards(hands, pot)
    assert pot == sum(sum(shares.values()) for _, shares in parts)
    assert all(share for _, shares in parts for share in shares.values())


def test_exact_halves_and_thirds():
    """One chip, three tied lows: 420 for the high, 140 for each low."""
    hands = {
        1: "(Ac 7d) 5h 4s 2c Jd (Th)",
        2: "(Ad 7c) 5d 4h 2s Js (Tc)",
        3: "(Ah 7s) 5c 4c 2d Jh (Ts)",
        4: "(Ks Kd) Kh 9c Td Jc (Qh)",
    }
    rules = HI_LO.replace(stakes=Stakes.CREDIT, minor_units=840, structure=OneUnit(840), odd_unit=OddUnit.EXACT)
    assert [("high", {4: 420}), ("low", {1: 140, 2: 140, 3: 140})] == awards(hands, 840, rules, 0)


# Several pots


def test_each_pot_is_split_by_itself():
    """Seat 3 is all-in with the only low: it takes half of the main pot, and nobody a low in the side pot."""
    hands = {
        1: "(Ks Kd) Kh 9c Td Js (Qh)",
        2: "(Qs Qd) 9h 9d Tc Jd (Th)",
        3: "(As 7d) 5h 4s 2c Jc (8h)",
    }
    rules = Rules(ante=3, structure=NoLimit(1), split=Split.HIGH_LOW)
    hand = deal(rules, hands, {1: 100, 2: 100, 3: 3}).play("1 bet 5; 2 call |").check_down()
    assert [(0, "high", 5), (0, "low", 4), (1, "whole", 10)] == [
        (event.pot, event.half, event.amount) for event in hand.all(PotAwarded)
    ]
    assert [105 - 3, 92, 4] == [hand.stacks[0] - 5, hand.stacks[1], hand.stacks[2]]


def test_a_low_counts_only_in_the_pots_of_its_player():
    """The better low is all-in; the second takes the side pot's low half."""
    hands = {
        1: "(Ks Kd) Kh 9c Td Js (Qh)",
        2: "(8s 7c) 6h 4d 2h Jd (Th)",
        3: "(As 7d) 5h 4s 2c Jc (8h)",
    }
    rules = Rules(ante=3, structure=NoLimit(1), split=Split.HIGH_LOW)
    hand = deal(rules, hands, {1: 100, 2: 100, 3: 3}).play("1 bet 5; 2 call |").check_down()
    assert [(0, {1: 5}), (0, {3: 4}), (1, {1: 5}), (1, {2: 5})] == [
        (event.pot, dict(event.shares)) for event in hand.all(PotAwarded)
    ]


def test_a_pot_without_a_second_member_is_not_split():
    hands = {1: "(Ks Kd) Kh", 2: "(As 7d) 5h"}
    hand = deal(HI_LO.replace(ante=5), hands).play("1 bet 1; 2 fold")
    assert [("whole", {1: 10})] == [(event.half, dict(event.shares)) for event in hand.all(PotAwarded)]


def test_a_side_pot_with_one_member_left_is_not_split_at_the_showdown():
    """Seat 2 folded to a bet that seat 1 had called for: the side pot is seat 1's, high and low or not."""
    hands = {
        1: "(As 7c) 6h 4d 2h Jd (Th)",
        2: "(Qs Qd) 9h",
        3: "(Ks Kd) Kh 9c Td Js (Qh)",
    }
    rules = Rules(ante=3, structure=NoLimit(1), split=Split.HIGH_LOW)
    hand = deal(rules, hands, {1: 100, 2: 100, 3: 3}).play("1 check; 2 bet 5; 1 raise 20; 2 fold").check_down()
    assert [(0, "high", {3: 5}), (0, "low", {1: 4}), (1, "whole", {1: 10})] == [
        (event.pot, event.half, dict(event.shares)) for event in hand.all(PotAwarded)
    ]


def test_the_high_alone_takes_it_all_without_high_low():
    assert [("whole", {1: 25})] == awards(SPLIT, 25, HI_LO.replace(split=Split.HIGH))
