import asyncio
from contextlib import suppress

import pytest

from service.metrics import MetricsServer, Sample

SAMPLES = [Sample("up", "gauge", "Whether it is.", 1), Sample("seen_total", "counter", "How many.", 2.5)]


async def ask(url: str, request: bytes) -> str:
    host, _, port = url.removeprefix("http://").removesuffix("/metrics").rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(request)
    if request.endswith(b"\r\n\r\n"):
        answer = await reader.read()
    else:
        writer.write_eof()
        answer = await reader.read()
    writer.close()
    return answer.decode()


@pytest.fixture
async def url():
    server = MetricsServer(lambda: SAMPLES)
    yield await server.start("127.0.0.1", 0)
    await server.stop()


async def test_every_sample_in_the_text_format(url):
    head, _, body = (await ask(url, b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")).partition("\r\n\r\n")
    assert head.startswith("HTTP/1.1 200 OK")
    assert f"Content-Length: {len(body)}" in head
    assert [
        "# HELP up Whether it is.",
        "# TYPE up gauge",
        "up 1",
        "# HELP seen_total How many.",
        "# TYPE seen_total counter",
        "seen_total 2.5",
    ] == body.splitlines()


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"GET /metrics?x=1 HTTP/1.1\r\n\r\n", "200"),
        (b"GET / HTTP/1.1\r\n\r\n", "404"),
        (b"POST /metrics HTTP/1.1\r\n\r\n", "405"),
        (b"\xff\xfe\r\n\r\n", "405"),
    ],
)
async def test_other_requests(url, request_, status):
    assert (await ask(url, request_)).startswith(f"HTTP/1.1 {status} ")


@pytest.mark.parametrize("request_", [b"", b"GET /metrics", b"x" * 100_000 + b"\r\n\r\n"])
async def test_what_is_no_request_gets_no_answer(url, request_):
    with suppress(ConnectionError):
        assert "" == await ask(url, request_)
    assert (await ask(url, b"GET /metrics HTTP/1.1\r\n\r\n")).startswith("HTTP/1.1 200")
