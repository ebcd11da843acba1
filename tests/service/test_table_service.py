import asyncio
import random
import uuid
from contextlib import contextmanager

import pytest

import engine
from engine import Action, ActionKind
from engine.events import Folded, HandEnded, HandStarted
from engine.profiles import BASEBALL
from engine.rule_checks import MAX_AMOUNT
from engine.state import Phase
from service.credentials import Anonymous, Operator
from service.errors import Reason, ServiceError
from service.feed import Feed
from service.store.base import OutcomeUnknown
from service.store.redis import RedisStore
from service.table import Settings
from service.table_events import SeatLeft, SessionEnded
from service.table_service import TableService
from service.table_writer import Mutation


@contextmanager
def refused(reason, **metadata):
    with pytest.raises(ServiceError) as refusal:
        yield refusal
    assert reason == refusal.value.reason
    assert {key: str(value) for key, value in metadata.items()}.items() <= refusal.value.metadata.items()


async def act(house, table, kind, amount=0, *, caller=None, seat=0, **mutation):
    """Play an action, by default for the seat to act and by the operator."""
    if caller is None and not seat:
        seat = (await house.get(table)).hand.actor
    return await house.tables.act(
        caller or house.operator,
        Mutation("Act", table.table_id, **mutation),
        Action(ActionKind(kind), amount),
        seat=seat,
        player_id="",
        view_as=0,
    )


async def showdown(house, table, **mutation):
    return await house.tables.showdown(house.operator, Mutation("Showdown", table.table_id, **mutation), view_as=0)


async def leave(house, table, caller, **mutation):
    return await house.tables.leave_seat(
        caller, Mutation("LeaveSeat", table.table_id, **mutation), seat=0, player_id="", view_as=0
    )


async def play_out(house, table, rng):
    """Play the running hand to its end with random legal actions and return the last reply."""
    reply = await house.tables.get_table(house.operator, table.table_id, 0)
    while reply.table.playing:
        if reply.table.showdown_due:
            return await showdown(house, table)
        reply = await random_act(house, table, reply.table.hand, rng)
    return reply


async def random_act(house, table, hand, rng):
    choice = rng.choice(engine.legal_actions(hand).choices)
    sized = choice.kind in (ActionKind.BET, ActionKind.RAISE, ActionKind.COMPLETE)
    return await act(house, table, choice.kind, rng.choice((choice.min, choice.max)) if sized else 0, seat=hand.actor)


async def full_table(house, players=3, **options):
    table = await house.create(**options)
    return table, [await house.seat(table, f"player{number}") for number in range(1, players + 1)]


class TestCreateTable:
    async def test_a_new_table_is_at_version_one(self, house):
        table = await house.create()
        assert 1 == table.version
        assert table == await house.get(table)
        assert len({(await house.create()).table_id for _ in range(5)}) == 5

    async def test_only_an_operator_makes_one(self, house):
        _, (seated, *_) = await full_table(house)
        for caller, reason in ((Anonymous(), Reason.CREDENTIALS_MISSING), (seated, Reason.OPERATOR_REQUIRED)):
            with refused(reason):
                await house.tables.create_table(
                    caller, Mutation("CreateTable", ""), profile="baseball", rules=BASEBALL, settings=Settings()
                )

    @pytest.mark.parametrize(
        ("settings", "field"),
        [
            (Settings(max_buy_in=2**62), "max_buy_in"),
            (Settings(min_buy_in=2**62, max_buy_in=2**62), "min_buy_in"),
            (Settings(min_buy_in=-1), "min_buy_in"),
            (Settings(max_buy_in=0), "max_buy_in"),
            (Settings(min_buy_in=11, max_buy_in=10), "max_buy_in"),
            (Settings(action_time_ms=999), "action_time"),
            (Settings(action_time_ms=86_400_001), "action_time"),
        ],
    )
    async def test_settings_out_of_bounds(self, house, settings, field):
        with refused(Reason.INVALID_FIELD) as refusal:
            await house.create(settings=settings)
        assert field in [violation.field for violation in refusal.value.fields]

    async def test_a_request_id_makes_one_table(self, house):
        mutation = Mutation("CreateTable", "", str(uuid.uuid4()), body=b"one")
        options = {"profile": "baseball", "rules": BASEBALL, "settings": Settings()}
        replies = await asyncio.gather(
            *(house.tables.create_table(house.operator, mutation, **options) for _ in range(5))
        )
        assert 1 == len({(reply.table.table_id, reply.version, reply.etag) for reply in replies})
        other = Mutation("CreateTable", "", mutation.request_id, body=b"two")
        with refused(Reason.REQUEST_ID_REUSED, request_id=mutation.request_id):
            await house.tables.create_table(house.operator, other, **options)

    async def test_another_key_of_the_tenant_gets_no_stored_reply(self, house, tenant):
        mutation = Mutation("CreateTable", "", str(uuid.uuid4()))
        options = {"profile": "baseball", "rules": BASEBALL, "settings": Settings()}
        await house.tables.create_table(house.operator, mutation, **options)
        with refused(Reason.REQUEST_ID_REUSED):
            await house.tables.create_table(Operator(tenant, f"{tenant}/2"), mutation, **options)
        other_tenant = Operator(f"{tenant}x", f"{tenant}x")
        assert 1 == (await house.tables.create_table(other_tenant, mutation, **options)).version


class TestSeats:
    async def test_the_lowest_free_seat_is_taken(self, house):
        table = await house.create()
        assert [1, 3, 2] == [
            (await house.seat(table, f"player{seat}", seat=wanted)).seat for seat, wanted in enumerate((0, 3, 0))
        ]

    async def test_one_player_one_seat_and_one_seat_one_player(self, house):
        table = await house.create()
        await house.seat(table, "ann", seat=2)
        with refused(Reason.ALREADY_SEATED, seat=2, player_id="ann"):
            await house.seat(table, "ann", seat=3)
        with refused(Reason.SEAT_TAKEN, seat=2):
            await house.seat(table, "bob", seat=2)
        assert 2 == (await house.get(table)).version

    async def test_concurrent_joins_of_one_player_or_one_seat_succeed_once(self, house):
        table = await house.create()
        outcomes = await asyncio.gather(
            *(house.seat(table, "ann", seat=seat) for seat in (1, 2, 3, 4)), return_exceptions=True
        )
        assert 3 == sum(isinstance(outcome, ServiceError) for outcome in outcomes)
        outcomes = await asyncio.gather(
            *(house.seat(table, f"player{number}", seat=7) for number in range(4)), return_exceptions=True
        )
        assert 3 == sum(isinstance(outcome, ServiceError) for outcome in outcomes)
        assert 2 == len((await house.get(table)).seats)

    async def test_a_table_fills_up_under_concurrent_joins(self, house):
        table = await house.create()
        await asyncio.gather(*(house.seat(table, f"player{number}") for number in range(7)))
        assert [1, 2, 3, 4, 5, 6, 7] == [seat.seat for seat in (await house.get(table)).seats]
        with refused(Reason.TABLE_FULL, seats=7):
            await house.seat(table, "late")

    @pytest.mark.parametrize("stack", [-1, 0, 9, 1001, 2**31, 2**62, 2**63 - 1])
    async def test_a_stack_out_of_bounds(self, house, stack):
        table = await house.create(settings=Settings(min_buy_in=10, max_buy_in=1000))
        with refused(Reason.INVALID_FIELD) as refusal:
            await house.seat(table, "ann", stack=stack)
        assert ["stack"] == [violation.field for violation in refusal.value.fields]
        assert 1 == (await house.get(table)).version

    @pytest.mark.parametrize("seat", [-1, 8, 2**31])
    async def test_a_seat_that_is_not_there(self, house, seat):
        table = await house.create()
        with refused(Reason.INVALID_FIELD):
            await house.seat(table, "ann", seat=seat)

    async def test_a_table_never_holds_more_than_a_hand_can_be_played_with(self, house, store):
        table = await house.create(settings=Settings(max_buy_in=10**12))
        for _ in range(3):
            await leave(house, table, await house.seat(table, "ann", stack=10**12))
        rich = await house.seat(table, "ann", stack=10**12)
        now = await house.get(table)
        assert 10**12 == now.chips
        assert now.chips < MAX_AMOUNT
        assert rich.player_id == now.seats[0].player_id

    async def test_under_credit_a_player_may_bring_nothing(self, house):
        table = await house.create("baseball-home", settings=Settings(min_buy_in=0))
        await house.seat(table, "ann", stack=0)
        await house.seat(table, "bob", stack=0)
        reply = await house.deal(table)
        assert [-840, -840] == [reply.table.stack_of(seat) for seat in reply.table.seats]

    async def test_a_repeated_request_mints_the_token_again(self, house, clock):
        table = await house.create()
        mutation = Mutation("TakeSeat", table.table_id, str(uuid.uuid4()))
        options = {"player_id": "ann", "seat": 0, "stack": 10, "view_as": 0}
        first = await house.tables.take_seat(house.operator, mutation, **options)
        clock.time_ms += 5000
        again = await house.tables.take_seat(house.operator, mutation, **options)
        assert (first.reply.version, first.reply.etag, first.seat) == (
            again.reply.version,
            again.reply.etag,
            again.seat,
        )
        assert first.reply.events == again.reply.events
        assert first.token != again.token
        callers = [house.keyring.identify(f"Bearer {each.token}", clock.now_ms()) for each in (first, again)]
        assert callers[0].number == callers[1].number

    async def test_leaving_between_hands_pays_out_and_frees_the_seat(self, house):
        table, (first, *_) = await full_table(house)
        left = await leave(house, table, first)
        assert 100 == left.stack
        assert (SeatLeft(1, "player1", 100),) == left.reply.events
        assert (2, 3) == tuple(seat.seat for seat in left.reply.table.seats)
        with refused(Reason.SEATING_ENDED):
            await leave(house, table, first)

    async def test_a_token_is_for_one_seating_not_for_the_seat(self, house):
        table, (first, *_) = await full_table(house)
        await leave(house, table, first)
        again = await house.seat(table, "player1", seat=1)
        for use in (leave(house, table, first), house.tables.get_table(first, table.table_id, 0)):
            with refused(Reason.SEATING_ENDED):
                await use
        assert 1 == (await house.tables.get_table(again, table.table_id, 0)).table.seating(1).seat

    async def test_joining_and_leaving_does_not_keep_others_from_playing(self, house):
        table, _ = await full_table(house, players=2)
        for _ in range(10):
            await leave(house, table, await house.seat(table, "restless"))
        assert (await house.deal(table)).table.playing


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
            await house.tables.deal(house.operator, Mutation("Deal", table.table_id), own_game=True, view_as=0)

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


class TestLeavingInMidHand:
    async def test_it_folds_at_once_and_the_stack_goes_along(self, house, clock):
        table, callers = await full_table(house)
        dealt = (await house.deal(table)).table
        clock.time_ms += 3000
        leaver = next(caller for caller in callers if caller.seat != dealt.hand.actor)
        behind = dealt.stack_of(dealt.seating(leaver.seat))
        left = await leave(house, table, leaver)
        assert behind == left.stack
        assert Folded(leaver.seat) in left.reply.events
        assert SeatLeft(leaver.seat, leaver.player_id, behind) in left.reply.events
        now = left.reply.table
        assert now.hand.actor == dealt.hand.actor
        assert dealt.deadline_ms == now.deadline_ms
        assert now.seating(leaver.seat).leaving
        assert 300 - behind == now.chips
        with refused(Reason.PLAYER_NOT_SEATED):
            await leave(house, table, leaver)
        with refused(Reason.SEAT_TAKEN):
            await house.seat(table, "next", seat=leaver.seat)
        await play_out(house, table, random.Random(1))
        await house.seat(table, "next", seat=leaver.seat)

    async def test_when_all_but_one_leave_the_last_one_wins(self, house):
        table, callers = await full_table(house)
        await house.deal(table)
        for caller in callers[:2]:
            await leave(house, table, caller)
        now = await house.get(table)
        assert not now.playing
        assert [3] == [seat.seat for seat in now.seats]
        assert now.chips == now.seats[0].stack
        assert now.deadline_ms is None

    async def test_when_all_leave_the_table_is_empty_and_usable(self, house):
        table, callers = await full_table(house)
        await house.deal(table)
        for caller in callers:
            await leave(house, table, caller)
        assert () == (await house.get(table)).seats
        for number in range(2):
            await house.seat(table, f"again{number}")
        assert 2 == (await house.deal(table)).table.hand_number

    async def test_an_all_in_player_plays_on_and_is_paid_when_the_hand_ends(self, house):
        for _ in range(20):
            table = await house.create("seven-card-stud")
            short = await house.seat(table, "short", stack=1)
            for number in range(2):
                await house.seat(table, f"player{number}", stack=100)
            await house.deal(table)  # the ante takes all of it
            left = await leave(house, table, short)
            assert 0 == left.stack
            assert not left.reply.table.hand.player(1).folded
            reply = await play_out(house, table, random.Random(3))
            paid = [event for event in reply.events if isinstance(event, SeatLeft)]
            assert ["short"] == [event.player_id for event in paid]
            assert 201 - paid[0].stack == reply.table.chips
            assert reply.table.seating(1) is None

    async def test_a_player_who_waits_for_the_next_hand_goes_at_once(self, house):
        table, _ = await full_table(house)
        await house.deal(table)
        waiting = await house.seat(table, "waiting", stack=50)
        left = await leave(house, table, waiting)
        assert 50 == left.stack
        assert left.reply.table.seating(waiting.seat) is None
        assert left.reply.table.playing


class TestViews:
    async def test_a_new_owner_of_a_seat_does_not_see_the_last_owners_cards(self, house):
        table, callers = await full_table(house, players=2)
        await house.deal(table)
        await leave(house, table, callers[0])
        later = await house.seat(table, "later", seat=1)
        reply = await house.tables.get_table(later, table.table_id, 0)
        assert reply.table.hand.player(1).down
        assert reply.viewer is None
        watched = house.tables.watch(later, table.table_id, 0, 0)
        seen = [await anext(watched) for _ in range(reply.version)]
        await watched.aclose()
        assert {None} == {each.viewer for each in seen}
        await house.deal(table)
        assert 1 == (await house.tables.get_table(later, table.table_id, 0)).viewer

    async def test_who_sees_what(self, house):
        table, (first, *_) = await full_table(house)
        await house.deal(table)
        get = house.tables.get_table
        assert (await get(house.operator, table.table_id, 0)).viewer is None
        assert 2 == (await get(house.operator, table.table_id, 2)).viewer
        assert 1 == (await get(first, table.table_id, 0)).viewer
        assert (await get(Anonymous(), table.table_id, 0)).viewer is None
        for caller, view_as, reason in (
            (first, 2, Reason.NOT_YOUR_SEAT),
            (Anonymous(), 1, Reason.CREDENTIALS_MISSING),
            (house.operator, 7, Reason.PLAYER_NOT_SEATED),
            (house.operator, 8, Reason.INVALID_FIELD),
            (house.operator, -1, Reason.INVALID_FIELD),
        ):
            with refused(reason):
                await get(caller, table.table_id, view_as)

    async def test_spectators_only_where_they_may(self, house):
        table, (first, *_) = await full_table(house, settings=Settings(spectators=False))
        with refused(Reason.CREDENTIALS_MISSING):
            await house.tables.get_table(Anonymous(), table.table_id, 0)
        assert (await house.tables.get_table(first, table.table_id, 0)).table

    async def test_the_lobby_is_the_tenants_own(self, house):
        tables = {(await house.create(settings=Settings(name="x"))).table_id for _ in range(3)}
        page, token = await house.tables.list_tables(house.operator, 2, "")
        rest, end = await house.tables.list_tables(house.operator, 2, token)
        assert tables == {entry.table_id for entry in (*page, *rest)}
        assert "" == end
        assert ([], "") == await house.tables.list_tables(Operator("nobody", "nobody"), 10, "")
        with refused(Reason.INVALID_FIELD):
            await house.tables.list_tables(house.operator, 2, "forged")


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
                        await house.tables.leave_seat(
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


class TestRequests:
    async def test_the_same_request_twice_in_parallel_has_one_effect_and_equal_answers(self, house):
        table, _ = await full_table(house)
        hand = (await house.deal(table)).table.hand
        request = {"request_id": str(uuid.uuid4()), "body": b"one"}
        kind = engine.default_action(hand).kind
        replies = await asyncio.gather(*(act(house, table, kind, seat=hand.actor, **request) for _ in range(8)))
        assert 1 == len({(reply.version, reply.etag, reply.events) for reply in replies})
        assert 6 == (await house.get(table)).version

    async def test_a_repeat_long_after_returns_the_first_events(self, house):
        table, _ = await full_table(house)
        request_id = str(uuid.uuid4())
        mutation = Mutation("Deal", table.table_id, request_id)
        options = {"view_as": 0}
        first = await house.tables.deal(house.operator, mutation, **options)
        await play_out(house, table, random.Random(1))
        again = await house.tables.deal(house.operator, mutation, **options)
        assert (first.version, first.etag, first.events) == (again.version, again.etag, again.events)
        assert again.table.version > again.version

    async def test_a_request_id_with_another_body(self, house):
        table, _ = await full_table(house)
        await house.deal(table)
        request_id = str(uuid.uuid4())
        hand = (await house.get(table)).hand
        await act(house, table, engine.default_action(hand).kind, request_id=request_id, body=b"one")
        with refused(Reason.REQUEST_ID_REUSED, request_id=request_id):
            await act(house, table, "fold", seat=hand.actor, request_id=request_id, body=b"two")

    async def test_one_etag_two_requests_one_success(self, house):
        table, _ = await full_table(house)
        dealt = (await house.deal(table)).table
        kind = engine.default_action(dealt.hand).kind
        outcomes = await asyncio.gather(
            *(
                act(house, table, kind, seat=dealt.hand.actor, request_id=str(uuid.uuid4()), etag=dealt.etag)
                for _ in range(2)
            ),
            return_exceptions=True,
        )
        stale = [outcome for outcome in outcomes if isinstance(outcome, ServiceError)]
        now = await house.get(table)
        assert [Reason.STALE_ETAG] == [refusal.reason for refusal in stale]
        assert {"etag": now.etag, "version": str(now.version)} == stale[0].metadata
        assert dealt.version + 1 == now.version

    async def test_a_stale_etag_is_told_before_the_turn(self, house):
        table, callers = await full_table(house)
        old = (await house.get(table)).etag
        dealt = (await house.deal(table)).table
        other = next(caller for caller in callers if caller.seat != dealt.hand.actor)
        with refused(Reason.STALE_ETAG, etag=dealt.etag, version=dealt.version):
            await act(house, table, "fold", caller=other, etag=old)

    async def test_a_stranger_learns_no_etag(self, house):
        table, _ = await full_table(house)
        with refused(Reason.TABLE_NOT_FOUND) as refusal:
            await house.tables.deal(
                Operator("another", "another"),
                Mutation("Deal", table.table_id, etag="1-x"),
                view_as=0,
            )
        assert {"table_id"} == set(refusal.value.metadata)

    async def test_two_hundred_acts_at_once_make_one_version_each(self, house):
        table, _ = await full_table(house)
        dealt = (await house.deal(table)).table
        kind = engine.default_action(dealt.hand).kind
        outcomes = await asyncio.gather(
            *(act(house, table, kind, seat=dealt.hand.actor, etag=dealt.etag) for _ in range(200)),
            return_exceptions=True,
        )
        assert 199 == sum(isinstance(outcome, ServiceError) for outcome in outcomes)
        assert dealt.version + 1 == (await house.get(table)).version

    async def test_a_cancelled_caller_leaves_a_whole_commit(self, house):
        table, _ = await full_table(house)
        mutation = Mutation("Deal", table.table_id, str(uuid.uuid4()))
        deal = house.tables.deal(house.operator, mutation, view_as=0)
        task = asyncio.create_task(deal)
        await asyncio.sleep(0.001)
        task.cancel()
        await asyncio.wait([task])
        reply = await house.tables.deal(house.operator, mutation, view_as=0)
        assert 5 == reply.version
        assert Phase.FINISHED != reply.table.hand.phase


class Forgetful(RedisStore):
    """A store whose next answer to a commit is lost on the way: the commit is made and nobody hears of it."""

    losing = False

    async def commit(self, commit):
        outcome = await super().commit(commit)
        if self.losing:
            self.losing = False
            raise OutcomeUnknown("the answer is lost")
        return outcome


class TestTwoWorkers:
    """The same tables through two services, each with connections of its own."""

    @pytest.fixture
    async def other(self, embedded, house, clock, shuffle):
        store = Forgetful(embedded.url)
        await store.connect()
        feed = Feed(store)
        yield TableService(store, clock, shuffle, house.keyring, feed)
        await store.close()

    async def test_twenty_deals_at_two_workers_start_one_hand(self, house, other):
        table, _ = await full_table(house)
        mutation = Mutation("Deal", table.table_id)
        outcomes = await asyncio.gather(
            *(service.deal(house.operator, mutation, view_as=0) for service in (house.tables, other) * 10),
            return_exceptions=True,
        )
        refusals = [outcome for outcome in outcomes if isinstance(outcome, ServiceError)]
        assert {Reason.HAND_IN_PROGRESS} == {refusal.reason for refusal in refusals}
        assert 19 == len(refusals)
        assert 5 == (await house.get(table)).version

    async def test_one_request_at_both_workers_has_one_effect(self, house, other):
        table, _ = await full_table(house)
        mutation = Mutation("Deal", table.table_id, str(uuid.uuid4()))
        replies = await asyncio.gather(
            *(service.deal(house.operator, mutation, view_as=0) for service in (house.tables, other) * 4)
        )
        assert 1 == len({(reply.version, reply.etag, reply.events) for reply in replies})

    async def test_an_action_that_lost_a_race_is_judged_by_the_new_table(self, house, other):
        """Everybody's fold at once, at both workers: each is played in its turn or refused, none against the rules."""
        table, _ = await full_table(house, players=5)
        await house.deal(table)
        for _ in range(8):
            now = await house.get(table)
            if not now.playing:
                break
            action = engine.default_action(now.hand)
            await asyncio.gather(
                *(
                    service.act(
                        house.operator, Mutation("Act", table.table_id), action, seat=seat, player_id="", view_as=0
                    )
                    for seat in range(1, 6)
                    for service in (house.tables, other)
                ),
                return_exceptions=True,
            )
        assert [] == (await house.get(table)).broken()

    async def test_a_lost_answer_is_found_by_the_request_id(self, house, other):
        table, _ = await full_table(house)
        mutation = Mutation("Deal", table.table_id, str(uuid.uuid4()), body=b"deal")
        other._store.losing = True
        with pytest.raises(OutcomeUnknown):
            await other.deal(house.operator, mutation, view_as=0)
        for service in (other, house.tables):
            reply = await service.deal(house.operator, mutation, view_as=0)
            assert (5, 5) == (reply.version, reply.table.version)
            assert isinstance(reply.events[0], HandStarted)
