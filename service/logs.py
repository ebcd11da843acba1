"""Logs: one JSON object a line on standard error.

A line holds what happened, never what was asked or answered: no request, no reply, no card and no
credential. Records of libraries that use the standard ``logging`` take the same form.
"""

import logging
import sys
from typing import Any

import msgspec
import structlog

_LEVELS = {"debug": 10, "info": 20, "warning": 30, "error": 40}


def configure_logs(level: str, *, worker: int | None = None) -> None:
    """Write log lines from ``level`` on, each with the number of the worker if this process is one."""

    def add_worker(_logger: Any, _method: str, record: Any) -> Any:
        if worker is not None:
            record.setdefault("worker", worker)
        return record

    # A warning of Python's, such as that of a short token key, is a line like any other.
    logging.captureWarnings(True)
    shared: list[Any] = [
        add_worker,
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    structlog.configure(
        processors=[*shared, structlog.processors.JSONRenderer(serializer=_json)],
        wrapper_class=structlog.make_filtering_bound_logger(_LEVELS[level]),
        logger_factory=structlog.BytesLoggerFactory(sys.stderr.buffer),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.JSONRenderer(serializer=_json_text),
            ],
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    # Libraries are heard from warnings on: what they say below may repeat addresses and payloads.
    root.setLevel(max(_LEVELS[level], logging.WARNING))


def _json(record: Any, **_: Any) -> bytes:
    return msgspec.json.encode(record, enc_hook=str)


def _json_text(record: Any, **_: Any) -> str:
    return _json(record).decode()
