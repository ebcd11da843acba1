"""Every reason of the API occurs over the wire, with its status and the metadata that ``ErrorReason`` promises.

Each function below brings a real server to refuse with the reason it is named for.
"""

import asyncio
import uuid
from collections.abc import Callable, Coroutine
from typing import Any

import grpc
import pytest

from engine import PROFILES
from proto.stud.v1 import stud_pb2 as pb
from service.address import Address
from service.errors import STATUS, Reason
from service.server import Server
from service.store import keys
from service.store.base import Conflict, OutcomeUnknown, StoreUnavailable
from tests.engine.play import stacked_deck
from tests.service.conftest import Refusal, Wire
from tests.service.scene import Scene, TroubledStore

Provocation = Callable[[Scene], Coroutine[Any, Any, Any]]
PROVOCATIONS: dict[str, tuple[Provocation, frozenset[str]]] = {}
INSIDE_STREAMS = {"DEADLINE_EXCEEDED"}
"""Said of one request among many on a stream; a client whose call runs out of time does not wait to hear it."""


def promises(*metadata: str) -> Callable[[Provocation], Provocation]:
    """Register a provocation under its name; ``metadata`` are the keys its refusal carries."""

    def register(provoke: Provocation) -> Provocation:
        PROVOCATIONS[provoke.__name__.upper()] = (provoke, frozenset(metadata))
        return provoke

    return register


@promises()
async def undecodable_request(scene: Scene) -> None:
    await scene.wire.channel.unary_unary("/stud.v1.TableService/Act")(b"\x0a\xff", **scene.wire.options())


@promises()
async def invalid_field(scene: Scene) -> None:
    await scene.call("GetTable", table_id="no id")


@promises("profile", "allowed")
async def unknown_profile(scene: Scene) -> None:
    await scene.call("CreateTable", profile="old-maid")


@promises()
async def rules_contradictory(scene: Scene) -> None:
    await scene.call("CreateTable", profile="baseball", rules=pb.Rules(max_players=9))


@promises("request_id")
async def request_id_reused(scene: Scene) -> None:
    request_id = str(uuid.uuid4())
    await scene.call("CreateTable", profile="baseball", request_id=request_id)
    await scene.call("CreateTable", profile="no-peek", request_id=request_id)


@promises()
async def credentials_missing(scene: Scene) -> None:
    await scene.call("CreateTable", None, profile="baseball")


@promises()
async def credentials_invalid(scene: Scene) -> None:
    await scene.call("CreateTable", "nobody:gave-me-this", profile="baseball")


@promises()
async def credentials_expired(scene: Scene) -> None:
    async with scene.on(token_ttl_s=1) as brief:
        table_id, (token, *_) = await brief.wire.table()
        await asyncio.sleep(1.1)
        await brief.call("GetTable", token, table_id=table_id)


@promises()
async def operator_required(scene: Scene) -> None:
    _, (token, *_) = await scene.wire.table()
    await scene.call("CreateTable", token, profile="baseball")


@promises("table_id")
async def not_your_table(scene: Scene) -> None:
    _, (token, *_) = await scene.wire.table()
    other, _ = await scene.wire.table()
    await scene.call("GetTable", token, table_id=other)


@promises("seat", "player_id")
async def not_your_seat(scene: Scene) -> None:
    table_id, (token, *_) = await scene.wire.table()
    await scene.call("LeaveSeat", token, table_id=table_id, seat=2)


@promises()
async def seating_ended(scene: Scene) -> None:
    table_id, (token, *_) = await scene.wire.table()
    await scene.call("LeaveSeat", token, table_id=table_id)
    await scene.call("Deal", token, table_id=table_id)


@promises()
async def spectators_refused(scene: Scene) -> None:
    table_id, _ = await scene.wire.table(spectators=False)
    await scene.call("GetTable", None, table_id=table_id)


@promises("table_id")
async def table_not_found(scene: Scene) -> None:
    table_id, _ = await scene.wire.table()
    await scene.call("GetTable", "neighbour", table_id=table_id)


@promises("hand_number")
async def hand_not_found(scene: Scene) -> None:
    table_id, _ = await scene.wire.table()
    await scene.call("GetHand", table_id=table_id, hand_number=1)


@promises("seat", "player_id")
async def player_not_seated(scene: Scene) -> None:
    table_id, _ = await scene.wire.table(players=2)
    await scene.call("LeaveSeat", table_id=table_id, seat=5)


@promises("seat")
async def seat_taken(scene: Scene) -> None:
    table_id, _ = await scene.wire.table()
    await scene.call("TakeSeat", table_id=table_id, player_id="late", seat=1, stack=100)


@promises("seat", "player_id")
async def already_seated(scene: Scene) -> None:
    table_id, _ = await scene.wire.table()
    await scene.call("TakeSeat", table_id=table_id, player_id="player1", stack=100)


@promises("to_act_seat", "legal")
async def not_your_turn(scene: Scene) -> None:
    table_id, _ = await scene.wire.table()
    dealt = await scene.wire.deal(table_id)
    idle = next(seat.seat for seat in dealt.seats if seat.seat != dealt.to_act_seat)
    await scene.call("Act", table_id=table_id, seat=idle, action=pb.Action(kind=pb.ACTION_KIND_FOLD))


@promises("legal")
async def illegal_action(scene: Scene) -> None:
    table_id, _ = await scene.wire.table()
    dealt = await scene.wire.deal(table_id)
    roll = pb.Action(kind=pb.ACTION_KIND_ROLL)
    await scene.call("Act", table_id=table_id, seat=dealt.to_act_seat, action=roll)


@promises("hand_number")
async def hand_in_progress(scene: Scene) -> None:
    table_id, _ = await scene.wire.table()
    await scene.wire.deal(table_id)
    await scene.wire.deal(table_id)


@promises()
async def no_hand(scene: Scene) -> None:
    table_id, _ = await scene.wire.table()
    await scene.call("Act", table_id=table_id, seat=1, action=pb.Action(kind=pb.ACTION_KIND_FOLD))


@promises("players", "needed")
async def not_enough_players(scene: Scene) -> None:
    table_id, _ = await scene.wire.table(players=1)
    await scene.wire.deal(table_id)


@promises("to_act_seat")
async def showdown_not_due(scene: Scene) -> None:
    table_id, _ = await scene.wire.table()
    await scene.wire.deal(table_id)
    await scene.call("Showdown", table_id=table_id)


@promises("pots")
async def session_over(scene: Scene) -> None:
    table_id, _ = await scene.wire.table(2, rules=pb.Rules(session_pots=pb.Limit(count=1)))
    await scene.wire.deal(table_id)
    await scene.call("LeaveSeat", table_id=table_id, seat=1)
    await scene.wire.deal(table_id)


@promises("seats")
async def table_full(scene: Scene) -> None:
    table_id, _ = await scene.wire.table(7)
    await scene.call("TakeSeat", table_id=table_id, player_id="late", stack=100)


@promises()
async def table_paused(scene: Scene) -> None:
    table_id, _ = await scene.wire.table()
    await scene.call("PauseTable", table_id=table_id)
    await scene.wire.deal(table_id)


@promises()
async def table_not_paused(scene: Scene) -> None:
    table_id, _ = await scene.wire.table()
    await scene.call("ResumeTable", table_id=table_id)


@promises("stack", "max_buy_in")
async def stack_too_large(scene: Scene) -> None:
    table_id, _ = await scene.wire.table(max_buy_in=150)
    await scene.call("AddChips", table_id=table_id, seat=1, amount=51)


@promises()
async def dealers_choice_off(scene: Scene) -> None:
    table_id, _ = await scene.wire.table()
    await scene.call("Deal", table_id=table_id, profile="no-peek")


@promises("button_seat")
async def not_the_dealer(scene: Scene) -> None:
    table_id, (token, *_) = await scene.wire.table(rules=pb.Rules(dealers_choice=True))
    await scene.call("Deal", token, table_id=table_id, profile="seven-card-stud")


@promises("etag", "version")
async def stale_etag(scene: Scene) -> None:
    table_id, _ = await scene.wire.table()
    etag = (await scene.wire.get(table_id)).etag
    await scene.wire.deal(table_id)
    await scene.call("LeaveSeat", table_id=table_id, seat=1, etag=etag)


@promises("oldest_version", "version")
async def version_too_old(scene: Scene) -> None:
    table_id, _ = await scene.wire.table()
    await scene.wire.deal(table_id)
    client: Any = (await scene.store._servers.node_of(0)).client
    await client.xtrim(keys.events_key(table_id), maxlen=1, approximate=False)
    await scene.watched(table_id=table_id, after_version=1)


@promises("version")
async def version_too_new(scene: Scene) -> None:
    table_id, _ = await scene.wire.table()
    await scene.watched(table_id=table_id, after_version=10**9)


@promises("limit", "unit")
async def too_large(scene: Scene) -> None:
    hands = pb.TextHands(hands=["Ks"] * 100_001)
    await scene.call("EvaluateBatch", text=hands)


@promises()
async def rate_limited(scene: Scene) -> None:
    async with scene.on(peer_rate=1) as strict:
        for _ in range(1000):
            await strict.call("ListProfiles", None)


@promises("limit")
async def too_many_streams(scene: Scene) -> None:
    table_id, _ = await scene.wire.table()
    async with scene.on(operator_streams=1) as strict:
        first = strict.wire.tables.WatchTable(pb.WatchTableRequest(table_id=table_id), **strict.wire.options())
        await first.read()
        await strict.watched(table_id=table_id)


@promises()
async def store_unavailable(scene: Scene) -> None:
    table_id, _ = await scene.wire.table()
    async with scene.on(TroubledStore(scene.store, StoreUnavailable("gone"))) as troubled:
        await troubled.wire.deal(table_id)


@promises()
async def outcome_unknown(scene: Scene) -> None:
    table_id, _ = await scene.wire.table()
    async with scene.on(TroubledStore(scene.store, OutcomeUnknown("silent"))) as troubled:
        await troubled.wire.deal(table_id)


@promises()
async def table_busy(scene: Scene) -> None:
    table_id, _ = await scene.wire.table()
    async with scene.on(TroubledStore(scene.store, Conflict(10, "10-other"))) as troubled:
        await troubled.wire.deal(table_id)


@promises()
async def draining(scene: Scene) -> None:
    table_id, _ = await scene.wire.table()
    server = Server(scene.config, scene.store)
    port = await server.start(Address("127.0.0.1", 0))
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        wire = Wire(channel, scene.wire.keys, f"127.0.0.1:{port}")
        there = Scene(wire, scene.store, scene.config, scene.url, scene.shuffle)
        watching = asyncio.create_task(there.watched(table_id=table_id))
        await asyncio.sleep(0.3)
        await server.stop()
        await watching


@promises()
async def watcher_too_slow(scene: Scene) -> None:
    # The client takes hardly more than the message it has asked for.
    small_window = (("grpc.http2.bdp_probe", 0), ("grpc.http2.lookahead_bytes", 5))
    async with scene.on(options=small_window, watcher_patience_ms=200) as impatient:
        table_id, _ = await scene.wire.table(2)
        request = pb.WatchTableRequest(table_id=table_id)
        stream = impatient.wire.tables.WatchTable(request, **impatient.wire.options())
        await stream.read()
        for _ in range(3):
            await scene.wire.play(table_id)
        await asyncio.sleep(1)
        while await stream.read():
            pass


@promises("profile")
async def redeal_keeps_game(scene: Scene) -> None:
    table_id, _ = await scene.wire.table(rules=pb.Rules(dealers_choice=True))
    rain = {1: "(-- --) Qs", 2: "(-- --)", 3: "(-- --)"}
    scene.shuffle.decks.append(stacked_deck(PROFILES["rainy-day-baseball"], rain, 3))
    await scene.call("Deal", table_id=table_id, profile="rainy-day-baseball")
    await scene.call("Deal", table_id=table_id, profile="football")


@promises()
async def interrupted(scene: Scene) -> None:
    table_id, _ = await scene.wire.table()
    # What a method gives up of its own accord, as when a task it waits for is cancelled.
    gave_up: Any = asyncio.CancelledError()
    async with scene.on(TroubledStore(scene.store, gave_up)) as troubled:
        await troubled.wire.deal(table_id)


@promises("method")
async def not_implemented(scene: Scene) -> None:
    stream = scene.wire.tables.Play(iter([pb.PlayRequest(tag=1)]), **scene.wire.options())
    await stream.read()


@promises("table_id")
async def table_damaged(scene: Scene) -> None:
    table_id, _ = await scene.wire.table()
    client: Any = (await scene.store._servers.node_of(0)).client
    await client.hset(keys.table_key(table_id), mapping={"snapshot": b"\x01torn", "etag": "2-torn"})
    await scene.wire.get(table_id)


@promises("incident")
async def internal(scene: Scene) -> None:
    table_id, _ = await scene.wire.table()
    async with scene.on(TroubledStore(scene.store, ArithmeticError("a defect"))) as defective:
        await defective.wire.deal(table_id)


@pytest.mark.parametrize("reason", PROVOCATIONS)
async def test_a_reason_occurs_with_its_status_and_metadata(wire, store, config, embedded, shuffle, reason):
    provoke, promised = PROVOCATIONS[reason]
    refused = Refusal()
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await provoke(Scene(wire, store, config, embedded.url, shuffle))
    refused.read(caught.value)
    assert (reason, STATUS[Reason[reason]]) == (refused.reason, refused.status), refused.message
    assert promised <= set(refused.metadata)
    assert refused.message
    assert (grpc.StatusCode.UNAVAILABLE == refused.status or reason == "RATE_LIMITED") == refused.retry


def test_every_reason_of_the_api_is_provoked():
    reasons = {name.removeprefix("ERROR_REASON_") for name in pb.ErrorReason.DESCRIPTOR.values_by_name}
    assert reasons - {"UNSPECIFIED"} - INSIDE_STREAMS == set(PROVOCATIONS)
