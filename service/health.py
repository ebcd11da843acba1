"""The standard health service, grpc.health.v1.

A watching client hears NOT_SERVING when the server begins to stop, and its stream ends then: otherwise it
would hold the server until the last moment.
"""

import asyncio
from collections.abc import Iterable
from typing import Any, TypeAlias

import grpc
from grpc_health.v1 import health_pb2

from service.errors import ServiceError, rich_status, trailing_metadata
from service.rpc import decode

_SERVICE = health_pb2.DESCRIPTOR.services_by_name["Health"].full_name
_Context: TypeAlias = "grpc.aio.ServicerContext[bytes, bytes]"


class Health:
    """Says of the whole server (the empty name) and of each of its services whether it serves."""

    def __init__(self, services: Iterable[str]) -> None:
        self._services = frozenset(("", *services))
        self._stopping = asyncio.Event()

    def stop_serving(self) -> None:
        """Say NOT_SERVING from now on."""
        self._stopping.set()

    def handler(self) -> grpc.GenericRpcHandler:
        """Return the handler of the service's RPCs, to be registered at a server."""
        handlers: dict[str, Any] = {
            "Check": grpc.unary_unary_rpc_method_handler(self._check),
            "Watch": grpc.unary_stream_rpc_method_handler(self._watch),
        }
        return grpc.method_handlers_generic_handler(_SERVICE, handlers)

    async def _check(self, data: bytes, context: _Context) -> bytes:
        request = await _decoded(data, context)
        if request.service not in self._services:
            await context.abort(grpc.StatusCode.NOT_FOUND, "no such service")
        return self._answer(request.service)

    async def _watch(self, data: bytes, context: _Context) -> None:
        request = await _decoded(data, context)
        await context.write(self._answer(request.service))
        if not self._stopping.is_set():
            await self._stopping.wait()
            await context.write(self._answer(request.service))

    def _answer(self, service: str) -> bytes:
        statuses = health_pb2.HealthCheckResponse
        if service not in self._services:
            return statuses(status=statuses.SERVICE_UNKNOWN).SerializeToString()
        status = statuses.NOT_SERVING if self._stopping.is_set() else statuses.SERVING
        return statuses(status=status).SerializeToString()


async def _decoded(data: bytes, context: _Context) -> Any:
    try:
        return decode(health_pb2.HealthCheckRequest, data)
    except ServiceError as refused:
        await context.abort(refused.status, rich_status(refused).message, trailing_metadata(refused))
