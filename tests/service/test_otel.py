"""Spans as an exporter gets them."""

import re
from concurrent.futures import ThreadPoolExecutor

import grpc
import pytest

sdk_trace = pytest.importorskip("opentelemetry.sdk.trace", reason="the extra otel is not installed")

from opentelemetry.proto.collector.trace.v1 import trace_service_pb2, trace_service_pb2_grpc  # noqa: E402
from opentelemetry.sdk.trace.export import SimpleSpanProcessor  # noqa: E402
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter  # noqa: E402
from opentelemetry.trace import SpanKind, StatusCode  # noqa: E402

from proto.stud.v1 import stud_pb2, stud_pb2_grpc  # noqa: E402
from service.address import Address  # noqa: E402
from service.otel import OtelTracing, exporting  # noqa: E402
from service.server import Server  # noqa: E402
from tests.service.serving import serving  # noqa: E402

TABLES = "stud.v1.TableService"
TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


class Traced:
    """A server whose spans are kept."""

    def __init__(self) -> None:
        self.exporter = InMemorySpanExporter()
        provider = sdk_trace.TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.tracing = OtelTracing(provider)

    def spans(self, name):
        return [span for span in self.exporter.get_finished_spans() if span.name == name]


@pytest.fixture
async def traced(store, config, shuffle, wire):
    """A traced server, which ``wire`` is connected to."""
    traced = Traced()
    server = Server(config, store, shuffle=shuffle, tracing=traced.tracing)
    port = await server.start(Address("127.0.0.1", 0))
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        wire.channel, wire.tables = channel, stud_pb2_grpc.TableServiceStub(channel)
        yield traced
    await server.stop()


async def test_a_call_is_a_span_and_its_parts_are_below_it(traced, wire):
    table_id, _ = await wire.table(2)
    await wire.deal(table_id)
    (call,) = traced.spans(f"{TABLES}/Deal")
    parts = [
        span.name
        for span in traced.exporter.get_finished_spans()
        if span.parent is not None and span.parent.span_id == call.context.span_id
    ]
    assert ["store.load", "step", "store.commit"] == parts
    assert (SpanKind.SERVER, StatusCode.UNSET) == (call.kind, call.status.status_code)
    attributes = dict(call.attributes)
    assert re.fullmatch("[0-9a-f]{16}", attributes.pop("dugout.call_id"))
    assert {
        "rpc.system": "grpc",
        "rpc.service": TABLES,
        "rpc.method": "Deal",
        "rpc.grpc.status_code": 0,
        "dugout.reason": "OK",
    } == attributes


async def test_a_trace_of_the_caller_goes_on(traced, wire):
    options = wire.options()
    for parent in (f"00-{TRACE}-{PARENT}-01", "rubbish", f"00-{'0' * 32}-{PARENT}-01"):
        metadata = (*options["metadata"], ("traceparent", parent))
        await wire.tables.ListTables(stud_pb2.ListTablesRequest(), metadata=metadata, timeout=20)
    first, *others = traced.spans(f"{TABLES}/ListTables")
    assert (int(TRACE, 16), int(PARENT, 16)) == (first.context.trace_id, first.parent.span_id)
    assert [None, None] == [span.parent for span in others]


async def test_a_refusal_names_its_reason_and_is_no_error_of_ours(traced, wire):
    with pytest.raises(grpc.aio.AioRpcError):
        await wire.get("nonesuch")
    (call,) = traced.spans(f"{TABLES}/GetTable")
    assert ("TABLE_NOT_FOUND", 5) == (call.attributes["dugout.reason"], call.attributes["rpc.grpc.status_code"])
    assert StatusCode.UNSET == call.status.status_code


async def test_a_stream_is_one_span_without_parts(traced, wire):
    table_id, _ = await wire.table(1)
    stream = wire.tables.WatchTable(stud_pb2.WatchTableRequest(table_id=table_id), **wire.options())
    await stream.read()
    before = len(traced.spans("store.events"))
    stream.cancel()
    while not traced.spans(f"{TABLES}/WatchTable"):
        await wire.get(table_id)
    (call,) = traced.spans(f"{TABLES}/WatchTable")
    assert ("CANCELLED", 1) == (call.attributes["dugout.reason"], call.attributes["rpc.grpc.status_code"])
    assert 0 == before


async def test_no_span_holds_a_card_a_player_or_a_secret(traced, wire):
    table_id, tokens = await wire.table(3)
    table = await wire.deal(table_id)
    for seat, token in enumerate(tokens, 1):
        await wire.get(table_id, token)
        action = stud_pb2.Action(kind=stud_pb2.ACTION_KIND_FOLD)
        request = stud_pb2.ActRequest(table_id=table_id, action=action, player_id=f"player{seat}")
        with pytest.raises(grpc.aio.AioRpcError):
            await wire.tables.Act(request, **wire.options(tokens[seat % 3]))
    said = " ".join(span.to_json() for span in traced.exporter.get_finished_spans())
    cards = {
        card for seat in (await wire.get(table_id, tokens[0])).seats for card in (*seat.down_cards, *seat.up_cards)
    }
    cards.discard("??")
    assert len(cards) >= 3
    for secret in (*tokens, *wire.keys.values(), *cards, "player1", "player2", table.etag):
        assert not re.search(rf"(?<![\w-]){re.escape(secret)}(?![\w-])", said), secret
    events = [event for span in traced.exporter.get_finished_spans() for event in span.events]
    assert [] == events  # where exceptions would stand, with their texts


def test_an_exporter_that_reaches_nobody_does_not_hold_anything_up():
    tracing = exporting("http://127.0.0.1:1")
    with tracing.call("a/b", (), "1", stream=False) as span:
        span.end("OK", 0, failed=False)
    tracing.close()


class Collector(trace_service_pb2_grpc.TraceServiceServicer):
    """What a collector of traces gets."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.resources: set[str] = set()

    def Export(self, request, context):  # noqa: N802 -- the name of the RPC
        for resource in request.resource_spans:
            self.resources |= {each.value.string_value for each in resource.resource.attributes}
            self.names += [span.name for scope in resource.scope_spans for span in scope.spans]
        return trace_service_pb2.ExportTraceServiceResponse()


@pytest.mark.parametrize("variable", ["DUGOUT_OTEL_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"])
def test_a_collector_gets_the_spans_of_every_worker_that_ends_in_order(variable):
    collector, server = Collector(), grpc.server(ThreadPoolExecutor(2))
    trace_service_pb2_grpc.add_TraceServiceServicer_to_server(collector, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    with serving(**{variable: f"http://127.0.0.1:{port}"}) as dugout:
        with dugout.tables() as tables:
            for _ in range(20):
                tables.CreateTable(stud_pb2.CreateTableRequest(profile="baseball"), **dugout.options)
        assert 0 == dugout.stop()
        assert [] == dugout.log("worker died")
    server.stop(None).wait()
    assert (20, 20) == (collector.names.count(f"{TABLES}/CreateTable"), collector.names.count("store.commit"))
    assert "dugout" in collector.resources
