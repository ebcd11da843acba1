"""Cards that are replaced: what lies where, what counts, what it costs, and what keeping means."""

import engine
from engine import PROFILES, Rules
from engine.cards import parse_card
from engine.events import CardDealt, DealCause, Folded, HandShown, PurchaseDeclined, PurchaseKind
from engine.knobs import BonusDecline, BonusFace, BonusMode, Fixed, Free, MatchPot, OneUnit, PayScope
from tests.engine.play import deal, wild_cards

REPLACE = PROFILES["baseball-match-pot-replace-fours"]
MATCH_POT = PROFILES["baseball-match-pot"]
BOTH = Rules(
    pay_rank="4", pay_price=MatchPot(), bonus_rank="4", bonus_price=MatchPot(), ante=1, structure=OneUnit(1)
)  # fmt: skip
THREES = {1: "(-- --) 3s", 2: "(-- --) 3h", 3: "(-- --) Ks"}


def is_wild(hand, seat, card):
    return bool(wild_cards(hand.state, seat) >> parse_card(card) & 1)


def category(hand, seat):
    shown = next(event for event in hand.all(HandShown) if event.seat == seat)
    return engine.describe(shown.value).category


def test_a_paid_card_that_is_replaced_is_gone():
    rules = BOTH.replace(bonus_mode=BonusMode.REPLACE, bonus_price=Free())
    hand = deal(rules, {1: "(-- --) 4s+Kd", 2: "(-- --) Qs"}).play("1 buy; 1 replace")
    assert ("Kd", (parse_card("4s"),)) == (hand.up(1), hand.state.player(1).dead)
    assert () == hand.state.player(1).paid


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
