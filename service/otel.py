"""Traces by OpenTelemetry; needs the extra ``otel``, and is imported only where traces are configured."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import SpanKind, Status, StatusCode, Tracer
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from service.tracing import CallSpan

_CLOSE_TIMEOUT_MS = 3000


class OtelTracing:
    """Makes the spans of a provider, which it shuts down when it is closed."""

    def __init__(self, provider: TracerProvider) -> None:
        self._provider = provider
        self._tracer: Tracer = provider.get_tracer("dugout")
        self._propagator = TraceContextTextMapPropagator()

    @contextmanager
    def call(
        self, rpc: str, metadata: Sequence[tuple[str, str | bytes]], call_id: str, *, stream: bool
    ) -> Iterator[CallSpan]:
        """Begin the span of a call, on the trace that ``traceparent`` names if there is one that can be read."""
        carrier = {key: value for key, value in metadata if key == "traceparent" and isinstance(value, str)}
        service, _, method = rpc.rpartition("/")
        span = self._tracer.start_span(
            rpc,
            context=self._propagator.extract(carrier),
            kind=SpanKind.SERVER,
            attributes={"rpc.system": "grpc", "rpc.service": service, "rpc.method": method, "dugout.call_id": call_id},
        )
        current = (
            nullcontext() if stream else trace.use_span(span, record_exception=False, set_status_on_exception=False)
        )
        try:
            with current:
                yield _Span(span)
        finally:
            span.end()

    def part(self, name: str) -> AbstractContextManager[object]:
        """Begin the span of a part of the running call."""
        if not trace.get_current_span().is_recording():
            return nullcontext()
        # Neither the text nor the traceback of an exception: they may name cards.
        return self._tracer.start_as_current_span(name, record_exception=False, set_status_on_exception=False)

    def close(self) -> None:
        """Send what has not been sent, for a moment at most."""
        self._provider.force_flush(_CLOSE_TIMEOUT_MS)
        self._provider.shutdown()


class _Span:
    def __init__(self, span: trace.Span) -> None:
        self._span = span

    def end(self, reason: str, status: int, failed: bool) -> None:
        self._span.set_attribute("rpc.grpc.status_code", status)
        self._span.set_attribute("dugout.reason", reason)
        if failed:
            self._span.set_status(Status(StatusCode.ERROR))


def exporting(endpoint: str | None) -> OtelTracing:
    """Return traces that go to an OTLP endpoint; None: where the standard OTEL_... variables say."""
    provider = TracerProvider(resource=Resource.create({"service.name": "dugout"}))
    insecure = None if endpoint is None else not endpoint.startswith("https://")
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=endpoint, insecure=insecure)))
    return OtelTracing(provider)
