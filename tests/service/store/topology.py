"""Several servers that belong together: a cluster, a primary that a sentinel watches, and tables played there."""

import asyncio
import itertools
import os
import time
from collections.abc import Callable
from typing import Any, ClassVar

import redis
from redis.crc import key_slot

from service.store import keys
from service.store.base import Commit, Committed, Repeat, RequestKey, StoreUnavailable
from tests.service.store.conftest import TableWriter

SHARD_SLOTS = [key_slot(keys.shard_prefix(shard).encode()) for shard in range(keys.SHARDS)]


def port_of(client: redis.Redis) -> int:
    return client.connection_pool.connection_kwargs["port"]


def served_port(client: redis.Redis) -> int:
    """The port of a server for those it is there for: the one with TLS, if it has one."""
    return int(client.config_get("tls-port").get("tls-port", 0)) or port_of(client)


def wait_until(holds: Callable[[], bool], seconds: float = 20) -> None:
    give_up = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < give_up, "it never came to that"
        time.sleep(0.02)


def replicas_of(primary: redis.Redis) -> int:
    """How many replicas have caught up."""
    replication = primary.info("replication")
    return sum(replication.get(f"slave{n}", {}).get("state") == "online" for n in range(2))


class Cluster:
    """Three primaries; the first thirds of the slots belong to the first one, and so on."""

    SETTINGS: ClassVar = {
        "cluster-enabled": "yes",
        "cluster-node-timeout": "1000",
        "cluster-require-full-coverage": "no",
        "repl-diskless-sync-delay": "0",
    }
    RANGES = ((0, 5460), (5461, 10922), (10923, 16383))

    def __init__(
        self, spawn_server: Callable[..., tuple[redis.Redis, int]], more: Callable[[], dict[str, str]] = dict
    ) -> None:
        """``more`` returns further settings of a node."""
        self._spawn = spawn_server
        self._more = more
        spawned = [self._node() for _ in self.RANGES]
        self.nodes = [client for client, _ in spawned]
        self.pids = [pid for _, pid in spawned]
        for epoch, (node, (first, last)) in enumerate(zip(self.nodes, self.RANGES, strict=True), start=1):
            node.execute_command("CLUSTER SET-CONFIG-EPOCH", epoch)
            node.execute_command("CLUSTER ADDSLOTSRANGE", first, last)
        for node in self.nodes[1:]:
            self._meet(self.nodes[0], node)
        wait_until(lambda: all(self._complete(node) for node in self.nodes))
        self.ids = [node.execute_command("CLUSTER MYID").decode() for node in self.nodes]

    def _node(self) -> tuple[redis.Redis, int]:
        return self._spawn(**self.SETTINGS, **self._more())

    @staticmethod
    def _meet(one: redis.Redis, other: redis.Redis) -> None:
        bus_port = int(other.config_get("cluster-port")["cluster-port"])
        one.execute_command("CLUSTER MEET", "127.0.0.1", served_port(other), bus_port)

    def replicate(self, primary: int) -> redis.Redis:
        """Add a replica of a primary; it has caught up once ``replicas_of`` counts it."""
        replica, _ = self._node()
        self._meet(replica, self.nodes[primary])
        wait_until(lambda: self.ids[primary].encode() in _nodes(replica))
        replica.execute_command("CLUSTER REPLICATE", self.ids[primary])
        return replica

    @staticmethod
    def _complete(node: redis.Redis) -> bool:
        info = node.execute_command("CLUSTER INFO")
        text = info.decode() if isinstance(info, bytes) else str(info)
        slots = node.execute_command("CLUSTER SLOTS")
        return ("ok" in text.split("cluster_state")[1][:8]) and 3 == len(slots)

    @property
    def url(self) -> str:
        return "redis+cluster://" + self.seeds

    @property
    def seeds(self) -> str:
        return ",".join(f"127.0.0.1:{served_port(node)}" for node in self.nodes)

    def node_of(self, shard: int) -> int:
        return next(at for at, (first, last) in enumerate(self.RANGES) if first <= SHARD_SLOTS[shard] <= last)

    def table_id_at(self, node: int) -> str:
        """A table id whose shard lies at a node."""
        ids = (f"table-{os.urandom(8).hex()}" for _ in itertools.count())
        return next(each for each in ids if self.node_of(keys.shard_of(each)) == node)

    async def move_slot(self, slot: int, source: int, target: int) -> None:
        """Move a slot and its keys, as the tools of a cluster do; the event loop goes on between the steps."""
        here, there = self.nodes[source], self.nodes[target]
        there.execute_command("CLUSTER SETSLOT", slot, "IMPORTING", self.ids[source])
        here.execute_command("CLUSTER SETSLOT", slot, "MIGRATING", self.ids[target])
        await asyncio.sleep(0.02)
        while found := here.execute_command("CLUSTER GETKEYSINSLOT", slot, 3):
            here.execute_command("MIGRATE", "127.0.0.1", port_of(there), "", 0, 1000, "KEYS", *found)
            await asyncio.sleep(0.01)
        for node in (there, here):
            node.execute_command("CLUSTER SETSLOT", slot, "NODE", self.ids[target])

    def moved_count(self, node: int) -> int:
        """How often a node has answered MOVED."""
        stats = self.nodes[node].info("errorstats")
        return int(stats.get("errorstat_MOVED", {}).get("count", 0))


async def persistently(store: Any, commit: Commit) -> Committed | Repeat:
    """Try a commit again, with its request id, until the store does it."""
    give_up = time.monotonic() + 30
    while True:
        try:
            outcome = await store.commit(commit)
            assert isinstance(outcome, Committed | Repeat), outcome
            return outcome
        except StoreUnavailable:
            assert time.monotonic() < give_up
            await asyncio.sleep(0.05)


async def play_on(store: Any, table: TableWriter, over: asyncio.Event) -> None:
    """Change a table again and again, each time with a request id, until told to stop."""
    while not over.is_set():
        commit = table.change(request=RequestKey(os.urandom(8).hex(), b"body"), summary=b"s", deadline_ms=10**13)
        await persistently(store, commit)
        table.follow(commit)
        await asyncio.sleep(0)


async def reached(table: TableWriter, version: int) -> None:
    while table.version < version:  # noqa: ASYNC110 -- nobody sets an event
        await asyncio.sleep(0.05)


async def versions(store: Any, table: TableWriter) -> list[int]:
    return [each.version for each in (await store.events(table.table_id, 0, 1_000_000)).events]


async def heard_again(store: Any, table: TableWriter, notices: Any) -> None:
    """Write until a notice tells of it: a subscription that has moved says "look for yourself" before what is new."""
    written: list[int] = []
    version = None
    while version is None:
        await table.write(store)
        written.append(table.version)
        version = (await anext(notices)).version
    assert version in written


def _nodes(node: redis.Redis) -> bytes:
    answer = node.execute_command("CLUSTER NODES")
    return answer if isinstance(answer, bytes) else str(answer).encode()


class Watched:
    """A primary with two replicas, and a sentinel that watches them."""

    SETTINGS: ClassVar = {"repl-diskless-sync-delay": "0"}

    def __init__(
        self, spawn_server: Callable[..., tuple[redis.Redis, int]], more: Callable[[], dict[str, str]] = dict
    ) -> None:
        """``more`` returns further settings of a server, the sentinel included."""
        self.primary, self.primary_pid = spawn_server(**self.SETTINGS, **more())
        port = served_port(self.primary)
        self.replicas = [spawn_server(replicaof=f"127.0.0.1 {port}", **self.SETTINGS, **more())[0] for _ in range(2)]
        wait_until(lambda: 2 == replicas_of(self.primary))
        # A replica may be online for a while before it is sent what is written.
        self.primary.set("written", "once")
        wait_until(lambda: 2 == self.primary.wait(2, 100))
        settings = more()
        self.sentinel, _ = spawn_server(
            sentinel=f"sentinel monitor poker 127.0.0.1 {port} 1\n"
            "sentinel down-after-milliseconds poker 500\n"
            "sentinel failover-timeout poker 2000\n",
            **settings,
        )
        self.sentinel_port = int(settings.get("tls-port", 0)) or port_of(self.sentinel)
        wait_until(lambda: 2 == len(self.sentinel.execute_command("SENTINEL REPLICAS", "poker")))

    def failover_begins(self) -> bool:
        """Have the sentinel replace the primary, if it knows the replicas well enough by now."""
        try:
            return bool(self.sentinel.execute_command("SENTINEL FAILOVER", "poker"))
        except redis.ResponseError as error:
            if "NOGOODSLAVE" not in str(error):
                raise
            return False

    def named_port(self) -> int:
        """The port of the primary as the sentinel names it."""
        return int(self.sentinel.execute_command("SENTINEL GET-MASTER-ADDR-BY-NAME", "poker")[1])

    @property
    def url(self) -> str:
        return f"redis+sentinel://127.0.0.1:{port_of(self.sentinel)}/poker"
