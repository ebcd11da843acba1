"""The client: synchronous calls over a few connections that all tables of the process share.

Every call has a deadline. A change that the server could not answer (UNAVAILABLE, or CANCELLED where it stopped before
anybody had taken the call up) is repeated with the request id it already carries, a few times and counted. Each call is
reported once to whoever keeps the measurements.
"""

import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol, TypeVar

import grpc
from google.protobuf.message import Message

from loadtest.settings import Settings
from proto.stud.v1 import stud_pb2 as pb
from proto.stud.v1 import stud_pb2_grpc

Request = TypeVar("Request", bound=Message)
Reply = TypeVar("Reply", bound=Message)

CONNECTIONS = 4
DEADLINE_S = 10.0
ATTEMPTS = 4
FIRST_BACKOFF_S = 0.05
REPEATED = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED)
CONNECT_TIMEOUT_S = 10.0

_CHANNEL_OPTIONS = [
    # Channels to one target share one connection otherwise, and one connection is one worker.
    ("grpc.use_local_subchannel_pool", 1),
    # Attempts are made, and counted, here.
    ("grpc.enable_retries", 0),
    ("grpc.keepalive_time_ms", 30_000),
]


class CallFailed(Exception):
    """A call that was not answered with a reply."""

    def __init__(self, rpc: str, code: grpc.StatusCode, message: str) -> None:
        super().__init__(f"{rpc}: {code.name}: {message}")
        self.rpc = rpc
        self.code = code
        self.message = message


class NoServer(Exception):
    """Nobody answers at the target."""


class UnknownProfile(Exception):
    """The server does not know the game; the message is its own."""


class CallListener(Protocol):
    """Told of each call once: seconds from the first attempt to the end of the last, and the failure if it failed."""

    def __call__(self, rpc: str, seconds: float, retries: int, length: int, failure: CallFailed | None) -> None:
        """Take note of the call; ``length`` is the size of the reply in bytes."""


def tls_credentials(settings: Settings) -> grpc.ChannelCredentials | None:
    """Return what a target with TLS is called with, None for one without.

    Raises ``OSError`` if a file cannot be read.
    """
    if not settings.tls_ca:
        return None
    roots, key, cert = (
        Path(path).read_bytes() if path else None for path in (settings.tls_ca, settings.tls_key, settings.tls_cert)
    )
    return grpc.ssl_channel_credentials(roots, key, cert)


class Connections:
    """The channels of a process, with credentials over TLS. Tables are spread over them and stay where they are."""

    def __init__(
        self, target: str, count: int = CONNECTIONS, credentials: grpc.ChannelCredentials | None = None
    ) -> None:
        self.target = target
        self._channels = [
            grpc.insecure_channel(target, options=_CHANNEL_OPTIONS)
            if credentials is None
            else grpc.secure_channel(target, credentials, options=_CHANNEL_OPTIONS)
            for _ in range(count)
        ]
        self.table_stubs = [stud_pb2_grpc.TableServiceStub(channel) for channel in self._channels]
        self._rules_stubs = [stud_pb2_grpc.RulesServiceStub(channel) for channel in self._channels]

    def rules_of(self, profile: str) -> pb.Rules:
        """Ask for a game on every channel, so that all are connected before the first call that is measured.

        Raises ``NoServer`` if there is no answer, ``UnknownProfile`` if the server does not know the game.
        """
        request = pb.GetProfileRequest(profile=profile)
        try:
            # Not channel_ready_future, which under gevent keeps a core busy while it waits.
            replies = [
                stub.GetProfile(request, timeout=CONNECT_TIMEOUT_S, wait_for_ready=True) for stub in self._rules_stubs
            ]
        except grpc.RpcError as error:
            code, message = error.code(), error.details() or ""
            if code == grpc.StatusCode.INVALID_ARGUMENT:
                raise UnknownProfile(message) from None
            raise NoServer(f"no server answers at {self.target}: {code.name}: {message}") from None
        return replies[0].rules

    def close(self) -> None:
        """Close all channels."""
        for channel in self._channels:
            channel.close()


class Client:
    """The calls of one table, on one of the connections."""

    def __init__(
        self,
        connections: Connections,
        number: int,
        listener: CallListener,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.stub = connections.table_stubs[number % len(connections.table_stubs)]
        self._listener = listener
        self._sleep = sleep

    def call(self, method: "grpc.UnaryUnaryMultiCallable[Request, Reply]", request: Request, bearer: str) -> Reply:
        """Call a method of ``stub`` with credentials (none if ``bearer`` is empty) and return its reply.

        Raises ``CallFailed`` when the server refuses or stays unavailable.
        """
        rpc = request.DESCRIPTOR.name.removesuffix("Request")
        metadata = (("authorization", f"Bearer {bearer}"),) if bearer else None
        started = time.perf_counter()
        retries = 0
        while True:
            try:
                reply = method(request, timeout=DEADLINE_S, metadata=metadata)
            except grpc.RpcError as error:
                code, message = error.code(), error.details() or ""
                if code in REPEATED and retries < ATTEMPTS - 1:
                    self._sleep(FIRST_BACKOFF_S * 2**retries * random.uniform(0.5, 1.5))
                    retries += 1
                    continue
                failure = CallFailed(rpc, code, message)
                self._listener(rpc, time.perf_counter() - started, retries, 0, failure)
                raise failure from None
            self._listener(rpc, time.perf_counter() - started, retries, reply.ByteSize(), None)
            return reply
