"""The pot that rain carries on: who plays for it, and who shares it when too few are left."""

from msgspec.structs import replace

from service import seating
from service.table_events import CarrySplit, SatOut, SeatLeft
from tests.service.seated_tables import rained_out


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


def test_it_is_split_too_when_too_many_sit_out():
    """Else who folded before the rain could not play while the owners of the pot sit out."""
    table = rained_out({1: 30, 2: 10, 3: 8}, folded=(3,), rain_returns=False)
    out = seating.sit_out(table, table.seating(1))
    assert (SatOut(1), CarrySplit(12, ((2, 6), (1, 6)))) == out.events
    assert (0, 36, True) == (out.table.carry, out.seating.stack, out.seating.sitting_out)
    assert {2: 16, 3: 8} == seating.next_stacks(out.table)
    assert [] == out.table.broken()
    three = rained_out({1: 30, 2: 10, 3: 8})
    assert (12, (SatOut(1),)) == ((out := seating.sit_out(three, three.seating(1))).table.carry, out.events)


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
    alone = seating.leave(left.table, left.table.seating(4))
    assert (0, 0) == (alone.table.chips, alone.table.brought - alone.table.taken)
