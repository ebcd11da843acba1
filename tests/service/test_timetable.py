from msgspec.structs import replace

import engine
from engine import Action, ActionKind
from engine.cards import FULL_DECK
from service import dealer, seating, timetable
from service.table import Settings, Table

NOW_MS = 1_900_000_000_000
SETTINGS = Settings(action_time_ms=30_000, time_bank_ms=60_000)


def table_of(*stacks: int, settings: Settings = SETTINGS, **knobs: object) -> Table:
    rules = engine.PROFILES["seven-card-stud"].replace(**knobs)
    table = Table("t", "acme", "seven-card-stud", rules, settings, 1, "1-x", 0, 0)
    for number, stack in enumerate(stacks, start=1):
        table = seating.take_seat(table, f"player{number}", 0, stack).table
    return table


def dealt(table: Table) -> Table:
    return dealer.deal(table, lambda: FULL_DECK, NOW_MS).table


def bank_ms(table: Table, seat: int) -> int:
    return table.seating(seat).time_bank_ms


def acted(table: Table, kind: ActionKind, after_ms: int, amount: int = 0) -> Table:
    actor = table.seating(table.hand.actor)
    began_ms = table.deadline_ms - table.settings.action_time_ms - actor.time_bank_ms
    return dealer.act(table, actor, Action(kind, amount), began_ms + after_ms).table


def folded(table: Table, after_ms: int) -> Table:
    """Bring in after some time; the other one folds."""
    return acted(acted(table, ActionKind.BRING_IN, after_ms), ActionKind.FOLD, 0)


class TestTimeBank:
    def test_a_turn_ends_when_action_time_and_bank_are_over(self):
        table = dealt(table_of(50, 50))
        assert NOW_MS + 90_000 == table.deadline_ms

    def test_without_a_bank_it_is_the_action_time(self):
        assert NOW_MS + 30_000 == dealt(table_of(50, 50, settings=Settings())).deadline_ms

    def test_who_acts_within_the_action_time_keeps_the_bank(self):
        table = dealt(table_of(50, 50))
        actor = table.hand.actor
        for after_ms in (0, 1, 29_999, 30_000):
            assert 60_000 == bank_ms(acted(table, ActionKind.BRING_IN, after_ms), actor)

    def test_what_a_turn_takes_beyond_comes_off_the_bank_and_the_next_deadline(self):
        table = dealt(table_of(50, 50))
        first = table.hand.actor
        table = acted(table, ActionKind.BRING_IN, 30_001)
        assert 59_999 == bank_ms(table, first)
        table = acted(table, ActionKind.COMPLETE, 75_000, amount=2)
        second = 3 - first
        assert (59_999, 15_000) == (bank_ms(table, first), bank_ms(table, second))
        assert NOW_MS + 30_001 + 75_000 + 30_000 + 59_999 == table.deadline_ms

    def test_who_acts_late_has_nothing_left_and_never_less(self):
        table = dealt(table_of(50, 50))
        actor = table.hand.actor
        assert 0 == bank_ms(acted(table, ActionKind.BRING_IN, 90_000), actor)
        assert 0 == bank_ms(acted(table, ActionKind.BRING_IN, 10**9), actor)

    def test_an_action_before_the_turn_began_gives_nothing(self):
        """A clock behind the one that set the deadline."""
        table = dealt(table_of(50, 50))
        assert 60_000 == bank_ms(acted(table, ActionKind.BRING_IN, -5000), table.hand.actor)

    def test_an_empty_bank_stays_empty_in_the_next_hand(self):
        table = dealt(table_of(50, 50))
        actor = table.hand.actor
        table = folded(table, 90_000)
        assert not table.playing
        assert 0 == bank_ms(dealt(table), actor)

    def test_a_new_seating_has_a_new_bank(self):
        table = dealt(table_of(50, 50))
        actor = table.hand.actor
        table = folded(table, 90_000)
        table = seating.leave(table, table.seating(actor)).table
        assert 60_000 == seating.take_seat(table, "another", actor, 50).seating.time_bank_ms

    def test_while_another_seat_leaves_the_clock_of_the_actor_runs_on(self):
        table = dealt(table_of(50, 50, 50))
        actor = table.hand.actor
        other = next(seat.seat for seat in table.seats if seat.seat != actor)
        left = dealer.leave_hand(table, table.seating(other), NOW_MS + 80_000).table
        assert (table.deadline_ms, 60_000) == (left.deadline_ms, bank_ms(left, actor))
        assert 5_000 == bank_ms(acted(left, ActionKind.BRING_IN, 85_000), actor)

    def test_when_the_actor_leaves_the_next_one_has_the_whole_time(self):
        table = dealt(table_of(50, 50, 50))
        left = dealer.leave_hand(table, table.seating(table.hand.actor), NOW_MS + 80_000).table
        assert left.hand.actor != table.hand.actor
        assert NOW_MS + 80_000 + 90_000 == left.deadline_ms

    def test_a_showdown_draws_on_nobodys_bank(self):
        table = dealt(table_of(50, 50))
        while not table.showdown_due:
            hand = table.hand
            kinds = {choice.kind for choice in engine.legal_actions(hand).choices}
            kind = next(k for k in (ActionKind.BRING_IN, ActionKind.CHECK, ActionKind.CALL) if k in kinds)
            table = acted(table, kind, 0)
        assert table.changed_ms + NOW_MS + 30_000 == table.deadline_ms
        settled = dealer.show_down(table, NOW_MS + 10**9).table
        assert [60_000, 60_000] == [seat.time_bank_ms for seat in settled.seats]


class TestAutomaticDeals:
    SETTINGS = Settings(auto_deal=True, deal_pause_ms=4000)

    def test_a_table_deals_itself_a_pause_after_it_can(self):
        lonely = table_of(50, settings=self.SETTINGS)
        assert timetable.scheduled(lonely, NOW_MS).deal_ms is None
        ready = timetable.scheduled(table_of(50, 50, settings=self.SETTINGS), NOW_MS)
        assert (NOW_MS + 4000, NOW_MS + 4000) == (ready.deal_ms, ready.due_ms)

    def test_only_where_it_is_wanted(self):
        assert timetable.scheduled(table_of(50, 50), NOW_MS).deal_ms is None

    def test_whoever_comes_and_goes_does_not_put_it_off(self):
        table = timetable.scheduled(table_of(50, 50, settings=self.SETTINGS), NOW_MS)
        for number in range(10):
            joined = seating.take_seat(table, "restless", 0, 50)
            table = timetable.scheduled(joined.table, NOW_MS + 100 * number)
            assert NOW_MS + 4000 == table.deal_ms
            table = timetable.scheduled(seating.leave(table, joined.seating).table, NOW_MS + 100 * number + 50)
        assert NOW_MS + 4000 == table.deal_ms

    def test_with_too_few_left_nothing_is_due_until_somebody_comes(self):
        table = timetable.scheduled(table_of(50, 50, settings=self.SETTINGS), NOW_MS)
        alone = timetable.scheduled(seating.leave(table, table.seating(2)).table, NOW_MS + 1000)
        assert alone.due_ms is None
        again = timetable.scheduled(seating.take_seat(alone, "late", 0, 50).table, NOW_MS + 2000)
        assert NOW_MS + 6000 == again.deal_ms

    def test_who_sits_out_or_has_no_chips_does_not_count(self):
        table = table_of(50, 50, settings=self.SETTINGS)
        for change in ({"sitting_out": True}, {"stack": 0}):
            fewer = table.seated(replace(table.seating(2), **change))
            assert timetable.scheduled(fewer, NOW_MS).deal_ms is None

    def test_not_while_a_hand_is_played_and_not_after_the_last_pot(self):
        table = timetable.scheduled(table_of(50, 50, settings=self.SETTINGS, session_pots=1), NOW_MS)
        playing = timetable.scheduled(dealt(table), NOW_MS)
        assert (None, playing.deadline_ms) == (playing.deal_ms, playing.due_ms)
        over = folded(playing, 0)
        assert over.session_over
        assert timetable.scheduled(over, NOW_MS).deal_ms is None


class TestWhatIsDue:
    def test_between_hands_the_earlier_of_the_next_deal_and_the_end(self):
        table = table_of(50, 50)
        assert table.due_ms is None
        assert 7 == replace(table, idle_ms=7).due_ms
        assert 7 == replace(table, deal_ms=7).due_ms
        assert 7 == replace(table, deal_ms=9, idle_ms=7).due_ms == replace(table, deal_ms=7, idle_ms=9).due_ms

    def test_a_running_hand_is_played_to_its_end_first(self):
        table = replace(dealt(table_of(50, 50)), idle_ms=7)
        assert table.deadline_ms == table.due_ms

    def test_a_next_deal_during_a_hand_is_impossible(self):
        assert ["the next hand is to be dealt while one is being played, or the table is paused"] == replace(
            dealt(table_of(50, 50)), deal_ms=7
        ).broken()
