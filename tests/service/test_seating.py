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
from service.table import SeatLeft, SeatTaken, SessionEnded, Settings, Table


def empty(profile: str = "seven-card-stud", settings: Settings | None = None) -> Table:
    return Table("t", "acme", profile, engine.PROFILES[profile], settings or Settings(), 1, "1-x", 0, 0)


def reason_of(*arguments) -> Reason:
    with pytest.raises(ServiceError) as refusal:
        seating.take_seat(*arguments)
    return refusal.value.reason


def test_sitting_down():
    seated = seating.take_seat(empty(), "ann", 3, 50)
    assert (SeatTaken(3, "ann", 50),) == seated.events
    assert (50, 0, 1) == (seated.table.brought, seated.table.taken, seated.table.seatings)
    assert (3, 1, 50) == (seated.seating.seat, seated.seating.number, seated.seating.bought_in)


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


def test_a_table_takes_no_more_chips_than_can_be_played_with():
    table = replace(empty(settings=Settings(max_buy_in=10**12)), brought=MAX_AMOUNT - 5)
    assert Reason.INVALID_FIELD == reason_of(table, "ann", 0, 6)
    assert MAX_AMOUNT == seating.take_seat(table, "ann", 0, 5).table.brought


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
