"""Dealer's choice at a table: named games, and what rain makes of them."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import engine
from engine import Violation
from engine.knobs import FixedLimit
from service import seating
from service.errors import Reason, ServiceError
from service.named_game import NamedGame
from service.table import Table
from service.table_events import GameNamed
from tests.engine.test_knob_pairs import VALUES
from tests.service.table_values import CHOICE, deal, fields, folded_out, refusal, table_of


class TestDealersChoice:
    def test_who_names_nothing_plays_the_tables_own_game(self):
        change = deal(table_of(50, 50, **CHOICE))
        assert change.table.rules == change.table.hand.rules
        assert "baseball" == change.table.hand_profile
        assert not [event for event in change.events if isinstance(event, GameNamed)]

    def test_a_named_game_is_played_and_told_before_the_hand_begins(self):
        change = deal(table_of(50, 50, **CHOICE), NamedGame("football"))
        assert ("football", ("6",)) == (change.table.hand_profile, change.table.hand.rules.wild_ranks)
        assert GameNamed("football", rules_changed=False) == change.events[0]
        assert ("baseball", ("3", "9")) == (change.table.profile, change.table.rules.wild_ranks)

    def test_the_next_hand_is_the_tables_own_again(self):
        table = folded_out(deal(table_of(50, 50, **CHOICE), NamedGame("football")).table)
        assert 1 == table.pots_played
        after = deal(table).table
        assert ("baseball", table.rules) == (after.hand_profile, after.hand.rules)

    def test_rules_may_be_replaced(self):
        own = deal(table_of(50, 50, **CHOICE), NamedGame(knobs={"ante": 2}))
        assert ("baseball", 2, GameNamed("baseball", rules_changed=True)) == (
            own.table.hand_profile,
            own.table.hand.rules.ante,
            own.events[0],
        )
        other = deal(table_of(50, 50, **CHOICE), NamedGame("football", {"wild_ranks": ("7",)}))
        assert (("7",), GameNamed("football", rules_changed=True)) == (
            other.table.hand.rules.wild_ranks,
            other.events[0],
        )

    def test_a_game_that_is_only_possible_with_rules_replaced(self):
        table = table_of(50, 50, **CHOICE)
        error = refusal(deal, table, NamedGame("baseball-home"))
        assert (Reason.RULES_CONTRADICTORY, {"rules.odd_unit", "rules.minor_units"}) == (error.reason, fields(error))
        change = deal(table, NamedGame("baseball-home", {"odd_unit": "first_left_of_dealer"}))
        assert (1, GameNamed("baseball-home", rules_changed=True)) == (change.table.hand.rules.ante, change.events[0])

    def test_everything_that_is_wrong_is_named_together(self):
        named = NamedGame("football", {"bring_in": 9, "minor_units": 5}, (Violation("burn", "99", "must be one of"),))
        error = refusal(deal, table_of(50, 50, **CHOICE), named)
        assert {"rules.burn", "rules.bring_in", "rules.minor_units"} == fields(error)
        unreadable = NamedGame("football", {}, (Violation("burn", "99", "must be one of"),))
        assert {"rules.burn"} == fields(refusal(deal, table_of(50, 50, **CHOICE), unreadable))

    def test_without_dealers_choice(self):
        assert Reason.DEALERS_CHOICE_OFF == refusal(deal, table_of(50, 50), NamedGame("football")).reason

    def test_only_the_dealer_or_the_operator_names_the_game(self):
        table = table_of(50, 50, 50, **CHOICE)
        for seat in (1, 2):
            error = refusal(deal, table, NamedGame("football", seat=seat))
            assert (Reason.NOT_THE_DEALER, {"button_seat": "3"}) == (error.reason, error.metadata)
        assert "football" == deal(table, NamedGame("football", seat=3)).table.hand_profile
        assert "football" == deal(table, NamedGame("football", seat=0)).table.hand_profile

    def test_a_player_may_not_name_an_ante_that_ruins_the_table(self):
        table = table_of(0, 0, 0, profile="baseball-home", **CHOICE)
        for ante in (8401 * 840, 10**15 // 840 * 840):
            error = refusal(deal, table, NamedGame(knobs={"ante": ante}, seat=3))
            assert (Reason.RULES_CONTRADICTORY, {"rules.ante"}) == (error.reason, fields(error))
            assert "10 times the table's largest amount, 840" in error.message
        assert 8400 == deal(table, NamedGame(knobs={"ante": 8400}, seat=3)).table.hand.rules.ante

    def test_an_operator_names_any_amount(self):
        table = table_of(5000, 5000, **CHOICE)
        assert 400 == deal(table, NamedGame(knobs={"ante": 400}, seat=0)).table.hand.rules.ante

    def test_the_game_must_have_room(self):
        six = table_of(*[50] * 6, **CHOICE)
        error = refusal(deal, six, NamedGame("blind-baseball"))
        assert (Reason.RULES_CONTRADICTORY, {"rules.max_players"}) == (error.reason, fields(error))
        five = seating.sit_out(six, six.seats[0]).table
        dealt = deal(five, NamedGame("blind-baseball")).table
        assert [2, 3, 4, 5, 6] == sorted(player.seat for player in dealt.hand.players)
        assert [] == dealt.broken() + engine.broken(dealt.hand)

    def test_a_game_for_more_players_than_there_are(self):
        error = refusal(deal, table_of(50, 50, **CHOICE), NamedGame(knobs={"min_players": 3}))
        assert (Reason.NOT_ENOUGH_PLAYERS, {"players": "2", "needed": "3"}) == (error.reason, error.metadata)
        assert Reason.NOT_ENOUGH_PLAYERS == refusal(deal, table_of(**CHOICE), NamedGame("football")).reason

    def test_the_session_counts_hands_of_every_game(self):
        table = table_of(500, 500, session_pots=3, **CHOICE)
        for profile in ("football", "seven-card-stud-hi-lo", ""):
            table = folded_out(deal(table, NamedGame(profile)).table)
        assert (3, True) == (table.pots_played, table.session_over)
        assert Reason.SESSION_OVER == refusal(deal, table, NamedGame("football")).reason

    def test_amounts_are_chips_of_the_table(self):
        table = table_of(5000, 5000, profile="baseball-home", **CHOICE)
        hand = deal(table, NamedGame("seven-card-stud")).table.hand
        assert (840, 840, FixedLimit(1680, 3360), True) == (
            hand.rules.ante,
            hand.rules.bring_in,
            hand.rules.structure,
            hand.rules.credit,
        )

    @pytest.mark.parametrize("profile", engine.PROFILES)
    @pytest.mark.parametrize("own", ["baseball", "baseball-home"])
    def test_every_game_is_played_to_its_end_for_these_stakes(self, own, profile):
        table = table_of(*[4000] * 5, profile=own, **CHOICE)
        knobs = {} if own == "baseball-home" else {"odd_unit": "first_left_of_dealer"}
        after = folded_out(deal(table, NamedGame(profile, knobs)).table)
        assert [] == after.broken() + engine.broken(after.hand)
        assert 20_000 == after.chips


class TestRedeal:
    def rained(self, *stacks: int, named: NamedGame | None = None, **knobs) -> Table:
        """Return a table whose named hand was rained out with every stack as it was."""
        return self.rained_from(table_of(*stacks, **CHOICE, **knobs), named or NamedGame("rainy-day-baseball"))

    def rained_from(self, table: Table, named: NamedGame) -> Table:
        table = deal(table, named).table
        while not table.redeal:
            if not table.playing:
                table = deal(table, named).table
            players = tuple(replace(player, collected=0, bet=0) for player in table.hand.players)
            carry = table.hand.chips - sum(player.stack for player in players)
            over = replace(
                table.hand, phase="finished", actor=0, offer=None, triggers=(), players=players, dead_money=(),
                rained=True, carry=carry,
            )  # fmt: skip
            table = replace(table, deadline_ms=None)
            table = seating.settle(table, over)[0]
        return table

    def test_the_same_dealer_deals_the_same_game(self):
        table = self.rained(50, 50, 50)
        after = deal(table).table
        assert (table.button, "rainy-day-baseball", table.hand.rules) == (
            after.button,
            after.hand_profile,
            after.hand.rules,
        )
        assert table.carry + 3 == after.hand.chips - sum(player.stack for player in after.hand.players)

    def test_a_player_may_name_again_what_only_an_operator_could_name_first(self):
        knobs = {"ante": 41}
        table = self.rained(500, 500, 500, named=NamedGame("rainy-day-baseball", knobs))
        after = deal(table, NamedGame("rainy-day-baseball", knobs, seat=table.button)).table
        assert 41 == after.hand.rules.ante

    def test_naming_another_game_is_refused_and_naming_the_same_is_not(self):
        table = self.rained(50, 50, 50)
        for named in (NamedGame("football"), NamedGame(), NamedGame("rainy-day-baseball", {"ante": 2})):
            error = refusal(deal, table, named)
            assert (Reason.REDEAL_KEEPS_GAME, {"profile": "rainy-day-baseball"}) == (error.reason, error.metadata)
        assert table.hand.rules == deal(table, NamedGame("rainy-day-baseball")).table.hand.rules

    def test_a_newcomer_waits_where_the_game_has_no_room(self):
        rain = NamedGame("blind-baseball", {"rain_card": "Qs"})
        table = self.rained(50, 50, 50, 50, 50, named=rain)
        table = seating.leave(table, table.seating(1)).table
        for player in ("new1", "new2"):
            table = seating.take_seat(table, player, 0, 50).table
        assert [1, 2, 3, 4, 5, 6] == [each.seat for each in table.seats]
        after = deal(table).table
        assert [1, 2, 3, 4, 5] == sorted(player.seat for player in after.hand.players)

    def test_the_dealer_may_have_left_a_game_that_has_no_room_for_newcomers(self):
        """The button falls back to a seat that is dealt in, not to the newcomer's beyond it."""
        table = table_of(*[50] * 7, **CHOICE)
        for seat in (5, 6):
            table = seating.leave(table, table.seating(seat)).table
        knobs = {"max_players": 5}
        table = self.rained_from(table, NamedGame("rainy-day-baseball", knobs))
        assert 7 == table.button
        table = seating.leave(table, table.seating(7)).table
        for seat in (5, 6):
            table = seating.take_seat(table, f"new{seat}", seat, 50).table
        for named in (None, NamedGame("rainy-day-baseball", knobs)):
            after = deal(table, named).table
            assert (5, [1, 2, 3, 4, 5]) == (after.button, sorted(player.seat for player in after.hand.players))
            assert [] == after.broken() + engine.broken(after.hand)

    def test_after_the_pot_was_split_the_table_plays_its_own_game_again(self):
        """Else a game for many would keep the few who are left from playing anything."""
        table = self.rained(50, 50, 50, named=NamedGame("rainy-day-baseball", {"min_players": 3}))
        assert 3 == table.next_rules.min_players
        table = seating.leave(table, table.seating(1)).table
        assert (0, 3, 2) == (table.carry, table.button, table.next_rules.min_players)
        after = deal(table).table
        assert ("baseball", 3) == (after.hand_profile, after.button)
        assert "football" == deal(table, NamedGame("football")).table.hand_profile

    def test_the_dealer_may_have_left(self):
        table = self.rained(50, 50, 50)
        assert 3 == table.button
        after = deal(seating.leave(table, table.seating(3)).table).table
        assert [1, 2] == sorted(player.seat for player in after.hand.players)
        assert [] == after.broken()


@given(st.integers(0, 10**9))
@settings(max_examples=150, deadline=None)
def test_whatever_is_named_is_played_or_refused(seed):
    """Any game with any knobs at any table: a hand begins that is whole, or everything stays as it was."""
    rng = random.Random(seed)
    own = rng.choice(("baseball", "baseball-home", "seven-card-stud"))
    table = table_of(*[4000] * rng.randint(2, 6), profile=own, **CHOICE)
    knobs: dict[str, object] = {}
    for knob in rng.sample(sorted(VALUES), rng.randint(0, 3)):
        value, needed = rng.choice(VALUES[knob])
        knobs |= {**needed, knob: value}
    named = NamedGame(rng.choice(("", *engine.PROFILES)), knobs)
    refused = None
    try:
        dealt = deal(table, named).table
    except ServiceError as error:
        refused = error
    if refused is not None:
        assert refused.reason in (Reason.RULES_CONTRADICTORY, Reason.NOT_ENOUGH_PLAYERS)
        assert refused.fields or refused.reason == Reason.NOT_ENOUGH_PLAYERS
        return
    after = folded_out(dealt) if dealt.playing else dealt
    for each in (dealt, after):
        assert [] == each.broken() + engine.broken(each.hand)
    assert (table.rules.stakes, table.rules.minor_units) == (dealt.hand.rules.stakes, dealt.hand.rules.minor_units)
