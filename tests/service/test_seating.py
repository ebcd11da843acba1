"""Seats and chips at a table: sitting down and out, adding, leaving, the end of a hand."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import engine
from engine import Action, ActionKind
from engine.cards import FULL_DECK
from engine.rule_checks import MAX_AMOUNT
from service import seating
from service.errors import Reason, ServiceError
from service.table import DEPARTED_KEPT, Departed, Seating, Settings
from service.table_events import ChipsAdded, ChipsQueued, SatIn, SatOut, SeatLeft, SeatTaken, SessionEnded
from tests.service.seated_tables import empty, in_a_hand, seated


def reason_of(*arguments) -> Reason:
    with pytest.raises(ServiceError) as refusal:
        seating.take_seat(*arguments)
    return refusal.value.reason


def test_sitting_down():
    seated = seating.take_seat(empty(), "ann", 3, 50)
    assert (SeatTaken(3, "ann", 50),) == seated.events
    assert (50, 0, 1) == (seated.table.brought, seated.table.taken, seated.table.seatings)
    assert (3, 1, 50) == (seated.seating.seat, seated.seating.number, seated.seating.bought_in)


def test_who_sits_down_has_a_whole_time_bank_and_no_part_in_the_cards_that_are_out():
    table = replace(empty(settings=Settings(time_bank_ms=9_000)), hand_number=4, seatings=6)
    ann = seating.take_seat(table, "ann", 3, 50).seating
    assert Seating(3, "ann", 50, 7, bought_in=50, since_hand=4, time_bank_ms=9_000) == ann
    assert [None, 3] == [ann.viewer(number) for number in (4, 5)]


def test_nobody_sits_in_two_seats():
    table = seating.take_seat(empty(), "ann", 3, 50).table
    assert Reason.ALREADY_SEATED == reason_of(table, "ann", 5, 50)
    assert Reason.SEAT_TAKEN == reason_of(table, "bob", 3, 50)


def test_after_the_session_nobody_sits_down():
    table = replace(empty(), rules=engine.PROFILES["seven-card-stud"].replace(session_pots=2), pots_played=2)
    assert Reason.SESSION_OVER == reason_of(table, "ann", 0, 50)
    assert 50 == seating.take_seat(replace(table, pots_played=1), "ann", 0, 50).table.brought


def test_every_seating_has_its_own_number():
    table = empty()
    numbers = []
    for _ in range(3):
        seated = seating.take_seat(table, "ann", 1, 5)
        numbers.append(seated.seating.number)
        table = seating.leave(seated.table, seated.seating).table
    assert [1, 2, 3] == numbers


@pytest.mark.parametrize(("stack", "allowed"), [(9, False), (10, True), (20, True), (21, False)])
def test_the_bounds_of_a_stack_belong_to_them(stack, allowed):
    table = empty(settings=Settings(min_buy_in=10, max_buy_in=20))
    if allowed:
        assert stack == seating.take_seat(table, "ann", 0, stack).seating.stack
    else:
        assert Reason.INVALID_FIELD == reason_of(table, "ann", 0, stack)


@pytest.mark.parametrize("seat", [-1, 8])
def test_a_seat_that_the_table_does_not_have(seat):
    assert Reason.INVALID_FIELD == reason_of(empty(), "ann", seat, 50)
    assert 7 == seating.take_seat(empty(), "ann", 7, 50).seating.seat


def test_without_credit_nobody_sits_down_without_chips():
    assert Reason.INVALID_FIELD == reason_of(empty(), "ann", 0, 0)


def test_a_table_takes_no_more_chips_than_can_be_played_with():
    table = replace(empty(settings=Settings(max_buy_in=10**12)), brought=MAX_AMOUNT - 5)
    assert Reason.INVALID_FIELD == reason_of(table, "ann", 0, 6)
    assert MAX_AMOUNT == seating.take_seat(table, "ann", 0, 5).table.brought
    assert 8 == seating.take_seat(replace(table, taken=3), "ann", 0, 8).seating.stack, "what has left makes room"


def test_under_credit_a_least_buy_in_holds_only_if_it_is_wanted():
    assert 0 == seating.take_seat(empty("baseball-home"), "ann", 0, 0).seating.stack
    assert Reason.INVALID_FIELD == reason_of(empty("baseball-home", Settings(min_buy_in=840)), "ann", 0, 0)
    assert Reason.INVALID_FIELD == reason_of(empty("baseball-home"), "ann", 0, -1)


def test_leaving_with_a_debt():
    table = seating.take_seat(empty("baseball-home"), "ann", 0, 100).table
    indebted = table.seated(replace(table.seats[0], stack=-40))
    left = seating.leave(indebted, indebted.seats[0])
    assert (SeatLeft(1, "ann", -40),) == left.events
    assert -40 == left.table.taken


def test_the_end_of_a_hand_moves_the_stacks_and_counts_the_pot():
    table = seating.take_seat(seating.take_seat(empty(), "ann", 0, 50).table, "bob", 0, 50).table
    table = replace(table, rules=table.rules.replace(session_pots=1))
    hand = engine.start(table.rules, {1: 50, 2: 50}, 2, FULL_DECK).state
    playing, events = seating.settle(replace(table, hand_number=1, deadline_ms=5), hand)
    assert ((), 0) == (events, playing.pots_played)
    finished = engine.step(hand, Action(ActionKind.LEAVE, seat=hand.actor)).state
    after, events = seating.settle(playing, finished)
    assert (SessionEnded(1),) == events
    assert finished.stacks == tuple(seat.stack for seat in after.seats)
    assert after.deadline_ms is None
    assert [] == after.broken()


@given(st.integers(0, 10**9), st.sampled_from(["baseball", "baseball-home", "seven-card-stud"]))
def test_chips_are_where_they_were_brought_whoever_leaves_when(seed, profile):
    """Leavers of every kind (to act, waiting, folded, all-in) in random hands."""
    rng = random.Random(seed)
    table = empty(profile)
    for number in range(rng.randint(3, 6)):
        table = seating.take_seat(table, f"player{number}", 0, rng.choice((1, 2, 5, 40))).table
    deck = list(FULL_DECK)
    rng.shuffle(deck)
    hand = engine.start(table.rules, {each.seat: each.stack for each in table.seats}, 1, deck).state
    table, _ = seating.settle(replace(table, hand_number=1, deadline_ms=5), hand)
    paid = 0
    while table.playing:
        hand = table.hand
        staying = [each for each in table.seats if not each.leaving]
        if staying and rng.random() < 0.2:
            leaver = rng.choice(staying)
            table = table.seated(replace(leaver, leaving=True))
            hand = engine.step(hand, Action(ActionKind.LEAVE, seat=leaver.seat)).state
        else:
            choice = rng.choice(engine.legal_actions(hand).choices)
            hand = engine.step(hand, Action(choice.kind, choice.max)).state
        table, events = seating.settle(table, hand)
        paid += sum(event.stack for event in events if isinstance(event, SeatLeft))
        assert [] == table.broken()
        assert paid == table.taken
    assert not any(each.leaving for each in table.seats)
    assert table.brought - paid == sum(each.stack for each in table.seats)


# Sitting out


def test_sitting_out_and_in_again():
    table = seated(10, 20, 30)
    out = seating.sit_out(table, table.seats[1])
    assert (SatOut(2),) == out.events
    assert {1: 10, 3: 30} == seating.next_stacks(out.table)
    assert seating.sit_out(out.table, out.seating) is None
    back = seating.sit_in(out.table, out.seating)
    assert (SatIn(2),) == back.events
    assert table == back.table
    assert seating.sit_in(table, table.seats[0]) is None


def test_who_sits_in_again_begins_to_run_out_of_time_anew():
    away = seated(10, 20).seats[0]
    table = seated(10, 20).seated(replace(away, sitting_out=True, timeouts=3))
    assert (False, 0) == ((back := seating.sit_in(table, table.seats[0]).seating).sitting_out, back.timeouts)


# Adding chips


def test_chips_come_at_once_between_hands():
    table = seated(10, 20)
    added = seating.add_chips(table, table.seats[0], 5)
    assert (ChipsAdded(1, 5),) == added.events
    assert (15, 15, 0) == (added.seating.stack, added.seating.bought_in, added.seating.adding)
    assert (35, []) == (added.table.brought, added.table.broken())


def test_chips_come_at_once_after_a_hand_that_the_player_was_in():
    table = in_a_hand(seated(10, 20))
    finished = engine.step(table.hand, Action(ActionKind.LEAVE, seat=table.hand.actor)).state
    table, _ = seating.settle(table, finished)
    added = seating.add_chips(table, table.seating(1), 5)
    assert (ChipsAdded(1, 5),) == added.events
    assert (finished.stacks[0] + 5, 0) == (added.seating.stack, added.seating.adding)


def test_chips_of_a_player_in_a_hand_wait_for_its_end():
    table = in_a_hand(seated(10, 20))
    for amount in (5, 2):
        added = seating.add_chips(table, table.seating(1), amount)
        assert (ChipsQueued(1, amount),) == added.events
        table = added.table
    assert (7, 9, 30) == (table.seating(1).adding, table.stack_of(table.seating(1)), table.brought)
    assert [] == table.broken()
    finished = engine.step(table.hand, Action(ActionKind.LEAVE, seat=table.hand.actor)).state
    after, events = seating.settle(table, finished)
    assert (ChipsAdded(1, 7),) == events
    assert (finished.stacks[0] + 7, 17, 0) == (after.seats[0].stack, after.seats[0].bought_in, after.seats[0].adding)
    assert (37, []) == (after.brought, after.broken())


def test_chips_of_a_player_who_waits_for_the_next_hand_come_at_once():
    table = seating.take_seat(in_a_hand(seated(10, 20)), "late", 0, 5).table
    assert (ChipsAdded(3, 4),) == seating.add_chips(table, table.seating(3), 4).events


def test_waiting_chips_come_before_the_session_ends_and_none_afterwards():
    table = in_a_hand(seated(10, 20, session_pots=1))
    table = seating.add_chips(table, table.seating(1), 5).table
    finished = engine.step(table.hand, Action(ActionKind.LEAVE, seat=table.hand.actor)).state
    after, events = seating.settle(table, finished)
    assert (ChipsAdded(1, 5), SessionEnded(1)) == events
    with pytest.raises(ServiceError) as refusal:
        seating.add_chips(after, after.seats[0], 1)
    assert Reason.SESSION_OVER == refusal.value.reason


def test_a_stack_grows_to_the_tables_maximum_and_not_beyond_waiting_chips_included():
    table = seating.take_seat(empty(settings=Settings(max_buy_in=20)), "ann", 0, 12).table
    table = seating.take_seat(table, "bob", 0, 12).table
    assert 20 == seating.add_chips(table, table.seats[0], 8).seating.stack
    table = in_a_hand(table)  # an ante of 1
    table = seating.add_chips(table, table.seats[0], 6).table
    with pytest.raises(ServiceError) as refusal:
        seating.add_chips(table, table.seats[0], 4)
    assert (Reason.STACK_TOO_LARGE, {"stack": "17", "max_buy_in": "20"}) == (
        refusal.value.reason,
        refusal.value.metadata,
    )
    assert 9 == seating.add_chips(table, table.seats[0], 3).seating.adding


@pytest.mark.parametrize("amount", [0, -1, -(2**63)])
def test_chips_are_never_taken_away(amount):
    table = seated(10, 20)
    with pytest.raises(ServiceError) as refusal:
        seating.add_chips(table, table.seats[0], amount)
    assert Reason.INVALID_FIELD == refusal.value.reason


def test_waiting_chips_count_for_what_a_table_can_hold():
    table = in_a_hand(seated(10, 20))
    table = replace(table, settings=Settings(max_buy_in=MAX_AMOUNT), brought=MAX_AMOUNT - 5)
    table = seating.add_chips(table, table.seats[0], 5).table
    with pytest.raises(ServiceError) as refusal:
        seating.add_chips(table, table.seats[1], 1)
    assert ["amount"] == [violation.field for violation in refusal.value.fields]
    assert Reason.INVALID_FIELD == reason_of(table, "late", 0, 1)


def test_a_debt_may_be_filled_up():
    table = seated(0, 0, profile="baseball-home")
    indebted = table.seated(replace(table.seats[0], stack=-840))
    added = seating.add_chips(indebted, indebted.seats[0], 1680)
    assert (840, 1680) == (added.seating.stack, added.seating.bought_in)


# Leaving, for the standings


def test_who_comes_back_is_remembered_as_one_player():
    table = seated(10, 20)
    for stack in (10, 7):
        table = seating.leave(table, table.seating_of("player1")).table
        table = seating.take_seat(table, "player1", 0, stack).table
    table = seating.leave(table, table.seating_of("player1")).table
    assert (Departed("player1", 27, 27),) == table.departed


def test_a_table_remembers_the_last_players_who_left():
    table = empty()
    for number in range(DEPARTED_KEPT + 3):
        table = seating.take_seat(table, f"guest{number}", 0, 5).table
        table = seating.leave(table, table.seats[0]).table
    assert [f"guest{number}" for number in range(3, DEPARTED_KEPT + 3)] == [one.player_id for one in table.departed]
