"""Purchases that wait until all cards of the round are dealt, and then go clockwise from the dealer's left."""

from engine import PROFILES
from engine.cards import card_text
from engine.events import CardDealt, Folded, PotAwarded, PurchaseMade, PurchaseOffered, RainedOut, StreetStarted
from engine.knobs import BonusFace, BonusMode, Free, MatchPot, PurchaseTiming
from tests.engine.play import deal

AFTER = PurchaseTiming.AFTER_ROUND
BASEBALL = PROFILES["baseball"].replace(purchase_timing=AFTER)
MATCH_POT = PROFILES["baseball-match-pot"].replace(purchase_timing=AFTER)


def dealt(hand):
    return [f"{event.seat} {card_text(event.card)}" for event in hand.all(CardDealt)]


def offers(hand):
    return [f"{event.seat} {card_text(event.card)} {event.purchase}" for event in hand.all(PurchaseOffered)]


def test_all_cards_of_the_round_come_first():
    hand = deal(BASEBALL, {1: "(-- --) 4s", 2: "(-- --) 6c", 3: "(-- --) 8d"}, rest="7h")
    assert ["1 4s", "2 6c", "3 8d"] == dealt(hand)[-3:]
    assert (1, "buy for 2, decline") == (hand.actor, hand.legal)
    assert "1 7h" == dealt(hand.play("1 buy"))[-1]
    assert 1 == hand.actor, "the 4s is the lowest door card"


def test_players_are_asked_clockwise_from_the_dealers_left():
    hands = {1: "(-- --) 4s", 2: "(-- --) 4h", 3: "(-- --) 4d"}
    hand = deal(BASEBALL, hands, button=1, rest="7h 7c 7s").play("2 buy; 3 buy; 1 buy")
    assert ["2 4h bonus", "3 4d bonus", "1 4s bonus"] == offers(hand)
    assert ["2 7h", "3 7c", "1 7s"] == dealt(hand)[-3:]


def test_as_dealt_the_same_cards_go_elsewhere():
    """The card behind the 4 is seat 2's street card here and seat 1's bonus card there."""
    hands = {1: "(-- --) 4s", 2: "(-- --) 6c"}
    assert "6c" == deal(BASEBALL, hands, rest="7h").play("1 buy").up(2)
    as_dealt = deal(PROFILES["baseball"], {1: "(-- --) 4s+(6c)", 2: "(-- --) 7h"}).play("1 buy")
    assert "7h" == as_dealt.up(2)


def test_one_player_settles_everything_before_the_next_is_asked():
    """Seat 1 buys a card face up that is a 4: it is asked again before seat 2."""
    rules = BASEBALL.replace(bonus_face=BonusFace.UP)
    hand = deal(rules, {1: "(-- --) 4s", 2: "(-- --) 4h", 3: "(-- --) 8d"}, rest="4d 7c 7s")
    hand.play("1 buy; 1 buy; 2 buy")
    assert ["1 4s bonus", "1 4d bonus", "2 4h bonus"] == offers(hand)


def test_pay_comes_before_bonus_on_one_card():
    rules = MATCH_POT.replace(pay_rank="4", bonus_price=MatchPot())
    hand = deal(rules, {1: "(-- --) 4s", 2: "(-- --) 8d"}, rest="7h").play("1 buy; 1 buy")
    assert ["1 4s pay_rank", "1 4s bonus"] == offers(hand)
    assert [2, 4] == [event.paid for event in hand.all(PurchaseMade)]


def test_each_pays_the_price_of_its_moment():
    hand = deal(MATCH_POT, {1: "(-- --) 3s", 2: "(-- --) 8d", 3: "(-- --) 3h"}).play("1 buy; 3 buy")
    assert [3, 6] == [event.paid for event in hand.all(PurchaseMade)]


def test_free_extra_cards_still_come_at_once():
    hand = deal(MATCH_POT, {1: "(-- --) 4s+(9h)", 2: "(-- --) 3h", 3: "(-- --) 8d"})
    assert ["1 4s", "1 9h", "2 3h", "3 8d"] == dealt(hand)[-4:]
    assert 2 == hand.actor


def test_a_three_that_comes_as_a_free_card_waits_with_the_others():
    rules = MATCH_POT.replace(bonus_face=BonusFace.UP)
    hand = deal(rules, {1: "(-- --) 3s", 2: "(-- --) 4h+3d", 3: "(-- --) 8d"}).play("1 buy; 2 buy")
    assert ["1 3s pay_rank", "2 3d pay_rank"] == offers(hand)
    assert "3 8d" == dealt(hand)[-1]


def test_a_free_replacement_is_a_choice_and_waits():
    rules = MATCH_POT.replace(bonus_mode=BonusMode.REPLACE)
    hand = deal(rules, {1: "(-- --) 4s", 2: "(-- --) 8d"}, rest="7h")
    assert ("8d", 1, "replace, keep") == (hand.up(2), hand.actor, hand.legal)
    assert "7h" == hand.play("1 replace").up(1)


def test_cards_dealt_stand_when_their_player_refuses():
    """Seat 1 folds; the cards of the others were dealt already, and nothing is dealt anew."""
    hand = deal(BASEBALL, {1: "(-- --) 4s", 2: "(-- --) 6c", 3: "(-- --) 8d"}).play("1 decline")
    assert (9, [Folded(1)]) == (len(dealt(hand)), hand.all(Folded))
    assert (2, "6c", "8d") == (hand.actor, hand.up(2), hand.up(3))


def test_the_last_player_left_wins_and_owes_nothing():
    hand = deal(BASEBALL, {1: "(-- --) 4s", 2: "(-- --) 4h"}).play("1 decline")
    assert ((2,), ["1 4s bonus"]) == (hand.state.winners, offers(hand))
    assert [2] == [event.amount for event in hand.all(PotAwarded)]


def test_the_rain_does_not_wait():
    rules = MATCH_POT.replace(rain_card="Qs")
    hand = deal(rules, {1: "(-- --) 3s", 2: "(-- --) Qs", 3: "(-- --)"})
    assert ([], 1) == (offers(hand), len(hand.all(RainedOut)))


def test_a_bonus_card_bought_after_the_round_may_rain():
    rules = BASEBALL.replace(bonus_face=BonusFace.UP, rain_card="Qs")
    hand = deal(rules, {1: "(-- --) 4s", 2: "(-- --) 4h"}, rest="Qs").play("1 buy")
    assert (1, 4) == (len(hand.all(RainedOut)), hand.state.carry)


def test_the_purchases_of_a_round_come_before_its_betting_and_the_next_street():
    hands = {1: "(-- --) Ks 4s", 2: "(-- --) 2c 8d"}
    hand = deal(BASEBALL, hands, rest="7h").play("2 bring_in; 1 call | 1 buy")
    assert [3, 4] == [event.street for event in hand.all(StreetStarted)]
    assert (1, "fold, check, bet 2") == (hand.actor, hand.legal)


def test_a_buyer_who_leaves_is_passed_over():
    hand = deal(BASEBALL, {1: "(-- --) 4s", 2: "(-- --) 4h", 3: "(-- --) 8d"}, rest="7h").play("1 leave")
    assert (2, "buy for 2, decline") == (hand.actor, hand.legal)
    hand = deal(BASEBALL, {1: "(-- --) 4s", 2: "(-- --) 4h", 3: "(-- --) 8d"}, rest="7h").play("2 leave; 1 buy")
    assert (1, ["1 4s bonus"]) == (hand.actor, offers(hand))


def test_hole_bonuses_are_asked_for_after_the_purchases():
    rules = BASEBALL.replace(hole_bonus=Free())
    hand = deal(rules, {1: "(4d --) Ks", 2: "(-- --) 4h"}, rest="7h 7c").play("2 buy; 1 claim; 1 decline; 2 decline")
    assert ["2 7h", "1 7c"] == dealt(hand)[-2:]
