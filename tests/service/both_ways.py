"""Streams of both ways through grpc's synchronous client.

When a server ends such a stream before the client has written, grpc.aio's client may report an INTERNAL of its own
("Internal error from Core") in place of the status that the server has sent. The synchronous client reports what came.
"""

import asyncio
from collections.abc import Sequence
from typing import Any

import grpc


async def answers(address: str, url: str, requests: Sequence[bytes], **options: Any) -> list[bytes]:
    """Send messages to an RPC and return those that come back; grpc.RpcError if it is refused."""

    def call() -> list[bytes]:
        with grpc.insecure_channel(address, [("grpc.enable_http_proxy", 0)]) as channel:
            return list(channel.stream_stream(url)(iter(requests), **options))

    return await asyncio.to_thread(call)
