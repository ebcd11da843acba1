import asyncio
import re
import time
from contextlib import suppress

import grpc
import pytest
import structlog

from proto.stud.v1 import stud_pb2, stud_pb2_grpc
from service.address import Address
from service.interceptors import AccessLog
from service.meters import Meters
from service.server import Server
from service.store.durability import Durability
from service.store.embedded import EmbeddedStore
from service.store.redis import RedisStore
from tests.service.test_meters import samples


@pytest.fixture
async def own_store():
    """A store in which no other test has left tables that come due and are committed meanwhile."""
    with EmbeddedStore(durability=Durability("memory")) as embedded:
        store = RedisStore(embedded.url)
        await store.connect()
        yield store
        await store.close()


@pytest.fixture
def calls():
    """What the log says of calls."""
    with structlog.testing.capture_logs() as entries:
        yield lambda: [entry for entry in entries if entry["event"] == "call"]


async def one(calls, method):
    """Return the entry of a call; it is written when the call is over, which its client may know first."""
    for _ in range(2000):
        for entry in calls():
            if entry["method"].endswith(f"/{method}"):
                return entry
        await asyncio.sleep(0.005)
    raise AssertionError(f"{method} is not in the log")


async def test_a_call_that_went_well(wire, calls):
    await wire.table(0)
    entry = await one(calls, "CreateTable")
    assert ("stud.v1.TableService/CreateTable", "OK", "debug") == (entry["method"], entry["reason"], entry["log_level"])
    assert entry["ms"] > 0
    assert entry["peer"]


async def test_refused_calls_name_their_reason(wire, calls):
    for method, data, reason in (
        (
            "stud.v1.TableService/GetTable",
            stud_pb2.GetTableRequest(table_id="x").SerializeToString(),
            "TABLE_NOT_FOUND",
        ),
        ("stud.v1.TableService/Act", b"\x0a\xff", "UNDECODABLE_REQUEST"),
        ("grpc.health.v1.Health/Check", b"\x0a\x01x", "NOT_FOUND"),
    ):
        with pytest.raises(grpc.aio.AioRpcError):
            await wire.channel.unary_unary(f"/{method}")(data, timeout=10)
        entry = await one(calls, method.rpartition("/")[2])
        assert (reason, "info") == (entry["reason"], entry["log_level"])
    with pytest.raises(grpc.aio.AioRpcError):
        await wire.tables.Play(iter([stud_pb2.PlayRequest()]), **wire.options()).read()
    assert "NOT_IMPLEMENTED" == (await one(calls, "Play"))["reason"]


async def test_the_caller_learns_the_id_that_stands_in_the_log(wire, calls):
    request_id = "123E4567-e89b-42d3-a456-426614174000"
    call = wire.tables.CreateTable(
        stud_pb2.CreateTableRequest(profile="baseball", request_id=request_id), **wire.options()
    )
    await call
    entry = await one(calls, "CreateTable")
    assert (await call.trailing_metadata())["dugout-call-id"] == entry["call_id"]
    assert request_id.lower() == entry["request_id"]
    assert wire.keys["operator"].partition(":")[0] == entry["tenant"]


async def test_a_refused_caller_learns_it_too(wire, calls):
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await wire.get("nonesuch")
    trailing = error.value.trailing_metadata()
    assert b"TABLE_NOT_FOUND" in trailing["grpc-status-details-bin"]
    assert trailing["dugout-call-id"] == (await one(calls, "GetTable"))["call_id"]


async def test_a_stream_has_an_id(wire):
    stream = wire.tables.WatchTable(stud_pb2.WatchTableRequest(table_id="nonesuch"), **wire.options())
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await stream.read()
    assert error.value.trailing_metadata()["dugout-call-id"]


@pytest.mark.parametrize("request_id", ["", "As Kd", "x" * 500, "123e4567-e89b-42d3-a456-42661417400\n"])
async def test_a_request_id_that_is_none_is_not_logged(wire, calls, request_id):
    with suppress(grpc.aio.AioRpcError):
        await wire.tables.Deal(stud_pb2.DealRequest(table_id="nonesuch", request_id=request_id), **wire.options())
    assert "request_id" not in await one(calls, "Deal")


async def test_whoever_shows_no_credentials_has_no_tenant(wire, calls):
    await wire.rules.ListProfiles(stud_pb2.ListProfilesRequest(), timeout=20)
    assert {"call_id"} == {"call_id", "request_id", "tenant"} & set(await one(calls, "ListProfiles"))


async def test_calls_are_counted_by_rpc_and_reason_and_names_made_up_are_one(own_store, config, wire):
    meters = Meters()
    server = Server(config, own_store, meters=meters)
    port = await server.start(Address("127.0.0.1", 0))
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        wire.tables = stud_pb2_grpc.TableServiceStub(channel)
        table_id, _ = await wire.table(2)
        for method in ("Ace", "stud.v1.TableService/As-Kd", "stud.v1.TableService/Nine"):
            with pytest.raises(grpc.aio.AioRpcError):
                await channel.unary_unary(f"/{method}")(b"", timeout=10)
        with pytest.raises(grpc.aio.AioRpcError):
            await wire.get("nonesuch")
        stream = wire.tables.WatchTable(stud_pb2.WatchTableRequest(table_id=table_id), **wire.options())
        await stream.read()
        counted = samples(meters.text())
        tables = "stud.v1.TableService"
        assert 2 == counted["dugout_rpcs_total", ("OK", f"{tables}/TakeSeat")]
        assert 1 == counted["dugout_rpcs_total", ("TABLE_NOT_FOUND", f"{tables}/GetTable")]
        assert 3 == counted["dugout_rpcs_total", ("UNIMPLEMENTED", "unknown")]
        assert 1 == counted["dugout_streams", (f"{tables}/WatchTable",)]
        assert 2 == counted["dugout_rpc_seconds_count", (f"{tables}/TakeSeat",)]
        assert 3 == counted["dugout_store_seconds_count", ("commit",)]
        stream.cancel()
    await server.stop()
    counted = samples(meters.text())
    assert 0 == counted["dugout_streams", (f"{tables}/WatchTable",)]
    assert 1 == counted["dugout_rpcs_total", ("CANCELLED", f"{tables}/WatchTable")]


async def test_a_cancelled_stream(wire, calls):
    table_id, _ = await wire.table(0)
    stream = wire.tables.WatchTable(stud_pb2.WatchTableRequest(table_id=table_id), **wire.options())
    await stream.read()
    stream.cancel()
    assert "CANCELLED" == (await one(calls, "WatchTable"))["reason"]


async def test_an_error_that_nobody_caught_is_not_taken_for_a_cancellation(calls):
    async def check(data, context):
        raise RuntimeError("As Kd")

    meters = Meters()
    server = grpc.aio.server(interceptors=[AccessLog(meters)])
    handlers = {"Check": grpc.unary_unary_rpc_method_handler(check)}
    server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler("grpc.health.v1.Health", handlers)])
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        with pytest.raises(grpc.aio.AioRpcError) as error:
            await channel.unary_unary("/grpc.health.v1.Health/Check")(b"", timeout=10)
    await server.stop(None)
    assert grpc.StatusCode.UNKNOWN == error.value.code()
    entry = await one(calls, "Check")
    assert ("UNKNOWN", "warning") == (entry["reason"], entry["log_level"])
    assert 1 == samples(meters.text())["dugout_rpcs_total", ("UNKNOWN", "grpc.health.v1.Health/Check")]


async def test_a_stream_of_a_quiet_table_stands_at_once(wire):
    table_id, _ = await wire.table(0)
    request = stud_pb2.WatchTableRequest(table_id=table_id, after_version=1)
    stream = wire.tables.WatchTable(request, **wire.options())
    await asyncio.wait_for(stream.wait_for_connection(), 5)  # its first checkpoint would come later
    stream.cancel()


async def test_names_that_callers_make_up_are_not_logged(wire, calls):
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await wire.channel.unary_unary("/stud.v1.TableService/As-Kd-secret")(b"", timeout=10)
    assert grpc.StatusCode.UNIMPLEMENTED == error.value.code()
    await wire.table(0)
    await one(calls, "CreateTable")
    assert not [entry for entry in calls() if "secret" in str(entry)]


async def test_the_log_of_a_whole_hand_names_no_card_and_no_credential(wire, calls):
    table_id, tokens = await wire.table(2)
    table = await wire.deal(table_id)
    for bearer in (*tokens, "operator"):
        await wire.get(table_id, bearer)
        action = stud_pb2.Action(kind=stud_pb2.ACTION_KIND_FOLD)
        with pytest.raises(grpc.aio.AioRpcError):
            await wire.tables.Act(stud_pb2.ActRequest(table_id=table_id, action=action), **wire.options(bearer))
    await one(calls, "Act")
    own = (await wire.get(table_id, tokens[0])).seats[0]
    said = str(calls())
    for secret in (*tokens, *wire.keys.values(), *own.down_cards, table.etag):
        assert not re.search(rf"(?<!\w){re.escape(secret)}(?!\w)", said)


async def test_a_refusal_that_finds_nobody_is_not_our_fault(calls):
    async def check(data, context):
        time.sleep(0.3)  # noqa: ASYNC251 -- so that the server cannot notice before that the client has left
        await context.abort(grpc.StatusCode.NOT_FOUND, "no such service")

    meters = Meters()
    server = grpc.aio.server(interceptors=[AccessLog(meters)])
    handlers = {"Check": grpc.unary_unary_rpc_method_handler(check)}
    server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler("grpc.health.v1.Health", handlers)])
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        with pytest.raises(grpc.aio.AioRpcError):
            await channel.unary_unary("/grpc.health.v1.Health/Check")(b"", timeout=0.1)
        entry = await one(calls, "Check")
    await server.stop(None)
    assert ("CANCELLED", "info") == (entry["reason"], entry["log_level"])
    assert 1 == samples(meters.text())["dugout_rpcs_total", ("CANCELLED", "grpc.health.v1.Health/Check")]
