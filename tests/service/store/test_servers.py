"""Several servers: a cluster whose slots move and whose nodes die, and a primary that sentinels replace."""

import asyncio
import os
import signal
from collections.abc import Callable

import pytest
import redis

from service.store import keys, servers
from service.store.base import Committed, FinishedHand, Notice, RequestKey, StoreError, StoreUnavailable
from service.store.durability import Durability
from tests.service.store.topology import (
    SHARD_SLOTS,
    Cluster,
    Watched,
    heard_again,
    play_on,
    port_of,
    reached,
    replicas_of,
    versions,
    wait_until,
)

EVERYTHING_KEPT = {"events_kept": 1_000_000}
"""For tables that play as fast as the machine lets them, and whose every version is looked at in the end."""


@pytest.fixture
def cluster(spawn_server: Callable[..., tuple[redis.Redis, int]]) -> Cluster:
    return Cluster(spawn_server)


class TestCluster:
    async def test_tables_of_all_shards_are_played_and_listed(self, cluster, open_store, new_table):
        store = await open_store(cluster.url)
        tables = [new_table(f"table-{number}") for number in range(300)]
        for table in tables:
            await table.write(store, summary=b"open", deadline_ms=1000, request=RequestKey(table.table_id, b"body"))
        assert all(node.dbsize() > 50 for node in cluster.nodes)
        await store.ping()
        assert 300 == await store.count_tables()

        listed, token = [], ""
        while True:
            page = await store.list_tables("club", 70, token)
            listed += [entry.table_id for entry in page.entries]
            token = page.next_page_token
            if not token:
                break
        assert sorted(table.table_id for table in tables) == sorted(listed)

        some = tables[7]
        assert some.etag == (await store.load(some.table_id)).etag
        assert [1] == await versions(store, some)
        repeat = await store.recall(some.table_id, RequestKey(some.table_id, b"body"))
        assert (1, some.etag, True) == (repeat.version, repeat.etag, repeat.same_body)

        claimed: list[str] = []
        while len(claimed) < 300:
            more = (await store.deadlines().claim(2000, 100)).table_ids
            assert more
            claimed += more
        assert sorted(listed) == sorted(claimed)

    async def test_a_hand_is_kept_on_the_node_of_its_table(self, cluster, open_store, new_table):
        store = await open_store(cluster.url)
        for node in range(3):
            table = new_table(cluster.table_id_at(node))
            await table.write(store)
            await table.write(store, finished=FinishedHand(1, 1, 5000, b"record"))
            assert b"record" == (await store.hand(table.table_id, 1, 0)).record
            assert 1 == len((await store.list_hands(table.table_id, 5, "", 0)).records)

    @pytest.mark.parametrize("durability", ["memory", "replicas:1"])
    async def test_every_node_announces_its_commits(self, cluster, open_store, new_table, durability):
        if durability != "memory":
            for primary in range(3):
                cluster.replicate(primary)
            wait_until(lambda: all(1 == replicas_of(node) for node in cluster.nodes))
        store = await open_store(cluster.url, durability=Durability.parse(durability), replica_timeout_ms=5000)
        tables = [new_table(cluster.table_id_at(node)) for node in range(3)]
        notices = store.notices()
        for table in tables:
            notices.watch(table.table_id)
        async with asyncio.timeout(10):
            held = {(await anext(notices)) for _ in tables}
            assert {Notice(table.table_id, None) for table in tables} == held
            for table in tables:
                await table.write(store)
                assert Notice(table.table_id, 1) == await anext(notices)

    async def test_a_slot_moves_while_its_tables_are_played(self, cluster, open_store, new_table):
        store, onlooker = await open_store(cluster.url, **EVERYTHING_KEPT), await open_store(cluster.url)
        table, elsewhere = new_table(cluster.table_id_at(0)), new_table(cluster.table_id_at(1))
        slot = SHARD_SLOTS[keys.shard_of(table.table_id)]
        over = asyncio.Event()
        await onlooker.deadlines().claim(1, 1)
        async with asyncio.TaskGroup() as players:
            for each in (table, elsewhere):
                players.create_task(play_on(store, each, over))
            await asyncio.sleep(0.1)
            await cluster.move_slot(slot, 0, 2)
            await asyncio.sleep(0.1)
            over.set()
        for each in (table, elsewhere):
            assert list(range(1, each.version + 1)) == await versions(store, each)
        assert 0 == cluster.nodes[0].execute_command("CLUSTER COUNTKEYSINSLOT", slot)
        # Who has not looked since then is sent on at the first word.
        assert table.etag == (await onlooker.load(table.table_id)).etag
        assert cluster.moved_count(0) >= 1
        late = await open_store(cluster.url)
        await cluster.move_slot(slot, 2, 1)
        await table.write(late, summary=b"s", deadline_ms=1000)
        assert 2 == await onlooker.count_tables()
        await cluster.move_slot(slot, 1, 0)
        assert {table.table_id, elsewhere.table_id} == {
            entry.table_id for entry in (await onlooker.list_tables("club", 10, "")).entries
        }
        await cluster.move_slot(slot, 0, 1)
        claimed: list[str] = []
        for _ in range(3):
            claimed += (await onlooker.deadlines().claim(2000, 10)).table_ids
        assert [table.table_id] == claimed

    async def test_a_slot_under_way_changes_nothing_that_is_refused(self, cluster, open_store, new_table):
        store = await open_store(cluster.url)
        table = new_table(cluster.table_id_at(0))
        await table.write(store)
        slot = SHARD_SLOTS[keys.shard_of(table.table_id)]
        cluster.nodes[2].execute_command("CLUSTER SETSLOT", slot, "IMPORTING", cluster.ids[0])
        cluster.nodes[0].execute_command("CLUSTER SETSLOT", slot, "MIGRATING", cluster.ids[2])
        commit = table.change(request=RequestKey("5c09e0", b"body"))
        with pytest.raises(StoreUnavailable) as refusal:
            await store.commit(commit)
        assert StoreUnavailable is type(refusal.value)
        for node in (cluster.nodes[2], cluster.nodes[0]):
            node.execute_command("CLUSTER SETSLOT", slot, "STABLE")
        assert Committed(2, commit.etag) == await store.commit(commit)

    async def test_a_killed_node_takes_only_its_own_tables_away(self, cluster, open_store, new_table):
        store = await open_store(cluster.url, timeout_ms=1000)
        lost, *others = [new_table(cluster.table_id_at(node)) for node in range(3)]
        for table in (lost, *others):
            await table.write(store, deadline_ms=1000)
        os.kill(cluster.pids[0], signal.SIGKILL)
        for _ in range(3):
            with pytest.raises(StoreUnavailable):
                await store.commit(lost.change())
            with pytest.raises(StoreUnavailable):
                await store.load(lost.table_id)
            for table in others:
                await table.write(store, deadline_ms=1000)
        with pytest.raises(StoreUnavailable):
            await store.count_tables()
        await store.ping()
        assert {table.table_id for table in others} == set((await store.deadlines().claim(2000, 2)).table_ids)

    async def test_nothing_acknowledged_is_lost_with_a_node_whose_replica_takes_over(
        self, cluster, open_store, new_table
    ):
        # Who takes over needs a replica of its own before it acknowledges anything.
        for primary in (0, 0, 1, 2):
            cluster.replicate(primary)
        wait_until(lambda: [2, 1, 1] == [replicas_of(node) for node in cluster.nodes])
        options = {
            "durability": Durability("replicas", 1),
            "timeout_ms": 1000,
            "replica_timeout_ms": 500,
            **EVERYTHING_KEPT,
        }
        store, onlooker = await open_store(cluster.url, **options), await open_store(cluster.url, **options)
        tables = [new_table(cluster.table_id_at(node)) for node in (0, 0, 0, 1, 2)]
        notices = store.notices()
        notices.watch(tables[0].table_id)
        over = asyncio.Event()
        async with asyncio.timeout(60), asyncio.TaskGroup() as players:
            for table in tables:
                players.create_task(play_on(store, table, over))
            for table in tables:
                await reached(table, 20)
            os.kill(cluster.pids[0], signal.SIGKILL)
            for table, version in [(table, table.version) for table in tables]:
                await reached(table, version + 20)
            over.set()
        # The other worker has heard nothing of all this, and learns it by one failure.
        with pytest.raises(StoreUnavailable):
            await onlooker.load(tables[0].table_id)
        for table in tables:
            stored = await onlooker.load(table.table_id)
            assert (table.version, table.etag) == (stored.version, stored.etag)
            assert list(range(1, table.version + 1)) == await versions(store, table)
        claimed: list[str] = []
        while len(claimed) < len(tables):
            claimed += (await onlooker.deadlines().claim(10**13, 100)).table_ids
        assert {table.table_id for table in tables} == set(claimed)

        async with asyncio.timeout(20):
            await heard_again(store, tables[0], notices)

    async def test_one_reachable_seed_will_do(self, cluster, open_store, new_table, free_port):
        dead, alive = free_port(), port_of(cluster.nodes[2])
        store = await open_store(f"redis+cluster://127.0.0.1:{dead},127.0.0.1:{alive}")
        await new_table(cluster.table_id_at(0)).write(store)

    async def test_every_node_is_told_the_password(self, cluster, open_store, new_table):
        for node in cluster.nodes:
            node.config_set("requirepass", "p@ss word")
        with pytest.raises(StoreUnavailable):
            await open_store(cluster.url)
        store = await open_store(cluster.url.replace("://", "://:p%40ss%20word@"))
        for node in range(3):
            await new_table(cluster.table_id_at(node)).write(store)

    async def test_a_server_without_a_cluster_is_told_apart(self, spawn_server, open_store):
        client, _ = spawn_server()
        with pytest.raises(StoreError, match="cluster"):
            await open_store(f"redis+cluster://127.0.0.1:{port_of(client)}")


@pytest.fixture
def watched(spawn_server: Callable[..., tuple[redis.Redis, int]]) -> Watched:
    return Watched(spawn_server)


class TestSentinel:
    async def test_nothing_acknowledged_is_lost_with_the_primary(self, watched, open_store, new_table, free_port):
        url = watched.url.replace("://", f"://127.0.0.1:{free_port()},")
        options = {
            "durability": Durability("replicas", 1),
            "timeout_ms": 1000,
            "replica_timeout_ms": 500,
            **EVERYTHING_KEPT,
        }
        store = await open_store(url, **options)
        tables = [new_table() for _ in range(4)]
        notices = store.notices()
        notices.watch(tables[0].table_id)
        over = asyncio.Event()
        async with asyncio.timeout(20), asyncio.TaskGroup() as players:
            for table in tables:
                players.create_task(play_on(store, table, over))
            await asyncio.sleep(0.2)
            os.kill(watched.primary_pid, signal.SIGKILL)
            before = [table.version for table in tables]
            for table, version in zip(tables, before, strict=True):
                await reached(table, version + 20)
            over.set()
        for table in tables:
            stored = await store.load(table.table_id)
            assert (table.version, table.etag) == (stored.version, stored.etag)
            assert list(range(1, table.version + 1)) == await versions(store, table)

        async with asyncio.timeout(10):
            # The subscription follows, says "look for yourself" once it holds, and then what is new.
            await heard_again(store, tables[0], notices)

    async def test_a_replaced_primary_is_left(self, watched, open_store, table, monkeypatch):
        store, late = await open_store(watched.url), await open_store(watched.url)
        await table.write(store)
        wait_until(lambda: all(each.exists(keys.table_key(table.table_id)) for each in watched.replicas))
        wait_until(watched.failover_begins)
        wait_until(lambda: watched.named_port() != port_of(watched.primary))
        port = watched.named_port()
        with redis.Redis(port=port, protocol=2) as successor:
            wait_until(lambda: "master" == successor.info("replication")["role"])
            # One that looks after its health notices before the old one has been told that it is none any more.
            await store.ping()
            await table.write(store)
            assert b"2" == successor.hget(keys.table_key(table.table_id), "version")
            watched.primary.replicaof("127.0.0.1", port)
            commit = table.change()
            with pytest.raises(StoreUnavailable):
                await late.commit(commit)
            assert Committed(3, commit.etag) == await late.commit(commit)
            assert b"3" == successor.hget(keys.table_key(table.table_id), "version")
        assert 2 == len(store._servers._nodes)
        # When whatever was under way there must have ended, nobody goes back.
        monkeypatch.setattr(servers, "_FORGET_AFTER_S", 0)
        await store.ping()
        assert [("127.0.0.1", port)] == list(store._servers._nodes)
        assert 3 == (await store.load(table.table_id)).version

    async def test_sentinels_have_a_password_of_their_own(self, watched, open_store, table):
        watched.primary.config_set("requirepass", "p@ss")
        watched.sentinel.execute_command("ACL SETUSER", "default", "resetpass", ">s&cret")
        url = watched.url.replace("://", "://:p%40ss@")
        for wrong in (url, url + "?sentinel_password=wrong", watched.url + "?sentinel_password=s%26cret"):
            with pytest.raises(StoreUnavailable):
                await open_store(wrong)
        await table.write(await open_store(url + "?sentinel_password=s%26cret"))

    async def test_an_unknown_service_is_named(self, watched, open_store):
        with pytest.raises(StoreUnavailable, match="no service 'blackjack'"):
            await open_store(watched.url.replace("poker", "blackjack"))
