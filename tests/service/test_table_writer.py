import asyncio
import uuid

import pytest
from msgspec.structs import replace

import engine
from service import seating
from service.credentials import Operator
from service.errors import Reason, ServiceError
from service.meters import Meters
from service.store.base import OutcomeUnknown, StoreUnavailable
from service.store.durability import Durability
from service.store.redis import RedisStore
from service.table import Change, Settings, Table
from service.table_events import TableCreated
from service.table_writer import Mutation, TableWriter
from tests.service.test_meters import samples

CALLER = Operator("acme", "acme")


@pytest.fixture
def writer(store, clock):
    return TableWriter(store, clock)


async def new_table(writer, **fields):
    rules = engine.PROFILES["baseball"]
    table = Table(uuid.uuid4().hex, "acme", "baseball", rules, Settings(), 0, "", 0, 0)
    mutation = Mutation("Create", table.table_id, **fields)
    return (await writer.create(CALLER, mutation, Change(table, (TableCreated(),)))).table


def admit(table):
    if table is None:
        raise ServiceError(Reason.TABLE_NOT_FOUND, "no table")
    return table


def seat(player_id):
    def work_out(table):
        seated = seating.take_seat(table, player_id, 0, 10)
        return Change(seated.table, seated.events, player_id.encode())

    return work_out


async def test_a_change_is_read_back(writer, store, clock):
    table = await new_table(writer)
    clock.time_ms += 7
    written = await writer.change(CALLER, Mutation("Take", table.table_id), admit, seat("ann"))
    assert (2, clock.time_ms) == (written.version, written.table.changed_ms)
    assert written.table == await writer.load(table.table_id) == await TableWriter(store, clock).load(table.table_id)
    assert written.happening == await writer.happening(table.table_id, 2)
    assert await writer.happening(table.table_id, 3) is None


async def test_what_two_writers_know_is_never_old(store, clock):
    """Each keeps tables it has seen; what it returns is nevertheless what the other one wrote last."""
    first, second = TableWriter(store, clock), TableWriter(store, clock)
    table = await new_table(first)
    for number, writer in enumerate((second, first, second, first, first, second)):
        await writer.change(CALLER, Mutation("Take", table.table_id), admit, seat(f"player{number}"))
        assert await first.load(table.table_id) == await second.load(table.table_id)
    assert 6 == len((await first.load(table.table_id)).seats)


async def test_a_lost_race_is_worked_out_again(store, clock):
    first, second = TableWriter(store, clock), TableWriter(store, clock)
    table = await new_table(first)
    attempts = 0

    def race(loaded):
        nonlocal attempts
        attempts += 1
        return seat(f"player{attempts}")(loaded)

    outcomes = await asyncio.gather(
        *(writer.change(CALLER, Mutation("Take", table.table_id), admit, race) for writer in (first, second) * 3)
    )
    assert list(range(2, 8)) == sorted(outcome.version for outcome in outcomes)
    assert attempts > len(outcomes)


async def test_lost_races_and_known_tables_are_counted(store, clock):
    first, second = (TableWriter(store, clock, Meters()) for _ in range(2))
    table = await new_table(first)
    for _ in range(3):
        await first.load(table.table_id)
        await second.load(table.table_id)

    def counted(writer, name):
        return samples(writer._meters.text())[f"dugout_{name}", ()]

    assert (3, 2) == (counted(first, "table_cache_hits_total"), counted(second, "table_cache_hits_total"))
    attempts = 0

    def race(loaded):
        nonlocal attempts
        attempts += 1
        return seat(f"player{attempts}")(loaded)

    await asyncio.gather(
        *(writer.change(CALLER, Mutation("Take", table.table_id), admit, race) for writer in (first, second) * 3)
    )
    lost = counted(first, "commit_conflicts_total") + counted(second, "commit_conflicts_total")
    assert attempts - 6 == lost > 0


async def test_who_always_loses_gives_up(store, clock, writer):
    table = await new_table(writer)
    faster = TableWriter(store, clock)

    def touch(loaded):
        return Change(replace(loaded, changed_ms=1), ())

    class Outrun(TableWriter):
        """A writer that is interrupted between reading and writing, every time by a faster one."""

        async def load(self, table_id):
            loaded = await super().load(table_id)
            await faster.change(CALLER, Mutation("Other", table_id), admit, touch)
            return loaded

    with pytest.raises(ServiceError) as refusal:
        await Outrun(store, clock).change(CALLER, Mutation("Take", table.table_id), admit, touch)
    assert Reason.TABLE_BUSY == refusal.value.reason
    assert refusal.value.retry_after_ms


async def test_with_an_etag_there_is_one_attempt(store, clock, writer):
    table = await new_table(writer)
    faster = TableWriter(store, clock)
    attempts = 0

    def touch(loaded):
        nonlocal attempts
        attempts += 1
        return Change(replace(loaded, changed_ms=1), ())

    mutation = Mutation("Touch", table.table_id, etag=table.etag)
    outcomes = await asyncio.gather(
        *(each.change(CALLER, mutation, admit, touch) for each in (writer, faster)), return_exceptions=True
    )
    (refusal,) = [outcome for outcome in outcomes if isinstance(outcome, ServiceError)]
    now = await writer.load(table.table_id)
    assert Reason.STALE_ETAG == refusal.reason
    assert {"etag": now.etag, "version": "2"} == refusal.metadata
    assert attempts <= 2


async def test_a_request_that_was_refused_is_not_remembered(writer):
    table = await new_table(writer)
    mutation = Mutation("Take", table.table_id, str(uuid.uuid4()))

    def refuse(_):
        raise ServiceError(Reason.TABLE_FULL, "no")

    with pytest.raises(ServiceError):
        await writer.change(CALLER, mutation, admit, refuse)
    assert 2 == (await writer.change(CALLER, mutation, admit, seat("ann"))).version


async def test_a_repeat_returns_the_first_result_although_it_would_be_refused_now(writer):
    table = await new_table(writer)
    mutation = Mutation("Take", table.table_id, str(uuid.uuid4()), body=b"one")
    first = await writer.change(CALLER, mutation, admit, seat("ann"))
    again = await writer.change(CALLER, mutation, admit, seat("ann"))
    assert first == again
    with pytest.raises(ServiceError) as refusal:
        await writer.change(CALLER, replace(mutation, body=b"two"), admit, seat("ann"))
    assert Reason.REQUEST_ID_REUSED == refusal.value.reason


async def test_where_nothing_is_to_be_done_nothing_is_committed(writer):
    table = await new_table(writer)
    mutation = Mutation("Settle", table.table_id, str(uuid.uuid4()))
    written = await writer.change(CALLER, mutation, admit, lambda _: None)
    assert (table, 1, table.etag, None) == (written.table, written.version, written.etag, written.happening)
    assert table == await writer.load(table.table_id)


async def test_a_store_that_is_gone_changes_nothing(embedded, clock):
    lost = RedisStore("redis://127.0.0.1:1", timeout_ms=200, durability=Durability("memory"))
    writer = TableWriter(lost, clock)
    with pytest.raises(StoreUnavailable) as refusal:
        await writer.change(CALLER, Mutation("Take", "t"), admit, seat("ann"))
    assert not isinstance(refusal.value, OutcomeUnknown)
    await lost.close()
