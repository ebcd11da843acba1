import asyncio
import re

import grpc
import pytest
import structlog

from proto.stud.v1 import stud_pb2


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
        ("stud.v1.TableService/ListHands", b"", "NOT_IMPLEMENTED"),
        ("grpc.health.v1.Health/Check", b"\x0a\x01x", "NOT_FOUND"),
    ):
        with pytest.raises(grpc.aio.AioRpcError):
            await wire.channel.unary_unary(f"/{method}")(data, timeout=10)
        entry = await one(calls, method.rpartition("/")[2])
        assert (reason, "info") == (entry["reason"], entry["log_level"])


async def test_a_cancelled_stream(wire, calls):
    table_id, _ = await wire.table(0)
    stream = wire.tables.WatchTable(stud_pb2.WatchTableRequest(table_id=table_id), **wire.options())
    await stream.read()
    stream.cancel()
    assert "CANCELLED" == (await one(calls, "WatchTable"))["reason"]


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
