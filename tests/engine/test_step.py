"""Starting a hand, the only transition, and leaving in mid-hand."""

import pytest

import engine
from engine import PROFILES, Action, ActionKind, IllegalAction, Rules, StartError
from engine.cards import FULL_DECK
from engine.events import BetReturned, Folded, HandEnded, HandStarted, PotAwarded, PurchaseDeclined
from engine.knobs import FixedLimit, OneUnit, Stakes
from engine.rule_checks import MAX_AMOUNT
from engine.state import Phase
from engine.step import AUTOMATIC, DECISIONS
from tests.engine.play import STUD, deal

PLAIN = Rules(structure=OneUnit(1))
BASEBALL = PROFILES["baseball"]
THREE = {1: "(-- --) Ks Kd", 2: "(-- --) Js 8d", 3: "(-- --) 2c 7d"}


def leave(hand, seat):
    return hand.play(f"{seat} leave")


# Starting


def test_seats_count_from_one():
    assert (100, 90, 80) == engine.start(PLAIN, [100, 90, 80], 1, FULL_DECK).state.stacks


def test_seats_may_be_a_mapping():
    state = engine.start(PLAIN, {2: 100, 7: 90}, 7, FULL_DECK).state
    assert (0, 100, 0, 0, 0, 0, 90) == state.stacks
    assert [2, 7] == [player.seat for player in state.players]


def test_empty_and_broke_seats_are_not_dealt_in():
    state = engine.start(PLAIN, [None, 100, 0, 90], 2, FULL_DECK).state
    assert [4, 2] == [player.seat for player in state.players]
    assert (0, 100, 0, 90) == state.stacks


def test_on_credit_a_stack_of_nothing_or_less_plays():
    rules = PLAIN.replace(stakes=Stakes.CREDIT)
    assert (0, -50, 7) == engine.start(rules, [0, -50, 7], 1, FULL_DECK).state.stacks


@pytest.mark.parametrize(("button", "order"), [(1, [2, 3, 4, 1]), (2, [3, 4, 1, 2]), (4, [1, 2, 3, 4])])
def test_the_dealers_left_comes_first(button, order):
    step = engine.start(PLAIN, [10, 10, 10, 10], button, FULL_DECK)
    assert order == [player.seat for player in step.state.players]
    assert HandStarted(button, tuple((seat, 10) for seat in order)) == step.events[0]


def test_the_button_may_be_an_empty_seat():
    state = engine.start(PLAIN, [10, None, 10, 10], 2, FULL_DECK).state
    assert [3, 4, 1] == [player.seat for player in state.players]


def test_a_short_ante_is_all_in():
    hand = deal(Rules(ante=5, structure=OneUnit(1)), THREE, {1: 100, 2: 3, 3: 100})
    assert [(9, {1, 2, 3}), (4, {1, 3})] == hand.pots
    assert [95, 0, 95] == hand.stacks


def test_a_carried_pot_belongs_to_the_hand():
    hand = deal(STUD, THREE, carry=12)
    assert [(15, {1, 2, 3})] == hand.pots
    assert 12 == hand.all(HandStarted)[0].carry
    hand.play("3 bring_in; 1 fold; 2 fold")
    assert [15] == [event.amount for event in hand.all(PotAwarded)]


def test_the_carried_pot_lies_in_the_main_pot():
    hand = deal(Rules(ante=5, structure=OneUnit(1)), THREE, {1: 100, 2: 3, 3: 100}, carry=10)
    assert [(19, {1, 2, 3}), (4, {1, 3})] == hand.pots


DECK = list(FULL_DECK)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"seats": []}, "seats"),
        ({"seats": [100]}, "seats"),
        ({"seats": [100, None, 0]}, "seats"),
        ({"seats": [10] * 8}, "seats"),
        ({"seats": {0: 10, 1: 10}}, "seats"),
        ({"seats": {-1: 10, 1: 10}}, "seats"),
        ({"seats": {"1": 10, 2: 10}}, "seats"),
        ({"seats": {True: 10, 2: 10}}, "seats"),
        ({"seats": [10, -1]}, "seats"),
        ({"seats": [10, 10, -5]}, "seats"),
        ({"seats": [10, 10.0]}, "seats"),
        ({"seats": [10, "10"]}, "seats"),
        ({"seats": [10, True]}, "seats"),
        ({"seats": [10, MAX_AMOUNT + 1]}, "seats"),
        ({"seats": [10, 2**62]}, "seats"),
        ({"seats": [10, 2**63 - 1]}, "seats"),
        ({"button": 0}, "button"),
        ({"button": 4}, "button"),
        ({"button": -1}, "button"),
        ({"button": 1.0}, "button"),
        ({"button": None}, "button"),
        ({"carry": -1}, "carry"),
        ({"carry": 1.5}, "carry"),
        ({"carry": MAX_AMOUNT + 1}, "carry"),
        ({"deck": []}, "deck"),
        ({"deck": DECK[:-1]}, "deck"),
        ({"deck": [*DECK, 0]}, "deck"),
        ({"deck": [*DECK[:-1], 0]}, "deck"),
        ({"deck": [*DECK[:-1], 52]}, "deck"),
        ({"deck": [*DECK[:-1], -1]}, "deck"),
        ({"deck": [*DECK[:-1], 51.0]}, "deck"),
        ({"deck": [*DECK[:-1], "As"]}, "deck"),
        ({"deck": [*DECK[:-1], []]}, "deck"),
        ({"spare": DECK[:-1]}, "spare"),
        ({"spare": [*DECK[:-1], 0]}, "spare"),
    ],
)
def test_a_hand_that_cannot_start_names_its_argument(changes, field):
    arguments = {"seats": [10, 10, 10], "button": 3, "deck": DECK, "carry": 0, "spare": None} | changes
    with pytest.raises(StartError) as refusal:
        engine.start(PLAIN, **arguments)
    assert field == refusal.value.field


def test_recycled_cards_need_their_order():
    with pytest.raises(StartError) as refusal:
        engine.start(PLAIN.replace(exhaustion="recycle_folded"), [10, 10], 1, DECK)
    assert "spare" == refusal.value.field


def test_the_rules_bound_the_number_of_players():
    rules = PLAIN.replace(min_players=3, max_players=4)
    for players in (2, 5):
        with pytest.raises(StartError, match=f"{players} can take part: 3 to 4 are needed"):
            engine.start(rules, [10] * players, 1, DECK)
    for players in (3, 4):
        assert players == len(engine.start(rules, [10] * players, 1, DECK).state.players)


def test_the_largest_stacks_can_be_bet():
    rules = Rules(ante=MAX_AMOUNT, structure=FixedLimit(1, 1))
    hand = deal(rules, dict.fromkeys(range(1, 8), "(-- --) --"), MAX_AMOUNT)
    assert 7 * MAX_AMOUNT == hand.pot
    assert 7 * MAX_AMOUNT == sum(hand.show().stacks)


def test_the_deck_is_taken_as_it_comes():
    state = engine.start(PLAIN, [10, 10], 2, range(52)).state
    assert (0, 2) == state.player(1).down
    assert tuple(range(6, 52)) == state.deck


# The machine


def test_every_phase_either_waits_or_goes_on_or_is_the_end():
    waiting = {phase for phase, _ in DECISIONS}
    assert set() == waiting & AUTOMATIC.keys()
    assert set(Phase) == waiting | AUTOMATIC.keys() | {Phase.FINISHED}


def test_every_choice_that_is_ever_offered_has_a_transition():
    offered = {
        (Phase.PURCHASE, "buy decline replace keep"),
        (Phase.CLAIM, "claim decline"),
        (Phase.ROLL, "roll fold"),
        (Phase.BRING_IN, "bring_in complete fold"),
        (Phase.BETTING, "fold check call bet complete raise"),
        (Phase.SHOWDOWN, "showdown"),
    }
    assert {(phase, ActionKind(kind)) for phase, kinds in offered for kind in kinds.split()} == DECISIONS.keys()


def test_a_step_leaves_the_state_before_as_it_was():
    hand = deal(STUD, THREE)
    before = hand.state
    first = engine.step(before, Action(ActionKind.COMPLETE, 5))
    assert first == engine.step(before, Action(ActionKind.COMPLETE, 5))
    assert before == hand.state != first.state


# Leaving


def test_whoever_leaves_out_of_turn_is_folded_at_once():
    hand = deal(STUD, {**THREE, 2: "(-- --) Js"}).play("3 bring_in; 2 leave")
    assert hand.folded(2)
    assert (1, [Folded(2)]) == (hand.actor, hand.all(Folded))
    hand.play("1 call |")


def test_whoever_leaves_in_turn_passes_the_turn_on():
    hand = leave(deal(STUD, {**THREE, 1: "(-- --) Ks"}).play("3 bring_in"), 1)
    assert (2, "fold, call 2, complete 5") == (hand.actor, hand.legal)


def test_chips_already_bet_stay_and_the_others_go_with_the_player():
    hand = deal(STUD, {**THREE, 1: "(-- --) Ks"}).play("3 bring_in; 1 complete 5; 2 call; 1 leave; 3 call |")
    assert [(18, {2, 3})] == hand.pots
    assert 94 == hand.stacks[0]


def test_a_leaver_who_was_the_last_to_act_closes_the_round():
    hand = leave(deal(STUD, {**THREE, 2: "(-- --) Js"}).play("3 bring_in; 1 call"), 2)
    assert (4, 1) == (hand.state.street, hand.actor)


def test_the_last_one_who_stays_wins():
    hand = deal(STUD, THREE).play("3 bring_in; 2 leave; 1 leave")
    assert (3,) == hand.state.winners
    assert [BetReturned(3, 2)] == hand.all(BetReturned)
    assert [99, 99, 102] == hand.stacks


def test_the_bettor_may_leave_and_the_bet_is_still_owed():
    hand = deal(STUD, THREE).play("3 bring_in; 1 call; 2 call | 1 bet 5; 1 leave")
    assert (2, "fold, call 5, raise 10") == (hand.actor, hand.legal)
    hand.play("2 call; 3 fold")
    assert [BetReturned] != [type(event) for event in hand.events[-2:]]
    assert [19] == [event.amount for event in hand.all(PotAwarded)]


def test_the_bring_in_falls_to_the_next_lowest_card_when_its_player_leaves():
    hand = leave(deal(STUD, {**THREE, 3: "(-- --) 2c"}), 3)
    assert (2, "bring_in 2, complete 5") == (hand.actor, hand.legal)


def test_another_players_leaving_does_not_move_the_bring_in():
    hand = leave(deal(STUD, {**THREE, 1: "(-- --) Ks"}), 1)
    assert (3, "bring_in 2, complete 5") == (hand.actor, hand.legal)


def test_without_a_second_player_with_chips_nothing_is_brought_in_any_more():
    hand = leave(deal(STUD, {**THREE, 2: "(-- --) Js"}, {1: 1, 2: 100, 3: 100}), 2)
    assert ("showdown", 7) == (hand.legal, hand.state.street)
    assert [0, 99, 99] == hand.stacks


def test_a_round_that_began_with_three_is_not_heads_up():
    """Three doors, one leaves before the bring-in: the cap holds for this round."""
    rules = STUD.replace(heads_up_uncapped=True)
    hand = leave(deal(rules, {**THREE, 1: "(-- --) Ks"}), 1)
    hand.play("3 complete 5; 2 raise 10; 3 raise 15; 2 raise 20")
    assert "fold, call 20" == hand.legal


def test_a_player_who_is_all_in_stays_in_the_hand():
    hand = leave(deal(STUD, THREE, {1: 3, 2: 100, 3: 100}).play("3 bring_in; 1 call"), 1)
    assert not hand.folded(1)
    assert [] == hand.all(Folded)
    hand.play("2 call | 2 bet 5; 3 fold").show()
    assert [9, 99 - 2, 97] == hand.stacks


def test_on_credit_nobody_is_all_in():
    hand = leave(deal(PROFILES["baseball-home"], {1: "(-- --) Ks", 2: "(-- --) 2c", 3: "(-- --) 5d"}, 0), 2)
    assert hand.folded(2)


def test_a_buyer_who_leaves_gets_nothing():
    hand = leave(deal(BASEBALL, {1: "(-- --) 4s", 2: "(-- --) 6c", 3: "(-- --) 7c"}), 1)
    assert (None, 2) == (hand.state.offer, hand.actor)
    assert [] == hand.all(PurchaseDeclined)


def test_a_purchase_stands_while_others_leave():
    hand = leave(deal(BASEBALL, {1: "(-- --) 4s+(9s)", 2: "(-- --)", 3: "(-- --) 7c"}), 2)
    assert (1, "buy for 2, decline") == (hand.actor, hand.legal)
    hand.play("1 buy")
    assert [2, 0, 1] == [len(player.up) + len(player.down) - 2 for player in hand.state.players]


@pytest.mark.parametrize("leaver", [1, 2])
def test_leaving_voids_a_purchase_when_it_ends_the_hand(leaver):
    hand = leave(deal(BASEBALL, {1: "(-- --) 4s", 2: "(-- --)"}), leaver)
    assert (3 - leaver,) == hand.state.winners
    assert (None, ()) == (hand.state.offer, hand.state.triggers)
    assert isinstance(hand.events[-1], HandEnded)


def test_nobody_leaves_a_showdown():
    """Nothing is left to decide: the hand is shown as it is."""
    hand = deal(STUD, {1: "(-- --) Ks", 2: "(-- --) 2c"}, 1)
    assert engine.Step(hand.state, ()) == engine.step(hand.state, Action(ActionKind.LEAVE, seat=1))


def test_leaving_twice_or_after_the_end_changes_nothing():
    hand = deal(STUD, THREE).play("3 bring_in; 2 leave")
    assert engine.Step(hand.state, ()) == engine.step(hand.state, Action(ActionKind.LEAVE, seat=2))
    hand.play("1 fold")
    assert engine.Step(hand.state, ()) == engine.step(hand.state, Action(ActionKind.LEAVE, seat=3))


@pytest.mark.parametrize("seat", [0, 4, -1, 99])
def test_only_who_was_dealt_in_can_leave(seat):
    with pytest.raises(IllegalAction, match="was not dealt in"):
        engine.step(deal(STUD, THREE).state, Action(ActionKind.LEAVE, seat=seat))
