"""Which cards are wild: printed, named by an up card (Follow the Queen), dealt down or paid for, for everybody."""

import pytest

import engine
from engine import PROFILES, Rules
from engine.cards import RANKS, parse_card, rank_mask
from engine.events import HandShown, WildNamed
from engine.knobs import BonusFace, BonusMode, Burn, Exhaustion, Free, MatchPot, OneUnit
from engine.state import NO_RANK
from tests.engine.play import deal, wild_cards

QUEEN = PROFILES["follow-the-queen"]
BONUS = QUEEN.replace(bonus_rank="4", bonus_price=Free(), bonus_face=BonusFace.UP)


def named(hand):
    """The named wild rank, in one letter; empty without one."""
    rank = hand.state.named_wild
    return "" if rank == NO_RANK else RANKS[rank]


def names(hand):
    """Every change of the named rank, ``-`` where it was cancelled."""
    return "".join("-" if event.rank is None else RANKS[event.rank] for event in hand.all(WildNamed))


def is_wild(hand, seat, card):
    return bool(wild_cards(hand.state, seat) >> parse_card(card) & 1)


def doors(*cards):
    return {seat: f"(-- --) {card}" for seat, card in enumerate(cards, start=1)}


# Follow the Queen


@pytest.mark.parametrize(
    ("cards", "rank"),
    [
        (("Ks", "7s", "2s"), ""),
        (("Qs", "7s", "2s"), "7"),
        (("7s", "Qs", "2s"), "2"),
        (("7s", "2s", "Qs"), ""),
        (("Qs", "Qd", "7s"), "7"),
        (("Qs", "Qd", "Qh", "7s"), "7"),
        (("Qs", "7s", "Qd", "2s"), "2"),
        (("Qs", "7s", "2s", "Qd"), ""),
        (("Qs", "7s", "7d", "2s"), "7"),
    ],
)
def test_the_up_card_after_an_up_queen_names_the_wild_rank(cards, rank):
    assert rank == named(deal(QUEEN, doors(*cards)))


def test_a_later_queen_cancels_the_rank_until_the_next_up_card():
    hand = deal(QUEEN, {1: "(-- --) Qs Qd", 2: "(-- --) 7s 8d"})
    assert ("7", True) == (named(hand), is_wild(hand, 1, "7d"))
    hand.play("2 bring_in; 1 call |")
    assert ("8", "7-8") == (named(hand), names(hand))
    assert [False, True, True] == [is_wild(hand, 1, card) for card in ("7d", "8s", "Qh")]


def test_the_last_up_card_may_be_a_queen_and_leave_only_the_queens():
    """Nothing follows: the down card of the last street names nothing."""
    hands = {1: "(-- --) Ks Qs 5d 8h (7c)", 2: "(-- --) 2s 7d 6h Qh (7h)"}
    hand = deal(QUEEN, hands).play("2 bring_in; 1 call").check_down()
    assert ("7-", "") == (names(hand), named(hand))


def test_a_queen_dealt_down_names_nothing():
    assert "" == named(deal(QUEEN, {1: "(Qs Qd) Ks", 2: "(-- --) 7s"}))


def test_the_card_may_come_on_the_next_street():
    hand = deal(QUEEN, {1: "(-- --) Ks 8h", 2: "(-- --) Qs 7s"})
    assert "" == named(hand)
    assert "8" == named(hand.play("2 bring_in; 1 call |"))


def test_a_folded_players_card_still_names_the_rank():
    hand = deal(QUEEN, {1: "(-- --) Qs", 2: "(-- --) 7s 8d", 3: "(-- --) 2s 9d"}).play("3 bring_in; 1 fold; 2 call |")
    assert "7" == named(hand)


def test_bonus_cards_name_too():
    assert "8" == named(deal(BONUS, {1: "(-- --) 5s", 2: "(-- --) Qs", 3: "(-- --) 8d"}))
    hand = deal(BONUS, {1: "(-- --) 4s+Qd", 2: "(-- --) 8d"})
    assert "8" == named(hand), "the bonus card was the queen"
    hand = deal(BONUS, {1: "(-- --) Qs", 2: "(-- --) 4s+Kd", 3: "(-- --) 8d"})
    assert "4" == named(hand), "the 4 came first"
    hand = deal(BONUS, {1: "(-- --) 4s+Qd", 2: "(-- --) 4h+7c", 3: "(-- --) 8d"})
    assert "4" == named(hand)
    hand = deal(BONUS, {1: "(-- --) 4s+4d+Qd", 2: "(-- --) 8d"})
    assert "8" == named(hand)


def test_a_bonus_card_dealt_down_names_nothing():
    hand = deal(BONUS.replace(bonus_face=BonusFace.DOWN), {1: "(-- --) Ks", 2: "(-- --) Qs", 3: "(-- --) 4s+(8d)"})
    assert "4" == named(hand)
    hand = deal(BONUS.replace(bonus_face=BonusFace.DOWN), {1: "(-- --) 4s+(Qd)", 2: "(-- --) 8s"})
    assert "" == named(hand)


def test_a_replacement_names_too():
    rules = BONUS.replace(bonus_mode=BonusMode.REPLACE)
    hand = deal(rules, {1: "(-- --) 4s+Qd", 2: "(-- --) 8d"}).play("1 replace")
    assert "8" == named(hand)


def test_the_named_rank_counts_in_every_hand():
    hands = {1: "(7c 8d) Ks Kd 5d 2h (9c)", 2: "(7d 8s) Qs 7s 6h Jh (Ah)"}
    hand = deal(QUEEN, hands)
    hand.play(f"{hand.actor} bring_in; {3 - hand.actor} call").check_down()
    assert "K" == named(hand) or names(hand)
    for shown in hand.all(HandShown):
        cards = engine.cards.mask_of(shown.cards)
        wild = rank_mask(RANKS.index("Q")) | rank_mask(hand.state.named_wild)
        assert engine.evaluate(cards, wild) == shown.value


def test_the_named_rank_shows_as_wild_at_once():
    """The 2s becomes wild when the Qs lies before it: two wilds against a pair of kings."""
    rules = Rules(wild_ranks=("Q",), wild_next_after="Q", structure=OneUnit(1))
    assert 2 == deal(rules, doors("Ks", "Qs", "2s")).actor
    assert 3 == deal(rules, doors("Ks", "8d", "Qs"), button=2).actor


def test_a_trigger_need_not_be_wild_itself():
    hand = deal(Rules(wild_next_after="Q", structure=OneUnit(1)), doors("Qs", "7s"))
    assert [False, True] == [is_wild(hand, 1, "Qs"), is_wild(hand, 1, "7d")]


def test_rolled_cards_name_too():
    rules = Rules(wild_next_after="Q", reveal_mode="roll_your_own", deal_pattern="7d", structure=OneUnit(1))
    hands = {1: "(Qs -- -- -- -- -- --)", 2: "(7d -- -- -- -- -- --)"}
    hand = deal(rules, hands).play("1 roll; 1 check; 2 check | 2 roll")
    assert "7" == named(hand)


def test_nothing_is_named_where_the_rules_do_not_follow_a_card():
    assert [] == deal(QUEEN.replace(wild_next_after=None), doors("Qs", "7s")).all(WildNamed)


# The pay rank, and whose card it is


PAY = PROFILES["baseball-match-pot"]


def test_cards_of_the_pay_rank_are_wild_down_or_paid():
    hand = deal(PAY, {1: "(3d 3c) 3h", 2: "(3s --) Ks"})
    assert [True, True, False] == [is_wild(hand, 1, card) for card in ("3d", "3c", "3h")]
    hand.play("1 buy")
    assert [True, True, True] == [is_wild(hand, 1, card) for card in ("3d", "3c", "3h")]
    assert is_wild(hand, 2, "3s")
    assert not is_wild(hand, 2, "3h")


def test_printed_wilds_are_wild_for_everybody():
    hand = deal(PAY.replace(wild_cards=("Jh", "Js")), {1: "(-- --) 8h", 2: "(-- --) Ks"})
    for seat in (1, 2):
        assert [True, True, True, False] == [is_wild(hand, seat, card) for card in ("9c", "Jh", "Js", "Jc")]


# The community card


def community(last, **knobs):
    """Seven players and four bonus cards: one card for all. Seat 6 holds an open 3 that it may be asked to pay."""
    rules = Rules(
        bonus_rank="4",
        bonus_price=Free(),
        bonus_face=BonusFace.UP,
        pay_rank="3",
        pay_price=MatchPot(),
        ante=1,
        structure=OneUnit(1),
        exhaustion=Exhaustion.COMMUNITY,
    ).replace(**knobs)
    hands = {seat: f"(-- --) 4{suit}+-- -- -- --" for seat, suit in enumerate("cdhs", start=1)}
    other = "Kd" if last == "3d" else "3d"
    hands |= {5: "(3c 3h) -- -- -- --", 6: "(-- --) 3s -- -- --", 7: f"({other} --) -- -- -- --"}
    return deal(rules, hands, 1000, rest=last)


def wild_for_all(hand, card):
    return {is_wild(hand, player.seat, card) for player in hand.state.live}


def test_a_community_card_of_a_wild_rank_is_wild():
    hand = community("9d", wild_ranks=("9",)).play("6 buy").check_down()
    assert {True} == wild_for_all(hand, "9d")


@pytest.mark.parametrize(("scope", "answer", "wild"), [
    ("first_only", "buy", True),
    ("first_only", "decline", False),
    ("every", "buy", False),
])  # fmt: skip
def test_a_community_card_of_the_pay_rank_is_wild_only_after_a_purchase_that_frees_all(scope, answer, wild):
    hand = community("3d", pay_scope=scope, pay_decline="natural").play(f"6 {answer}").check_down()
    assert {wild} == wild_for_all(hand, "3d")
    assert 7 == len(hand.all(HandShown))
    for shown in hand.all(HandShown):
        assert wild == (parse_card("3d") in dict(shown.wild_as)) or parse_card("3d") not in shown.best


def test_a_community_card_names_nothing_and_does_not_rain():
    hand = community("Qs", wild_next_after="Q", rain_card="Qs", burn=Burn.NONE).play("6 buy").check_down()
    assert 7 == len(hand.all(HandShown))
    assert not names(hand).endswith("-"), "an up queen would cancel what was named"
