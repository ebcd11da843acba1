"""Who may do what, over the wire: every RPC by every kind of caller, with the reason that each is refused for.

A new RPC needs one line in ``ROWS``; lines of RPCs that the server does not offer yet wait there until it does.
"""

import re
import uuid
from typing import NamedTuple

import grpc
import pytest

from proto.stud.v1 import stud_pb2
from service.credentials import Keyring, TokenKey
from service.errors import STATUS, Reason
from service.evaluator_rpc import EvaluatorRpc
from service.rules_rpc import RulesRpc
from service.table_rpc import TableRpc
from tests.service.conftest import Refusal

IMPLEMENTED = {"TableService": TableRpc, "EvaluatorService": EvaluatorRpc, "RulesService": RulesRpc}
METHODS = {
    method.name: method
    for service, implementation in IMPLEMENTED.items()
    for method in stud_pb2.DESCRIPTOR.services_by_name[service].methods
    if hasattr(implementation, re.sub(r"(?<!^)(?=[A-Z])", "_", method.name).lower())
}

NOBODY, BAD = Reason.CREDENTIALS_MISSING.name, Reason.CREDENTIALS_INVALID.name
CALLERS = (
    "operator",  # of the table's tenant
    "second",  # another key of that tenant
    "neighbour",  # an operator of another tenant
    "seat",  # the token of the seat the request is about
    "other seat",  # one of another seat of the table
    "other table",  # one of the same seat of another table of the tenant
    "neighbour's seat",  # one of the same seat of another tenant's table
    "left",  # one of a player who has left the seat; somebody else has taken it
    "expired",
    "forged",  # signed with another secret under the right key id
    "nobody",
)
LONG_AGO_MS = 1_700_000_000_000

NO_CREDENTIALS = {"expired": Reason.CREDENTIALS_EXPIRED.name, "forged": BAD}
TOKENS = ("seat", "other seat", "other table", "neighbour's seat", "left")
STRANGERS = NO_CREDENTIALS | {
    "neighbour": Reason.TABLE_NOT_FOUND.name,
    "neighbour's seat": Reason.TABLE_NOT_FOUND.name,
    "other table": Reason.NOT_YOUR_TABLE.name,
    "left": Reason.SEATING_ENDED.name,
}

ANYBODY = NO_CREDENTIALS
OPERATORS = NO_CREDENTIALS | dict.fromkeys(TOKENS, Reason.OPERATOR_REQUIRED.name) | {"nobody": NOBODY}
OWN_OPERATORS = OPERATORS | {"neighbour": Reason.TABLE_NOT_FOUND.name}
OWN_SEAT = STRANGERS | {"other seat": Reason.NOT_YOUR_SEAT.name, "nobody": NOBODY}
PARTY = STRANGERS | {"nobody": NOBODY}
WATCHERS = STRANGERS

CARDS = "Ks Kh Kd 9c 7s"
BRING_IN = stud_pb2.Action(kind=stud_pb2.ACTION_KIND_BRING_IN)


class Row(NamedTuple):
    """Who is refused and why (all others are let in), and what is asked beside ``table_id`` and ``seat``."""

    refused: dict[str, str]
    fields: dict = {}  # noqa: RUF012 -- never changed


ROWS = {
    "CreateTable": Row(OPERATORS, {"profile": "baseball"}),
    "ListTables": Row(OPERATORS),
    "TakeSeat": Row(OWN_OPERATORS, {"player_id": "late", "stack": 100, "seat": 6}),
    "DeleteTable": Row(OWN_OPERATORS),
    "PauseTable": Row(OWN_OPERATORS),
    "ResumeTable": Row(OWN_OPERATORS),
    "AddChips": Row(OWN_OPERATORS, {"amount": 5}),
    "LeaveSeat": Row(OWN_SEAT),
    "SitOut": Row(OWN_SEAT),
    "SitIn": Row(OWN_SEAT),
    "Act": Row(OWN_SEAT, {"action": BRING_IN}),
    "Deal": Row(PARTY),
    "Showdown": Row(PARTY),
    "GetTable": Row(WATCHERS),
    "WatchTable": Row(WATCHERS),
    "GetStandings": Row(WATCHERS),
    "GetHand": Row(WATCHERS, {"hand_number": 1}),
    "ListHands": Row(WATCHERS),
    "Evaluate": Row(ANYBODY, {"cards": CARDS}),
    "Compare": Row(ANYBODY, {"hands": [CARDS, "2c"]}),
    "EvaluateBatch": Row(ANYBODY),
    "Odds": Row(ANYBODY, {"profile": "baseball", "samples": 2}),
    "ListProfiles": Row(ANYBODY),
    "GetProfile": Row(ANYBODY, {"profile": "baseball"}),
    "ValidateRules": Row(ANYBODY, {"profile": "baseball"}),
}
ABOUT_A_TABLE = [rpc for rpc in METHODS if "table_id" in METHODS[rpc].input_type.fields_by_name and rpc != "Play"]

PERMISSIONS = {*NO_CREDENTIALS.values(), *OWN_SEAT.values(), *OPERATORS.values(), *OWN_OPERATORS.values()}
"""Reasons that are about who calls; whoever is let in may still be refused for what is asked."""


class Scene:
    """A table in the middle of a hand, and everybody who could call."""

    def __init__(self, wire, table_id, seat, bearers):
        self.wire = wire
        self.table_id = table_id
        self.seat = seat
        self.bearers = bearers

    async def call(self, rpc, caller, table_id=None, **fields):
        """Call an RPC about the table and its seat to act; return how it was refused, None if it was not."""
        method = METHODS[rpc]
        request_class = getattr(stud_pb2, method.input_type.name)
        known = method.input_type.fields_by_name
        aims = {"table_id": table_id or self.table_id, "seat": self.seat}
        asked = {name: value for name, value in aims.items() if name in known} | ROWS[rpc].fields | fields
        service = {"EvaluatorService": self.wire.evaluator, "RulesService": self.wire.rules}
        stub = service.get(method.containing_service.name, self.wire.tables)
        call = getattr(stub, rpc)(request_class(**asked), **self.wire.options(self.bearers[caller]))
        try:
            if method.server_streaming:
                await call.read()
                call.cancel()
            else:
                await call
        except grpc.aio.AioRpcError as error:
            refusal = Refusal()
            refusal.read(error)
            return refusal
        return None


@pytest.fixture
def new_scene(wire, config):
    async def make(**settings):
        table_id, tokens = await wire.table(4, **settings)
        left = stud_pb2.LeaveSeatRequest(table_id=table_id)
        await wire.tables.LeaveSeat(left, **wire.options(tokens[3]))
        seat = (await wire.deal(table_id)).to_act_seat
        taken = stud_pb2.TakeSeatRequest(table_id=table_id, player_id="successor", seat=4, stack=100)
        await wire.tables.TakeSeat(taken, **wire.options())
        _, other_table = await wire.table(4)
        own_key, wire.keys["operator"] = wire.keys["operator"], wire.keys["neighbour"]
        _, neighbours = await wire.table(4)
        wire.keys["operator"] = own_key
        tenant = config.operator_keys[0].tenant
        token = (tenant, table_id, seat, f"player{seat}", seat, LONG_AGO_MS)
        forger = Keyring((), (TokenKey("k", "f" * 32),), token_ttl_s=10**9)
        return Scene(
            wire,
            table_id,
            seat,
            {
                "operator": "operator",
                "second": "second",
                "neighbour": "neighbour",
                "seat": tokens[seat - 1],
                "other seat": tokens[seat % 3],
                "other table": other_table[seat - 1],
                "neighbour's seat": neighbours[seat - 1],
                "left": tokens[3],
                "expired": Keyring((), config.token_keys, token_ttl_s=60).mint(*token).text,
                "forged": forger.mint(*token).text,
                "nobody": None,
            },
        )

    return make


def test_every_rpc_and_every_caller_has_a_place_in_the_table():
    assert set(METHODS) - {"Play"} <= set(ROWS)
    for row in ROWS.values():
        assert set(row.refused) <= set(CALLERS)


@pytest.mark.parametrize("rpc", [rpc for rpc in ROWS if rpc in METHODS])
async def test_who_is_refused_and_why(rpc, new_scene):
    scene = await new_scene()
    before = await scene.wire.get(scene.table_id)
    expected, found = {}, {}
    for caller, reason in ROWS[rpc].refused.items():
        expected[caller] = (reason, STATUS[Reason[reason]].name)
        refusal = await scene.call(rpc, caller)
        found[caller] = refusal and (refusal.reason, refusal.status.name)
    assert expected == found
    assert before == await scene.wire.get(scene.table_id)


@pytest.mark.parametrize("rpc", [rpc for rpc in ROWS if rpc in METHODS])
async def test_all_others_are_let_in(rpc, new_scene):
    for caller in CALLERS:
        if caller not in ROWS[rpc].refused:
            refusal = await (await new_scene()).call(rpc, caller)
            assert refusal is None or refusal.reason not in PERMISSIONS, (caller, refusal.reason, refusal.message)


@pytest.mark.parametrize("rpc", [rpc for rpc in ROWS if rpc in METHODS and ROWS[rpc].refused is WATCHERS])
async def test_a_table_without_spectators(rpc, new_scene):
    refusal = await (await new_scene(spectators=False)).call(rpc, "nobody")
    assert ("SPECTATORS_REFUSED", "PERMISSION_DENIED") == (refusal.reason, refusal.status.name)


@pytest.mark.parametrize("rpc", ["GetTable", "WatchTable", "Act", "Deal", "LeaveSeat"])
async def test_nobody_sees_through_the_eyes_of_another(rpc, new_scene):
    scene = await new_scene()
    other = scene.seat % 3 + 1
    refusal = await scene.call(rpc, "seat", view_as=other)
    assert "NOT_YOUR_SEAT" == refusal.reason
    refusal = await scene.call(rpc, "nobody", view_as=other)
    assert NOBODY == refusal.reason


@pytest.mark.parametrize("caller", ["neighbour", "neighbour's seat"])
@pytest.mark.parametrize("rpc", ABOUT_A_TABLE)
async def test_another_tenant_cannot_tell_a_table_from_none(rpc, caller, new_scene):
    """Whatever is asked: the answer about a table that exists is that about one that does not, but for the id."""
    scene = await new_scene()
    known = METHODS[rpc].input_type.fields_by_name
    before = await scene.wire.get(scene.table_id)
    nowhere = scene.table_id[::-1]
    for fields in (
        {},
        {"view_as": 2},
        {"view_as": 99},
        {"seat": 99},
        {"seat": -1},
        {"player_id": "player1"},
        {"etag": before.etag},
        {"etag": "stale"},
        {"request_id": str(uuid.uuid4())},
        {"after_version": 1},
        {"after_version": 10**6},
        {"action": stud_pb2.Action(kind=stud_pb2.ACTION_KIND_RAISE, to=-5)},
    ):
        if not set(fields) <= set(known):
            continue
        answers = []
        for table_id in (scene.table_id, nowhere):
            refusal = await scene.call(rpc, caller, table_id, **fields)
            said = (refusal.status, refusal.reason, refusal.message, refusal.metadata, refusal.fields, refusal.retry)
            answers.append(str(said).replace(table_id, "it"))
        assert answers[0] == answers[1], fields
    assert before == await scene.wire.get(scene.table_id)


@pytest.mark.parametrize(
    "rpc", [rpc for rpc in ABOUT_A_TABLE if "request_id" in METHODS[rpc].input_type.fields_by_name]
)
async def test_a_request_id_tells_another_tenant_nothing(rpc, new_scene):
    """A request that was answered to its operator is none to another one who repeats it."""
    scene = await new_scene()
    request_id = str(uuid.uuid4())
    answered = await scene.call(rpc, "operator", request_id=request_id)
    assert answered is None or answered.reason not in PERMISSIONS
    refusal = await scene.call(rpc, "neighbour", request_id=request_id)
    assert ("TABLE_NOT_FOUND", "NOT_FOUND") == (refusal.reason, refusal.status.name)


async def test_tenants_have_lobbies_of_their_own(new_scene):
    scene = await new_scene()
    wire = scene.wire
    seen = {}
    for bearer in ("operator", "second", "neighbour"):
        page = await wire.tables.ListTables(stud_pb2.ListTablesRequest(page_size=1000), **wire.options(bearer))
        seen[bearer] = {table.table_id for table in page.tables}
    assert scene.table_id in seen["operator"]
    assert seen["operator"] == seen["second"]
    assert not seen["operator"] & seen["neighbour"]
    assert len(seen["neighbour"]) == 1


async def test_the_page_token_of_another_tenant_opens_nothing(new_scene):
    scene = await new_scene()
    wire = scene.wire
    own = await wire.tables.ListTables(stud_pb2.ListTablesRequest(page_size=1), **wire.options())
    assert own.next_page_token
    request = stud_pb2.ListTablesRequest(page_size=1000, page_token=own.next_page_token)
    try:
        page = await wire.tables.ListTables(request, **wire.options("neighbour"))
    except grpc.aio.AioRpcError as error:
        refusal = Refusal()
        refusal.read(error)
        assert ("INVALID_FIELD", ["page_token"]) == (refusal.reason, list(refusal.fields))
    else:
        assert scene.table_id not in {table.table_id for table in page.tables}


async def test_the_same_request_id_makes_each_tenant_a_table_of_its_own(wire):
    request = stud_pb2.CreateTableRequest(profile="baseball", request_id=str(uuid.uuid4()))
    created = [await wire.tables.CreateTable(request, **wire.options(bearer)) for bearer in ("operator", "neighbour")]
    assert created[0].table.table_id != created[1].table.table_id
