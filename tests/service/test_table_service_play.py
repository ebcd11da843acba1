"""Hands, through the use cases."""

import asyncio
import random
import uuid

import pytest

import engine
from engine.cards import FULL_DECK, parse_card
from engine.events import HandEnded, HandStarted
from service.credentials import Anonymous, Operator
from service.errors import Reason, ServiceError
from service.named_game import NamedGame
from service.table import Settings
from service.table_events import GameNamed, SeatLeft, SessionEnded
from service.table_writer import Mutation
from tests.service.table_play import act, full_table, leave, play_out, random_act, refused, showdown


class TestDeal:
    async def test_the_first_hand_is_dealt_from_the_lowest_seat_and_the_button_moves_left(self, house):
        table, _ = await full_table(house)
        rng = random.Random(1)
        buttons = []
        for _ in range(4):
            started = next(event for event in (await house.deal(table)).events if isinstance(event, HandStarted))
            buttons.append(started.button)
            await play_out(house, table, rng)
        assert [3, 1, 2, 3] == buttons

    async def test_one_hand_at_a_time_even_when_dealt_twenty_times_at_once(self, house):
        table, _ = await full_table(house)
        outcomes = await asyncio.gather(*(house.deal(table) for _ in range(20)), return_exceptions=True)
        refusals = [outcome for outcome in outcomes if isinstance(outcome, ServiceError)]
        assert {Reason.HAND_IN_PROGRESS} == {refusal.reason for refusal in refusals}
        assert 19 == len(refusals)
        assert 1 == (await house.get(table)).hand_number

    async def test_too_few_players(self, house):
        table, _ = await full_table(house, players=1)
        with refused(Reason.NOT_ENOUGH_PLAYERS, players=1, needed=2):
            await house.deal(table)
        assert 2 == (await house.get(table)).version

    async def test_a_session_ends_after_its_pots(self, house):
        table, _ = await full_table(house, players=2, session_pots=1)
        await house.deal(table)
        reply = await play_out(house, table, random.Random(2))
        assert SessionEnded(1) == reply.events[-1]
        with refused(Reason.SESSION_OVER, pots=1):
            await house.deal(table)
        with refused(Reason.SESSION_OVER):
            await house.seat(table, "late")

    async def test_dealers_choice_is_off(self, house):
        table, _ = await full_table(house)
        with refused(Reason.DEALERS_CHOICE_OFF):
            await house.tables.deal(
                house.operator, Mutation("Deal", table.table_id), named=NamedGame("football"), view_as=0
            )

    async def test_the_dealer_of_the_next_hand_names_its_game(self, house):
        table, callers = await full_table(house, dealers_choice=True)
        mutation = Mutation("Deal", table.table_id)
        for caller in callers[:2]:
            with refused(Reason.NOT_THE_DEALER, button_seat=3):
                await house.tables.deal(caller, mutation, named=NamedGame("football"), view_as=0)
        reply = await house.tables.deal(callers[2], mutation, named=NamedGame("football"), view_as=0)
        assert [GameNamed, HandStarted] == [type(event) for event in reply.events[:2]]
        assert "football" == reply.table.hand_profile
        await play_out(house, table, random.Random(1))
        assert "baseball" == (await house.tables.deal(callers[1], mutation, view_as=0)).table.hand_profile
        await play_out(house, table, random.Random(1))
        reply = await house.tables.deal(house.operator, mutation, named=NamedGame("woolworth"), view_as=0)
        assert ("5", "T") == reply.table.hand.rules.wild_ranks

    async def test_a_deal_with_a_game_is_repeated_although_the_game_would_be_refused_now(self, house):
        table, _ = await full_table(house, players=5, dealers_choice=True)
        mutation = Mutation("Deal", table.table_id, str(uuid.uuid4()))
        named = NamedGame("blind-baseball")
        first = await house.tables.deal(house.operator, mutation, named=named, view_as=0)
        await play_out(house, table, random.Random(1))
        await house.seat(table, "sixth")
        with refused(Reason.RULES_CONTRADICTORY):
            await house.tables.deal(house.operator, Mutation("Deal", table.table_id), named=named, view_as=0)
        again = await house.tables.deal(house.operator, mutation, named=named, view_as=0)
        assert (first.version, first.events) == (again.version, again.events)

    async def test_a_seated_player_may_deal_and_a_stranger_may_not(self, house):
        table, (first, *_) = await full_table(house)
        other, (stranger, *_) = await full_table(house)
        mutation = Mutation("Deal", table.table_id)
        options = {"view_as": 0}
        with refused(Reason.CREDENTIALS_MISSING):
            await house.tables.deal(Anonymous(), mutation, **options)
        with refused(Reason.NOT_YOUR_TABLE, table_id=other.table_id):
            await house.tables.deal(stranger, mutation, **options)
        with refused(Reason.TABLE_NOT_FOUND, table_id=table.table_id):
            await house.tables.deal(Operator("another", "another"), mutation, **options)
        assert (await house.tables.deal(first, mutation, **options)).table.playing

    async def test_after_rain_the_next_hand_is_dealt_though_the_dealer_beyond_all_others_has_left(self, house, shuffle):
        table, callers = await full_table(house, 3, rain_card="Qs", rain_ante=True, rain_returns=True)
        rain = parse_card("Qs")
        cards = [card for card in FULL_DECK if card != rain]
        shuffle.decks.append((*cards[:6], rain, *cards[6:]))  # two down cards each, then the first door card
        rained = (await house.deal(table)).table
        assert (True, 3) == (rained.hand.rained, rained.button)
        await leave(house, table, callers[2])
        dealt = (await house.deal(table)).table
        assert [1, 2] == [player.seat for player in dealt.hand.players]
        assert rained.carry == sum(amount for _, amount in dealt.hand.dead_money)


class TestAct:
    async def test_out_of_turn(self, house):
        table, callers = await full_table(house)
        dealt = (await house.deal(table)).table
        other = next(caller for caller in callers if caller.seat != dealt.hand.actor)
        with refused(Reason.NOT_YOUR_TURN, to_act_seat=dealt.hand.actor):
            await act(house, table, "fold", caller=other)
        assert dealt.version == (await house.get(table)).version

    async def test_an_illegal_action_names_the_legal_ones(self, house):
        table, _ = await full_table(house, bonus_rank=None, bonus_price=None, bonus_face=None,
                                    bonus_decline=None, bonus_mode=None, bonus_streets=None)  # fmt: skip
        dealt = (await house.deal(table)).table
        for kind, amount in (("check", 0), ("raise", 2**63 - 1), ("complete", -1), ("complete", 3), ("fold", 0)):
            with refused(Reason.ILLEGAL_ACTION, legal="bring_in 1, complete 2..2"):
                await act(house, table, kind, amount)
        assert dealt == await house.get(table)

    async def test_without_a_hand(self, house):
        table, (first, *_) = await full_table(house)
        with refused(Reason.NO_HAND):
            await act(house, table, "fold", caller=first)

    async def test_an_operator_names_whom_it_acts_for(self, house):
        table, _ = await full_table(house)
        actor = (await house.deal(table)).table.hand.actor
        kind = engine.default_action((await house.get(table)).hand)
        for seat, player_id, reason in (
            (0, "", Reason.INVALID_FIELD),
            (7, "", Reason.PLAYER_NOT_SEATED),
            (0, "nobody", Reason.PLAYER_NOT_SEATED),
            (actor, f"player{actor % 3 + 1}", Reason.PLAYER_NOT_SEATED),
        ):
            with refused(reason):
                await house.tables.act(
                    house.operator, Mutation("Act", table.table_id), kind, seat=seat, player_id=player_id, view_as=0
                )
        reply = await house.tables.act(
            house.operator, Mutation("Act", table.table_id), kind, seat=actor, player_id=f"player{actor}", view_as=0
        )
        assert 6 == reply.version

    async def test_a_player_acts_and_looks_for_nobody_else(self, house):
        table, callers = await full_table(house)
        actor = (await house.deal(table)).table.hand.actor
        caller = callers[actor - 1]
        kind = engine.default_action((await house.get(table)).hand)
        for options in (
            {"seat": actor % 3 + 1, "player_id": "", "view_as": 0},
            {"seat": 0, "player_id": "somebody", "view_as": 0},
            {"seat": 0, "player_id": "", "view_as": actor % 3 + 1},
        ):
            with refused(Reason.NOT_YOUR_SEAT, seat=actor):
                await house.tables.act(caller, Mutation("Act", table.table_id), kind, **options)
        options = {"seat": actor, "player_id": f"player{actor}", "view_as": actor}
        reply = await house.tables.act(caller, Mutation("Act", table.table_id), kind, **options)
        assert actor == reply.viewer == reply.events_viewer

    async def test_the_deadline_is_an_instant_and_starts_anew_with_each_turn(self, house, clock):
        table, _ = await full_table(house, settings=Settings(action_time_ms=20_000))
        dealt = (await house.deal(table)).table
        assert clock.time_ms + 20_000 == dealt.deadline_ms
        clock.time_ms += 7000
        reply = await act(house, table, engine.default_action(dealt.hand).kind)
        assert (clock.time_ms + 20_000 if reply.table.playing else None) == reply.table.deadline_ms


class TestShowdown:
    async def due(self, house):
        """Return a table whose hand has only to be shown."""
        rng = random.Random(5)
        while True:
            table, _ = await full_table(house, players=2)
            reply = await house.deal(table)
            while reply.table.playing and not reply.table.showdown_due:
                kinds = {choice.kind for choice in engine.legal_actions(reply.table.hand).choices}
                passive = ("check", "call", "bring_in", "buy", *kinds)
                reply = await act(house, table, next(kind for kind in passive if kind in kinds))
            if reply.table.showdown_due:
                return table, rng

    async def test_it_settles_once_and_says_the_same_again(self, house):
        table, _ = await self.due(house)
        first = await showdown(house, table)
        assert isinstance(first.events[-1], HandEnded)
        again = await showdown(house, table)
        assert (first.version, first.etag, first.events) == (again.version, again.etag, again.events)
        await house.seat(table, "late")
        later = await showdown(house, table)
        assert first.events == later.events
        assert first.version + 1 == later.version

    async def test_ten_at_once_settle_once(self, house):
        table, _ = await self.due(house)
        version = (await house.get(table)).version
        replies = await asyncio.gather(*(showdown(house, table) for _ in range(10)))
        assert {version + 1} == {reply.version for reply in replies}
        assert 1 == len({reply.events for reply in replies})

    async def test_before_the_betting_is_over(self, house):
        table, _ = await full_table(house)
        with refused(Reason.NO_HAND):
            await showdown(house, table)
        actor = (await house.deal(table)).table.hand.actor
        with refused(Reason.SHOWDOWN_NOT_DUE, to_act_seat=actor):
            await showdown(house, table)

    async def test_acting_is_over_by_then(self, house):
        table, _ = await self.due(house)
        hand = (await house.get(table)).hand
        with refused(Reason.ILLEGAL_ACTION, legal="showdown"):
            await act(house, table, "fold")
        with refused(Reason.NOT_YOUR_TURN):
            await act(house, table, "fold", seat=hand.actor % 2 + 1)


class TestMoney:
    @pytest.mark.parametrize("profile", ["baseball", "baseball-home", "seven-card-stud"])
    @pytest.mark.parametrize("seed", range(4))
    async def test_chips_never_vanish_whoever_comes_and_goes(self, house, profile, seed):
        """What came in is what is there and what went out, after every single commit."""
        rng = random.Random(f"{profile}{seed}")
        table = await house.create(profile, settings=Settings(min_buy_in=1), session_pots=None)
        brought = taken = 0
        guests = 0
        now = await house.get(table)
        for _ in range(120):
            what = rng.random()
            if what < 0.15 and len(now.seats) < 5:
                stack, guests = rng.choice((1, 3, 840, 5000)), guests + 1
                await house.seat(table, f"guest{guests}", stack=stack)
                brought += stack
            elif what < 0.25 and now.seats:
                leaver = rng.choice(now.seats)
                if not leaver.leaving:
                    reply = (
                        await house.tables.seats.leave_seat(
                            house.operator, Mutation("LeaveSeat", table.table_id),
                            seat=leaver.seat, player_id="", view_as=0,
                        )
                    ).reply  # fmt: skip
                    taken += sum(event.stack for event in reply.events if isinstance(event, SeatLeft))
            elif now.showdown_due:
                reply = await showdown(house, table)
                taken += sum(event.stack for event in reply.events if isinstance(event, SeatLeft))
            elif now.playing:
                reply = await random_act(house, table, now.hand, rng)
                taken += sum(event.stack for event in reply.events if isinstance(event, SeatLeft))
            elif sum(seat.stack > 0 or now.rules.credit for seat in now.seats) >= 2:
                await house.deal(table)
            now = await house.get(table)
            assert brought - taken == now.chips
        assert now.hand_number > 2
