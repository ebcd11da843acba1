"""Real servers, a link to them that can be cut, and tables to write."""

import asyncio
import contextlib
import shutil
import signal
import socket
import subprocess
import time
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
import redis

from service.store.base import Commit, Committed
from service.store.durability import Durability
from service.store.embedded import EmbeddedStore, find_server
from service.store.redis import RedisStore


class TableWriter:
    """A table as its only writer sees it: builds each commit on the one before."""

    def __init__(self, table_id: str, tenant: str) -> None:
        self.table_id = table_id
        self.tenant = tenant
        self.version = 0
        self.etag = ""

    def change(self, **fields: Any) -> Commit:
        """Return the next commit without writing it."""
        version = self.version + 1
        defaults = {
            "table_id": self.table_id,
            "tenant": self.tenant,
            "expected_etag": self.etag,
            "version": version,
            "etag": f"{version}-{uuid.uuid4().hex[:8]}",
            "snapshot": f"snapshot {version}".encode(),
            "events": f"events {version}".encode(),
        }
        return Commit(**(defaults | fields))

    def follow(self, commit: Commit) -> None:
        """Build on a commit that was written."""
        self.version, self.etag = commit.version, commit.etag

    async def write(self, store: RedisStore, **fields: Any) -> Commit:
        commit = self.change(**fields)
        assert Committed(commit.version, commit.etag) == await store.commit(commit)
        self.follow(commit)
        return commit


class Link:
    """A TCP port in front of a server's Unix socket that treats the next request as it is told to.

    ``cut_request``: it never arrives; ``cut_reply``: it arrives and the answer is lost; in both cases the
    connection is closed. ``hang``: the answer does not come. ``slow``: it comes after ``delay_s``.
    """

    def __init__(self, socket_path: str) -> None:
        self.mode: Literal["open", "cut_request", "cut_reply", "hang", "slow"] = "open"
        self.delay_s = 0.2
        self._socket_path = socket_path
        self._writers: list[asyncio.StreamWriter] = []

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = f"redis://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def stop(self) -> None:
        self._server.close()
        for writer in self._writers:
            writer.close()
        await asyncio.sleep(0)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        to_reader, to_writer = await asyncio.open_unix_connection(self._socket_path)
        self._writers += [writer, to_writer]
        replies = asyncio.create_task(self._forward_replies(to_reader, writer))
        with contextlib.suppress(OSError):
            while data := await reader.read(65536):
                if self.mode == "cut_request":
                    self.mode = "open"
                    break
                to_writer.write(data)
        replies.cancel()
        writer.close()
        to_writer.close()

    async def _forward_replies(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            match self.mode:
                case "cut_reply":
                    self.mode = "open"
                    break
                case "hang":
                    continue
                case "slow":
                    await asyncio.sleep(self.delay_s)
            writer.write(data)
        writer.close()


def _server_named(name: str) -> Path:
    if name == "embedded":
        return find_server()
    path = shutil.which(name)
    if path is None:
        pytest.skip(f"{name} is not installed (Debian package redis-server)")
    return Path(path)


@pytest.fixture(scope="session", params=["embedded", "redis-server"])
def server_program(request: pytest.FixtureRequest) -> Path:
    """The two engines every test of the store runs against."""
    return _server_named(request.param)


@pytest.fixture(scope="session")
def shared_server(server_program: Path) -> Iterator[EmbeddedStore]:
    with EmbeddedStore(durability=Durability("memory"), server=server_program) as server:
        yield server


@pytest.fixture
def server(shared_server: EmbeddedStore) -> EmbeddedStore:
    """An empty server, for tests that do it no harm."""
    with admin_of(shared_server) as admin:
        admin.flushall()
        admin.script_flush()
    return shared_server


@pytest.fixture
def own_server(server_program: Path) -> Iterator[EmbeddedStore]:
    """A server that the test may kill."""
    with EmbeddedStore(durability=Durability("always"), server=server_program) as server:
        yield server


def admin_of(server: EmbeddedStore) -> redis.Redis:
    return redis.Redis.from_url(server.url, protocol=2)


@pytest.fixture
def admin(server: EmbeddedStore) -> Iterator[redis.Redis]:
    """A plain client, to look behind the store's back."""
    with admin_of(server) as client:
        yield client


@pytest.fixture
async def open_store() -> AsyncIterator[Callable[..., Any]]:
    """Open stores that are closed after the test."""
    stores: list[RedisStore] = []

    async def open_one(url: str, **options: Any) -> RedisStore:
        store = RedisStore(url, **options)
        stores.append(store)
        await store.connect()
        return store

    yield open_one
    for store in stores:
        await store.close()


@pytest.fixture
async def store(server: EmbeddedStore, open_store: Callable[..., Any]) -> RedisStore:
    # On a busy machine some of many callers wait long for one of the connections.
    return await open_store(server.url, timeout_ms=20_000)


@pytest.fixture
async def link(server: EmbeddedStore) -> AsyncIterator[Link]:
    link = Link(server.url.removeprefix("unix://"))
    await link.start()
    yield link
    await link.stop()


@pytest.fixture
def new_table() -> Callable[..., TableWriter]:
    def make(table_id: str | None = None, tenant: str = "club") -> TableWriter:
        return TableWriter(table_id or f"table-{uuid.uuid4().hex}", tenant)

    return make


@pytest.fixture
def table(new_table: Callable[..., TableWriter]) -> TableWriter:
    return new_table()


def _free_port() -> int:
    # Below the range from which the kernel takes the ports of clients.
    for port in range(20000 + uuid.uuid4().int % 8000, 30000):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) != 0:
                return port
    raise RuntimeError("no free port")


@pytest.fixture
def free_port() -> Callable[[], int]:
    return _free_port


@pytest.fixture
def spawn_server(server_program: Path, tmp_path: Path) -> Iterator[Callable[..., tuple[redis.Redis, int]]]:
    """Start servers with settings of one's own on a TCP port; returns a plain client and the process id.

    With ``sentinel``, the lines of its configuration, it is a sentinel.
    """
    processes: list[subprocess.Popen[bytes]] = []
    clients: list[redis.Redis] = []

    def spawn(sentinel: str = "", **settings: str) -> tuple[redis.Redis, int]:
        folder = tmp_path / f"server-{len(processes)}"
        folder.mkdir()
        port = _free_port()
        options = {"port": str(port), "bind": "127.0.0.1", "dir": str(folder)} | settings
        if "cluster-enabled" in settings:
            options["cluster-port"] = str(_free_port())
        arguments = [part for name, value in options.items() for part in (f"--{name}", value)]
        if sentinel:
            (folder / "sentinel.conf").write_text(sentinel)
            arguments = [str(folder / "sentinel.conf"), "--sentinel", *arguments]
        else:
            arguments += ["--save", ""]
        with (folder / "log").open("wb") as log:
            processes.append(subprocess.Popen([str(server_program), *arguments], stdout=log, stderr=log))
        client = redis.Redis(port=port, protocol=2)
        clients.append(client)
        give_up = time.monotonic() + 10
        while True:
            try:
                client.ping()
                return client, processes[-1].pid
            except redis.RedisError:
                assert time.monotonic() < give_up, (folder / "log").read_text()
                time.sleep(0.01)

    yield spawn
    for client in clients:
        client.close()
    for process in processes:
        process.send_signal(signal.SIGCONT)
        process.kill()
        process.wait()
