"""A server that a test brings into trouble."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import grpc
import msgspec

from proto.stud.v1 import stud_pb2 as pb
from proto.stud.v1 import stud_pb2_grpc
from service.address import Address
from service.config import Config
from service.server import Server
from service.store.base import Conflict
from service.store.redis import RedisStore
from tests.service.conftest import StackedShuffle, Wire


class Scene:
    """A server, its store, and what is needed to bring it into trouble."""

    def __init__(self, wire: Wire, store: RedisStore, config: Config, url: str, shuffle: StackedShuffle) -> None:
        self.wire = wire
        self.store = store
        self.config = config
        self.url = url
        self.shuffle = shuffle

    async def call(self, rpc: str, bearer: str | None = "operator", **fields: Any) -> Any:
        """Call an RPC of any service with a request of these fields."""
        name, service = next((s.name, s) for s in pb.DESCRIPTOR.services_by_name.values() if rpc in s.methods_by_name)
        request = getattr(pb, service.methods_by_name[rpc].input_type.name)(**fields)
        stub = getattr(stud_pb2_grpc, f"{name}Stub")(self.wire.channel)
        return await getattr(stub, rpc)(request, **self.wire.options(bearer))

    async def watched(self, bearer: str | None = "operator", **fields: Any) -> Any:
        """Watch a table until the stream ends."""
        request = pb.WatchTableRequest(**fields)
        stream = self.wire.tables.WatchTable(request, **self.wire.options(bearer))
        return [message async for message in stream]

    @asynccontextmanager
    async def on(self, store: Any = None, *, options: Any = (), **settings: Any) -> AsyncIterator["Scene"]:
        """Serve from another store, or with other settings; ``options`` are those of the client's connection."""
        if store is None:
            store = RedisStore(self.url)
            await store.connect()
        server = Server(msgspec.structs.replace(self.config, **settings), store)
        port = await server.start(Address("127.0.0.1", 0))
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}", options=options) as channel:
            wire = Wire(channel, self.wire.keys, f"127.0.0.1:{port}")
            yield Scene(wire, store, self.config, self.url, self.shuffle)
        await server.stop()


class TroubledStore:
    """A real store whose commits end as a test says."""

    def __init__(self, store: RedisStore, outcome: BaseException | Conflict) -> None:
        self._store = store
        self._outcome = outcome

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def commit(self, commit: Any) -> Any:
        if commit.version == 1:
            return await self._store.commit(commit)
        if isinstance(self._outcome, BaseException):
            raise self._outcome
        return self._outcome
