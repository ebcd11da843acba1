"""What is noted of every call, in the log, in the meters and in a trace: which one, how it ended, how long it took.

Never what was asked or answered. In the log, a call that went well is a matter for ``debug``, a refused one for
``info``, and one that failed by our own fault or took very long for ``warning``.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

import grpc
import structlog
from google.rpc import error_details_pb2, status_pb2  # type: ignore[import-untyped]

from service.call_tag import CALL_ID_KEY, CallTag, new_tag
from service.errors import DETAILS_KEY
from service.meters import UNKNOWN_RPC, Meters
from service.tracing import CallSpan, NoTracing, Tracing

_log = structlog.get_logger()

_LONG_S = 1.0
_OUR_FAULT = frozenset({grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN, grpc.StatusCode.DATA_LOSS})
_OK = (grpc.StatusCode.OK, 0, None)

_Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"
_Behaviour: TypeAlias = Callable[[Any, _Context], Awaitable[Any]]


class AccessLog(grpc.aio.ServerInterceptor):
    """Notes calls; registered at the server."""

    def __init__(self, meters: Meters | None = None, tracing: Tracing | None = None) -> None:
        self._meters = meters or Meters()
        self._tracing = tracing or NoTracing()
        self._wrapped: dict[str, Any] = {}

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Any]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Any:
        """Return the handler of a call, wrapped; once for each RPC."""
        method = handler_call_details.method
        wrapped = self._wrapped.get(method)
        if wrapped is None:
            handler = await continuation(handler_call_details)
            if handler is None:  # no such RPC; such names are the caller's and are not remembered
                self._meters.call_ended(UNKNOWN_RPC, grpc.StatusCode.UNIMPLEMENTED.name, None)
                return None
            wrapped = self._wrapped[method] = self._wrap(method.lstrip("/"), handler)
        return wrapped

    def _wrap(self, rpc: str, handler: Any) -> Any:
        if handler.request_streaming:
            return grpc.stream_stream_rpc_method_handler(self._noted_stream(rpc, handler.stream_stream))
        if handler.response_streaming:
            return grpc.unary_stream_rpc_method_handler(self._noted_stream(rpc, handler.unary_stream))
        return grpc.unary_unary_rpc_method_handler(self._noted(rpc, handler.unary_unary, stream=False))

    def _noted_stream(self, rpc: str, behaviour: _Behaviour) -> _Behaviour:
        noted = self._noted(rpc, behaviour, stream=True)

        async def call(request: Any, context: _Context) -> None:
            self._meters.stream_opened(rpc)
            try:
                # A watcher of a quiet table learns at once that its stream stands.
                await context.send_initial_metadata(())
                await noted(request, context)
            finally:
                self._meters.stream_closed(rpc)

        return call

    def _noted(self, rpc: str, behaviour: _Behaviour, *, stream: bool) -> _Behaviour:
        async def call(request: Any, context: _Context) -> Any:
            began_s = time.perf_counter()
            tag = new_tag()
            context.set_trailing_metadata(((CALL_ID_KEY, tag.call_id),))
            metadata: Any = context.invocation_metadata() or ()
            with self._tracing.call(rpc, metadata, tag.call_id, stream=stream) as span:
                code: Any = None
                try:
                    return await behaviour(request, context)
                except grpc.aio.AbortError:
                    raise
                except grpc.aio.InternalError:
                    # Nothing can be written to a client that has left in this moment; grpc knows and says no more.
                    code = grpc.StatusCode.CANCELLED
                    raise
                except Exception:
                    code = grpc.StatusCode.UNKNOWN  # what grpc tells the caller of an error that nobody caught
                    raise
                except asyncio.CancelledError:
                    code = grpc.StatusCode.CANCELLED
                    raise
                finally:
                    self._note(rpc, context, code, time.perf_counter() - began_s, stream, tag, span)

        return call

    def _note(
        self, rpc: str, context: _Context, code: Any, seconds: float, stream: bool, tag: CallTag, span: CallSpan
    ) -> None:
        """Note a call; ``code`` is the status that it ended with unless the context knows (None)."""
        if code is not None:
            reason = str(code.name)
        else:
            code = context.code()
            reason = "OK" if code in _OK else _reason(context)
        failed = code in _OUR_FAULT
        self._meters.call_ended(rpc, reason, None if stream else seconds)
        span.end(reason, 0 if reason == "OK" else _number(code), failed)
        warned = failed or (seconds >= _LONG_S and not stream)
        write = _log.warning if warned else _log.debug if reason == "OK" else _log.info
        write("call", method=rpc, reason=reason, ms=round(seconds * 1000, 3), peer=context.peer(), **tag.said())


def _number(code: Any) -> int:
    return int(code.value[0]) if isinstance(code, grpc.StatusCode) else int(code)


def _reason(context: _Context) -> str:
    """Return the reason a call was refused with, or the name of its status where it has none of ours."""
    for key, value in context.trailing_metadata() or ():
        if key == DETAILS_KEY:
            info = error_details_pb2.ErrorInfo()
            if any(detail.Unpack(info) for detail in status_pb2.Status.FromString(value).details):
                return str(info.reason)
    code: Any = context.code()
    return str(code.name) if isinstance(code, grpc.StatusCode) else str(code)
