"""Watching the deadlines of all shards, and claiming the tables that are due.

A worker remembers for each shard the earliest deadline there is. It looks again at every shard within ``LOOK_MS``,
which is as near as any new deadline can be, and at a shard whose time has come it claims. So waiting costs one small
read a second and shard, however many tables there are, and is never late.
"""

import asyncio
import hashlib
import math
from collections.abc import Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from redis.asyncio import BlockingConnectionPool
from redis.asyncio.connection import AbstractConnection
from redis.connection import HiredisRespSerializer
from redis.exceptions import NoScriptError

from service.store import keys
from service.store.base import LOOK_MS, Claimed, Deadlines, StoreError, StoreUnavailable
from service.store.failures import translated

_SCRIPT = files(__package__).joinpath("claim.lua").read_bytes()
_SCRIPT_SHA = hashlib.sha1(_SCRIPT, usedforsecurity=False).hexdigest()
_PACKER: Any = HiredisRespSerializer()

_GROUPS = 4
"""The shards are looked at in so many groups one after the other, so that no look takes long."""
_SHARDS = [range(group, keys.SHARDS, _GROUPS) for group in range(_GROUPS)]


def _packed(*command: str | int) -> bytes:
    return b"".join(_PACKER.pack(*command))


_LOOKS = [
    b"".join(_packed("ZRANGE", keys.deadlines_key(shard), 0, 0, "WITHSCORES") for shard in group) for group in _SHARDS
]


class RedisDeadlines:
    """``Deadlines`` in one Redis or Valkey server; a claim holds for ``claim_ms``."""

    def __init__(self, pool: BlockingConnectionPool, timeout_s: float, claim_ms: int) -> None:
        self._pool = pool
        self._timeout_s = timeout_s
        self._claim_ms = claim_ms
        self._looked_ms: list[int | None] = [None] * _GROUPS
        self._earliest_ms: list[int | None] = [None] * keys.SHARDS

    async def claim(self, now_ms: int, limit: int) -> Claimed:
        """Claim up to ``limit`` tables whose deadline is not after ``now_ms``, the most overdue first."""
        if limit < 1:
            raise ValueError(f"limit is {limit}, it must be at least 1")
        groups = [group for group, looked_ms in enumerate(self._looked_ms) if _stale(looked_ms, now_ms)]
        table_ids: list[str] = []
        if groups or self._due_shards(now_ms):
            with translated(StoreUnavailable):
                connection = await self._pool.get_connection()  # type: ignore[no-untyped-call]
            try:
                with translated(StoreUnavailable):
                    async with asyncio.timeout(self._timeout_s):
                        await self._look(connection, groups, now_ms)
                        table_ids = await self._claim(connection, now_ms, limit)
            except BaseException:
                # Whatever is still to come on this connection must not be taken for another answer.
                await connection.disconnect(nowait=True)
                raise
            finally:
                await self._pool.release(connection)
        return Claimed(table_ids, self._again_ms(now_ms))

    async def _look(self, connection: AbstractConnection, groups: Sequence[int], now_ms: int) -> None:
        """Read the earliest deadline of every shard of some groups."""
        for turn, group in enumerate(groups):
            await connection.send_packed_command(_LOOKS[group])
            for shard in _SHARDS[group]:
                self._earliest_ms[shard] = _earliest(await _read(connection))
            # Groups that were looked at together take turns from here on.
            self._looked_ms[group] = now_ms - turn * LOOK_MS // _GROUPS

    async def _claim(self, connection: AbstractConnection, now_ms: int, limit: int) -> list[str]:
        shards = self._due_shards(now_ms)[:limit]
        if not shards:
            return []
        arguments = (now_ms, now_ms + self._claim_ms, limit // len(shards))
        await connection.send_packed_command(
            b"".join(_packed("EVALSHA", _SCRIPT_SHA, 1, keys.deadlines_key(shard), *arguments) for shard in shards)
        )
        claimed: list[str] = []
        unknown = [shard for shard in shards if not await self._read_claim(connection, shard, claimed)]
        for shard in unknown:
            # The server does not know the script (any more) and has done nothing.
            await connection.send_command("EVAL", _SCRIPT, 1, keys.deadlines_key(shard), *arguments)
            await self._read_claim(connection, shard, claimed)
        return claimed

    async def _read_claim(self, connection: AbstractConnection, shard: int, claimed: list[str]) -> bool:
        """Read what a shard answers; False: its server does not know the script."""
        try:
            answer = await _read(connection)
        except NoScriptError:
            return False
        match answer:
            case [bytes(earliest), [*table_ids]]:
                self._earliest_ms[shard] = _instant(earliest) if earliest else None
                claimed += (table_id.decode() for table_id in table_ids)
                return True
        raise StoreError(f"the claim script answered {answer!r}")

    def _due_shards(self, now_ms: int) -> list[int]:
        """Return the shards where something is due, the most overdue first."""
        due = [(ms, shard) for shard, ms in enumerate(self._earliest_ms) if ms is not None and ms <= now_ms]
        return [shard for _, shard in sorted(due)]

    def _again_ms(self, now_ms: int) -> int:
        looks = [now_ms if looked_ms is None else looked_ms + LOOK_MS for looked_ms in self._looked_ms]
        return min(looks + [ms for ms in self._earliest_ms if ms is not None])


async def _read(connection: AbstractConnection) -> Any:
    """Read one of many answers; a timeout of its own for each would take longer than everything else."""
    return await connection.read_response(timeout=math.inf)


def _stale(looked_ms: int | None, now_ms: int) -> bool:
    """Say whether it is time to look again; a clock that was turned back does not put it off."""
    return looked_ms is None or not looked_ms <= now_ms < looked_ms + LOOK_MS


def _earliest(answer: Any) -> int | None:
    match answer:
        case []:
            return None
        case [_, bytes(score)]:
            return _instant(score)
    raise StoreError(f"deadlines that cannot be read: {answer!r}")


def _instant(score: bytes) -> int:
    try:
        return int(float(score))
    except (ValueError, OverflowError):
        raise StoreError(f"a deadline that cannot be read: {score!r}") from None


if TYPE_CHECKING:
    _: type[Deadlines] = RedisDeadlines
