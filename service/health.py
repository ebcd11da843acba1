"""The standard health service, grpc.health.v1.

Of each service it says whether that one can be used now: those that need the store are NOT_SERVING while it does not
answer, the others go on. The empty name stands for the process, which serves until it begins to stop: ask for it to
learn whether a worker is alive, and for ``stud.v1.TableService`` to learn whether to send it calls.

A watching client hears every change. It hears NOT_SERVING when the server begins to stop, and its stream ends then:
otherwise it would hold the server until the last moment. Its stream counts like any other of a caller without
credentials.
"""

import asyncio
from collections.abc import Iterable
from typing import Any, TypeAlias

import grpc
from grpc_health.v1 import health_pb2

from service.credentials import Anonymous
from service.errors import ServiceError, rich_status, trailing_metadata
from service.rpc import decode, open_stream
from service.streams import Streams

_SERVICE = health_pb2.DESCRIPTOR.services_by_name["Health"].full_name
_Response = health_pb2.HealthCheckResponse
_Context: TypeAlias = "grpc.aio.ServicerContext[bytes, bytes]"


class Health:
    """Says of the whole server (the empty name) and of each of its services whether it serves."""

    def __init__(
        self, services: Iterable[str], needing_store: Iterable[str] = (), streams: Streams | None = None
    ) -> None:
        self._services = frozenset(("", *services))
        self._needing_store = frozenset(needing_store)
        self._streams = streams or Streams()
        self._store_answers = True
        self._stopping = False
        self._changed = asyncio.Event()

    def stop_serving(self) -> None:
        """Say NOT_SERVING of everything from now on."""
        self._stopping = True
        self._tell()

    def store_answers(self, answers: bool) -> None:
        """Say of the services that need the store whether they serve."""
        if answers != self._store_answers:
            self._store_answers = answers
            self._tell()

    def handler(self) -> grpc.GenericRpcHandler:
        """Return the handler of the service's RPCs, to be registered at a server."""
        handlers: dict[str, Any] = {
            "Check": grpc.unary_unary_rpc_method_handler(self._check),
            "Watch": grpc.unary_stream_rpc_method_handler(self._watch),
        }
        return grpc.method_handlers_generic_handler(_SERVICE, handlers)

    def _tell(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    async def _check(self, data: bytes, context: _Context) -> bytes:
        request = await _decoded(data, context)
        if request.service not in self._services:
            await context.abort(grpc.StatusCode.NOT_FOUND, "no such service")
        return _Response(status=self._status(request.service)).SerializeToString()

    async def _watch(self, data: bytes, context: _Context) -> None:
        request = await _decoded(data, context, self._streams)
        said = None
        while True:
            changed, stopping, status = self._changed, self._stopping, self._status(request.service)
            if status != said:
                await context.write(_Response(status=status).SerializeToString())
                said = status
            if stopping:
                return
            await changed.wait()

    def _status(self, service: str) -> Any:
        if service not in self._services:
            return _Response.SERVICE_UNKNOWN
        if self._stopping or (service in self._needing_store and not self._store_answers):
            return _Response.NOT_SERVING
        return _Response.SERVING


async def _decoded(data: bytes, context: _Context, streams: Streams | None = None) -> Any:
    """Read a request, of a stream that is counted among ``streams`` if there are some."""
    try:
        if streams is not None:
            open_stream(streams, Anonymous(), context)
        return decode(health_pb2.HealthCheckRequest, data)
    except ServiceError as refused:
        await context.abort(refused.status, rich_status(refused).message, trailing_metadata(refused))
