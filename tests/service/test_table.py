import pytest
from msgspec.structs import replace

import engine
from engine import Action, ActionKind
from engine.cards import FULL_DECK
from service import seating
from service.table import Seating, Settings, Status, Table


def table_of(*stacks: int, profile: str = "seven-card-stud") -> Table:
    table = Table("t", "acme", profile, engine.PROFILES[profile], Settings(name="ours"), 1, "1-x", 0, 0)
    for number, stack in enumerate(stacks, start=1):
        table = seating.take_seat(table, f"player{number}", 0, stack).table
    return table


def dealt(table: Table) -> Table:
    stacks = {each.seat: each.stack for each in table.seats}
    hand = engine.start(table.rules, stacks, max(stacks), FULL_DECK).state
    return replace(table, hand=hand, hand_number=table.hand_number + 1, button=max(stacks), deadline_ms=5)


def test_who_sits_where():
    table = table_of(10, 20)
    assert "player2" == table.seating(2).player_id
    assert 1 == table.seating_of("player1").seat
    assert table.seating(3) is None
    assert table.seating_of("nobody") is None


def test_a_changed_seating_takes_the_place_of_the_old_one():
    table = table_of(10, 20)
    changed = table.seated(replace(table.seats[0], stack=11))
    assert [11, 20] == [seat.stack for seat in changed.seats]
    assert [2] == [seat.seat for seat in changed.without(1).seats]


def test_stacks_and_chips_before_and_during_a_hand():
    table = table_of(10, 20)
    assert [10, 20] == [table.stack_of(seat) for seat in table.seats]
    during = dealt(table)  # an ante of 1 each
    assert [9, 19] == [during.stack_of(seat) for seat in during.seats]
    assert 30 == table.chips == during.chips
    waiting = seating.take_seat(during, "waiting", 0, 7).table
    assert 7 == waiting.stack_of(waiting.seating(3))
    assert 37 == waiting.chips


def test_what_a_leaver_has_back_is_no_longer_at_the_table():
    during = dealt(table_of(10, 20, 30))
    leaver = next(player.seat for player in during.hand.players if player.seat != during.hand.actor)
    gone = during.seated(replace(during.seating(leaver), leaving=True))
    folded = engine.step(gone.hand, Action(ActionKind.LEAVE, seat=leaver)).state
    after, events = seating.settle(gone, folded)
    assert 0 == after.stack_of(after.seating(leaver))
    assert 60 - events[0].stack == after.chips
    assert [] == after.broken()


def test_a_seat_that_changes_hands_shows_its_new_owner_only_later_hands():
    assert 3 == Seating(3, "ann", 5, 1, since_hand=4).viewer(5)
    for hand_number in (0, 3, 4):
        assert Seating(3, "ann", 5, 1, since_hand=4).viewer(hand_number) is None


def test_what_a_table_waits_for():
    table = table_of(10, 20)
    assert (False, False, False) == (table.playing, table.showdown_due, table.session_over)
    during = dealt(table)
    assert during.playing
    assert (1, False) == (during.summary().hand_number, during.summary().showdown_due)
    over = replace(table, rules=table.rules.replace(session_pots=3), pots_played=3)
    assert over.session_over
    assert over.summary().session_over


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({}, Status.WAITING),
        ({"hand_number": 3}, Status.FINISHED),
        ({"hand_number": 3, "pots_played": 3}, Status.SESSION_OVER),
    ],
)
def test_the_status_between_hands(changes, status):
    table = table_of(10, 20)
    table = replace(table, rules=table.rules.replace(session_pots=3), **changes)
    assert status == table.status == table.summary().status


def test_the_status_of_a_hand():
    during = dealt(table_of(10, 20))
    assert Status.PLAYING == during.status == during.summary().status
    due = replace(during, hand=replace(during.hand, phase="showdown"))
    assert Status.SHOWDOWN == due.status == due.summary().status


def test_a_paused_table_has_no_deadline_and_waiting_chips_need_a_hand():
    during = dealt(table_of(10, 20))
    assert [] == replace(during, paused=True, deadline_ms=None).broken()
    assert 1 == len(replace(during, paused=True).broken())
    assert 1 == len(replace(during, deadline_ms=None).broken())
    waiting = during.seated(replace(during.seats[0], adding=5))
    assert [] == waiting.broken()
    assert 1 == len(during.seated(replace(during.seats[0], adding=-5)).broken())
    table = table_of(10, 20)
    assert 1 == len(table.seated(replace(table.seats[0], adding=5)).broken())


def test_the_rules_of_the_next_hand_are_the_tables_unless_it_rained():
    table = dealt(table_of(10, 20))
    other = replace(table.hand, rules=engine.PROFILES["football"], phase="finished")
    assert (False, table.rules) == (table.redeal, replace(table, hand=other).next_rules)
    rained = replace(table, hand=replace(other, rained=True), carry_owners=(1,))
    assert (True, engine.PROFILES["football"]) == (rained.redeal, rained.next_rules)
    split = replace(rained, carry_owners=())
    assert (False, True, table.rules) == (split.redeal, split.rained_out, split.next_rules)


def test_the_lobby_entry():
    summary = table_of(10, 20).summary()
    assert ("ours", "seven-card-stud", 2, 7, 1) == (
        summary.name,
        summary.profile,
        summary.seats_taken,
        summary.seats,
        summary.version,
    )
