"""Watching the deadlines of all shards, and claiming the tables that are due.

A worker remembers for each shard the earliest deadline there is. It looks again at every shard within ``LOOK_MS``,
which is as near as any new deadline can be, and at a shard whose time has come it claims. So waiting costs one small
read a second and shard, however many tables there are, and is never late.
"""

import asyncio
import hashlib
import math
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from redis.asyncio.connection import AbstractConnection
from redis.connection import HiredisRespSerializer
from redis.exceptions import MovedError, NoScriptError, ResponseError

from service.store import keys
from service.store.base import LOOK_MS, Claimed, Deadlines, StoreDamaged, StoreError, StoreUnavailable
from service.store.failures import Moved, refused
from service.store.servers import Node, Servers

_SCRIPT = files(__package__).joinpath("claim.lua").read_bytes()
_SCRIPT_SHA = hashlib.sha1(_SCRIPT, usedforsecurity=False).hexdigest()
_PACKER: Any = HiredisRespSerializer()

_GROUPS = 4
"""The shards are looked at in so many groups one after the other, so that no look takes long."""
_SHARDS = [range(group, keys.SHARDS, _GROUPS) for group in range(_GROUPS)]


def _packed(*command: str | int) -> bytes:
    return b"".join(_PACKER.pack(*command))


_LOOKS = [_packed("ZRANGE", keys.deadlines_key(shard), 0, 0, "WITHSCORES") for shard in range(keys.SHARDS)]


class RedisDeadlines:
    """``Deadlines`` in Redis or Valkey servers; a claim holds for ``claim_ms``.

    Of several servers each is asked for itself, and of several shards each is read for itself: what is due elsewhere
    is claimed while one is away or damaged.
    """

    def __init__(self, servers: Servers, timeout_s: float, claim_ms: int) -> None:
        self._servers = servers
        self._timeout_s = timeout_s
        self._claim_ms = claim_ms
        self._looked_ms: list[int | None] = [None] * _GROUPS
        self._earliest_ms: list[int | None] = [None] * keys.SHARDS

    async def claim(self, now_ms: int, limit: int) -> Claimed:
        """Claim up to ``limit`` tables whose deadline is not after ``now_ms``, the most overdue first."""
        if limit < 1:
            raise ValueError(f"limit is {limit}, it must be at least 1")
        lost = await self._look(now_ms)
        table_ids: list[str] = []
        shards = [shard for shard in self._due_shards(now_ms) if shard not in lost][:limit]
        if shards:
            arguments = (now_ms, now_ms + self._claim_ms, limit // len(shards))
            damaged: dict[int, StoreError] = {}
            away = await self._visit(
                shards,
                lambda connection, node, there: self._claim(connection, node, there, arguments, table_ids, damaged),
            )
            if away or damaged:
                # So that the next look finds out which shards to leave out.
                self._looked_ms = [None] * _GROUPS
            lost |= away | damaged
        if lost and not table_ids:
            raise next(iter(lost.values()))
        return Claimed(table_ids, self._again_ms(now_ms))

    async def _look(self, now_ms: int) -> dict[int, StoreError]:
        """Read the earliest deadline of every shard of the groups whose time it is; return what failed."""
        groups = [group for group, looked_ms in enumerate(self._looked_ms) if _stale(looked_ms, now_ms)]
        if not groups:
            return {}
        moved: list[int] = []
        damaged: dict[int, StoreError] = {}
        shards = [shard for group in groups for shard in _SHARDS[group]]
        lost = await self._visit(
            shards, lambda connection, node, there: self._look_at(connection, node, there, moved, damaged)
        )
        lost |= damaged
        if not lost and not moved:
            for turn, group in enumerate(groups):
                # Groups that were looked at together take turns from here on.
                self._looked_ms[group] = now_ms - turn * LOOK_MS // _GROUPS
        return lost

    async def _visit(
        self, shards: Sequence[int], visit: Callable[[AbstractConnection, Node, Sequence[int]], Awaitable[None]]
    ) -> dict[int, StoreError]:
        """Go to every node that holds some shards; return the shards whose node failed."""

        async def go(node: Node, there: Sequence[int]) -> dict[int, StoreError]:
            try:
                await self._go(node, there, visit)
            except StoreUnavailable as error:
                return dict.fromkeys(there, error)
            return {}

        groups = await self._servers.groups(shards)
        if len(groups) == 1:
            return await go(*groups[0])
        lost: dict[int, StoreError] = {}
        for failed in await asyncio.gather(*(go(*group) for group in groups)):
            lost |= failed
        return lost

    async def _go(
        self,
        node: Node,
        shards: Sequence[int],
        visit: Callable[[AbstractConnection, Node, Sequence[int]], Awaitable[None]],
    ) -> None:
        async with self._servers.connection(node) as connection:
            with self._servers.following():
                await visit(connection, node, shards)

    async def _look_at(
        self,
        connection: AbstractConnection,
        node: Node,
        shards: Sequence[int],
        moved: list[int],
        damaged: dict[int, StoreError],
    ) -> None:
        await connection.send_packed_command(b"".join(_LOOKS[shard] for shard in shards))
        async with self._answered_in_time():
            for shard in shards:
                try:
                    self._earliest_ms[shard] = _earliest(await _read(connection))
                except MovedError as error:
                    self._servers.moved(shard, node, Moved(error))
                    moved.append(shard)
                except ResponseError as error:
                    damaged[shard] = refused(error)
                except StoreDamaged as error:
                    damaged[shard] = error

    async def _claim(
        self,
        connection: AbstractConnection,
        node: Node,
        shards: Sequence[int],
        arguments: tuple[int, int, int],
        claimed: list[str],
        damaged: dict[int, StoreError],
    ) -> None:
        await connection.send_packed_command(
            b"".join(_packed("EVALSHA", _SCRIPT_SHA, 1, keys.deadlines_key(shard), *arguments) for shard in shards)
        )
        unknown: list[int] = []
        async with self._answered_in_time():
            for shard in shards:
                with self._of_one_shard(shard, node, damaged):
                    try:
                        self._take(await _read(connection), shard, claimed)
                    except NoScriptError:
                        unknown.append(shard)
        for shard in unknown:
            # The server does not know the script (any more) and has done nothing.
            await connection.send_command("EVAL", _SCRIPT, 1, keys.deadlines_key(shard), *arguments)
            with self._of_one_shard(shard, node, damaged):
                self._take(await connection.read_response(), shard, claimed)

    @contextmanager
    def _of_one_shard(self, shard: int, node: Node, damaged: dict[int, StoreError]) -> Iterator[None]:
        """Keep an error answer about one shard from costing what was claimed of the others."""
        try:
            yield
        except MovedError as error:
            # It stays due, and the next claim goes to the right node.
            self._servers.moved(shard, node, Moved(error))
        except ResponseError as error:
            damaged[shard] = refused(error)
        except StoreDamaged as error:
            damaged[shard] = error

    def _answered_in_time(self) -> asyncio.Timeout:
        """Bound the wait for many answers; not the sending before, which has a bound and may swallow another one."""
        return asyncio.timeout(self._timeout_s)

    def _take(self, answer: Any, shard: int, claimed: list[str]) -> None:
        match answer:
            case [bytes(earliest), [*table_ids]]:
                claimed += (table_id.decode(errors="replace") for table_id in table_ids)
                self._earliest_ms[shard] = _instant(earliest) if earliest else None
            case _:
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
    raise StoreDamaged(f"deadlines that cannot be read: {answer!r}")


def _instant(score: bytes) -> int:
    try:
        return int(float(score))
    except (ValueError, OverflowError):
        raise StoreDamaged(f"a deadline that cannot be read: {score!r}") from None


if TYPE_CHECKING:
    _: type[Deadlines] = RedisDeadlines
