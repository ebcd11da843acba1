"""Who may call what over the wire: without credentials, with wrong ones, with those of another table or tenant."""

import base64
import json

import pytest

from proto.stud.v1 import stud_pb2
from tests.service.table_calls import act, call


class TestCredentials:
    @pytest.mark.parametrize("rpc", ["CreateTable", "ListTables", "TakeSeat", "LeaveSeat", "Deal", "Act", "Showdown"])
    async def test_none(self, wire, refused, rpc):
        table_id, _ = await wire.table(1)
        fields = {} if rpc in ("CreateTable", "ListTables") else {"table_id": table_id}
        fields |= {"profile": "baseball"} if rpc == "CreateTable" else {}
        fields |= {"player_id": "late", "stack": 5} if rpc == "TakeSeat" else {}
        fields |= {"action": stud_pb2.Action(kind=stud_pb2.ACTION_KIND_FOLD)} if rpc == "Act" else {}
        with refused("UNAUTHENTICATED", "CREDENTIALS_MISSING"):
            await call(wire, rpc, None, **fields)
        assert 2 == (await wire.get(table_id)).version

    @pytest.mark.parametrize("bearer", ["", "wrong", "a.b.c", "x" * 5000])
    async def test_invalid(self, wire, refused, bearer):
        table_id, _ = await wire.table(1)
        with refused("UNAUTHENTICATED", "CREDENTIALS_INVALID"):
            await wire.get(table_id, bearer)

    async def test_a_token_may_not_do_what_an_operator_may(self, wire, refused):
        table_id, (token,) = await wire.table(1)
        for rpc, fields in (
            ("CreateTable", {"profile": "baseball"}),
            ("ListTables", {}),
            ("TakeSeat", {"table_id": table_id, "player_id": "late", "stack": 5}),
        ):
            with refused("PERMISSION_DENIED", "OPERATOR_REQUIRED"):
                await call(wire, rpc, token, **fields)

    async def test_a_foreign_tables_token(self, wire, refused):
        table_id, _ = await wire.table()
        other_id, (stranger, *_) = await wire.table()
        await wire.deal(table_id)
        version = (await wire.get(table_id)).version
        for rpc in ("GetTable", "LeaveSeat", "Deal", "Showdown"):
            with refused("PERMISSION_DENIED", "NOT_YOUR_TABLE") as refusal:
                await call(wire, rpc, stranger, table_id=table_id)
            assert {"table_id": other_id} == refusal.metadata
        with refused("PERMISSION_DENIED", "NOT_YOUR_TABLE"):
            await act(wire, table_id, "fold", bearer=stranger)
        stream = wire.tables.WatchTable(stud_pb2.WatchTableRequest(table_id=table_id), **wire.options(stranger))
        with refused("PERMISSION_DENIED", "NOT_YOUR_TABLE"):
            await stream.read()
        assert version == (await wire.get(table_id)).version

    async def test_another_tenants_table_is_none(self, wire, refused):
        table_id, _ = await wire.table()
        for bearer, asked in (("neighbour", table_id), ("operator", "nowhere")):
            for rpc in ("GetTable", "LeaveSeat", "Deal", "Showdown"):
                with refused("NOT_FOUND", "TABLE_NOT_FOUND") as refusal:
                    await call(wire, rpc, bearer, table_id=asked)
                assert {"table_id": asked} == refusal.metadata
            stream = wire.tables.WatchTable(stud_pb2.WatchTableRequest(table_id=asked), **wire.options(bearer))
            with refused("NOT_FOUND", "TABLE_NOT_FOUND"):
                await stream.read()
        assert [] == list((await call(wire, "ListTables", "neighbour")).tables)

    async def test_a_table_without_spectators(self, wire, refused):
        table_id, (token, *_) = await wire.table(spectators=False)
        request = stud_pb2.WatchTableRequest(table_id=table_id)
        for ask in (wire.get(table_id, None), wire.tables.WatchTable(request, **wire.options(None)).read()):
            with refused("PERMISSION_DENIED", "SPECTATORS_REFUSED"):
                await ask
        await wire.deal(table_id)
        for bearer, seat in ((token, 1), ("operator", 0)):
            assert seat == (await wire.get(table_id, bearer)).viewer_seat
            assert 1 == (await wire.tables.WatchTable(request, **wire.options(bearer)).read()).version

    async def test_fields_that_name_somebody_else(self, wire, refused):
        table_id, tokens = await wire.table()
        actor = (await wire.deal(table_id)).to_act_seat
        token, other = tokens[actor - 1], actor % 3 + 1
        for fields in ({"seat": other}, {"player_id": "player9"}, {"view_as": other}):
            with refused("PERMISSION_DENIED", "NOT_YOUR_SEAT") as refusal:
                await act(wire, table_id, "bring_in", bearer=token, **fields)
            assert {"seat": str(actor), "player_id": f"player{actor}"} == refusal.metadata

    async def test_a_token_whose_player_has_left(self, wire, refused):
        table_id, (token, *_) = await wire.table()
        left = await call(wire, "LeaveSeat", token, table_id=table_id)
        assert 100 == left.stack
        for rpc in ("GetTable", "LeaveSeat", "Deal"):
            with refused("PERMISSION_DENIED", "SEATING_ENDED"):
                await call(wire, rpc, token, table_id=table_id)

    async def test_a_token_says_who_holds_it_and_nothing_secret(self, wire):
        table_id, (token, *_) = await wire.table(1)
        body = token.split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
        assert {"iss", "iat", "exp", "sub", "tenant", "table", "seat", "seating"} == set(claims)
        assert (table_id, 1, "player1") == (claims["table"], claims["seat"], claims["sub"])
