"""Server reflection, under both names that clients ask for: v1 and v1alpha, which are the same on the wire.

Its streams count like any others of a caller without credentials.
"""

from collections.abc import AsyncIterator, Iterable
from typing import Any, TypeAlias

import grpc
from grpc_reflection.v1alpha import reflection_pb2
from grpc_reflection.v1alpha.reflection import aio

from service.credentials import Anonymous
from service.errors import ServiceError, rich_status, trailing_metadata
from service.rpc import decode, open_stream
from service.streams import Streams

_Context: TypeAlias = "grpc.aio.ServicerContext[bytes, bytes]"

REFLECTION_SERVICES = ("grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection")


def reflection_handlers(services: Iterable[str], streams: Streams) -> list[grpc.GenericRpcHandler]:
    """Return the handlers that describe the given services to clients; ``streams`` bounds how many they have open."""
    servicer: Any = aio.ReflectionServicer(services)

    async def reflect(messages: AsyncIterator[bytes], context: _Context) -> None:
        try:
            open_stream(streams, Anonymous(), context)
            async for answer in servicer.ServerReflectionInfo(_decoded(messages), context):
                await context.write(answer.SerializeToString())
        except ServiceError as refused:
            await context.abort(refused.status, rich_status(refused).message, trailing_metadata(refused))

    return [
        grpc.method_handlers_generic_handler(
            service, {"ServerReflectionInfo": grpc.stream_stream_rpc_method_handler(reflect)}
        )
        for service in REFLECTION_SERVICES
    ]


async def _decoded(messages: AsyncIterator[bytes]) -> AsyncIterator[Any]:
    async for data in messages:
        yield decode(reflection_pb2.ServerReflectionRequest, data)
