"""The button, pauses, and chips that wait for the end of a hand."""

from msgspec.structs import replace

import engine
from service import dealer, seating
from service.errors import Reason
from service.table import Settings
from service.table_events import TablePaused, TableResumed
from tests.service.table_values import NOW, deal, folded_out, refusal, table_of


class TestButton:
    def test_it_moves_to_the_next_active_seat(self):
        assert [7, 5, 2, 2] == [dealer.next_button(button, (2, 5, 7)) for button in (0, 2, 7, 1)]

    def test_it_passes_who_sits_out(self):
        table = table_of(50, 50, 50)
        table = seating.sit_out(table, table.seats[2]).table
        change = deal(table)
        assert (2, [1, 2]) == (change.table.button, sorted(player.seat for player in change.table.hand.players))

    def test_too_few_when_the_others_sit_out(self):
        table = table_of(50, 50)
        error = refusal(deal, seating.sit_out(table, table.seats[0]).table)
        assert (Reason.NOT_ENOUGH_PLAYERS, {"players": "1", "needed": "2"}) == (error.reason, error.metadata)


class TestPause:
    def test_the_clock_stands_still_between_actions(self):
        table = deal(table_of(50, 50)).table
        paused = dealer.pause(table, NOW)
        assert ((TablePaused(),), None, True) == (paused.events, paused.table.deadline_ms, paused.table.paused)
        assert [] == paused.table.broken()
        actor = table.seating(table.hand.actor)
        for call in (
            lambda: deal(paused.table),
            lambda: dealer.act(paused.table, actor, engine.default_action(table.hand), NOW),
            lambda: dealer.show_down(paused.table, NOW),
            lambda: dealer.pause(paused.table, NOW),
        ):
            assert Reason.TABLE_PAUSED == refusal(call).reason

    def test_who_is_to_act_gets_the_whole_time_anew(self):
        paused = dealer.pause(deal(table_of(50, 50)).table, NOW).table
        resumed = dealer.resume(paused, NOW + 500_000)
        assert ((TableResumed(),), NOW + 500_000 + 30_000) == (resumed.events, resumed.table.deadline_ms)
        assert Reason.TABLE_NOT_PAUSED == refusal(dealer.resume, resumed.table, NOW).reason

    def test_what_the_running_turn_has_taken_off_the_time_bank_is_gone(self):
        table = table_of(50, 50)
        banks = tuple(replace(each, time_bank_ms=60_000) for each in table.seats)
        settings = Settings(action_time_ms=30_000, time_bank_ms=60_000)
        table = deal(replace(table, settings=settings, seats=banks)).table
        paused = dealer.pause(table, NOW + 40_000).table
        assert 50_000 == paused.seating(table.hand.actor).time_bank_ms
        assert NOW + 90_000 + 30_000 + 50_000 == dealer.resume(paused, NOW + 90_000).table.deadline_ms

    def test_no_hand_is_dealt_by_itself(self):
        paused = dealer.pause(replace(table_of(50, 50), deal_ms=NOW + 5_000), NOW).table
        assert (None, None) == (paused.deal_ms, paused.due_ms)

    def test_between_hands_no_clock_runs_before_and_after(self):
        paused = dealer.pause(table_of(50, 50), NOW).table
        assert Reason.TABLE_PAUSED == refusal(deal, paused).reason
        resumed = dealer.resume(paused, NOW).table
        assert (None, table_of(50, 50)) == (resumed.deadline_ms, resumed)

    def test_players_may_leave_a_paused_hand(self):
        table = dealer.pause(deal(table_of(50, 50, 50)).table, NOW).table
        table = dealer.leave_hand(table, table.seating(table.hand.actor), NOW).table
        assert (True, None, []) == (table.playing, table.deadline_ms, table.broken())
        table = dealer.leave_hand(table, next(each for each in table.seats if not each.leaving), NOW).table
        assert (False, None, [], True) == (table.playing, table.deadline_ms, table.broken(), table.paused)

    def test_what_is_settled_may_still_be_asked_for(self):
        table = dealer.pause(folded_out(deal(table_of(50, 50)).table), NOW).table
        assert dealer.show_down(table, NOW) is None


def test_waiting_chips_of_a_leaver_never_come():
    table = deal(table_of(50, 50, 50)).table
    leaver = next(each for each in table.seats if each.seat != table.hand.actor)
    table = seating.add_chips(table, leaver, 30).table
    after = dealer.leave_hand(table, table.seating(leaver.seat), NOW).table
    assert (0, 150 - 49) == (after.seating(leaver.seat).adding, after.chips)
    for _ in range(2):
        if after.playing:
            after = dealer.leave_hand(after, next(each for each in after.seats if not each.leaving), NOW).table
    assert [] == after.broken()
    assert 150 == after.brought


def test_out_of_the_hand_by_leaving_is_seen_as_a_fold():
    table = deal(table_of(50, 50, 50)).table
    change = dealer.leave_hand(table, table.seating(1), NOW)
    assert change.table.hand.player(1).folded
