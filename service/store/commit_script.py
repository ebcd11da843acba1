"""What ``commit.lua`` is told of a commit, how it is sent, and what it answers."""

import hashlib
import logging
from collections.abc import Sequence
from importlib.resources import files
from typing import Any, cast

import msgspec
from redis.asyncio.connection import AbstractConnection
from redis.connection import HiredisRespSerializer
from redis.exceptions import NoScriptError

from service.store import hands, keys
from service.store.base import Commit, Committed, Conflict, Repeat, RequestKey, StoreDamaged, StoreError
from service.store.failures import readable

_log = logging.getLogger(__name__)

_SCRIPT = files(__package__).joinpath("commit.lua").read_bytes()
_SCRIPT_SHA = hashlib.sha1(_SCRIPT, usedforsecurity=False).hexdigest()
_PACKER: Any = HiredisRespSerializer()


class _Remembered(msgspec.Struct, frozen=True, array_like=True):
    """What lies under a request id."""

    body: bytes
    version: int
    etag: str
    result: bytes


class CommitScript(msgspec.Struct, frozen=True, kw_only=True):
    """The script with what a store keeps and for how long; without ``announces`` the caller publishes the notice."""

    announces: bool
    request_ttl_ms: int
    events_kept: int
    hands_kept: int
    hands_ttl_ms: int

    def arguments(self, commit: Commit) -> list[Any]:
        """Return the keys and arguments of a commit, with the count of keys before them."""
        table_id, shard, request = commit.table_id, keys.shard_of(commit.table_id), commit.request
        script_keys = [
            keys.table_key(table_id),
            keys.events_key(table_id),
            keys.deadlines_key(shard),
            keys.lobby_key(shard),
            keys.summaries_key(shard),
        ]
        remembered = b""
        if request is not None:
            script_keys.append(keys.request_key(table_id, request.scope))
            remembered = msgspec.msgpack.encode(_Remembered(request.body, commit.version, commit.etag, commit.result))
        if commit.finished is not None or commit.delete:
            script_keys += [keys.hands_key(table_id), keys.played_key(table_id)]
        arguments = [
            len(script_keys),
            *script_keys,
            commit.expected_etag,
            commit.etag,
            commit.version,
            "delete" if commit.delete else "write",
            commit.snapshot,
            commit.events,
            hands.oldest_kept(commit, self.events_kept),
            table_id,
            "" if commit.deadline_ms is None else commit.deadline_ms,
            keys.lobby_member(commit.tenant, table_id),
            "0" if commit.summary is None else "1",
            commit.summary or b"",
            keys.notices_channel(shard) if self.announces else "",
            remembered,
            self.request_ttl_ms,
        ]
        if commit.finished is not None:
            arguments += hands.script_arguments(commit.finished, self.hands_kept, self.hands_ttl_ms)
        return arguments


async def run(connection: AbstractConnection, arguments: Sequence[Any]) -> list[bytes]:
    """Send the script once and return its answer."""
    try:
        # Packing twenty arguments in C takes a tenth of what the connection's own packing does.
        await connection.send_packed_command(_PACKER.pack("EVALSHA", _SCRIPT_SHA, *arguments))
        return cast(list[bytes], await connection.read_response())
    except NoScriptError:
        # The server does not know the script (any more) and has done nothing.
        await connection.send_command("EVAL", _SCRIPT, *arguments)
        return cast(list[bytes], await connection.read_response())


def outcome(answer: Sequence[bytes], commit: Commit) -> Committed | Conflict | Repeat:
    """Return what an answer of the script says; StoreError if it makes no sense."""
    match answer:
        case [b"committed", *made_anew]:
            if made_anew:
                _log.error("store damaged: %s held what no commit has put there, and was made anew", made_anew)
            return Committed(commit.version, commit.etag)
        case [b"conflict", version, etag]:
            with readable(f"version or etag of table {commit.table_id}"):
                return Conflict(int(version), etag.decode())
        case [b"repeat", remembered] if commit.request is not None:
            return repeat(remembered, commit.request)
    raise StoreError(f"the commit script answered {answer!r}")


def repeat(remembered: bytes, request: RequestKey) -> Repeat:
    """Return what a request id was answered with, from what lies under it."""
    try:
        first = msgspec.msgpack.decode(remembered, type=_Remembered)
    except msgspec.MsgspecError as error:
        raise StoreDamaged(f"what is remembered under request {request.scope} cannot be read") from error
    return Repeat(first.version, first.etag, first.result, first.body == request.body)
