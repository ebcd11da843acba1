"""Roll your own, sentence by sentence: who rolls, who leads, who is out, who wins."""

import pytest

import engine
from engine import Action, ActionKind
from engine.cards import HIDDEN, parse_card
from engine.events import BetReturned, CardDealt, CardRolled, Folded, HandShown, LeaderNamed, PlayerOut, PotAwarded
from engine.knobs import FixedLimit, MatchPot, NoLimit
from engine.state import Phase
from engine.view import view, visible
from tests.engine.rolled_hands import NIGHT, NO_PEEK, ROLLED, checks, rolled, seats

# Seven cards face down


def test_seven_cards_lie_face_down_seen_by_nobody():
    hand = rolled({1: "Ks", 2: "Qs"})
    assert 14 == len(hand.all(CardDealt))
    for viewer in (1, 2, None):
        for seat in view(hand.state, viewer).seats:
            assert ((HIDDEN,) * 7, ()) == (seat.down, seat.up)
        assert {HIDDEN} == {visible(event, viewer).card for event in hand.all(CardDealt)}


def test_the_first_player_clockwise_from_the_dealer_rolls_or_folds():
    hand = rolled({1: "Ks", 2: "Qs", 3: "Js"}, button=1)
    assert (2, "roll, fold", Phase.ROLL) == (hand.actor, hand.legal, hand.state.phase)
    hand.refuses("check; call; bet 1; bring_in; showdown; roll 1; buy")


def test_the_first_card_leads_and_its_player_opens():
    hand = rolled({1: "2s", 2: "Qs", 3: "Js"}).play("1 roll")
    assert [LeaderNamed(1)] == hand.all(LeaderNamed)
    assert (1, "fold, check, bet 1") == (hand.actor, hand.legal)
    assert [CardRolled(1, parse_card("2s"))] == hand.all(CardRolled)


def test_who_folds_before_rolling_passes_the_first_card_on():
    hand = rolled({1: "2s", 2: "Qs", 3: "Js"}).play("1 fold; 2 roll")
    assert ([LeaderNamed(2)], 2) == (hand.all(LeaderNamed), hand.actor)


def test_when_all_but_one_fold_before_any_card_the_last_one_wins():
    hand = rolled({1: "2s", 2: "Qs", 3: "Js"}).play("1 fold; 2 fold")
    assert ((3,), [], []) == (hand.state.winners, hand.all(HandShown), hand.all(CardRolled))


# Taking the lead


def test_the_next_player_rolls_until_strictly_ahead():
    hand = checks(rolled({1: "9s", 2: "8d 7d Jd"}).play("1 roll"))
    assert (2, "roll, fold") == (hand.actor, hand.legal)
    hand.play("2 roll")
    assert (2, "roll") == (hand.actor, hand.legal), "nobody folds between two cards"
    hand.play("2 roll; 2 roll")
    assert ([1, 2], 2) == (seats(hand, LeaderNamed), hand.actor)
    assert "fold, check, bet 1" == hand.legal


def test_a_tie_is_not_ahead():
    hand = checks(rolled({1: "Ks", 2: "Kd 2d"}).play("1 roll")).play("2 roll")
    assert [1] == seats(hand, LeaderNamed)
    hand.play("2 roll")
    assert [1, 2] == seats(hand, LeaderNamed), "K-2 is ahead of K"


def test_each_new_lead_opens_a_betting_round():
    hand = rolled({1: "9s", 2: "Jd", 3: "Qd"}).play(
        "1 roll; 1 bet 1; 2 call; 3 call | 2 roll; 2 check; 3 check; 1 check |"
    )
    assert 3 == hand.actor
    hand.play("3 roll; 3 bet 1; 1 call; 2 call |")
    assert (1, 3 + 6) == (hand.actor, hand.pot)


def test_the_turn_passes_the_leader():
    """Seat 2 leads; seat 3 folds; seat 1's turn; seat 1 takes the lead; then seat 2, as seat 3 is gone."""
    hand = checks(rolled({1: "9s As", 2: "Jd"} | {3: "2d"}).play("1 roll"))
    checks(hand.play("2 roll"))
    hand.play("3 fold; 1 roll")
    checks(hand)
    assert (2, 1) == (hand.actor, hand.state.leader)


def test_overtaken_players_roll_their_remaining_cards():
    hand = checks(rolled({1: "9s Td", 2: "Jd"}).play("1 roll"))
    checks(hand.play("2 roll")).play("1 roll")
    assert ("9s Td", 1, "roll") == (hand.up(1), hand.actor, hand.legal)


def test_an_overtaken_player_may_fold_before_the_first_card_of_the_turn():
    hand = checks(rolled({1: "9s", 2: "Jd"}).play("1 roll"))
    checks(hand.play("2 roll"))
    assert (1, "roll, fold") == (hand.actor, hand.legal)
    assert (2,) == hand.play("1 fold").state.winners


# Out


LOSER = "8d 7d 6d 5h 3h 2h Tc"
"""Seven cards that never beat a pair of kings."""


def out_after_the_last_card():
    hand = checks(rolled({1: "Ks Kd", 2: "As", 3: LOSER}).play("1 roll"))
    checks(hand.play("2 roll"))
    return hand.play("3 roll; " * 7)


def test_who_has_rolled_everything_and_is_not_ahead_is_out():
    hand = out_after_the_last_card()
    assert ([3], True) == (seats(hand, PlayerOut), hand.state.player(3).out)
    assert (False, 1) == (hand.folded(3), hand.actor)
    assert 7 == len(hand.state.player(3).up)


def test_who_is_out_bets_no_more_and_the_hand_stays_shown():
    hand = out_after_the_last_card().play("1 roll; 1 bet 1")
    assert 2 == hand.actor
    hand.play("2 call |")
    assert 2 == hand.actor, "seat 3 neither bets nor rolls"
    assert 7 == len(view(hand.state, 2).seats[2].up)


def test_leaving_when_out_changes_nothing():
    hand = out_after_the_last_card()
    assert engine.Step(hand.state, ()) == engine.step(hand.state, Action(ActionKind.LEAVE, seat=3))


def test_an_overtaken_player_without_cards_is_out_without_a_question():
    """Seat 1 takes the lead with its last card, is overtaken, and has nothing left."""
    hand = rolled({1: LOSER, 2: "Ks", 3: "As Ad"}).play("1 roll")
    checks(hand)
    checks(hand.play("2 roll"))
    checks(hand.play("3 roll"))
    hand.play("1 roll; " * 6)
    assert [1] == seats(hand, PlayerOut)
    assert 2 == hand.actor


# The end


def test_when_only_the_leader_is_left_the_best_showing_hand_wins():
    hand = checks(rolled({1: "Ks Kd", 2: LOSER}).play("1 roll"))
    hand.play("2 roll")
    while hand.state.phase == Phase.ROLL:
        hand.play(f"{hand.actor} roll")
        checks(hand)
    assert (1, "showdown") == (hand.actor, hand.legal) or hand.state.leader == hand.actor
    hand.show()
    best = max(hand.all(HandShown), key=lambda event: event.value)
    assert (best.seat,) == hand.state.winners


def test_unseen_cards_do_not_count_and_stay_unseen():
    """Seat 1 leads with a king and holds a hidden pair of them; seat 2 has rolled seven cards in vain."""
    hand = checks(rolled({1: "As Ad Ah Ac", 2: "Kd Qs Jd 9h 8h 7c 5d"}).play("1 roll")).play("2 roll; " * 7)
    assert (1, "showdown") == (hand.actor, hand.legal)
    hand.show()
    shown = {event.seat: event.cards for event in hand.all(HandShown)}
    assert (parse_card("As"),) == shown[1]
    assert ("high_card", (1,)) == (engine.describe(hand.all(HandShown)[0].value).category, hand.state.winners)
    for viewer in (1, 2, None):
        assert (HIDDEN,) * 6 == view(hand.state, viewer).seats[0].down


def test_a_full_board_counts_straights_and_flushes():
    hand = checks(rolled({1: "Ks Kd Kh", 2: "9d 8c 7h 6s 5c"}).play("1 roll")).play("2 roll; " * 5)
    assert 2 == hand.state.leader or hand.actor == 2
    assert "straight" in engine.describe(engine.evaluate_showing(sum(1 << c for c in hand.state.player(2).up), 0)).words


def test_when_the_leader_folds_the_best_showing_hand_leads_without_rolling():
    hand = checks(rolled({1: "9s", 2: "Jd", 3: "Ad"}).play("1 roll"))
    checks(hand.play("2 roll"))
    hand.play("3 roll; 3 check; 1 bet 1; 2 call; 3 fold |")
    assert [1, 2, 3, 2] == seats(hand, LeaderNamed)
    assert (1, Phase.ROLL) == (hand.actor, hand.state.phase)


def test_a_tie_after_the_leader_folds_goes_to_the_dealers_left():
    hand = checks(rolled({1: "9s", 2: "9d Jd", 3: "Kd"}, button=3).play("1 roll")).play("2 roll; 2 roll")
    checks(hand)
    hand.play("3 roll; 3 check; 1 check; 2 check | 1 fold; 2 roll")
    assert 2 == hand.actor
    tie = checks(rolled({1: "Qs", 2: "-- --", 3: "-- --"}).play("1 roll; 1 check; 2 bet 1; 3 call; 1 fold |"))
    assert 2 == tie.state.leader, "neither has rolled: the dealer's left"
    assert 3 == tie.actor


def test_when_all_others_fold_the_leader_wins_without_showing():
    hand = rolled({1: "9s", 2: "Jd", 3: "Ad"}).play("1 roll; 1 bet 1; 2 fold; 3 fold")
    assert ((1,), []) == (hand.state.winners, hand.all(HandShown))
    assert [BetReturned(1, 1)] == hand.all(BetReturned)


def test_a_leader_who_leaves_while_another_rolls_gives_the_lead_away():
    hand = checks(rolled({1: "9s", 2: "Jd", 3: "2d Ad"}).play("1 roll"))
    checks(hand.play("2 roll"))
    hand.play("3 roll; 2 leave")
    assert (1, 3, "roll") == (hand.state.leader, hand.actor, hand.legal)
    assert 3 == hand.play("3 roll").state.leader


def test_a_roller_who_is_best_when_the_leader_leaves_has_taken_the_lead():
    hand = checks(rolled({1: "9s", 2: "Jd", 3: "Td"}).play("1 roll"))
    checks(hand.play("2 roll"))
    hand.play("3 roll; 2 leave")
    assert [1, 2, 3] == seats(hand, LeaderNamed)
    assert (3, Phase.BETTING) == (hand.actor, hand.state.phase)


@pytest.mark.parametrize("last", ["1 fold", "1 leave"])
def test_when_nobody_is_left_who_could_bet_the_hands_that_are_out_settle_it(last):
    """The leader bets and leaves, the last one who could call folds or leaves too."""
    hands = {1: "As", 2: LOSER, 3: "Qc Jh 7s 5c 4d 2c Ts", 4: "Kd Kh"}
    hand = checks(rolled(hands).play("1 roll"))
    hand.play("2 roll; " * 7 + "3 roll; " * 7)
    hand.play("4 roll; 4 roll; 4 bet 1; 4 leave").play(last)
    assert (3, "showdown") == (hand.actor, hand.legal)
    assert [1, 4, 3] == seats(hand, LeaderNamed)
    assert {0: ((3, 5),)} == paid(hand.show())


def test_when_the_leader_leaves_and_the_last_roller_refuses_to_pay_the_hands_that_are_out_settle_it():
    rules = ROLLED.replace(pay_rank="9", pay_price=MatchPot())
    hand = checks(rolled({1: "As", 2: LOSER, 3: "Qc Jh 7s 5c 4d 2c Ts", 4: "9d"}, rules=rules).play("1 roll"))
    hand.play("2 roll; " * 7 + "3 roll; " * 7)
    hand.play("4 roll; 1 leave; 4 decline")
    assert (3, "showdown") == (hand.actor, hand.legal)
    assert {0: ((3, 4),)} == paid(hand.show())


def test_a_roller_who_leaves_passes_the_turn_on():
    hand = checks(rolled({1: "9s", 2: "2d", 3: "Td"}).play("1 roll")).play("2 roll; 2 leave")
    assert (3, "roll, fold") == (hand.actor, hand.legal)


# All-in


def test_all_in_players_roll_in_turn_and_are_never_asked_to_bet():
    hand = rolled({1: "9s", 2: "Jd", 3: "Qd"}, {1: 100, 2: 1, 3: 100}).play("1 roll; 1 bet 1; 3 call |")
    assert (2, "roll, fold") == (hand.actor, hand.legal)
    hand.play("2 roll")
    assert (2, 3) == (hand.state.leader, hand.actor), "the next who can act opens for the all-in leader"


def test_with_everybody_all_in_the_cards_decide():
    hand = rolled({1: "9s", 2: "Jd"}, 1)
    while hand.state.phase == Phase.ROLL:
        hand.play(f"{hand.actor} roll")
    hand.show()
    assert 2 == sum(hand.stacks)


def side_pot():
    """Seat 3 is all-in from the ante; seats 1 and 2 bet 5 more; seat 2 is out, and seat 3 leads with an ace."""
    rules = ROLLED.replace(structure=NoLimit(1))
    hands = {1: "Ks Qc Jh 9c 7c 5c 4d", 2: LOSER, 3: "As"}
    hand = rolled(hands, {1: 100, 2: 100, 3: 1}, rules).play("1 roll; 1 bet 5; 2 call |").play("2 roll; " * 7)
    assert [(3, {1, 2, 3}), (10, {1, 2})] == hand.pots
    hand.play("3 roll")
    assert (3, 1, "roll, fold") == (hand.state.leader, hand.actor, hand.legal)
    return hand


def paid(hand):
    return {event.pot: event.shares for event in hand.all(PotAwarded)}


def test_a_player_who_is_out_may_win_a_side_pot_the_leader_is_not_in():
    hand = side_pot().play("1 fold")
    assert (3, "showdown") == (hand.actor, hand.legal)
    assert {0: ((3, 3),), 1: ((2, 10),)} == paid(hand.show())


def test_a_side_pot_goes_to_its_own_best_hand():
    hand = side_pot().play("1 roll; " * 6)
    assert [2, 1] == seats(hand, PlayerOut)
    assert {0: ((3, 3),), 1: ((1, 10),)} == paid(hand.show())


# Time, limits


def test_out_of_time_one_card_is_rolled():
    hand = rolled({1: "9s", 2: "2d 3d"})
    assert Action(ActionKind.ROLL) == engine.default_action(hand.state)
    checks(hand.play("1 roll"))
    hand.play("2 roll")
    assert Action(ActionKind.ROLL) == engine.default_action(hand.state)


def test_high_bets_begin_with_the_third_betting_round():
    rules = ROLLED.replace(structure=FixedLimit(2, 4))
    hand = rolled({1: "9s", 2: "Jd", 3: "Qd"}, rules=rules).play("1 roll")
    assert "fold, check, bet 2" == hand.legal
    assert "fold, check, bet 2" == checks(hand).play("2 roll").legal
    assert "fold, check, bet 4" == checks(hand).play("3 roll").legal


def test_the_last_two_who_bet_are_heads_up():
    rules = ROLLED.replace(heads_up_uncapped=True, raise_cap=0)
    hand = checks(rolled({1: "Ks", 2: "As", 3: LOSER}, rules=rules).play("1 roll"))
    checks(hand.play("2 roll")).play("3 roll; " * 7)
    assert [3] == seats(hand, PlayerOut)
    while hand.state.leader == 2:
        hand.play("1 roll")
    hand.play("1 bet 1; 2 raise 2")
    assert "fold, call 2, raise 3" == hand.legal


def test_nobody_folds_for_another():
    hand = checks(rolled({1: "9s", 2: "2d", 3: "Td"}).play("1 roll")).play("2 fold")
    assert ([Folded(2)], 3) == (hand.all(Folded), hand.actor)


@pytest.mark.parametrize("profile", [NIGHT, NO_PEEK])
def test_the_profiles_roll_on_credit(profile):
    hand = rolled({1: "8s", 2: "Kd"}, 0, profile).play("1 roll")
    assert "fold, check, bet 840" == hand.legal


def test_the_odd_unit_of_a_rolled_pot_counts_cards_as_they_show():
    """A-T-8-7-6 twice, the deuce of seat 1 wild only where wilds show as wild; the ace of spades gets the odd unit."""
    rules = ROLLED.replace(
        structure=NoLimit(1), wild_ranks=("2",), wild_in_showing=False, odd_unit="high_card_best_five"
    )
    hands = {1: "As 2h 4d 6c 7h 8d Tc", 2: "3c 4c 6s 7d 8s Ts Ad", 3: "Kd Kh", 4: "5c"}
    hand = rolled(hands, {1: 100, 2: 100, 3: 1, 4: 100}, rules).play("1 roll; 1 bet 5; 2 call; 4 call |")
    checks(hand.play("2 roll; " * 7))
    checks(hand.play("3 roll; 3 roll"))
    hand.play("4 fold" + "; 1 roll" * 6).show()
    assert {0: ((3, 4),), 1: ((1, 8), (2, 7))} == paid(hand)
