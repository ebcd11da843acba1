"""The end of a table: everybody takes the stack, and a hand that is not over has changed nothing."""

import random

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import engine
from engine import Action, ActionKind
from engine.cards import FULL_DECK
from service import seating
from service.seating import Payout
from service.table import Table
from service.table_events import CarrySplit, HandVoided, SeatLeft, TableDeleted
from tests.engine.play import stacked_deck
from tests.service.seated_tables import empty, in_a_hand, rained_out, seated


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
