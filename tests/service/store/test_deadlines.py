"""Who is told that a table is due, and when."""

import asyncio

import pytest

from service.store import keys
from service.store.base import LOOK_MS, StoreDamaged, StoreError, StoreUnavailable

NOW_MS = 1_900_000_000_000


async def tables_due(store, new_table, *deadlines_ms):
    """Write a table for each deadline and return their ids."""
    tables = [new_table() for _ in deadlines_ms]
    for table, deadline_ms in zip(tables, deadlines_ms, strict=True):
        await table.write(store, deadline_ms=deadline_ms)
    return [table.table_id for table in tables]


async def claim_all(store, now_ms, limit=1000):
    """Claim until nothing is due."""
    claimed = []
    while (found := await store.deadlines().claim(now_ms, limit)).table_ids:
        assert len(found.table_ids) <= limit
        claimed += found.table_ids
    return claimed


async def test_nothing_is_due_where_no_clock_runs(store, table):
    await table.write(store)
    for now_ms in (NOW_MS, NOW_MS + LOOK_MS, NOW_MS + 10 * LOOK_MS):
        claimed = await store.deadlines().claim(now_ms, 10)
        assert [] == claimed.table_ids
        assert now_ms < claimed.again_ms <= now_ms + LOOK_MS


@pytest.mark.parametrize(("late_ms", "due"), [(-1, False), (0, True), (1, True), (10**9, True)])
async def test_a_table_is_due_from_its_deadline_on(store, table, late_ms, due):
    await table.write(store, deadline_ms=NOW_MS)
    claimed = await store.deadlines().claim(NOW_MS + late_ms, 10)
    assert ([table.table_id] if due else []) == claimed.table_ids
    if not due:
        assert NOW_MS == claimed.again_ms


async def test_a_deadline_that_is_set_later_is_found_on_the_instant(store, new_table):
    """Whoever asks when it is told to is never late for a deadline that is LOOK_MS ahead when it is set."""
    deadlines = store.deadlines()
    now_ms = (await deadlines.claim(NOW_MS, 10)).again_ms
    for number in range(20):
        deadline_ms = now_ms + LOOK_MS + 37 * number
        [table_id] = await tables_due(store, new_table, deadline_ms)
        asked = 0
        while table_id not in (claimed := await deadlines.claim(now_ms, 10)).table_ids:
            now_ms, asked = claimed.again_ms, asked + 1
            assert now_ms <= deadline_ms
        assert deadline_ms == now_ms
        assert asked <= 30


async def test_a_claim_holds_against_everybody_until_it_ends(server, store, open_store, table):
    other = await open_store(server.url)
    await table.write(store, deadline_ms=NOW_MS)
    assert [table.table_id] == await claim_all(store, NOW_MS)
    for later_ms in (0, 1, 4999):
        assert [] == await claim_all(other, NOW_MS + later_ms)
        assert [] == await claim_all(store, NOW_MS + later_ms)
    assert NOW_MS + 5000 == (await other.deadlines().claim(NOW_MS + 4999, 1)).again_ms
    assert [table.table_id] == await claim_all(other, NOW_MS + 5000)
    assert [] == await claim_all(store, NOW_MS + 5000)


async def test_how_long_a_claim_holds_can_be_set(server, open_store, table):
    store = await open_store(server.url, claim_ms=700)
    await table.write(store, deadline_ms=NOW_MS)
    assert [table.table_id] == await claim_all(store, NOW_MS)
    assert [] == await claim_all(store, NOW_MS + 699)
    assert [table.table_id] == await claim_all(store, NOW_MS + 700)


async def test_a_commit_ends_a_claim(store, table):
    await table.write(store, deadline_ms=NOW_MS)
    await claim_all(store, NOW_MS)
    await table.write(store, deadline_ms=NOW_MS + 2000)
    assert [] == await claim_all(store, NOW_MS + 1999)
    assert [table.table_id] == await claim_all(store, NOW_MS + 2000)
    await table.write(store)
    assert [] == await claim_all(store, NOW_MS + 10**9)


async def test_a_claim_does_not_bring_a_table_back_whose_clock_has_stopped(server, store, open_store, table, admin):
    """A worker that believes a table to be due finds that it is not, and writes nothing."""
    other = await open_store(server.url)
    await table.write(store, deadline_ms=NOW_MS)
    assert NOW_MS == (await other.deadlines().claim(NOW_MS - 1, 1)).again_ms
    await table.write(store)
    assert [] == (await other.deadlines().claim(NOW_MS, 1)).table_ids
    assert 0 == admin.exists(keys.deadlines_key(keys.shard_of(table.table_id)))


async def test_a_deleted_table_is_not_due(store, table):
    await table.write(store, deadline_ms=NOW_MS)
    await table.write(store, delete=True)
    assert [] == await claim_all(store, NOW_MS)


async def test_the_most_overdue_come_first_and_no_more_than_asked_for(store, new_table):
    due = [NOW_MS - 10 * number for number in range(100)]
    table_ids = await tables_due(store, new_table, *due)
    claimed = await store.deadlines().claim(NOW_MS, 7)
    assert set(claimed.table_ids) <= set(table_ids[-30:])
    assert 1 <= len(claimed.table_ids) <= 7
    assert claimed.again_ms <= NOW_MS
    rest = await claim_all(store, NOW_MS, limit=7)
    assert sorted(table_ids) == sorted([*claimed.table_ids, *rest])


async def test_many_tables_of_one_shard(store, new_table):
    shard = keys.shard_of("one")
    names = [name for name in map(str, range(10_000)) if keys.shard_of(name) == shard][:30]
    for name in names:
        await new_table(name).write(store, deadline_ms=NOW_MS)
    first = await store.deadlines().claim(NOW_MS, 20)
    assert 20 == len(first.table_ids)
    assert NOW_MS == first.again_ms
    assert sorted(names) == sorted([*first.table_ids, *await claim_all(store, NOW_MS)])


async def test_of_many_workers_each_table_goes_to_one(server, open_store, new_table):
    workers = [await open_store(server.url, timeout_ms=20_000) for _ in range(5)]
    table_ids = await tables_due(workers[0], new_table, *[NOW_MS] * 300)
    claimed = await asyncio.gather(*(claim_all(worker, NOW_MS, limit=10) for worker in workers))
    assert sorted(table_ids) == sorted(table_id for each in claimed for table_id in each)


async def test_a_clock_that_was_turned_back_does_not_put_anything_off(store, table):
    await store.deadlines().claim(NOW_MS + 10**9, 10)
    await table.write(store, deadline_ms=NOW_MS)
    assert [table.table_id] == await claim_all(store, NOW_MS)


async def test_a_server_that_forgot_the_script_learns_it_again(store, new_table, admin):
    for now_ms in (NOW_MS, NOW_MS + LOOK_MS):
        table_ids = await tables_due(store, new_table, *[now_ms] * 20)
        admin.script_flush()
        assert sorted(table_ids) == sorted(await claim_all(store, now_ms))


@pytest.mark.parametrize("mode", ["cut_request", "cut_reply", "hang"])
async def test_a_lost_link_costs_time_and_no_table(server, link, open_store, store, table, mode):
    await table.write(store, deadline_ms=NOW_MS)
    cut = await open_store(link.url, timeout_ms=300)
    await cut.deadlines().claim(NOW_MS - 1, 10)
    link.mode = mode
    with pytest.raises(StoreUnavailable):
        await cut.deadlines().claim(NOW_MS, 10)
    link.mode = "open"
    both = [*await claim_all(cut, NOW_MS), *await claim_all(cut, NOW_MS + 5000)]
    assert [table.table_id] * len(both) == both
    assert table.table_id in both


async def test_a_server_that_is_away(own_server, open_store, table):
    store = await open_store(own_server.url, timeout_ms=500)
    await table.write(store, deadline_ms=NOW_MS)
    own_server._process.kill()
    own_server._process.wait()
    with pytest.raises(StoreUnavailable):
        await store.deadlines().claim(NOW_MS, 10)
    own_server.start()
    assert [table.table_id] == await claim_all(store, NOW_MS)


async def test_a_deadline_that_is_none(store, admin):
    admin.zadd(keys.deadlines_key(7), {"x": "inf"})
    with pytest.raises(StoreError, match="inf"):
        await store.deadlines().claim(NOW_MS, 10)


@pytest.mark.parametrize("damage", ["another type", "no instant"])
async def test_a_damaged_shard_stops_no_clock_of_the_others(store, new_table, admin, damage):
    tables = [new_table() for _ in range(20)]
    for table in tables:
        await table.write(store, deadline_ms=NOW_MS)
    damaged = keys.shard_of(tables[0].table_id)
    if damage == "another type":
        admin.delete(keys.deadlines_key(damaged))
        admin.set(keys.deadlines_key(damaged), "none")
    else:
        admin.zadd(keys.deadlines_key(damaged), {"x": "-inf"})
    others = {table.table_id for table in tables if keys.shard_of(table.table_id) != damaged}
    claimed = []
    while len(claimed) < len(others):
        claimed += (await store.deadlines().claim(NOW_MS, 100)).table_ids
    assert others == set(claimed)
    with pytest.raises(StoreDamaged):
        await store.deadlines().claim(NOW_MS, 100)


async def test_a_shard_that_is_damaged_after_the_look_stops_no_clock_of_the_others(store, new_table, admin):
    tables = [new_table() for _ in range(20)]
    damaged = keys.shard_of(tables[0].table_id)
    others = {table.table_id for table in tables if keys.shard_of(table.table_id) != damaged}
    for table in tables:
        await table.write(store, deadline_ms=NOW_MS - (table.table_id not in others))
    await store.deadlines().claim(NOW_MS - 2, 1)
    admin.delete(keys.deadlines_key(damaged))
    admin.set(keys.deadlines_key(damaged), "none")
    # The most overdue one, and so the only one that is asked: from then on it is left out.
    with pytest.raises(StoreDamaged):
        await store.deadlines().claim(NOW_MS, 1)
    claimed = [table_id for _ in others for table_id in (await store.deadlines().claim(NOW_MS, 1)).table_ids]
    assert sorted(others) == sorted(claimed)


async def test_a_damaged_shard_among_those_that_are_claimed_costs_the_others_nothing(store, new_table, admin):
    tables = [new_table() for _ in range(20)]
    damaged = keys.shard_of(tables[0].table_id)
    for table in tables:
        await table.write(store, deadline_ms=NOW_MS)
    await store.deadlines().claim(NOW_MS - 1, 1)
    admin.delete(keys.deadlines_key(damaged))
    admin.set(keys.deadlines_key(damaged), "none")
    others = {table.table_id for table in tables if keys.shard_of(table.table_id) != damaged}
    assert others == set((await store.deadlines().claim(NOW_MS, 1000)).table_ids)


async def test_an_id_that_is_no_text_holds_up_no_table_of_its_shard(store, table, admin):
    await table.write(store, deadline_ms=NOW_MS)
    admin.zadd(keys.deadlines_key(keys.shard_of(table.table_id)), {b"\xff": NOW_MS - 1})
    assert ["\ufffd", table.table_id] == (await store.deadlines().claim(NOW_MS, 10)).table_ids


async def test_a_deadline_that_cannot_be_read_costs_nothing_that_was_claimed_beside_it(store, new_table, admin):
    tables = [new_table() for _ in range(20)]
    for table in tables:
        await table.write(store, deadline_ms=NOW_MS)
    await store.deadlines().claim(NOW_MS - 1, 1)
    # It comes after the look, and is what the claim says of its shard.
    shard_key = keys.deadlines_key(keys.shard_of(tables[0].table_id))
    admin.delete(shard_key)
    admin.zadd(shard_key, {"x": "inf"})
    others = {table.table_id for table in tables if keys.deadlines_key(keys.shard_of(table.table_id)) != shard_key}
    assert others == set((await store.deadlines().claim(NOW_MS, 1000)).table_ids)


async def test_the_limit(store):
    with pytest.raises(ValueError, match="limit is 0"):
        await store.deadlines().claim(NOW_MS, 0)


async def test_how_long_a_claim_may_hold(server, open_store):
    with pytest.raises(ValueError, match="claim_ms"):
        await open_store(server.url, claim_ms=0)
