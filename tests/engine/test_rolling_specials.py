"""Roll your own with wild, paid, bonus and rain cards: each works for the card that is rolled."""

from engine.cards import HIDDEN, card_text, parse_card
from engine.events import CardDealt, CardRolled, LeaderNamed, PurchaseOffered, RainedOut
from engine.knobs import Free, MatchPot
from engine.state import Phase
from engine.view import visible
from tests.engine.play import wild_cards
from tests.engine.rolled_hands import NIGHT, NO_PEEK, ROLLED, checks, rolled, seats


def test_wild_cards_lead_as_wild():
    """A 9 alone is an ace, so that a king is behind and an ace only ties."""
    hand = checks(rolled({1: "9s", 2: "Kd Ad 2c"}, 100_000, NO_PEEK).play("1 roll")).play("2 roll; 2 roll")
    assert [1, 2] == seats(hand, LeaderNamed), "A-K is ahead of a lone wild card"


def test_a_rolled_four_earns_a_card_under_the_unseen_ones():
    hand = rolled({1: "4s 8s", 2: "Kd"}, 100_000, NIGHT, rest="As").play("1 roll")
    player = hand.state.player(1)
    assert ("4s", "As", 7) == (hand.up(1), card_text(player.unseen[-1]), len(player.unseen))
    assert HIDDEN == visible(hand.all(CardDealt)[-1], 1).card
    assert "unseen" == hand.all(CardDealt)[-1].face


def test_the_bonus_card_is_rolled_last():
    hand = rolled({1: "4s 2s 5s 6d 8d Td Qs", 2: "Kd"}, 100_000, NIGHT, rest="Kc Ks").play("1 roll")
    checks(hand)
    checks(hand.play("2 roll"))
    order = []
    while hand.actor == 1 and hand.state.phase == Phase.ROLL:
        hand.play("1 roll")
        order.append(card_text(hand.last(CardRolled).card))
    assert ["2s", "5s", "6d", "8d", "Td", "Qs", "Kc"] == order


def test_a_priced_bonus_interrupts_the_roll():
    rules = ROLLED.replace(bonus_rank="4", bonus_price=MatchPot(), bonus_decline="fold")
    hand = rolled({1: "4s", 2: "Kd"}, rules=rules, rest="As").play("1 roll")
    assert (1, "buy for 2, decline", []) == (hand.actor, hand.legal, hand.all(LeaderNamed))
    assert [1] == seats(hand.play("1 buy"), LeaderNamed)
    refused = rolled({1: "4s", 2: "Kd", 3: "Qs"}, rules=rules).play("1 roll; 1 decline")
    assert (2, "roll, fold", True) == (refused.actor, refused.legal, refused.folded(1))


def test_a_rolled_three_must_be_paid():
    rules = ROLLED.replace(pay_rank="3", pay_decline="natural")
    hands = {1: "Ks", 2: "3d"}
    paid = checks(rolled(hands, rules=rules).play("1 roll")).play("2 roll; 2 buy")
    assert [1, 2] == seats(paid, LeaderNamed), "a wild 3 shows an ace"
    natural = checks(rolled(hands, rules=rules).play("1 roll")).play("2 roll; 2 decline")
    assert ([1], 2) == (seats(natural, LeaderNamed), natural.actor)
    assert not wild_cards(natural.state, 2) >> parse_card("3d") & 1


def test_a_three_that_nobody_has_seen_is_neither_paid_nor_wild():
    hand = rolled({1: "Ks 3d", 2: "Qd"}, rules=ROLLED.replace(pay_rank="3"))
    assert [] == hand.all(PurchaseOffered)
    assert not wild_cards(hand.state, 1) >> parse_card("3d") & 1


def test_refusing_a_three_on_the_last_players_turn_ends_the_hand():
    hand = checks(rolled({1: "Ks", 2: "3d"}, rules=ROLLED.replace(pay_rank="3")).play("1 roll")).play(
        "2 roll; 2 decline"
    )
    assert (1,) == hand.state.winners


def test_pay_bonus_and_rain_on_one_rolled_card():
    rules = ROLLED.replace(pay_rank="4", bonus_rank="4", bonus_price=Free(), rain_card="4s")
    hand = rolled({1: "4s", 2: "Kd"}, rules=rules).play("1 roll; 1 buy")
    assert [4] == [event.carry for event in hand.all(RainedOut)]


def test_a_bonus_card_that_the_deck_no_longer_holds_is_skipped():
    """Seven players hold 49 cards: three are left for four bonus cards."""
    rules = ROLLED.replace(bonus_rank="4", bonus_price=Free())
    hands = {seat: f"{card}" for seat, card in enumerate(["4c", "4d", "4h", "4s"], start=1)}
    hands = {seat: f"{card} {'-- ' * 6}".strip() for seat, card in hands.items()}
    hands |= {5: "--", 6: "--", 7: "--"}
    hand = rolled(hands, rules=rules)
    assert 3 == len(hand.state.deck)
    checks(hand.play("1 roll"))
    while sum(card_text(card)[0] == "4" for player in hand.state.players for card in player.up) < 4:
        hand.play(f"{hand.actor} roll")
        checks(hand)
    assert 3 == sum(event.cause == "bonus" for event in hand.all(CardDealt))
    assert () == hand.state.deck
