"""The store against real servers: one effect per commit, whatever happens on the way."""

import asyncio
import os
import signal
import time

import pytest
import redis
from redis.crc import key_slot

from service.store import keys
from service.store.base import (
    Committed,
    Conflict,
    LobbyEntry,
    OutcomeUnknown,
    Repeat,
    RequestKey,
    Stored,
    StoredEvents,
    StoreError,
    StoreMismatch,
    StoreUnavailable,
)
from service.store.durability import Durability
from service.store.embedded import EmbeddedStore
from service.store.redis import RedisStore

REQUEST = RequestKey("5c09e0", b"body")


def contents(client: redis.Redis) -> dict[bytes, bytes]:
    """Everything a server holds."""
    return {key: client.dump(key) for key in client.scan_iter()}


def kill(server: EmbeddedStore) -> None:
    os.kill(server.pid, signal.SIGKILL)
    while server.running:
        time.sleep(0.005)


class TestCommit:
    async def test_a_table_begins_with_its_first_commit(self, store, table):
        assert None is await store.load(table.table_id)
        commit = table.change(snapshot=b"\x00\xff any bytes")
        assert Committed(1, commit.etag) == await store.commit(commit)
        assert Stored(b"\x00\xff any bytes", 1, commit.etag) == await store.load(table.table_id)

    async def test_a_second_table_of_the_same_id_is_a_conflict(self, store, table, new_table):
        first = await table.write(store)
        assert Conflict(1, first.etag) == await store.commit(new_table(table.table_id).change())

    async def test_a_change_of_a_table_that_does_not_exist_is_a_conflict(self, store, table):
        assert Conflict(0, "") == await store.commit(table.change(expected_etag="4-x", version=5))

    async def test_a_stale_etag_changes_nothing(self, store, table, admin):
        await table.write(store)
        stale = table.change(request=REQUEST, deadline_ms=1, summary=b"never")
        second = await table.write(store)
        before = contents(admin)
        assert Conflict(2, second.etag) == await store.commit(stale)
        assert before == contents(admin)

    async def test_a_version_reached_twice_is_told_apart_by_its_etag(self, store, table):
        await table.write(store)
        other = table.change(expected_etag="1-another", version=2)
        assert Conflict(1, table.etag) == await store.commit(other)

    async def test_of_200_writers_one_succeeds_per_version(self, store, table):
        await table.write(store)

        async def writer() -> list[int]:
            won = []
            for _ in range(5):
                stored = await store.load(table.table_id)
                change = table.change(
                    expected_etag=stored.etag,
                    version=stored.version + 1,
                    etag=f"{stored.version + 1}-{os.urandom(4).hex()}",
                )
                if isinstance(await store.commit(change), Committed):
                    won.append(change.version)
            return won

        won = [version for versions in await asyncio.gather(*(writer() for _ in range(200))) for version in versions]
        last = (await store.load(table.table_id)).version
        assert list(range(2, last + 1)) == sorted(won)
        kept = await store.events(table.table_id, 0, 10_000)
        assert list(range(1, last + 1)) == [e.version for e in kept.events]

    @pytest.mark.parametrize(
        ("fields", "message"),
        [
            ({"version": 0}, "version 0"),
            ({"version": 2}, "version 2"),
            ({"expected_etag": "1-x"}, "version 1"),
            ({"etag": ""}, "etag"),
            ({"table_id": ""}, "table_id"),
            ({"tenant": "a\0b"}, "NUL"),
            ({"tenant": ""}, "tenant"),
            ({"delete": True}, "delet"),
        ],
    )
    async def test_a_commit_that_cannot_be_meant_is_refused(self, store, table, fields, message):
        with pytest.raises(ValueError, match=message):
            await store.commit(table.change(**fields))
        assert None is await store.load(table.table_id)

    async def test_a_version_the_stream_has_seen_changes_nothing(self, store, table, admin):
        await table.write(store)
        admin.xadd(keys.events_key(table.table_id), {"e": "x", "p": "y"}, id="7-0")
        before = contents(admin)
        with pytest.raises(StoreError):
            await store.commit(table.change(request=REQUEST, summary=b"s", deadline_ms=1))
        assert before == contents(admin)

    async def test_deadlines_follow_the_last_commit(self, store, table, admin):
        deadlines = keys.deadlines_key(keys.shard_of(table.table_id))
        await table.write(store, deadline_ms=1_900_000_000_123)
        assert [(table.table_id.encode(), 1_900_000_000_123.0)] == admin.zrange(deadlines, 0, -1, withscores=True)
        await table.write(store, deadline_ms=1_900_000_000_456)
        assert 1_900_000_000_456.0 == admin.zscore(deadlines, table.table_id)
        await table.write(store)
        assert None is admin.zscore(deadlines, table.table_id)

    async def test_a_deleted_table_leaves_only_what_expires(self, store, table, admin):
        await table.write(store, summary=b"s", deadline_ms=1)
        await table.write(store, delete=True, request=REQUEST, events=b"closed")
        assert None is await store.load(table.table_id)
        assert Conflict(0, "") == await store.commit(table.change())
        page = await store.events(table.table_id, 1, 10)
        assert (b"closed", 0, "") == (page.events[0].payload, page.version, page.etag)
        left = [key for key in contents(admin) if key != keys.SHARDS_KEY.encode()]
        assert 2 == len(left)
        assert all(0 < admin.ttl(key) <= 600 for key in left)

    async def test_a_table_may_follow_a_deleted_one_of_its_id(self, store, table, new_table, admin):
        await table.write(store)
        await table.write(store, delete=True)
        again = new_table(table.table_id)
        await again.write(store)
        page = await store.events(table.table_id, 0, 10)
        assert [StoredEvents(1, again.etag, b"events 1")] == list(page.events)
        assert -1 == admin.ttl(keys.events_key(table.table_id))


class TestRequestIds:
    async def test_the_same_request_is_answered_as_the_first_time(self, store, table):
        await table.write(store)
        commit = await table.write(store, request=REQUEST, result=b"seat 3")
        await table.write(store)
        repeat = Repeat(2, commit.etag, b"seat 3", same_body=True)
        assert repeat == await store.commit(commit)
        assert repeat == await store.commit(table.change(request=REQUEST))
        assert repeat == await store.recall(table.table_id, REQUEST)
        assert 3 == (await store.load(table.table_id)).version

    async def test_the_same_id_with_another_body_is_told_apart(self, store, table):
        commit = await table.write(store, request=REQUEST)
        other = RequestKey(REQUEST.scope, b"another body")
        assert Repeat(1, commit.etag, b"", same_body=False) == await store.commit(table.change(request=other))
        assert Repeat(1, commit.etag, b"", same_body=False) == await store.recall(table.table_id, other)

    async def test_another_scope_is_another_request(self, store, table):
        await table.write(store, request=REQUEST)
        other = RequestKey("another", REQUEST.body)
        assert None is await store.recall(table.table_id, other)
        await table.write(store, request=other)

    async def test_a_request_that_met_a_conflict_is_not_remembered(self, store, table):
        await table.write(store)
        await store.commit(table.change(expected_etag="1-stale", request=REQUEST))
        assert None is await store.recall(table.table_id, REQUEST)
        await table.write(store, request=REQUEST)

    async def test_a_double_click_has_one_effect(self, store, table):
        await table.write(store)
        clicks = [table.change(request=REQUEST, result=b"paid") for _ in range(20)]
        answers = await asyncio.gather(*map(store.commit, clicks))
        [first] = [answer for answer in answers if isinstance(answer, Committed)]
        repeats = [answer for answer in answers if isinstance(answer, Repeat)]
        assert [Repeat(2, first.etag, b"paid", same_body=True)] * 19 == repeats
        assert 2 == (await store.load(table.table_id)).version

    async def test_it_is_forgotten_in_time(self, server, open_store, table, admin):
        store = await open_store(server.url, request_ttl_s=7)
        await table.write(store, request=REQUEST)
        key = keys.request_key(table.table_id, REQUEST.scope)
        assert 0 < admin.pttl(key) <= 7000
        admin.pexpire(key, 1)
        await asyncio.sleep(0.02)
        assert None is await store.recall(table.table_id, REQUEST)

    async def test_a_repetition_does_not_put_the_forgetting_off(self, store, table, admin):
        commit = await table.write(store, request=REQUEST)
        key = keys.request_key(table.table_id, REQUEST.scope)
        admin.pexpire(key, 20_000)
        assert isinstance(await store.commit(commit), Repeat)
        await store.recall(table.table_id, REQUEST)
        assert 0 < admin.pttl(key) <= 20_000

    async def test_what_cannot_be_read_is_an_error(self, store, table, admin):
        admin.set(keys.request_key(table.table_id, REQUEST.scope), b"\xc1 not ours")
        with pytest.raises(StoreError, match=REQUEST.scope):
            await store.recall(table.table_id, REQUEST)


class TestEvents:
    async def test_they_come_in_order_and_in_pages(self, store, table):
        commits = [await table.write(store, events=bytes([n])) for n in range(25)]
        seen = []
        while page := (await store.events(table.table_id, len(seen), 7)).events:
            assert 7 >= len(page)
            seen += page
        assert [StoredEvents(c.version, c.etag, c.events) for c in commits] == seen

    async def test_the_page_says_where_the_table_is(self, store, table):
        for _ in range(3):
            await table.write(store)
        page = await store.events(table.table_id, 3, 10)
        assert ([], 1, 3, table.etag) == (list(page.events), page.oldest_version, page.version, page.etag)
        assert not page.too_old(0)

    async def test_an_unknown_table_has_none(self, store, table):
        page = await store.events(table.table_id, 0, 10)
        assert ([], 0, 0, "") == (list(page.events), page.oldest_version, page.version, page.etag)
        assert not page.too_old(0)

    async def test_events_that_are_no_longer_kept_are_too_old(self, server, open_store, table):
        store = await open_store(server.url, events_kept=100)
        for _ in range(400):
            await table.write(store)
        page = await store.events(table.table_id, 0, 1000)
        oldest = page.oldest_version
        assert 1 < oldest <= 301
        assert list(range(oldest, 401)) == [e.version for e in page.events]
        assert page.too_old(0)
        assert page.too_old(oldest - 2)
        assert not page.too_old(oldest - 1)
        assert not page.too_old(400)

    @pytest.mark.parametrize(("after_version", "limit"), [(-1, 1), (0, 0), (0, -1)])
    async def test_senseless_pages_are_refused(self, store, table, after_version, limit):
        with pytest.raises(ValueError, match=f"after_version is {after_version}.*limit is {limit}"):
            await store.events(table.table_id, after_version, limit)


class TestLobby:
    @staticmethod
    async def all_pages(store: RedisStore, tenant: str, page_size: int) -> list[LobbyEntry]:
        entries, token = [], ""
        while True:
            page = await store.list_tables(tenant, page_size, token)
            assert page_size >= len(page.entries)
            entries += page.entries
            token = page.next_page_token
            if not token:
                return entries

    async def test_pages_hold_every_table_of_the_tenant_once(self, store, new_table):
        # Tenants whose names are prefixes of each other must not see each other's tables.
        tables = [new_table(f"t{n}", tenant=["club", "club2", "clu"][n % 3]) for n in range(900)]
        await asyncio.gather(*(t.write(store, summary=t.table_id.encode()) for t in tables))
        expected = {t.table_id: t.table_id.encode() for t in tables if t.tenant == "club"}
        for page_size in (1000, 300, 299, 64, 7):
            entries = await self.all_pages(store, "club", page_size)
            assert 300 == len(entries)
            assert expected == {e.table_id: e.summary for e in entries}
        order = [(keys.shard_of(e.table_id), e.table_id) for e in entries]
        assert sorted(order) == order
        assert [] == await self.all_pages(store, "nobody", 10)

    async def test_all_tables_of_all_tenants_are_counted(self, store, new_table):
        assert 0 == await store.count_tables()
        tables = [new_table(f"t{n}", tenant=["club", "other"][n % 2]) for n in range(300)]
        await asyncio.gather(*(each.write(store, summary=b"s") for each in tables))
        assert 300 == await store.count_tables()
        for each in tables[:7]:
            await each.write(store, delete=True)
        assert 293 == await store.count_tables()

    async def test_pages_of_one(self, store, new_table):
        for n in range(5):
            await new_table(f"t{n}").write(store, summary=b"s")
        assert 5 == len({e.table_id for e in await self.all_pages(store, "club", 1)})

    async def test_an_exactly_full_page_is_the_last(self, store, new_table):
        for n in range(5):
            await new_table(f"t{n}").write(store, summary=b"s")
        page = await store.list_tables("club", 5, "")
        assert (5, "") == (len(page.entries), page.next_page_token)

    async def test_entries_are_replaced_and_removed(self, store, table):
        await table.write(store, summary=b"one player")
        await table.write(store, summary=b"two players")
        assert [LobbyEntry(table.table_id, b"two players")] == await self.all_pages(store, "club", 10)
        await table.write(store, summary=None)
        assert [] == await self.all_pages(store, "club", 10)

    async def test_paging_goes_on_when_the_last_table_seen_is_gone(self, store, new_table):
        tables = {f"t{n}": new_table(f"t{n}") for n in range(50)}
        for each in tables.values():
            await each.write(store, summary=b"s")
        page = await store.list_tables("club", 20, "")
        await tables[page.entries[-1].table_id].write(store, delete=True)
        rest = await store.list_tables("club", 100, page.next_page_token)
        assert set(tables) == {e.table_id for e in (*page.entries, *rest.entries)}

    @pytest.mark.parametrize("token", ["x", "not a token", "AAAA", "AAAAAHQx", "tücke", "=", "//8=", "A" * 5000])
    async def test_a_token_of_somebody_else_is_refused(self, store, token):
        with pytest.raises(ValueError, match="page_token"):
            await store.list_tables("club", 10, token)

    async def test_senseless_questions_are_refused(self, store):
        with pytest.raises(ValueError, match="page_size is 0"):
            await store.list_tables("club", 0, "")
        with pytest.raises(ValueError, match="tenant"):
            await store.list_tables("", 10, "")


class TestLostAnswers:
    async def test_a_commit_whose_answer_is_lost_happens_once(self, open_store, link, table, admin):
        store = await open_store(link.url)
        await table.write(store)
        admin.config_resetstat()
        commit = table.change(request=REQUEST, result=b"r")
        link.mode = "cut_reply"
        with pytest.raises(OutcomeUnknown):
            await store.commit(commit)
        # The server got the script once; redis-py by itself would have sent it again.
        assert 1 == admin.info("commandstats")["cmdstat_evalsha"]["calls"]
        assert 2 == (await store.load(table.table_id)).version
        assert Repeat(2, commit.etag, b"r", same_body=True) == await store.commit(commit)
        assert 2 == admin.xlen(keys.events_key(table.table_id))

    async def test_a_commit_that_never_arrives_is_unknown_too(self, open_store, link, table):
        store = await open_store(link.url)
        commit = table.change(request=REQUEST)
        link.mode = "cut_request"
        with pytest.raises(OutcomeUnknown):
            await store.commit(commit)
        assert None is await store.load(table.table_id)
        assert Committed(1, commit.etag) == await store.commit(commit)

    async def test_a_silent_store_is_given_up(self, open_store, link, table):
        store = await open_store(link.url, timeout_ms=500)
        await table.write(store)
        commit = table.change(request=REQUEST)
        link.mode = "hang"
        with pytest.raises(OutcomeUnknown):
            await store.commit(commit)
        with pytest.raises(StoreUnavailable) as caught:
            await store.load(table.table_id)
        assert StoreUnavailable is caught.type
        link.mode = "open"
        assert Repeat(2, commit.etag, b"", same_body=True) == await store.commit(commit)

    async def test_a_read_whose_answer_is_lost_is_tried_again(self, open_store, link, table):
        store = await open_store(link.url)
        await table.write(store)
        link.mode = "cut_reply"
        assert 1 == (await store.load(table.table_id)).version
        link.mode = "cut_reply"
        assert 1 == (await store.events(table.table_id, 0, 10)).version

    async def test_no_free_connection_means_that_nothing_was_sent(self, open_store, link, new_table):
        store = await open_store(link.url, max_connections=1, timeout_ms=300)
        link.mode, link.delay_s = "slow", 0.25
        tables = [new_table() for _ in range(4)]
        answers = await asyncio.gather(*(store.commit(t.change()) for t in tables), return_exceptions=True)
        link.mode = "open"
        refused = [t for t, answer in zip(tables, answers, strict=True) if type(answer) is StoreUnavailable]
        assert refused
        for each in refused:
            assert None is await store.load(each.table_id)

    async def test_a_server_that_forgot_the_script_gets_it_again(self, store, table, admin):
        await table.write(store)
        admin.script_flush()
        await table.write(store)
        admin.config_resetstat()
        await table.write(store)
        assert "cmdstat_eval" not in admin.info("commandstats")


class TestCancellation:
    async def test_a_commit_outlives_its_caller(self, open_store, link, table, admin):
        store = await open_store(link.url)
        await table.write(store)
        connections = admin.info("stats")["total_connections_received"]
        link.mode = "slow"
        caller = asyncio.create_task(store.commit(table.change(request=REQUEST)))
        await asyncio.sleep(link.delay_s / 4)
        caller.cancel()
        with pytest.raises(asyncio.CancelledError):
            await caller
        await asyncio.sleep(2 * link.delay_s)
        link.mode = "open"
        assert 2 == (await store.load(table.table_id)).version
        assert connections == admin.info("stats")["total_connections_received"]

    async def test_cancelled_callers_never_mix_up_answers(self, server, open_store, new_table):
        store = await open_store(server.url, max_connections=4, timeout_ms=20_000)
        tables = [new_table() for _ in range(20)]
        for each in tables:
            await each.write(store, snapshot=each.table_id.encode())

        async def visit(n: int) -> None:
            each = tables[n % 20]
            stored = await store.load(each.table_id)
            assert each.table_id.encode() == stored.snapshot
            change = each.change(
                expected_etag=stored.etag,
                version=stored.version + 1,
                etag=f"{stored.version + 1}-{n}",
                snapshot=each.table_id.encode(),
            )
            answer = await store.commit(change)
            assert answer == Committed(change.version, change.etag) or isinstance(answer, Conflict)

        tasks = [asyncio.create_task(visit(n)) for n in range(400)]
        for n in range(0, 400, 2):
            await asyncio.sleep(0)
            tasks[n].cancel()
        answers = await asyncio.gather(*tasks, return_exceptions=True)
        assert {type(None), asyncio.CancelledError} == {type(answer) for answer in answers}

    async def test_closing_lets_commits_finish(self, link, table, store):
        closing = RedisStore(link.url)
        await closing.connect()
        link.mode = "slow"
        caller = asyncio.create_task(closing.commit(table.change()))
        await asyncio.sleep(link.delay_s / 4)
        await closing.close()
        assert isinstance(await caller, Committed)
        assert 1 == (await store.load(table.table_id)).version
        with pytest.raises(StoreUnavailable, match="closed"):
            await closing.commit(table.change())


class TestRefusals:
    @pytest.mark.parametrize(
        ("setting", "value", "harmless"),
        [("maxmemory", "1", "0"), ("min-replicas-to-write", "1", "0")],
    )
    async def test_a_store_that_refuses_writes_is_left_as_it_was(self, store, table, admin, setting, value, harmless):
        await table.write(store)
        before = contents(admin)
        admin.config_set(setting, value)
        try:
            with pytest.raises(StoreUnavailable) as caught:
                await store.commit(table.change(request=REQUEST, summary=b"s", deadline_ms=1))
        finally:
            admin.config_set(setting, harmless)
        assert StoreUnavailable is caught.type
        assert before == contents(admin)
        await table.write(store, request=REQUEST)

    async def test_a_replica_refuses_writes(self, store, table, admin):
        await table.write(store)
        admin.replicaof("127.0.0.1", "1")
        try:
            # A replica may be behind, so that it does not say either that an etag is stale.
            for commit in (table.change(), table.change(expected_etag="1-another")):
                with pytest.raises(StoreUnavailable):
                    await store.commit(commit)
        finally:
            admin.replicaof("no", "one")
        await table.write(store)

    async def test_too_many_clients(self, server, open_store, store, table, admin):
        await table.write(store)
        allowed = admin.config_get("maxclients")["maxclients"]
        admin.config_set("maxclients", 2)
        try:
            crowd = RedisStore(server.url)
            with pytest.raises(StoreUnavailable):
                await crowd.connect()
            await crowd.close()
        finally:
            admin.config_set("maxclients", allowed)
        assert 1 == (await store.load(table.table_id)).version

    async def test_a_wrong_password(self, server, store, admin):
        admin.acl_setuser("guest", enabled=True, passwords=["+right"], categories=["+@all"], keys=["*"])
        stranger = RedisStore(server.url.replace("unix://", "unix://guest:wrong@"))
        with pytest.raises(StoreUnavailable) as caught:
            await stranger.connect()
        admin.acl_deluser("guest")
        await stranger.close()
        assert "wrong" not in str(caught.value).replace("wrong number", "")


class TestConnecting:
    async def test_no_server(self, tmp_path):
        store = RedisStore(f"unix://{tmp_path}/nobody.sock")
        with pytest.raises(StoreUnavailable):
            await store.connect()
        with pytest.raises(StoreUnavailable):
            await store.ping()
        await store.close()

    async def test_the_count_of_shards_is_recorded_and_checked(self, server, open_store, admin):
        await open_store(server.url)
        await open_store(server.url)
        assert b"256" == admin.get(keys.SHARDS_KEY)
        admin.set(keys.SHARDS_KEY, 64)
        with pytest.raises(StoreMismatch, match=r"64.*256"):
            await open_store(server.url)

    @pytest.mark.parametrize("setting", ["request_ttl_s", "events_kept", "hands_kept", "hands_ttl_s"])
    def test_bounds_below_one_are_refused(self, setting):
        with pytest.raises(ValueError, match=f"{setting} is 0"):
            RedisStore("redis://localhost", **{setting: 0})

    async def test_a_killed_server_is_found_again(self, own_server, open_store, table):
        store = await open_store(own_server.url)
        await table.write(store, request=REQUEST)
        kill(own_server)
        for call in (store.load(table.table_id), store.commit(table.change()), store.ping()):
            with pytest.raises(StoreUnavailable):
                await call
        own_server.start()
        assert 1 == (await store.load(table.table_id)).version
        assert isinstance(await store.recall(table.table_id, REQUEST), Repeat)
        await table.write(store)

    async def test_a_server_killed_under_load_loses_nothing_acknowledged(self, own_server, open_store, new_table):
        store = await open_store(own_server.url)
        tables = [new_table() for _ in range(20)]
        killed = asyncio.Event()

        async def write_until_killed(each) -> None:
            while not killed.is_set():
                commit = each.change()
                try:
                    await store.commit(commit)
                except StoreUnavailable:
                    return
                each.follow(commit)

        writers = [asyncio.create_task(write_until_killed(each)) for each in tables]
        give_up = time.monotonic() + 30
        while min(each.version for each in tables) < 5:
            assert time.monotonic() < give_up
            await asyncio.sleep(0.01)
        kill(own_server)
        await asyncio.gather(*writers)
        killed.set()
        own_server.start()
        for each in tables:
            stored = await store.load(each.table_id)
            # The commit whose answer was lost may be there, too.
            assert stored.version - each.version in (0, 1)


class TestReplicas:
    async def test_a_commit_waits_for_the_replicas(self, spawn_server, open_store, table):
        primary, _ = spawn_server(**{"repl-diskless-sync-delay": "0"})
        port = primary.get_connection_kwargs()["port"]
        replica, replica_pid = spawn_server(replicaof=f"127.0.0.1 {port}")
        primary.set("first", "write")
        assert 1 == primary.wait(1, 15_000)
        store = await open_store(
            f"redis://127.0.0.1:{port}", durability=Durability("replicas", 1), replica_timeout_ms=1000
        )
        notices = store.notices()
        notices.watch(table.table_id)
        assert None is (await anext(notices)).version
        await table.write(store)
        assert b"1" == replica.hget(keys.table_key(table.table_id), "version")
        assert 1 == (await anext(notices)).version

        os.kill(replica_pid, signal.SIGSTOP)
        commit = table.change(request=REQUEST)
        with pytest.raises(OutcomeUnknown, match="0 of 1 replicas"):
            await store.commit(commit)
        with pytest.raises(OutcomeUnknown):
            await store.commit(commit)
        with pytest.raises(TimeoutError):
            # Nothing is announced that may still be lost.
            await asyncio.wait_for(anext(notices), 0.2)

        os.kill(replica_pid, signal.SIGCONT)
        assert Repeat(2, commit.etag, b"", same_body=True) == await store.commit(commit)
        assert b"2" == replica.hget(keys.table_key(table.table_id), "version")
        assert 2 == (await anext(notices)).version

    async def test_a_conflict_needs_no_replica(self, server, open_store, store, table):
        await table.write(store)
        careful = await open_store(server.url, durability=Durability("replicas", 1), replica_timeout_ms=50)
        stale = table.change(expected_etag="1-stale")
        assert Conflict(1, table.etag) == await careful.commit(stale)


class TestCluster:
    async def test_a_commit_runs_on_a_cluster(self, spawn_server, open_store, new_table):
        node, _ = spawn_server(**{"cluster-enabled": "yes"})
        node.execute_command("CLUSTER ADDSLOTSRANGE", 0, 16383)
        give_up = time.monotonic() + 15
        while node.execute_command("CLUSTER INFO")["cluster_state"] != "ok":
            assert time.monotonic() < give_up
            await asyncio.sleep(0.02)
        store = await open_store(f"redis://127.0.0.1:{node.get_connection_kwargs()['port']}")
        for _ in range(20):
            table = new_table()
            first, second = (RequestKey(f"{n} of {table.table_id}", b"") for n in (1, 2))
            await table.write(store, request=first, summary=b"s", deadline_ms=5)
            await table.write(store, delete=True, request=second)
            assert 2 == len((await store.events(table.table_id, 0, 10)).events)
        assert [] == list((await store.list_tables("club", 10, "")).entries)
        used = {key_slot(key) for key in contents(node) if key != keys.SHARDS_KEY.encode()}
        assert 1 < len(used)
