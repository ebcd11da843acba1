"""The store in Redis or Valkey, through redis-py.

A commit is one call of ``commit.lua``. It is sent on a bare connection, never through redis-py's client,
which would send it again when the answer is lost. It runs as a task of its own, so that a cancelled caller
leaves no half-read answer on a connection. Reads go through the client and are tried twice.
"""

import asyncio
import logging
from collections.abc import Sequence
from functools import partial
from itertools import chain, groupby
from typing import TYPE_CHECKING, Any

from redis.asyncio import Redis
from redis.asyncio.client import Pipeline
from redis.asyncio.connection import AbstractConnection
from redis.exceptions import RedisError

from service.store import commit_script, hands, keys
from service.store.base import (
    Commit,
    Committed,
    Conflict,
    EventPage,
    HandPage,
    KeptHand,
    LobbyEntry,
    LobbyPage,
    OutcomeUnknown,
    Repeat,
    RequestKey,
    Store,
    Stored,
    StoredEvents,
    StoreMismatch,
    StoreUnavailable,
)
from service.store.commit_script import CommitScript
from service.store.deadlines import RedisDeadlines
from service.store.durability import Durability
from service.store.failures import readable
from service.store.notices import RedisNotices
from service.store.requirements import check_server
from service.store.servers import HOME, Node, servers_at

_log = logging.getLogger(__name__)

# A lobby page asks so many shards in its first round trip, twice as many in each further one, up to a bound.
_LOBBY_SHARDS_FIRST = 8
_LOBBY_SHARDS_MOST = 64


class RedisStore:
    """A ``Store`` in Redis (7.0 or newer) or Valkey: one server, one that sentinels watch, or a cluster.

    ``url`` is a ``StoreAddress``. A request id is remembered for
    ``request_ttl_s``; about ``events_kept`` events blobs of a table are kept, and its last ``hands_kept`` hands for
    ``hands_ttl_s``. ``timeout_ms`` bounds the wait for a free connection, for connecting and for each answer,
    ``replica_timeout_ms`` the wait for replicas; a claim of a due table holds for ``claim_ms``.
    Call ``connect`` before anything else, in the event loop that will use the store.
    """

    def __init__(
        self,
        url: str,
        *,
        durability: Durability = Durability("aof"),  # noqa: B008 -- frozen
        request_ttl_s: int = 600,
        events_kept: int = 1000,
        hands_kept: int = 100,
        hands_ttl_s: int = 86_400,
        max_connections: int = 64,
        timeout_ms: int = 2000,
        replica_timeout_ms: int = 1000,
        claim_ms: int = 5000,
    ) -> None:
        bounds = {
            "request_ttl_s": request_ttl_s,
            "events_kept": events_kept,
            "hands_kept": hands_kept,
            "hands_ttl_s": hands_ttl_s,
            "claim_ms": claim_ms,
        }
        for name, value in bounds.items():
            if value < 1:
                raise ValueError(f"{name} is {value}, it must be at least 1")
        self._durability = durability
        self._script = CommitScript(
            # Nothing is announced before the replicas have it.
            announces=not durability.replicas,
            request_ttl_ms=request_ttl_s * 1000,
            events_kept=events_kept,
            hands_kept=hands_kept,
            hands_ttl_ms=hands_ttl_s * 1000,
        )
        self._timeout_s = timeout_ms / 1000
        self._replica_timeout_ms = replica_timeout_ms
        self._servers = servers_at(url, max_connections=max_connections, timeout_s=self._timeout_s)
        self._subscriptions: list[RedisNotices] = []
        self._deadlines = RedisDeadlines(self._servers, self._timeout_s, claim_ms)
        self._commits: set[asyncio.Task[Committed | Conflict | Repeat]] = set()
        self._closed = False

    async def connect(self) -> None:
        """Reach the store and see that it is fit for tables, and its data laid out as this program lays it out.

        Raises StoreUnavailable, StoreMismatch if the store was filled with another count of shards, or StoreUnfit.
        """

        async def record(client: Redis) -> Any:
            await client.set(keys.SHARDS_KEY, keys.SHARDS, nx=True)
            return await client.get(keys.SHARDS_KEY)

        recorded = await self._servers.read(HOME, record)
        if recorded != str(keys.SHARDS).encode():
            raise StoreMismatch(
                f"the store was filled with {recorded!r} shards (key {keys.SHARDS_KEY}), this program uses "
                f"{keys.SHARDS}: use another store or database"
            )
        for _, shards in await self._servers.groups(range(keys.SHARDS)):
            try:
                await self._servers.read(shards[0], partial(check_server, shard=shards[0]))
            except StoreUnavailable as error:  # a cluster plays on without one of its nodes
                _log.warning("a server of the store could not be looked at: %s", error)

    async def ping(self) -> None:
        """Return if the store answers; of a cluster one node that serves some shards will do."""
        await self._servers.refresh()
        failure = StoreUnavailable("the store has no servers")
        for _, shards in await self._servers.groups(range(keys.SHARDS)):
            key = keys.lobby_key(shards[0])
            try:
                await self._servers.read(shards[0], partial(_exists, key))
                return
            except StoreUnavailable as error:
                failure = error
        raise failure

    async def close(self) -> None:
        """Let commits under way finish, then give every connection back."""
        self._closed = True
        if self._commits:
            await asyncio.wait(self._commits)
        for subscription in self._subscriptions:
            await subscription.close()
        await self._servers.aclose()

    def notices(self) -> RedisNotices:
        """Return a new subscription, for one consumer; it ends with the store at the latest."""
        self._subscriptions = [each for each in self._subscriptions if not each.closed]
        self._subscriptions.append(RedisNotices(self._servers.subscriber, self._timeout_s))
        return self._subscriptions[-1]

    def deadlines(self) -> RedisDeadlines:
        """Return the worker's view of the deadlines, the same object every time."""
        return self._deadlines

    async def load(self, table_id: str) -> Stored | None:
        """Return the table, None if it does not exist."""
        key = keys.table_key(table_id)
        fields: list[Any] = await self._servers.read(
            keys.shard_of(table_id), lambda client: client.hmget(key, ["version", "etag", "snapshot"])
        )
        version, etag, snapshot = fields
        if version is None:
            return None
        with readable(f"table {table_id}"):
            return Stored(bytes(snapshot), int(version), etag.decode())

    async def recall(self, table_id: str, request: RequestKey) -> Repeat | None:
        """Return what a request id was answered with, None if it is not remembered."""
        key, shard = keys.request_key(table_id, request.scope), keys.shard_of(table_id)
        remembered: Any = await self._servers.read(shard, lambda client: client.get(key))
        if remembered is None:
            return None
        earlier = commit_script.repeat(remembered, request)
        if self._durability.replicas:
            # Its first answer may have been that too few copies confirmed it.
            await self._servers.at(shard, lambda node: self._confirm_again(node, table_id, key, earlier.version))
        return earlier

    async def events(self, table_id: str, after_version: int, limit: int) -> EventPage:
        """Return up to ``limit`` events blobs of the versions that follow ``after_version``."""
        if after_version < 0 or limit < 1:
            raise ValueError(f"after_version is {after_version}, at least 0; limit is {limit}, it must be at least 1")
        key = keys.events_key(table_id)

        async def ask(client: Redis) -> list[Any]:
            async with client.pipeline(transaction=True) as pipe:
                pipe.xrange(key, min=f"{after_version + 1}-0", count=limit)
                pipe.xrange(key, count=1)
                pipe.hmget(keys.table_key(table_id), ["version", "etag"])
                return await pipe.execute()

        found, oldest, (version, etag) = await self._servers.read(keys.shard_of(table_id), ask)
        with readable(f"the events of table {table_id}"):
            return EventPage(
                events=[StoredEvents(_version(entry_id), e[b"e"].decode(), e[b"p"]) for entry_id, e in found],
                oldest_version=_version(oldest[0][0]) if oldest else 0,
                version=int(version or 0),
                etag=(etag or b"").decode(),
            )

    async def list_tables(self, tenant: str, page_size: int, page_token: str) -> LobbyPage:
        """Return up to ``page_size`` tables of a tenant's lobby, by shard and table id, from a token on.

        A page may be shorter than asked for when tables go while it is read; only the token says if it is the
        last.
        """
        if page_size < 1:
            raise ValueError(f"page_size is {page_size}, it must be at least 1")
        _check_tenant(tenant)
        after = keys.page_token_table(page_token) if page_token else ""
        table_ids = await self._lobby_ids(tenant, after, page_size + 1)
        page = table_ids[:page_size]
        # The ids stand there shard by shard: one command for each shard costs a fraction of one for each table.
        there = {shard: list(ids) for shard, ids in groupby(page, keys.shard_of)}
        found = await self._servers.read_each(
            list(there), lambda pipe, shard: pipe.hmget(keys.summaries_key(shard), there[shard])
        )
        summaries = list(chain.from_iterable(found))
        return LobbyPage(
            [LobbyEntry(i, s) for i, s in zip(page, summaries, strict=True) if s is not None],
            keys.page_token(page[-1]) if len(table_ids) > page_size else "",
        )

    async def hand(self, table_id: str, number: int, ended_since_ms: int) -> KeptHand | None:
        """Return a finished hand, None if it is not kept or ended before an instant."""
        return await self._servers.read(
            keys.shard_of(table_id), lambda client: hands.read_hand(client, table_id, number, ended_since_ms)
        )

    async def list_hands(self, table_id: str, page_size: int, page_token: str, ended_since_ms: int) -> HandPage:
        """Return up to ``page_size`` finished hands that ended since an instant, the newest first, from a token on."""
        if page_size < 1:
            raise ValueError(f"page_size is {page_size}, it must be at least 1")
        return await self._servers.read(
            keys.shard_of(table_id),
            lambda client: hands.read_page(client, table_id, page_size, page_token, ended_since_ms),
        )

    async def count_tables(self) -> int:
        """Return how many tables stand in the lobbies of all tenants."""
        counts = await self._servers.read_each(
            range(keys.SHARDS), lambda pipe, shard: pipe.zcard(keys.lobby_key(shard))
        )
        return sum(counts)

    async def _lobby_ids(self, tenant: str, after: str, limit: int) -> list[str]:
        """Return up to ``limit`` table ids that follow ``after`` in a tenant's lobby."""
        found: list[str] = []
        first_shard = shard = keys.shard_of(after) if after else 0
        width = _LOBBY_SHARDS_FIRST
        while shard < keys.SHARDS and len(found) < limit:
            missing = limit - len(found)

            def ask(pipe: Pipeline, each: int, missing: int = missing) -> None:
                low, high = keys.lobby_range(tenant, after if each == first_shard else "")
                pipe.zrange(keys.lobby_key(each), low, high, bylex=True, offset=0, num=missing)

            for members in await self._servers.read_each(range(shard, min(shard + width, keys.SHARDS)), ask):
                with readable("the lobby"):
                    found += [member.partition(b"\0")[2].decode() for member in members]
            shard += width
            width = min(2 * width, _LOBBY_SHARDS_MOST)
        return found[:limit]

    async def commit(self, commit: Commit) -> Committed | Conflict | Repeat:
        """Change a table, once. The change goes on if the caller is cancelled while it is under way."""
        _check(commit)
        if self._closed:
            raise StoreUnavailable("the store is closed")
        task = asyncio.create_task(self._commit(commit))
        self._commits.add(task)
        task.add_done_callback(self._commits.discard)
        return await asyncio.shield(task)

    async def _commit(self, commit: Commit) -> Committed | Conflict | Repeat:
        arguments = self._script.arguments(commit)
        return await self._servers.at(
            keys.shard_of(commit.table_id), lambda node: self._commit_at(node, commit, arguments)
        )

    async def _commit_at(self, node: Node, commit: Commit, arguments: Sequence[Any]) -> Committed | Conflict | Repeat:
        async with self._servers.connection(node) as connection:
            with self._servers.following(OutcomeUnknown):
                answer = await commit_script.run(connection, arguments)
            outcome = commit_script.outcome(answer, commit)
            if self._durability.replicas and not isinstance(outcome, Conflict):
                await self._confirm(connection, commit.table_id, outcome.version)
            return outcome

    async def _confirm_again(self, node: Node, table_id: str, request_key: str, version: int) -> None:
        async with self._servers.connection(node) as connection:
            await self._confirm(connection, table_id, version, request_key)

    async def _confirm(
        self, connection: AbstractConnection, table_id: str, version: int, request_key: str = ""
    ) -> None:
        """Wait until enough replicas have all that was written up to now, then announce the commit.

        A connection that has written nothing needs the key of a remembered request to write.
        """
        wanted = self._durability.replicas
        try:
            if request_key:
                await connection.send_command("PEXPIRE", request_key, self._script.request_ttl_ms)
                await connection.read_response()
            await connection.send_command("WAIT", wanted, self._replica_timeout_ms)
            reached = await connection.read_response(timeout=self._replica_timeout_ms / 1000 + self._timeout_s)
            if reached is None or reached < wanted:
                raise OutcomeUnknown(
                    f"{reached or 0} of {wanted} replicas confirmed within {self._replica_timeout_ms} ms"
                )
            channel = keys.notices_channel(keys.shard_of(table_id))
            await connection.send_command("PUBLISH", channel, f"{version} {table_id}")
            await connection.read_response()
        except (RedisError, OSError) as error:
            # A refusal, too: the commit is done, only its confirmation is not.
            self._servers.forget()
            raise OutcomeUnknown(f"waiting for {wanted} replicas: {error}") from error


async def _exists(key: str, client: Redis) -> None:
    await client.exists(key)


def _version(entry_id: bytes) -> int:
    return int(entry_id.partition(b"-")[0])


def _check(commit: Commit) -> None:
    _check_tenant(commit.tenant)
    if not commit.table_id or not commit.etag:
        raise ValueError("a commit needs a table_id and an etag")
    if commit.version < 1 or (commit.version == 1) != (commit.expected_etag == ""):
        raise ValueError(
            f"version {commit.version} on etag {commit.expected_etag!r}: "
            "a new table begins with version 1 on an empty etag, and only a new one"
        )
    if commit.delete and not (commit.version > 1 and commit.deadline_ms is None and commit.summary is None):
        raise ValueError("a deleting commit needs a table to delete, without a deadline and a summary")
    hand = commit.finished
    if hand is not None and not (hand.number >= 1 and 1 <= hand.first_version <= commit.version and hand.ended_ms >= 0):
        raise ValueError(f"hand {hand.number} from version {hand.first_version} on cannot end in {commit.version}")
    if hand is not None and commit.delete:
        raise ValueError("a deleting commit keeps no hand")


def _check_tenant(tenant: str) -> None:
    if not tenant or "\0" in tenant:
        raise ValueError(f"tenant {tenant!r} is empty or holds a NUL")


if TYPE_CHECKING:
    _: type[Store] = RedisStore
