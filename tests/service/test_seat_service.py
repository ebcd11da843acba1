"""Coming and going, through the use cases."""

import asyncio
import random
import uuid
from contextlib import aclosing

import pytest

from engine.events import Folded
from engine.rule_checks import MAX_AMOUNT
from service.credentials import Anonymous, Operator
from service.errors import Reason, ServiceError
from service.table import Settings
from service.table_events import ChipsAdded, ChipsQueued, SatIn, SatOut, SeatLeft
from service.table_writer import Mutation
from tests.service.table_play import full_table, leave, play_out, refused


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
        first = await house.tables.seats.take_seat(house.operator, mutation, **options)
        clock.time_ms += 5000
        again = await house.tables.seats.take_seat(house.operator, mutation, **options)
        assert (first.reply.version, first.reply.etag, first.seat) == (
            again.reply.version,
            again.reply.etag,
            again.seat,
        )
        assert first.reply.events == again.reply.events
        assert first.token != again.token
        callers = [house.keyring.identify(f"Bearer {each.token}", clock.now_ms()) for each in (first, again)]
        assert callers[0].number == callers[1].number

    async def test_a_repeated_request_makes_no_token_for_who_sits_there_since(self, house, clock):
        """The player left and came back to the seat: the first request stands for the seating that is over."""
        table = await house.create()
        mutation = Mutation("TakeSeat", table.table_id, str(uuid.uuid4()))
        options = {"player_id": "ann", "seat": 3, "stack": 10, "view_as": 0}
        await house.tables.seats.take_seat(house.operator, mutation, **options)
        await house.tables.seats.leave_seat(
            house.operator, Mutation("LeaveSeat", table.table_id), seat=3, player_id="", view_as=0
        )
        now = await house.seat(table, "ann", seat=3)
        again = await house.tables.seats.take_seat(house.operator, mutation, **options)
        old = house.keyring.identify(f"Bearer {again.token}", clock.now_ms())
        assert old.number < now.number
        with refused(Reason.SEATING_ENDED):
            await house.tables.get_table(old, table.table_id, 0)

    async def test_only_an_operator_seats_players(self, house):
        table, (ann, *_) = await full_table(house)
        options = {"player_id": "friend", "seat": 0, "stack": 100, "view_as": 0}
        for caller, reason in ((ann, Reason.OPERATOR_REQUIRED), (Anonymous(), Reason.CREDENTIALS_MISSING)):
            with refused(reason):
                await house.tables.seats.take_seat(caller, Mutation("TakeSeat", table.table_id), **options)
        assert [1, 2, 3] == [seat.seat for seat in (await house.get(table)).seats]

    async def test_who_asks_for_a_view_that_there_is_not_changes_nothing(self, house):
        table, (ann, *_) = await full_table(house)
        seats, before = house.tables.seats, await house.get(table)
        seated = {"seat": 1, "player_id": ""}
        for caller, view_as, reason in ((house.operator, 8, Reason.INVALID_FIELD), (ann, 2, Reason.NOT_YOUR_SEAT)):
            for change in (seats.leave_seat, seats.sit_out):
                with refused(reason):
                    await change(caller, Mutation("Change", table.table_id), view_as=view_as, **seated)
        with refused(Reason.INVALID_FIELD):
            await seats.take_seat(
                house.operator,
                Mutation("TakeSeat", table.table_id),
                player_id="late",
                seat=0,
                stack=100,
                view_as=8,
            )
        assert before == await house.get(table)

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


class TestLeavingInMidHand:
    async def test_who_watches_after_leaving_never_sees_the_cards_of_who_sits_there_next(self, house):
        table, callers = await full_table(house)
        dealt = (await house.deal(table)).table
        leaver = next(caller for caller in callers if caller.seat != dealt.hand.actor)
        left = await leave(house, table, leaver)
        assert left.reply.table.playing
        with refused(Reason.SEATING_ENDED):
            await anext(house.tables.watch(leaver, table.table_id, left.reply.version, 0))
        before = left.reply.version - 1
        async with aclosing(house.tables.watch(house.operator, table.table_id, before, leaver.seat)) as watched:
            seen = [await anext(watched)]
            over = await play_out(house, table, random.Random(1))
            next_one = await house.seat(table, "next", seat=leaver.seat)
            last = await house.deal(table)
            assert leaver.seat == next_one.seat
            seen += [await anext(watched) for _ in range(last.version - left.reply.version)]
        assert over.version < last.version == seen[-1].published.happening.version
        assert {None} == {item.viewer for item in seen}

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


class TestSittingOut:
    async def sit(self, house, what, table, caller, **options):
        sit = house.tables.seats.sit_out if what == "out" else house.tables.seats.sit_in
        options = {"seat": 0, "player_id": "", "view_as": 0, **options}
        return await sit(caller, Mutation(f"Sit{what}", table.table_id), **options)

    async def test_out_from_the_next_hand_on_and_in_again(self, house):
        table, callers = await full_table(house)
        await house.deal(table)
        reply = await self.sit(house, "out", table, callers[0])
        assert (SatOut(1),) == reply.events
        assert reply.table.playing
        await play_out(house, table, random.Random(1))
        assert [2, 3] == sorted(player.seat for player in (await house.deal(table)).table.hand.players)
        assert (SatIn(1),) == (await self.sit(house, "in", table, callers[0])).events
        await play_out(house, table, random.Random(1))
        assert 3 == len((await house.deal(table)).table.hand.players)

    async def test_what_is_so_already_is_no_commit(self, house):
        table, callers = await full_table(house)
        version = (await house.get(table)).version
        assert (version, ()) == ((reply := await self.sit(house, "in", table, callers[0])).version, reply.events)
        first = await self.sit(house, "out", table, callers[0])
        again = await self.sit(house, "out", table, callers[0])
        assert (version + 1, first.etag, ()) == (again.version, again.etag, again.events)

    async def test_ten_at_once_are_one_commit(self, house):
        table, callers = await full_table(house)
        version = (await house.get(table)).version
        await asyncio.gather(*(self.sit(house, "out", table, callers[0]) for _ in range(10)))
        assert version + 1 == (await house.get(table)).version

    async def test_a_player_speaks_for_nobody_else_and_an_operator_for_all(self, house):
        table, callers = await full_table(house)
        with refused(Reason.NOT_YOUR_SEAT, seat=1):
            await self.sit(house, "out", table, callers[0], seat=2)
        with refused(Reason.CREDENTIALS_MISSING):
            await self.sit(house, "out", table, Anonymous())
        with refused(Reason.PLAYER_NOT_SEATED):
            await self.sit(house, "out", table, house.operator, seat=7)
        reply = await self.sit(house, "out", table, house.operator, player_id="player2")
        assert reply.table.seating(2).sitting_out

    async def test_who_is_on_the_way_out_is_gone(self, house):
        table, callers = await full_table(house)
        await house.deal(table)
        await leave(house, table, callers[0])
        for what in ("out", "in"):
            with refused(Reason.PLAYER_NOT_SEATED, seat=1):
                await self.sit(house, what, table, house.operator, seat=1)


async def add_chips(house, table, seat, amount, caller=None, **mutation):
    return await house.tables.seats.add_chips(
        caller or house.operator,
        Mutation("AddChips", table.table_id, **mutation),
        seat=seat,
        player_id="",
        amount=amount,
        view_as=0,
    )


class TestAddingChips:
    async def test_between_hands_and_during_one(self, house):
        table, _ = await full_table(house)
        assert (ChipsAdded(1, 20),) == (await add_chips(house, table, 1, 20)).events
        await house.deal(table)
        reply = await add_chips(house, table, 1, 7)
        assert (ChipsQueued(1, 7),) == reply.events
        assert (7, 320) == (reply.table.seating(1).adding, reply.table.chips)
        ended = await play_out(house, table, random.Random(3))
        assert ChipsAdded(1, 7) in ended.events
        assert (0, 327) == (ended.table.seating(1).adding, ended.table.chips)

    async def test_only_an_operator_brings_chips(self, house):
        table, callers = await full_table(house)
        for caller, reason in ((callers[0], Reason.OPERATOR_REQUIRED), (Anonymous(), Reason.CREDENTIALS_MISSING)):
            with refused(reason):
                await add_chips(house, table, 1, 20, caller)
        with refused(Reason.TABLE_NOT_FOUND):
            await add_chips(house, table, 1, 20, Operator("another", "another"))
        assert 300 == (await house.get(table)).chips

    @pytest.mark.parametrize("amount", [-1, 0, -(2**63), 2**63 - 1])
    async def test_amounts_that_are_never_right(self, house, amount):
        table, _ = await full_table(house)
        with refused(Reason.STACK_TOO_LARGE if amount > 0 else Reason.INVALID_FIELD):
            await add_chips(house, table, 1, amount)
        assert 300 == (await house.get(table)).chips

    async def test_many_at_once_never_pass_the_maximum(self, house):
        table, _ = await full_table(house, settings=Settings(max_buy_in=130))
        await house.deal(table)
        outcomes = await asyncio.gather(*(add_chips(house, table, 1, 10) for _ in range(8)), return_exceptions=True)
        refusals = [outcome for outcome in outcomes if isinstance(outcome, ServiceError)]
        assert {Reason.STACK_TOO_LARGE} == {refusal.reason for refusal in refusals}
        seated = (await house.get(table)).seating(1)
        assert 10 * (8 - len(refusals)) == seated.adding <= 31

    async def test_a_repeated_request_brings_them_once(self, house):
        table, _ = await full_table(house)
        request = {"request_id": str(uuid.uuid4()), "body": b"ten"}
        replies = await asyncio.gather(*(add_chips(house, table, 1, 10, **request) for _ in range(5)))
        assert 1 == len({(reply.version, reply.etag, reply.events) for reply in replies})
        assert 310 == (await house.get(table)).chips

    async def test_who_leaves_keeps_what_was_waiting(self, house):
        table, callers = await full_table(house)
        await house.deal(table)
        await add_chips(house, table, 2, 50)
        left = await leave(house, table, callers[1])
        await play_out(house, table, random.Random(1))
        now = await house.get(table)
        assert (300, left.stack, 300 - left.stack) == (now.brought, now.taken, now.chips)
