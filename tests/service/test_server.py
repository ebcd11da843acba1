"""The server as a whole: what it offers, how it stops, and what it does when the store goes."""

import asyncio
import subprocess
import sys
import uuid

import grpc
import pytest
import redis
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2
from msgspec.structs import replace

from proto.stud.v1 import stud_pb2, stud_pb2_grpc
from service.address import Address
from service.clock import SystemClock
from service.meters import Meters
from service.reflection import REFLECTION_SERVICES
from service.server import Server
from service.snapshot import decode_table
from service.store.durability import Durability
from service.store.embedded import EmbeddedStore
from service.store.redis import RedisStore
from tests.service.conftest import Refusal
from tests.service.test_meters import samples
from tests.service.watching import until

SERVICES = ("stud.v1.TableService", "stud.v1.EvaluatorService", "stud.v1.RulesService")


class SlowStore(RedisStore):
    """A store that takes its time for a commit and says when it has begun one."""

    def __init__(self, url):
        super().__init__(url)
        self.begun = asyncio.Semaphore(0)

    async def commit(self, commit):
        self.begun.release()
        await asyncio.sleep(0.5)
        return await super().commit(commit)


class TestHealth:
    @pytest.mark.parametrize("service", ["", *SERVICES])
    async def test_every_service_serves(self, wire, service):
        health = health_pb2_grpc.HealthStub(wire.channel)
        answer = await health.Check(health_pb2.HealthCheckRequest(service=service), timeout=10)
        assert health_pb2.HealthCheckResponse.SERVING == answer.status

    async def test_an_unknown_service(self, wire):
        health = health_pb2_grpc.HealthStub(wire.channel)
        with pytest.raises(grpc.aio.AioRpcError) as error:
            await health.Check(health_pb2.HealthCheckRequest(service="polo"), timeout=10)
        assert grpc.StatusCode.NOT_FOUND == error.value.code()
        watched = await health.Watch(health_pb2.HealthCheckRequest(service="polo"), timeout=10).read()
        assert health_pb2.HealthCheckResponse.SERVICE_UNKNOWN == watched.status

    async def test_while_the_store_is_away_what_needs_it_does_not_serve_and_the_rest_does(self, config, wire):
        statuses = health_pb2.HealthCheckResponse
        with EmbeddedStore(durability=Durability("aof")) as embedded:
            store = RedisStore(embedded.url, timeout_ms=300)
            await store.connect()
            server = Server(config, store)
            port = await server.start(Address("127.0.0.1", 0))
            async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
                health = health_pb2_grpc.HealthStub(channel)
                watched = health.Watch(health_pb2.HealthCheckRequest(service=SERVICES[0]), timeout=60)
                assert statuses.SERVING == (await watched.read()).status
                embedded._process.kill()
                embedded._process.wait()
                assert statuses.NOT_SERVING == (await watched.read()).status
                for service, status in zip(("", *SERVICES), (1, 2, 1, 1), strict=True):
                    request = health_pb2.HealthCheckRequest(service=service)
                    assert status == (await health.Check(request, timeout=10)).status
                rules = stud_pb2_grpc.RulesServiceStub(channel)
                assert (await rules.ListProfiles(stud_pb2.ListProfilesRequest(), timeout=10)).profiles
                embedded.start()
                assert statuses.SERVING == (await watched.read()).status
                stopping = asyncio.create_task(server.stop())
                assert statuses.NOT_SERVING == (await watched.read()).status
                await asyncio.wait_for(stopping, config.drain_ms / 1000 / 2)
            await store.close()

    @pytest.mark.parametrize("data", [b"\x0a\xff", b"\x0a\x02\xc3\x28"])
    async def test_undecodable_bytes(self, wire, refused, data):
        with refused("INVALID_ARGUMENT", "UNDECODABLE_REQUEST"):
            await wire.channel.unary_unary("/grpc.health.v1.Health/Check")(data, timeout=10)
        with refused("INVALID_ARGUMENT", "UNDECODABLE_REQUEST"):
            await wire.channel.unary_stream("/grpc.health.v1.Health/Watch")(data, timeout=10).read()


async def test_there_is_no_channelz(wire):
    for method in ("GetServers", "GetTopChannels"):
        with pytest.raises(grpc.aio.AioRpcError) as error:
            await wire.channel.unary_unary(f"/grpc.channelz.v1.Channelz/{method}")(b"", timeout=10)
        assert grpc.StatusCode.UNIMPLEMENTED == error.value.code()


async def test_the_pulse_counts_watchers(store, config, wire):
    meters = Meters()
    server = Server(config, store, meters=meters)
    port = await server.start(Address("127.0.0.1", 0))
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        table_id, _ = await wire.table(0)
        tables = stud_pb2_grpc.TableServiceStub(channel)
        streams = [tables.WatchTable(stud_pb2.WatchTableRequest(table_id=table_id), **wire.options()) for _ in range(3)]
        for stream in streams:
            await stream.read()
        await watchers(meters, 3)
        for stream in streams:
            stream.cancel()
        await watchers(meters, 0)
    await server.stop()


async def watchers(meters, count):
    """Wait until so many are counted."""
    for _ in range(600):
        if samples(meters.text())["dugout_watchers", ()] == count:
            return
        await asyncio.sleep(0.05)
    raise AssertionError(f"there were never {count} watchers")


class TestReflection:
    @staticmethod
    async def ask(wire, service, **fields):
        call = wire.channel.stream_stream(f"/{service}/ServerReflectionInfo")
        request = reflection_pb2.ServerReflectionRequest(**fields).SerializeToString()
        return reflection_pb2.ServerReflectionResponse.FromString(await call(iter([request]), timeout=10).read())

    @pytest.mark.parametrize("service", REFLECTION_SERVICES)
    async def test_it_lists_every_service(self, wire, service):
        answer = await self.ask(wire, service, list_services="")
        listed = {entry.name for entry in answer.list_services_response.service}
        assert {*SERVICES, "grpc.health.v1.Health", *REFLECTION_SERVICES} == listed

    async def test_it_describes_a_message(self, wire):
        answer = await self.ask(wire, REFLECTION_SERVICES[0], file_containing_symbol="stud.v1.ActRequest")
        assert answer.file_descriptor_response.file_descriptor_proto

    async def test_undecodable_bytes(self, wire, refused):
        call = wire.channel.stream_stream(f"/{REFLECTION_SERVICES[0]}/ServerReflectionInfo")
        with refused("INVALID_ARGUMENT", "UNDECODABLE_REQUEST"):
            await call(iter([b"\x0a\xff"]), timeout=10).read()


class TestStopping:
    async def test_streams_end_resumably_and_health_says_so(self, store, config, wire, refused):
        server = Server(config, store)
        port = await server.start(Address("127.0.0.1", 0))
        table_id, _ = await wire.table()
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            tables = stud_pb2_grpc.TableServiceStub(channel)
            request = stud_pb2.WatchTableRequest(table_id=table_id, after_version=3)
            stream = tables.WatchTable(request, **wire.options())
            assert 4 == (await stream.read()).version
            health = health_pb2_grpc.HealthStub(channel).Watch(health_pb2.HealthCheckRequest(), timeout=20)
            assert health_pb2.HealthCheckResponse.SERVING == (await health.read()).status
            stopping = asyncio.create_task(server.stop())
            assert health_pb2.HealthCheckResponse.NOT_SERVING == (await health.read()).status
            with refused("UNAVAILABLE", "DRAINING") as refusal:
                await stream.read()
            assert refusal.retry
            # Nothing is left that it would have to wait the whole drain time for.
            await asyncio.wait_for(stopping, config.drain_ms / 1000 / 2)

    async def test_calls_in_flight_finish(self, embedded, config, wire):
        store = SlowStore(embedded.url)
        await store.connect()
        server = Server(config, store)
        port = await server.start(Address("127.0.0.1", 0))
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            tables = stud_pb2_grpc.TableServiceStub(channel)
            request = stud_pb2.CreateTableRequest(profile="baseball")
            calls = [asyncio.ensure_future(tables.CreateTable(request, **wire.options())) for _ in range(5)]
            for _ in calls:
                await store.begun.acquire()
            await server.stop()
            assert [1] * 5 == [(await call).version for call in calls]
            with pytest.raises(grpc.aio.AioRpcError) as error:
                await tables.CreateTable(request, **wire.options())
            assert grpc.StatusCode.UNAVAILABLE == error.value.code()
        await store.close()


class TestRateLimits:
    async def test_who_calls_too_often_is_told_exactly_when_to_come_back(self, store, config, clock, wire, refused):
        clock.time_ms = SystemClock().now_ms()  # in whose past no table is idle
        limited = replace(config, operator_rate=100, seat_rate=20, peer_rate=5)
        server = Server(limited, store, clock=clock)
        port = await server.start(Address("127.0.0.1", 0))
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            table_id, (token, *_) = await wire.table()
            read = stud_pb2_grpc.TableServiceStub(channel).GetTable
            request = stud_pb2.GetTableRequest(table_id=table_id)
            for bearer, at_once, wait_ms in (("operator", 200, 10), (token, 40, 50), (None, 10, 200)):
                for _ in range(at_once):
                    await read(request, **wire.options(bearer))
                with refused("RESOURCE_EXHAUSTED", "RATE_LIMITED") as refusal:
                    await read(request, **wire.options(bearer))
                assert wait_ms == refusal.retry_ms
                clock.time_ms += wait_ms
                await read(request, **wire.options(bearer))
        await server.stop()

    async def test_bad_credentials_end_in_waiting_and_health_and_reflection_do_not(
        self, store, config, clock, wire, refused
    ):
        clock.time_ms = SystemClock().now_ms()
        server = Server(replace(config, peer_rate=5), store, clock=clock)
        port = await server.start(Address("127.0.0.1", 0))
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            evaluator = stud_pb2_grpc.EvaluatorServiceStub(channel)
            for reason in ("CREDENTIALS_INVALID", "CREDENTIALS_INVALID", "RATE_LIMITED"):
                status = "RESOURCE_EXHAUSTED" if reason == "RATE_LIMITED" else "UNAUTHENTICATED"
                with refused(status, reason):
                    await evaluator.Evaluate(stud_pb2.EvaluateRequest(cards="Ks"), **wire.options("guess"))
            with refused("RESOURCE_EXHAUSTED", "RATE_LIMITED"):
                await channel.unary_unary("/stud.v1.EvaluatorService/Odds")(b"\xff", timeout=20)
            wire.channel = channel
            for _ in range(20):
                health = health_pb2_grpc.HealthStub(channel)
                await health.Check(health_pb2.HealthCheckRequest(), timeout=20)
                await TestReflection.ask(wire, REFLECTION_SERVICES[0], list_services="")
            table_id = (await wire.table(0))[0]
            wire.tables = stud_pb2_grpc.TableServiceStub(channel)
            assert 1 == (await wire.get(table_id)).version
        await server.stop()

    async def test_open_streams_of_health_and_reflection_count_too(self, store, config, refused):
        server = Server(replace(config, caller_streams=2), store)
        port = await server.start(Address("127.0.0.1", 0))
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:

            def health():
                return health_pb2_grpc.HealthStub(channel).Watch(health_pb2.HealthCheckRequest(), timeout=60)

            def reflection():
                return channel.stream_stream(f"/{REFLECTION_SERVICES[0]}/ServerReflectionInfo")(timeout=60)

            async def asked(call):
                await call.write(reflection_pb2.ServerReflectionRequest(list_services="").SerializeToString())
                assert await call.read()
                return call

            watched = health()
            assert health_pb2.HealthCheckResponse.SERVING == (await watched.read()).status
            streams = [watched, await asked(reflection())]
            for more in (health, reflection):
                with refused("RESOURCE_EXHAUSTED", "TOO_MANY_STREAMS"):
                    await more().read()
            check = health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest(), timeout=20)
            assert health_pb2.HealthCheckResponse.SERVING == (await check).status
            streams.pop().cancel()
            await until(lambda: 1 == server._streams.count)
            streams.append(await asked(reflection()))
            for stream in streams:
                stream.cancel()
            await until(lambda: 0 == server._streams.count)
        await server.stop()


class TestWithoutTheStore:
    async def test_unavailable_with_when_to_come_back_and_then_it_goes_on(self, config, wire, refused):
        with EmbeddedStore(durability=Durability("aof")) as embedded:
            store = RedisStore(embedded.url, timeout_ms=500)
            await store.connect()
            server = Server(config, store)
            port = await server.start(Address("127.0.0.1", 0))
            async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
                wire.tables = stud_pb2_grpc.TableServiceStub(channel)
                table_id, _ = await wire.table()
                embedded._process.kill()
                embedded._process.wait()
                for rpc, request in (
                    (wire.tables.GetTable, stud_pb2.GetTableRequest(table_id=table_id)),
                    (wire.tables.Deal, stud_pb2.DealRequest(table_id=table_id)),
                    (wire.tables.ListTables, stud_pb2.ListTablesRequest()),
                ):
                    with refused("UNAVAILABLE", "STORE_UNAVAILABLE") as refusal:
                        await rpc(request, **wire.options())
                    assert refusal.retry
                with refused("UNAVAILABLE", "STORE_UNAVAILABLE"):
                    await wire.tables.WatchTable(stud_pb2.WatchTableRequest(table_id=table_id), **wire.options()).read()
                embedded.start()
                assert 5 == (await wire.tables.Deal(stud_pb2.DealRequest(table_id=table_id), **wire.options())).version
            await server.stop()
            await store.close()


class TestTroubleOfTheStore:
    """A failover and too many clients in the middle of play: refused so that one may retry, and nothing half done."""

    @pytest.fixture
    async def played(self, config, wire):
        with EmbeddedStore(durability=Durability("memory")) as embedded:
            store = RedisStore(embedded.url, timeout_ms=500)
            await store.connect()
            server = Server(config, store)
            port = await server.start(Address("127.0.0.1", 0))
            async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
                wire.tables = stud_pb2_grpc.TableServiceStub(channel)
                table_ids = [(await wire.table())[0] for _ in range(8)]
                with redis.Redis.from_url(embedded.url, protocol=2) as admin:
                    yield admin, table_ids
                for table_id in table_ids:
                    table = decode_table((await store.load(table_id)).snapshot)
                    assert ([], 300) == (table.broken(), table.chips)
            await server.stop()
            await store.close()

    async def test_hands_go_on_where_they_were_when_it_is_over(self, played, wire):
        admin, table_ids = played
        playing = [asyncio.create_task(self.play(wire, table_id)) for table_id in table_ids]
        most = admin.config_get("maxclients")["maxclients"]
        for begin, end in (
            (lambda: admin.replicaof("127.0.0.1", "1"), lambda: admin.replicaof("no", "one")),
            (lambda: self.turn_away_clients(admin), lambda: admin.config_set("maxclients", most)),
        ):
            begin()
            seen = len(self.refusals)
            await until(lambda seen=seen: len(self.refusals) > seen + 8)
            end()
        self.over.set()
        await asyncio.gather(*playing)
        assert {("UNAVAILABLE", True)} == set(self.refusals)

    def turn_away_clients(self, admin):
        admin.config_set("maxclients", 1)
        admin.client_kill_filter(_type="normal", skipme=True)

    @pytest.fixture(autouse=True)
    def notes(self):
        self.over, self.refusals = asyncio.Event(), []

    async def play(self, wire, table_id):
        """Play hands, cheaply, the last one after the trouble; every call is repeated until it is answered."""
        last = False
        while not last:
            last = self.over.is_set()
            table = await self.answered(wire, wire.tables.Deal, stud_pb2.DealRequest(table_id=table_id))
            while table.to_act_seat:
                cheapest = min(table.legal_actions, key=lambda each: (each.min_to + each.price, each.kind))
                action = stud_pb2.Action(kind=cheapest.kind, to=cheapest.min_to)
                request = stud_pb2.ActRequest(table_id=table_id, seat=table.to_act_seat, action=action)
                table = await self.answered(wire, wire.tables.Act, request)
            if table.status == stud_pb2.TABLE_STATUS_SHOWDOWN:
                await self.answered(wire, wire.tables.Showdown, stud_pb2.ShowdownRequest(table_id=table_id))

    async def answered(self, wire, rpc, request):
        request.request_id = str(uuid.uuid4())
        while True:
            try:
                return (await rpc(request, **wire.options())).table
            except grpc.aio.AioRpcError as error:
                told = Refusal()
                told.read(error)
                self.refusals.append((told.status.name, told.retry))
                if told.status != grpc.StatusCode.UNAVAILABLE:
                    raise
                await asyncio.sleep(0.02)


def test_the_serving_process_imports_no_load_test():
    program = "import sys, service.server; print([m for m in sys.modules if m.split('.')[0] in ('gevent', 'locust')])"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "[]" == loaded.stdout.strip()
