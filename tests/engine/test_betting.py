"""Betting rounds: who acts first, whose turn it is, when the round is over, what comes back."""

import pytest

from engine import PROFILES, Rules
from engine.events import (
    AntePosted,
    BetMade,
    BetReturned,
    BettingClosed,
    BringInPosted,
    Called,
    CardDealt,
    Checked,
    Completed,
    Folded,
    HandEnded,
    HandShown,
    PotAwarded,
    Raised,
)
from engine.knobs import FirstOpener, FixedLimit, NoLimit, OneUnit, ShortBringIn
from tests.engine.play import STUD, deal

THREE = {1: "(-- --) Ks Kd", 2: "(-- --) Js 8d", 3: "(-- --) 2c 7d"}


# Who acts first


def test_the_new_cards_count_before_the_opener_is_chosen():
    hand = deal(STUD, {1: "(-- --) Kh 8s", 2: "(-- --) Jc Jh"})
    hand.play("2 bring_in; 1 call | 2 check; 1 check |")


def test_the_board_opens_later_streets_and_not_the_seat():
    hands = {1: "(-- --) 2c 5d 9d 9h", 2: "(-- --) Ah 7s 8c 8h", 3: "(-- --) Kd Ks 3c 4d"}
    hand = deal(STUD, hands)
    hand.play("1 bring_in; 2 call; 3 call |")
    for _ in range(3):
        hand.play("3 check; 1 check; 2 check |")
    assert 3 == hand.actor


def test_heads_up_the_low_card_brings_it_in_whichever_seat_has_it():
    hand = deal(STUD, {1: "(Ks Qs) 7c", 2: "(As Ah) 2d"})
    assert "fold, call 2, complete 5" == hand.play("2 bring_in").legal
    hand = deal(STUD, {1: "(As Ah) 2d", 2: "(Ks Qs) 7c"})
    assert "1 bring_in 2, complete 5" == f"{hand.actor} {hand.legal}"


def test_the_bring_in_player_posts_or_completes_and_may_not_fold():
    hand = deal(STUD, THREE)
    assert "bring_in 2, complete 5" == hand.legal
    hand.refuses("fold; check; call; call 2; bet 2; bet 5; raise 5; buy; decline; showdown")
    hand.refuses("complete; complete 4; complete 6; complete 10; bring_in 1; bring_in 3; bring_in -2")


def test_without_a_bring_in_the_best_showing_hand_opens():
    hand = deal(Rules(ante=1, structure=OneUnit(1)), THREE)
    assert "1 fold, check, bet 1" == f"{hand.actor} {hand.legal}"


def test_an_all_in_opener_passes_the_opening_to_the_next_player_who_can_act():
    hand = deal(STUD, {**THREE, 2: "(-- --) Js Jd"}, {1: 3, 2: 100, 3: 100})
    hand.play("3 bring_in; 1 call; 2 call |")
    assert (2, "fold, check, bet 5") == (hand.actor, hand.legal)
    hand = deal(STUD, THREE, {1: 3, 2: 100, 3: 100}).play("3 bring_in; 1 call; 2 call |")
    assert 2 == hand.actor


# The bring-in


def test_posting_the_bring_in_is_its_players_action():
    hand = deal(STUD, THREE).play("3 bring_in; 1 call; 2 call |")
    assert 4 == hand.state.street


def test_the_bring_in_player_acts_again_after_a_completion():
    hand = deal(STUD, THREE).play("3 bring_in; 1 complete 5; 2 call")
    assert (3, "fold, call 5, raise 10") == (hand.actor, hand.legal)


def test_completing_at_once_replaces_the_bring_in():
    hand = deal(STUD, THREE).play("3 complete 5")
    assert [Completed(3, 5, 5)] == hand.events[-1:]
    assert (1, "fold, call 5, raise 10") == (hand.actor, hand.legal)
    assert [] == hand.all(BringInPosted)


def test_everybody_folds_to_the_bring_in():
    """The bring-in player wins the antes; the whole bring-in is uncalled."""
    hand = deal(STUD, THREE).play("3 bring_in; 1 fold; 2 fold")
    assert [BetReturned(3, 2)] == hand.all(BetReturned)
    assert [3] == [event.amount for event in hand.all(PotAwarded)]
    assert [99, 99, 102] == hand.stacks


def test_a_player_who_was_all_in_from_the_ante_does_not_bring_it_in():
    """The next player clockwise opens, with a bring-in, a completion or a fold."""
    hand = deal(STUD, THREE, {1: 100, 2: 100, 3: 1})
    assert (1, "bring_in 2, complete 5, fold") == (hand.actor, hand.legal)
    hand.play("1 bring_in; 2 call |")
    assert [(3, {1, 2, 3}), (4, {1, 2})] == hand.pots


def test_a_substitute_opener_who_folds_passes_the_opening_on():
    hands = {**THREE, 4: "(-- --) 5h 6h"}
    hand = deal(STUD, hands, {1: 100, 2: 100, 3: 1, 4: 100}).play("4 fold")
    assert (1, "bring_in 2, complete 5, fold") == (hand.actor, hand.legal)
    hand.play("1 complete 5; 2 call |")
    assert 1 == hand.actor


def test_no_bring_in_is_posted_when_fewer_than_two_players_have_chips():
    hand = deal(STUD, THREE, {1: 1, 2: 100, 3: 1})
    assert "showdown" == hand.legal
    assert [] == hand.all(BringInPosted)
    assert 21 == len(hand.all(CardDealt))
    hand = deal(STUD, {**THREE, 2: "(-- --) 9c 9d"}, {1: 1, 2: 100, 3: 50})


def test_the_last_substitute_alone_with_all_in_players_opens_nothing():
    hand = deal(STUD, {**THREE, 1: "(-- --) Ks"}, {1: 100, 2: 100, 3: 1}).play("1 fold")
    assert "showdown" == hand.legal
    assert [] == hand.all(BringInPosted)


def test_others_owe_the_full_bring_in_when_it_was_posted_short():
    hand = deal(STUD, THREE, {1: 100, 2: 100, 3: 2}).play("3 bring_in 1")
    assert (1, "fold, call 2, complete 5") == (hand.actor, hand.legal)
    hand.play("1 call; 2 call |")
    assert [(6, {1, 2, 3}), (2, {1, 2})] == hand.pots


def test_the_caller_of_a_short_bring_in_gets_the_rest_back():
    hand = deal(STUD, {1: THREE[1], 3: THREE[3]}, {1: 100, 3: 2}).play("3 bring_in; 1 call")
    assert [BetReturned(1, 1)] == hand.all(BetReturned)
    assert [(4, {1, 3})] == hand.pots
    assert "showdown" == hand.legal


def test_a_short_bring_in_may_stand_as_posted():
    rules = STUD.replace(short_bring_in=ShortBringIn.AS_POSTED)
    hand = deal(rules, THREE, {1: 100, 2: 100, 3: 2}).play("3 bring_in")
    assert "fold, call 1, complete 5" == hand.legal


@pytest.mark.parametrize(
    ("short", "after"), [(1, "call 1, complete 4"), (2, "call 2, raise 6"), (3, "call 3, raise 7")]
)
def test_half_of_a_full_bring_in_stands_as_the_opening_bet(short, after):
    """A bring-in of the whole bet of 4, posted short and standing as posted."""
    rules = Rules(ante=1, bring_in=4, structure=FixedLimit(4, 8), short_bring_in=ShortBringIn.AS_POSTED)
    hand = deal(rules, THREE, {1: 100, 2: 100, 3: 1 + short}).play("3 bring_in")
    assert f"fold, {after}" == hand.legal


def test_a_full_bring_in_that_is_posted_short_is_owed_and_raised_in_full():
    rules = Rules(ante=1, bring_in=4, structure=FixedLimit(4, 8))
    assert "fold, call 4, raise 8" == deal(rules, THREE, {1: 100, 2: 100, 3: 2}).play("3 bring_in").legal


def test_a_bring_in_player_with_little_may_complete_all_in():
    hand = deal(STUD, THREE, {1: 100, 2: 100, 3: 5})
    assert "bring_in 2, complete 4" == hand.legal
    assert "fold, call 4, raise 9" == hand.play("3 complete 4").legal
    assert "bring_in 2" == deal(STUD, THREE, {1: 100, 2: 100, 3: 3}).legal


def test_after_a_short_completion_whoever_posted_may_only_call():
    """Bring-in 1, low bet 5, all-in 2: it is no raise and lets nobody who has acted raise."""
    rules = Rules(bring_in=1, structure=FixedLimit(5, 10))
    hand = deal(rules, THREE, {1: 2, 2: 100, 3: 100}).play("3 bring_in; 1 complete 2; 2 call")
    assert (3, "fold, call 2") == (hand.actor, hand.legal)


# Actions and turns


def test_each_action_says_what_was_paid_and_what_the_bet_is_now():
    hand = deal(STUD, {**THREE, 1: "(-- --) Ks"})
    hand.play("3 bring_in; 1 complete 5; 2 raise 10; 3 raise 15; 1 fold; 2 call | 2 check; 3 bet 5")
    assert [
        BringInPosted(3, 2, 2),
        Completed(1, 5, 5),
        Raised(2, 0, 10, 10),
        Raised(3, 2, 15, 13),
        Folded(1),
        Called(2, 15, 5),
        BettingClosed(((38, (2, 3)),)),
        Checked(2),
        BetMade(3, 5, 5),
    ] == [e for e in hand.events if not isinstance(e, CardDealt | AntePosted) and "Started" not in type(e).__name__]


def test_money_already_in_front_counts_towards_a_raise():
    """The bring-in player (2 in) raises a completion to 10: 8 leave the stack."""
    hand = deal(STUD, THREE).play("3 bring_in; 1 fold; 2 complete 5; 3 raise 10")
    assert Raised(3, 2, 10, 8) == hand.last(Raised)
    assert 89 == hand.stacks[2]


def test_a_player_who_has_acted_may_raise_again_after_a_full_raise():
    hand = deal(STUD, THREE).play("3 bring_in; 1 fold; 2 complete 5; 3 raise 10")
    assert (2, "fold, call 10, raise 15") == (hand.actor, hand.legal)


def test_check_raising_is_allowed():
    hand = deal(STUD, THREE).play("3 bring_in; 1 call; 2 call | 1 check; 2 bet 5; 3 call")
    assert (1, "fold, call 5, raise 10") == (hand.actor, hand.legal)


def test_a_round_ends_when_everybody_has_checked():
    hand = deal(STUD, THREE).play("3 bring_in; 1 call; 2 call | 1 check; 2 check; 3 check |")
    assert 5 == hand.state.street


def test_the_opener_acts_again_only_if_the_bet_was_raised():
    hand = deal(STUD, THREE).play("3 bring_in; 1 call; 2 call | 1 bet 5; 2 call; 3 call |")
    assert 5 == hand.state.street


def test_the_turn_passes_over_folded_and_all_in_players():
    hands = {**THREE, 4: "(-- --) 9h 9d"}
    hand = deal(STUD, hands, {1: 100, 2: 3, 3: 100, 4: 100})
    hand.play("3 bring_in; 4 call; 1 call; 2 call | 1 bet 5; 3 fold; 4 raise 10; 1 call |")
    assert 5 == hand.state.street


def test_a_fold_when_nothing_is_owed_is_allowed():
    hand = deal(STUD, {**THREE, 1: "(-- --) Ks Kd"}).play("3 bring_in; 1 call; 2 call | 1 fold; 2 check; 3 check |")
    assert hand.folded(1)


# Short all-ins and reopening


def test_a_short_all_in_does_not_reopen_the_betting():
    """Fourth street, 5 bet, all-in 7, called: the bettor may call 2 or fold only."""
    hands = {1: "(-- --) Js 8d", 2: "(-- --) Ks Kd", 3: "(-- --) 2c 7d"}
    hand = deal(STUD, hands, {1: 100, 2: 100, 3: 10})
    hand.play("3 bring_in; 1 call; 2 call | 2 bet 5; 3 raise 7; 1 call")
    assert (2, "fold, call 7") == (hand.actor, hand.legal)
    hand.refuses("raise 10; raise 12; raise 7; complete 10")
    hand.play("2 call |")
    assert [(30, {1, 2, 3})] == hand.pots


def test_who_has_not_acted_may_go_to_the_level_the_short_all_in_missed():
    hands = {1: "(-- --) Js 8d", 2: "(-- --) Ks Kd", 3: "(-- --) 2c 7d"}
    hand = deal(STUD, hands, {1: 100, 2: 100, 3: 10})
    hand.play("3 bring_in; 1 call; 2 call | 2 bet 5; 3 raise 7; 1 raise 10")
    assert (2, "fold, call 10, raise 15") == (hand.actor, hand.legal)


def test_an_all_in_of_half_a_raise_reopens_the_betting():
    hands = {1: "(-- --) Js 8d", 2: "(-- --) Ks Kd", 3: "(-- --) 2c 7d"}
    hand = deal(STUD, hands, {1: 100, 2: 100, 3: 11})
    hand.play("3 bring_in; 1 call; 2 call | 2 bet 5; 3 raise 8; 1 call")
    assert (2, "fold, call 8, raise 13") == (hand.actor, hand.legal)


def test_two_short_all_ins_add_up():
    """Bet 10, all-in 13, all-in 16: from the last full level that is more than half a raise."""
    hands = {1: "(-- --) Ks Kd Qh", 2: "(-- --) Js 8d 6c", 3: "(-- --) 2c 7d 8c", 4: "(-- --) Tc 9c 6d"}
    hand = deal(STUD, hands, {1: 100, 2: 16, 3: 19, 4: 100})
    hand.play("3 bring_in; 4 call; 1 call; 2 call | 1 check; 2 check; 3 check; 4 check |")
    hand.play("1 bet 10; 2 raise 13; 3 raise 16; 4 call")
    assert (1, "fold, call 16, raise 26") == (hand.actor, hand.legal)


def test_a_short_bet_does_not_let_whoever_checked_raise():
    hands = {1: "(-- --) Ks Kd Qh", 2: "(-- --) Js 8d 6c", 3: "(-- --) 2c 7d 8c"}
    hand = deal(STUD, hands, {1: 100, 2: 7, 3: 100})
    hand.play("3 bring_in; 1 call; 2 call | 1 check; 2 check; 3 check | 1 check; 2 bet 4")
    assert (3, "fold, call 4, complete 10") == (hand.actor, hand.legal)
    hand.play("3 call")
    assert (1, "fold, call 4") == (hand.actor, hand.legal)


# All-in: betting stops, cards do not


def test_a_bet_that_puts_one_all_in_waits_for_the_answer():
    """All-in on fifth street: the other is asked, and nothing is dealt before."""
    hand = deal(STUD, {1: "(-- --) Ks Kd Qh", 2: "(-- --) 2c 8d 6c"}, {1: 11, 2: 100})
    hand.play("2 bring_in; 1 call | 1 check; 2 check | 1 bet 8")
    assert (2, "fold, call 8") == (hand.actor, hand.legal)
    assert 5 == hand.state.street
    assert "Ks Kd Qh" == hand.up(1)


def test_the_rest_is_dealt_without_betting_when_one_player_can_still_bet():
    hand = deal(STUD, {1: "(-- --) Ks Kd Qh", 2: "(-- --) 2c 8d 6c"}, {1: 11, 2: 100})
    hand.play("2 bring_in; 1 call | 1 check; 2 check | 1 bet 8; 2 call")
    assert (7, "showdown") == (hand.state.street, hand.legal)
    assert [4, 3] == [len(hand.state.player(1).up), len(hand.state.player(1).down)]


def test_nobody_may_raise_when_nobody_could_answer():
    hand = deal(STUD, {1: "(-- --) Ks Kd", 2: "(-- --) 2c 8d"}, {1: 8, 2: 100})
    hand.play("2 bring_in; 1 call | 1 bet 5")
    assert "fold, call 5" == hand.legal
    hand.refuses("raise 10")


def test_a_lone_player_with_chips_is_not_asked_to_check():
    hand = deal(STUD, {1: "(-- --) Ks Kd", 2: "(-- --) Js 8d", 3: "(-- --) 2c 7d"}, {1: 3, 2: 3, 3: 100})
    hand.play("3 bring_in; 1 call; 2 call |")
    assert "showdown" == hand.legal


# Uncalled bets


def test_an_uncalled_completion_goes_back_and_is_not_won():
    """3 players, bring-in 2, seat 2 (30) completes to 5, both fold: 3 go back; antes, bring-in and its call are won."""
    hand = deal(STUD, {1: "(-- --) 2c", 2: "(-- --) Js", 3: "(-- --) Kd"}, {1: 100, 2: 30, 3: 100})
    hand.play("1 bring_in; 2 complete 5; 3 fold; 1 fold")
    assert [BetReturned(2, 3)] == hand.all(BetReturned)
    assert [7] == [event.amount for event in hand.all(PotAwarded)]
    assert [97, 34, 99] == hand.stacks


def test_a_bettor_everybody_folds_to_wins_what_the_others_put_in():
    hands = {1: "(-- --) Ks Kd", 2: "(-- --) Js 8d", 3: "(-- --) 9c 7d", 4: "(-- --) Tc 6c", 5: "(-- --) 2c 5c"}
    hand = deal(STUD, hands).play(
        "5 bring_in; 1 call; 2 call; 3 call; 4 call | 1 check; 2 check; 3 check; 4 check; 5 bet 5"
    )
    hand.play("1 fold; 2 fold; 3 fold; 4 fold")
    assert [97, 97, 97, 97, 112] == hand.stacks


@pytest.mark.parametrize(("stacks", "after"), [({1: 98, 2: 102}, [196, 4]), ({1: 102, 2: 98}, [200, 0])])
def test_unequal_stacks_settle_for_the_smaller_one(stacks, after):
    rules = Rules(ante=1, bring_in=2, structure=NoLimit(5))
    hands = {1: "(As Ah) Ks Kd 5h 6h (7h)", 2: "(Qs Qh) 2c 8d 6c 7c (4d)"}
    hand = deal(rules, hands, stacks)
    hand.play(f"2 complete {stacks[2] - 1}; 1 call").show()
    assert [196] == [event.amount for event in hand.all(PotAwarded)]
    assert after == hand.stacks


def test_a_folded_all_in_gives_pot_and_uncalled_part_to_the_all_in_player():
    hand = deal(STUD, {1: "(-- --) Ks", 2: "(-- --) 2c"}, {1: 6, 2: 100}).play("2 bring_in; 1 complete 5; 2 fold")
    assert [9, 97] == hand.stacks


def test_a_hand_that_folds_out_deals_and_shows_nothing_more():
    hand = deal(STUD, {1: "(-- --) Ks Kd Qh", 2: "(-- --) 2c 8d 6c"})
    hand.play("2 bring_in; 1 call | 1 check; 2 check | 1 bet 10; 2 fold")
    assert isinstance(hand.events[-1], HandEnded)
    assert 10 == len(hand.all(CardDealt))
    assert [] == hand.all(HandShown)
    assert hand.actor is None
    hand.refuses("check; fold; bet 10; bring_in; showdown")


# The end of a round


def test_every_betting_round_is_closed_with_its_pots():
    hand = deal(STUD, THREE).play("3 bring_in; 1 call; 2 call |").check_down()
    assert [((9, (1, 2, 3)),)] * 5 == [event.pots for event in hand.all(BettingClosed)]
    hand = deal(STUD, THREE).play("3 bring_in; 1 fold; 2 fold")
    assert [((3, (3,)),)] == [event.pots for event in hand.all(BettingClosed)]


def test_rounds_without_betting_are_not_closed():
    hand = deal(STUD, {1: "(-- --) Ks", 2: "(-- --) 2c"}, {1: 3, 2: 100}).play("2 bring_in; 1 call |").show()
    assert 1 == len(hand.all(BettingClosed))
    assert [] == deal(STUD, THREE, 1).show().all(BettingClosed)
    hand = deal(PROFILES["baseball"], {1: "(-- --) 4s", 2: "(-- --)"}).play("1 decline")
    assert [] == hand.all(BettingClosed)


# Nobody's bet


def test_no_ante_no_bring_in_no_bet_is_a_hand_for_nothing():
    hand = deal(Rules(structure=OneUnit(1)), THREE).check_down()
    assert [100, 100, 100] == hand.stacks
    assert [] == hand.all(PotAwarded)
    assert () == hand.state.winners


def test_the_opener_is_a_knob_only_without_a_bring_in():
    assert FirstOpener.BEST_SHOWING == Rules().first_opener
    assert FirstOpener.BRING_IN == STUD.first_opener
