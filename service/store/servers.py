"""The servers that hold the shards: one, the primary that sentinels name, or the primaries of a cluster.

Where the shards lie is learned when it is first needed and again after a failure. What is sent to a primary is sent
there and nowhere else; only ``MOVED``, with which a node of a cluster says that it has done nothing, is followed.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any, TypeVar, cast

from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.client import Pipeline
from redis.asyncio.connection import AbstractConnection, parse_url
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.crc import key_slot
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import MovedError, RedisError

from service.cancellation import cancelled
from service.store import keys
from service.store.address import StoreAddress
from service.store.base import StoreError, StoreUnavailable
from service.store.failures import Moved, translated

HOME = keys.SHARDS
"""Stands for a shard where what belongs to the whole store is meant."""

_SLOTS = [key_slot(keys.shard_prefix(shard).encode()) for shard in range(keys.SHARDS)]
_SLOTS.append(key_slot(keys.SHARDS_KEY.encode()))

_MOVES_MOST = 3
"""So often is a shard followed in one go; more means that the nodes do not agree."""

_FORGET_AFTER_S = 30.0
"""So long after it was left is a node forgotten: far longer than anything that is sent there may take."""

_T = TypeVar("_T")
_Endpoint = tuple[str, int]


class Node:
    """A primary: ``pool`` has connections for what is sent once at most, ``client`` reads and tries twice."""

    def __init__(self, endpoint: _Endpoint, options: dict[str, Any]) -> None:
        self.endpoint = endpoint
        self.pool = BlockingConnectionPool(**options)
        self.client = Redis(connection_pool=self.pool)

    def new_connection(self) -> AbstractConnection:
        """Return a connection beside the pool, not yet connected."""
        return cast(AbstractConnection, self.pool.make_connection())  # type: ignore[no-untyped-call]


class Servers:
    """One server, which holds all shards and never moves; the other kinds build on it."""

    def __init__(self, options: dict[str, Any]) -> None:
        self._options = options
        self._timeout_s: float = options["socket_timeout"]
        self._nodes: dict[_Endpoint, Node] = {}
        self._left_s: dict[_Endpoint, float] = {}
        self._places: list[Node] = []
        self._learning: asyncio.Task[None] | None = None
        self._stale = True

    async def node_of(self, shard: int) -> Node:
        """Return the node that holds a shard; StoreUnavailable if nobody knows."""
        if self._stale:
            await self._learn_once()
        return self._places[shard]

    async def groups(self, shards: Iterable[int]) -> list[tuple[Node, list[int]]]:
        """Return the nodes that hold some shards, each with those it holds."""
        groups: dict[Node, list[int]] = {}
        for shard in shards:
            groups.setdefault(await self.node_of(shard), []).append(shard)
        return list(groups.items())

    def forget(self) -> None:
        """Learn anew before the next use, as a node did not do what it should."""

    async def refresh(self) -> None:
        """Learn of a change that no failure would tell of; called now and then."""

    def moved(self, shard: int, node: Node, moved: Moved) -> Node:
        """Return the node that ``node`` says holds a shard, from now on."""
        raise moved

    @contextmanager
    def following(self, when_lost: type[StoreUnavailable] = StoreUnavailable) -> Iterator[None]:
        """Translate the errors of a node, and learn anew after one that may mean that it is the wrong one."""
        try:
            with translated(when_lost):
                yield
        except Moved:
            raise
        except StoreUnavailable:
            self.forget()
            raise

    @asynccontextmanager
    async def connection(self, node: Node) -> AsyncIterator[AbstractConnection]:
        """Lend a bare connection of a node, on which nothing is sent twice; one that was left by an error is closed."""
        with self.following():
            connection = await node.pool.get_connection()  # type: ignore[no-untyped-call]
        try:
            yield connection
        except BaseException:
            # Whatever is still to come on this connection must not be taken for another answer.
            await connection.disconnect(nowait=True)
            raise
        finally:
            await node.pool.release(connection)

    async def at(self, shard: int, do: Callable[[Node], Awaitable[_T]]) -> _T:
        """Do something at the node that holds a shard: where it is said to be, and on to where it says it moved."""
        node = await self.node_of(shard)
        for _ in range(_MOVES_MOST):
            try:
                return await do(node)
            except Moved as moved:
                node = self.moved(shard, node, moved)
        return await do(node)

    async def read(self, shard: int, ask: Callable[[Redis], Awaitable[_T]]) -> _T:
        """Ask the node that holds a shard."""

        async def ask_node(node: Node) -> _T:
            with self.following():
                return await ask(node.client)

        return await self.at(shard, ask_node)

    async def read_each(self, shards: Sequence[int], ask: Callable[[Pipeline, int], object]) -> list[Any]:
        """Return the answers to one command for each shard, with one round trip to each node."""
        answers: dict[int, Any] = {}
        missing: list[int] = list(shards)
        for move in range(_MOVES_MOST + 1):
            groups = await self.groups(missing)
            last = move == _MOVES_MOST
            await _all([self._read_group(node, group, ask, last, answers) for node, group in groups])
            missing = [shard for shard in missing if shard not in answers]
            if not missing:
                break
        return [answers[shard] for shard in shards]

    async def _read_group(
        self,
        node: Node,
        shards: Sequence[int],
        ask: Callable[[Pipeline, int], object],
        last: bool,
        answers: dict[int, Any],
    ) -> None:
        """Put the answers of a node to the others; the ones that moved stay out, unless it is the last time."""
        with self.following():
            async with node.client.pipeline(transaction=False) as pipe:
                for shard in shards:
                    ask(pipe, shard)
                found = await pipe.execute(raise_on_error=False)
            for shard, answer in zip(shards, found, strict=True):
                if isinstance(answer, MovedError) and not last:
                    self.moved(shard, node, Moved(answer))
                elif isinstance(answer, Exception):
                    raise answer
                else:
                    answers[shard] = answer

    async def subscriber(self) -> AbstractConnection:
        """Return a connection, not yet connected, to a node that hears all notices."""
        return (await self.node_of(HOME)).new_connection()

    async def aclose(self) -> None:
        """Close every connection."""
        if self._learning is not None:
            await cancelled(self._learning)
        for node in self._nodes.values():
            with translated(StoreUnavailable):
                await node.pool.aclose()

    async def _learn_once(self) -> None:
        """Learn, all who need it together."""
        if self._learning is None:
            self._learning = asyncio.create_task(self._learn())
            self._learning.add_done_callback(self._learned)
        await asyncio.shield(self._learning)

    def _learned(self, learning: asyncio.Task[None]) -> None:
        self._learning = None
        if not learning.cancelled():
            learning.exception()  # those who wait for it are told, if there are still any

    async def _learn(self) -> None:
        with translated(StoreUnavailable):
            async with asyncio.timeout(self._timeout_s):
                self._places = await self._find()
        self._stale = False
        await self._leave(set(self._nodes) - {node.endpoint for node in self._places})

    async def _leave(self, left: set[_Endpoint]) -> None:
        """Close what is idle at nodes that hold nothing any more, and forget them once what was under way has ended.

        An address may belong to somebody else one day, who must not be asked where the shards lie.
        """
        now_s = asyncio.get_running_loop().time()
        self._left_s = {endpoint: self._left_s.get(endpoint, now_s) for endpoint in left}
        for endpoint, left_s in list(self._left_s.items()):
            await self._nodes[endpoint].pool.disconnect(inuse_connections=False)
            if now_s - left_s >= _FORGET_AFTER_S:
                del self._nodes[endpoint], self._left_s[endpoint]

    async def _find(self) -> list[Node]:
        """Return the node of every shard and of the store."""
        return [self._node(("", 0))] * (keys.SHARDS + 1)

    def _node(self, endpoint: _Endpoint) -> Node:
        if endpoint not in self._nodes:
            host, port = endpoint
            self._nodes[endpoint] = Node(endpoint, self._options | ({"host": host, "port": port} if host else {}))
        return self._nodes[endpoint]


class _Elsewhere(Servers):
    """What sentinels and clusters have in common: somebody is asked where the shards lie."""

    def __init__(self, options: dict[str, Any], address: StoreAddress) -> None:
        super().__init__(options)
        self._address = address
        self._seeds = address.seeds

    def forget(self) -> None:
        self._stale = True

    async def _ask(self, endpoint: _Endpoint, command: Sequence[str], **login: Any) -> Any:
        """Ask one server one thing, over a connection of its own."""
        node = Node(endpoint, self._options | login | {"host": endpoint[0], "port": endpoint[1]})
        connection = node.new_connection()
        try:
            await connection.connect()  # type: ignore[no-untyped-call]
            await connection.send_command(*command)
            return await connection.read_response()
        finally:
            await connection.disconnect(nowait=True)


class _Sentinel(_Elsewhere):
    """The primary that sentinels name, which is one only if it says so itself."""

    async def _find(self) -> list[Node]:
        endpoint = await _first([self._primary(each) for each in self._seeds])
        return [self._node(endpoint)] * (keys.SHARDS + 1)

    async def _primary(self, sentinel: _Endpoint) -> _Endpoint:
        login = {"username": self._address.sentinel_username, "password": self._address.sentinel_password, "db": 0}
        service = self._address.service
        answer = await self._ask(sentinel, ("SENTINEL", "GET-MASTER-ADDR-BY-NAME", service), **login)
        if answer is None:
            raise RedisConnectionError(f"sentinel {sentinel[0]}:{sentinel[1]} knows no service {service!r}")
        host, port = answer[0].decode(), int(answer[1])
        role = await self._ask((host, port), ("ROLE",))
        if role[0] != b"master":
            raise RedisConnectionError(f"{host}:{port} is named the primary and is none yet")
        return host, port

    async def refresh(self) -> None:
        # A primary that is replaced while it is well takes commits for seconds more, which will be lost.
        with suppress(StoreError):
            await self._learn_once()

    async def subscriber(self) -> AbstractConnection:
        self.forget()
        return await super().subscriber()


class _Cluster(_Elsewhere):
    """The primaries of a cluster, each with the slots it serves."""

    def __init__(self, options: dict[str, Any], address: StoreAddress) -> None:
        super().__init__(options, address)
        self._turn = 0

    def moved(self, shard: int, node: Node, moved: Moved) -> Node:
        self._places[shard] = self._node((moved.host or node.endpoint[0], moved.port))
        return self._places[shard]

    async def subscriber(self) -> AbstractConnection:
        # Every node hears all notices: after one that is lost it is another one's turn.
        nodes = [node for node, _ in await self.groups(range(keys.SHARDS))]
        self._turn += 1
        return nodes[self._turn % len(nodes)].new_connection()

    async def _find(self) -> list[Node]:
        known = dict.fromkeys((*self._seeds, *self._nodes))
        ranges = await _first([self._ranges(each) for each in known])
        places: list[Node] = []
        for slot in _SLOTS:
            serving = (endpoint for first, last, endpoint in ranges if first <= slot <= last)
            # A slot that nobody serves: any node will say so.
            places.append(self._node(next(serving, ranges[0][2])))
        return places

    async def _ranges(self, node: _Endpoint) -> list[tuple[int, int, _Endpoint]]:
        """Return first and last slot and primary of every range, as a node that has not lost the others sees it."""
        if b"cluster_state:ok" not in await self._ask(node, ("CLUSTER", "INFO")):
            raise RedisConnectionError(f"the cluster is down, says {node[0]}:{node[1]}")
        ranges = []
        for first, last, (host, port, *_), *_ in await self._ask(node, ("CLUSTER", "SLOTS")):
            if host != b"?":
                ranges.append((first, last, ((host or b"").decode() or node[0], port)))
        if not ranges:
            raise RedisConnectionError(f"{node[0]}:{node[1]} knows no node of the cluster by an address")
        return ranges


def servers_at(url: str, *, max_connections: int, timeout_s: float) -> Servers:
    """Return the servers at a store's address; ValueError if it is none."""
    address = StoreAddress.parse(url)
    options = dict(
        parse_url(address.server),
        max_connections=max_connections,
        timeout=timeout_s,
        socket_timeout=timeout_s,
        socket_connect_timeout=timeout_s,
        client_name="dugout",
        protocol=2,
        # Once again for what goes through the client: reads, and connecting.
        retry=Retry(NoBackoff(), 1),
    )
    match address.kind:
        case "sentinel":
            return _Sentinel(options, address)
        case "cluster":
            return _Cluster(options, address)
    return Servers(options)


async def _first(asked: Iterable[Coroutine[Any, Any, _T]]) -> _T:
    """Return the first answer of several servers that is one; if there is none, raise why."""
    tasks = [asyncio.create_task(each) for each in asked]
    failure: Exception = RedisConnectionError("nobody to ask")
    try:
        for answer in asyncio.as_completed(tasks):
            try:
                return await answer
            except (RedisError, OSError) as error:
                failure = error
        raise failure
    finally:
        await cancelled(*tasks)
        for task in tasks:
            if not task.cancelled():
                task.exception()  # looked at: one that was late with its failure is no news


async def _all(asked: Sequence[Coroutine[Any, Any, None]]) -> None:
    """Wait for all; then raise the first failure, if there is one."""
    if len(asked) == 1:
        await asked[0]
        return
    for failure in await asyncio.gather(*asked, return_exceptions=True):
        if isinstance(failure, BaseException):
            raise failure
