"""Garbage, leaks and refusals over a real grpc.aio server: what a client sees of them."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import grpc
import pytest
import structlog
from google.protobuf.descriptor import MethodDescriptor
from google.rpc import error_details_pb2, status_pb2

from proto.stud.v1 import stud_pb2
from service.credentials import Anonymous, Caller, CredentialError, Operator
from service.errors import FieldViolation, Reason, ServiceError, invalid_field
from service.rpc import Call, service_handler
from tests.service.both_ways import answers

SERVICES = stud_pb2.DESCRIPTOR.services_by_name
ALL_METHODS = [method for service in SERVICES.values() for method in service.methods]
NOT_A_MESSAGE = b"\x0a\xff"  # a text of more bytes than there are
NOT_UTF8 = b"\x0a\x02\xc3\x28"  # field 1 as a text that is not UTF-8


def admit(authorizations: Sequence[str], peer: str, method: str) -> Caller:
    if not authorizations:
        return Anonymous()
    if list(authorizations) != ["Bearer good"]:
        raise CredentialError("no such key")
    return Operator("acme", "acme/1")


class Tables:
    """Methods that behave and misbehave."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.waiting = asyncio.Event()
        self.cancelled = asyncio.Event()

    async def get_table(self, request: stud_pb2.GetTableRequest, call: Call) -> stud_pb2.GetTableResponse:
        self.calls.append(call)
        return stud_pb2.GetTableResponse(version=7, table=stud_pb2.Table(table_id=request.table_id))

    async def act(self, request: stud_pb2.ActRequest, call: Call) -> stud_pb2.ActResponse:
        raise invalid_field("action.to", -1, "must not be negative")

    async def deal(self, request: stud_pb2.DealRequest, call: Call) -> stud_pb2.DealResponse:
        shared: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        shared.cancel()
        await shared
        raise AssertionError("not reached")

    async def sit_in(self, request: stud_pb2.SitInRequest, call: Call) -> stud_pb2.SitInResponse:
        raise ServiceError(
            Reason.INVALID_FIELD,
            "♠" * 10_000,
            metadata={"value": "%" * 10_000},
            fields=[FieldViolation("seat", "\n" * 10_000, "♥" * 10_000)] * 100,
        )

    async def showdown(self, request: stud_pb2.ShowdownRequest, call: Call) -> stud_pb2.ShowdownResponse:
        cards = {"seat 2": "Ks"}
        raise KeyError(f"secret {cards} of {request.table_id}")

    async def sit_out(self, request: stud_pb2.SitOutRequest, call: Call) -> stud_pb2.SitOutResponse:
        self.waiting.set()
        try:
            await asyncio.sleep(60)
        finally:
            self.cancelled.set()
        raise AssertionError("not reached")

    async def watch_table(
        self, request: stud_pb2.WatchTableRequest, call: Call
    ) -> AsyncIterator[stud_pb2.WatchTableResponse]:
        yield stud_pb2.WatchTableResponse(version=request.after_version + 1)
        if request.view_as == 1:
            raise asyncio.CancelledError
        raise ServiceError(Reason.WATCHER_TOO_SLOW, "too slow")

    async def play(
        self, requests: AsyncIterator[stud_pb2.PlayRequest], call: Call
    ) -> AsyncIterator[stud_pb2.PlayResponse]:
        async for request in requests:
            yield stud_pb2.PlayResponse(tag=request.tag)


class Line:
    """A channel to a server, and where that is."""

    def __init__(self, channel: grpc.aio.Channel, address: str) -> None:
        self.address = address
        self.unary_unary = channel.unary_unary
        self.unary_stream = channel.unary_stream
        self.stream_stream = channel.stream_stream


@asynccontextmanager
async def serving(methods: Callable[[str], object]) -> AsyncIterator[Line]:
    server = grpc.aio.server()
    server.add_generic_rpc_handlers(
        [service_handler(service, methods(service.name), admit) for service in SERVICES.values()]
    )
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            yield Line(channel, f"127.0.0.1:{port}")
    finally:
        await server.stop(None)


@pytest.fixture
def tables() -> Tables:
    return Tables()


@pytest.fixture
async def channel(tables: Tables) -> AsyncIterator[Line]:
    async with serving(lambda name: tables if name == "TableService" else object()) as channel:
        yield channel


async def send(channel: Line, path: str, data: bytes, **options: Any) -> list[bytes]:
    """Send bytes to an RPC of whatever arity and return the bytes that come back."""
    service, name = path.split("/")
    method = SERVICES[service].methods_by_name[name]
    url = f"/{method.containing_service.full_name}/{name}"
    if method.client_streaming:
        return await answers(channel.address, url, [data], timeout=10, **options)
    if method.server_streaming:
        return [reply async for reply in channel.unary_stream(url)(data, timeout=10, **options)]
    return [await channel.unary_unary(url)(data, timeout=10, **options)]


async def refused(channel: Line, path: str, data: bytes, **options: Any) -> Any:
    with pytest.raises(grpc.RpcError) as caught:
        await send(channel, path, data, **options)
    return caught.value


def details_of(error: Any) -> list[Any]:
    """Unpack the details of a status, having checked that it repeats the call's code and message."""
    packed = dict(iter(error.trailing_metadata()))["grpc-status-details-bin"]
    status = status_pb2.Status.FromString(packed)
    assert (error.code().value[0], error.details()) == (status.code, status.message)
    kinds = (error_details_pb2.ErrorInfo, error_details_pb2.RetryInfo, error_details_pb2.BadRequest)
    unpacked = []
    for detail in status.details:
        kind = next(kind for kind in kinds if detail.Is(kind.DESCRIPTOR))
        unpacked.append(kind())
        detail.Unpack(unpacked[-1])
    return unpacked


def reason_of(error: Any) -> tuple[str, str]:
    info = details_of(error)[0]
    return info.domain, info.reason


def path_of(method: MethodDescriptor) -> str:
    return f"{method.containing_service.name}/{method.name}"


@pytest.mark.parametrize("data", [NOT_A_MESSAGE, b"\xff" * 50, b"\x00", b"\x0f"])
@pytest.mark.parametrize("method", ALL_METHODS, ids=path_of)
async def test_garbage_is_an_invalid_argument_on_every_rpc(method, data, channel) -> None:
    error = await refused(channel, path_of(method), data)

    assert grpc.StatusCode.INVALID_ARGUMENT == error.code()
    assert ("dugout", "UNDECODABLE_REQUEST") == reason_of(error)


WITH_TEXT = [m for m in ALL_METHODS if any(f.number == 1 and f.type == f.TYPE_STRING for f in m.input_type.fields)]


@pytest.mark.parametrize("method", WITH_TEXT, ids=path_of)
async def test_text_that_is_not_utf8_is_an_invalid_argument(method, channel) -> None:
    error = await refused(channel, path_of(method), NOT_UTF8)

    assert grpc.StatusCode.INVALID_ARGUMENT == error.code()
    assert ("dugout", "UNDECODABLE_REQUEST") == reason_of(error)


@pytest.mark.parametrize("method", ALL_METHODS, ids=path_of)
async def test_an_rpc_without_a_method_says_so(method) -> None:
    async with serving(lambda name: object()) as channel:
        error = await refused(channel, path_of(method), b"")

    assert grpc.StatusCode.UNIMPLEMENTED == error.code()
    info = details_of(error)[0]
    assert "NOT_IMPLEMENTED" == info.reason
    assert {"method": f"stud.v1.{path_of(method)}"} == dict(info.metadata)


async def test_an_unknown_rpc_is_unimplemented(channel) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await channel.unary_unary("/stud.v1.TableService/Cheat")(b"", timeout=10)

    assert grpc.StatusCode.UNIMPLEMENTED == caught.value.code()


async def test_a_method_gets_its_request_and_what_is_known_of_the_call(tables, channel) -> None:
    data = stud_pb2.GetTableRequest(table_id="t1").SerializeToString()

    [reply] = await send(channel, "TableService/GetTable", data, metadata=[("authorization", "Bearer good")])

    assert "t1" == stud_pb2.GetTableResponse.FromString(reply).table.table_id
    [call] = tables.calls
    assert ("stud.v1.TableService/GetTable", Operator("acme", "acme/1")) == (call.method, call.caller)
    assert call.peer.startswith("ipv4:127.0.0.1:")
    # On the wire a deadline of more than ten seconds is rounded up to tenths, and 10 s may be a moment more by then.
    assert 0 < call.time_remaining_s() <= 10.1


async def test_a_call_without_a_deadline_has_none(tables, channel) -> None:
    await channel.unary_unary("/stud.v1.TableService/GetTable")(b"")

    assert [None] == [call.time_remaining_s() for call in tables.calls]
    assert [Anonymous()] == [call.caller for call in tables.calls]


@pytest.mark.parametrize(
    "metadata",
    [
        [("authorization", "Bearer bad")],
        [("authorization", "")],
        [("authorization", "Bearer good"), ("authorization", "Bearer good")],
    ],
)
async def test_bad_credentials_are_refused_before_the_method_runs(metadata, tables, channel) -> None:
    for path in ("TableService/GetTable", "TableService/WatchTable", "TableService/Play"):
        error = await refused(channel, path, b"", metadata=metadata)

        assert grpc.StatusCode.UNAUTHENTICATED == error.code()
        assert ("dugout", "CREDENTIALS_INVALID") == reason_of(error)
    assert [] == tables.calls


@pytest.mark.parametrize("path", ["TableService/GetTable", "TableService/WatchTable", "TableService/Play"])
async def test_nothing_is_read_of_a_caller_who_is_not_let_in(path, channel) -> None:
    error = await refused(channel, path, NOT_A_MESSAGE, metadata=[("authorization", "Bearer bad")])

    assert ("dugout", "CREDENTIALS_INVALID") == reason_of(error)


async def test_a_refusal_carries_reason_and_fields(channel) -> None:
    error = await refused(channel, "TableService/Act", b"")

    info, bad_request = details_of(error)
    assert (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_FIELD") == (error.code(), info.reason)
    assert [("action.to", "-1: must not be negative")] == [
        (violation.field, violation.description) for violation in bad_request.field_violations
    ]


async def test_a_refusal_with_endless_texts_reaches_the_client(channel) -> None:
    error = await refused(channel, "TableService/SitIn", b"")

    assert grpc.StatusCode.INVALID_ARGUMENT == error.code()
    assert ("dugout", "INVALID_FIELD") == reason_of(error)


async def test_a_leaked_cancellation_does_not_leave_the_client_waiting(channel) -> None:
    error = await refused(channel, "TableService/Deal", b"")

    assert grpc.StatusCode.UNAVAILABLE == error.code()
    info, retry = details_of(error)
    assert "INTERRUPTED" == info.reason
    assert retry.retry_delay.ToMilliseconds() > 0


async def test_a_leaked_cancellation_ends_a_stream(channel) -> None:
    data = stud_pb2.WatchTableRequest(view_as=1).SerializeToString()

    error = await refused(channel, "TableService/WatchTable", data)

    assert (grpc.StatusCode.UNAVAILABLE, ("dugout", "INTERRUPTED")) == (error.code(), reason_of(error))


async def test_a_cancelled_call_cancels_its_method(tables, channel) -> None:
    call = channel.unary_unary("/stud.v1.TableService/SitOut")(b"")
    await asyncio.wait_for(tables.waiting.wait(), 10)

    call.cancel()

    await asyncio.wait_for(tables.cancelled.wait(), 10)


async def test_a_passed_deadline_cancels_its_method(tables, channel) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await channel.unary_unary("/stud.v1.TableService/SitOut")(b"", timeout=0.2)

    assert grpc.StatusCode.DEADLINE_EXCEEDED == caught.value.code()
    await asyncio.wait_for(tables.cancelled.wait(), 10)


async def test_a_defect_tells_neither_the_client_nor_the_log_what_it_was_about(channel) -> None:
    data = stud_pb2.ShowdownRequest(table_id="t1").SerializeToString()

    with structlog.testing.capture_logs() as logs:
        error = await refused(channel, "TableService/Showdown", data)

    info = details_of(error)[0]
    assert (grpc.StatusCode.INTERNAL, "INTERNAL") == (error.code(), info.reason)
    assert [info.metadata["incident"]] == [entry["incident"] for entry in logs]
    assert ["KeyError"] == [entry["error"] for entry in logs]
    assert any("showdown" in frame for frame in logs[0]["where"])
    for text in (str(logs), str(error), error.details()):
        assert "Ks" not in text
        assert "secret" not in text


async def test_a_stream_sends_what_it_has_and_then_its_refusal(channel) -> None:
    data = stud_pb2.WatchTableRequest(after_version=4).SerializeToString()
    call = channel.unary_stream("/stud.v1.TableService/WatchTable")(data, timeout=10)

    first = await call.read()
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call.read()

    assert 5 == stud_pb2.WatchTableResponse.FromString(first).version
    assert ("dugout", "WATCHER_TOO_SLOW") == reason_of(caught.value)


async def test_requests_and_replies_flow_both_ways(channel) -> None:
    call = channel.stream_stream("/stud.v1.TableService/Play")(timeout=10)

    for tag in (3, 5):
        await call.write(stud_pb2.PlayRequest(tag=tag).SerializeToString())
        assert tag == stud_pb2.PlayResponse.FromString(await call.read()).tag
    await call.write(b"\xff")
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call.read()

    assert ("dugout", "UNDECODABLE_REQUEST") == reason_of(caught.value)
