"""Time that runs out: once, whoever is first, whatever happens at the same moment, and whoever dies over it."""

import asyncio
import random
import sys
import time
from contextlib import asynccontextmanager

import pytest
import redis
import structlog
from google.protobuf.duration_pb2 import Duration

from engine import Action, ActionKind
from engine.state import Phase
from proto.stud.v1 import stud_pb2
from service.address import Address
from service.clock import SystemClock
from service.deadlines import DeadlineKeeper
from service.errors import Reason, ServiceError
from service.feed import Feed
from service.server import Server
from service.store import keys
from service.store.durability import Durability
from service.store.embedded import EmbeddedStore
from service.store.redis import RedisStore
from service.table import Settings
from service.table_events import ActionTimedOut, SeatLeft, TableDeleted
from service.table_service import TableService
from service.table_writer import Mutation, TableWriter

CENTURY_MS = 100 * 365 * 86_400_000


@pytest.fixture(scope="module")
def embedded():
    """A store of its own: what is due here is nobody else's."""
    with EmbeddedStore(durability=Durability("memory")) as store:
        yield store


@pytest.fixture(autouse=True)
def admin(embedded):
    with redis.Redis.from_url(embedded.url, protocol=2) as client:
        client.flushall()
        yield client


@pytest.fixture
async def store(embedded):
    # On a busy machine some of many callers wait long for one of the connections.
    store = RedisStore(embedded.url, timeout_ms=20_000)
    await store.connect()
    yield store
    await store.close()


@pytest.fixture
async def other(embedded, clock, shuffle, house, feed):
    """The use cases in another worker, with a store connection and a memory of its own."""
    store = RedisStore(embedded.url, timeout_ms=20_000)
    await store.connect()
    tables = TableService(store, clock, shuffle, house.keyring, feed)
    tables.store = store
    yield tables
    await store.close()


async def dealt(house, players=3, **options):
    table = await house.create("seven-card-stud", **options)
    for number in range(1, players + 1):
        await house.seat(table, f"player{number}")
    return (await house.deal(table)).table


async def eventually(check, within_s=60.0):
    give_up = time.monotonic() + within_s
    while not (found := await check()):
        assert time.monotonic() < give_up
        await asyncio.sleep(0.02)
    return found


async def happenings(store, table_id):
    writer = TableWriter(store, SystemClock())
    stored = await store.events(table_id, 0, 10_000)
    return [await writer.happening(table_id, event.version) for event in stored.events]


def timeouts(happening):
    return [event for event in happening.events if isinstance(event, ActionTimedOut)]


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
        self, house, other, embedded, clock, shuffle, feed
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
        store = Stopped(embedded.url, claim_ms=1)
        await store.connect()
        stopped = TableService(store, clock, shuffle, house.keyring, feed)
        assert [table.table_id] == list((await store.deadlines().claim(clock.time_ms, 10)).table_ids)
        expiring = asyncio.create_task(stopped.expire(table.table_id))
        await store.about_to.wait()
        clock.time_ms += 5000
        assert [table.table_id] == list((await other.store.deadlines().claim(clock.time_ms, 10)).table_ids)
        assert 5000 == await other.expire(table.table_id)
        store.go_on.set()
        assert None is await expiring
        after = await house.get(table)
        assert (table.version + 1, 1) == (after.version, after.seating(table.hand.actor).timeouts)
        await store.close()

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
        assert 0 == admin.exists(keys.deadlines_key(keys.shard_of(table.table_id)))

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


class Keepers:
    """The deadlines of some workers, and how late each was played."""

    def __init__(self, clock):
        self.clock = clock
        self.late = []
        self.running = []

    def start(self, store, expire):
        keeper = DeadlineKeeper(store.deadlines(), expire, self.clock, on_played=self.late.append)
        keeper.start()
        self.running.append(keeper)
        return keeper


@pytest.fixture
async def keepers(clock):
    keepers = Keepers(clock)
    yield keepers
    for keeper in keepers.running:
        await keeper.close()


class TestKeeper:
    async def test_two_workers_play_every_absent_player_once(self, house, other, clock, store, keepers):
        tables = [await dealt(house) for _ in range(100)]
        before = sum(table.version for table in tables)
        keepers.start(store, house.tables.expire)
        keepers.start(other.store, other.expire)
        while True:
            now = [await house.get(table) for table in tables]
            if not any(table.playing for table in now):
                break
            clock.time_ms = max(table.due_ms for table in now if table.playing)

            async def all_played(until_ms=clock.time_ms):
                now = [await house.get(table) for table in tables]
                return all(not table.playing or table.due_ms > until_ms for table in now)

            await eventually(all_played)
        for keeper in keepers.running:
            await keeper.close()
        assert sum(table.version for table in now) - before == len(keepers.late)
        for table in tables:
            found = await happenings(store, table.table_id)
            assert list(range(1, len(found) + 1)) == [each.version for each in found]
            # The bring-in is posted, the other two fold to it.
            assert 3 == sum(map(len, map(timeouts, found)))
        assert all(late_ms >= 0 for late_ms in keepers.late)

    async def test_hands_are_dealt_until_too_few_are_left_and_then_nothing_is_due(
        self, house, clock, store, keepers, admin
    ):
        settings = Settings(auto_deal=True, sit_out_after=2)
        table = await house.create("seven-card-stud", settings=settings)
        for name in ("ann", "bob", "cy"):
            await house.seat(table, name)
        keepers.start(store, house.tables.expire)
        while (now := await house.get(table)).due_ms is not None:
            clock.time_ms = now.due_ms

            async def gone_on(version=now.version):
                return (await house.get(table)).version > version

            await eventually(gone_on)
        assert now.hand_number >= 2
        assert sum(not seat.sitting_out for seat in now.seats) < 2
        assert 0 == admin.exists(keys.deadlines_key(keys.shard_of(table.table_id)))

    async def test_a_table_that_cannot_be_read_stops_no_other(self, house, clock, store, keepers, admin):
        damaged, fine = await dealt(house), await dealt(house)
        admin.hset(keys.table_key(damaged.table_id), mapping={"etag": "9-x", "snapshot": b"\x01 secret"})
        clock.time_ms = fine.deadline_ms
        with structlog.testing.capture_logs() as logs:
            keepers.start(store, house.tables.expire)

            async def played():
                return (await house.get(fine)).version > fine.version

            await eventually(played)
            for _ in range(3):  # it comes again whenever a claim ends, and is not complained about each time
                clock.time_ms += 5000
                await asyncio.sleep(0.3)
            for keeper in keepers.running:
                await keeper.close()
        [line] = [line for line in logs if line["event"] == "deadline not played"]
        assert (damaged.table_id, "ServiceError") == (line["table_id"], line["error"])
        assert "secret" not in str(logs)

    async def test_a_store_that_goes_away_and_comes_back(self, house, clock, shuffle, keepers):
        with EmbeddedStore(durability=Durability("always")) as embedded, structlog.testing.capture_logs() as logs:
            async with service_on(embedded, house, clock, shuffle) as (store, tables):
                house.tables = tables
                table = await dealt(house, players=2)
                keepers.start(store, tables.expire)
                embedded._process.kill()
                embedded._process.wait()
                clock.time_ms = table.deadline_ms
                await asyncio.sleep(1.5)
                embedded.start()

                async def played():
                    return (await house.get(table)).version > table.version

                await eventually(played)
                for keeper in keepers.running:
                    await keeper.close()
        assert 1 == len(keepers.late)
        assert 1 <= len(logs) <= 3

    async def test_after_the_drain_nothing_is_claimed_and_what_was_claimed_is_played(
        self, house, clock, store, keepers
    ):
        begun, may_go_on = asyncio.Event(), asyncio.Event()

        async def slowly(table_id):
            begun.set()
            await may_go_on.wait()
            return await house.tables.expire(table_id)

        first, second = await dealt(house, players=2), await dealt(house, players=2)
        clock.time_ms = first.deadline_ms
        keeper = keepers.start(store, slowly)
        await begun.wait()
        third = await dealt(house, players=2)
        keeper.drain()
        closing = asyncio.create_task(keeper.close())
        clock.time_ms = third.deadline_ms
        may_go_on.set()
        await closing
        assert [first.version + 1, second.version + 1] == [(await house.get(each)).version for each in (first, second)]
        assert third.version == (await house.get(third)).version
        assert [third.table_id] == (await store.deadlines().claim(third.deadline_ms, 10)).table_ids


@asynccontextmanager
async def service_on(embedded, house, clock, shuffle):
    store = RedisStore(embedded.url, timeout_ms=500)
    await store.connect()
    yield store, TableService(store, clock, shuffle, house.keyring, Feed(store))
    await store.close()


SECOND = Duration(seconds=1)


class TestOverTheWire:
    async def test_absent_players_are_played_for(self, wire):
        table_id, _ = await wire.table(players=2, profile="seven-card-stud", action_time=SECOND)
        dealt = await wire.deal(table_id)
        assert 1000 >= dealt.deadline.ToMilliseconds() - dealt.update_time.ToMilliseconds() > 0
        request = stud_pb2.WatchTableRequest(table_id=table_id, after_version=dealt.version)
        stream = wire.tables.WatchTable(request, **wire.options(None))
        posted, folded = await stream.read(), await stream.read()
        assert ["action_timed_out", "bring_in_posted"] == [event.WhichOneof("kind") for event in posted.events][:2]
        assert dealt.to_act_seat == posted.events[0].action_timed_out.seat == posted.events[1].bring_in_posted.seat
        assert ["action_timed_out", "folded"] == [event.WhichOneof("kind") for event in folded.events][:2]
        assert "hand_ended" in [event.WhichOneof("kind") for event in folded.events]
        assert dealt.deadline.ToMilliseconds() <= posted.time.ToMilliseconds()
        over = await wire.get(table_id)
        assert not over.HasField("deadline")
        assert dealt.version + 2 == over.version

    async def test_hands_deal_themselves_until_everybody_sits_out(self, wire):
        fields = {"action_time": SECOND, "auto_deal": True, "deal_pause": SECOND, "sit_out_after": 1}
        table_id, _ = await wire.table(players=2, profile="seven-card-stud", **fields)
        waiting = await wire.get(table_id)
        assert waiting.HasField("deal_time")
        assert (1, 1, 1) == (
            waiting.settings.sit_out_after,
            waiting.settings.deal_pause.seconds,
            waiting.settings.action_time.seconds,
        )
        request = stud_pb2.WatchTableRequest(table_id=table_id, after_version=waiting.version)
        kinds = []
        stream = wire.tables.WatchTable(request, **wire.options())
        while "hand_ended" not in kinds:
            kinds += [event.WhichOneof("kind") for event in (await stream.read()).events]
        stream.cancel()
        assert "hand_started" == kinds[0]
        assert 2 == kinds.count("sat_out")
        over = await wire.get(table_id)
        assert [True, True] == [seat.sitting_out for seat in over.seats]
        assert not over.HasField("deal_time")

    async def test_everybody_sees_the_time_bank_and_one_deadline(self, wire):
        table_id, tokens = await wire.table(
            players=2, profile="seven-card-stud", action_time=Duration(seconds=20), time_bank=Duration(seconds=90)
        )
        await wire.deal(table_id)
        views = [await wire.get(table_id, bearer) for bearer in ("operator", None, *tokens)]
        for view in views:
            assert [90, 90] == [seat.time_bank.seconds for seat in view.seats]
            # The turn begins a moment before it is written down.
            assert 100_000 < view.deadline.ToMilliseconds() - view.update_time.ToMilliseconds() <= 110_000
        assert 90 == views[0].settings.time_bank.seconds

    async def test_a_server_that_has_stopped_leaves_the_clocks_to_others(self, wire, store, config):
        server = Server(config, store)
        await server.start(Address("127.0.0.1", 0))
        await server.stop()
        assert server._deadlines._task.done()
        table_id, _ = await wire.table(players=2, profile="seven-card-stud", action_time=SECOND)
        version = (await wire.deal(table_id)).version

        async def played():
            return (await wire.get(table_id)).version > version

        await eventually(played)

    async def test_a_table_without_one_shows_none(self, wire):
        table_id, _ = await wire.table(players=2)
        assert not any(seat.HasField("time_bank") for seat in (await wire.get(table_id)).seats)


CLAIMANT = """
import asyncio, sys
from service.clock import SystemClock
from service.store.redis import RedisStore

async def main(url):
    store = RedisStore(url)
    await store.connect()
    now_ms = SystemClock().now_ms()
    claimed = await store.deadlines().claim(now_ms, 10)
    print(now_ms, *claimed.table_ids, flush=True)
    await asyncio.sleep(3600)

asyncio.run(main(sys.argv[1]))
"""


async def test_what_a_killed_worker_has_claimed_another_one_plays(embedded, house, store, feed, shuffle, keepers):
    keepers.clock = house.clock = clock = SystemClock()
    house.tables = TableService(store, clock, shuffle, house.keyring, feed)
    table = await dealt(house, players=2, settings=Settings(action_time_ms=1000))

    async def due():
        return clock.now_ms() > table.deadline_ms

    await eventually(due)
    command = (sys.executable, "-c", CLAIMANT, embedded.url)
    claimant = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    claimed_ms, table_id = (await claimant.stdout.readline()).decode().split()
    claimant.kill()
    await claimant.wait()
    assert table.table_id == table_id
    keepers.start(store, house.tables.expire)

    async def played():
        return (await house.get(table)).version > table.version

    await eventually(played)
    happening = (await happenings(store, table_id))[table.version]
    assert [ActionTimedOut(table.hand.actor)] == timeouts(happening)
    assert happening.time_ms >= int(claimed_ms) + 5000
