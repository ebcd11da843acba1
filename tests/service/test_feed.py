import asyncio
import contextlib
from contextlib import aclosing
from itertools import pairwise

import grpc
import pytest
from msgspec import structs

from proto.stud.v1 import stud_pb2, stud_pb2_grpc
from service.address import Address
from service.errors import Reason, ServiceError
from service.feed import Checkpoint, Feed, Published
from service.server import Server
from service.shuffle import SystemShuffle
from service.snapshot import encode_happening
from service.store.base import Commit, StoreUnavailable
from service.store.durability import Durability
from service.store.embedded import EmbeddedStore
from service.store.redis import RedisStore
from service.table_events import Happening, TableDeleted
from service.table_service import TableService
from service.table_writer import Mutation, TableWriter


async def take(stream, count):
    """Return the next happenings of a stream, checkpoints left out."""
    found = []
    async for item in stream:
        if isinstance(item, Published):
            found.append(item.happening)
        if len(found) == count:
            return found
    raise AssertionError(f"the stream ended after {len(found)} of {count}")


async def first_checkpoint(stream):
    """Yield a stream's items up to the first checkpoint."""
    async for item in stream:
        yield item
        if isinstance(item, Checkpoint):
            return


async def come_and_go(house, table, times):
    """Change a table twice as many times."""
    for number in range(times):
        caller = await house.seat(table, f"guest{number}")
        await house.tables.seats.leave_seat(
            caller, Mutation("LeaveSeat", table.table_id), seat=0, player_id="", view_as=0
        )


async def test_missed_events_first_then_live_ones(house, feed):
    table = await house.create()
    await come_and_go(house, table, 2)
    async with aclosing(feed.watch(table.table_id, 1)) as stream:
        missed = await take(stream, 4)
        living = asyncio.create_task(take(stream, 6))
        await come_and_go(house, table, 3)
        versions = [happening.version for happening in (*missed, *await living)]
    assert list(range(2, 12)) == versions


async def test_more_than_a_page(house, feed):
    table = await house.create()
    await come_and_go(house, table, 70)
    async with aclosing(feed.watch(table.table_id, 0)) as stream:
        assert list(range(1, 142)) == [happening.version for happening in await take(stream, 141)]


async def test_many_watchers_while_others_write(house, feed):
    """Each sees every version once and in order, wherever it begins, on this worker or on another one."""
    table = await house.create()

    async def follow(after_version, source):
        async with aclosing(source.watch(table.table_id, after_version)) as stream:
            return [happening.version for happening in await take(stream, 81 - after_version)]

    other = Feed(house.tables._store, idle_s=60)
    other.start()
    followers = [asyncio.create_task(follow(after, source)) for after in (0, 1) for source in (feed, feed, other)]
    await come_and_go(house, table, 40)
    followers += [asyncio.create_task(follow(40, feed))]
    for follower in followers:
        versions = await follower
        assert list(range(versions[0], 82)) == versions
    assert (0, 0) == (feed.watchers, other.watchers)
    await other.close()


async def test_an_idle_stream_gets_checkpoints(house, feed):
    table = await house.create()
    async with aclosing(feed.watch(table.table_id, 1)) as stream:
        for _ in range(3):
            assert Checkpoint(1, table.etag, 0) == await anext(stream)
        await house.seat(table, "ann")
        assert 2 == (await take(stream, 1))[0].version


async def test_a_checkpoint_knows_the_hand(house):
    table = await house.create()
    for number in range(2):
        await house.seat(table, f"player{number}")
    dealt = await house.deal(table)
    for after_version in (dealt.version - 1, dealt.version):
        async with aclosing(house.tables.watch(house.operator, table.table_id, after_version, 0)) as stream:
            found = [item async for item in first_checkpoint(stream)]
        assert Checkpoint(dealt.version, dealt.etag, 1) == found[-1]


async def test_too_old_names_the_oldest_that_is_kept(embedded, house, clock, shuffle):
    store = RedisStore(embedded.url, events_kept=1)
    await store.connect()
    tables = TableService(store, clock, shuffle, house.keyring, Feed(store))
    house.tables = tables
    table = await house.create()
    await come_and_go(house, table, 80)
    feed = Feed(store, idle_s=0.05)
    page = await store.events(table.table_id, 0, 1)
    assert page.oldest_version > 1
    with pytest.raises(ServiceError) as refusal:
        await anext(feed.watch(table.table_id, page.oldest_version - 2))
    assert Reason.VERSION_TOO_OLD == refusal.value.reason
    assert {"oldest_version": str(page.oldest_version), "version": "161"} == refusal.value.metadata
    async with aclosing(feed.watch(table.table_id, page.oldest_version - 1)) as stream:
        assert page.oldest_version == (await take(stream, 1))[0].version
    await store.close()


async def test_a_watcher_that_falls_behind_ends_instead_of_leaving_a_gap(embedded, house, clock, shuffle):
    store = RedisStore(embedded.url, events_kept=1)
    await store.connect()
    house.tables = TableService(store, clock, shuffle, house.keyring, Feed(store))
    table = await house.create()
    async with aclosing(Feed(store, idle_s=0.05).watch(table.table_id, 0)) as stream:
        assert 1 == (await take(stream, 1))[0].version
        await come_and_go(house, table, 80)
        with pytest.raises(ServiceError) as refusal:
            await take(stream, 160)
    assert Reason.VERSION_TOO_OLD == refusal.value.reason
    await store.close()


async def test_too_new(house, feed):
    table = await house.create()
    with pytest.raises(ServiceError) as refusal:
        await anext(feed.watch(table.table_id, 2))
    assert Reason.VERSION_TOO_NEW == refusal.value.reason
    assert {"version": "1"} == refusal.value.metadata


async def test_a_watcher_of_a_deleted_table_gets_everything_and_then_the_end(house, feed):
    table = await house.create()
    await come_and_go(house, table, 40)
    async with aclosing(feed.watch(table.table_id, 0)) as late, aclosing(feed.watch(table.table_id, 81)) as waiting:
        assert isinstance(await anext(waiting), Checkpoint)
        assert 1 == (await anext(late)).happening.version
        deleted = await house.delete(table)
        assert [82] == [item.happening.version async for item in waiting if isinstance(item, Published)]
        rest = [item async for item in late]
    assert list(range(2, 83)) == [item.happening.version for item in rest]
    assert deleted.events == rest[-1].happening.events
    assert 0 == feed.watchers


async def test_a_drained_feed_ends_its_streams_so_that_they_can_resume(house, feed, store):
    table = await house.create()
    stream = feed.watch(table.table_id, 0)
    assert 1 == (await take(stream, 1))[0].version
    waiting = asyncio.create_task(take(stream, 1))
    await asyncio.sleep(0)
    feed.drain()
    for ended in (waiting, anext(feed.watch(table.table_id, 0))):
        with pytest.raises(ServiceError) as refusal:
            await ended
        assert Reason.DRAINING == refusal.value.reason
    await house.seat(table, "ann")
    again = Feed(store)
    async with aclosing(again.watch(table.table_id, 1)) as resumed:
        assert 2 == (await take(resumed, 1))[0].version


async def test_a_happening_reads_back_as_it_was_committed(house, store, clock):
    table = await house.create()
    for number in range(2):
        await house.seat(table, f"player{number}")
    dealt = await house.deal(table)
    happening = await TableWriter(store, clock).happening(table.table_id, dealt.version)
    assert dealt.events == happening.events
    assert (dealt.etag, clock.time_ms, 1) == (happening.etag, happening.time_ms, happening.hand_number)


class CountingStore(RedisStore):
    """A store that knows how often events were read."""

    reads = 0

    async def events(self, table_id, after_version, limit):
        self.reads += 1
        return await super().events(table_id, after_version, limit)


class TestSharing:
    @pytest.fixture
    async def counting(self, embedded):
        store = CountingStore(embedded.url)
        await store.connect()
        yield store
        await store.close()

    @pytest.fixture
    async def patient(self, counting):
        """A feed that sends no checkpoint while a test runs: it reads when a notice says so."""
        feed = Feed(counting)
        feed.start()
        yield feed
        await feed.close()

    async def test_a_commit_is_read_once_however_many_watch(self, house, counting, patient):
        table = await house.create()
        streams = [patient.watch(table.table_id, 1) for _ in range(50)]
        reads = []
        for number in range(1, 8):
            waiting = [asyncio.create_task(take(stream, 1)) for stream in streams]
            await house.seat(table, f"player{number}")
            seen = [await task for task in waiting]
            assert {number + 1} == {happening.version for (happening,) in seen}
            # Not equal only: the very same.
            assert 1 == len({id(happening) for (happening,) in seen})
            reads.append(counting.reads)
        # The first commit finds the watchers arriving, each of which may have to look for itself.
        assert [1] * 6 == [after - before for before, after in pairwise(reads)]
        for stream in streams:
            await stream.aclose()

    async def test_who_comes_to_a_followed_table_costs_no_reading(self, house, counting, patient):
        table = await house.create()
        async with aclosing(patient.watch(table.table_id, 1)) as first:
            await come_and_go(house, table, 1)
            assert 3 == (await take(first, 2))[-1].version
            reads = counting.reads
            streams = [patient.watch(table.table_id, 3) for _ in range(20)]
            waiting = [asyncio.create_task(take(stream, 1)) for stream in streams]
            await asyncio.sleep(0)
            await house.seat(table, "ann")
            for task in waiting:
                assert 4 == (await task)[0].version
            # One, and perhaps one more that was under way before; not twenty.
            assert counting.reads - reads <= 3
            for stream in streams:
                await stream.aclose()

    async def test_what_everybody_has_is_not_kept(self, house, patient):
        table = await house.create()
        streams = [patient.watch(table.table_id, 1) for _ in range(3)]
        for _ in range(20):
            await come_and_go(house, table, 1)
            for stream in streams:
                await take(stream, 2)
        shared = patient._tables[table.table_id]
        assert len(shared._recent) <= 2
        for stream in streams:
            await stream.aclose()

    async def test_one_who_lags_has_only_so_much_kept_for_it(self, house, patient):
        table = await house.create()
        async with (
            aclosing(patient.watch(table.table_id, 1)) as late,
            aclosing(patient.watch(table.table_id, 1)) as keen,
        ):
            await come_and_go(house, table, 1)
            assert [2, 3] == [happening.version for happening in await take(late, 2)]
            await take(keen, 2)
            await come_and_go(house, table, 60)
            await take(keen, 120)
            assert 64 == len(patient._tables[table.table_id]._recent)
            assert [*range(4, 124)] == [happening.version for happening in await take(late, 120)]

    async def test_checkpoints_of_many_need_one_reading(self, house, counting):
        feed = Feed(counting, idle_s=0.3)
        feed.start()
        table = await house.create()
        streams = [feed.watch(table.table_id, 1) for _ in range(40)]
        await asyncio.gather(*(anext(stream) for stream in streams))
        counting.reads = 0
        assert {Checkpoint(1, table.etag, 0)} == set(await asyncio.gather(*(anext(stream) for stream in streams)))
        assert counting.reads <= 3
        for stream in streams:
            await stream.aclose()
        await feed.close()

    def test_how_it_looks_is_worked_out_once_for_all_who_see_the_same(self):
        asked = []

        def encode(happening, viewer):
            asked.append(viewer)
            return b"%d as %d" % (happening.version, viewer or 0)

        published = Published(Happening(7, "e", 1, 0, ()))
        for viewer in (None, 2, None, 3, 2):
            assert b"7 as %d" % (viewer or 0) == published.seen(viewer, encode)
        assert [None, 2, 3] == asked


def ending(table):
    """Return the commit that deletes a table."""
    version = table.version + 1
    end = Happening(version, f"{version}-end", table.hand_number, 0, (TableDeleted(),))
    return Commit(
        table_id=table.table_id,
        tenant=table.tenant,
        expected_etag=table.etag,
        version=version,
        etag=end.etag,
        snapshot=b"",
        events=encode_happening(end),
        delete=True,
    )


async def all_of(stream):
    """Return the versions of a stream that ends."""
    return [item.happening.version async for item in stream if isinstance(item, Published)]


class TestTheEndOfATable:
    async def test_everybody_gets_the_last_events_and_then_the_end(self, house, feed, store):
        table = await house.create()
        await come_and_go(house, table, 70)
        table = await house.get(table)
        present = asyncio.create_task(all_of(feed.watch(table.table_id, 141)))
        late = feed.watch(table.table_id, 0)
        assert [1] == [happening.version for happening in await take(late, 1)]
        await store.commit(ending(table))
        assert [142] == await present
        assert [*range(2, 143)] == await all_of(late)
        assert (0, {}) == (feed.watchers, feed._tables)

    async def test_who_comes_after_it(self, house, feed, store):
        table = await house.create()
        await store.commit(ending(table))
        for after_version, versions in ((0, [1, 2]), (1, [2]), (2, [])):
            assert versions == await all_of(feed.watch(table.table_id, after_version))
        assert [] == await all_of(feed.watch("nosuchtable", 0))

    async def test_a_table_of_the_same_id_is_another_one(self, house, store):
        """Who followed the old one is told to read anew, whether the new one has come as far or not."""
        feed = Feed(store, idle_s=0.05)  # not started: it hears nothing and finds out by itself
        for new_version in (1, 2, 3):
            table = await house.create()
            await house.seat(table, "ann")
            table = await house.get(table)
            stream = feed.watch(table.table_id, 1)
            assert [2] == [happening.version for happening in await take(stream, 1)]
            await store.commit(ending(table))
            etag = ""
            for version in range(1, new_version + 1):
                happening = Happening(version, f"{version}-new", 0, 0, ())
                begin = structs.replace(ending(table), version=version, expected_etag=etag, etag=happening.etag)
                etag = happening.etag
                await store.commit(structs.replace(begin, delete=False, events=encode_happening(happening)))
            with pytest.raises(ServiceError) as refusal:
                await all_of(stream)
            assert (Reason.VERSION_TOO_NEW, {"version": str(new_version)}) == (
                refusal.value.reason,
                refusal.value.metadata,
            )
            assert {} == feed._tables


class TestWithoutTheStore:
    async def test_all_end_resumably_and_the_next_ones_follow_again(self, house):
        with EmbeddedStore(durability=Durability("always")) as embedded:
            store = RedisStore(embedded.url, timeout_ms=500)
            await store.connect()
            house.tables = TableService(store, house.clock, SystemShuffle(), house.keyring, Feed(store))
            table = await house.create()
            feed = Feed(store, idle_s=0.05)
            feed.start()
            streams = [feed.watch(table.table_id, 0) for _ in range(5)]
            for stream in streams:
                await take(stream, 1)
            embedded._process.kill()
            embedded._process.wait()
            for stream in streams:
                with pytest.raises(StoreUnavailable):
                    await take(stream, 1)
            assert (0, {}) == (feed.watchers, feed._tables)
            embedded.start()
            async with aclosing(feed.watch(table.table_id, 1)) as stream:
                await house.seat(table, "ann")
                assert [2] == [happening.version for happening in await take(stream, 1)]
            await feed.close()
            await store.close()

    async def test_a_closed_feed_keeps_nobody(self, house, store):
        feed = Feed(store)
        feed.start()
        table = await house.create()
        waiting = [asyncio.create_task(take(feed.watch(table.table_id, 1), 1)) for _ in range(5)]
        await asyncio.sleep(0)
        await feed.close()
        for task in waiting:
            with pytest.raises(ServiceError) as refusal:
                await task
            assert Reason.DRAINING == refusal.value.reason
        assert {} == feed._tables


class TestOverTheWire:
    async def test_a_stream_is_resumed_after_its_last_version(self, wire):
        table_id, tokens = await wire.table()
        await wire.deal(table_id)
        version = (await wire.get(table_id)).version
        versions = []
        after = 0
        while after < version:  # a stream that breaks off after two messages each time
            request = stud_pb2.WatchTableRequest(table_id=table_id, after_version=after)
            stream = wire.tables.WatchTable(request, **wire.options(tokens[0]))
            for _ in range(2):
                if after < version:
                    message = await stream.read()
                    versions.append(message.version)
                    after = message.version
            stream.cancel()
        assert list(range(1, version + 1)) == versions

    async def test_versions_that_are_none(self, wire, refused):
        table_id, _ = await wire.table()
        for after_version, status, reason in (
            (-1, "INVALID_ARGUMENT", "INVALID_FIELD"),
            (5, "OUT_OF_RANGE", "VERSION_TOO_NEW"),
            (2**63 - 1, "OUT_OF_RANGE", "VERSION_TOO_NEW"),
        ):
            request = stud_pb2.WatchTableRequest(table_id=table_id, after_version=after_version)
            with refused(status, reason):
                await wire.tables.WatchTable(request, **wire.options()).read()

    async def test_a_players_stream_ends_when_the_player_has_left(self, wire, refused):
        table_id, tokens = await wire.table()
        request = stud_pb2.WatchTableRequest(table_id=table_id, after_version=3)
        stream = wire.tables.WatchTable(request, **wire.options(tokens[0]))
        assert 4 == (await stream.read()).version
        await wire.tables.LeaveSeat(stud_pb2.LeaveSeatRequest(table_id=table_id), **wire.options(tokens[0]))
        assert "seat_left" == (await stream.read()).events[0].WhichOneof("kind")
        with refused("PERMISSION_DENIED", "SEATING_ENDED"):
            await stream.read()

    async def test_cancelled_streams_leave_nothing_behind(self, wire):
        table_id, _ = await wire.table()
        request = stud_pb2.WatchTableRequest(table_id=table_id)
        streams = [wire.tables.WatchTable(request, **wire.options()) for _ in range(20)]
        for stream in streams:
            await stream.read()
            stream.cancel()
        for stream in streams:
            assert grpc.StatusCode.CANCELLED == await stream.code()
        assert 4 == (await wire.get(table_id)).version


async def until(condition):
    """Wait until something is so."""
    async with asyncio.timeout(30):
        while not condition():  # noqa: ASYNC110 -- the inside of a server tells nobody
            await asyncio.sleep(0.01)


class Cable:
    """A connection between clients and a server that can be cut."""

    def __init__(self, port):
        self._port = port
        self._ends = []

    async def plug(self):
        self._server = await asyncio.start_server(self._connect, "127.0.0.1", 0)
        return self._server.sockets[0].getsockname()[1]

    async def _connect(self, reader, writer):
        to_reader, to_writer = await asyncio.open_connection("127.0.0.1", self._port)
        self._ends += [writer, to_writer]
        await asyncio.gather(self._forward(reader, to_writer), self._forward(to_reader, writer))

    async def _forward(self, reader, writer):
        with contextlib.suppress(OSError):
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        writer.close()

    def cut(self):
        self._server.close()
        for end in self._ends:
            end.transport.abort()


class Doors:
    """The ways into a server."""

    def __init__(self, port):
        self._port = port
        self._channels = []
        self._cables = []

    def __call__(self, *options, port=0):
        # Without options of its own a channel would share a connection with the other ones.
        own = ("grpc.use_local_subchannel_pool", 1)
        channel = grpc.aio.insecure_channel(f"127.0.0.1:{port or self._port}", [own, *options])
        self._channels.append(channel)
        return channel

    async def by_cable(self, *options):
        cable = Cable(self._port)
        self._cables.append(cable)
        return cable, self(*options, port=await cable.plug())

    async def close(self):
        for channel in self._channels:
            await channel.close()
        for cable in self._cables:
            cable.cut()


@pytest.fixture
async def house_of_cards(embedded, config):
    """A server whose inside can be looked at, that has little patience, and the ways into it."""
    store = RedisStore(embedded.url)
    await store.connect()
    config = structs.replace(config, watcher_patience_ms=300, operator_streams=6, caller_streams=2)
    server = Server(config, store)
    doors = Doors(await server.start(Address("127.0.0.1", 0)))
    yield server, doors
    await doors.close()
    await server.stop()
    await store.close()


SMALL_WINDOW = (("grpc.http2.bdp_probe", 0), ("grpc.http2.lookahead_bytes", 5))
"""A client takes hardly more than the message it has asked for."""


class TestLimits:
    def watch(self, wire, channel, table_id, after_version=0, bearer="operator"):
        request = stud_pb2.WatchTableRequest(table_id=table_id, after_version=after_version)
        options = wire.options(bearer) | {"timeout": 60}
        return stud_pb2_grpc.TableServiceStub(channel).WatchTable(request, **options)

    async def test_a_watcher_that_does_not_read_is_dropped_and_resumes(self, wire, house_of_cards, refused):
        server, connect = house_of_cards
        table_id, _ = await wire.table(players=2)
        slow = self.watch(wire, connect(*SMALL_WINDOW), table_id)
        keen = self.watch(wire, connect(), table_id)
        assert 1 == (await slow.read()).version
        await until(lambda: 2 == server._feed.watchers)
        for _ in range(3):
            await wire.play(table_id)
        await until(lambda: 1 == server._feed.watchers)
        end = (await wire.get(table_id)).version
        assert [*range(1, end + 1)] == [(await keen.read()).version for _ in range(end)]
        # grpc keeps the stream until its status is taken, so it counts until then.
        assert 2 == server._streams.count
        versions = [1]
        with refused("UNAVAILABLE", "WATCHER_TOO_SLOW") as refusal:
            while message := await slow.read():
                versions.append(message.version)
        assert refusal.retry
        assert [*range(1, len(versions) + 1)] == versions
        assert len(versions) < end
        await until(lambda: 1 == server._streams.count)
        resumed = self.watch(wire, connect(), table_id, versions[-1])
        assert versions[-1] + 1 == (await resumed.read()).version
        keen.cancel()
        resumed.cancel()
        await until(lambda: (0, 0) == (server._feed.watchers, server._streams.count))

    async def test_one_that_is_dropped_and_then_goes_away_leaves_nothing(self, wire, house_of_cards):
        server, connect = house_of_cards
        table_id, _ = await wire.table(players=2)
        await wire.play(table_id)
        cable, channel = await connect.by_cable(*SMALL_WINDOW)
        streams = [self.watch(wire, channel, table_id) for _ in range(4)]
        for stream in streams:
            await stream.read()
        await until(lambda: (0, 4) == (server._feed.watchers, server._streams.count))
        cable.cut()
        await until(lambda: 0 == server._streams.count)
        assert {} == server._feed._tables

    @pytest.mark.parametrize("how", ["cancel", "disconnect", "drain", "deadline"])
    async def test_whichever_way_watchers_end_nothing_is_left(self, wire, house_of_cards, how):
        server, connect = house_of_cards
        table_id, _ = await wire.table(players=2)
        cable, channel = await connect.by_cable()
        request = stud_pb2.WatchTableRequest(table_id=table_id)
        options = wire.options() | ({"timeout": 0.5} if how == "deadline" else {})
        streams = [stud_pb2_grpc.TableServiceStub(channel).WatchTable(request, **options) for _ in range(6)]
        for stream in streams:
            await stream.read()
        assert (6, 6) == (server._feed.watchers, server._streams.count)
        match how:
            case "cancel":
                for stream in streams:
                    stream.cancel()
            case "disconnect":
                cable.cut()
            case "drain":
                await server.stop()
        await until(lambda: (0, 0) == (server._feed.watchers, server._streams.count))
        assert ({}, {}) == (server._feed._tables, server._feed._notices._watched)

    async def test_so_many_streams_and_no_more(self, wire, house_of_cards, refused):
        server, connect = house_of_cards
        table_id, (token, other) = await wire.table(players=2)
        channel = connect()
        for bearer, limit in (("operator", 6), (token, 2), (other, 2), (None, 2)):
            streams = [self.watch(wire, channel, table_id, bearer=bearer) for _ in range(limit)]
            for stream in streams:
                assert 1 == (await stream.read()).version
            with refused("RESOURCE_EXHAUSTED", "TOO_MANY_STREAMS") as refusal:
                # Another connection makes no difference.
                await self.watch(wire, connect(), table_id, bearer=bearer).read()
            assert {"limit": str(limit)} == refusal.metadata
            streams[0].cancel()
            await until(lambda: server._streams.count % 2)
            assert 1 == (await self.watch(wire, channel, table_id, bearer=bearer).read()).version
            assert 3 == (await wire.get(table_id, bearer)).version


class TestWhoSeesWhat:
    async def test_nobody_is_sent_cards_of_somebody_else(self, wire):
        """Many watch at once and share what they are sent: each sees its own down cards and no others."""
        table_id, tokens = await wire.table(players=3)
        eyes = [
            (None, 0, 0),
            ("operator", 0, 0),
            ("operator", 2, 2),
            *((token, 0, i + 1) for i, token in enumerate(tokens)),
        ]
        streams = []
        for bearer, view_as, seat in eyes * 2:
            request = stud_pb2.WatchTableRequest(table_id=table_id, view_as=view_as, after_version=4)
            streams.append((seat, wire.tables.WatchTable(request, **wire.options(bearer))))
        end = await wire.play(table_id)
        seen = []
        for seat, stream in streams:
            messages = [await stream.read() for _ in range(end - 4)]
            assert [*range(5, end + 1)] == [message.version for message in messages]
            for event in (event for message in messages for event in message.events):
                if event.WhichOneof("kind") == "card_dealt" and event.card_dealt.face == stud_pb2.FACE_DOWN:
                    assert (event.card_dealt.card == "??") == (event.card_dealt.seat != seat)
            seen.append((seat, b"".join(message.SerializeToString() for message in messages)))
            stream.cancel()
        # Four ways to see it: a spectator's and three players', whatever credentials they come with.
        assert 4 == len(set(seen))
