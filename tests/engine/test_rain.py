"""Rain: the deal is void, its pot waits for the first hand that is not rained on."""

import pytest

import engine
from engine import PROFILES, Action, ActionKind, Rules
from engine.cards import HIDDEN, parse_card
from engine.events import (
    AntePosted,
    BettingClosed,
    CardDealt,
    HandEnded,
    HandShown,
    HandStarted,
    PotAwarded,
    PurchaseOffered,
    RainedOut,
)
from engine.knobs import BonusFace, BonusMode, Free, MatchPot, OneUnit
from engine.rain import shares_of_carry
from engine.view import view
from tests.engine.play import deal

RAINY = PROFILES["rainy-day-baseball"]
UP = RAINY.replace(bonus_face=BonusFace.UP)
THREE = {1: "(-- --) Kc", 2: "(-- --) Qs", 3: "(-- --)"}


def test_a_door_card_that_is_the_rain_card_ends_the_deal_at_once():
    """Doors Kc then Qs: rain, pot 3 carried, the third player gets no door card."""
    hand = deal(RAINY, THREE)
    assert [RainedOut(2, parse_card("Qs"), 3)] == hand.all(RainedOut)
    assert [RainedOut, HandEnded] == [type(event) for event in hand.events[-2:]]
    assert 8 == len(hand.all(CardDealt))
    assert (True, True, 3) == (hand.state.finished, hand.state.rained, hand.state.carry)
    assert [99, 99, 99] == hand.stacks
    assert ((), None) == (hand.state.pots, hand.actor)


def test_the_carried_pot_and_new_antes_make_the_next_pot():
    """Carried 3 and three antes of 1: 6."""
    rained = deal(RAINY, THREE)
    again = deal(RAINY, {1: "(-- --) Kc", 2: "(-- --) 8s", 3: "(-- --) 2c"}, 99, carry=rained.state.carry)
    assert 6 == again.pot
    again.play("3 bring_in; 1 fold; 2 fold")
    assert [6] == [event.amount for event in again.all(PotAwarded)]
    assert [98, 98, 104] == again.stacks


def test_nobody_antes_again_where_the_rules_say_so():
    rules = RAINY.replace(rain_ante=False)
    assert 3 == deal(rules, THREE).state.carry, "the first hand is anted for"
    hand = deal(rules, {1: "(-- --) Kc", 2: "(-- --) 8s", 3: "(-- --) 2c"}, carry=3)
    assert ([], 3) == (hand.all(AntePosted), hand.pot)


def test_rain_after_rain_carries_everything():
    hand = deal(RAINY, THREE, carry=3)
    assert 6 == hand.state.carry
    assert HandStarted(3, ((1, 100), (2, 100), (3, 100)), 3) == hand.events[0]


def test_rain_on_a_later_street_carries_the_bets_too():
    hand = deal(RAINY, {1: "(-- --) Kc", 2: "(-- --) 8s Qs", 3: "(-- --) 2c"})
    hand.play("3 bring_in; 1 complete 2; 2 call; 3 call")
    assert 9 == hand.state.carry
    assert [98 - 1] * 3 == hand.stacks
    assert [BettingClosed] == [type(event) for event in hand.events if isinstance(event, BettingClosed)]


def test_side_pots_are_carried_as_one_amount():
    hands = {1: "(-- --) Kc", 2: "(-- --) 8s 7d Qs", 3: "(-- --) 2c 7h"}
    hand = deal(RAINY, {**hands, 1: "(-- --) Kc 8d"}, {1: 100, 2: 100, 3: 2})
    hand.play("3 bring_in; 1 call; 2 call | 1 bet 2; 2 call")
    if not hand.state.finished:
        hand.check_down()
    assert 10 == hand.state.carry == hand.all(RainedOut)[0].carry


def test_rain_in_vain_carries_nothing_and_is_rain():
    hand = deal(RAINY.replace(ante=0), THREE)
    assert (0, True, []) == (hand.state.carry, hand.state.rained, engine.broken(hand.state))


@pytest.mark.parametrize("hands", [
    {1: "(Qs --) Kc", 2: "(-- --) 8s"},
    {1: "(-- --) 4c+(Qs)", 2: "(-- --) 8s"},
])  # fmt: skip
def test_the_card_dealt_down_is_no_rain(hands):
    hand = deal(RAINY, hands)
    assert ([], False) == (hand.all(RainedOut), hand.state.rained)


def test_on_the_last_street_it_lies_down():
    hands = {1: "(-- --) Kc 8d 7d 6d (Qs)", 2: "(-- --) 8s 7c 6c 8h (--)"}
    hand = deal(RAINY, hands).play("2 bring_in; 1 call").check_down()
    assert [] == hand.all(RainedOut)


def test_an_up_bonus_card_rains():
    hand = deal(UP, {1: "(-- --) 4c+Qs", 2: "(-- --)"})
    assert [1] == [event.seat for event in hand.all(RainedOut)]


def test_a_replacement_rains():
    rules = RAINY.replace(bonus_mode=BonusMode.REPLACE)
    hand = deal(rules, {1: "(-- --) 4c+Qs", 2: "(-- --)"}).play("1 replace")
    assert [1] == [event.seat for event in hand.all(RainedOut)]


def test_a_purchase_made_before_stays_in_the_carried_pot():
    hand = deal(RAINY, {1: "(-- --) 3c", 2: "(-- --) Qs"}).play("1 buy")
    assert (4, [97, 99]) == (hand.state.carry, hand.stacks)


def test_pending_decisions_are_void():
    """After the round: the 3 is not asked about any more, the rain comes first."""
    rules = RAINY.replace(purchase_timing="after_round")
    hand = deal(rules, {1: "(-- --) 3c", 2: "(-- --) Qs", 3: "(-- --)"})
    assert ([], 3) == (hand.all(PurchaseOffered), hand.state.carry)
    assert ((), None) == (hand.state.triggers, hand.state.offer)


def test_a_rolled_card_rains():
    rules = Rules(reveal_mode="roll_your_own", deal_pattern="7d", ante=1, structure=OneUnit(1), rain_card="Qs")
    hands = {1: "(Kc -- -- -- -- -- --)", 2: "(Qs -- -- -- -- -- --)"}
    hand = deal(rules, hands).play("1 roll; 1 bet 1; 2 call | 2 roll")
    assert (4, True) == (hand.state.carry, hand.state.finished)


def test_nothing_is_shown_and_nobody_wins():
    hand = deal(RAINY, {1: "(As Ad) Kc", 2: "(-- --) Qs", 3: "(-- --)"})
    assert ([], [], ()) == (hand.all(HandShown), hand.all(PotAwarded), hand.state.winners)
    assert (HIDDEN, HIDDEN) == view(hand.state, 2).seats[0].down
    assert 3 == view(hand.state, None).carry


def test_a_hand_that_is_rained_on_is_over():
    hand = deal(RAINY, THREE)
    hand.refuses("check; fold; showdown; buy")
    assert engine.Step(hand.state, ()) == engine.step(hand.state, Action(ActionKind.LEAVE, seat=1))


def test_whoever_is_left_wins_and_it_does_not_rain():
    hand = deal(RAINY, {1: "(-- --) Kc Qs", 2: "(-- --) 8s"}).play("2 bring_in; 1 complete 2; 2 fold")
    assert ((1,), []) == (hand.state.winners, hand.all(RainedOut))


def test_the_purchases_of_the_rained_hand_count_for_nothing():
    """A rain starts afresh: in the next deal the first open 3 is the first again."""
    rules = RAINY.replace(pay_scope="first_only")
    hand = deal(rules, {1: "(-- --) 3c", 2: "(-- --) Qs"}).play("1 buy")
    again = deal(rules, {1: "(-- --) 3c", 2: "(-- --) 8s"}, 97, carry=hand.state.carry)
    assert (1, 6) == (again.actor, again.state.offer.price)


# Who takes part again


def test_a_player_without_chips_plays_for_the_carried_pot_only():
    hands = {1: "(Ks Kd) Kc 8d 7d 6c (5c)", 2: "(-- --) 8s -- -- -- (--)", 3: "(-- --) 2c -- -- -- (--)"}
    hand = deal(RAINY, hands, {1: 0, 2: 50, 3: 50}, carry=9)
    assert [AntePosted(2, 1), AntePosted(3, 1)] == hand.all(AntePosted)
    assert [(9, {1, 2, 3}), (2, {2, 3})] == hand.pots
    hand.play("3 bring_in; 2 call").check_down()
    assert 9 == hand.stacks[0]
    assert [0, 1] == [event.pot for event in hand.all(PotAwarded)]


def test_without_a_carried_pot_nobody_without_chips_plays():
    hand = deal(RAINY, {2: "(-- --) 8s", 3: "(-- --) 2c"}, {2: 50, 3: 50})
    state = engine.start(RAINY, [0, 50, 50], 3, range(52)).state
    assert [2, 3] == [player.seat for player in state.players] == [player.seat for player in hand.state.players]


@pytest.mark.parametrize(
    ("carry", "seats", "shares"),
    [
        (9, (1, 2, 3), {1: 3, 2: 3, 3: 3}),
        (10, (2, 3, 1), {2: 4, 3: 3, 1: 3}),
        (11, (3, 1, 2), {3: 4, 1: 4, 2: 3}),
        (1, (5, 2), {5: 1, 2: 0}),
        (7, (4,), {4: 7}),
        (0, (1, 2), {1: 0, 2: 0}),
    ],
)
def test_a_carried_pot_without_a_hand_is_split_among_those_who_were_in(carry, seats, shares):
    assert shares == shares_of_carry(carry, seats)


def test_pay_price_counts_the_carried_pot():
    rules = RAINY.replace(pay_price=MatchPot(), bonus_price=Free())
    assert 12 == deal(rules, {1: "(-- --) 3c", 2: "(-- --)"}, carry=10).state.offer.price
