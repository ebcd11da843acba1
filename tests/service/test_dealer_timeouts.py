"""What running out of time plays (rules, section 8), and what follows from it at the table."""

import random

import pytest

import engine
from engine import PROFILES, Action, ActionKind
from engine.events import (
    BringInPosted,
    CardExposed,
    CardRolled,
    Checked,
    Folded,
    HandEnded,
    HandShown,
    PurchaseDeclined,
    PurchaseMade,
)
from engine.knobs import BonusDecline, FixedLimit
from engine.state import Phase
from service import dealer
from service.errors import Reason, ServiceError
from service.table import Settings, Table
from service.table_events import ActionTimedOut, SatOut
from tests.service.dealer_tables import (
    DOORS,
    NOW_MS,
    act,
    act_mildly,
    dealt,
    expire,
    lawful,
    reach,
    shuffled,
    table_of,
)


class TestEachTimeLimit:
    def test_nothing_is_due_before_the_deadline(self):
        table = dealt(table_of("seven-card-stud", 50, 50, 50), DOORS)
        assert dealer.expire(table, shuffled(1), table.deadline_ms - 1) is None
        assert dealer.expire(table, shuffled(1), table.deadline_ms) is not None

    def test_the_first_action_of_the_first_hand_posts_the_bring_in(self):
        table = dealt(table_of("seven-card-stud", 50, 50, 50), DOORS)
        change = expire(table)
        assert [ActionTimedOut(3), BringInPosted] == [change.events[0], type(change.events[1])]
        assert table.rules.bring_in == change.table.hand.player(3).bet
        assert 1 == change.table.hand.actor

    def test_a_substitute_opener_posts_it_too(self):
        """The low card is all in from the ante: the next player opens, and out of time with the bring-in."""
        table = table_of("seven-card-stud", 50, 50, 1, ante=1, bring_in=2, structure=FixedLimit(5, 10))
        table = dealt(table, DOORS)
        assert (1, Phase.BRING_IN) == (table.hand.actor, table.hand.phase)
        change = expire(table)
        assert [ActionTimedOut(1), BringInPosted] == [change.events[0], type(change.events[1])]
        assert 2 == change.table.hand.player(1).bet

    def test_who_faces_a_bet_folds(self):
        table = act(dealt(table_of("seven-card-stud", 50, 50, 50), DOORS), ActionKind.BRING_IN)
        change = expire(table)
        assert (ActionTimedOut(1), Folded(1)) == change.events[:2]
        assert 2 == change.table.hand.actor

    def test_who_owes_nothing_checks(self):
        hands = {1: "(As Kd) 9c 8c", 2: "(Qs Qh) 7d 6d", 3: "(Js Jh) 2d 5s"}
        table = act(dealt(table_of("seven-card-stud", 50, 50, 50), hands), ActionKind.BRING_IN)
        table = act(act(table, ActionKind.CALL), ActionKind.CALL)
        assert 1 == table.hand.actor
        assert (ActionTimedOut(1), Checked(1)) == expire(table).events[:2]

    def test_an_open_three_is_not_bought_and_the_player_folds_for_it(self):
        table = dealt(table_of("baseball-match-pot", 50, 50, 50), {1: "(As Kd) 3c", 2: "(Qs Qh) 7d", 3: "(Js Jh) 6d"})
        assert (Phase.PURCHASE, 1) == (table.hand.phase, table.hand.actor)
        change = expire(table)
        assert [ActionTimedOut, PurchaseDeclined, Folded] == [type(event) for event in change.events[:3]]
        assert 1 == change.events[0].seat == change.events[2].seat

    @pytest.mark.parametrize("folds", [True, False])
    def test_a_four_is_not_bought_whatever_that_means(self, folds):
        knob = BonusDecline.FOLD if folds else BonusDecline.NO_CARD
        table = table_of("baseball", 50, 50, 50, bonus_decline=knob)
        table = dealt(table, {1: "(As Kd) 4c", 2: "(Qs Qh) 7d", 3: "(Js Jh) 6d"})
        assert (Phase.PURCHASE, 1) == (table.hand.phase, table.hand.actor)
        change = expire(table)
        assert [ActionTimedOut(1), PurchaseDeclined] == [change.events[0], type(change.events[1])]
        player = change.table.hand.player(1)
        assert (folds, 3) == (player.folded, len(player.up + player.down))

    def test_a_showdown_is_held_and_nobody_ran_out_of_time(self):
        table = reach("seven-card-stud", Phase.SHOWDOWN)
        change = expire(table)
        assert ActionTimedOut not in map(type, change.events)
        assert isinstance(change.events[0], HandShown)
        assert isinstance(change.events[-1], HandEnded)
        assert (False, None, table.version + 1) == (
            change.table.playing,
            change.table.deadline_ms,
            change.table.settled_version,
        )

    def test_a_claim_is_not_made(self):
        table = reach("baseball-match-pot-hole-fours", Phase.CLAIM)
        change = expire(table)
        kinds = [type(event) for event in change.events]
        assert [ActionTimedOut, PurchaseDeclined] == kinds[:2]
        assert not {PurchaseMade, CardExposed} & set(kinds)
        assert change.table.hand.actor != table.hand.actor

    def test_a_card_that_could_be_replaced_is_kept(self):
        table = reach(
            "baseball-match-pot-replace-fours",
            Phase.PURCHASE,
            lambda hand: ActionKind.KEEP in {choice.kind for choice in engine.legal_actions(hand).choices},
        )
        actor, card = table.hand.actor, table.hand.offer.card
        change = expire(table)
        assert [ActionTimedOut(actor), PurchaseDeclined] == [change.events[0], type(change.events[1])]
        player = change.table.hand.player(actor)
        assert (True, False, False) == (card in player.up, card in player.dead, player.folded)

    def test_one_card_is_rolled(self):
        table = reach("night-baseball", Phase.ROLL)
        actor = table.hand.actor
        change = expire(table)
        assert [ActionTimedOut(actor), CardRolled] == [change.events[0], type(change.events[1])]
        rolled = len(table.hand.player(actor).unseen) - len(change.table.hand.player(actor).unseen)
        assert 1 == rolled

    @pytest.mark.parametrize("profile", PROFILES)
    def test_with_everybody_away_every_hand_comes_to_an_end(self, profile):
        """Nothing but expiries: each plays for the seat to act, starts the next turn's time and breaks nothing."""
        for seed in range(12):
            stacks = [60 * PROFILES[profile].minor_units] * min(4, PROFILES[profile].max_players)
            table = dealer.deal(table_of(profile, *stacks), shuffled(seed), NOW_MS).table
            for _ in range(300):
                if not table.playing:
                    break
                hand, late_ms = table.hand, seed
                change = expire(table, late_ms)
                if hand.phase != Phase.SHOWDOWN:
                    assert ActionTimedOut(hand.actor) == change.events[0]
                assert 1 >= sum(isinstance(event, ActionTimedOut) for event in change.events)
                if change.table.playing:
                    assert table.deadline_ms + late_ms + 30_000 == change.table.deadline_ms
                table = change.table
                lawful(table)
            assert not table.playing


class TestSittingOut:
    def playing(self, after: int, players: int = 2) -> Table:
        settings = Settings(sit_out_after=after, auto_deal=True)
        return dealer.deal(table_of("seven-card-stud", *[50] * players, settings=settings), shuffled(3), NOW_MS).table

    def test_after_so_many_timeouts_in_a_row(self):
        table = self.playing(after=2, players=3)
        actor = table.hand.actor
        change = expire(table)
        assert SatOut(actor) not in change.events
        assert (1, False) == (change.table.seating(actor).timeouts, change.table.seating(actor).sitting_out)
        table = change.table
        while table.hand.actor != actor:
            table = act_mildly(table)
        change = expire(table)
        assert [SatOut(actor)] == [event for event in change.events if isinstance(event, SatOut)]
        assert (2, True) == (change.table.seating(actor).timeouts, change.table.seating(actor).sitting_out)
        lawful(change.table)

    def test_an_action_of_ones_own_begins_the_count_anew(self):
        table = self.playing(after=2, players=3)
        actor = table.hand.actor
        table = expire(table).table
        for _ in range(4):
            while table.hand.actor != actor:
                table = act_mildly(table)
            table = act_mildly(table)
            assert (0, False) == (table.seating(actor).timeouts, table.seating(actor).sitting_out)

    def test_at_the_first_one_where_it_is_set_so(self):
        table = self.playing(after=1)
        assert SatOut(table.hand.actor) == expire(table).events[-1]

    def test_never(self):
        table = self.playing(after=0)
        for _ in range(50):
            if not table.playing:
                table = dealer.deal(table, shuffled(4), NOW_MS).table
            change = expire(table)
            assert SatOut not in map(type, change.events)
            table = change.table
        assert not any(seat.sitting_out for seat in table.seats)

    def test_only_once(self):
        table = self.playing(after=1, players=3)
        sat_out = []
        while table.playing:
            change = expire(table)
            sat_out += [event.seat for event in change.events if isinstance(event, SatOut)]
            table = change.table
        assert sorted(set(sat_out)) == sorted(sat_out)

    def test_who_sits_out_plays_the_hand_to_its_end_and_is_not_dealt_into_the_next(self):
        table = self.playing(after=1, players=3)
        actor = table.hand.actor
        table = expire(table).table
        assert table.in_hand(actor)
        while table.playing:
            if table.showdown_due or table.hand.actor == actor:
                table = expire(table).table
            else:
                table = act_mildly(table)
        table = dealer.deal(table, shuffled(5), NOW_MS).table
        assert not table.in_hand(actor)

    def test_a_player_who_went_away_for_good_costs_a_table_of_two_no_further_hand(self):
        table = self.playing(after=1)
        while table.playing:
            table = expire(table).table
        with pytest.raises(ServiceError) as refusal:
            dealer.deal(table, shuffled(6), NOW_MS)
        assert Reason.NOT_ENOUGH_PLAYERS == refusal.value.reason


@pytest.mark.parametrize("profile", ["baseball", "baseball-home", "night-baseball", "rainy-day-baseball"])
def test_clocks_whatever_players_do(profile):
    """Actions at any moment of a turn, timeouts and leavers: banks only shrink, and every turn has the whole time."""
    settings = Settings(action_time_ms=10_000, time_bank_ms=30_000, sit_out_after=3)
    played = set()
    for seed in range(40):
        chance = random.Random(seed)
        table = dealer.deal(table_of(profile, *[80] * 5, settings=settings), shuffled(seed), NOW_MS).table
        now_ms = NOW_MS
        while table.playing:
            before, actor = {seat.number: seat.time_bank_ms for seat in table.seats}, table.hand.actor
            now_ms = chance.randint(now_ms, table.deadline_ms)
            staying = [seat for seat in table.seats if not seat.leaving]
            if chance.random() < 0.06 and len(staying) > 1:
                change = dealer.leave_hand(table, chance.choice(staying), now_ms)
                played.add("leave")
            elif chance.random() < 0.3 or table.showdown_due:
                now_ms = table.deadline_ms
                change = dealer.expire(table, shuffled(seed), now_ms)
                played.add("expire")
                assert table.showdown_due or actor not in [
                    seat.seat for seat in change.table.seats if seat.time_bank_ms
                ]
            else:
                choice = chance.choice(engine.legal_actions(table.hand).choices)
                change = dealer.act(table, table.seating(actor), Action(choice.kind, choice.min), now_ms)
                played.add("act")
            same_turn = change.table.deadline_ms == table.deadline_ms
            table = change.table
            lawful(table)
            assert all(0 <= seat.time_bank_ms <= before[seat.number] for seat in table.seats)
            if table.playing and not same_turn:
                thinking = None if table.showdown_due else table.seating(table.hand.actor)
                bank_ms = thinking.time_bank_ms if thinking is not None else 0
                assert now_ms + 10_000 + bank_ms == table.deadline_ms
    assert {"leave", "expire", "act"} == played
