"""Watching a table: what was missed and what is new, once and in order, until the table ends or the store goes away."""

import asyncio
from contextlib import aclosing

import pytest
from msgspec import structs

from service.errors import Reason, ServiceError
from service.feed import Checkpoint, Feed, Published
from service.shuffle import SystemShuffle
from service.snapshot import encode_happening
from service.store import keys
from service.store.base import Commit, StoreUnavailable
from service.store.durability import Durability
from service.store.embedded import EmbeddedStore
from service.store.redis import RedisStore
from service.table_events import Happening, TableDeleted
from service.table_service import TableService
from service.table_writer import TableWriter
from tests.service.watching import come_and_go, take


async def first_checkpoint(stream):
    """Yield a stream's items up to the first checkpoint."""
    async for item in stream:
        yield item
        if isinstance(item, Checkpoint):
            return


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

    other = Feed(house.tables._store, idle_s=60)
    other.start()
    followers = [asyncio.create_task(follow(after, source)) for after in (0, 1) for source in (feed, feed, other)]
    await come_and_go(house, table, 40)
    followers += [asyncio.create_task(follow(40, feed))]
    for follower in followers:
        versions = await follower
        assert list(range(versions[0], 82)) == versions
    assert (0, 0) == (feed.watchers, other.watchers)
    await other.close()


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
        assert 1 == (await take(stream, 1))[0].version
        await come_and_go(house, table, 80)
        with pytest.raises(ServiceError) as refusal:
            await take(stream, 160)
    assert Reason.VERSION_TOO_OLD == refusal.value.reason
    await store.close()


async def test_who_resumes_in_a_gap_gets_nothing_that_was_kept_from_before_it(embedded, house, clock, shuffle):
    store = RedisStore(embedded.url, events_kept=1)
    await store.connect()
    house.tables = TableService(store, clock, shuffle, house.keyring, Feed(store))
    table = await house.create()
    feed = Feed(store, idle_s=0.05)
    async with aclosing(feed.watch(table.table_id, 1)) as slow, aclosing(feed.watch(table.table_id, 1)) as keen:
        assert isinstance(await anext(slow), Checkpoint)
        await come_and_go(house, table, 1)
        assert [2, 3] == [happening.version for happening in await take(keen, 2)]
        await come_and_go(house, table, 60)
        oldest = (await store.events(table.table_id, 0, 1)).oldest_version
        assert 5 < oldest
        for late in (keen, feed.watch(table.table_id, oldest - 2), feed.watch(table.table_id, oldest - 3)):
            with pytest.raises(ServiceError) as refusal:
                await take(late, 1)
            assert Reason.VERSION_TOO_OLD == refusal.value.reason
        async with aclosing(feed.watch(table.table_id, oldest - 1)) as resumed:
            assert oldest == (await take(resumed, 1))[0].version
    await store.close()


async def test_who_comes_while_a_slow_one_has_yet_to_hear_of_a_failure_follows_all_the_same(house, store, admin):
    feed = Feed(store, idle_s=0.05)
    table = await house.create()
    key = keys.events_key(table.table_id)
    slow, keen = (feed.watch(table.table_id, 0) for _ in range(2))
    for stream in (slow, keen):
        assert 1 == (await take(stream, 1))[0].version
    admin.rename(key, f"{key}:away")
    admin.set(key, "none")
    with pytest.raises(ServiceError):
        await take(keen, 1)
    admin.rename(f"{key}:away", key)
    async with aclosing(feed.watch(table.table_id, 0)) as newcomer:
        assert 1 == (await take(newcomer, 1))[0].version
        with pytest.raises(ServiceError):
            await take(slow, 1)
        assert 1 == feed.watchers
        await house.seat(table, "ann")
        assert 2 == (await take(newcomer, 1))[0].version
    assert {} == feed._tables


async def test_a_commit_that_the_store_has_lost_is_never_passed_over(house, feed, admin):
    table = await house.create()
    await come_and_go(house, table, 3)
    admin.xdel(keys.events_key(table.table_id), "4-0")
    for after_version, reason in (
        (0, Reason.TABLE_DAMAGED),
        (2, Reason.TABLE_DAMAGED),
        (3, Reason.VERSION_TOO_OLD),
    ):
        with pytest.raises(ServiceError) as refusal:
            await anext(feed.watch(table.table_id, after_version))
        assert reason == refusal.value.reason
    async with aclosing(feed.watch(table.table_id, 4)) as stream:
        assert [5, 6, 7] == [happening.version for happening in await take(stream, 3)]


async def test_too_new(house, feed):
    table = await house.create()
    with pytest.raises(ServiceError) as refusal:
        await anext(feed.watch(table.table_id, 2))
    assert Reason.VERSION_TOO_NEW == refusal.value.reason
    assert {"version": "1"} == refusal.value.metadata


async def test_a_watcher_of_a_deleted_table_gets_everything_and_then_the_end(house, feed):
    table = await house.create()
    await come_and_go(house, table, 40)
    async with aclosing(feed.watch(table.table_id, 0)) as late, aclosing(feed.watch(table.table_id, 81)) as waiting:
        assert isinstance(await anext(waiting), Checkpoint)
        assert 1 == (await anext(late)).happening.version
        deleted = await house.delete(table)
        assert [82] == [item.happening.version async for item in waiting if isinstance(item, Published)]
        rest = [item async for item in late]
    assert list(range(2, 83)) == [item.happening.version for item in rest]
    assert deleted.events == rest[-1].happening.events
    assert 0 == feed.watchers


async def test_a_drained_feed_ends_its_streams_so_that_they_can_resume(house, feed, store):
    table = await house.create()
    stream = feed.watch(table.table_id, 0)
    assert 1 == (await take(stream, 1))[0].version
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


def ending(table):
    """Return the commit that deletes a table."""
    version = table.version + 1
    end = Happening(version, f"{version}-end", table.hand_number, 0, (TableDeleted(),))
    return Commit(
        table_id=table.table_id,
        tenant=table.tenant,
        expected_etag=table.etag,
        version=version,
        etag=end.etag,
        snapshot=b"",
        events=encode_happening(end),
        delete=True,
    )


async def all_of(stream):
    """Return the versions of a stream that ends."""
    return [item.happening.version async for item in stream if isinstance(item, Published)]


class TestTheEndOfATable:
    async def test_everybody_gets_the_last_events_and_then_the_end(self, house, feed, store):
        table = await house.create()
        await come_and_go(house, table, 70)
        table = await house.get(table)
        present = asyncio.create_task(all_of(feed.watch(table.table_id, 141)))
        late = feed.watch(table.table_id, 0)
        assert [1] == [happening.version for happening in await take(late, 1)]
        await store.commit(ending(table))
        assert [142] == await present
        assert [*range(2, 143)] == await all_of(late)
        assert (0, {}) == (feed.watchers, feed._tables)

    async def test_who_hears_late_of_many_commits_and_of_the_end_gets_them_all(self, house, store):
        feed = Feed(store, idle_s=0.05)  # not started: it hears nothing and finds out by itself
        table = await house.create()
        stream = feed.watch(table.table_id, 1)
        assert isinstance(await anext(stream), Checkpoint)
        await come_and_go(house, table, 70)
        await store.commit(ending(await house.get(table)))
        assert [*range(2, 143)] == await all_of(stream)

    async def test_who_comes_after_it(self, house, feed, store):
        table = await house.create()
        await store.commit(ending(table))
        for after_version, versions in ((0, [1, 2]), (1, [2]), (2, [])):
            assert versions == await all_of(feed.watch(table.table_id, after_version))
        assert [] == await all_of(feed.watch("nosuchtable", 0))

    async def test_a_table_of_the_same_id_is_another_one(self, house, store):
        """Who followed the old one is told to read anew, whether the new one has come as far or not."""
        feed = Feed(store, idle_s=0.05)  # not started: it hears nothing and finds out by itself
        for new_version in (1, 2, 3):
            table = await house.create()
            await house.seat(table, "ann")
            table = await house.get(table)
            stream = feed.watch(table.table_id, 1)
            assert [2] == [happening.version for happening in await take(stream, 1)]
            await store.commit(ending(table))
            etag = ""
            for version in range(1, new_version + 1):
                happening = Happening(version, f"{version}-new", 0, 0, ())
                begin = structs.replace(ending(table), version=version, expected_etag=etag, etag=happening.etag)
                etag = happening.etag
                await store.commit(structs.replace(begin, delete=False, events=encode_happening(happening)))
            with pytest.raises(ServiceError) as refusal:
                await all_of(stream)
            assert (Reason.VERSION_TOO_NEW, {"version": str(new_version)}) == (
                refusal.value.reason,
                refusal.value.metadata,
            )
            assert {} == feed._tables


class TestWithoutTheStore:
    async def test_all_end_resumably_and_the_next_ones_follow_again(self, house):
        with EmbeddedStore(durability=Durability("always")) as embedded:
            store = RedisStore(embedded.url, timeout_ms=500)
            await store.connect()
            house.tables = TableService(store, house.clock, SystemShuffle(), house.keyring, Feed(store))
            table = await house.create()
            feed = Feed(store, idle_s=0.05)
            feed.start()
            streams = [feed.watch(table.table_id, 0) for _ in range(5)]
            for stream in streams:
                await take(stream, 1)
            embedded._process.kill()
            embedded._process.wait()
            for stream in streams:
                with pytest.raises(StoreUnavailable):
                    await take(stream, 1)
            assert (0, {}) == (feed.watchers, feed._tables)
            embedded.start()
            async with aclosing(feed.watch(table.table_id, 1)) as stream:
                await house.seat(table, "ann")
                assert [2] == [happening.version for happening in await take(stream, 1)]
            await feed.close()
            await store.close()

    async def test_a_closed_feed_keeps_nobody(self, house, store):
        feed = Feed(store)
        feed.start()
        table = await house.create()
        waiting = [asyncio.create_task(take(feed.watch(table.table_id, 1), 1)) for _ in range(5)]
        await asyncio.sleep(0)
        await feed.close()
        for task in waiting:
            with pytest.raises(ServiceError) as refusal:
                await task
            assert Reason.DRAINING == refusal.value.reason
        assert {} == feed._tables
