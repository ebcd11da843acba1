"""A real store, a real server on a free port, and tables to play at."""

import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import grpc
import pytest
import redis
from google.rpc import error_details_pb2, status_pb2

from engine import PROFILES
from proto.stud.v1 import stud_pb2, stud_pb2_grpc
from service.address import Address
from service.config import Config
from service.credentials import Keyring, Operator, OperatorKey, SeatHolder, TokenKey
from service.feed import Feed
from service.hand_history import HandHistory
from service.replies import DeleteReply, Reply
from service.server import Server
from service.shuffle import SystemShuffle
from service.store.durability import Durability
from service.store.embedded import EmbeddedStore
from service.store.redis import RedisStore
from service.table import Settings, Table
from service.table_service import TableService
from service.table_writer import Mutation

START_MS = 4_000_000_000_000
"""Far ahead, so that no server that keeps real time finds a table of a hand-turned clock overdue."""


class ManualClock:
    """A clock that a test turns."""

    def __init__(self) -> None:
        self.time_ms = START_MS

    def now_ms(self) -> int:
        return self.time_ms


class StackedShuffle:
    """Decks that a test has put in order; fair ones once they are used up."""

    def __init__(self) -> None:
        self.decks: list[tuple[int, ...]] = []

    def deck(self) -> tuple[int, ...]:
        return self.decks.pop(0) if self.decks else SystemShuffle().deck()


@pytest.fixture(scope="session")
def embedded() -> Iterator[EmbeddedStore]:
    with EmbeddedStore(durability=Durability("memory")) as store:
        yield store


@pytest.fixture
async def store(embedded: EmbeddedStore) -> AsyncIterator[RedisStore]:
    # On a busy machine some of many callers wait long for one of the connections.
    store = RedisStore(embedded.url, timeout_ms=20_000)
    await store.connect()
    yield store
    await store.close()


@pytest.fixture
def admin(embedded: EmbeddedStore) -> Iterator[redis.Redis]:
    """A plain client, to look behind the store's back."""
    with redis.Redis.from_url(embedded.url, protocol=2) as client:
        yield client


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def shuffle() -> StackedShuffle:
    return StackedShuffle()


@pytest.fixture
async def feed(store: RedisStore) -> AsyncIterator[Feed]:
    feed = Feed(store, idle_s=0.05)
    feed.start()
    yield feed
    await feed.close()


@pytest.fixture
def tenant() -> str:
    """A tenant that no other test has."""
    return uuid.uuid4().hex[:12]


class House:
    """The use cases, and an operator who uses them."""

    def __init__(
        self, tables: TableService, hands: HandHistory, keyring: Keyring, tenant: str, clock: ManualClock
    ) -> None:
        self.tables = tables
        self.hands = hands
        self.keyring = keyring
        self.operator = Operator(tenant, tenant)
        self.clock = clock

    async def create(self, profile: str = "baseball", *, settings: Settings | None = None, **knobs: object) -> Table:
        mutation = Mutation("CreateTable", "")
        reply = await self.tables.create_table(
            self.operator,
            mutation,
            profile=profile,
            rules=PROFILES[profile].replace(**knobs),
            settings=settings or Settings(),
        )
        return reply.table

    async def seat(self, table: Table, player_id: str, stack: int = 100, seat: int = 0) -> SeatHolder:
        """Seat a player and return the caller that the player's token makes."""
        taken = await self.tables.seats.take_seat(
            self.operator,
            Mutation("TakeSeat", table.table_id),
            player_id=player_id,
            seat=seat,
            stack=stack,
            view_as=0,
        )
        caller = self.keyring.identify(f"Bearer {taken.token}", self.clock.now_ms())
        assert isinstance(caller, SeatHolder)
        return caller

    async def deal(self, table: Table, view_as: int = 0) -> Reply:
        return await self.tables.deal(self.operator, Mutation("Deal", table.table_id), view_as=view_as)

    async def delete(self, table: Table, **mutation: Any) -> DeleteReply:
        return await self.tables.delete_table(self.operator, Mutation("DeleteTable", table.table_id, **mutation))

    async def get(self, table: Table) -> Table:
        return (await self.tables.get_table(self.operator, table.table_id, 0)).table


@pytest.fixture
def house(store: RedisStore, clock: ManualClock, shuffle: StackedShuffle, feed: Feed, tenant: str) -> House:
    keyring = Keyring((OperatorKey(tenant, "operator-secret"),), (TokenKey("k", "t" * 32),), token_ttl_s=3600)
    tables = TableService(store, clock, shuffle, keyring, feed)
    return House(tables, HandHistory(store, tables, clock, ttl_s=86_400), keyring, tenant, clock)


@pytest.fixture
async def other(
    embedded: EmbeddedStore, clock: ManualClock, shuffle: StackedShuffle, house: House, feed: Feed
) -> AsyncIterator[TableService]:
    """The use cases in another worker, with a store connection and a memory of its own."""
    store = RedisStore(embedded.url, timeout_ms=20_000)
    await store.connect()
    yield TableService(store, clock, shuffle, house.keyring, feed)
    await store.close()


class Wire:
    """A real server as its clients see it."""

    def __init__(self, channel: grpc.aio.Channel, keys: dict[str, str], address: str) -> None:
        self.channel = channel
        self.address = address
        self.keys = keys
        self.tables = stud_pb2_grpc.TableServiceStub(channel)
        self.evaluator = stud_pb2_grpc.EvaluatorServiceStub(channel)
        self.rules = stud_pb2_grpc.RulesServiceStub(channel)

    def options(self, bearer: str | None = "operator") -> dict[str, Any]:
        """Return the options of a call: by an operator, with a token, or (None) without credentials."""
        key = self.keys.get(bearer, bearer) if bearer is not None else None
        metadata = (("authorization", f"Bearer {key}"),) if key is not None else ()
        return {"metadata": metadata, "timeout": 20}

    async def table(self, players: int = 3, profile: str = "baseball", **fields: Any) -> tuple[str, list[str]]:
        """Create a table with players and return its id and the players' tokens."""
        created = await self.tables.CreateTable(
            stud_pb2.CreateTableRequest(profile=profile, **fields), **self.options()
        )
        table_id = created.table.table_id
        tokens = []
        for number in range(1, players + 1):
            request = stud_pb2.TakeSeatRequest(table_id=table_id, player_id=f"player{number}", stack=100)
            tokens.append((await self.tables.TakeSeat(request, **self.options())).seat_token)
        return table_id, tokens

    async def get(self, table_id: str, bearer: str | None = "operator", **fields: Any) -> stud_pb2.Table:
        request = stud_pb2.GetTableRequest(table_id=table_id, **fields)
        return (await self.tables.GetTable(request, **self.options(bearer))).table

    async def deal(self, table_id: str) -> stud_pb2.Table:
        return (await self.tables.Deal(stud_pb2.DealRequest(table_id=table_id), **self.options())).table

    async def play(self, table_id: str) -> int:
        """Play a hand in which nobody folds, and return the version it ends with."""
        table = await self.deal(table_id)
        while table.to_act_seat:
            choice = next(each for each in table.legal_actions if each.kind != stud_pb2.ACTION_KIND_FOLD)
            action = stud_pb2.Action(kind=choice.kind, to=choice.min_to)
            request = stud_pb2.ActRequest(table_id=table_id, seat=table.to_act_seat, action=action)
            table = (await self.tables.Act(request, **self.options())).table
        request = stud_pb2.ShowdownRequest(table_id=table_id)
        return (await self.tables.Showdown(request, **self.options())).table.version


class Refusal:
    """How a call was refused, once it has been."""

    status: grpc.StatusCode
    reason: str
    metadata: dict[str, str]
    fields: dict[str, str]
    retry: bool
    retry_ms: int
    message: str

    def read(self, error: grpc.aio.AioRpcError) -> None:
        self.status, self.message = error.code(), error.details() or ""
        self.reason, self.metadata, self.fields, self.retry, self.retry_ms = "", {}, {}, False, 0
        for key, value in error.trailing_metadata() or ():
            if key != "grpc-status-details-bin":
                continue
            for detail in status_pb2.Status.FromString(value).details:
                info, bad, retry = (
                    error_details_pb2.ErrorInfo(),
                    error_details_pb2.BadRequest(),
                    error_details_pb2.RetryInfo(),
                )
                if detail.Unpack(info):
                    assert info.domain == "dugout"
                    self.reason, self.metadata = info.reason, dict(info.metadata)
                elif detail.Unpack(bad):
                    self.fields = {each.field: each.description for each in bad.field_violations}
                elif detail.Unpack(retry):
                    self.retry, self.retry_ms = True, retry.retry_delay.ToMilliseconds()


@contextmanager
def refusal(status: str, reason: str) -> Iterator[Refusal]:
    """Expect a call to be refused with a gRPC status and a reason."""
    refused = Refusal()
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        yield refused
    refused.read(caught.value)
    assert (status, reason) == (refused.status.name, refused.reason), refused.message


@pytest.fixture
def refused() -> Callable[[str, str], AbstractContextManager[Refusal]]:
    return refusal


@pytest.fixture
def config(tenant: str) -> Config:
    return Config(
        operator_keys=(
            OperatorKey(tenant, f"{tenant}-secret"),
            OperatorKey(f"{tenant}/2", f"{tenant}-second-secret"),
            OperatorKey(f"{tenant}-neighbour", f"{tenant}-neighbour-secret"),
        ),
        token_keys=(TokenKey("k", "t" * 32),),
        drain_ms=2000,
        # Tests call as fast as they can; those of the limits set their own.
        seat_rate=0,
        peer_rate=0,
    )


@pytest.fixture
async def wire(store: RedisStore, config: Config, shuffle: StackedShuffle) -> AsyncIterator[Wire]:
    server = Server(config, store, shuffle=shuffle)
    port = await server.start(Address("127.0.0.1", 0))
    names = ("operator", "second", "neighbour")
    keys = {name: key.bearer for name, key in zip(names, config.operator_keys, strict=True)}
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        yield Wire(channel, keys, f"127.0.0.1:{port}")
    await server.stop()
