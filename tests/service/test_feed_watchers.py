"""Watchers over the wire: streams that are resumed, limited, dropped and cancelled, and what each of them sees."""

import asyncio
import contextlib

import grpc
import pytest
from msgspec import structs

from proto.stud.v1 import stud_pb2, stud_pb2_grpc
from service.address import Address
from service.server import Server
from service.store.redis import RedisStore
from tests.service.watching import until


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
