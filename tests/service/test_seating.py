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
from service.table import Settings, Table
from service.table_events import CarrySplit, SeatLeft, SeatTaken, SessionEnded


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


# Rain


def rained_out(stacks: dict[int, int], folded: tuple[int, ...] = (), **knobs) -> Table:
    """Return a table whose last hand was rained out with these stacks left and 12 in the middle."""
    rules = engine.PROFILES["rainy-day-baseball"].replace(**knobs)
    table = replace(empty("rainy-day-baseball"), rules=rules)
    for seat in stacks:
        table = seating.take_seat(table, f"player {seat}", seat, 20).table
    # Without an action the first hand of this deck waits for the bring-in; what rain leaves of it is set by hand.
    hand = engine.start(rules, dict.fromkeys(stacks, 20), min(stacks), FULL_DECK).state
    players = tuple(
        replace(player, stack=stacks[player.seat], collected=0, bet=0, folded=player.seat in folded)
        for player in hand.players
    )
    over = replace(hand, phase="finished", actor=0, players=players, dead_money=(), rained=True, carry=12)
    table = replace(table, hand_number=1, button=min(stacks), brought=sum(stacks.values()) + 12)
    return seating.settle(table, over)[0]


def test_rain_carries_the_pot_and_is_no_pot_played():
    table = rained_out({1: 30, 2: 10, 3: 8})
    assert (12, 0, None) == (table.carry, table.pots_played, table.deadline_ms)
    assert [30, 10, 8] == [seated.stack for seated in table.seats]
    assert table.brought == table.chips


def test_who_was_in_without_chips_plays_for_the_carried_pot_and_who_had_folded_sits_out():
    assert {1: 30, 2: 0} == seating.next_stacks(rained_out({1: 30, 2: 0, 3: 0}, folded=(3,)))
    assert {1: 30, 2: 0, 3: 5} == seating.next_stacks(rained_out({1: 30, 2: 0, 3: 5}, folded=(3,)))


def test_where_folded_players_stay_out_they_do_so_until_the_pot_is_won():
    table = rained_out({1: 30, 2: 7, 3: 5}, folded=(3,), rain_returns=False)
    assert {1: 30, 2: 7} == seating.next_stacks(table)
    won = replace(table.hand, rained=False, carry=0)
    after, _ = seating.settle(replace(table, carry=0), won)
    assert {1: 30, 2: 7, 3: 5} == seating.next_stacks(after)


def test_a_carried_pot_is_split_when_too_few_are_left_to_play_for_it():
    table = rained_out({1: 30, 2: 10, 3: 0}, folded=(3,))
    left = seating.leave(table, table.seating(1))
    assert [CarrySplit(12, ((2, 6), (1, 6))), SeatLeft(1, "player 1", 36)] == list(left.events)
    assert (0, 16) == (left.table.carry, left.table.seating(2).stack)
    assert left.table.chips == left.table.brought - left.table.taken


def test_a_carried_pot_waits_while_two_can_play_for_it():
    table = rained_out({1: 30, 2: 10, 3: 5})
    left = seating.leave(table, table.seating(1))
    assert (12, (SeatLeft(1, "player 1", 30),)) == (left.table.carry, left.events)
