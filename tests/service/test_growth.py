"""What play leaves in the store: every kind of key has a bound or an end, and nothing outlives its table for long."""

import asyncio
import random
import re
import time
import uuid

import pytest
import redis

from service.store import keys
from service.store.durability import Durability
from service.store.embedded import EmbeddedStore
from service.store.redis import RedisStore
from service.table_writer import Mutation
from tests.service.table_play import play_out

EVENTS_KEPT, HANDS_KEPT, TABLES = 20, 3, 4
NODE_ENTRIES = 100
"""A stream gives back whole nodes only, which hold so many entries at most."""

EXPIRING = {"request", "hands", "played"}
STAYING = {"shards", "table", "events", "deadlines", "lobby", "summaries"}


@pytest.fixture(scope="module")
def embedded():
    """A store of its own, so that all keys are ours."""
    with EmbeddedStore(durability=Durability("memory")) as store:
        yield store


@pytest.fixture
async def store(embedded):
    store = RedisStore(
        embedded.url, request_ttl_s=2, events_kept=EVENTS_KEPT, hands_kept=HANDS_KEPT, hands_ttl_s=2, timeout_ms=20_000
    )
    await store.connect()
    yield store
    await store.close()


@pytest.fixture
def admin(embedded):
    with redis.Redis.from_url(embedded.url, protocol=2) as client:
        yield client


def families(admin):
    """The keys of each kind."""
    found = {}
    for key in map(bytes.decode, admin.scan_iter()):
        kind = re.fullmatch(r"dugout:(?:\{s\d{3}\}:)?([a-z]+)(?::.+)?", key)[1]
        found.setdefault(kind, []).append(key)
    return found


async def play_hands(house, tables, rng, count):
    """Play hands with a request id for each; return the most commits that one took."""
    most = 0
    for _ in range(count):
        for table in tables:
            before = (await house.get(table)).version
            mutation = Mutation("Deal", table.table_id, str(uuid.uuid4()))
            await house.tables.deal(house.operator, mutation, view_as=0)
            most = max(most, (await play_out(house, table, rng)).version - before)
    return most


def check_bounds(admin, commits_most):
    found = families(admin)
    for kind, names in found.items():
        assert kind in EXPIRING | STAYING
        for name in names:
            assert (kind in EXPIRING) == (admin.pttl(name) != -1), name
    assert TABLES == len(found["table"]) == len(found["events"])
    assert TABLES == sum(map(admin.zcard, found["lobby"])) == sum(map(admin.hlen, found["summaries"]))
    assert sum(map(admin.zcard, found.get("deadlines", []))) <= TABLES
    for name in found["events"]:
        assert admin.xlen(name) <= EVENTS_KEPT + commits_most + NODE_ENTRIES
    for name in (*found["hands"], *found["played"]):
        assert admin.xlen(name) <= HANDS_KEPT


async def test_every_key_has_a_bound_or_an_end(house, admin):
    rng = random.Random(1)
    tables = [await house.create("seven-card-stud") for _ in range(TABLES)]
    for table in tables:
        for player in ("ann", "bob", "cyd"):
            await house.seat(table, player, stack=100_000)
    commits_most = await play_hands(house, tables, rng, 6)
    check_bounds(admin, commits_most)
    commits_most = max(commits_most, await play_hands(house, tables, rng, 24))
    check_bounds(admin, commits_most)
    for table in tables:
        # Far more than stays.
        assert (await house.get(table)).version > EVENTS_KEPT + NODE_ENTRIES + commits_most
        await house.delete(table, request_id=str(uuid.uuid4()))
    assert {"shards", "request", "events"} == set(families(admin)) | {"request", "events"}
    assert all(admin.pttl(name) > 0 for name in families(admin).get("events", []))
    give_up = time.monotonic() + 30
    while [keys.SHARDS_KEY.encode()] != list(admin.scan_iter()):
        assert time.monotonic() < give_up, families(admin)
        await asyncio.sleep(0.1)
