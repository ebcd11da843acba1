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
from service.seating import Payout
from service.table import DEPARTED_KEPT, Departed, Seating, Settings, Table
from service.table_events import (
    CarrySplit,
    ChipsAdded,
    ChipsQueued,
    HandVoided,
    SatIn,
    SatOut,
    SeatLeft,
    SeatTaken,
    SessionEnded,
    TableDeleted,
)
from tests.engine.play import stacked_deck


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


@pytest.mark.parametrize(("carry", "dealt_in"), [(0, {1: 30}), (1, {1: 30, 2: 0}), (12, {1: 30, 2: 0})])
def test_without_chips_there_must_be_something_to_play_for(carry, dealt_in):
    assert dealt_in == seating.next_stacks(replace(rained_out({1: 30, 2: 0, 3: 0}, folded=(3,)), carry=carry))


def test_one_minor_unit_is_enough_to_play():
    table = seating.take_seat(seating.take_seat(empty(), "ann", 0, 1).table, "bob", 0, 9).table
    assert {1: 1, 2: 9} == seating.next_stacks(table)
    assert {2: 9} == seating.next_stacks(table.seated(replace(table.seating(1), stack=0)))


@pytest.mark.parametrize(("stack", "plays"), [(MAX_AMOUNT, True), (MAX_AMOUNT + 1, False)])
def test_on_credit_nobody_is_dealt_in_who_has_or_owes_more_than_a_hand_can_hold(stack, plays):
    table = seated(0, 0, profile="baseball-home")
    for each in (stack, -stack):
        table = table.seated(replace(table.seating(1), stack=each))
        assert plays == (1 in seating.next_stacks(table))


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


def test_it_is_split_too_when_too_many_sit_out():
    """Else who folded before the rain could not play while the owners of the pot sit out."""
    table = rained_out({1: 30, 2: 10, 3: 8}, folded=(3,), rain_returns=False)
    out = seating.sit_out(table, table.seating(1))
    assert (SatOut(1), CarrySplit(12, ((2, 6), (1, 6)))) == out.events
    assert (0, 36, True) == (out.table.carry, out.seating.stack, out.seating.sitting_out)
    assert (False, ()) == (out.table.redeal, out.table.kept_out)
    assert {2: 16, 3: 8} == seating.next_stacks(out.table)
    assert [] == out.table.broken()
    three = rained_out({1: 30, 2: 10, 3: 8})
    assert (12, (SatOut(1),)) == ((out := seating.sit_out(three, three.seating(1))).table.carry, out.events)


def test_of_a_rained_out_pot_that_is_empty_nothing_is_told():
    table = replace(rained_out({1: 30, 2: 10}), carry=0, brought=40)
    assert table.redeal
    left = seating.leave(table, table.seating(2))
    assert ((SeatLeft(2, "player 2", 10),), False) == (left.events, left.table.redeal)


def test_who_stays_out_of_a_carried_pot_stays_out_when_it_rains_again():
    """Only seats 1 and 2 are dealt into the second hand, and seat 2 folds before the rain."""
    table = rained_out({1: 30, 2: 10, 3: 8, 4: 7}, folded=(3,), rain_returns=False)
    assert (table.seating(3).number,) == table.kept_out
    hand = engine.start(table.rules, seating.next_stacks(table), 1, FULL_DECK, carry=12).state
    players = tuple(replace(player, folded=player.seat == 2, collected=0) for player in hand.players)
    rained = replace(hand, phase="finished", actor=0, players=players, dead_money=(), rained=True, carry=15, offer=None)
    again, _ = seating.settle(replace(table, carry=0, hand_number=2), rained)
    assert tuple(table.seating(seat).number for seat in (2, 3)) == again.kept_out
    assert {1, 4} == set(seating.next_stacks(again))


def test_a_carried_pot_beyond_what_a_hand_can_begin_with_is_split():
    table = rained_out({1: 30, 2: 10, 3: 8})
    for carry, split in ((MAX_AMOUNT, False), (MAX_AMOUNT + 1, True)):
        after, events = seating.settle(table, replace(table.hand, carry=carry))
        assert split == bool(events) == (after.carry == 0)


def test_a_carried_pot_waits_while_two_can_play_for_it():
    table = rained_out({1: 30, 2: 10, 3: 5})
    left = seating.leave(table, table.seating(1))
    assert (12, (SeatLeft(1, "player 1", 30),)) == (left.table.carry, left.events)


def test_the_pot_is_split_at_once_when_rain_leaves_nobody_to_play_with():
    """An all-in player who has left is in until it rains, and is then the second owner of the pot."""
    table = rained_out({1: 30, 2: 0, 3: 0}, folded=(3,))
    hand = table.hand
    before = replace(
        table, carry=0, carry_owners=(), seats=tuple(replace(each, leaving=each.seat == 2) for each in table.seats)
    )
    after, events = seating.settle(before, hand)
    assert [CarrySplit(12, ((2, 6), (1, 6))), SeatLeft(2, "player 2", 6)] == list(events)
    assert [(1, 36), (3, 0)] == [(each.seat, each.stack) for each in after.seats]
    assert (0, after.brought - after.taken) == (after.carry, after.chips)


def test_a_carried_pot_whose_owners_have_all_left_belongs_to_those_who_could_play_for_it():
    table = rained_out({1: 30, 2: 10, 3: 8, 4: 7}, folded=(3, 4))
    for seat in (1, 2):
        left = seating.leave(table, table.seating(seat))
        table = left.table
        assert 12 == table.carry
    left = seating.leave(table, table.seating(3))
    assert [CarrySplit(12, ((3, 6), (4, 6))), SeatLeft(3, "player 3", 14)] == list(left.events)
    assert (0, 13) == (left.table.carry, left.table.chips)
    away = table.seated(replace(table.seating(4), sitting_out=True))
    assert CarrySplit(12, ((3, 12),)) == seating.leave(away, away.seating(3)).events[0], "seat 4 could not have played"
    out = seating.sit_out(away, away.seating(3))
    assert CarrySplit(12, ((3, 6), (4, 6))) == out.events[-1], "nobody is left who could play: all who are there"
    alone = seating.leave(left.table, left.table.seating(4))
    assert (0, 0) == (alone.table.chips, alone.table.brought - alone.table.taken)


# Sitting out


def seated(*stacks: int, profile: str = "seven-card-stud", **knobs) -> Table:
    table = empty(profile)
    table = replace(table, rules=table.rules.replace(**knobs))
    for number, stack in enumerate(stacks, start=1):
        table = seating.take_seat(table, f"player{number}", 0, stack).table
    return table


def in_a_hand(table: Table, deck=FULL_DECK) -> Table:
    stacks = seating.next_stacks(table)
    hand = engine.start(table.rules, stacks, max(stacks), deck).state
    return seating.settle(replace(table, hand_number=1, button=max(stacks), deadline_ms=5), hand)[0]


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


# The end of a table


def closed(table: Table) -> tuple[Table, tuple, tuple[Payout, ...]]:
    change = seating.close(table)
    assert change.deleted
    assert TableDeleted() == change.events[-1]
    return change.table, tuple(change.events[:-1]), seating.payouts_of(change.result)


def test_between_hands_everybody_takes_the_stack():
    table, events, payouts = closed(seated(10, 20))
    assert (SeatLeft(1, "player1", 10), SeatLeft(2, "player2", 20)) == events
    assert (Payout("player1", 1, 10), Payout("player2", 2, 20)) == payouts
    assert ((), 0, []) == (table.seats, table.chips, table.broken())


def test_debts_are_paid_out_as_debts():
    table = seated(0, 0, profile="baseball-home")
    table = table.seated(replace(table.seats[0], stack=-840)).seated(replace(table.seats[1], stack=840))
    assert [-840, 840] == [payout.amount for payout in closed(table)[2]]


def test_a_void_hand_gives_back_antes_bets_and_purchases():
    """The purchases of the rules' examples, section 9: nobody has won or lost anything."""
    table = seated(100, 100, 100, 100, profile="baseball")
    doors = {1: "(-- --) Kd 4s+(--)", 2: "(-- --) 6c", 3: "(-- --) 6d", 4: "(-- --) Ah"}
    table = in_a_hand(table, stacked_deck(table.rules, doors, 4))
    for kind in ("bring_in", "fold", "complete", "call", "call", "buy"):
        hand = engine.step(table.hand, Action(ActionKind(kind), 2 if kind == "complete" else 0)).state
        table, _ = seating.settle(table, hand)
    assert [95, 97, 99, 97] == list(table.hand.stacks)  # 2 for a card more besides ante and bet of seat 1
    after, events, payouts = closed(table)
    assert HandVoided(((1, 5), (2, 3), (3, 1), (4, 3))) == replace(
        events[0], returned=tuple(sorted(events[0].returned))
    )
    assert [100] * 4 == [payout.amount for payout in payouts]
    assert [] == after.broken()


def test_who_left_a_void_hand_gets_the_rest_of_it():
    table = in_a_hand(seated(100, 100, 100))
    leaver = next(player.seat for player in table.hand.players if player.seat != table.hand.actor)
    table = table.seated(replace(table.seating(leaver), leaving=True))
    table, events = seating.settle(table, engine.step(table.hand, Action(ActionKind.LEAVE, seat=leaver)).state)
    assert [SeatLeft(leaver, f"player{leaver}", 99)] == list(events)
    after, _, payouts = closed(table)
    assert {leaver: 1} == {payout.seat: payout.amount for payout in payouts if payout.amount != 100}
    assert [] == after.broken()


def test_waiting_chips_never_come_to_a_table_that_ends():
    table = in_a_hand(seated(10, 20))
    table = seating.add_chips(table, table.seats[0], 7).table
    assert [10, 20] == [payout.amount for payout in closed(table)[2]]


def test_a_carried_pot_is_split_when_the_table_ends():
    table = rained_out({1: 30, 2: 10, 3: 8}, folded=(3,))
    after, events, payouts = closed(table)
    assert CarrySplit(12, ((2, 6), (1, 6))) == events[0]
    assert [36, 16, 8] == [payout.amount for payout in payouts]
    assert [] == after.broken()


def test_a_carried_pot_that_lies_in_a_void_hand_goes_to_those_who_were_in_when_it_rained():
    table = rained_out({1: 30, 2: 10, 3: 8}, folded=(3,))
    hand = engine.start(table.rules, seating.next_stacks(table), 1, FULL_DECK, carry=12).state
    table, _ = seating.settle(replace(table, carry=0, hand_number=2, deadline_ms=5), hand)
    assert 60 == table.chips
    after, events, payouts = closed(table)
    assert [HandVoided, CarrySplit] == [type(event) for event in events[:2]]
    assert CarrySplit(12, ((2, 6), (1, 6))) == events[1]
    assert [36, 16, 8] == [payout.amount for payout in payouts]
    assert [] == after.broken()


@given(st.integers(0, 10**9), st.sampled_from(["baseball", "baseball-home", "rainy-day-baseball", "night-baseball"]))
def test_whenever_a_table_ends_everybody_has_what_was_brought_into_the_hand(seed, profile):
    """In random hands with leavers, waiting chips and rain; a hand that is not over has changed nothing."""
    rng = random.Random(seed)
    table = empty(profile)
    for number in range(rng.randint(3, 6)):
        table = seating.take_seat(table, f"player{number}", 0, rng.choice((1, 5, 40, 900))).table
    for hand_number in range(1, rng.randint(2, 4)):
        stacks = seating.next_stacks(table)
        if len(stacks) < 2:
            break
        deck = list(FULL_DECK)
        rng.shuffle(deck)
        brought_in = {each.player_id: each.stack for each in table.seats}
        carry, owners = table.carry, set(table.carry_owners)
        gone: dict[str, int] = {}
        hand = engine.start(table.rules, stacks, min(stacks), deck, carry=carry).state
        before = replace(table, carry=0, hand_number=hand_number, button=min(stacks), deadline_ms=5)
        table, _ = seating.settle(before, hand)
        while table.playing:
            _, _, payouts = closed(table)
            assert table.brought - table.taken == sum(payout.amount for payout in payouts)
            for payout in payouts:
                share = payout.amount + gone.get(payout.player_id, 0) - brought_in[payout.player_id]
                number = table.seating(payout.seat).number
                assert 0 <= share <= carry
                assert not share or number in owners or not owners & {each.number for each in table.seats}
            table = random_move(table, rng, gone)
            assert [] == table.broken()


def random_move(table: Table, rng: random.Random, gone: dict[str, int]) -> Table:
    hand = table.hand
    staying = [each for each in table.seats if not each.leaving and table.in_hand(each.seat)]
    if staying and rng.random() < 0.1:
        table = seating.add_chips(table, rng.choice(staying), rng.choice((1, 100))).table
    if staying and rng.random() < 0.1:
        leaver = table.seating(rng.choice(staying).seat)
        table = table.seated(replace(leaver, leaving=True, adding=0))
        hand = engine.step(hand, Action(ActionKind.LEAVE, seat=leaver.seat)).state
    else:
        choice = rng.choice(engine.legal_actions(hand).choices)
        hand = engine.step(hand, Action(choice.kind, choice.max)).state
    table, events = seating.settle(table, hand)
    gone.update({event.player_id: event.stack for event in events if isinstance(event, SeatLeft)})
    return table
