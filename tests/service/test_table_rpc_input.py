"""Bad input over the wire: each kind is answered with its status, its reason and the fields at fault."""

import grpc
import pytest

from engine import PROFILES
from proto.stud.v1 import stud_pb2
from tests.service.table_calls import TABLE_METHODS, act, call

NOT_UTF8 = b"\x0a\x02\xc3\x28"


class TestBadInput:
    @pytest.mark.parametrize("cards", ["", "Kx", "Ks Ks", "K", "10s", "?? Ks", "Ks " * 14, "♠K"])
    async def test_unreadable_cards(self, wire, refused, cards):
        with refused("INVALID_ARGUMENT", "INVALID_FIELD") as refusal:
            await wire.evaluator.Evaluate(stud_pb2.EvaluateRequest(cards=cards), **wire.options(None))
        assert ["cards"] == list(refusal.fields)

    async def test_an_unknown_profile(self, wire, refused):
        requests = (
            (wire.tables.CreateTable, stud_pb2.CreateTableRequest(profile="polo")),
            (wire.rules.GetProfile, stud_pb2.GetProfileRequest(profile="polo")),
            (wire.evaluator.Evaluate, stud_pb2.EvaluateRequest(cards="Ks", profile="polo")),
        )
        for rpc, request in requests:
            with refused("INVALID_ARGUMENT", "UNKNOWN_PROFILE") as refusal:
                await rpc(request, **wire.options())
            assert "polo" == refusal.metadata["profile"]
            assert list(PROFILES) == refusal.metadata["allowed"].split(", ")
            assert refusal.fields["profile"].endswith(refusal.metadata["allowed"])

    async def test_contradictory_rules(self, wire, refused):
        rules = stud_pb2.Rules(bring_in=3, min_players=9)
        with refused("INVALID_ARGUMENT", "RULES_CONTRADICTORY") as refusal:
            await call(wire, "CreateTable", profile="baseball", rules=rules)
        assert {"rules.bring_in", "rules.min_players"} <= set(refusal.fields)

    @pytest.mark.parametrize("to", [-1, -(2**63), 2**63 - 1, 10**15 + 1])
    async def test_amounts_that_are_never_right(self, wire, refused, to):
        table_id, _ = await wire.table()
        await wire.deal(table_id)
        version = (await wire.get(table_id)).version
        for kind in ("complete", "bet", "call", "buy"):
            with refused("INVALID_ARGUMENT", "INVALID_FIELD") as refusal:
                await act(wire, table_id, kind, to)
            assert ["action.to"] == list(refusal.fields)
        assert version == (await wire.get(table_id)).version

    @pytest.mark.parametrize("to", [0, 3, 5, 101, 2**31])
    async def test_amounts_that_are_not_right_now(self, wire, refused, to):
        table_id, _ = await wire.table(profile="seven-card-stud")
        table = await wire.deal(table_id)
        status = ("INVALID_ARGUMENT", "INVALID_FIELD") if to == 0 else ("FAILED_PRECONDITION", "ILLEGAL_ACTION")
        with refused(*status) as refusal:
            await act(wire, table_id, "complete", to)
        if to:
            assert {"legal": "bring_in 1, complete 2..2"} == refusal.metadata
        assert table.etag == (await wire.get(table_id)).etag

    @pytest.mark.parametrize("stack", [-1, 0, 2**62, 2**63 - 1])
    async def test_buy_ins(self, wire, refused, stack):
        table_id, _ = await wire.table(0)
        with refused("INVALID_ARGUMENT", "INVALID_FIELD") as refusal:
            await call(wire, "TakeSeat", table_id=table_id, player_id="ann", stack=stack)
        assert ["stack"] == list(refusal.fields)
        for bounds in ({"min_buy_in": stack, "max_buy_in": stack},) if stack else ():
            with refused("INVALID_ARGUMENT", "INVALID_FIELD") as refusal:
                await call(wire, "CreateTable", profile="baseball", **bounds)
            assert set(bounds) >= set(refusal.fields)
        rules = stud_pb2.Rules(ante=2**62)
        with refused("INVALID_ARGUMENT", "RULES_CONTRADICTORY") as refusal:
            await call(wire, "CreateTable", profile="baseball", rules=rules)
        assert "rules.ante" in refusal.fields

    async def test_every_field_that_is_wrong_is_named(self, wire, refused):
        with refused("INVALID_ARGUMENT", "INVALID_FIELD") as refusal:
            await call(
                wire,
                "TakeSeat",
                table_id="no such id!",
                player_id="",
                seat=-1,
                stack=-1,
                view_as=99,
                request_id="not a uuid",
                etag="\n",
            )
        wrong = {"table_id", "player_id", "seat", "stack", "view_as", "request_id", "etag"}
        assert wrong == set(refusal.fields)

    async def test_act_out_of_turn(self, wire, refused):
        table_id, tokens = await wire.table()
        table = await wire.deal(table_id)
        other = table.to_act_seat % 3 + 1
        with refused("FAILED_PRECONDITION", "NOT_YOUR_TURN") as refusal:
            await act(wire, table_id, "fold", bearer=tokens[other - 1])
        assert str(table.to_act_seat) == refusal.metadata["to_act_seat"]
        assert refusal.metadata["legal"]
        assert table.version == (await wire.get(table_id)).version

    async def test_the_bring_in_may_not_fold(self, wire, refused):
        table_id, _ = await wire.table(profile="seven-card-stud")
        table = await wire.deal(table_id)
        for kind in ("fold", "check", "call"):
            with refused("FAILED_PRECONDITION", "ILLEGAL_ACTION"):
                await act(wire, table_id, kind)
        assert table.etag == (await wire.get(table_id)).etag

    async def test_without_a_hand(self, wire, refused):
        table_id, _ = await wire.table(1)
        for rpc, fields in (("Act", {"seat": 1, "action": stud_pb2.Action(kind=1)}), ("Showdown", {})):
            with refused("FAILED_PRECONDITION", "NO_HAND"):
                await call(wire, rpc, table_id=table_id, **fields)
        with refused("FAILED_PRECONDITION", "NOT_ENOUGH_PLAYERS"):
            await call(wire, "Deal", table_id=table_id)

    async def test_seats(self, wire, refused):
        table_id, _ = await wire.table(1)
        for fields, status, reason in (
            ({"player_id": "player1"}, "ALREADY_EXISTS", "ALREADY_SEATED"),
            ({"player_id": "other", "seat": 1}, "ALREADY_EXISTS", "SEAT_TAKEN"),
        ):
            with refused(status, reason):
                await call(wire, "TakeSeat", table_id=table_id, stack=10, **fields)
        for fields in ({"seat": 7}, {"player_id": "nobody"}):
            with refused("NOT_FOUND", "PLAYER_NOT_SEATED"):
                await call(wire, "LeaveSeat", table_id=table_id, **fields)

    @pytest.mark.parametrize("data", [b"\x0a\xff", b"\xff" * 40, NOT_UTF8], ids=["short", "noise", "utf8"])
    @pytest.mark.parametrize("rpc", list(TABLE_METHODS))
    async def test_undecodable_bytes(self, wire, refused, rpc, data):
        method = TABLE_METHODS[rpc]
        if data == NOT_UTF8 and rpc in ("ListTables", "Play"):
            return  # their first field is a number
        path = f"/{method.containing_service.full_name}/{method.name}"
        with refused("INVALID_ARGUMENT", "UNDECODABLE_REQUEST"):
            if method.client_streaming:
                await wire.channel.stream_stream(path)(iter([data]), timeout=10).read()
            elif method.server_streaming:
                await wire.channel.unary_stream(path)(data, timeout=10).read()
            else:
                await wire.channel.unary_unary(path)(data, timeout=10)

    async def test_what_is_not_offered_says_so(self, wire, refused):
        stream = wire.tables.Play(iter([stud_pb2.PlayRequest(tag=1)]), **wire.options())
        with refused("UNIMPLEMENTED", "NOT_IMPLEMENTED"):
            await stream.read()

    async def test_a_message_that_is_too_long(self, wire):
        with pytest.raises(grpc.aio.AioRpcError) as error:
            await call(wire, "CreateTable", profile="x" * (2 << 20))
        assert grpc.StatusCode.RESOURCE_EXHAUSTED == error.value.code()
