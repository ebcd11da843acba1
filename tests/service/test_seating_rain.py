"""The pot that rain carries on: who plays for it, and who shares it when too few are left."""

import pytest
from msgspec.structs import replace

import engine
from engine.cards import FULL_DECK
from engine.rule_checks import MAX_AMOUNT
from service import seating
from service.table_events import CarrySplit, SatOut, SeatLeft
from tests.service.seated_tables import empty, rained_out, seated


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
