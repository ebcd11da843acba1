"""A real store, a real server on a free port, and tables to play at."""

import uuid
from collections.abc import AsyncIterator, Iterator

import pytest

from engine import PROFILES
from service.credentials import Keyring, Operator, OperatorKey, SeatHolder, TokenKey
from service.feed import Feed
from service.replies import Reply
from service.shuffle import SystemShuffle
from service.store.durability import Durability
from service.store.embedded import EmbeddedStore
from service.store.redis import RedisStore
from service.table import Settings, Table
from service.table_service import TableService
from service.table_writer import Mutation

START_MS = 1_700_000_000_000


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
    store = RedisStore(embedded.url)
    await store.connect()
    yield store
    await store.close()


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

    def __init__(self, tables: TableService, keyring: Keyring, tenant: str, clock: ManualClock) -> None:
        self.tables = tables
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
        taken = await self.tables.take_seat(
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

    async def get(self, table: Table) -> Table:
        return (await self.tables.get_table(self.operator, table.table_id, 0)).table


@pytest.fixture
def house(store: RedisStore, clock: ManualClock, shuffle: StackedShuffle, feed: Feed, tenant: str) -> House:
    keyring = Keyring((OperatorKey(tenant, "operator-secret"),), (TokenKey("k", "t" * 32),), token_ttl_s=3600)
    return House(TableService(store, clock, shuffle, keyring, feed), keyring, tenant, clock)
