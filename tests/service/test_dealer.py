"""What the dealer starts, plays on and records, and what happens between hands."""

import pytest
from msgspec.structs import replace

import engine
from engine import Action, ActionKind
from engine.events import (
    HandStarted,
)
from engine.knobs import Exhaustion
from service import dealer, seating
from service.errors import Reason, ServiceError
from service.named_game import NamedGame
from service.table_events import CarrySplit, HandVoided, SeatLeft, TableDeleted
from tests.service.dealer_tables import DOORS, NOW_MS, act, dealt, expire, lawful, rained, shuffled, table_of


class TestDealing:
    def test_one_hand_at_a_time(self):
        table = dealt(table_of("baseball", 50, 50, 50), DOORS)
        with pytest.raises(ServiceError) as refusal:
            dealer.deal(table, shuffled(1), NOW_MS)
        assert (Reason.HAND_IN_PROGRESS, {"hand_number": "1"}) == (refusal.value.reason, refusal.value.metadata)

    @pytest.mark.parametrize("exhaustion", Exhaustion)
    def test_recycled_cards_come_in_an_order_of_their_own(self, exhaustion):
        """So that nobody knows it who has seen the first one; where none are recycled nothing is shuffled for it."""
        table = table_of("seven-card-stud", 50, 50, exhaustion=exhaustion)
        decks = shuffled(3)
        first, second = (bytes(decks()) for _ in range(2))
        change = dealer.deal(table, shuffled(3), NOW_MS)
        spare = second if exhaustion == Exhaustion.RECYCLE_FOLDED else b""
        assert (first, spare) == (change.shuffled.deck, change.shuffled.spare)
        assert tuple(spare) == change.table.hand.spare


class TestTurns:
    def test_nobody_acts_for_another_seat_and_whoever_tries_learns_what_is_public(self):
        """Seat 1 may claim a bonus card for a four in the hole: that nobody else may know."""
        table = dealt(table_of("baseball-match-pot-hole-fours", 50, 50), {1: "(4s Kd) 9c", 2: "(Qs Qh) 7d"})
        assert engine.legal_actions(table.hand).find(ActionKind.CLAIM)
        with pytest.raises(ServiceError) as refusal:
            dealer.act(table, table.seating(2), Action(ActionKind.DECLINE), NOW_MS)
        assert Reason.NOT_YOUR_TURN == refusal.value.reason
        assert "decline" in str(refusal.value.metadata)
        assert "claim" not in f"{refusal.value} {refusal.value.metadata}"

    def test_no_showdown_before_the_betting_is_over(self):
        table = dealt(table_of("seven-card-stud", 50, 50, 50), DOORS)
        with pytest.raises(ServiceError) as refusal:
            dealer.show_down(table, NOW_MS)
        assert (Reason.SHOWDOWN_NOT_DUE, {"to_act_seat": "3"}) == (refusal.value.reason, refusal.value.metadata)

    def test_players_who_have_left_all_in_are_never_waited_for(self):
        """Seats 1 and 2 are all-in from the ante; both would be asked for claims, one after the other."""
        table = dealt(
            table_of("baseball-match-pot-hole-fours", 1, 1, 50, 50), dict.fromkeys((1, 2, 3, 4), "(-- --) --")
        )
        assert 1 == table.hand.actor
        for seat in (1, 2):
            change = dealer.leave_hand(table, table.seating(seat), NOW_MS)
            table = change.table
        assert 3 == table.hand.actor
        while table.playing and not table.showdown_due:
            assert table.hand.actor in (3, 4)
            table = act(table, engine.default_action(table.hand).kind)
        lawful(table)


class TestRecords:
    @pytest.mark.parametrize("named", [None, NamedGame("baseball"), NamedGame(knobs={"ante": 2})])
    def test_a_game_that_is_not_the_tables_own_is_recorded_with_its_rules(self, named):
        table = table_of("seven-card-stud", 50, 50, dealers_choice=True)
        table = dealer.deal(table, shuffled(4), NOW_MS, named).table
        rules = table.hand.rules
        change = dealer.leave_hand(table, table.seating(1), NOW_MS + 5)
        record = change.finished
        assert (None if named is None else rules) == record.rules
        assert (1, NOW_MS, NOW_MS + 5, False, False) == (
            record.number,
            record.started_ms,
            record.ended_ms,
            record.showdown,
            record.rained,
        )
        assert ((2,), sum(award.amount for award in change.table.hand.awards)) == (record.winners, record.pot)


class TestBetweenHands:
    def test_the_next_hand_is_dealt_at_its_time(self):
        table = replace(table_of("baseball", 50, 50), deal_ms=NOW_MS)
        assert dealer.expire(table, shuffled(7), NOW_MS - 1) is None
        change = dealer.expire(table, shuffled(7), NOW_MS)
        assert isinstance(change.events[0], HandStarted)
        assert (1, True) == (change.table.hand_number, change.table.playing)

    def test_a_table_that_nobody_touches_pays_everybody_out(self):
        table = replace(table_of("baseball", 50, 30), deal_ms=NOW_MS - 1, idle_ms=NOW_MS)
        change = dealer.expire(table, shuffled(8), NOW_MS)
        assert (SeatLeft(1, "player1", 50), SeatLeft(2, "player2", 30), TableDeleted()) == change.events
        assert change.deleted
        assert (0, 80, 80, ()) == (
            change.table.chips,
            change.table.brought,
            change.table.taken,
            change.table.seats,
        )
        lawful(change.table)

    def test_a_hand_that_stands_still_does_not_keep_it(self):
        """No clock runs at a paused table, so that nobody is played for: the hand is void."""
        table = dealer.deal(table_of("baseball", 50, 30), shuffled(9), NOW_MS).table
        table = replace(dealer.pause(table, NOW_MS).table, idle_ms=NOW_MS + 9)
        change = dealer.expire(table, shuffled(9), NOW_MS + 9)
        assert (HandVoided, True) == (type(change.events[0]), change.deleted)
        assert [50, 30] == [event.stack for event in change.events if isinstance(event, SeatLeft)]

    def test_an_empty_one_just_goes(self):
        change = dealer.expire(replace(table_of("baseball"), idle_ms=NOW_MS), shuffled(8), NOW_MS)
        assert ((TableDeleted(),), True) == (change.events, change.deleted)

    def test_debts_are_taken_along(self):
        table = table_of("baseball", 50, 50)
        table = replace(table, rules=table.rules.replace(stakes="credit"))
        table = table.seated(replace(table.seating(1), stack=-20)).seated(replace(table.seating(2), stack=120))
        change = dealer.expire(replace(table, idle_ms=NOW_MS), shuffled(8), NOW_MS)
        assert (SeatLeft(1, "player1", -20), SeatLeft(2, "player2", 120), TableDeleted()) == change.events
        lawful(change.table)

    def test_a_hand_that_is_running_ends_first(self):
        table = replace(dealer.deal(table_of("baseball", 50, 50), shuffled(9), NOW_MS).table, idle_ms=NOW_MS - 1)
        assert dealer.expire(table, shuffled(9), NOW_MS) is None
        while table.playing:
            table = expire(table).table
        assert NOW_MS - 1 == table.due_ms
        assert TableDeleted() == expire(table).events[-1]

    def test_a_carried_pot_goes_to_those_it_belongs_to(self):
        table = rained(20, 30, ante=3)
        change = dealer.expire(replace(table, idle_ms=NOW_MS), shuffled(8), NOW_MS)
        assert CarrySplit(6, ((1, 3), (2, 3))) == change.events[0]
        assert (SeatLeft(1, "player1", 20), SeatLeft(2, "player2", 30)) == change.events[1:-1]
        lawful(change.table)

    def test_a_carried_pot_of_players_who_have_all_left_goes_to_those_who_would_have_played_for_it(self):
        table = rained(20, 30, ante=3)
        for name in ("late", "later"):
            table = seating.take_seat(table, name, 0, 40).table
        for seat in (1, 2):
            table = seating.leave(table, table.seating(seat)).table
        assert 6 == table.carry
        left = seating.leave(table, table.seating(3))
        assert CarrySplit(6, ((3, 3), (4, 3))) == left.events[0]
        assert 43 == left.seating.stack
        lawful(left.table)
