"""Whatever is stored of a table and cannot be read, callers are told so, and no text of it goes anywhere."""

import random
import uuid

import pytest
import structlog

from service.errors import Reason
from service.store import keys
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


@pytest.mark.parametrize(
    ("tear", "use"),
    [
        (tear_table, get_table),
        (tear_events, watch),
        (tear_hands, get_hand),
        (tear_hands, list_hands),
        (tear_lobby, list_tables),
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


async def test_a_repetition_whose_first_answer_cannot_be_read(house, admin):
    table, _ = await full_table(house)
    mutation = Mutation("Deal", table.table_id, str(uuid.uuid4()))
    await house.tables.deal(house.operator, mutation, view_as=0)
    tear_events(admin, table.table_id)
    with refused(Reason.TABLE_DAMAGED, table_id=table.table_id):
        await house.tables.deal(house.operator, mutation, view_as=0)
