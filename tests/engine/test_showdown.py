"""The showdown: who shows first, who wins which pot, who gets the odd unit."""

import pytest

import engine
from engine import PROFILES, Rules
from engine.cards import mask_of, parse_card, parse_cards
from engine.events import CardDealt, Checked, HandEnded, HandShown, PotAwarded, PotHalf
from engine.knobs import Fixed, NoLimit, OddUnit, OneUnit, Stakes
from engine.state import Award
from tests.engine.play import STUD, deal

PLAIN = Rules(structure=OneUnit(1))
BASEBALL = PROFILES["baseball"]

SEVENTH = {
    1: "(Ks Kd) 8c 9h Jd 5s (2d)",
    2: "(Qs Qd) 7c 8h Td 6s (2h)",
    3: "(Js Jh) 2c 3h 4d 9s (7d)",
}
"""Kings, queens, jacks; seat 1 shows the best board from fourth street on."""


def to_the_river(hands=SEVENTH, rules=STUD, stacks=100, **more):
    """Check or call down to the last betting round."""
    hand = deal(rules, hands, stacks, **more)
    while hand.state.street < 7:
        kind = next(word for word in ("bring_in", "check", "call") if word in hand.legal)
        hand.play(f"{hand.actor} {kind}")
    return hand


def showing_order(hand):
    return [event.seat for event in hand.all(HandShown)]


# Who shows first


def test_the_last_raiser_shows_first_and_the_others_follow_clockwise():
    hand = to_the_river().play("1 check; 2 bet 10; 3 raise 20; 1 call; 2 call | 3 showdown")
    assert [3, 1, 2] == showing_order(hand)


def test_the_bettor_shows_first_when_nobody_raised():
    hand = to_the_river().play("1 check; 2 bet 10; 3 call; 1 call | 2 showdown")
    assert [2, 3, 1] == showing_order(hand)


def test_a_checked_round_is_shown_by_the_best_board_first():
    hand = to_the_river().play("1 check; 2 check; 3 check | 1 showdown")
    assert [1, 2, 3] == showing_order(hand)


def test_a_bet_of_an_earlier_round_does_not_count():
    hand = to_the_river()
    assert [1, 2, 3] == showing_order(hand.check_down())


def test_an_all_in_raise_shows_first():
    hand = to_the_river(stacks={1: 100, 2: 100, 3: 18})
    hand.play("1 bet 10; 2 call; 3 raise 15; 1 call; 2 call | 3 showdown")


def test_a_short_all_in_is_no_raise_and_leaves_the_bettor_first():
    hand = to_the_river(stacks={1: 100, 2: 100, 3: 15})
    hand.play("1 bet 10; 2 call; 3 raise 12; 1 call; 2 call | 1 showdown")


def test_a_short_opening_bet_is_a_bet():
    hand = to_the_river(stacks={1: 100, 2: 7, 3: 100})
    hand.play("1 check; 2 bet 4; 3 call; 1 call | 2 showdown")


def test_when_no_more_betting_was_possible_the_last_round_with_betting_decides():
    """Seat 3 bets all-in on fifth street; nobody can bet after that."""
    hands = {1: "(Ks Kd) 8c 9h Jd 5s (2d)", 3: "(Js Jh) 2c 3h 4d 9s (7d)"}
    hand = deal(STUD, hands, {1: 100, 3: 13})
    hand.play("3 bring_in; 1 call | 1 check; 3 check | 1 check; 3 bet 10; 1 call")
    hand.play("3 showdown")
    assert [3, 1] == showing_order(hand)


def test_when_nobody_ever_bet_the_best_board_shows_first():
    hand = deal(STUD, SEVENTH, 1)
    assert (1, "showdown") == (hand.actor, hand.legal)


def test_a_raiser_who_left_does_not_show_first():
    hand = to_the_river().play("1 check; 2 bet 10; 2 leave; 3 call; 1 call |")
    assert 1 == hand.actor
    assert [1, 3] == showing_order(hand.show())


def test_all_players_still_in_show_and_nobody_else():
    hand = to_the_river().play("1 bet 10; 2 fold; 3 call |").show()
    assert [1, 3] == showing_order(hand)
    assert [True, False, True] == [player.shown for player in hand.state.players]


def test_a_shown_hand_names_its_cards_value_and_best_five():
    rules = BASEBALL.replace(bring_in=1)
    hands = {1: "(Ks Kd) 3c 9h Jd 5s (2d)", 2: "(Qs Qd) 7c 8h Td 6s (2h)"}
    hand = deal(rules, hands).play("1 bring_in; 2 call").check_down()
    shown = next(event for event in hand.all(HandShown) if event.seat == 1)
    assert parse_cards("Ks Kd 2d 3c 9h Jd 5s") == shown.cards
    assert engine.evaluate(mask_of(shown.cards), rules.wild_mask) == shown.value
    assert "four_of_a_kind" == engine.describe(shown.value).category
    assert set(parse_cards("Ks Kd 3c 9h Jd")) == set(shown.best)
    assert set(parse_cards("3c 9h")) == {wild for wild, _ in shown.wild_as}
    assert () == shown.low


def test_nothing_is_dealt_or_decided_at_the_showdown():
    hand = to_the_river().play("1 check; 2 check; 3 check |")
    assert "showdown" == hand.legal
    hand.refuses("check; fold; call; bet 10; showdown 1; showdown -1; buy")
    dealt = len(hand.all(CardDealt))
    hand.show()
    assert dealt == len(hand.all(CardDealt))
    assert isinstance(hand.events[-1], HandEnded)


# Who wins


def test_the_best_hand_wins_the_pot():
    hand = to_the_river().check_down()
    assert [PotAwarded(0, PotHalf.WHOLE, 9, ((1, 9),))] == hand.all(PotAwarded)
    assert (1,) == hand.state.winners
    assert (Award(1, 9),) == hand.state.awards
    assert [106, 97, 97] == hand.stacks


def test_a_pot_with_one_live_member_goes_to_that_member():
    hand = to_the_river(stacks={1: 3, 2: 100, 3: 100}).play("2 bet 10; 3 call |").show()
    assert [PotAwarded(0, PotHalf.WHOLE, 9, ((1, 9),)), PotAwarded(1, PotHalf.WHOLE, 20, ((2, 20),))] == hand.all(
        PotAwarded
    )
    assert (1, 2) == hand.state.winners


def test_five_eights_beat_a_royal_flush():
    hands = {1: "(8s 8h) 3c 8c 8d 2c (2d)", 2: "(As Ks) Qs Js Ts 5c (5d)"}
    hand = deal(BASEBALL, hands).play("1 bring_in; 2 call").check_down()
    assert (1,) == hand.state.winners


def test_a_royal_flush_may_beat_five_of_a_kind():
    hands = {1: "(8s 8h) 3c 8c 8d 2c (2d)", 2: "(As Ks) Qs Js Ts 5c (5d)"}
    rules = BASEBALL.replace(five_of_a_kind="below_royal_flush")
    assert (2,) == deal(rules, hands).play("1 bring_in; 2 call").check_down().state.winners


def test_suits_break_no_tie():
    hand = to_the_river(TIED, PLAIN, carry=20).check_down()
    assert [PotAwarded(0, PotHalf.WHOLE, 20, ((1, 10), (2, 10)))] == hand.all(PotAwarded)


def test_equal_hands_split_whether_wild_or_natural():
    hands = {1: "(Ks Kd) Kc 8h Jd 5s (2c)", 2: "(Kh 3d) 9c 8c Js 5d (2h)"}
    rules = BASEBALL.replace(ante=10, bring_in=0, first_opener="best_showing")
    hand = deal(rules, hands).check_down()
    assert (1, 2) == hand.state.winners


def test_a_natural_hand_may_beat_an_equal_wild_one():
    hands = {1: "(Kh 3d) 9c 8c Js 5d (2h)", 2: "(Ks Kd) Kc 8h Jd 5s (2c)"}
    rules = BASEBALL.replace(ante=10, bring_in=0, first_opener="best_showing", natural_beats_wild=True)
    hand = deal(rules, hands).check_down()
    assert (2,) == hand.state.winners


def test_bonus_cards_count_in_the_hand():
    """All cards held: the fifth spade is the bonus card."""
    rules = PROFILES["baseball-free-fours"]
    hands = {1: "(As Ks) 4s+(7s) Js 2d 5h (6d)", 2: "(Qd Qh) Qc 8h 8d 6s (2c)"}
    hand = deal(rules, hands).play("1 bring_in; 2 call").check_down()
    assert (2,) == hand.state.winners, "a full house beats a flush"
    shown = {event.seat: engine.describe(event.value).category for event in hand.all(HandShown)}
    assert {1: "flush", 2: "full_house"} == shown


# The odd unit


TIED = {
    1: "(Ah Kd) 2c 5h 6d 8s (Td)",
    2: "(Ad Kh) 2d 5c 6s 8h (Tc)",
    3: "(Qs Jd) 7c 9h 3s 2h (4d)",
}
"""Seats 1 and 2 tie with ace-king high."""

SWAPPED = {**TIED, 1: "(Ad Kh) 2c 5h 6d 8s (Td)", 2: "(Ah Kd) 2d 5c 6s 8h (Tc)"}


def shares(hands, odd_unit, pot, **more):
    """Carry a pot into a hand without bets and say who gets what."""
    hand = deal(PLAIN.replace(odd_unit=odd_unit), hands, carry=pot, **more).check_down()
    return dict(hand.all(PotAwarded)[0].shares)


def test_the_odd_unit_goes_to_the_highest_card_by_suit():
    """A pot of 19: whoever holds the ace of hearts gets 10."""
    assert {1: 10, 2: 9} == shares(TIED, OddUnit.HIGH_CARD_ALL_CARDS, 19)
    assert {1: 9, 2: 10} == shares(SWAPPED, OddUnit.HIGH_CARD_ALL_CARDS, 19)


@pytest.mark.parametrize(("hands", "stacks"), [(TIED, [102, 101, 97]), (SWAPPED, [101, 102, 97])])
def test_a_played_hand_with_an_odd_pot(hands, stacks):
    """Seat 3 folds on fourth street to a bet of 5; the pot is 19."""
    hand = deal(STUD, {**hands, 3: "(Qs Jd) 7c Jh"})
    hand.play("1 bring_in; 2 call; 3 call | 3 check; 1 bet 5; 2 call; 3 fold |").check_down()
    assert [19] == [event.amount for event in hand.all(PotAwarded)]
    assert stacks == hand.stacks


def test_or_to_the_first_player_left_of_the_dealer():
    assert {1: 10, 2: 9} == shares(SWAPPED, OddUnit.FIRST_LEFT_OF_DEALER, 19)
    assert {1: 9, 2: 10} == shares(TIED, OddUnit.FIRST_LEFT_OF_DEALER, 19, button=1)


WHEEL_AND_ACE = {
    1: "(9h 8d) 7c 6h 5d Ks (2d)",
    2: "(9s 8c) 7d 6s 5c Qh (2h)",
}
"""Two straights to the nine: seat 1 has the higher card beside it, seat 2 the higher nine in it."""


def test_all_cards_or_only_the_best_five_may_decide():
    assert {1: 6, 2: 5} == shares(WHEEL_AND_ACE, OddUnit.HIGH_CARD_ALL_CARDS, 11)
    assert {1: 5, 2: 6} == shares(WHEEL_AND_ACE, OddUnit.HIGH_CARD_BEST_FIVE, 11)


def test_wild_cards_count_with_their_printed_face():
    """Both have four kings, ace: the 3s wild for seat 1 is a low spade, the king of spades decides."""
    hands = {1: "(Kh 3s) 3c Kd Ad 7s (8c)", 2: "(Ks Kc) 9h 9d Ah 6s (8d)"}
    rules = PLAIN.replace(wild_ranks=("3", "9"), odd_unit=OddUnit.HIGH_CARD_BEST_FIVE)
    hand = deal(rules, hands, carry=7).check_down()
    assert {1: 3, 2: 4} == dict(hand.all(PotAwarded)[0].shares)


def test_among_several_fives_the_one_with_the_highest_printed_cards_counts():
    """Seat 2 may play the ten of spades or of clubs in its straight."""
    hands = {1: "(Th 9d) 8c 7h 6d 2s (2d)", 2: "(Tc Ts) 9c 8h 7d 6s (2h)"}
    assert {1: 3, 2: 4} == shares(hands, OddUnit.HIGH_CARD_BEST_FIVE, 7)


@pytest.mark.parametrize(("pot", "expected"), [(30, (10, 10, 10)), (31, (10, 11, 10)), (32, (11, 11, 10))])
def test_each_odd_unit_goes_to_another_player(pot, expected):
    hands = {1: "(Ah Kd) 2c 5h 6d 8s (Td)", 2: "(As Kh) 2d 5c 6s 8h (Tc)", 3: "(Ad Ks) 2h 5d 6c 8d (Ts)"}
    assert expected == tuple(shares(hands, OddUnit.HIGH_CARD_ALL_CARDS, pot).values())


def test_exact_shares_leave_no_odd_unit():
    """A pot of 10 chips, three tied: 2800 minor units each."""
    hands = {1: "(Ah Kd) 2c 5h 6d 8s (Td)", 2: "(As Kh) 2d 5c 6s 8h (Tc)", 3: "(Ad Ks) 2h 5d 6c 8d (Ts)"}
    rules = Rules(stakes=Stakes.CREDIT, minor_units=840, structure=OneUnit(840), odd_unit=OddUnit.EXACT)
    hand = deal(rules, hands, 0, carry=8400).check_down()
    assert ((1, 2800), (2, 2800), (3, 2800)) == hand.all(PotAwarded)[0].shares


@pytest.mark.parametrize("tied", range(2, 8))
def test_exact_halves_of_up_to_seven_shares_divide(tied):
    assert 0 == 840 % tied
    assert 0 == 840 // 2 % tied


def test_each_pot_has_its_own_odd_unit():
    """Seat 3 is all-in for less: main pot 9 and side pot 10 are split between seats 1 and 2."""
    rules = Rules(ante=3, structure=NoLimit(1))
    hand = deal(rules, TIED, {1: 100, 2: 100, 3: 3}).play("1 bet 5; 2 call |").check_down()
    assert [((1, 5), (2, 4)), ((1, 5), (2, 5))] == [event.shares for event in hand.all(PotAwarded)]


def test_dead_money_is_split_with_the_pot():
    rules = Rules(ante=2, structure=OneUnit(1), bonus_rank="4", bonus_price=Fixed(5))
    hands = {1: "(Ah Kd) 2c 5h 6d 8s (Td)", 2: "(Ad Kh) 4s+2d 5c 6s 8h (Tc)"}
    hand = deal(rules, hands).play("2 buy").check_down()
    assert Checked(1) in hand.events
    assert ((1, 5), (2, 4)) == hand.all(PotAwarded)[0].shares
    assert parse_card("Ah") in hand.all(HandShown)[0].cards + hand.all(HandShown)[1].cards
