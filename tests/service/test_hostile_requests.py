"""Nothing a client sends brings the server off its course: every refusal has a reason, and no table changes by it."""

import asyncio
import os
from collections import Counter
from collections.abc import Iterable
from typing import Any

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration
from google.rpc import error_details_pb2, status_pb2

import engine
from proto.stud.v1 import stud_pb2
from service.config import Config
from service.errors import DETAILS_KEY
from service.snapshot import decode_table
from service.store.redis import RedisStore
from tests.service.both_ways import answers
from tests.service.hostile import Attack, Attacker

LONG = bool(os.environ.get("DUGOUT_LONG"))
REQUESTS = 100_000 if LONG else 4_000
IN_FLIGHT = 32
MESSAGE_BYTES_MOST = Config().max_message_bytes

OURS = {name.removeprefix("ERROR_REASON_") for name in stud_pb2.ErrorReason.DESCRIPTOR.values_by_name}
NEVER = {"UNSPECIFIED", "INTERNAL", "TABLE_DAMAGED", "STORE_UNAVAILABLE", "OUTCOME_UNKNOWN", "INTERRUPTED"}
UNHURRIED = Duration(seconds=86_400)
"""Nothing happens at these tables by itself."""
NEVER_STATUS = {grpc.StatusCode.UNKNOWN, grpc.StatusCode.INTERNAL, grpc.StatusCode.DATA_LOSS}
CHANGES = {
    *("CreateTable", "DeleteTable", "PauseTable", "ResumeTable", "TakeSeat", "LeaveSeat", "SitOut", "SitIn"),
    *("AddChips", "Deal", "Act", "Showdown"),
}

pytestmark = pytest.mark.timeout(1500 if LONG else 120)


async def outcome(wire: Any, attack: Attack) -> tuple[str, bytes]:
    """Return how an attack ended: OK or the reason of its refusal, and the reply."""
    metadata = () if attack.bearer is None else (("authorization", f"Bearer {attack.bearer}"),)
    try:
        if attack.method.client_streaming:
            replies = await answers(wire.address, attack.path, [attack.data], metadata=metadata, timeout=10)
            reply = b"".join(replies[:1])
        elif attack.method.server_streaming:
            call = wire.channel.unary_stream(attack.path)(attack.data, metadata=metadata, timeout=0.3)
            reply = await call.read()
            call.cancel()
        else:
            reply = await wire.channel.unary_unary(attack.path)(attack.data, metadata=metadata, timeout=10)
    except grpc.RpcError as error:
        if attack.method.server_streaming and error.code() == grpc.StatusCode.DEADLINE_EXCEEDED:
            return "OK", b""  # a watcher that is up to date hears nothing
        return reason_of(error, attack), b""
    return "OK", b"" if reply is grpc.aio.EOF else reply


def reason_of(error: Any, attack: Attack) -> str:
    what = f"{attack.path} ({attack.kind}): {error.code()} {error.details()}; {attack.data.hex()}"
    assert error.code() not in NEVER_STATUS, what
    for key, value in error.trailing_metadata() or ():
        if key == DETAILS_KEY:
            info = error_details_pb2.ErrorInfo()
            assert any(detail.Unpack(info) for detail in status_pb2.Status.FromString(value).details), what
            assert info.domain == "dugout"
            assert info.reason in OURS - NEVER, what
            return str(info.reason)
    # What is larger than a message may be is refused by grpc itself, before anything of ours sees it.
    assert (grpc.StatusCode.RESOURCE_EXHAUSTED, True) == (error.code(), len(attack.data) > MESSAGE_BYTES_MOST), what
    return "TOO_LARGE"


async def strike(wire: Any, attacks: Iterable[Attack]) -> list[tuple[Attack, str, bytes]]:
    """Send requests, some at a time, and return how each ended."""
    ended: list[tuple[Attack, str, bytes]] = []
    waiting = iter(attacks)

    async def one_after_the_other() -> None:
        for attack in waiting:
            how, reply = await outcome(wire, attack)
            ended.append((attack, how, reply))

    await asyncio.gather(*(one_after_the_other() for _ in range(IN_FLIGHT)))
    return ended


async def stored(store: RedisStore, table_id: str) -> bytes:
    found = await store.load(table_id)
    assert found is not None
    return found.snapshot


@pytest.mark.parametrize("seed", [1])
async def test_who_has_no_business_at_a_table_never_changes_it(wire, store, seed):
    table_id, _ = await wire.table(action_time=UNHURRIED)
    await wire.deal(table_id)
    _, (foreign_token, *_) = await wire.table()
    before = await stored(store, table_id)

    attacker = Attacker(seed, table_id, (wire.keys["neighbour"], None, foreign_token))
    ended = await strike(wire, attacker.attacks(REQUESTS // 2))

    reasons = Counter(how for _, how, _ in ended)
    assert REQUESTS // 2 == reasons.total()
    assert {"UNDECODABLE_REQUEST", "INVALID_FIELD", "CREDENTIALS_MISSING", "CREDENTIALS_INVALID"} <= set(reasons)
    assert before == await stored(store, table_id)
    assert set() == {
        attack.method.name
        for attack, how, _ in ended
        if how == "OK" and attack.method.name in CHANGES - {"CreateTable"}
    }


@pytest.mark.parametrize("seed", [2])
async def test_a_refused_request_of_those_who_play_changes_nothing(wire, store, seed):
    table_id, (token, *_) = await wire.table(action_time=UNHURRIED)
    first = (await wire.deal(table_id)).version
    operator = wire.keys["operator"]

    attacker = Attacker(seed, table_id, (operator, token))
    attacks = (attack for attack in attacker.attacks(REQUESTS // 2) if attack.method.name != "DeleteTable")
    ended = await strike(wire, attacks)

    assert {"INVALID_FIELD", "UNDECODABLE_REQUEST", "OK"} <= {how for _, how, _ in ended}
    made = {
        answer.version
        for attack, how, reply in ended
        if how == "OK" and attack.method.name in CHANGES - {"CreateTable"}
        for answer in [getattr(stud_pb2, attack.method.output_type.name).FromString(reply)]
        if answer.table.table_id == table_id
    }
    table = decode_table(await stored(store, table_id))
    # Every version is somebody's answered change: a refused request made none. Random ids may have hit another table.
    assert {version for version in made if version > first} == set(range(first + 1, table.version + 1))
    assert [] == table.broken()
    assert table.hand is None or [] == engine.broken(table.hand)


async def test_every_field_wrong_in_turn(wire, store):
    table_id, _ = await wire.table(action_time=UNHURRIED)
    await wire.deal(table_id)
    before = await stored(store, table_id)
    attacker = Attacker(3, table_id, (None, wire.keys["neighbour"]))
    ended = await strike(wire, attacker.wrong_in_turn())
    methods = {method.name for service in stud_pb2.DESCRIPTOR.services_by_name.values() for method in service.methods}
    assert methods - {"ListProfiles"} == {attack.method.name for attack, _, _ in ended}  # which has no fields
    assert before == await stored(store, table_id)
