import asyncio
import uuid

import pytest
import redis
from msgspec.structs import replace

import engine
from engine.cards import FULL_DECK
from service import dealer, seating
from service.credentials import Operator
from service.errors import Reason, ServiceError
from service.meters import Meters
from service.store import keys
from service.store.base import OutcomeUnknown, StoreUnavailable
from service.store.durability import Durability
from service.store.redis import RedisStore
from service.table import Change, Settings, Table
from service.table_events import TableCreated, TableDeleted
from service.table_writer import Mutation, TableWriter
from tests.service.table_play import Forgetful
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


async def test_a_table_that_is_made_twice_by_one_request_is_made_once(writer):
    rules = engine.PROFILES["baseball"]
    table = Table(uuid.uuid4().hex, "acme", "baseball", rules, Settings(), 0, "", 0, 0)
    mutation = Mutation("Create", table.table_id, str(uuid.uuid4()), body=b"one")
    change = Change(table, (TableCreated(),))
    first = await writer.create(CALLER, mutation, change)
    assert first == await writer.create(CALLER, mutation, change)
    for caller, other in ((CALLER, replace(mutation, body=b"two")), (Operator("acme", "acme/2"), mutation)):
        with pytest.raises(ServiceError) as refusal:
            await writer.create(caller, other, change)
        assert Reason.REQUEST_ID_REUSED == refusal.value.reason


async def test_no_etag_says_the_same_of_two_tables(writer):
    etags = [(await new_table(writer)).etag for _ in range(50)]
    assert 50 == len(set(etags))


async def test_the_events_of_a_hand_are_kept_for_as_long_as_it_is_played(store, writer, monkeypatch):
    """From its deal on, and its record with them when it ends."""
    table = await new_table(writer)
    noted = []
    commit = store.commit

    async def note(wanted):
        noted.append((wanted.version, wanted.events_from, wanted.finished and wanted.finished.first_version))
        return await commit(wanted)

    monkeypatch.setattr(store, "commit", note)
    for player_id in ("ann", "bob"):
        await writer.advance(table.table_id, seat(player_id))
    await writer.advance(table.table_id, lambda table: dealer.deal(table, lambda: FULL_DECK, 0))
    await writer.advance(table.table_id, seat("cid"))
    await writer.advance(table.table_id, lambda table: dealer.leave_hand(table, table.seating(1), 0))
    await writer.advance(table.table_id, seat("dan"))
    assert [(2, None, None), (3, None, None), (4, 4, None), (5, 4, None), (6, None, 4), (7, None, None)] == noted


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


async def test_a_repeat_returns_the_first_result_although_nothing_would_be_to_do_now(writer):
    def seat_the_first(table):
        return None if table.seats else seat("ann")(table)

    table = await new_table(writer)
    mutation = Mutation("Take", table.table_id, str(uuid.uuid4()), body=b"one")
    first = await writer.change(CALLER, mutation, admit, seat_the_first)
    last = await writer.change(CALLER, Mutation("Take", table.table_id), admit, seat("bob"))
    assert replace(first, table=last.table) == await writer.change(CALLER, mutation, admit, seat_the_first)
    with pytest.raises(ServiceError) as refusal:
        await writer.change(CALLER, replace(mutation, body=b"two"), admit, seat_the_first)
    assert Reason.REQUEST_ID_REUSED == refusal.value.reason


async def test_one_id_for_two_rpcs_is_two_requests(writer):
    table = await new_table(writer)
    request_id = str(uuid.uuid4())
    for number, rpc in enumerate(("Take", "Deal"), start=2):
        mutation = Mutation(rpc, table.table_id, request_id)
        assert number == (await writer.change(CALLER, mutation, admit, seat(rpc))).version


async def test_what_is_no_longer_kept_is_not_taken_for_what_followed(embedded, writer):
    table = await new_table(writer)
    mutation = Mutation("Take", table.table_id, str(uuid.uuid4()))
    first = await writer.change(CALLER, mutation, admit, seat("ann"))
    await writer.change(CALLER, Mutation("Take", table.table_id), admit, seat("bob"))
    with redis.Redis.from_url(embedded.url) as admin:
        admin.xdel(keys.events_key(table.table_id), "2-0")
    assert await writer.happening(table.table_id, 2) is None
    again = await writer.change(CALLER, mutation, admit, seat("ann"))
    assert (2, first.etag, None, b"ann") == (again.version, again.etag, again.happening, again.result)


async def test_where_nothing_is_to_be_done_nothing_is_committed(writer):
    table = await new_table(writer)
    mutation = Mutation("Settle", table.table_id, str(uuid.uuid4()))
    written = await writer.change(CALLER, mutation, admit, lambda _: None)
    assert (table, 1, table.etag, None) == (written.table, written.version, written.etag, written.happening)
    assert table == await writer.load(table.table_id)


def end(table):
    return Change(replace(table, seats=(), taken=table.brought), (TableDeleted(),), b"paid", deleted=True)


async def test_a_deleted_table_is_gone_for_every_writer_and_its_last_events_are_not(writer, store, clock):
    other = TableWriter(store, clock)
    table = await new_table(writer)
    await other.load(table.table_id)
    deleted = await writer.delete(CALLER, Mutation("Delete", table.table_id), admit, end)
    assert (2, b"paid", (TableDeleted(),)) == (deleted.version, deleted.result, deleted.happening.events)
    assert (None, None) == (await writer.load(table.table_id), await other.load(table.table_id))
    assert deleted.happening == await other.happening(table.table_id, 2)
    with pytest.raises(ServiceError) as refusal:
        await other.delete(CALLER, Mutation("Delete", table.table_id), admit, end)
    assert Reason.TABLE_NOT_FOUND == refusal.value.reason


async def test_a_repeated_deletion_finds_its_result_at_any_worker(writer, store, clock):
    table = await new_table(writer)
    mutation = Mutation("Delete", table.table_id, str(uuid.uuid4()), body=b"one")
    first = await writer.delete(CALLER, mutation, admit, end)
    assert first == await writer.delete(CALLER, mutation, admit, end)
    assert first == await TableWriter(store, clock).delete(CALLER, mutation, admit, end)
    with pytest.raises(ServiceError) as refusal:
        await writer.delete(CALLER, replace(mutation, body=b"two"), admit, end)
    assert Reason.REQUEST_ID_REUSED == refusal.value.reason
    with pytest.raises(ServiceError) as refusal:
        await writer.delete(Operator("acme", "acme/2"), mutation, admit, end)
    assert Reason.TABLE_NOT_FOUND == refusal.value.reason


async def test_a_deletion_whose_answer_was_lost_is_found_by_its_request_id(embedded, clock):
    store = Forgetful(embedded.url)
    await store.connect()
    writer = TableWriter(store, clock)
    table = await new_table(writer)
    mutation = Mutation("Delete", table.table_id, str(uuid.uuid4()), body=b"one")
    store.losing = True
    with pytest.raises(OutcomeUnknown):
        await writer.delete(CALLER, mutation, admit, end)
    assert (2, b"paid") == ((found := await writer.delete(CALLER, mutation, admit, end)).version, found.result)
    await store.close()


async def test_a_store_that_is_gone_changes_nothing(embedded, clock):
    lost = RedisStore("redis://127.0.0.1:1", timeout_ms=200, durability=Durability("memory"))
    writer = TableWriter(lost, clock)
    with pytest.raises(StoreUnavailable) as refusal:
        await writer.change(CALLER, Mutation("Take", "t"), admit, seat("ann"))
    assert not isinstance(refusal.value, OutcomeUnknown)
    await lost.close()


class TestAdvance:
    async def test_what_happens_by_itself_is_a_commit_like_any_other(self, writer):
        table = await new_table(writer)
        written = await writer.advance(table.table_id, seat("ann"))
        assert (2, b"ann") == (written.version, written.result)
        assert written.table == await writer.load(table.table_id)

    async def test_nothing_is_due(self, writer):
        table = await new_table(writer)
        assert await writer.advance(table.table_id, lambda table: None) is None
        assert await writer.advance("nowhere", seat("ann")) is None
        assert table == await writer.load(table.table_id)

    async def test_somebody_who_was_faster_is_seen(self, store, writer, clock):
        table, faster, seen = await new_table(writer), TableWriter(store, clock), []

        async def change(name):
            await faster.change(CALLER, Mutation("Take", table.table_id), admit, seat(name))

        def work_out(loaded):
            seen.append(loaded.version)
            return None if loaded.seats else seat("ann")(loaded)

        commit = store.commit

        async def too_late(wanted):
            store.commit = commit
            await change("bob")
            return await commit(wanted)

        store.commit = too_late
        assert await writer.advance(table.table_id, work_out) is None
        assert [1, 2] == seen

    async def test_only_what_somebody_does_puts_the_end_of_an_idle_table_off(self, store, clock):
        writer = TableWriter(store, clock, idle_ttl_ms=5000)
        table = await new_table(writer)
        created_ms = clock.time_ms
        assert created_ms + 5000 == table.idle_ms
        clock.time_ms += 1000
        assert created_ms + 5000 == (await writer.advance(table.table_id, seat("ann"))).table.idle_ms
        changed = await writer.change(CALLER, Mutation("Take", table.table_id), admit, seat("bob"))
        assert created_ms + 6000 == changed.table.idle_ms

    async def test_a_table_that_ends_is_gone(self, store, writer, clock):
        table = await new_table(writer)
        await writer.advance(table.table_id, seat("ann"))
        ended = await writer.advance(table.table_id, seating.close)
        assert (3, ()) == (ended.version, ended.table.seats)
        assert None is await writer.load(table.table_id)
        assert None is await writer.advance(table.table_id, seating.close)
