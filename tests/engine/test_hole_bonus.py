"""Bonus cards for cards dealt down: who is asked when, what it costs, and that being asked betrays nothing."""

import pytest

import engine
from engine import PROFILES, Action, ActionKind
from engine.cards import HIDDEN, card_text, parse_card
from engine.events import (
    CardDealt,
    CardExposed,
    Folded,
    PotAwarded,
    PurchaseDeclined,
    PurchaseKind,
    PurchaseMade,
    PurchaseOffered,
    StreetStarted,
)
from engine.knobs import BonusFace, Fixed, HoleBonusClaim, MatchPot
from engine.state import Phase
from tests.engine.play import deal, wild_cards

FREE = PROFILES["baseball-match-pot-hole-fours"]
BUY = PROFILES["baseball-match-pot-hole-fours-buy"]
BETWEEN = FREE.replace(hole_bonus_claim=HoleBonusClaim.BETWEEN_ROUNDS)
THREE = {1: "(-- --) Ks", 2: "(4s --) Qs", 3: "(-- --) 2c"}


def asked(hand):
    """Who was asked, in order."""
    return [event.seat for event in hand.all(PurchaseOffered) if event.purchase == PurchaseKind.HOLE_BONUS]


def bonus(hand):
    return [f"{e.seat} {card_text(e.card)} {e.face}" for e in hand.all(CardDealt) if e.cause == "bonus"]


def answer_all(hand):
    """Let everybody who is asked decline."""
    while hand.state.phase == Phase.CLAIM:
        hand.play(f"{hand.actor} decline")
    return hand


def down_to(hand, street):
    """Check, post, call and decline until a street waits for its first decision."""
    while hand.state.street < street:
        kind = next(word for word in ("decline", "bring_in", "check", "call") if word in hand.legal)
        hand.play(f"{hand.actor} {kind}")
    return hand


# On the own street


def test_everybody_is_asked_after_the_cards_and_before_the_bring_in():
    hand = deal(FREE, THREE, rest="8h")
    assert [Phase.CLAIM, 1, "decline"] == [hand.state.phase, hand.actor, hand.legal]
    hand.play("1 decline")
    assert (2, "claim, decline") == (hand.actor, hand.legal)
    hand.play("2 claim")
    assert ["2 8h down"] == bonus(hand)
    assert (2, "decline") == (hand.actor, hand.legal), "asked again, for another one"
    hand.play("2 decline; 3 decline")
    assert (3, "bring_in 1, complete 2") == (hand.actor, hand.legal)
    assert [1, 2, 2, 3] == asked(hand)


def test_a_claim_is_chosen_and_never_automatic():
    hand = answer_all(deal(FREE, THREE))
    assert [] == bonus(hand) == hand.all(PurchaseMade)
    assert [1, 2, 3] == [event.seat for event in hand.all(PurchaseDeclined)]


def test_nobody_but_a_holder_may_claim():
    hand = deal(FREE, THREE)
    hand.refuses("claim; buy; fold; check; keep; call; showdown; claim 1; decline 1")


def test_what_was_not_claimed_on_its_street_is_lost():
    hand = down_to(answer_all(deal(FREE, THREE)), 7)
    assert [1, 2, 3, 1] == asked(hand)
    assert (1, "decline") == (hand.actor, hand.legal)
    assert (2, "decline") == (hand.play("1 decline").actor, hand.legal)


def test_streets_without_a_down_card_ask_nobody():
    hand = answer_all(deal(FREE, THREE)).play("3 bring_in; 1 call; 2 call |")
    assert (4, Phase.BETTING) == (hand.state.street, hand.state.phase)


def test_a_four_on_the_last_street_is_claimed_before_its_first_action():
    hand = deal(FREE, {1: "(-- --) Ks -- -- -- (4d)", 2: "(-- --) 2s -- -- -- (--)"}, rest="8h")
    down_to(hand, 7).play("1 claim; 1 decline; 2 decline")
    assert ["1 8h down"] == bonus(hand)
    assert Phase.BETTING == hand.state.phase


def test_two_down_fours_are_claimed_one_by_one():
    hand = deal(FREE, {1: "(4s 4h) Ks", 2: "(-- --) 2s"}, rest="8h 7h").play("1 claim; 1 claim; 1 decline; 2 decline")
    assert ["1 8h down", "1 7h down"] == bonus(hand)


def test_a_hole_bonus_that_is_a_four_may_be_claimed_in_turn():
    hand = deal(FREE, {1: "(4s --) Ks", 2: "(-- --) 2s"}, rest="4h 7h").play("1 claim; 1 claim; 1 decline")
    assert ["1 4h down", "1 7h down"] == bonus(hand)


def test_a_bonus_card_dealt_down_that_is_a_four_may_be_claimed_on_its_street():
    hands = {1: "(-- --) Ks 4s+(4h)", 2: "(-- --) 2s 8d"}
    hand = answer_all(deal(FREE, hands, rest="7h")).play("2 bring_in; 1 call | 1 claim")
    assert ["1 4h down", "1 7h down"] == bonus(hand)


def test_players_who_folded_are_not_asked_and_all_in_players_are():
    hand = deal(FREE, {1: "(4s --) Ks", 2: "(-- --) Qs", 3: "(-- --) 2c"}, {1: 1, 2: 100, 3: 100}, rest="8h")
    hand.play("1 claim; 1 decline; 2 decline; 3 decline")
    assert ["1 8h down"] == bonus(hand), "an all-in player claims what is free"
    hand.play("3 bring_in; 2 fold")
    assert 2 not in asked(hand)[4:]


# Between rounds


def test_between_rounds_a_claim_may_wait():
    hand = answer_all(deal(BETWEEN, {**THREE, 1: "(-- --) Ks"}, rest="8h"))
    hand.play("3 bring_in; 1 call; 2 call |")
    assert Phase.CLAIM == hand.state.phase
    assert 1 == len(hand.all(StreetStarted)), "asked before the next dealing round"
    hand.play("1 decline; 2 claim")
    assert ["2 8h down"] == bonus(hand)
    assert 1 == len(hand.all(StreetStarted))
    answer_all(hand)
    assert 2 == len(hand.all(StreetStarted))


def test_between_rounds_everybody_is_asked_once_before_each_round_and_after_cards_that_lie_down():
    """After the cards of third and seventh street, and before fourth to seventh: six times each."""
    hand = down_to(deal(BETWEEN, {1: "(-- --) Ks", 2: "(-- --) 2s"}), 7)
    answer_all(hand)
    assert [1, 2] * 6 == asked(hand)


def test_a_bonus_card_that_went_down_makes_a_street_ask_again():
    hands = {1: "(-- --) Ks 4c+(7d)", 2: "(-- --) 2s 8d"}
    hand = answer_all(deal(BETWEEN, hands)).play("2 bring_in; 1 call |")
    answer_all(hand)
    assert [1, 2] * 3 == asked(hand), "after third street, before fourth, after fourth"


def test_nobody_is_asked_after_the_last_betting_round():
    hand = down_to(answer_all(deal(BETWEEN, {1: "(-- --) Ks -- -- -- (4d)", 2: "(4s --) 2s -- -- -- (--)"})), 7)
    answer_all(hand)
    hand.play("1 check; 2 check |")
    assert "showdown" == hand.legal


def test_between_rounds_all_in_players_are_asked_too():
    hands = {1: "(4s --) Ks", 2: "(-- --) 2s"}
    hand = answer_all(deal(BETWEEN, hands, {1: 1, 2: 100}))
    assert {1, 2} == set(asked(hand))
    assert "showdown" == hand.legal
    assert asked(hand).count(1) > 4, "before each later dealing round"


# Prices


def test_a_claim_costs_twice_the_smallest_bet_on_every_street():
    hand = deal(BUY, THREE, rest="8h").play("1 decline")
    assert "claim for 4, decline" == hand.legal
    assert (4, 4) == (hand.state.offer.price, hand.all(PurchaseOffered)[0].price)
    hand.play("2 claim")
    assert (7, 95) == (hand.pot, hand.stacks[1])


def test_a_claim_may_match_the_pot():
    rules = FREE.replace(hole_bonus=MatchPot())
    hand = deal(rules, {1: "(4s 4h) Ks", 2: "(-- --) 2s"}, rest="8h 7h").play("1 claim")
    assert "claim for 4, decline" == hand.legal
    assert 8 == hand.play("1 claim").pot


@pytest.mark.parametrize(("stack", "legal"), [(4, "decline"), (5, "claim for 4, decline")])
def test_a_claim_is_open_only_to_who_can_pay_in_full(stack, legal):
    hand = deal(BUY, THREE, {1: 100, 2: stack, 3: 100}).play("1 decline")
    assert (2, legal) == (hand.actor, hand.legal)


def test_declining_costs_and_folds_nothing():
    hand = answer_all(deal(BUY, THREE))
    assert [[99, 99, 99], []] == [hand.stacks, hand.all(Folded)]


def test_out_of_time_is_a_refusal():
    hand = deal(FREE, THREE).play("1 decline")
    assert Action(ActionKind.DECLINE) == engine.default_action(hand.state)


# Faces


@pytest.mark.parametrize(
    ("face", "lies"), [(BonusFace.UP, "up"), (BonusFace.DOWN, "down"), (BonusFace.AS_TRIGGER, "down")]
)
def test_a_hole_bonus_lies_as_the_rules_say(face, lies):
    hand = deal(FREE.replace(bonus_face=face), {1: "(4s --) Ks", 2: "(-- --) 2s"}, rest="8h").play("1 claim")
    assert [f"1 8h {lies}"] == bonus(hand)


def test_a_hole_bonus_dealt_up_triggers_like_any_up_card():
    rules = FREE.replace(bonus_face=BonusFace.UP)
    hand = deal(rules, {1: "(4s --) Ks", 2: "(-- --) 2s"}, rest="3h").play("1 claim")
    assert "buy for 2, decline" == hand.legal
    hand.play("1 decline")
    assert (2,) == hand.state.winners
    hand = deal(rules, {1: "(4s --) Ks", 2: "(-- --) 2s"}, rest="4h 8h").play("1 claim")
    assert ["1 4h up", "1 8h up"] == bonus(hand)


def test_a_claimed_card_may_be_exposed_and_shows():
    rules = FREE.replace(hole_bonus_expose=True, bring_in=0, first_opener="best_showing")
    hands = {1: "(4s --) Ks", 2: "(-- --) As"}
    hand = answer_all(deal(rules, hands, rest="8h").play("1 claim"))
    assert ("Ks 4s", 2) == (hand.up(1), hand.actor)
    hand = answer_all(deal(rules, {1: "(Kd 4s) 4d+(7h)", 2: "(-- --) As"}, rest="8h").play("1 claim"))
    assert 1 == hand.actor, "a pair of fours shows"


def test_everybody_is_told_which_card_was_exposed():
    hand = deal(FREE.replace(hole_bonus_expose=True), {1: "(4s --) Ks", 2: "(-- --) 6s"}, rest="8h").play("1 claim")
    exposed = CardExposed(1, parse_card("4s"))
    assert [exposed] == hand.all(CardExposed)
    assert [exposed] * 3 == [engine.visible(exposed, viewer) for viewer in (1, 2, None)]
    assert [] == deal(FREE, {1: "(4s --) Ks", 2: "(-- --) 6s"}, rest="8h").play("1 claim").all(CardExposed)


def test_an_exposed_card_is_no_door_card():
    hands = {1: "(4s --) Ks", 2: "(-- --) 6s"}
    hand = answer_all(deal(FREE.replace(hole_bonus_expose=True), hands, rest="8h").play("1 claim"))
    assert 2 == hand.actor


def test_an_exposed_card_earns_no_second_bonus():
    hand = deal(FREE.replace(hole_bonus_expose=True), {1: "(4s --) Ks", 2: "(-- --) 6s"}, rest="8h").play("1 claim")
    assert ["1 8h down"] == bonus(hand)
    assert (1, "decline") == (hand.actor, hand.legal)


def test_an_exposed_card_of_the_pay_rank_was_dealt_down_and_stays_wild():
    rules = FREE.replace(hole_bonus_expose=True, pay_rank="4")
    hand = deal(rules, {1: "(4s --) Ks", 2: "(-- --) 6s"}, rest="8h")
    for _ in range(2):
        assert wild_cards(hand.state, 1) >> parse_card("4s") & 1
        if hand.legal == "claim, decline":
            hand.play("1 claim")
    assert "Ks 4s" == hand.up(1)


# Who sees what


def holder_and_not():
    """The same hand to everybody but seat 1: it holds the 4s, or the 8c lies there."""
    hands = {2: "(-- --) 2s", 3: "(-- --) Qs"}
    deals = []
    for first in ("4s", "8c"):
        other = "8c" if first == "4s" else "4s"
        deals.append(deal(BUY, {1: f"({first} 5d) Ks"} | hands, rest=f"8h {other}"))
    return deals


@pytest.mark.parametrize("viewer", [2, 3, None])
def test_being_asked_betrays_nothing(viewer):
    holder, other = holder_and_not()
    assert ["claim for 4, decline", "decline"] == [holder.legal, other.legal]
    for _ in range(3):
        assert engine.view(holder.state, viewer) == engine.view(other.state, viewer)
        for hand in (holder, other):
            hand.play(f"{hand.actor} decline")
    seen = [[engine.visible(event, viewer) for event in hand.events] for hand in (holder, other)]
    assert seen[0] == seen[1]


def test_the_holder_sees_the_own_claim():
    holder, _ = holder_and_not()
    assert parse_card("4s") == engine.view(holder.state, 1).offer.card
    assert holder.legal.startswith("claim")
    assert ActionKind.CLAIM in {choice.kind for choice in engine.view(holder.state, 1).legal.choices}


@pytest.mark.parametrize("viewer", [2, 3, None])
def test_who_claims_shows_that_there_is_one_and_not_which(viewer):
    hand = deal(FREE, {1: "(4s --) Ks", 2: "(-- --) 2s", 3: "(-- --) Qs"}, rest="8h").play("1 claim")
    made = engine.visible(hand.last(PurchaseMade), viewer)
    assert (1, HIDDEN) == (made.seat, made.card)
    shown = [card for seat in engine.view(hand.state, viewer).seats for card in seat.down]
    assert {HIDDEN} == set(shown) - {card for seat in [viewer] if seat for card in hand.state.player(seat).down}


def test_the_price_betrays_nothing_either():
    holder, other = holder_and_not()
    assert holder.state.offer.price == other.state.offer.price == 4


# The end of the hand, leaving


def test_who_leaves_while_asked_gets_nothing():
    hand = deal(FREE, {**THREE, 1: "(4d --) Ks"}, rest="8h").play("1 leave")
    assert (2, []) == (hand.actor, bonus(hand))


def test_when_all_others_leave_the_last_one_wins_unasked():
    hand = deal(FREE, THREE).play("2 leave; 3 leave")
    assert (True, (1,)) == (hand.state.finished, hand.state.winners)
    assert [3] == [event.amount for event in hand.all(PotAwarded)]


def test_a_claim_for_an_empty_deck_is_not_offered():
    hand = deal(FREE, {1: "(4s --) Ks", 2: "(-- --) 2s"})
    empty = engine.state.State(
        **{name: getattr(hand.state, name) for name in hand.state.__struct_fields__} | {"deck": ()}
    )
    after = engine.step(empty, Action(ActionKind.DECLINE)).state
    assert (2, HIDDEN) == (after.actor, after.offer.card)


def test_a_price_of_its_own():
    rules = FREE.replace(hole_bonus=Fixed(3))
    hand = deal(rules, {1: "(4s --) 4d+(7h)", 2: "(-- --) 2s"}, rest="8h")
    assert ("claim for 3, decline", 2) == (hand.legal, hand.pot)
