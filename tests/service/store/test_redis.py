"""The store against real servers: one effect per commit, and what is kept of it."""

import asyncio
import os
import time

import pytest
from redis.crc import key_slot

from service.store import keys
from service.store.base import Committed, Conflict, LobbyEntry, Repeat, RequestKey, Stored, StoredEvents, StoreError
from service.store.redis import RedisStore
from tests.service.store.contents import REQUEST, contents


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
