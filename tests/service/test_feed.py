import asyncio
from contextlib import aclosing

import grpc
import pytest

from proto.stud.v1 import stud_pb2
from service.errors import Reason, ServiceError
from service.feed import Checkpoint, Feed
from service.store.redis import RedisStore
from service.table_events import Happening
from service.table_service import TableService
from service.table_writer import Mutation, TableWriter


async def take(stream, count):
    """Return the next happenings of a stream, checkpoints left out."""
    found = []
    async for item in stream:
        if isinstance(item, Happening):
            found.append(item)
        if len(found) == count:
            return found
    raise AssertionError(f"the stream ended after {len(found)} of {count}")


async def first_checkpoint(stream):
    """Yield a stream's items up to the first checkpoint."""
    async for item in stream:
        yield item
        if isinstance(item, Checkpoint):
            return


async def come_and_go(house, table, times):
    """Change a table twice as many times."""
    for number in range(times):
        caller = await house.seat(table, f"guest{number}")
        await house.tables.leave_seat(caller, Mutation("LeaveSeat", table.table_id), seat=0, player_id="", view_as=0)


async def test_missed_events_first_then_live_ones(house, feed):
    table = await house.create()
    await come_and_go(house, table, 2)
    async with aclosing(feed.watch(table.table_id, 1)) as stream:
        missed = await take(stream, 4)
        living = asyncio.create_task(take(stream, 6))
        await come_and_go(house, table, 3)
        versions = [happening.version for happening in (*missed, *await living)]
    assert list(range(2, 12)) == versions


async def test_more_than_a_page(house, feed):
    table = await house.create()
    await come_and_go(house, table, 70)
    async with aclosing(feed.watch(table.table_id, 0)) as stream:
        assert list(range(1, 142)) == [happening.version for happening in await take(stream, 141)]


async def test_many_watchers_while_others_write(house, feed):
    """Each sees every version once and in order, wherever it begins, on this worker or on another one."""
    table = await house.create()

    async def follow(after_version, source):
        async with aclosing(source.watch(table.table_id, after_version)) as stream:
            return [happening.version for happening in await take(stream, 81 - after_version)]

    other = Feed(house.tables._store, idle_s=0.05)  # the same subscription is another consumer's: it lives by checks
    followers = [asyncio.create_task(follow(after, source)) for after in (0, 1) for source in (feed, feed, other)]
    await come_and_go(house, table, 40)
    followers += [asyncio.create_task(follow(40, feed))]
    for follower in followers:
        versions = await follower
        assert list(range(versions[0], 82)) == versions
    assert 0 == feed.watchers


async def test_an_idle_stream_gets_checkpoints(house, feed):
    table = await house.create()
    async with aclosing(feed.watch(table.table_id, 1)) as stream:
        for _ in range(3):
            assert Checkpoint(1, table.etag, 0) == await anext(stream)
        await house.seat(table, "ann")
        assert 2 == (await take(stream, 1))[0].version


async def test_a_checkpoint_knows_the_hand(house):
    table = await house.create()
    for number in range(2):
        await house.seat(table, f"player{number}")
    dealt = await house.deal(table)
    for after_version in (dealt.version - 1, dealt.version):
        async with aclosing(house.tables.watch(house.operator, table.table_id, after_version, 0)) as stream:
            found = [item async for item in first_checkpoint(stream)]
        assert Checkpoint(dealt.version, dealt.etag, 1) == found[-1]


async def test_too_old_names_the_oldest_that_is_kept(embedded, house, clock, shuffle):
    store = RedisStore(embedded.url, events_kept=1)
    await store.connect()
    tables = TableService(store, clock, shuffle, house.keyring, Feed(store))
    house.tables = tables
    table = await house.create()
    await come_and_go(house, table, 80)
    feed = Feed(store, idle_s=0.05)
    page = await store.events(table.table_id, 0, 1)
    assert page.oldest_version > 1
    with pytest.raises(ServiceError) as refusal:
        await anext(feed.watch(table.table_id, page.oldest_version - 2))
    assert Reason.VERSION_TOO_OLD == refusal.value.reason
    assert {"oldest_version": str(page.oldest_version), "version": "161"} == refusal.value.metadata
    async with aclosing(feed.watch(table.table_id, page.oldest_version - 1)) as stream:
        assert page.oldest_version == (await take(stream, 1))[0].version
    await store.close()


async def test_a_watcher_that_falls_behind_ends_instead_of_leaving_a_gap(embedded, house, clock, shuffle):
    store = RedisStore(embedded.url, events_kept=1)
    await store.connect()
    house.tables = TableService(store, clock, shuffle, house.keyring, Feed(store))
    table = await house.create()
    async with aclosing(Feed(store, idle_s=0.05).watch(table.table_id, 0)) as stream:
        assert 1 == (await anext(stream)).version
        await come_and_go(house, table, 80)
        with pytest.raises(ServiceError) as refusal:
            await take(stream, 160)
    assert Reason.VERSION_TOO_OLD == refusal.value.reason
    await store.close()


async def test_too_new(house, feed):
    table = await house.create()
    with pytest.raises(ServiceError) as refusal:
        await anext(feed.watch(table.table_id, 2))
    assert Reason.VERSION_TOO_NEW == refusal.value.reason
    assert {"version": "1"} == refusal.value.metadata


async def test_a_drained_feed_ends_its_streams_so_that_they_can_resume(house, feed, store):
    table = await house.create()
    stream = feed.watch(table.table_id, 0)
    assert 1 == (await anext(stream)).version
    waiting = asyncio.create_task(take(stream, 1))
    await asyncio.sleep(0)
    feed.drain()
    for ended in (waiting, anext(feed.watch(table.table_id, 0))):
        with pytest.raises(ServiceError) as refusal:
            await ended
        assert Reason.DRAINING == refusal.value.reason
    await house.seat(table, "ann")
    again = Feed(store)
    async with aclosing(again.watch(table.table_id, 1)) as resumed:
        assert 2 == (await take(resumed, 1))[0].version


async def test_a_happening_reads_back_as_it_was_committed(house, store, clock):
    table = await house.create()
    for number in range(2):
        await house.seat(table, f"player{number}")
    dealt = await house.deal(table)
    happening = await TableWriter(store, clock).happening(table.table_id, dealt.version)
    assert dealt.events == happening.events
    assert (dealt.etag, clock.time_ms, 1) == (happening.etag, happening.time_ms, happening.hand_number)


class TestOverTheWire:
    async def test_a_stream_is_resumed_after_its_last_version(self, wire):
        table_id, tokens = await wire.table()
        await wire.deal(table_id)
        version = (await wire.get(table_id)).version
        versions = []
        after = 0
        while after < version:  # a stream that breaks off after two messages each time
            request = stud_pb2.WatchTableRequest(table_id=table_id, after_version=after)
            stream = wire.tables.WatchTable(request, **wire.options(tokens[0]))
            for _ in range(2):
                if after < version:
                    message = await stream.read()
                    versions.append(message.version)
                    after = message.version
            stream.cancel()
        assert list(range(1, version + 1)) == versions

    async def test_versions_that_are_none(self, wire, refused):
        table_id, _ = await wire.table()
        for after_version, status, reason in (
            (-1, "INVALID_ARGUMENT", "INVALID_FIELD"),
            (5, "OUT_OF_RANGE", "VERSION_TOO_NEW"),
            (2**63 - 1, "OUT_OF_RANGE", "VERSION_TOO_NEW"),
        ):
            request = stud_pb2.WatchTableRequest(table_id=table_id, after_version=after_version)
            with refused(status, reason):
                await wire.tables.WatchTable(request, **wire.options()).read()

    async def test_a_players_stream_ends_when_the_player_has_left(self, wire, refused):
        table_id, tokens = await wire.table()
        request = stud_pb2.WatchTableRequest(table_id=table_id, after_version=3)
        stream = wire.tables.WatchTable(request, **wire.options(tokens[0]))
        assert 4 == (await stream.read()).version
        await wire.tables.LeaveSeat(stud_pb2.LeaveSeatRequest(table_id=table_id), **wire.options(tokens[0]))
        assert "seat_left" == (await stream.read()).events[0].WhichOneof("kind")
        with refused("PERMISSION_DENIED", "SEATING_ENDED"):
            await stream.read()

    async def test_cancelled_streams_leave_nothing_behind(self, wire):
        table_id, _ = await wire.table()
        request = stud_pb2.WatchTableRequest(table_id=table_id)
        streams = [wire.tables.WatchTable(request, **wire.options()) for _ in range(20)]
        for stream in streams:
            await stream.read()
            stream.cancel()
        for stream in streams:
            assert grpc.StatusCode.CANCELLED == await stream.code()
        assert 4 == (await wire.get(table_id)).version
