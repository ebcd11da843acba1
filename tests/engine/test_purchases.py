"""Buying cards: what an open 4 costs, who is asked when, and where the money goes."""

import pytest

from engine import PROFILES, Rules
from engine.cards import parse_card
from engine.events import (
    BetReturned,
    Called,
    CardDealt,
    Folded,
    HandEnded,
    PotAwarded,
    PurchaseDeclined,
    PurchaseKind,
    PurchaseMade,
    PurchaseOffered,
)
from engine.knobs import (
    BonusDecline,
    BonusFace,
    Doubling,
    FixedLimit,
    MatchBasis,
    MatchPot,
    MatchPotCapped,
    MinBet,
    OneUnit,
    PotLimit,
    PurchaseTo,
    ShortPurchase,
)
from tests.engine.play import deal

BASEBALL = PROFILES["baseball"]
MATCH_POT = PROFILES["baseball-match-pot-fours"]
OPTIONAL = BASEBALL.replace(bonus_decline=BonusDecline.NO_CARD)


def price(hand):
    """The price of the purchase on offer."""
    return hand.state.offer.price


# The worked hand


def worked_hand(rules, seat_4="4d"):
    """Four players; seat 2 posts 1, seat 3 folds, seat 4 completes to 2, seats 1 and 2 call."""
    hands = {1: "(-- --) Kd 4s+(7h)", 2: "(-- --) 6c 8h", 3: "(-- --) 6d", 4: f"(-- --) Ah {seat_4}"}
    hand = deal(rules, hands, {1: 100, 2: 100, 3: 100, 4: 100})
    hand.play("2 bring_in; 3 fold; 4 complete 2; 1 call; 2 call |")
    return hand


def test_an_open_four_is_paid_for_and_its_card_lies_down():
    hand = worked_hand(BASEBALL)
    assert 10 == hand.pot
    assert (1, "buy for 2, decline") == (hand.actor, hand.legal)
    hand.play("1 buy")
    assert 12 == hand.pot
    assert 3 == len(hand.state.player(1).down)
    assert "Kd 4s" == hand.up(1)


def test_refusing_the_card_folds_the_hand():
    hand = worked_hand(BASEBALL).play("1 buy; 4 decline")
    assert hand.folded(4)
    assert [PurchaseDeclined(4, PurchaseKind.BONUS, parse_card("4d")), Folded(4)] == hand.events[-2:]
    assert (1, "fold, check, bet 2") == (hand.actor, hand.legal), "K-4 opens over 8-6"


def test_the_purchase_is_reported_with_card_and_price():
    hand = worked_hand(BASEBALL).play("1 buy")
    four = parse_card("4s")
    assert PurchaseOffered(1, PurchaseKind.BONUS, four, 2) in hand.events
    assert PurchaseMade(1, PurchaseKind.BONUS, four, 2) in hand.events
    assert CardDealt(1, parse_card("7h"), "down", "bonus") in hand.events


def test_matching_the_pot_counts_the_purchases_before():
    """Seat 1 pays 10 (pot 20), seat 4 then owes 20."""
    hand = worked_hand(MATCH_POT)
    assert 10 == price(hand)
    hand.play("1 buy")
    assert (20, 20) == (hand.pot, price(hand))
    assert 4 == hand.actor


@pytest.mark.parametrize(("cap", "prices"), [(8, [8, 8]), (15, [10, 15]), (20, [10, 20]), (1, [1, 1])])
def test_a_matched_pot_may_be_capped(cap, prices):
    hand = worked_hand(BASEBALL.replace(bonus_price=MatchPotCapped(cap)))
    first = price(hand)
    assert prices == [first, price(hand.play("1 buy"))]


def test_a_pot_below_the_cap_costs_the_pot():
    rules = BASEBALL.replace(bonus_price=MatchPotCapped(8), ante=2)
    assert 6 == price(deal(rules, {1: "(-- --) 4s", 2: "(-- --) 6c", 3: "(-- --) 6d"}))


@pytest.mark.parametrize(
    ("structure", "cost"), [(FixedLimit(2, 4), 6), (OneUnit(5), 15), (Doubling(3), 9), (PotLimit(7), 21)]
)
def test_a_price_in_bets_follows_the_smallest_bet_on_every_street(structure, cost):
    rules = Rules(bonus_rank="4", bonus_price=MinBet(3), structure=structure)
    hands = {1: "(-- --) 4s+-- Ks Kd 4d", 2: "(-- --) Qs 6d 8h 6s"}
    hand = deal(rules, hands)
    assert cost == price(hand)
    hand.play("1 buy")
    while hand.state.offer is None:
        hand.play(f"{hand.actor} check")
    assert (6, cost) == (hand.state.street, price(hand))


# Who is asked


def test_the_door_card_is_settled_before_the_bring_in():
    hand = deal(BASEBALL, {1: "(-- --) 8s", 2: "(-- --) 4c+(9s)", 3: "(-- --) 6d"})
    assert (2, 3) == (hand.actor, hand.state.street)
    assert 8 == len(hand.all(CardDealt)), "the next card waits"
    assert 2 == hand.play("2 buy").actor, "the 4c is the lowest door card"


def test_nobody_else_may_do_anything_while_a_purchase_is_open():
    hand = worked_hand(BASEBALL)
    hand.refuses("fold; check; call; bet 2; raise 4; bring_in; replace; keep; claim; roll; showdown")
    hand.refuses("buy 1; buy 3; buy -1; buy -2; decline 2; decline -1; buy 4611686018427387904")


def test_a_purchase_may_name_its_price():
    assert 12 == worked_hand(BASEBALL).play("1 buy 2").pot


def test_each_four_of_a_chain_is_paid_at_its_own_price():
    """4h, bought 4s, bought 4d: the pot is matched three times, each with the payments before."""
    rules = MATCH_POT.replace(bonus_face=BonusFace.UP)
    hand = deal(rules, {1: "(-- --) 6c", 2: "(-- --) 4h+4s+4d+Ks", 3: "(-- --) Qs"})
    prices = []
    while hand.actor == 2 and hand.state.offer:
        prices.append(price(hand))
        hand.play("2 buy")
    assert [3, 6, 12] == prices
    assert ("4h 4s 4d Ks", 24) == (hand.up(2), hand.pot)


def test_a_chain_may_end_with_a_refusal():
    rules = OPTIONAL.replace(bonus_face=BonusFace.UP)
    hand = deal(rules, {1: "(-- --) 6c", 2: "(-- --) 4h+4s", 3: "(-- --) Qs"}).play("2 buy; 2 decline")
    assert "4h 4s" == hand.up(2)
    assert not hand.folded(2)


def test_a_declined_card_that_may_be_declined_costs_nothing():
    hand = deal(OPTIONAL, {1: "(-- --) 6c", 2: "(-- --) 4h", 3: "(-- --) Qs"}).play("2 decline")
    assert [99, 99, 99] == hand.stacks
    assert "4h" == hand.up(2)
    assert [] == hand.all(Folded)
    assert 2 == hand.actor, "the 4h brings it in"


def test_a_free_card_comes_without_a_question():
    hand = deal(PROFILES["baseball-free-fours"], {1: "(-- --) 6c", 2: "(-- --) 4h+(9s)"})
    assert [] == hand.all(PurchaseOffered)
    assert [] == hand.all(PurchaseMade)
    assert 3 == len(hand.state.player(2).down)


def test_a_price_of_nothing_is_paid_without_a_question():
    """The pot is matched and empty."""
    rules = Rules(bonus_rank="4", bonus_price=MatchPot(), structure=OneUnit(1))
    hand = deal(rules, {1: "(-- --) 6c", 2: "(-- --) 4h+9s"})
    assert [] == hand.all(PurchaseOffered)
    assert "4h 9s" == hand.up(2)


# One player left


def test_when_the_others_refuse_the_last_player_wins_at_once():
    """Three left, pot 9: seats 1 and 2 refuse an open 4, seat 3 wins 9 and gets no card."""
    rules = BASEBALL.replace(ante=3)
    hand = deal(rules, {1: "(-- --) 4s", 2: "(-- --) 4h", 3: "(-- --)"}).play("1 decline; 2 decline")
    assert [9] == [event.amount for event in hand.all(PotAwarded)]
    assert [97, 97, 106] == hand.stacks
    assert "" == hand.up(3)
    assert isinstance(hand.events[-1], HandEnded)


def test_the_last_player_wins_before_paying_for_an_own_four():
    hand = deal(BASEBALL, {1: "(-- --) 6c 8d", 2: "(-- --) Ks 4h", 3: "(-- --) Qs 4s"})
    hand.play("1 bring_in; 2 call; 3 call | 2 decline; 3 decline")
    assert (1,) == hand.state.winners
    hand.refuses("buy; decline; check")


# Short stacks


def test_a_fully_paid_short_purchase_is_all_in():
    hand = deal(MATCH_POT, {1: "(-- --) Ks", 2: "(-- --) 4h+(9s)", 3: "(-- --) Qs"}, {1: 100, 2: 3, 3: 100})
    assert "buy for 2, decline" == hand.legal
    hand.play("2 buy")
    assert 0 == hand.stacks[1]
    assert [(5, {1, 2, 3})] == hand.pots


def test_an_all_in_player_pays_nothing_and_gets_the_card():
    hand = deal(BASEBALL, {1: "(-- --) 6c", 2: "(-- --) 4h+(9s)", 3: "(-- --) Qs"}, {1: 100, 2: 1, 3: 100})
    assert [] == hand.all(PurchaseOffered)
    assert [] == hand.all(PurchaseMade)
    assert 3 == len(hand.state.player(2).down)


@pytest.mark.parametrize("stack", [1, 2])
def test_short_players_may_have_to_fold(stack):
    """Whoever cannot pay the 2 in full is out, an all-in player too."""
    rules = BASEBALL.replace(short_purchase=ShortPurchase.FOLD)
    hands = {1: "(-- --) 6c", 2: "(-- --) 4h", 3: "(-- --) Qs"}
    hand = deal(rules, hands, {1: 100, 2: stack, 3: 100})
    assert hand.folded(2)
    assert [] == hand.all(PurchaseOffered)
    assert [stack - 1] == [hand.stacks[1]]


def test_who_can_just_pay_is_asked():
    rules = BASEBALL.replace(short_purchase=ShortPurchase.FOLD)
    hand = deal(rules, {1: "(-- --) 6c", 2: "(-- --) 4h", 3: "(-- --) Qs"}, {1: 100, 2: 3, 3: 100})
    assert (2, "buy for 2, decline") == (hand.actor, hand.legal)


@pytest.mark.parametrize(("stack", "asked"), [(1, False), (2, False), (3, True)])
def test_an_optional_purchase_is_offered_only_to_who_can_pay_in_full(stack, asked):
    hand = deal(OPTIONAL, {1: "(-- --) 6c", 2: "(-- --) 4h", 3: "(-- --) Qs"}, {1: 100, 2: stack, 3: 100})
    assert asked == (hand.state.offer is not None)
    assert not hand.folded(2)


def test_a_free_card_is_for_all_in_players_too():
    hand = deal(
        PROFILES["baseball-free-fours"],
        {1: "(-- --) 6c", 2: "(-- --) 4h+(9s)", 3: "(-- --) Qs"},
        {1: 100, 2: 1, 3: 100},
    )
    assert 3 == len(hand.state.player(2).down)


def test_on_credit_everybody_can_pay():
    hand = deal(PROFILES["baseball-home-pay-fours"], {1: "(-- --) 6c", 2: "(-- --) 4h+9s"}, 0).play("2 buy")
    assert [-840, -1680] == hand.stacks
    assert "4h 9s" == hand.up(2)


def test_purchases_arise_without_betting():
    """Seats 1 and 2 are all-in; seat 3 still pays for a 4."""
    hands = {1: "(-- --) Ks Kd", 2: "(-- --) Js Jd", 3: "(-- --) 2c 4d+(8h)"}
    hand = deal(BASEBALL, hands, {1: 3, 2: 3, 3: 100}).play("3 complete 2; 1 call; 2 call |")
    assert (3, "buy for 2, decline") == (hand.actor, hand.legal)
    assert "showdown" == hand.play("3 buy").legal


# Dead money


def test_a_purchase_is_no_bet():
    """It is not called, changes no level, and counts for no layer."""
    hand = worked_hand(BASEBALL, "Qd").play("1 buy")
    assert 0 == hand.state.player(1).bet
    assert 3 == hand.state.player(1).contributed
    assert [(12, {1, 2, 4})] == hand.pots
    hand.play("4 check; 1 check; 2 check |")
    assert 5 == hand.state.street


def test_an_all_in_purchase_stays_in_the_pots_reached_by_the_bets():
    """Seat 1 has 4, pot 10: pays 4 (14); seats 2 and 3 then bet 4 each: main pot 14 for three, side pot 8."""
    rules = Rules(bonus_rank="4", bonus_price=MatchPot(), bonus_face=BonusFace.DOWN, ante=3, structure=OneUnit(4))
    hands = {1: "(-- --) 4s+(9h)", 2: "(-- --) Qs", 3: "(-- --) Js"}
    hand = deal(rules, hands, {1: 7, 2: 100, 3: 100}, carry=1)
    assert (10, "buy for 4, decline") == (hand.pot, hand.legal)
    hand.play("1 buy")
    assert [(14, {1, 2, 3})] == hand.pots
    hand.play("2 bet 4; 3 call |")
    assert [(14, {1, 2, 3}), (8, {2, 3})] == hand.pots


def two_pots(**knobs):
    """Seat 3 is all-in with 2; seats 1 and 2 have bet 2 more; seat 1 is dealt a 4 on fifth street."""
    rules = Rules(bonus_rank="4", bonus_price=MatchPot(), ante=1, bring_in=1, structure=FixedLimit(2, 4)).replace(
        **knobs
    )
    hands = {1: "(-- --) Ks Qd 4s+8d", 2: "(-- --) Js Jd 7c", 3: "(-- --) 2c 2d 7h"}
    return deal(rules, hands, {1: 100, 2: 100, 3: 2}).play("3 bring_in; 1 call; 2 call | 2 bet 2; 1 call |")


def test_a_buyer_with_chips_can_win_every_pot_and_matches_them_all():
    assert [(6, {1, 2, 3}), (4, {1, 2})] == two_pots().pots
    assert 10 == price(two_pots())
    assert 10 == price(two_pots(match_basis=MatchBasis.ELIGIBLE_POTS))


def test_a_purchase_goes_into_the_main_pot():
    assert [(16, {1, 2, 3}), (4, {1, 2})] == two_pots().play("1 buy").pots


def test_or_into_the_newest_pot_the_buyer_is_in():
    assert [(6, {1, 2, 3}), (14, {1, 2})] == two_pots(purchase_to=PurchaseTo.CURRENT_POT).play("1 buy").pots


def test_a_purchase_stays_when_its_buyer_folds():
    hand = two_pots(purchase_to=PurchaseTo.CURRENT_POT).play("1 buy; 2 bet 4; 1 fold")
    assert [BetReturned(2, 4)] == hand.all(BetReturned)
    assert [(6, {2, 3}), (14, {2})] == hand.pots


def test_the_money_spent_is_won_with_the_pot():
    hand = worked_hand(BASEBALL).play("1 buy; 4 decline; 1 bet 2; 2 fold")
    assert [12] == [event.amount for event in hand.all(PotAwarded)]
    assert [107, 97, 99, 97] == hand.stacks
    assert Called(1, 2, 2) in hand.events
