"""``dugout bench deadlines``: what a worker pays for watching clocks, and how late it plays what they run out for.

One worker's keeper of deadlines runs in this process, against an embedded store: while there is nothing; while another
process plays at many tables, so that every deadline moves on before it comes; while some or all players are away, so
that they come evenly; and when all come at once. Shares are processor time of this process.
"""

import asyncio
import multiprocessing
import secrets
import time
from collections.abc import Iterator, Sequence
from multiprocessing.synchronize import Event
from statistics import quantiles
from typing import Any

import uvloop
from msgspec.structs import replace

from engine.profiles import PROFILES
from service import dealer, seating
from service.clock import SystemClock
from service.credentials import Keyring, TokenKey
from service.deadlines import DeadlineKeeper
from service.feed import Feed
from service.shuffle import SystemShuffle
from service.snapshot import encode_happening, encode_table
from service.store.base import Commit
from service.store.durability import Durability
from service.store.embedded import EmbeddedStore
from service.store.redis import RedisStore
from service.table import Settings, Table
from service.table_events import Happening
from service.table_service import TableService

_TABLES = 10_000
_WATCH_S = 10.0
_SECONDS_PER_ACTION = 10.0
_ACTION_TIME_MS = 30_000
_AHEAD_MS = 2000
_AT_ONCE = 64

Row = dict[str, Any]


def measure_deadlines() -> dict[str, Any]:
    """Measure everything; return ``rows`` of name, value and unit, and ``ratios``, of which there are none."""
    rows: list[Row] = []
    with EmbeddedStore(durability=Durability("memory")) as store:
        rows += uvloop.run(_watch(store.url, "no table"))
        with _players(store.url):
            rows += uvloop.run(_watch(store.url, f"{_TABLES:,} tables being played at"))
    for spread_ms, played, name in (
        (10 * _ACTION_TIME_MS, _TABLES // 10, "one player in ten away"),
        (_ACTION_TIME_MS, _TABLES, "everybody away"),
        (0, _TABLES, "all at once"),
    ):
        with EmbeddedStore(durability=Durability("memory")) as store:
            rows += uvloop.run(_play(store.url, spread_ms, played, f"{_TABLES:,} tables, {name}"))
    return {"rows": rows, "ratios": {}}


async def _watch(url: str, name: str) -> list[Row]:
    """Measure the share of a core that watching takes while nothing comes due."""
    store = RedisStore(url)
    await store.connect()
    keeper = DeadlineKeeper(store.deadlines(), _nothing_is_due, SystemClock())
    keeper.start()
    await asyncio.sleep(_AHEAD_MS / 1000)
    began_s, used_s = time.perf_counter(), time.process_time()
    await asyncio.sleep(_WATCH_S)
    share = (time.process_time() - used_s) / (time.perf_counter() - began_s)
    await keeper.close()
    await store.close()
    return [_row(f"watching, {name}", 100 * share, "% of a core")]


async def _nothing_is_due(table_id: str) -> int | None:
    raise AssertionError(f"table {table_id} came due while it was being played at")


class _Shifted:
    """The clock of this machine, some time ago: however long it takes to write the tables, they come due afterwards."""

    shift_ms = 0

    def now_ms(self) -> int:
        """Return milliseconds since the epoch."""
        return SystemClock().now_ms() - self.shift_ms


class _players:  # noqa: N801 -- a context, used as a function
    """Another process that plays at many tables: each one's deadline is set anew every few seconds."""

    def __init__(self, url: str) -> None:
        context = multiprocessing.get_context("spawn")
        self._ready = context.Event()
        self._process = context.Process(target=_play_on, args=(url, self._ready, _TABLES, _SECONDS_PER_ACTION))

    def __enter__(self) -> None:
        self._process.start()
        self._ready.wait()

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.join()


def _play_on(url: str, ready: Event, tables: int, seconds_per_action: float) -> None:
    uvloop.run(_move_deadlines(url, ready, tables, seconds_per_action))


async def _move_deadlines(url: str, ready: Event, tables: int, seconds_per_action: float) -> None:
    store, clock = RedisStore(url), SystemClock()
    await store.connect()
    etags = [""] * tables

    async def act(number: int, version: int) -> None:
        etag = f"{version}-{secrets.token_urlsafe(9)}"
        deadline_ms = clock.now_ms() + _ACTION_TIME_MS
        await store.commit(_commit(f"played-{number}", etags[number], version, etag, b"", deadline_ms))
        etags[number] = etag

    version = 0
    while True:
        version += 1
        for numbers in _chunks(tables):
            await asyncio.gather(*(act(number, version) for number in numbers))
            if version > 1:
                await asyncio.sleep(seconds_per_action * len(numbers) / tables)
        ready.set()


async def _play(url: str, spread_ms: int, wanted: int, name: str) -> list[Row]:
    """Measure how late what time runs out for is played, and what it costs, until so many have been."""
    store, clock = RedisStore(url, timeout_ms=20_000), _Shifted()
    await store.connect()
    tables = TableService(store, clock, SystemShuffle(), Keyring((), (TokenKey.random("bench"),), 1), Feed(store))
    first = _dealt(clock.now_ms())
    begins_ms = clock.now_ms() + _AHEAD_MS
    for numbers in _chunks(_TABLES):
        await asyncio.gather(
            *(_write(store, first, number, begins_ms + spread_ms * number // _TABLES) for number in numbers)
        )
    clock.shift_ms = clock.now_ms() + _AHEAD_MS - begins_ms
    late: list[int] = []
    all_played = asyncio.Event()

    def count(late_ms: int) -> None:
        late.append(late_ms)
        if len(late) == wanted:
            all_played.set()

    keeper = DeadlineKeeper(store.deadlines(), tables.expire, clock, on_played=count)
    keeper.start()
    await asyncio.sleep((begins_ms - clock.now_ms()) / 1000)
    began_s, used_s = time.perf_counter(), time.process_time()
    await all_played.wait()
    seconds, used_s = time.perf_counter() - began_s, time.process_time() - used_s
    await keeper.close()
    await store.close()
    return [
        *(_row(f"{name}: late, {label}", value, "ms") for label, value in _percentiles(late)),
        _row(f"{name}: played", len(late) / seconds, "a second"),
        _row(f"{name}: each takes", 1e6 * used_s / len(late), "us of a core"),
        _row(f"{name}: all together", 100 * used_s / seconds, "% of a core"),
    ]


def _dealt(now_ms: int) -> Table:
    """Return a table of four at which a hand of Baseball has just been dealt."""
    settings = Settings(action_time_ms=_ACTION_TIME_MS)
    table = Table("t", "bench", "baseball", PROFILES["baseball"], settings, 1, "1-x", now_ms, now_ms)
    for number in range(4):
        table = seating.take_seat(table, f"player{number}", 0, 100).table
    return dealer.deal(table, SystemShuffle().deck, now_ms).table


async def _write(store: RedisStore, table: Table, number: int, deadline_ms: int) -> None:
    table = replace(table, table_id=f"away-{number}", etag=f"1-{number}", deadline_ms=deadline_ms)
    await store.commit(_commit(table.table_id, "", 1, table.etag, encode_table(table), deadline_ms))


def _commit(table_id: str, expected_etag: str, version: int, etag: str, snapshot: bytes, deadline_ms: int) -> Commit:
    return Commit(
        table_id=table_id,
        tenant="bench",
        expected_etag=expected_etag,
        version=version,
        etag=etag,
        snapshot=snapshot,
        events=encode_happening(Happening(version, etag, 1, deadline_ms, ())),
        deadline_ms=deadline_ms,
    )


def _chunks(count: int) -> Iterator[range]:
    for first in range(0, count, _AT_ONCE):
        yield range(first, min(first + _AT_ONCE, count))


def _percentiles(late: Sequence[int]) -> list[tuple[str, float]]:
    cuts = quantiles(late, n=100, method="inclusive")
    return [("p50", cuts[49]), ("p99", cuts[98]), ("most", max(late))]


def _row(name: str, value: float, unit: str) -> Row:
    return {"name": name, "value": round(value, 2), "unit": unit}
