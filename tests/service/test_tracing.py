import subprocess
import sys

from service.tracing import NoTracing


def test_without_traces_a_call_and_its_parts_are_nothing():
    tracing = NoTracing()
    with tracing.call("a/b", (), "1", stream=False) as span, tracing.part("load"), tracing.part("step"):
        span.end("OK", 0, failed=False)
    tracing.close()


def test_the_serving_process_loads_no_exporter_unless_it_is_asked_to():
    # redis-py loads the SDK's metrics for itself where the SDK is installed.
    program = "import sys, service.server; print({'service.otel', 'opentelemetry.exporter.otlp'} & set(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "set()" == loaded.stdout.strip()
