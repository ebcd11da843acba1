"""The API over the wire: what works, and what every kind of bad input is answered with."""

import asyncio
import base64
import json
import uuid
import zlib

import grpc
import pytest

from engine import PROFILES
from proto.stud.v1 import stud_pb2

TABLE_METHODS = {method.name: method for method in stud_pb2.DESCRIPTOR.services_by_name["TableService"].methods}
NOT_UTF8 = b"\x0a\x02\xc3\x28"


def uuid_text():
    return str(uuid.uuid4())


async def call(wire, rpc, bearer="operator", **fields):
    """Call an RPC of TableService with some fields."""
    request_class = getattr(stud_pb2, TABLE_METHODS[rpc].input_type.name)
    return await getattr(wire.tables, rpc)(request_class(**fields), **wire.options(bearer))


async def act(wire, table_id, kind, to=0, bearer="operator", **fields):
    action = stud_pb2.Action(kind=getattr(stud_pb2, f"ACTION_KIND_{kind.upper()}"), to=to)
    if bearer == "operator" and "seat" not in fields:
        fields["seat"] = (await wire.get(table_id)).to_act_seat
    return await call(wire, "Act", bearer, table_id=table_id, action=action, **fields)


async def act_passively(wire, table_id, **fields):
    """Take the first of the cheap actions that is legal."""
    table = await wire.get(table_id)
    legal = {legal.kind: legal for legal in table.legal_actions}
    kinds = ("CHECK", "CALL", "BRING_IN", "BUY", "DECLINE")
    kind = next(kind for kind in kinds if getattr(stud_pb2, f"ACTION_KIND_{kind}") in legal)
    return await act(wire, table_id, kind, seat=table.to_act_seat, **fields)


async def play_to_showdown(wire, table_id):
    table = await wire.deal(table_id)
    while table.status == stud_pb2.TABLE_STATUS_PLAYING:
        table = (await act_passively(wire, table_id)).table
    return table


class TestAWholeHand:
    async def test_from_the_table_to_the_next_hand(self, wire):
        table_id, tokens = await wire.table()
        table = await play_to_showdown(wire, table_id)
        assert stud_pb2.TABLE_STATUS_SHOWDOWN == table.status
        settled = await call(wire, "Showdown", tokens[0], table_id=table_id)
        assert settled.table.winner_seats
        assert 300 == sum(seat.stack for seat in settled.table.seats)
        assert "hand_ended" == settled.events[-1].WhichOneof("kind")
        again = await call(wire, "Showdown", "second", table_id=table_id)
        assert (settled.version, settled.etag) == (again.version, again.etag)
        assert [event.WhichOneof("kind") for event in settled.events] == [
            event.WhichOneof("kind") for event in again.events
        ]
        assert 2 == (await wire.deal(table_id)).hand_number

    async def test_versions_rise_by_one_and_etags_are_new(self, wire):
        table_id, _ = await wire.table()
        first = await wire.get(table_id)
        dealt = await call(wire, "Deal", table_id=table_id)
        acted = await act_passively(wire, table_id)
        assert [first.version + 1, first.version + 2] == [dealt.version, acted.version]
        assert 3 == len({first.etag, dealt.etag, acted.etag})
        assert (acted.version, acted.etag) == (acted.table.version, acted.table.etag)

    async def test_the_deadline_is_an_instant_in_the_future(self, wire):
        table_id, _ = await wire.table(action_time={"seconds": 3600})
        dealt = await call(wire, "Deal", table_id=table_id)
        thinking_s = dealt.table.deadline.seconds - dealt.table.update_time.seconds
        assert thinking_s in (3599, 3600, 3601)

    async def test_evaluation_and_profiles_need_no_credentials(self, wire):
        worth = await wire.evaluator.Evaluate(
            stud_pb2.EvaluateRequest(cards="Qs Qh Qd 9c 7s 2c 5h", profile="baseball"), **wire.options(None)
        )
        assert "four queens, seven kicker" == worth.words
        profiles = await wire.rules.ListProfiles(stud_pb2.ListProfilesRequest(), **wire.options(None))
        assert "baseball" in [profile.profile for profile in profiles.profiles]


class TestHiddenCards:
    async def test_everybody_sees_the_own_down_cards_and_nobody_elses(self, wire):
        table_id, tokens = await wire.table()
        await wire.deal(table_id)
        for viewer in (1, 2, 3):
            for table in (await wire.get(table_id, tokens[viewer - 1]), await wire.get(table_id, view_as=viewer)):
                assert viewer == table.viewer_seat
                for seat in table.seats:
                    hidden = {"??"} if seat.seat != viewer else set()
                    assert hidden == {card for card in seat.down_cards if card == "??"} or not seat.down_cards
                    assert (seat.seat == viewer) == ("??" not in seat.down_cards)
        for spectator in ("operator", "second", None):
            table = await wire.get(table_id, spectator)
            assert {"??"} == {card for seat in table.seats for card in seat.down_cards}

    async def test_no_reply_event_or_error_shows_a_down_card_of_another(self, wire):
        """Every byte that a spectator and player 2 get in a hand, searched for player 1's down cards."""
        table_id, tokens = await wire.table(2)
        streams = {
            bearer: wire.tables.WatchTable(stud_pb2.WatchTableRequest(table_id=table_id), **wire.options(bearer))
            for bearer in (tokens[1], None)
        }
        table = await play_to_showdown(wire, table_id)
        own = next(seat for seat in (await wire.get(table_id, tokens[0])).seats if seat.seat == 1)
        secrets = set(own.down_cards)
        assert len(secrets) >= 3
        seen = ""
        for bearer, stream in streams.items():
            async for message in stream:
                seen += str(message)
                if message.version == table.version:
                    break
            seen += str(await wire.get(table_id, bearer))
        for fields in ({"seat": 2}, {"seat": 1}, {"seat": 1, "view_as": 2}):
            with pytest.raises(grpc.aio.AioRpcError) as error:
                await act(wire, table_id, "fold", **fields)
            seen += str(error.value.trailing_metadata()) + str(error.value.details())
        assert not [card for card in secrets if f'"{card}"' in seen or f"{card} " in seen]
        assert '"??"' in seen


class TestFinishedHands:
    async def test_everybody_gets_the_copy_that_a_stream_would_have_brought(self, wire):
        """Every viewer's GetHand against the stream that viewer watched, byte for byte."""
        table_id, tokens = await wire.table(3)
        start = (await wire.get(table_id)).version
        viewers = [(token, 0) for token in tokens] + [("operator", seat) for seat in range(4)] + [(None, 0)]
        streams = [
            wire.tables.WatchTable(
                stud_pb2.WatchTableRequest(table_id=table_id, after_version=start, view_as=view_as),
                **wire.options(bearer),
            )
            for bearer, view_as in viewers
        ]
        await play_to_showdown(wire, table_id)
        settled = await call(wire, "Showdown", table_id=table_id)
        copies = {}
        for (bearer, view_as), stream in zip(viewers, streams, strict=True):
            asked = {"table_id": table_id, "hand_number": 1, "view_as": view_as}
            got = await call(wire, "GetHand", bearer, **asked)
            assert (settled.version, settled.etag) == (got.version, got.etag)
            streamed = []
            async for message in stream:
                streamed.append(message)
                if message.version == settled.version:
                    break
            assert [(each.version, each.time) for each in streamed] == [
                (step.version, step.time) for step in got.hand.steps
            ]
            for each, step in zip(streamed, got.hand.steps, strict=True):
                assert [event.SerializeToString() for event in each.events] == [
                    event.SerializeToString() for event in step.events
                ]
            copies[bearer, view_as] = got.hand.SerializeToString()
        for seat, token in enumerate(tokens, start=1):
            assert copies[token, 0] == copies["operator", seat]
        assert copies[None, 0] == copies["operator", 0]
        assert 4 == len(set(copies.values()))

    async def test_the_record_and_its_line(self, wire):
        table_id, tokens = await wire.table(3)
        await play_to_showdown(wire, table_id)
        settled = await call(wire, "Showdown", table_id=table_id)
        hand = (await call(wire, "GetHand", tokens[0], table_id=table_id, hand_number=1)).hand
        assert (table_id, 1, "baseball") == (hand.table_id, hand.hand_number, hand.profile)
        assert (await wire.get(table_id)).rules == hand.rules
        assert settled.table.button_seat == hand.button_seat
        assert [(seat.seat, seat.player_id, seat.stack) for seat in settled.table.seats] == [
            (player.seat, player.player_id, player.end_stack) for player in sorted(hand.players, key=lambda p: p.seat)
        ]
        assert {100} == {player.start_stack for player in hand.players}
        listed = await call(wire, "ListHands", None, table_id=table_id)
        assert (settled.version, settled.etag, "") == (listed.version, listed.etag, listed.next_page_token)
        (line,) = listed.hands
        assert (1, "baseball", 3, True, False) == (
            line.hand_number,
            line.profile,
            line.players,
            line.showdown,
            line.rained_out,
        )
        assert list(settled.table.winner_seats) == list(line.winner_seats)
        assert sum(award.amount for award in settled.table.awards) == line.pot
        assert (hand.start_time, hand.end_time) == (line.start_time, line.end_time)

    async def test_what_is_not_there(self, wire, refused):
        table_id, _ = await wire.table(3)
        await wire.deal(table_id)
        for number in (1, 2, 2**63 - 1):
            with refused("NOT_FOUND", "HAND_NOT_FOUND") as refusal:
                await call(wire, "GetHand", table_id=table_id, hand_number=number)
            assert {"hand_number": str(number)} == refusal.metadata
        for rpc, fields in (("GetHand", {"hand_number": 1}), ("ListHands", {})):
            for bearer, table in (("operator", "no-such-table"), ("neighbour", table_id)):
                with refused("NOT_FOUND", "TABLE_NOT_FOUND"):
                    await call(wire, rpc, bearer, table_id=table, **fields)

    @pytest.mark.parametrize(
        ("rpc", "fields", "wrong"),
        [
            ("GetHand", {}, {"hand_number"}),
            ("GetHand", {"hand_number": -1, "view_as": 9}, {"hand_number", "view_as"}),
            ("GetHand", {"hand_number": -(2**63), "table_id": ""}, {"hand_number", "table_id"}),
            ("ListHands", {"page_size": -1, "page_token": "ä"}, {"page_size", "page_token"}),
            ("ListHands", {"page_size": 1001}, {"page_size"}),
            ("ListHands", {"page_token": "x"}, {"page_token"}),
            ("ListHands", {"page_token": "A" * 512}, {"page_token"}),
            ("ListHands", {"page_token": "A" * 513}, {"page_token"}),
        ],
    )
    async def test_fields_that_cannot_be(self, wire, refused, rpc, fields, wrong):
        table_id, _ = await wire.table(1)
        with refused("INVALID_ARGUMENT", "INVALID_FIELD") as refusal:
            await call(wire, rpc, **({"table_id": table_id} | fields))
        assert wrong == set(refusal.fields)

    async def test_a_token_made_up_for_an_impossible_hand(self, wire, refused):
        table_id, _ = await wire.table(1)
        for number in (-1, 0, 2**63, 2**64, 10**30, "x"):
            text = f"{table_id}#{number}".encode()
            token = base64.urlsafe_b64encode(zlib.crc32(text).to_bytes(4, "big") + text).decode()
            if number == 0:
                assert not (await call(wire, "ListHands", table_id=table_id, page_token=token)).hands
                continue
            with refused("INVALID_ARGUMENT", "INVALID_FIELD"):
                await call(wire, "ListHands", table_id=table_id, page_token=token)

    async def test_the_next_player_of_a_seat_gets_a_spectators_copy(self, wire, refused):
        table_id, tokens = await wire.table(3)
        await play_to_showdown(wire, table_id)
        await call(wire, "Showdown", table_id=table_id)
        await call(wire, "LeaveSeat", tokens[1], table_id=table_id)
        newcomer = (await call(wire, "TakeSeat", table_id=table_id, player_id="late", seat=2, stack=100)).seat_token
        asked = {"table_id": table_id, "hand_number": 1}
        spectators = (await call(wire, "GetHand", None, **asked)).hand
        assert spectators == (await call(wire, "GetHand", newcomer, **asked)).hand
        assert spectators == (await call(wire, "GetHand", view_as=2, **asked)).hand
        with refused("PERMISSION_DENIED", "SEATING_ENDED"):
            await call(wire, "GetHand", tokens[1], **asked)


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


class TestRequestIdsAndEtags:
    async def test_the_same_act_twice_in_parallel_with_one_request_id(self, wire):
        table_id, _ = await wire.table()
        table = await wire.deal(table_id)
        request_id = uuid_text()
        # The bring-in, or on an open four the card for it.
        kind = stud_pb2.ActionKind.Name(table.legal_actions[0].kind).removeprefix("ACTION_KIND_")
        answers = await asyncio.gather(
            *(act(wire, table_id, kind, seat=table.to_act_seat, request_id=request_id) for _ in range(4))
        )
        assert 1 == len({(answer.version, answer.etag) for answer in answers})
        assert 1 == len({answer.SerializeToString() for answer in answers})
        assert table.version + 1 == (await wire.get(table_id)).version

    async def test_the_same_id_with_another_body(self, wire, refused):
        table_id, _ = await wire.table()
        request_id = uuid_text()
        await call(wire, "Deal", table_id=table_id, request_id=request_id)
        with refused("INVALID_ARGUMENT", "REQUEST_ID_REUSED") as refusal:
            await call(wire, "Deal", table_id=table_id, request_id=request_id, view_as=1)
        assert request_id == refusal.metadata["request_id"]

    async def test_the_same_id_in_capital_letters(self, wire):
        table_id, _ = await wire.table()
        for rpc, fields in (("CreateTable", {"profile": "baseball"}), ("Deal", {"table_id": table_id})):
            request_id = "123e4567-e89b-42d3-a456-" + uuid_text()[-12:-1] + "f"
            first = await call(wire, rpc, request_id=request_id, **fields)
            assert first == await call(wire, rpc, request_id=request_id.upper(), **fields)

    async def test_two_callers_with_one_id_are_two_requests(self, wire, refused):
        table_id, tokens = await wire.table()
        request_id = uuid_text()
        await call(wire, "Deal", tokens[0], table_id=table_id, request_id=request_id)
        for bearer in ("operator", "second", tokens[1]):
            with refused("FAILED_PRECONDITION", "HAND_IN_PROGRESS"):
                await call(wire, "Deal", bearer, table_id=table_id, request_id=request_id)

    async def test_create_table_repeats(self, wire, refused):
        request_id = uuid_text()
        first, second = [await call(wire, "CreateTable", profile="baseball", request_id=request_id) for _ in range(2)]
        assert first == second
        with refused("INVALID_ARGUMENT", "REQUEST_ID_REUSED"):
            await call(wire, "CreateTable", profile="baseball", name="other", request_id=request_id)
        neighbours = await call(wire, "CreateTable", "neighbour", profile="baseball", request_id=request_id)
        assert first.table.table_id != neighbours.table.table_id

    async def test_a_stale_etag(self, wire, refused):
        table_id, _ = await wire.table()
        old = await wire.get(table_id)
        table = await wire.deal(table_id)
        for rpc, fields in (
            ("Act", {"seat": table.to_act_seat, "action": stud_pb2.Action(kind=stud_pb2.ACTION_KIND_FOLD)}),
            ("Deal", {}),
            ("Showdown", {}),
            ("LeaveSeat", {"seat": 1}),
            ("TakeSeat", {"player_id": "late", "stack": 10}),
        ):
            with refused("ABORTED", "STALE_ETAG") as refusal:
                await call(wire, rpc, table_id=table_id, etag=old.etag, **fields)
            assert {"etag": table.etag, "version": str(table.version)} == refusal.metadata
        assert table.version == (await wire.get(table_id)).version
        assert table.version + 1 == (await act_passively(wire, table_id, etag=table.etag)).version

    async def test_one_etag_lets_one_of_many_through(self, wire):
        table_id, _ = await wire.table()
        table = await wire.deal(table_id)
        outcomes = await asyncio.gather(
            *(
                call(wire, "LeaveSeat", table_id=table_id, seat=seat, etag=table.etag, request_id=uuid_text())
                for seat in (1, 2, 3)
            ),
            return_exceptions=True,
        )
        codes = sorted(
            outcome.code().name if isinstance(outcome, grpc.aio.AioRpcError) else "OK" for outcome in outcomes
        )
        assert ["ABORTED", "ABORTED", "OK"] == codes
        assert table.version + 1 == (await wire.get(table_id)).version

    async def test_after_a_refusal_the_client_reads_again_and_goes_on(self, wire, refused):
        table_id, _ = await wire.table()
        old = await wire.get(table_id)
        await wire.deal(table_id)
        with refused("ABORTED", "STALE_ETAG") as refusal:
            await act_passively(wire, table_id, etag=old.etag)
        await act_passively(wire, table_id, etag=refusal.metadata["etag"])


class TestLobby:
    async def test_pages_and_filters(self, wire, refused):
        ids = {(await wire.table(0))[0] for _ in range(5)}
        full, _ = await wire.table(2, profile="seven-card-stud", rules=stud_pb2.Rules(max_players=2))
        found, token = [], ""
        while True:
            page = await call(wire, "ListTables", page_size=2, page_token=token)
            found += [table.table_id for table in page.tables]
            token = page.next_page_token
            if not token:
                break
        assert sorted({*ids, full}) == sorted(found)
        free = await call(wire, "ListTables", free_seats_only=True)
        assert ids == {table.table_id for table in free.tables}
        stud = await call(wire, "ListTables", profile="seven-card-stud")
        assert [(full, 2, 2)] == [(table.table_id, table.seats_taken, table.seats) for table in stud.tables]
        for fields in ({"page_size": -1}, {"page_size": 1001}, {"page_token": "forged"}):
            with refused("INVALID_ARGUMENT", "INVALID_FIELD") as refusal:
                await call(wire, "ListTables", **fields)
            assert list(fields) == list(refusal.fields)
