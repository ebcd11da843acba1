"""Random hands over a real server: nothing that leaves it tells a viewer what that viewer must not know.

A worker process serves with its log on ``debug``; every byte that a viewer gets, by replies, streams and refusals, is
searched, and every line of the log, every meter and every span. That the search finds something is proved by workers
with a leak built in.
"""

import asyncio
import os
import random
import subprocess
import sys
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import msgspec
import pytest
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2

import engine
from engine.actions import ActionKind
from proto.stud.v1 import stud_pb2 as pb
from service.config import Config
from service.errors import DETAILS_KEY
from service.meters import Place
from service.snapshot import decode_table
from service.store.redis import RedisStore
from service.table import Table
from tests.service.leaks import (
    Secrets,
    leaks_in_bytes,
    leaks_in_log,
    leaks_in_message,
    leaks_in_text,
    secrets_of,
    text_of,
    texts_of,
)

LONG = bool(os.environ.get("DUGOUT_LONG"))
HANDS = 2_000 if LONG else 24
PROFILES = ("baseball", "baseball-match-pot-hole-fours", "night-baseball", "rainy-day-baseball", "baseball-hi-lo")
PLAYERS = 4
SPECTATOR = 0
STACK = 10**9

pytestmark = pytest.mark.timeout(1500 if LONG else 120)

WORKER = "from service.server import main\nmain()"
PLANTED = {
    "a view that shows a seat's cards to all": """
import engine, service.codec as codec
codec.view = lambda state, viewer: engine.view(state, 1)
""",
    "an event that is not filtered": """
import service.codec_events as codec_events
codec_events.visible = lambda event, viewer: event
""",
    "a log line with the table in it": """
import service.dealer as dealer, structlog
from engine.cards import card_text
plays = dealer._played
def played(table, step, now_ms):
    structlog.get_logger().info("stepped", cards=[card_text(card) for card in step.state.players[0].down])
    return plays(table, step, now_ms)
dealer._played = played
""",
    "a refusal that names the player's cards": """
import service.dealer as dealer, service.errors as errors
from engine.cards import card_text
refuse = dealer.act
def act(table, actor, action, now_ms):
    try:
        return refuse(table, actor, action, now_ms)
    except errors.ServiceError as error:
        error.message += " while somebody holds " + " ".join(map(card_text, table.hand.players[0].down))
        raise
dealer.act = act
""",
}


class Worker:
    """A worker process as its clients see it, and what it tells its operators."""

    def __init__(self, channel: grpc.aio.Channel, config: Config, log: Any, meters: Path, spans: list[bytes]) -> None:
        self.channel = channel
        self.config = config
        self._log = log
        self._meters = meters
        self.spans = spans

    @property
    def operator(self) -> str:
        return self.config.operator_keys[0].bearer

    def log(self) -> Iterator[str]:
        self._log.seek(0)
        yield from self._log

    def meters(self) -> Iterator[str]:
        """What the figures on the metrics port are read from."""
        for file in self._meters.iterdir():
            yield from file.read_bytes().decode("latin-1").split("\0")


@asynccontextmanager
async def worker(config: Config, url: str, tmp_path: Any, plant: str = "") -> AsyncIterator[Worker]:
    config = msgspec.structs.replace(config, host="127.0.0.1", port=0, redis_url=url, log_level="debug")
    place = Place(number=0, folder=str(tmp_path / "meters"))
    Path(place.folder).mkdir()  # noqa: ASYNC240
    async with collector() as (endpoint, spans):
        config = msgspec.structs.replace(config, otel_endpoint=endpoint, traced=True)
        with (tmp_path / "log").open("w+") as log:
            async with _running(config, place, log, plant) as channel:
                yield Worker(channel, config, log, Path(place.folder), spans)


@asynccontextmanager
async def collector() -> AsyncIterator[tuple[str, list[bytes]]]:
    """Take the spans that are sent, as they come, and say where."""
    spans: list[bytes] = []

    async def export(data: bytes, context: Any) -> bytes:
        spans.append(data)
        return b""

    server = grpc.aio.server()
    handlers = {"Export": grpc.unary_unary_rpc_method_handler(export)}
    service = "opentelemetry.proto.collector.trace.v1.TraceService"
    server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler(service, handlers)])
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    yield f"http://127.0.0.1:{port}", spans
    await server.stop(None)


@asynccontextmanager
async def _running(config: Config, place: Place, log: Any, plant: str) -> AsyncIterator[grpc.aio.Channel]:
    process = subprocess.Popen(  # noqa: ASYNC220 -- starting is quick
        [sys.executable, "-c", plant + WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(msgspec.json.encode(config) + b"\n" + msgspec.json.encode(place) + b"\n")
        process.stdin.flush()
        port = msgspec.json.decode(process.stdout.readline())["serving"]
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            yield channel
    finally:
        process.stdin.close()
        assert 0 == await asyncio.to_thread(process.wait, 20)


class Hunt:
    """One table of random hands, everything that its viewers get, and what each must not know at each version."""

    def __init__(self, worker: Worker, store: RedisStore, seed: int) -> None:
        self._worker = worker
        self._store = store
        self._rng = random.Random(seed)
        self._bearers: dict[int, str | None] = {SPECTATOR: None}
        self._secrets: dict[int, dict[int, Secrets]] = {}
        self._heard: list[tuple[int, Any, bytes]] = []
        self._refusals: list[tuple[int, int, str, bytes]] = []
        self._watched: dict[int, int] = {}
        self._table_id = ""
        self.found: list[str] = []
        self.messages = 0
        self.bytes = 0

    @property
    def words(self) -> list[str]:
        """The secrets that are words: keys and tokens."""
        config = self._worker.config
        keys = [*config.operator_keys, *config.token_keys]
        return [key.secret for key in keys] + [bearer for bearer in self._bearers.values() if bearer is not None]

    async def play(self, hands: int) -> None:
        """Seat everybody, follow the table through everybody's eyes, and play."""
        profile = self._rng.choice(PROFILES)
        endless = pb.Rules(session_pots=pb.Limit(none=True))
        request = pb.CreateTableRequest(profile=profile, rules=endless)
        made = await self._ask("CreateTable", self._worker.operator, request)
        self._table_id = made.table.table_id
        for seat in range(1, PLAYERS + 1):
            seating = pb.TakeSeatRequest(table_id=self._table_id, player_id=f"player{seat}", stack=STACK)
            taken = await self._ask("TakeSeat", self._worker.operator, seating)
            self._bearers[taken.seat] = taken.seat_token
        watchers = [asyncio.create_task(self._watch(viewer)) for viewer in self._bearers]
        for _ in range(hands):
            await self._play_hand()
        await self._all_heard(max(self._secrets))
        for watcher in watchers:
            watcher.cancel()
        await asyncio.wait(watchers)

    async def _play_hand(self) -> None:
        await self._call(SPECTATOR, "Deal", pb.DealRequest(table_id=self._table_id), self._worker.operator)
        while (table := await self._truth()).playing:
            hand = table.hand
            assert hand is not None
            if table.showdown_due:
                await self._call(
                    SPECTATOR, "Showdown", pb.ShowdownRequest(table_id=self._table_id), self._worker.operator
                )
                continue
            if self._rng.random() < 0.2:
                await self._misbehave(table)  # which may turn out to be allowed
            else:
                await self._act(hand)
        for viewer in self._bearers:
            await self._look(viewer)
            await self._look_back(viewer, table.hand_number)

    async def _act(self, hand: engine.State) -> None:
        choices = engine.legal_actions(hand).choices
        choice = self._rng.choices(choices, [1 if each.kind == ActionKind.FOLD else 6 for each in choices])[0]
        action = pb.Action(kind=pb.ActionKind.Value(f"ACTION_KIND_{choice.kind.upper()}"), to=choice.min)
        request = pb.ActRequest(table_id=self._table_id, action=action, request_id=str(uuid.uuid4()))
        await self._call(hand.actor, "Act", request)
        if self._rng.random() < 0.05:
            await self._call(hand.actor, "Act", request)
        await self._look(self._rng.choice(list(self._bearers)))

    async def _misbehave(self, table: Table) -> None:
        """Ask for what is refused, as anybody."""
        viewer = self._rng.choice(list(self._bearers))
        kind = self._rng.choice([value for value in pb.ActionKind.values() if value])
        action = pb.Action(kind=kind, to=STACK if kind in (pb.ACTION_KIND_BET, pb.ACTION_KIND_RAISE) else 0)
        try:
            await self._call(viewer, "Act", pb.ActRequest(table_id=self._table_id, action=action))
        except grpc.aio.AioRpcError as error:
            details = b"".join(value for key, value in error.trailing_metadata() or () if key == DETAILS_KEY)
            self._refusals.append((viewer, table.version, error.details() or "", details))

    async def _look(self, viewer: int) -> None:
        await self._call(viewer, "GetTable", pb.GetTableRequest(table_id=self._table_id))

    async def _look_back(self, viewer: int, number: int) -> None:
        """Read the finished hand, as it stands at the table's present version."""
        await self._call(viewer, "GetHand", pb.GetHandRequest(table_id=self._table_id, hand_number=number))
        await self._call(viewer, "ListHands", pb.ListHandsRequest(table_id=self._table_id))

    async def _call(self, viewer: int, rpc: str, request: Any, bearer: str | None = None) -> None:
        """Call as a viewer and keep what came."""
        data = await self._send(rpc, bearer or self._bearers[viewer], request)
        message = getattr(pb, f"{rpc}Response").FromString(data)
        self._heard.append((viewer, message, data))

    async def _ask(self, rpc: str, bearer: str | None, request: Any) -> Any:
        return getattr(pb, f"{rpc}Response").FromString(await self._send(rpc, bearer, request))

    async def _send(self, rpc: str, bearer: str | None, request: Any) -> bytes:
        call = self._worker.channel.unary_unary(f"/stud.v1.TableService/{rpc}")
        reply: bytes = await call(request.SerializeToString(), metadata=_metadata(bearer), timeout=20)
        return reply

    async def _watch(self, viewer: int) -> None:
        request = pb.WatchTableRequest(table_id=self._table_id).SerializeToString()
        call = self._worker.channel.unary_stream("/stud.v1.TableService/WatchTable")
        async for data in call(request, metadata=_metadata(self._bearers[viewer])):
            message = pb.WatchTableResponse.FromString(data)
            self._heard.append((viewer, message, data))
            self._watched[viewer] = message.version

    async def _all_heard(self, version: int) -> None:
        """Wait until every watcher has come to a version."""
        async with asyncio.timeout(20):
            while any(self._watched.get(viewer, 0) < version for viewer in self._bearers):  # noqa: ASYNC110
                await asyncio.sleep(0.02)

    async def _truth(self) -> Table:
        """Return the table as it is stored, and note who must not know what of it."""
        stored = await self._store.load(self._table_id)
        assert stored is not None
        table = decode_table(stored.snapshot)
        if table.version not in self._secrets:
            self._secrets[table.version] = {viewer: secrets_of(table.hand, viewer or None) for viewer in self._bearers}
        return table

    def search(self) -> None:
        """Look for leaks in everything that came; it takes long, so that meanwhile nobody should be playing."""
        for viewer, message, data in self._heard:
            self.messages += 1
            self.bytes += len(data)
            versions = {message.version}
            if "table" in message.DESCRIPTOR.fields_by_name:
                versions.add(message.table.version)
            for version in filter(self._secrets.__contains__, versions):
                secrets = self._secrets[version][viewer]
                self.found += (f"seat {viewer}: {leak}" for leak in leaks_in_message(message, data, secrets))
        for viewer, version, text, details in self._refusals:
            secrets = self._secrets[version][viewer]
            self.found += (f"seat {viewer}: {leak}" for leak in leaks_in_text(text, secrets))
            self.found += (f"seat {viewer}: {leak}" for leak in leaks_in_text(details.decode("latin-1"), secrets))
            self.found += (f"seat {viewer}: {leak}" for leak in leaks_in_bytes(details, secrets))


def told(served: Worker, words: list[str]) -> list[str]:
    """Return what the log and the meters of a worker tell and must not."""
    lines = [*served.log(), *served.meters()]
    assert len(lines) > 100
    return [leak for line in lines for leak in leaks_in_log(line, words)]


def traced(served: Worker, words: list[str]) -> list[str]:
    """Return what the spans of a worker tell and must not."""
    exports = [trace_service_pb2.ExportTraceServiceRequest.FromString(data) for data in served.spans]
    said = [text for export in exports for _, text in texts_of(export)]
    assert "stud.v1.TableService/Act" in said
    return [leak for text in said for leak in leaks_in_log(text, words)]


def _metadata(bearer: str | None) -> tuple[tuple[str, str], ...]:
    return () if bearer is None else (("authorization", f"Bearer {bearer}"),)


async def test_thousands_of_hands_leak_nothing(config, embedded, store, tmp_path):
    async with worker(config, embedded.url, tmp_path) as served:
        hunts = [Hunt(served, store, seed) for seed in range(8)]
        await asyncio.gather(*(hunt.play(HANDS // len(hunts)) for hunt in hunts))
        for hunt in hunts:
            hunt.search()
        words = [word for hunt in hunts for word in hunt.words]
        await asyncio.sleep(0.3)  # what was counted is carried to the meters
        assert any("stud.v1.TableService/Act" in line for line in served.meters())
        assert [] == told(served, words)
    assert [] == [leak for hunt in hunts for leak in hunt.found]
    assert [] == traced(served, words)  # the last spans leave a worker when it ends
    print(f"{HANDS} hands, {sum(h.messages for h in hunts)} messages, {sum(h.bytes for h in hunts)} bytes: no leak")


@pytest.mark.parametrize("plant", PLANTED)
async def test_a_planted_leak_is_found(config, embedded, store, tmp_path, plant):
    async with worker(config, embedded.url, tmp_path, PLANTED[plant]) as served:
        hunt = Hunt(served, store, seed=1)
        await hunt.play(3)
        hunt.search()
        assert hunt.found or told(served, hunt.words)


def test_a_card_and_the_deck_are_found_wherever_they_stand():
    secrets = Secrets(frozenset({"Ks"}), tuple(range(20, 40)), claims=False)
    assert "Ks" == text_of(50)
    hidden = pb.Table(seats=[pb.Seat(seat=1, down_cards=["Ks"])])
    assert [".seats.down_cards: Ks"] == list(leaks_in_message(hidden, b"", secrets))
    assert [] == list(leaks_in_message(pb.Table(name="Kst Ksx", community_cards=["Kd"], etag="4-Ks"), b"", secrets))
    claim = pb.GetTableResponse(table=pb.Table(legal_actions=[pb.LegalAction(kind=pb.ACTION_KIND_CLAIM)]))
    assert 1 == len(list(leaks_in_message(claim, b"", secrets)))
    assert list(leaks_in_bytes(b"..." + bytes(range(25, 33)), secrets))
    assert not list(leaks_in_bytes(b"..." + bytes(range(25, 32)), secrets))
    assert list(leaks_in_bytes(b"[25, 26, 27, 28, 29]", secrets))
    assert list(leaks_in_text("holds Ks, folds", secrets))
    assert not list(leaks_in_text("holds Kd, folds", secrets))
    assert list(leaks_in_log("(12, 50, 3, 7, 8)", ()))
    assert list(leaks_in_log("Bearer swordfish", ("swordfish",)))
