"""Clocks that are watched: every absent player is played for once, whichever worker does it, whoever dies over it."""

import asyncio
import sys
import time
from contextlib import asynccontextmanager

import pytest
import structlog
from google.protobuf.duration_pb2 import Duration

from proto.stud.v1 import stud_pb2
from service.address import Address
from service.clock import SystemClock
from service.deadlines import DeadlineKeeper
from service.feed import Feed
from service.server import Server
from service.store import keys
from service.store.durability import Durability
from service.store.embedded import EmbeddedStore
from service.store.redis import RedisStore
from service.table import Settings
from service.table_events import ActionTimedOut
from service.table_service import TableService
from tests.service.timed_tables import dealt, happenings, timeouts


@pytest.fixture(scope="module")
def embedded():
    """A store of its own: what is due here is nobody else's."""
    with EmbeddedStore(durability=Durability("memory")) as store:
        yield store


@pytest.fixture(autouse=True)
def nothing_due(admin):
    admin.flushall()


async def eventually(check, within_s=60.0):
    give_up = time.monotonic() + within_s
    while not (found := await check()):
        assert time.monotonic() < give_up
        await asyncio.sleep(0.02)
    return found


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
        keepers.start(other._store, other.expire)
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

    async def test_sixteen_are_played_at_once_and_the_others_follow(self, house, clock, store, keepers):
        tables = [await dealt(house, players=2) for _ in range(40)]
        clock.time_ms = max(table.deadline_ms for table in tables)
        running, most = set(), 0

        async def slowly(table_id):
            nonlocal most
            running.add(table_id)
            most = max(most, len(running))
            await asyncio.sleep(0.05)
            late_ms = await house.tables.expire(table_id)
            running.discard(table_id)
            return late_ms

        async def all_played():
            return len(keepers.late) == len(tables)

        with structlog.testing.capture_logs() as logs:
            keepers.start(store, slowly)
            await eventually(all_played)
        assert 1 < most <= 16
        assert [] == logs
        assert [table.version + 1 for table in tables] == [(await house.get(table)).version for table in tables]

    async def test_what_is_not_due_any_more_counts_as_nothing_played(self, house, clock, store, keepers):
        table, asked = await dealt(house, players=2), asyncio.Event()

        async def too_late(table_id):
            asked.set()

        clock.time_ms = table.deadline_ms
        keeper = keepers.start(store, too_late)
        await asked.wait()
        await keeper.close()
        assert [] == keepers.late

    async def test_a_shard_that_cannot_be_read_stops_no_clock_of_the_others(self, house, clock, store, keepers, admin):
        table = await dealt(house)
        damaged = (keys.shard_of(table.table_id) + 1) % keys.SHARDS
        admin.zadd(keys.deadlines_key(damaged), {"x": "-inf"})
        with structlog.testing.capture_logs() as logs:
            keepers.start(store, house.tables.expire)

            async def complained():
                return logs

            await eventually(complained)
            for _ in range(2):
                now = await house.get(table)
                clock.time_ms = now.deadline_ms

                async def played(version=now.version):
                    return (await house.get(table)).version > version

                await eventually(played)
            for keeper in keepers.running:
                await keeper.close()
        assert 2 == len(keepers.late)
        assert [("deadlines not read", "warning")] == [(line["event"], line["log_level"]) for line in logs]

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
        assert third.table_id in (await store.deadlines().claim(third.deadline_ms, 10_000)).table_ids


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
