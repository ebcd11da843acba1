"""What running out of time plays (rules, section 8), and what follows from it at the table."""

import random
from collections.abc import Iterator

import pytest
from msgspec.structs import replace

import engine
from engine import PROFILES, Action, ActionKind
from engine.cards import DECK_SIZE
from engine.events import (
    BringInPosted,
    CardExposed,
    CardRolled,
    Checked,
    Folded,
    HandEnded,
    HandShown,
    HandStarted,
    PurchaseDeclined,
    PurchaseMade,
)
from engine.knobs import BonusDecline, Exhaustion, FixedLimit
from engine.state import Phase
from service import dealer, seating
from service.errors import Reason, ServiceError
from service.named_game import NamedGame
from service.table import Settings, Table
from service.table_events import ActionTimedOut, CarrySplit, HandVoided, SatOut, SeatLeft, TableDeleted
from tests.engine.play import stacked_deck

NOW_MS = 1_900_000_000_000


def table_of(profile: str, *stacks: int, settings: Settings | None = None, **knobs: object) -> Table:
    rules = PROFILES[profile].replace(**knobs)
    table = Table("t", "acme", profile, rules, settings or Settings(sit_out_after=0), 1, "1-x", 0, 0)
    for number, stack in enumerate(stacks, start=1):
        table = seating.take_seat(table, f"player{number}", 0, stack).table
    return table


def shuffled(seed: int):
    chance = random.Random(seed)
    return lambda: tuple(chance.sample(range(DECK_SIZE), DECK_SIZE))


def dealt(table: Table, hands: dict[int, str], button: int = 0, **options: str) -> Table:
    """Deal a hand in which the cards fall as told, ``button`` being the dealer's seat."""
    deck = stacked_deck(table.rules, hands, button or max(hands), **options)
    return dealer.deal(table, lambda: deck, NOW_MS).table


def expire(table: Table, after_ms: int = 0):
    """Let the time of the table run out, some milliseconds ago."""
    return dealer.expire(table, shuffled(1), table.due_ms + after_ms)


def act(table: Table, kind: ActionKind, amount: int = 0) -> Table:
    return dealer.act(table, table.seating(table.hand.actor), Action(kind, amount), table.deadline_ms - 1).table


def lawful(table: Table) -> None:
    assert [] == table.broken()
    assert table.hand is None or [] == engine.broken(table.hand)


DOORS = {1: "(As Kd) 9c", 2: "(Qs Qh) 7d", 3: "(Js Jh) 2d"}


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


def reach(profile: str, phase: Phase, wanted=lambda hand: True) -> Table:
    """Return a table where a hand of a game waits for something, after random actions that fold rarely."""
    for table in _played_at_random(profile):
        if table.hand.phase == phase and wanted(table.hand):
            return table
    raise AssertionError(f"{profile} never came to {phase}")


def _played_at_random(profile: str) -> Iterator[Table]:
    for seed in range(500):
        chance = random.Random(seed)
        table = dealer.deal(table_of(profile, 90, 90, 90, 90), shuffled(seed), NOW_MS).table
        while table.playing:
            yield table
            if table.showdown_due:
                break
            choices = engine.legal_actions(table.hand).choices
            calm = [choice for choice in choices if choice.kind != ActionKind.FOLD] or choices
            choice = chance.choice(calm)
            table = act(table, choice.kind, choice.min if choice.kind in ActionKind and choice.min else 0)


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


def act_mildly(table: Table) -> Table:
    """Check where that is possible, else call."""
    kinds = {choice.kind for choice in engine.legal_actions(table.hand).choices}
    return act(table, ActionKind.CHECK if ActionKind.CHECK in kinds else ActionKind.CALL)


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


def rained(*stacks: int, **knobs: object) -> Table:
    """Return a table whose first hand was rained out by a door card: the antes lie in the middle."""
    for seed in range(1000):
        table = table_of("rainy-day-baseball", *stacks, **knobs)
        table = dealer.deal(table, shuffled(seed), NOW_MS).table
        if table.carry:
            return table
    raise AssertionError("no rain")


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
