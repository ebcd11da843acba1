import pytest
from msgspec.structs import replace

import engine
from engine import Action, ActionKind
from engine.cards import FULL_DECK
from service import seating
from service.standings import standings
from service.table import Settings, Table


def table_of(*stacks: int) -> Table:
    table = Table("t", "acme", "seven-card-stud", engine.PROFILES["seven-card-stud"], Settings(), 1, "1-x", 0, 0)
    for number, stack in enumerate(stacks, start=1):
        table = seating.take_seat(table, f"player{number}", 0, stack).table
    return table


def after(*nets: int) -> Table:
    """Return a table at which five players or so have won and lost from 50 each."""
    table = table_of(*[50] * len(nets))
    return replace(
        table, seats=tuple(replace(each, stack=50 + net) for each, net in zip(table.seats, nets, strict=True))
    )


def places(table: Table) -> list[tuple[int, str, int]]:
    return [(player.place, player.player_id, player.net) for player in standings(table)]


def test_equal_results_share_a_place():
    assert [
        (1, "player2", 12),
        (2, "player1", 3),
        (2, "player4", 3),
        (4, "player5", -5),
        (5, "player3", -13),
    ] == places(after(3, 12, -13, 3, -5))


@pytest.mark.parametrize(
    ("nets", "expected"),
    [((0, 0, 0), [1, 1, 1]), ((1, 1, -2), [1, 1, 3]), ((2, -1, -1), [1, 2, 2]), ((5, 5, 0, -5, -5), [1, 1, 3, 4, 4])],
)
def test_places_after_shared_ones(nets, expected):
    assert expected == [place for place, _, _ in places(after(*nets))]


def test_an_empty_table_ranks_nobody():
    assert [] == standings(table_of())


def test_added_chips_are_no_gain():
    table = after(10, -10)
    for _ in range(3):
        table = seating.add_chips(table, table.seats[1], 100).table
    assert [(1, "player1", 10), (2, "player2", -10)] == places(table)
    assert (340, 350) == (standings(table)[1].stack, standings(table)[1].bought_in)


def test_who_has_left_stays_in_the_ranking_without_a_seat():
    table = after(10, -4, -6)
    table = seating.leave(table, table.seats[0]).table
    assert [(1, "player1", 10), (2, "player2", -4), (3, "player3", -6)] == places(table)
    assert [0, 2, 3] == [player.seat for player in standings(table)]


def test_the_seats_of_one_player_count_together():
    table = after(10, -10)
    table = seating.leave(table, table.seats[0]).table
    table = seating.take_seat(table, "player1", 7, 20).table
    (first, _) = standings(table)
    assert ("player1", 7, 80, 70, 10) == (first.player_id, first.seat, first.stack, first.bought_in, first.net)


def test_a_hand_that_is_not_over_has_changed_nothing():
    table = table_of(50, 50, 50)
    hand = engine.start(table.rules, {1: 50, 2: 50, 3: 50}, 1, FULL_DECK).state
    table, _ = seating.settle(replace(table, hand_number=1, button=1, deadline_ms=5), hand)
    assert {0} == {player.net for player in standings(table)}
    leaver = next(player.seat for player in hand.players if player.seat != hand.actor)
    leaving = table.seated(replace(table.seating(leaver), leaving=True))
    left, _ = seating.settle(leaving, engine.step(hand, Action(ActionKind.LEAVE, seat=leaver)).state)
    ranked = standings(left)
    assert (f"player{leaver}", 0, -1) == (ranked[-1].player_id, ranked[-1].seat, ranked[-1].net)  # the ante is gone
    assert 3 == len(ranked)


def test_debts_count():
    table = after(0, 0)
    table = replace(table, seats=tuple(replace(each, stack=each.stack - 840) for each in table.seats))
    assert [(1, "player1", -840), (1, "player2", -840)] == places(table)
