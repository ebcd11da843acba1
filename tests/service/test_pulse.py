"""A pulse over a store that can be away."""

import asyncio

import pytest
import redis

from service.feed import Feed
from service.health import Health
from service.meters import Meters
from service.observed_store import observed
from service.pulse import Pulse
from service.store import keys
from service.store.base import StoreError
from service.store.durability import Durability
from service.store.embedded import EmbeddedStore
from service.store.redis import RedisStore
from service.table_writer import TableWriter
from service.tracing import NoTracing
from tests.service.test_meters import samples
from tests.service.test_table_writer import new_table
from tests.service.watching import until


class NotedHealth(Health):
    """A health service that remembers what it was told of the store."""

    def __init__(self):
        super().__init__(["s"], ["s"])
        self.told = asyncio.Queue()

    def store_answers(self, answers):
        super().store_answers(answers)
        self.told.put_nowait(answers)


@pytest.fixture
async def own_store():
    """A store of this test alone, and the process it lies in."""
    with EmbeddedStore(durability=Durability("aof")) as embedded:
        store = RedisStore(embedded.url, timeout_ms=200)
        await store.connect()
        yield store, embedded
        await store.close()


async def test_the_store_goes_and_comes_back(own_store):
    store, embedded = own_store
    health = NotedHealth()
    pulse = Pulse(store, health, Feed(store), Meters(), interval_s=0.02)
    pulse.start()
    for _ in range(2):
        embedded._process.kill()
        embedded._process.wait()
        assert not await asyncio.wait_for(health.told.get(), 30)
        embedded.start()
        assert await asyncio.wait_for(health.told.get(), 30)
    await pulse.stop()
    assert health.told.empty()


async def test_tables_that_cannot_be_counted_do_not_make_the_store_seem_away(own_store):
    store, embedded = own_store
    with redis.Redis.from_url(embedded.url, protocol=2) as admin:
        for shard in range(keys.SHARDS):
            admin.set(keys.lobby_key(shard), "no index")
    with pytest.raises(StoreError):
        await store.count_tables()
    health, meters = NotedHealth(), Meters()
    pulse = Pulse(observed(store, meters, NoTracing()), health, Feed(store), meters, interval_s=0.001)
    pulse.start()
    failed = ("dugout_store_errors_total", ("StoreDamaged", "count_tables"))
    await until(lambda: samples(meters.text()).get(failed, 0) > 1)
    await pulse.stop()
    assert health.told.empty()


async def test_tables_and_watchers_are_counted(own_store, clock):
    store, _ = own_store
    for _ in range(3):
        await new_table(TableWriter(store, clock))
    meters, feed = Meters(), Feed(store)
    meters.watching(7)
    pulse = Pulse(store, Health([]), feed, meters)
    pulse.start()
    for _ in range(600):
        if samples(meters.text())["dugout_tables_live", ()]:
            break
        await asyncio.sleep(0.05)
    await pulse.stop()
    assert (3, 0) == tuple(samples(meters.text())[f"dugout_{name}", ()] for name in ("tables_live", "watchers"))
