"""The rank that is wild when dealt down and must be paid for when dealt up: what it costs and what refusing means."""

import pytest

import engine
from engine import PROFILES, Action, ActionKind, Rules
from engine.cards import parse_card
from engine.events import (
    CardDealt,
    DealCause,
    Folded,
    HandShown,
    PotAwarded,
    PurchaseDeclined,
    PurchaseKind,
    PurchaseMade,
    PurchaseOffered,
    RainedOut,
)
from engine.knobs import (
    BonusDecline,
    BonusFace,
    BonusMode,
    Fixed,
    Free,
    MatchBasis,
    MatchPot,
    MatchPotCapped,
    OneUnit,
    PayDecline,
    PayScope,
    PurchaseTo,
    ShortPurchase,
)
from tests.engine.play import deal, wild_cards

MATCH_POT = PROFILES["baseball-match-pot"]
FIRST_THREE = PROFILES["baseball-match-pot-first-three"]
NATURAL = MATCH_POT.replace(pay_decline=PayDecline.NATURAL)
HOME = PROFILES["baseball-home-pay-threes"]
BOTH = Rules(
    pay_rank="4", pay_price=MatchPot(), bonus_rank="4", bonus_price=MatchPot(), ante=1, structure=OneUnit(1)
)  # fmt: skip
THREES = {1: "(-- --) 3s", 2: "(-- --) 3h", 3: "(-- --) Ks"}


def price(hand):
    return hand.state.offer.price


def is_wild(hand, seat, card):
    return bool(wild_cards(hand.state, seat) >> parse_card(card) & 1)


def category(hand, seat):
    shown = next(event for event in hand.all(HandShown) if event.seat == seat)
    return engine.describe(shown.value).category


# What it costs


def test_five_players_two_threes_and_a_four_at_the_door():
    """Seat 1 pays 5 (pot 10), seat 2 owes 10 and folds, seat 4 gets a down card, seat 1 brings in."""
    doors = {1: "3h", 2: "3s", 3: "9d", 4: "4c+(8h)", 5: "7c"}
    hand = deal(MATCH_POT, {seat: f"(-- --) {door}" for seat, door in doors.items()})
    assert (1, 5, "buy for 5, decline") == (hand.actor, price(hand), hand.legal)
    hand.play("1 buy")
    assert (10, 2, 10) == (hand.pot, hand.actor, price(hand))
    hand.play("2 decline")
    assert hand.folded(2)
    assert 3 == len(hand.state.player(4).down)
    assert (1, "bring_in 1, complete 2") == (hand.actor, hand.legal)


def test_who_refuses_is_folded_and_the_last_one_wins_at_once():
    """Pot 9: seats 1 and 2 refuse an open 3, seat 3 wins 9 and gets no card."""
    hand = deal(MATCH_POT.replace(ante=3), {1: "(-- --) 3s", 2: "(-- --) 3h", 3: "(-- --)"})
    hand.play("1 decline; 2 decline")
    assert [9] == [event.amount for event in hand.all(PotAwarded)]
    assert ("", [97, 97, 106]) == (hand.up(3), hand.stacks)


def test_the_pot_of_the_earlier_rounds_is_matched():
    hand = deal(MATCH_POT, {1: "(-- --) Kd 3s", 2: "(-- --) 2c 8h"}).play("2 bring_in; 1 complete 2; 2 call |")
    assert (6, 6) == (hand.pot, price(hand))
    assert 12 == hand.play("1 buy").pot


def test_the_price_is_reported_with_its_card():
    hand = deal(MATCH_POT, THREES).play("1 buy; 2 decline")
    three = parse_card("3s")
    assert PurchaseOffered(1, PurchaseKind.PAY_RANK, three, 3) in hand.events
    assert PurchaseMade(1, PurchaseKind.PAY_RANK, three, 3) in hand.events
    assert PurchaseDeclined(2, PurchaseKind.PAY_RANK, parse_card("3h")) in hand.events
    assert [Folded(2)] == hand.all(Folded)


@pytest.mark.parametrize(("pot", "cost"), [(20, 8), (6, 6), (8, 8), (9, 8), (7, 7)])
def test_a_cap_bounds_the_price(pot, cost):
    rules = MATCH_POT.replace(ante=2, pay_price=MatchPotCapped(8))
    assert cost == price(deal(rules, {1: "(-- --) 3s", 2: "(-- --) Qs", 3: "(-- --) Ks"}, carry=pot - 6))


def test_the_capped_profile_costs_at_most_twenty():
    hand = deal(PROFILES["baseball-match-pot-capped"], THREES, carry=15)
    assert 18 == price(hand)
    assert 20 == price(hand.play("1 buy"))


def test_a_fixed_price_on_credit():
    hand = deal(HOME, {1: "(-- --) 3s", 2: "(-- --) Ks"}, 0)
    assert 840 == price(hand)
    assert [-1680, -840] == hand.play("1 buy").stacks


def test_nothing_is_asked_where_the_pot_is_empty():
    hand = deal(MATCH_POT.replace(ante=0), {1: "(-- --) 3s", 2: "(-- --) Ks"})
    assert [] == hand.all(PurchaseOffered)
    assert [PurchaseMade(1, PurchaseKind.PAY_RANK, parse_card("3s"), 0)] == hand.all(PurchaseMade)
    assert is_wild(hand, 1, "3s")


def test_on_match_pot_only_the_pots_the_buyer_can_win_may_count():
    """Seat 3 is all-in in a main pot of 6; the side pot of 4 is not its own."""
    rules = MATCH_POT.replace(pay_scope="every", pay_decline="natural", pay_price=MatchPot())
    hands = {1: "(-- --) Ks Qd 3s", 2: "(-- --) Js Jd", 3: "(-- --) 2c 2d"}
    for basis, cost in ((MatchBasis.ALL_POTS, 10), (MatchBasis.ELIGIBLE_POTS, 10)):
        hand = deal(rules.replace(match_basis=basis), hands, {1: 100, 2: 100, 3: 2})
        hand.play("3 bring_in; 1 call; 2 call | 2 bet 2; 1 call |")
        assert cost == price(hand)


def test_the_purchase_may_go_into_the_newest_pot_of_the_buyer():
    hands = {1: "(-- --) Ks Qd 3s", 2: "(-- --) Js Jd 7c", 3: "(-- --) 2c 2d 7h"}
    for to, pots in ((PurchaseTo.MAIN_POT, [16, 4]), (PurchaseTo.CURRENT_POT, [6, 14])):
        hand = deal(MATCH_POT.replace(purchase_to=to), hands, {1: 100, 2: 100, 3: 2})
        hand.play("3 bring_in; 1 call; 2 call | 2 bet 2; 1 call | 1 buy")
        assert pots == [amount for amount, _ in hand.pots]


# Only the first


def test_after_the_first_three_later_ones_are_wild_and_free():
    """Pot 9: seat 1 pays 9 (18), a later open 3 costs 0."""
    hand = deal(FIRST_THREE.replace(ante=3), THREES)
    assert 9 == price(hand)
    hand.play("1 buy")
    assert 18 == hand.pot
    assert [1] == [event.seat for event in hand.all(PurchaseOffered)]
    assert [(1, 9), (2, 0)] == [(event.seat, event.paid) for event in hand.all(PurchaseMade)]
    assert [True, True] == [is_wild(hand, 1, "3s"), is_wild(hand, 2, "3h")]


def test_a_refused_first_three_leaves_the_next_one_first():
    hand = deal(FIRST_THREE.replace(ante=3), THREES).play("1 decline")
    assert (2, 9) == (hand.actor, price(hand))


@pytest.mark.parametrize("stack", [1, 2])
def test_bought_for_less_or_for_nothing_is_bought(stack):
    """Seat 1 owes 3 and has 1 or nothing: its 3 is wild, and so are later ones, free."""
    hand = deal(FIRST_THREE, THREES, {1: stack, 2: 100, 3: 100})
    if stack == 2:
        assert "buy for 1, decline" == hand.legal
        hand.play("1 buy")
    assert [True, True] == [is_wild(hand, 1, "3s"), is_wild(hand, 2, "3h")]
    assert 99 == hand.stacks[1]


def test_bought_where_the_pot_was_empty_is_bought():
    hand = deal(FIRST_THREE.replace(ante=0), {1: "(-- --) 3s Kd", 2: "(-- --) 2s 3h"})
    hand.play("2 bring_in; 1 call |")
    assert [] == hand.all(PurchaseOffered)
    assert is_wild(hand, 2, "3h")


def test_a_three_dealt_down_is_not_bought():
    hand = deal(FIRST_THREE, {1: "(3d --) 3s", 2: "(-- --) 3h"})
    assert (1, 2) == (hand.actor, price(hand))


def test_every_open_three_costs_where_all_are_paid():
    hand = deal(MATCH_POT.replace(ante=3), THREES).play("1 buy")
    assert (2, 18) == (hand.actor, price(hand))


# Wild or natural


def test_a_three_dealt_down_is_wild_for_nothing():
    hands = {1: "(3s Kd) Kh 8c 6d 2h (5c)", 2: "(Qs Jd) 7c 8h Td 5s (2d)"}
    hand = deal(MATCH_POT, hands).play("2 bring_in; 1 call").check_down()
    assert "three_of_a_kind" == category(hand, 1)
    assert [] == hand.all(PurchaseOffered)


def test_a_three_on_the_last_street_lies_down_and_is_wild():
    hands = {1: "(Ks Kd) 7h 8c 6d 2h (3c)", 2: "(Qs Jd) 5c 8h Td 5s (2d)"}
    hand = deal(MATCH_POT, hands).play("2 bring_in; 1 call").check_down()
    assert "three_of_a_kind" == category(hand, 1)


def test_an_open_three_is_wild_once_it_is_paid():
    hands = {1: "(8s Kd) 3h Kc 6d 2h (5c)", 2: "(Qs Jd) 7c 8h Td 5s (2d)"}
    hand = deal(MATCH_POT, hands).play("1 buy; 1 bring_in; 2 call").check_down()
    assert "three_of_a_kind" == category(hand, 1)


def test_paying_for_one_three_makes_no_other_wild():
    hand = deal(NATURAL, {1: "(-- --) 3s 3d", 2: "(-- --) Qs 8h"}).play("1 buy; 1 bring_in; 2 call | 1 decline")
    assert [True, False] == [is_wild(hand, 1, "3s"), is_wild(hand, 1, "3d")]
    assert not is_wild(hand, 2, "3s"), "it was not paid for by seat 2"


def test_an_unpaid_three_is_an_ordinary_card_in_the_hand():
    hands = {1: "(8s Kd) 3h Kc 6d 2h (5c)", 2: "(Qs Jd) 7c 8h Td 5s (2d)"}
    hand = deal(NATURAL, hands).play("1 decline; 1 bring_in; 2 call").check_down()
    assert "one_pair" == category(hand, 1)
    assert not hand.folded(1)


def test_an_unpaid_three_shows_as_a_three():
    """Wild it would show an ace and open before the king."""
    rules = HOME.replace(pay_decline=PayDecline.NATURAL)
    hands = {1: "(-- --) 3s", 2: "(-- --) Ks"}
    assert 2 == deal(rules, hands, 0).play("1 decline").actor
    assert 1 == deal(rules, hands, 0).play("1 buy").actor


def test_an_unpaid_three_is_a_low_card_of_its_rank():
    """A-2-3-4-5 with a natural 3; wild, it could be no better; two unpaid threes pair."""
    rules = NATURAL.replace(split="high_low", low_qualifier="none", bonus_rank=None)
    hands = {1: "(Ad 2d) 3h 3c 6h 7s (8s)", 2: "(Ks Kd) 9c Qh Jd Ts (Jh)"}
    lows = []
    for answer in ("buy", "decline"):
        hand = deal(rules, hands).play(f"1 {answer}; 1 bring_in; 2 call | 1 {answer}").check_down()
        lows.append(next(event for event in hand.all(HandShown) if event.seat == 1).low)
    assert {parse_card("3h"), parse_card("3c")} <= set(lows[0])
    assert 1 == len({parse_card("3h"), parse_card("3c")} & set(lows[1]))


@pytest.mark.parametrize(("bring_in", "seat"), [("printed", 1), ("high", 2)])
def test_a_paid_three_at_the_door_brings_in_as_the_rules_say(bring_in, seat):
    rules = NATURAL.replace(wild_bring_in=bring_in)
    hands = {1: "(-- --) 3s", 2: "(-- --) 5c", 3: "(-- --) 8d"}
    assert seat == deal(rules, hands).play("1 buy").actor
    assert 1 == deal(rules, hands).play("1 decline").actor


# Together with bonus cards


def test_a_bonus_card_dealt_down_that_is_a_three_is_wild():
    hand = deal(MATCH_POT, {1: "(-- --) 4s+(3h)", 2: "(-- --) Ks"})
    assert is_wild(hand, 1, "3h")
    assert [] == hand.all(PurchaseOffered)


def test_a_bonus_card_dealt_up_that_is_a_three_must_be_paid():
    hand = deal(PROFILES["baseball-match-pot-fours-up"], {1: "(-- --) 4s+3h", 2: "(-- --) Ks"})
    assert (1, 2) == (hand.actor, price(hand))
    assert not is_wild(hand, 1, "3h")
    assert is_wild(hand.play("1 buy"), 1, "3h")


def test_pay_and_bonus_on_one_card_are_settled_in_this_order_each_at_its_price():
    hand = deal(BOTH, {1: "(-- --) 4s+Kd", 2: "(-- --) Qs", 3: "(-- --) Js"})
    offers = []
    while hand.state.offer:
        offers.append((hand.state.offer.purchase, price(hand)))
        assert not hand.up(2), "the next card waits"
        hand.play("1 buy")
    assert [("pay_rank", 3), ("bonus", 6)] == offers
    assert ("4s Kd", 12) == (hand.up(1), hand.pot)


def test_refusing_the_pay_rank_voids_the_bonus_where_it_folds():
    hand = deal(BOTH, {1: "(-- --) 4s", 2: "(-- --) Qs", 3: "(-- --) Js"}).play("1 decline")
    assert hand.folded(1)
    assert ["pay_rank"] == [event.purchase for event in hand.all(PurchaseOffered)]


def test_a_natural_card_still_earns_its_bonus():
    rules = BOTH.replace(pay_decline=PayDecline.NATURAL)
    hand = deal(rules, {1: "(-- --) 4s+Kd", 2: "(-- --) Qs", 3: "(-- --) Js"}).play("1 decline; 1 buy")
    assert not is_wild(hand, 1, "4s")
    assert "4s Kd" == hand.up(1)


def test_pay_bonus_and_rain_on_one_card():
    """Both are paid, then it rains: the payments stay in the carried pot."""
    rules = BOTH.replace(rain_card="4s", bonus_price=Fixed(2))
    hand = deal(rules, {1: "(-- --) 4s+Kd", 2: "(-- --)", 3: "(-- --)"}).play("1 buy; 1 buy")
    kinds = [type(event) for event in hand.events]
    assert kinds.index(PurchaseMade) < kinds.index(RainedOut)
    assert 3 + 3 + 2 == hand.all(RainedOut)[0].carry
    assert hand.state.finished


def test_who_folds_over_the_rain_card_is_rained_on_all_the_same():
    rules = BOTH.replace(rain_card="4s")
    hand = deal(rules, {1: "(-- --) 4s", 2: "(-- --)", 3: "(-- --)"}).play("1 decline")
    assert [3] == [event.carry for event in hand.all(RainedOut)]


def test_the_last_player_wins_before_it_rains():
    """The refusal leaves one player, who wins at once."""
    hand = deal(BOTH.replace(rain_card="4s"), {1: "(-- --) 4s", 2: "(-- --)"}).play("1 decline")
    assert ([], (2,)) == (hand.all(RainedOut), hand.state.winners)


def test_a_paid_card_that_is_replaced_is_gone():
    rules = BOTH.replace(bonus_mode=BonusMode.REPLACE, bonus_price=Free())
    hand = deal(rules, {1: "(-- --) 4s+Kd", 2: "(-- --) Qs"}).play("1 buy; 1 replace")
    assert ("Kd", (parse_card("4s"),)) == (hand.up(1), hand.state.player(1).dead)
    assert () == hand.state.player(1).paid


# Short stacks


def test_an_all_in_purchase_makes_the_card_wild_and_stays_in_the_main_pot():
    """Seat 1 has 4, pot 10: pays 4 (14), wild; seats 2 and 3 then bet 4 each: main pot 14 for three, side pot 8."""
    rules = Rules(pay_rank="3", ante=3, structure=OneUnit(4))
    hand = deal(rules, {1: "(-- --) 3s", 2: "(-- --) Qs", 3: "(-- --) Js"}, {1: 7, 2: 100, 3: 100}, carry=1)
    assert (10, "buy for 4, decline") == (hand.pot, hand.legal)
    hand.play("1 buy")
    assert [(14, {1, 2, 3})] == hand.pots
    assert is_wild(hand, 1, "3s")
    hand.play("2 bet 4; 3 call |")
    assert [(14, {1, 2, 3}), (8, {2, 3})] == hand.pots


def test_an_all_in_player_pays_nothing_and_has_a_wild_card():
    hand = deal(MATCH_POT, THREES, {1: 1, 2: 100, 3: 100})
    assert 2 == hand.actor
    assert is_wild(hand, 1, "3s")
    assert [(1, 0)] == [(event.seat, event.paid) for event in hand.all(PurchaseMade)]
    assert 3 == hand.pot


@pytest.mark.parametrize("stack", [1, 2, 3])
def test_who_cannot_pay_in_full_may_have_to_fold(stack):
    hand = deal(MATCH_POT.replace(short_purchase=ShortPurchase.FOLD), THREES, {1: stack, 2: 100, 3: 100})
    assert hand.folded(1)
    assert 2 == hand.actor


@pytest.mark.parametrize(("stack", "asked"), [(1, False), (3, False), (4, True)])
def test_where_refusing_costs_nothing_only_who_can_pay_in_full_is_asked(stack, asked):
    hand = deal(NATURAL, THREES, {1: stack, 2: 100, 3: 100})
    assert asked == (hand.actor == 1)
    assert [] == hand.all(PurchaseMade)
    assert not hand.folded(1)
    assert not is_wild(hand, 1, "3s")


def test_purchases_arise_where_nobody_can_bet_any_more():
    hands = {1: "(-- --) Ks Kd", 2: "(-- --) Js 3d"}
    hand = deal(MATCH_POT, hands, {1: 2, 2: 100}).play("2 bring_in; 1 call |")
    assert (2, 4) == (hand.actor, price(hand))
    assert "showdown" == hand.play("2 buy").legal


def test_out_of_time_is_a_refusal():
    hand = deal(MATCH_POT, THREES)
    assert Action(ActionKind.DECLINE) == engine.default_action(hand.state)
    replace = PROFILES["baseball-match-pot-replace-fours"]
    assert Action(ActionKind.KEEP) == engine.default_action(deal(replace, {1: "(-- --) 4s", 2: "(-- --) Ks"}).state)


# Replacing


REPLACE = PROFILES["baseball-match-pot-replace-fours"]


def test_a_four_is_replaced_by_a_four_that_is_replaced():
    """4d replaced by 4c replaced by Js: Js up, both 4s dead, same number of cards."""
    hand = deal(REPLACE, {1: "(-- --) 4d+4c+Js", 2: "(-- --) Ks"})
    assert (1, "replace, keep") == (hand.actor, hand.legal)
    hand.play("1 replace")
    assert ("4c", "replace, keep") == (hand.up(1), hand.legal)
    hand.play("1 replace")
    player = hand.state.player(1)
    assert ("Js", ["4d", "4c"]) == (hand.up(1), [engine.cards.card_text(card) for card in player.dead])
    assert 3 == len(player.down + player.up)


def test_keeping_is_free_and_ends_the_question():
    hand = deal(REPLACE, {1: "(-- --) 4d", 2: "(-- --) Ks"}).play("1 keep")
    assert ("4d", 98 + 100) == (hand.up(1), sum(hand.stacks))
    assert [] == hand.all(Folded)
    assert PurchaseKind.REPLACEMENT == hand.last(PurchaseDeclined).purchase


def test_the_door_card_is_the_one_that_lies_in_its_place():
    """The 2c in place of the 4d is the lowest door card."""
    hand = deal(REPLACE, {1: "(-- --) 4d+2c", 2: "(-- --) 5s"}).play("1 replace")
    assert (1, "bring_in 1, complete 2") == (hand.actor, hand.legal)


def test_a_replacement_lies_where_the_card_lay():
    hand = deal(REPLACE, {1: "(-- --) Ks 4d+Js 8c", 2: "(-- --) 2s 7s 7d"}).play("2 bring_in; 1 call | 1 replace")
    hand.play("1 check; 2 check |")
    assert "Ks Js 8c" == hand.up(1)


def test_dead_cards_do_not_count():
    hands = {1: "(4s 4h) 4d+Js Jd 8c 7h (2c)", 2: "(Qs Jc) 5c 8h Td 5s (2d)"}
    hand = deal(REPLACE, hands).play("1 replace; 2 bring_in; 1 call").check_down()
    assert "two_pair" == category(hand, 1)


def test_a_replaced_card_costs_what_the_rules_say_and_keeping_may_fold():
    rules = REPLACE.replace(bonus_price=Fixed(2))
    hand = deal(rules, {1: "(-- --) 4d", 2: "(-- --) Ks"})
    assert "replace for 2, keep" == hand.legal
    assert hand.play("1 keep").folded(1)
    may_keep = rules.replace(bonus_decline=BonusDecline.NO_CARD)
    assert not deal(may_keep, {1: "(-- --) 4d", 2: "(-- --) Ks"}).play("1 keep").folded(1)
    assert [97, 99] == deal(may_keep, {1: "(-- --) 4d+Js", 2: "(-- --) Ks"}).play("1 replace").stacks


def test_a_replacement_that_is_a_three_must_be_paid():
    hand = deal(REPLACE, {1: "(-- --) 4d+3c", 2: "(-- --) Ks"}).play("1 replace")
    assert ("buy for 2, decline", "3c") == (hand.legal, hand.up(1))


def test_the_face_of_a_bonus_card_does_not_matter_to_a_replacement():
    for face in BonusFace:
        hand = deal(REPLACE.replace(bonus_face=face), {1: "(-- --) 4d+Js", 2: "(-- --) Ks"}).play("1 replace")
        assert "Js" == hand.up(1)
        assert ["up"] == [event.face for event in hand.all(CardDealt) if event.cause == DealCause.REPLACEMENT]


def test_an_all_in_player_may_replace_for_nothing():
    hand = deal(REPLACE, {1: "(-- --) 4d+Js", 2: "(-- --) Ks", 3: "(-- --) Qs"}, {1: 1, 2: 100, 3: 100})
    assert (1, "replace, keep") == (hand.actor, hand.legal)
    assert "Js" == hand.play("1 replace").up(1)


def test_pay_scope_and_price_are_independent():
    rules = MATCH_POT.replace(pay_scope=PayScope.FIRST_ONLY, pay_price=Fixed(2))
    hand = deal(rules, THREES).play("1 buy")
    assert (5, True) == (hand.pot, is_wild(hand, 2, "3h"))
