"""Time that runs out at a table: once, whoever is first, whatever happens at the same moment."""

import asyncio
import random

import pytest

from engine import Action, ActionKind
from engine.state import Phase
from service.errors import Reason, ServiceError
from service.store import keys
from service.store.redis import RedisStore
from service.table import Settings
from service.table_events import ActionTimedOut, SeatLeft, TableDeleted
from service.table_service import TableService
from service.table_writer import Mutation
from tests.service.timed_tables import dealt, happenings, timeouts


class TestExpire:
    async def test_not_before_the_deadline_and_then_once(self, house, clock):
        table = await dealt(house)
        clock.time_ms = table.deadline_ms - 1
        assert await house.tables.expire(table.table_id) is None
        assert table == await house.get(table)
        clock.time_ms = table.deadline_ms + 7
        assert 7 == await house.tables.expire(table.table_id)
        assert await house.tables.expire(table.table_id) is None
        after = await house.get(table)
        assert (table.version + 1, clock.time_ms + 30_000) == (after.version, after.deadline_ms)

    async def test_a_table_that_is_not_there(self, house):
        assert await house.tables.expire("nowhere") is None

    async def test_watchers_see_it(self, house, clock, feed, store):
        table = await dealt(house)
        clock.time_ms = table.deadline_ms
        await house.tables.expire(table.table_id)
        async for item in house.tables.watch(house.operator, table.table_id, table.version, 0):
            assert ActionTimedOut(table.hand.actor) == item.published.happening.events[0]
            break

    async def test_of_two_workers_one_plays_each_of_hundreds_of_tables(self, house, other, clock, store):
        tables = [await dealt(house, players=2) for _ in range(200)]
        clock.time_ms = max(table.deadline_ms for table in tables)
        calls = [worker.expire(table.table_id) for table in tables for worker in (house.tables, other)]
        random.Random(1).shuffle(calls)
        played = [late_ms for late_ms in await asyncio.gather(*calls) if late_ms is not None]
        assert 200 == len(played)
        for table in tables:
            assert table.version + 1 == (await house.get(table)).version
            assert [1] == [len(timeouts(each)) for each in await happenings(store, table.table_id) if timeouts(each)]

    @pytest.mark.parametrize("with_etag", [True, False])
    async def test_an_action_in_the_same_millisecond(self, house, other, clock, with_etag):
        """Either the action counts or the turn is over; never both, and the loser learns it."""
        winners = []
        for number in range(60):
            table = await dealt(house, players=2)
            clock.time_ms = table.deadline_ms
            mutation = Mutation("Act", table.table_id, etag=table.etag if with_etag else "")
            acting = house.tables.act(
                house.operator, mutation, Action(ActionKind.BRING_IN), seat=table.hand.actor, player_id="", view_as=0
            )
            both = [acting, other.expire(table.table_id)]
            outcomes = await asyncio.gather(*both[:: 1 if number % 2 else -1], return_exceptions=True)
            acted, late_ms = outcomes if number % 2 else outcomes[::-1]
            after = await house.get(table)
            assert table.version + 1 == after.version
            assert 3 - table.hand.actor == after.hand.actor
            if isinstance(acted, ServiceError):
                assert (Reason.STALE_ETAG if with_etag else Reason.NOT_YOUR_TURN) == acted.reason
                assert 0 == late_ms
                assert 1 == after.seating(table.hand.actor).timeouts
            else:
                assert late_ms is None
                assert 0 == after.seating(table.hand.actor).timeouts
            winners.append(late_ms is None)
        assert {True, False} == set(winners)

    async def test_a_player_who_comes_too_late_but_first_is_heard(self, house, clock):
        table = await dealt(house)
        clock.time_ms = table.deadline_ms + 5
        reply = await house.tables.act(
            house.operator,
            Mutation("Act", table.table_id),
            Action(ActionKind.BRING_IN),
            seat=table.hand.actor,
            player_id="",
            view_as=0,
        )
        assert not [event for event in reply.events if isinstance(event, ActionTimedOut)]
        assert await house.tables.expire(table.table_id) is None

    async def test_a_worker_that_is_stopped_before_its_commit_finds_the_turn_played(
        self, house, other, embedded, store, clock, shuffle, feed
    ):
        """Its claim has ended long ago when it goes on."""

        class Stopped(RedisStore):
            about_to, go_on = asyncio.Event(), asyncio.Event()

            async def commit(self, commit):
                self.about_to.set()
                await self.go_on.wait()
                return await super().commit(commit)

        table = await dealt(house)
        clock.time_ms = table.deadline_ms
        stopped_store = Stopped(embedded.url, claim_ms=1)
        await stopped_store.connect()
        stopped = TableService(stopped_store, clock, shuffle, house.keyring, feed)
        assert table.table_id in (await stopped_store.deadlines().claim(clock.time_ms, 10_000)).table_ids
        expiring = asyncio.create_task(stopped.expire(table.table_id))
        await stopped_store.about_to.wait()
        clock.time_ms += 5000
        assert table.table_id in (await store.deadlines().claim(clock.time_ms, 10_000)).table_ids
        assert 5000 == await other.expire(table.table_id)
        stopped_store.go_on.set()
        assert None is await expiring
        after = await house.get(table)
        assert (table.version + 1, 1) == (after.version, after.seating(table.hand.actor).timeouts)
        await stopped_store.close()

    async def test_somebody_sitting_down_meanwhile_does_not_stop_it(self, house, other, clock):
        table = await dealt(house, players=2)
        clock.time_ms = table.deadline_ms
        late_ms, _ = await asyncio.gather(other.expire(table.table_id), house.seat(table, "late"))
        assert 0 == late_ms
        after = await house.get(table)
        assert (table.version + 2, 3) == (after.version, len(after.seats))

    async def test_an_overdue_showdown(self, house, clock):
        table = await dealt(house, players=2, settings=Settings(sit_out_after=0))
        while not table.showdown_due:
            clock.time_ms = table.deadline_ms
            kinds = (ActionKind.BRING_IN, ActionKind.CHECK, ActionKind.CALL)
            table = await self.act_one_of(house, table, kinds)
        clock.time_ms = table.deadline_ms - 1
        assert await house.tables.expire(table.table_id) is None
        clock.time_ms = table.deadline_ms
        assert 0 == await house.tables.expire(table.table_id)
        settled = await house.get(table)
        assert (Phase.FINISHED, None, settled.version) == (
            settled.hand.phase,
            settled.deadline_ms,
            settled.settled_version,
        )
        reply = await house.tables.showdown(house.operator, Mutation("Showdown", table.table_id), view_as=0)
        assert reply.events == (await happenings(house.tables._store, table.table_id))[-1].events

    @staticmethod
    async def act_one_of(house, table, kinds):
        for kind in kinds:
            try:
                reply = await house.tables.act(
                    house.operator,
                    Mutation("Act", table.table_id),
                    Action(kind),
                    seat=table.hand.actor,
                    player_id="",
                    view_as=0,
                )
            except ServiceError:
                continue
            return reply.table
        raise AssertionError(f"none of {kinds}")


class TestIdleTables:
    @pytest.fixture
    def house(self, house, store, clock, shuffle, feed):
        house.tables = TableService(store, clock, shuffle, house.keyring, feed, idle_ttl_ms=86_400_000)
        return house

    async def test_a_day_after_the_last_change_everybody_is_paid_out(self, house, clock, store, admin):
        table = await house.create()
        clock.time_ms += 1000
        await house.seat(table, "ann", 70)
        clock.time_ms += 86_400_000 - 1
        assert await house.tables.expire(table.table_id) is None
        assert await house.get(table)
        clock.time_ms += 1
        assert 0 == await house.tables.expire(table.table_id)
        with pytest.raises(ServiceError) as refusal:
            await house.get(table)
        assert Reason.TABLE_NOT_FOUND == refusal.value.reason
        assert ([], "") == await house.tables.list_tables(house.operator, 10, "")
        last = (await happenings(store, table.table_id))[-1]
        assert (SeatLeft(1, "ann", 70), TableDeleted()) == last.events
        assert None is admin.zscore(keys.deadlines_key(keys.shard_of(table.table_id)), table.table_id)

    async def test_looking_is_no_change(self, house, clock, admin):
        table = await house.create()
        due = admin.zscore(keys.deadlines_key(keys.shard_of(table.table_id)), table.table_id)
        assert clock.time_ms + 86_400_000 == due
        clock.time_ms += 5000
        await house.get(table)
        await house.tables.list_tables(house.operator, 10, "")
        assert due == admin.zscore(keys.deadlines_key(keys.shard_of(table.table_id)), table.table_id)

    async def test_a_table_that_only_plays_by_itself_is_idle(self, house, clock):
        """Nobody ever acts or sits out, every hand is dealt by itself: after a day that ends, between two hands."""
        settings = Settings(auto_deal=True, sit_out_after=0, action_time_ms=3_600_000)
        table = await house.create("seven-card-stud", settings=settings)
        for name in ("ann", "bob"):
            await house.seat(table, name)
        ends_ms = clock.time_ms + 86_400_000
        for _ in range(200):
            table = await house.get(table)
            clock.time_ms = table.due_ms
            await house.tables.expire(table.table_id)
            if clock.time_ms >= ends_ms and not table.playing:
                break
        assert table.hand_number > 3
        with pytest.raises(ServiceError):
            await house.get(table)

    async def test_a_repetition_of_the_request_that_made_it_finds_it_gone(self, house, clock):
        mutation = Mutation("CreateTable", "", "8b0cf9a5-8b4b-4e8e-9d53-000000000001", body=b"x")
        options = {"profile": "baseball", "rules": (await house.create()).rules, "settings": Settings()}
        first = (await house.tables.create_table(house.operator, mutation, **options)).table
        clock.time_ms = first.due_ms
        await house.tables.expire(first.table_id)
        with pytest.raises(ServiceError) as refusal:
            await house.tables.create_table(house.operator, mutation, **options)
        assert Reason.TABLE_NOT_FOUND == refusal.value.reason


async def test_without_an_idle_time_tables_stay(house, admin):
    table = await house.create()
    assert None is admin.zscore(keys.deadlines_key(keys.shard_of(table.table_id)), table.table_id)
