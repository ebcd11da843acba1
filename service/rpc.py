"""How an RPC reaches its method, and how its refusal gets back.

Methods are found by name from the service's descriptor, so an RPC without a method is answered too. Handlers
are registered without grpc's (de)serializers: grpc.aio would answer UNKNOWN to bytes it cannot decode. A
method gets a decoded request and a ``Call``, returns messages and raises; what it raises becomes a status
here. One RPC ``TakeSeat`` is one method::

    async def take_seat(self, request: TakeSeatRequest, call: Call) -> TakeSeatResponse
    def watch_table(self, request: WatchTableRequest, call: Call) -> AsyncIterator[WatchTableResponse | bytes]
    def play(self, requests: AsyncIterator[PlayRequest], call: Call) -> AsyncIterator[PlayResponse]
"""

import asyncio
import re
import secrets
import time
import traceback
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import aclosing
from typing import Any, TypeAlias, TypeVar

import grpc
import msgspec
import structlog
from google.protobuf import message
from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor
from google.protobuf.message_factory import GetMessageClass

from service.call_tag import current_tag
from service.codec_requests import REQUEST_ID
from service.credentials import Anonymous, Caller
from service.errors import DETAILS_KEY, Reason, ServiceError, refusal, rich_status
from service.streams import Streams

_log = structlog.get_logger()

_NO_DEADLINE_S = 10**8
"""grpc says so many seconds or more for a call without a deadline."""

Admit: TypeAlias = Callable[[Sequence[str], str, str], Caller]
"""Says who calls, from the ``authorization`` texts, the peer and the RPC's name; raises if the call is not let in."""

_Context: TypeAlias = "grpc.aio.ServicerContext[bytes, bytes]"
_Method: TypeAlias = Callable[[Any, "Call"], Any]
_T = TypeVar("_T")


class Call(msgspec.Struct, frozen=True):
    """What is known of a call beside its request.

    ``method`` is ``stud.v1.TableService/Act``, ``peer`` the address of the client's end of the connection.
    ``expires_at_s`` is the deadline as an instant of ``time.monotonic``, None where the client set none.
    """

    method: str
    caller: Caller
    peer: str
    expires_at_s: float | None = None

    def time_remaining_s(self) -> float | None:
        """Return the seconds until the deadline, at least 0; None where there is none."""
        return None if self.expires_at_s is None else max(self.expires_at_s - time.monotonic(), 0.0)


def service_handler(
    service: ServiceDescriptor, methods: object, admit: Admit, streams: Streams | None = None
) -> grpc.GenericRpcHandler:
    """Return the handler of every RPC of a service; ``methods`` implements those it has methods for.

    ``streams`` bounds what streams may cost; None: nothing does.
    """
    streams = streams or Streams()
    handlers = {
        method.name: _handler(_Rpc(method, getattr(methods, _snake(method.name), None), admit, streams))
        for method in service.methods
    }
    return grpc.method_handlers_generic_handler(service.full_name, handlers)


def _snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def decode(request_class: type[message.Message], data: bytes) -> Any:
    """Read a message.

    Raises:
        ServiceError: UNDECODABLE_REQUEST if the bytes are no such message or a text in it is not UTF-8.
    """
    try:
        return request_class.FromString(data)
    except (message.DecodeError, UnicodeDecodeError):
        name = request_class.DESCRIPTOR.full_name
        raise ServiceError(Reason.UNDECODABLE_REQUEST, f"the bytes cannot be read as a {name}") from None


def open_stream(streams: Streams, caller: Caller, context: _Context) -> None:
    """Count a stream until its status has been sent, or its client has gone.

    Raises:
        ServiceError: TOO_MANY_STREAMS if the caller has as many as allowed.
    """
    close = streams.open(caller, context.peer())
    context.add_done_callback(lambda _: close())  # type: ignore[arg-type]


class _Rpc:
    """One RPC: its request class and the method that answers it, if there is one."""

    def __init__(self, descriptor: MethodDescriptor, method: _Method | None, admit: Admit, streams: Streams) -> None:
        self.descriptor = descriptor
        self.name = f"{descriptor.containing_service.full_name}/{descriptor.name}"
        self._request_class = GetMessageClass(descriptor.input_type)
        self._method = method
        self._admit = admit
        self._streams = streams

    def decode(self, data: bytes) -> Any:
        request = decode(self._request_class, data)
        tag, request_id = current_tag(), getattr(request, "request_id", "").lower()
        if tag is not None and REQUEST_ID.fullmatch(request_id):
            tag.request_id = request_id
        return request

    @property
    def offered(self) -> bool:
        return self._method is not None

    def method(self) -> _Method:
        if self._method is None:
            raise ServiceError(
                Reason.NOT_IMPLEMENTED,
                f"{self.name} is not offered by this server",
                metadata={"method": self.name},
            )
        return self._method

    def call(self, context: _Context) -> Call:
        remaining_s = context.time_remaining()
        limited = remaining_s is not None and remaining_s < _NO_DEADLINE_S
        peer = context.peer()
        caller = self._admit(_authorizations(context), peer, self.name)
        tag = current_tag()
        if tag is not None and not isinstance(caller, Anonymous):
            tag.tenant = caller.tenant
        return Call(
            method=self.name,
            caller=caller,
            peer=peer,
            expires_at_s=time.monotonic() + remaining_s if limited else None,
        )

    def stream(self, context: _Context) -> Call:
        """Open a stream that counts until its status has been sent, or its client has gone."""
        call = self.call(context)
        open_stream(self._streams, call.caller, context)
        return call

    async def send(self, context: _Context, answers: AsyncGenerator[message.Message | bytes, None]) -> None:
        """Send what a method yields, encoded already or not, as fast as the client takes it."""
        async with aclosing(answers):
            async for answer in answers:
                data = answer if isinstance(answer, bytes) else answer.SerializeToString()
                await self._streams.send(context.write(data))

    async def answer(self, context: _Context, work: Coroutine[Any, Any, _T]) -> _T:
        """Do the work of a call; end the call with the status of what it raises."""
        try:
            return await work
        except asyncio.CancelledError as error:
            # One that is not grpc's own leaked from a method; passed on, it makes the client wait for ever.
            if _is_cancelled():
                raise
            refused = self._refusal(error)
        except grpc.aio.InternalError:
            # A message that could not be written: the client has left, and the status would find nobody either.
            raise
        except Exception as error:
            refused = self._refusal(error)
        status = rich_status(refused)
        # What was set before, the id of the call, would be lost otherwise.
        details = (*(context.trailing_metadata() or ()), (DETAILS_KEY, status.SerializeToString()))
        return await context.abort(refused.status, status.message, details)

    def _refusal(self, error: Exception | asyncio.CancelledError) -> ServiceError:
        if isinstance(error, asyncio.CancelledError):
            return ServiceError(
                Reason.INTERRUPTED,
                "the server gave up in the middle of the call: repeat it with the same request_id",
            )
        return refusal(error) or self._defect(error)

    def _defect(self, error: Exception) -> ServiceError:
        """Log an error that nobody foresaw; neither the log nor the caller gets its text, which may name cards."""
        incident = secrets.token_hex(8)
        tag = current_tag()
        said = {} if tag is None else tag.said()
        _log.error("rpc failed", method=self.name, incident=incident, error=_kinds(error), where=_frames(error), **said)
        return ServiceError(Reason.INTERNAL, "the server has a defect", metadata={"incident": incident})


def _authorizations(context: _Context) -> list[str]:
    return [str(value) for key, value in context.invocation_metadata() or () if key == "authorization"]


def _kinds(error: BaseException) -> str:
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    kind = type(error).__name__
    return f"{kind} from {_kinds(cause)}" if cause is not None else kind


def _frames(error: Exception) -> list[str]:
    return [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(error.__traceback__)]


def _is_cancelled() -> bool:
    """Whether grpc has cancelled the running call."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _handler(rpc: _Rpc) -> Any:
    if rpc.descriptor.client_streaming:
        return grpc.stream_stream_rpc_method_handler(_both_streaming(rpc))
    if rpc.descriptor.server_streaming:
        return grpc.unary_stream_rpc_method_handler(_server_streaming(rpc))
    return grpc.unary_unary_rpc_method_handler(_unary(rpc))


def _unary(rpc: _Rpc) -> Callable[[bytes, _Context], Awaitable[bytes]]:
    async def reply(data: bytes, context: _Context) -> bytes:
        call, request = rpc.call(context), rpc.decode(data)
        answer: message.Message = await rpc.method()(request, call)
        return answer.SerializeToString()

    async def handle(data: bytes, context: _Context) -> bytes:
        return await rpc.answer(context, reply(data, context))

    return handle


def _server_streaming(rpc: _Rpc) -> Callable[[bytes, _Context], Awaitable[None]]:
    async def replies(data: bytes, context: _Context) -> None:
        call, request = rpc.stream(context), rpc.decode(data)
        await rpc.send(context, rpc.method()(request, call))

    async def handle(data: bytes, context: _Context) -> None:
        await rpc.answer(context, replies(data, context))

    return handle


def _both_streaming(rpc: _Rpc) -> Callable[[AsyncIterator[bytes], _Context], Awaitable[None]]:
    async def replies(messages: AsyncIterator[bytes], context: _Context) -> None:
        call = rpc.stream(context)
        requests = _decoded(rpc, messages)
        if not rpc.offered:
            await anext(requests, None)  # as everywhere, bytes that cannot be read are told first
        await rpc.send(context, rpc.method()(requests, call))

    async def handle(messages: AsyncIterator[bytes], context: _Context) -> None:
        await rpc.answer(context, replies(messages, context))

    return handle


async def _decoded(rpc: _Rpc, messages: AsyncIterator[bytes]) -> AsyncIterator[Any]:
    async for data in messages:
        yield rpc.decode(data)
