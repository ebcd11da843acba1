"""Servers that may forget tables, or do not allow what the store needs, are refused before anything is played."""

import pytest

from service.store import keys
from service.store.base import FinishedHand, OutcomeUnknown, StoreUnavailable, StoreUnfit
from tests.service.store.contents import REQUEST


@pytest.mark.parametrize("policy", ["allkeys-lru", "volatile-ttl"])
async def test_a_server_that_may_forget_is_refused(server, open_store, admin, policy):
    admin.config_set("maxmemory-policy", policy)
    try:
        with pytest.raises(StoreUnfit, match=f"{policy}.*noeviction"):
            await open_store(server.url)
    finally:
        admin.config_set("maxmemory-policy", "noeviction")
    await open_store(server.url)


@pytest.mark.parametrize(
    ("rules", "named"),
    [
        (["+@all", "~dugout:*"], "PUBLISH, SUBSCRIBE"),
        (["+@all", "~dugout:*", "&other:*"], "PUBLISH, SUBSCRIBE"),
        (["+@all", "-unlink", "-xtrim", "~dugout:*", "&dugout:*"], "UNLINK, XTRIM"),
        (["+@all", "-eval", "~dugout:*", "&dugout:*"], "may not even"),
        (["+@all", "~dugout:shards", "&dugout:*"], "may not"),
    ],
)
async def test_a_user_who_could_not_finish_a_commit_is_refused(server, open_store, admin, rules, named):
    admin.execute_command("ACL", "SETUSER", "dealer", "reset", "on", ">pw", *rules)
    with pytest.raises(StoreUnfit, match=named):
        await open_store(server.url.replace("unix://", "unix://dealer:pw@"))
    admin.acl_deluser("dealer")


async def test_a_right_that_is_withdrawn_later_costs_no_index(server, open_store, admin, table, new_table):
    admin.execute_command("ACL", "SETUSER", "dealer", "reset", "on", ">pw", "~dugout:*", "&dugout:*", "+@all")
    store = await open_store(server.url.replace("unix://", "unix://dealer:pw@"))
    await table.write(store, summary=b"s", deadline_ms=1)
    admin.execute_command("ACL", "SETUSER", "dealer", "-hset")
    other = new_table(table.table_id + "x")
    with pytest.raises(OutcomeUnknown):
        await store.commit(other.change(summary=b"s"))
    with pytest.raises(OutcomeUnknown):
        await store.commit(table.change(summary=b"s"))
    admin.execute_command("ACL", "SETUSER", "dealer", "-hmget")
    with pytest.raises(StoreUnavailable) as caught:
        await store.load(table.table_id)
    assert StoreUnavailable is caught.type
    admin.acl_deluser("dealer")
    assert [b"s"] == admin.hvals(keys.summaries_key(keys.shard_of(table.table_id)))


async def test_a_user_with_no_more_than_is_named_plays(server, open_store, admin, table, caplog):
    allowed = "@read @write @string @hash @stream @sortedset @pubsub @scripting @transaction @connection wait"
    admin.execute_command(
        *("ACL", "SETUSER", "dealer", "reset", "on", ">pw", "~dugout:*", "&dugout:*"),
        *(f"+{each}" for each in allowed.split()),
        *("-@dangerous", "-@admin"),
    )
    store = await open_store(server.url.replace("unix://", "unix://dealer:pw@"))
    assert "maxmemory-policy" in caplog.text
    await table.write(store, request=REQUEST, summary=b"s", deadline_ms=1)
    await table.write(store, finished=FinishedHand(1, 1, 5000, b"record"))
    notices = store.notices()
    notices.watch(table.table_id)
    assert None is (await anext(notices)).version
    await table.write(store, delete=True)
    assert 3 == (await anext(notices)).version
    await store.ping()
    admin.acl_deluser("dealer")
