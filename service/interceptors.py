"""What is said about every call in the log: which one it was, how it ended and how long it took.

Never what was asked or answered. A call that went well is a matter for ``debug``, a refused one for ``info``, and one
that failed by our own fault or took very long for ``warning``.
"""

import time
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

import grpc
import structlog
from google.rpc import error_details_pb2, status_pb2  # type: ignore[import-untyped]

from service.errors import DETAILS_KEY

_log = structlog.get_logger()

_LONG_S = 1.0
_OUR_FAULT = frozenset({grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN, grpc.StatusCode.DATA_LOSS})
_OK = (grpc.StatusCode.OK, 0, None)

_Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"
_Behaviour: TypeAlias = Callable[[Any, _Context], Awaitable[Any]]


class AccessLog(grpc.aio.ServerInterceptor):
    """Logs calls; registered at the server."""

    def __init__(self) -> None:
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
                return None
            wrapped = self._wrapped[method] = _wrapped(method, handler)
        return wrapped


def _wrapped(method: str, handler: Any) -> Any:
    if handler.request_streaming:
        return grpc.stream_stream_rpc_method_handler(_logged(method, handler.stream_stream, stream=True))
    if handler.response_streaming:
        return grpc.unary_stream_rpc_method_handler(_logged(method, handler.unary_stream, stream=True))
    return grpc.unary_unary_rpc_method_handler(_logged(method, handler.unary_unary, stream=False))


def _logged(method: str, behaviour: _Behaviour, *, stream: bool) -> Any:
    name = method.lstrip("/")

    async def call(request: Any, context: _Context) -> Any:
        began_s = time.perf_counter()
        if stream:
            # A watcher of a quiet table learns at once that its stream stands.
            await context.send_initial_metadata(())
        cancelled = True
        try:
            answer = await behaviour(request, context)
            cancelled = False
            return answer
        except grpc.aio.AbortError:
            cancelled = False
            raise
        finally:
            _write(name, context, cancelled, time.perf_counter() - began_s, stream)

    return call


def _write(method: str, context: _Context, cancelled: bool, seconds: float, stream: bool) -> None:
    code: Any = context.code()
    if cancelled:
        how = "CANCELLED"
    else:
        how = "OK" if code in _OK else _reason(context)
    warned = code in _OUR_FAULT or (seconds >= _LONG_S and not stream)
    write = _log.warning if warned else _log.debug if how == "OK" else _log.info
    write("call", method=method, reason=how, ms=round(seconds * 1000, 3), peer=context.peer())


def _reason(context: _Context) -> str:
    """Return the reason a call was refused with, or the name of its status where it has none of ours."""
    for key, value in context.trailing_metadata() or ():
        if key == DETAILS_KEY:
            info = error_details_pb2.ErrorInfo()
            if any(detail.Unpack(info) for detail in status_pb2.Status.FromString(value).details):
                return str(info.reason)
    code: Any = context.code()
    return str(code.name) if isinstance(code, grpc.StatusCode) else str(code)
