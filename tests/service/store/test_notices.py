"""The worker's subscription: nothing missed silently, nothing piled up, one connection."""

import asyncio
import os
import signal
import time

import pytest
import redis

from service.store import keys
from service.store.base import Notice


def drop_subscribers(admin: redis.Redis) -> None:
    admin.client_kill_filter(_type="pubsub")


async def fetch(notices, count: int) -> list[Notice]:
    return [await asyncio.wait_for(anext(notices), 5) for _ in range(count)]


async def assert_silent(notices) -> None:
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(anext(notices), 0.1)


async def until_pending(notices, expected: dict[str, int | None]) -> None:
    """Wait until all that arrived is what was expected, without fetching it."""
    give_up = time.monotonic() + 5
    while notices._pending != expected:
        assert time.monotonic() < give_up, notices._pending
        await asyncio.sleep(0.01)


async def watching(store, *table_ids: str):
    """Watch tables and wait until the watches hold."""
    notices = store.notices()
    for table_id in table_ids:
        notices.watch(table_id)
    begun = await fetch(notices, len(set(table_ids)))
    assert {Notice(table_id, None) for table_id in table_ids} == set(begun)
    return notices


async def test_a_commit_is_announced_to_every_worker(server, open_store, table):
    here, there = await open_store(server.url), await open_store(server.url)
    near, far = await watching(here, table.table_id), await watching(there, table.table_id)
    await table.write(here)
    assert [Notice(table.table_id, 1)] == await fetch(near, 1)
    assert [Notice(table.table_id, 1)] == await fetch(far, 1)
    await table.write(there)
    await table.write(there, delete=True)
    await until_pending(near, {table.table_id: 3})


async def test_everybody_who_asks_gets_a_subscription_of_its_own(store, table, admin):
    one, other = await watching(store, table.table_id), await watching(store, table.table_id)
    await table.write(store)
    assert [Notice(table.table_id, 1)] == await fetch(one, 1)
    assert [Notice(table.table_id, 1)] == await fetch(other, 1)
    await one.close()
    await table.write(store)
    assert [Notice(table.table_id, 2)] == await fetch(other, 1)
    await store.close()
    with pytest.raises(StopAsyncIteration):
        await anext(other)


async def test_conflicts_and_repeats_are_not_announced(store, table):
    notices = await watching(store, table.table_id)
    await store.commit(table.change(expected_etag="7-x", version=8))
    await assert_silent(notices)


async def test_only_watched_tables_are_reported(store, new_table):
    watched = new_table("t1")
    # Of the same shard, so that its notices do come over the connection.
    neighbour = next(new_table(f"n{n}") for n in range(10_000) if keys.shard_of(f"n{n}") == keys.shard_of("t1"))
    stranger = next(new_table(f"n{n}") for n in range(10_000) if keys.shard_of(f"n{n}") != keys.shard_of("t1"))
    notices = await watching(store, watched.table_id)
    await neighbour.write(store)
    await stranger.write(store)
    await watched.write(store)
    assert [Notice("t1", 1)] == await fetch(notices, 1)
    await assert_silent(notices)

    notices.watch(neighbour.table_id)
    assert [Notice(neighbour.table_id, None)] == await fetch(notices, 1)
    notices.unwatch("t1")
    await watched.write(store)
    await neighbour.write(store)
    assert [Notice(neighbour.table_id, 2)] == await fetch(notices, 1)
    await assert_silent(notices)


async def test_a_shard_without_watched_tables_is_unsubscribed(store, table, admin):
    channel = keys.notices_channel(keys.shard_of(table.table_id))
    notices = await watching(store, table.table_id)
    assert [(channel.encode(), 1)] == admin.pubsub_numsub(channel)
    notices.unwatch(table.table_id)
    notices.unwatch(table.table_id)
    for _ in range(100):
        await asyncio.sleep(0.01)
        if admin.pubsub_numsub(channel) == [(channel.encode(), 0)]:
            break
    else:
        pytest.fail("still subscribed")
    notices.watch(table.table_id)
    assert [Notice(table.table_id, None)] == await fetch(notices, 1)
    await table.write(store)
    assert [Notice(table.table_id, 1)] == await fetch(notices, 1)


async def test_watching_on_and_off_in_a_hurry_ends_as_asked(store, table):
    notices = store.notices()
    for _ in range(50):
        notices.watch(table.table_id)
        await asyncio.sleep(0)
        notices.unwatch(table.table_id)
        await asyncio.sleep(0)
    notices.watch(table.table_id)
    assert [Notice(table.table_id, None)] == await fetch(notices, 1)
    await asyncio.sleep(0.2)
    if notices._pending:
        # One for each time that the watch began to hold.
        assert [Notice(table.table_id, None)] == await fetch(notices, 1)
    await table.write(store)
    assert [Notice(table.table_id, 1)] == await fetch(notices, 1)


async def test_thousands_of_tables_take_one_connection(store, new_table, admin):
    tables = [new_table() for _ in range(2000)]
    notices = await watching(store, *(each.table_id for each in tables))
    assert 1 == len(admin.client_list(_type="pubsub"))
    await tables[1234].write(store)
    assert [Notice(tables[1234].table_id, 1)] == await fetch(notices, 1)


async def test_notices_that_nobody_fetches_melt_into_one(store, table, new_table):
    other = new_table()
    notices = await watching(store, table.table_id, other.table_id)
    for _ in range(50):
        await table.write(store)
    await other.write(store)
    await until_pending(notices, {table.table_id: 50, other.table_id: 1})
    assert [Notice(table.table_id, 50), Notice(other.table_id, 1)] == await fetch(notices, 2)


async def test_look_for_yourself_is_not_replaced_by_a_later_version(store, table, new_table):
    other = new_table()
    notices = await watching(store, other.table_id)
    notices.watch(table.table_id)
    await until_pending(notices, {table.table_id: None})
    await table.write(store)
    await other.write(store)
    await until_pending(notices, {table.table_id: None, other.table_id: 1})


async def test_a_lost_connection_is_made_again_and_everything_is_to_be_looked_at(store, new_table, admin):
    tables = [new_table() for _ in range(5)]
    notices = await watching(store, *(each.table_id for each in tables))
    drop_subscribers(admin)
    # Announced to nobody, or not: either way the worker is told to look.
    await tables[0].write(store)
    again = await fetch(notices, 5)
    assert {Notice(each.table_id, None) for each in tables} == set(again)
    await tables[0].write(store)
    assert Notice(tables[0].table_id, 2) in await fetch(notices, 1)


async def test_what_was_unwatched_meanwhile_stays_so(store, new_table, admin):
    kept, dropped = new_table(), new_table()
    notices = await watching(store, kept.table_id, dropped.table_id)
    notices.unwatch(dropped.table_id)
    drop_subscribers(admin)
    assert [Notice(kept.table_id, None)] == await fetch(notices, 1)
    await assert_silent(notices)


async def test_a_restarted_server_is_found_again(own_server, open_store, table):
    store = await open_store(own_server.url)
    notices = await watching(store, table.table_id)
    os.kill(own_server.pid, signal.SIGKILL)
    await assert_silent(notices)
    # Without a connection no watch holds.
    notices.watch(table.table_id)
    await assert_silent(notices)
    own_server.start()
    assert [Notice(table.table_id, None)] == await fetch(notices, 1)
    await table.write(store)
    assert [Notice(table.table_id, 1)] == await fetch(notices, 1)


async def test_a_silent_connection_is_given_up(open_store, link, table, monkeypatch, caplog):
    monkeypatch.setattr("service.store.notices._PING_INTERVAL_S", 0.1)
    store = await open_store(link.url, timeout_ms=1000)
    notices = await watching(store, table.table_id)
    await asyncio.sleep(0.5)
    assert not notices._pending, "a link that answers pings was given up"
    link.mode = "hang"
    give_up = time.monotonic() + 10
    while "silent for too long" not in caplog.text:
        assert time.monotonic() < give_up
        await asyncio.sleep(0.01)
    link.mode = "open"
    assert [Notice(table.table_id, None)] == await fetch(notices, 1)
    await table.write(store)
    assert [Notice(table.table_id, 1)] == await fetch(notices, 1)


async def test_messages_that_are_none_of_ours_are_skipped(store, table, admin, caplog):
    notices = await watching(store, table.table_id)
    endless = b"9" * 5000 + b" " + table.table_id.encode()
    for message in (b"", b"x", b"\xff\xfe", b"-1 " + table.table_id.encode(), table.table_id.encode(), endless):
        admin.publish(keys.notices_channel(keys.shard_of(table.table_id)), message)
    await table.write(store)
    assert [Notice(table.table_id, 1)] == await fetch(notices, 1)
    assert "none of ours" in caplog.text


async def test_closing_ends_the_iteration(store, table):
    notices = await watching(store, table.table_id)
    consumer = asyncio.create_task(anext(notices, "the end"))
    await asyncio.sleep(0)
    await store.close()
    assert "the end" == await asyncio.wait_for(consumer, 5)
    with pytest.raises(RuntimeError):
        notices.watch(table.table_id)
