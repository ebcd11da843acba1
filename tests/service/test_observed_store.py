import pytest

from service.meters import Meters
from service.observed_store import observed
from service.store.base import StoreUnavailable
from service.store.redis import RedisStore
from service.tracing import NoTracing
from tests.service.test_meters import samples


async def test_what_the_store_does_is_timed_and_its_answers_are_its_own(store):
    meters = Meters()
    watched = observed(store, meters, NoTracing())
    assert await watched.load("nonesuch") is None
    await watched.ping()
    assert store.deadlines() is watched.deadlines()
    assert await store.count_tables() == await watched.count_tables()
    counted = samples(meters.text())
    for operation in ("load", "ping", "count_tables"):
        assert 1 == counted["dugout_store_seconds_count", (operation,)]
    assert not [name for name, _ in counted if name.startswith("dugout_store_errors_total")]


async def test_what_it_fails_to_do_is_counted_by_the_kind_of_error():
    meters = Meters()
    lost = RedisStore("redis://127.0.0.1:1", timeout_ms=200)
    with pytest.raises(StoreUnavailable):
        await observed(lost, meters, NoTracing()).load("t")
    counted = samples(meters.text())
    assert 1 == counted["dugout_store_errors_total", ("StoreUnavailable", "load")]
    assert 1 == counted["dugout_store_seconds_count", ("load",)]
    await lost.close()
