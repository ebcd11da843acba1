"""Whatever is stored of a table and cannot be read, callers are told so, and no text of it goes anywhere."""

import random
import traceback
import uuid

import pytest
import structlog

from service.damage import damage_of
from service.errors import Reason
from service.snapshot import SnapshotError
from service.store import keys
from service.store.base import StoreDamaged
from service.table_writer import Mutation
from tests.service.table_play import full_table, play_out, refused

TORN = b"\x01torn"


def tear_stream(admin, key):
    """Replace what the entries of a stream hold."""
    entries = admin.xrange(key)
    admin.delete(key)
    for entry_id, fields in entries:
        text = {b"e": fields[b"e"], b"p": TORN} if b"e" in fields else {b"r": TORN}
        admin.xadd(key, text, id=entry_id)


def get_table(house, table):
    return house.tables.get_table(house.operator, table.table_id, 0)


def watch(house, table):
    return anext(house.tables.watch(house.operator, table.table_id, 0, 0))


def get_hand(house, table):
    return house.hands.get_hand(house.operator, table.table_id, 1, 0)


def list_hands(house, table):
    return house.hands.list_hands(house.operator, table.table_id, 100, "")


def list_tables(house, table):
    return house.tables.list_tables(house.operator, 100, "")


def tear_table(admin, table_id):
    admin.hset(keys.table_key(table_id), mapping={"snapshot": TORN, "etag": "9-torn"})


def tear_events(admin, table_id):
    tear_stream(admin, keys.events_key(table_id))


def tear_hands(admin, table_id):
    tear_stream(admin, keys.hands_key(table_id))


def tear_lobby(admin, table_id):
    admin.hset(keys.summaries_key(keys.shard_of(table_id)), table_id, TORN)


def tear_played(admin, table_id):
    """Cut the end off the events of the kept hands."""
    key = keys.played_key(table_id)
    (entry_id, fields), *_ = admin.xrange(key)
    admin.delete(key)
    admin.xadd(key, {b"p": fields[b"p"][:-3]}, id=entry_id)


def swap_table(admin, table_id):
    """Put the snapshot of an older version in the place of the present one."""
    key = keys.table_key(table_id)
    admin.hset(key, mapping={"version": 99, "etag": "99-torn"})


def lose_snapshot(admin, table_id):
    key = keys.table_key(table_id)
    admin.hdel(key, "snapshot")
    admin.hset(key, "etag", "9-torn")


def lose_etag(admin, table_id):
    admin.hdel(keys.table_key(table_id), "etag")


def other_fields(key_of):
    """Replace the entries of a stream by such as nobody reads."""

    def replace(admin, table_id):
        key = key_of(table_id)
        (entry_id, _), *_ = admin.xrevrange(key)
        admin.delete(key)
        admin.xadd(key, {"torn": "torn"}, id=entry_id)

    return replace


def other_type(key_of):
    """Put a text where something else should be."""

    def replace(admin, table_id):
        admin.delete(key_of(table_id))
        admin.set(key_of(table_id), "torn")

    return replace


async def play_hand(house, table):
    await house.deal(table)
    await play_out(house, table, random.Random(2))


@pytest.mark.parametrize(
    ("tear", "use"),
    [
        (tear_table, get_table),
        (tear_events, watch),
        (tear_hands, get_hand),
        (tear_hands, list_hands),
        (tear_lobby, list_tables),
        (tear_played, get_hand),
        (swap_table, get_table),
        (lose_snapshot, get_table),
        (lose_etag, get_table),
        (other_fields(keys.events_key), watch),
        (other_fields(keys.hands_key), list_hands),
        (other_fields(keys.hands_key), get_hand),
        (other_fields(keys.played_key), get_hand),
        (other_type(keys.table_key), get_table),
        (other_type(keys.table_key), play_hand),
        (other_type(keys.events_key), watch),
        (other_type(keys.events_key), play_hand),
        (other_type(keys.hands_key), list_hands),
        (other_type(keys.hands_key), get_hand),
        (other_type(keys.played_key), get_hand),
    ],
)
async def test_what_cannot_be_read_is_refused_and_logged_without_a_word_of_it(house, admin, tear, use):
    table, _ = await full_table(house)
    await house.deal(table)
    await play_out(house, table, random.Random(1))
    await use(house, table)
    tear(admin, table.table_id)
    with structlog.testing.capture_logs() as logs, refused(Reason.TABLE_DAMAGED, table_id=table.table_id) as refusal:
        await use(house, table)
    assert [("table damaged", table.table_id)] == [(line["event"], line["table_id"]) for line in logs]
    assert "torn" not in str(logs) + str(refusal.value)


@pytest.mark.parametrize("damage", [SnapshotError, StoreDamaged])
def test_what_an_error_says_of_cards_and_stacks_stays_where_it_was_said(damage):
    with (
        structlog.testing.capture_logs() as logs,
        refused(Reason.TABLE_DAMAGED, table_id="t") as refusal,
        damage_of("t"),
    ):
        raise damage("seat 1 holds Ks Kh and 300 chips")
    line = {"event": "table damaged", "log_level": "error", "table_id": "t", "error": damage.__name__}
    assert [line] == logs
    assert "Ks" not in "".join(traceback.format_exception(refusal.value))


@pytest.mark.parametrize("key_of", [keys.lobby_key, keys.summaries_key])
async def test_a_lobby_that_is_none_is_refused_until_a_change_makes_it_anew(house, admin, key_of):
    table, _ = await full_table(house)
    other_type(lambda table_id: key_of(keys.shard_of(table_id)))(admin, table.table_id)
    # The summaries are looked up for tables of the lobby only.
    with structlog.testing.capture_logs() as logs, refused(Reason.TABLE_DAMAGED) as refusal:
        await list_tables(house, table)
    assert ["table damaged"] == [line["event"] for line in logs]
    assert "torn" not in str(logs) + str(refusal.value)
    await house.deal(table)
    tables, _ = await list_tables(house, table)
    assert [table.table_id] == [each.table_id for each in tables]


async def test_what_follows_from_commits_is_made_anew_and_no_change_is_half_done(house, admin, caplog):
    table, _ = await full_table(house)
    await house.deal(table)
    await play_out(house, table, random.Random(1))
    shard = keys.shard_of(table.table_id)
    damaged = [
        *(key_of(shard) for key_of in (keys.deadlines_key, keys.lobby_key, keys.summaries_key)),
        *(key_of(table.table_id) for key_of in (keys.hands_key, keys.played_key)),
    ]
    for key in damaged:
        other_type(lambda _, key=key: key)(admin, table.table_id)
    before = (await house.get(table)).version
    dealt = (await house.deal(table)).table
    assert before + 1 == dealt.version
    assert dealt.deadline_ms == admin.zscore(keys.deadlines_key(shard), table.table_id)
    await play_out(house, table, random.Random(2))
    assert [2] == [record.number for record in (await list_hands(house, table)).records]
    assert 2 == (await house.hands.get_hand(house.operator, table.table_id, 2, 0)).played.record.number
    assert all(key in caplog.text for key in damaged)


async def test_a_table_behind_its_events_changes_no_more(house, admin):
    table, _ = await full_table(house)
    admin.xadd(keys.events_key(table.table_id), {"e": "99-lost", "p": "lost"}, id="99-0")
    before = await house.get(table)
    with refused(Reason.TABLE_DAMAGED, table_id=table.table_id):
        await house.deal(table)
    assert before == await house.get(table)


async def test_a_request_whose_memory_cannot_be_read(house, admin):
    table, _ = await full_table(house)
    mutation = Mutation("Deal", table.table_id, str(uuid.uuid4()))
    await house.tables.deal(house.operator, mutation, view_as=0)
    for key in admin.scan_iter(keys.shard_prefix(keys.shard_of(table.table_id)) + "request:*"):
        admin.set(key, TORN)
    with refused(Reason.TABLE_DAMAGED, table_id=table.table_id):
        await house.tables.deal(house.operator, mutation, view_as=0)


async def test_a_repetition_whose_first_answer_cannot_be_read(house, admin):
    table, _ = await full_table(house)
    mutation = Mutation("Deal", table.table_id, str(uuid.uuid4()))
    await house.tables.deal(house.operator, mutation, view_as=0)
    tear_events(admin, table.table_id)
    with refused(Reason.TABLE_DAMAGED, table_id=table.table_id):
        await house.tables.deal(house.operator, mutation, view_as=0)
