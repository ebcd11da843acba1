"""Answers that are lost, callers that are cancelled, servers that refuse, die or lag: still one effect per commit."""

import asyncio
import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import redis

from service.store import keys
from service.store.base import Committed, Conflict, OutcomeUnknown, Repeat, RequestKey, StoreMismatch, StoreUnavailable
from service.store.durability import Durability
from service.store.embedded import EmbeddedStore
from service.store.redis import RedisStore
from tests.service.store.contents import REQUEST, contents


def kill(server: EmbeddedStore) -> None:
    os.kill(server.pid, signal.SIGKILL)
    while server.running:
        time.sleep(0.005)


async def refusal_of(call, *arguments) -> str:
    """What a store says that has changed nothing and can do better later; empty if it does what it is asked."""
    try:
        await call(*arguments)
    except StoreUnavailable as error:
        if type(error) is not StoreUnavailable:
            raise
        return str(error)
    return ""


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

    async def test_a_busy_server_has_changed_nothing_and_may_answer_later(self, server, store, table, admin):
        await table.write(store)
        busy_after = admin.config_get("busy-reply-threshold")["busy-reply-threshold"]
        admin.config_set("busy-reply-threshold", 1)
        with ThreadPoolExecutor(1) as others, redis.Redis.from_url(server.url, socket_timeout=60) as other:
            endless = others.submit(other.eval, "while true do end", 0)
            try:
                while "BUSY" not in await refusal_of(store.ping):  # noqa: ASYNC110 -- a server sets no event
                    await asyncio.sleep(0.01)
                # One command, several in a pipeline, and a script.
                assert "BUSY" in await refusal_of(store.load, table.table_id)
                assert "BUSY" in await refusal_of(store.events, table.table_id, 0, 1)
                assert "BUSY" in await refusal_of(store.commit, table.change())
            finally:
                admin.script_kill()
                assert isinstance(endless.exception(), redis.ResponseError)
                admin.config_set("busy-reply-threshold", busy_after)
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

    async def test_what_no_replica_confirmed_is_not_recalled_as_done(self, spawn_server, open_store, table):
        primary, _ = spawn_server(**{"repl-diskless-sync-delay": "0"})
        port = primary.get_connection_kwargs()["port"]
        replica, replica_pid = spawn_server(replicaof=f"127.0.0.1 {port}")
        primary.set("first", "write")
        assert 1 == primary.wait(1, 15_000)
        store = await open_store(
            f"redis://127.0.0.1:{port}", durability=Durability("replicas", 1), replica_timeout_ms=300
        )
        os.kill(replica_pid, signal.SIGSTOP)
        commit = table.change(request=REQUEST)
        with pytest.raises(OutcomeUnknown):
            await store.commit(commit)
        # A worker that finds the change made, and so refuses to make it again, looks the request up instead.
        with pytest.raises(OutcomeUnknown, match="0 of 1 replicas"):
            await store.recall(table.table_id, REQUEST)
        assert None is await store.recall(table.table_id, RequestKey("other", b"body"))
        os.kill(replica_pid, signal.SIGCONT)
        assert Repeat(1, commit.etag, b"", same_body=True) == await store.recall(table.table_id, REQUEST)
        assert b"1" == replica.hget(keys.table_key(table.table_id), "version")

    async def test_a_conflict_needs_no_replica(self, server, open_store, store, table):
        await table.write(store)
        careful = await open_store(server.url, durability=Durability("replicas", 1), replica_timeout_ms=50)
        stale = table.change(expected_etag="1-stale")
        assert Conflict(1, table.etag) == await careful.commit(stale)
