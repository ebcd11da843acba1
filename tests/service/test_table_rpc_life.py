"""The life of tables over the wire: seats, chips, pauses, the end, standings, dealer's choice, the lobby."""

import asyncio
import uuid

import grpc
import pytest

from engine import PROFILES
from proto.stud.v1 import stud_pb2
from tests.engine.play import stacked_deck
from tests.service.table_calls import call

OPERATORS_ONLY = ("DeleteTable", "PauseTable", "ResumeTable", "AddChips")
CHANGES = (*OPERATORS_ONLY, "SitOut", "SitIn")
DEALERS_CHOICE = stud_pb2.Rules(dealers_choice=True)


def fields_of(rpc, table_id):
    fields = {"table_id": table_id}
    if rpc in ("SitOut", "SitIn", "AddChips"):
        fields["seat"] = 1
    if rpc == "AddChips":
        fields["amount"] = 5
    return fields


def kinds(answer):
    return [event.WhichOneof("kind") for event in answer.events]


async def fold_out(wire, table_id):
    """Have everybody but one fold: the bring-in is posted, and whatever costs something is refused."""
    table = await wire.get(table_id)
    while table.status == stud_pb2.TABLE_STATUS_PLAYING:
        legal = {choice.kind for choice in table.legal_actions}
        order = ("FOLD", "BRING_IN", "DECLINE", "KEEP", "CHECK", "ROLL")
        kind = next(kind for kind in order if getattr(stud_pb2, f"ACTION_KIND_{kind}") in legal)
        action = stud_pb2.Action(kind=getattr(stud_pb2, f"ACTION_KIND_{kind}"))
        table = (await call(wire, "Act", table_id=table_id, seat=table.to_act_seat, action=action)).table
    if table.status == stud_pb2.TABLE_STATUS_SHOWDOWN:
        table = (await call(wire, "Showdown", table_id=table_id)).table
    return table


class TestWhoMay:
    @pytest.mark.parametrize("rpc", CHANGES)
    async def test_nobody_without_credentials_and_no_neighbour(self, wire, refused, rpc):
        table_id, _ = await wire.table(2)
        with refused("UNAUTHENTICATED", "CREDENTIALS_MISSING"):
            await call(wire, rpc, None, **fields_of(rpc, table_id))
        with refused("NOT_FOUND", "TABLE_NOT_FOUND"):
            await call(wire, rpc, "neighbour", **fields_of(rpc, table_id))
        with refused("NOT_FOUND", "TABLE_NOT_FOUND"):
            await call(wire, rpc, **fields_of(rpc, "nowhere"))
        assert 3 == (await wire.get(table_id)).version

    @pytest.mark.parametrize("rpc", OPERATORS_ONLY)
    async def test_no_player_does_what_is_the_operators(self, wire, refused, rpc):
        table_id, (token, _) = await wire.table(2)
        with refused("PERMISSION_DENIED", "OPERATOR_REQUIRED"):
            await call(wire, rpc, token, **fields_of(rpc, table_id))

    @pytest.mark.parametrize("rpc", ["SitOut", "SitIn"])
    async def test_a_player_only_for_the_own_seat(self, wire, refused, rpc):
        table_id, (_, token) = await wire.table(2)
        with refused("PERMISSION_DENIED", "NOT_YOUR_SEAT"):
            await call(wire, rpc, token, table_id=table_id, seat=1)
        with refused("NOT_FOUND", "PLAYER_NOT_SEATED"):
            await call(wire, rpc, table_id=table_id, player_id="nobody")

    @pytest.mark.parametrize("rpc", CHANGES)
    async def test_a_stale_etag(self, wire, refused, rpc):
        table_id, _ = await wire.table(2)
        with refused("ABORTED", "STALE_ETAG"):
            await call(wire, rpc, etag="1-stale", **fields_of(rpc, table_id))
        assert 3 == (await wire.get(table_id)).version

    @pytest.mark.parametrize("rpc", [*CHANGES, "GetStandings"])
    async def test_every_field_that_is_wrong_is_named(self, wire, refused, rpc):
        wrong = {"table_id": "no such id!", "request_id": "not a uuid", "etag": "\n"}
        wrong |= {"seat": -1, "player_id": "!", "view_as": 99, "amount": -1}
        known = stud_pb2.DESCRIPTOR.message_types_by_name[f"{rpc}Request"].fields_by_name
        wrong = {field: value for field, value in wrong.items() if field in known}
        with refused("INVALID_ARGUMENT", "INVALID_FIELD") as refusal:
            await call(wire, rpc, **wrong)
        assert wrong.keys() == refusal.fields.keys()


class TestSeats:
    async def test_sitting_out_and_in_by_the_own_token(self, wire):
        table_id, tokens = await wire.table(3)
        out = await call(wire, "SitOut", tokens[0], table_id=table_id)
        assert (["sat_out"], True) == (kinds(out), out.table.seats[0].sitting_out)
        again = await call(wire, "SitOut", tokens[0], table_id=table_id)
        assert (out.version, out.etag, []) == (again.version, again.etag, kinds(again))
        dealt = await wire.deal(table_id)
        assert [False, True, True] == [seat.in_hand for seat in dealt.seats]
        back = await call(wire, "SitIn", tokens[0], table_id=table_id)
        assert (["sat_in"], False) == (kinds(back), back.table.seats[0].sitting_out)

    async def test_who_waits_for_the_next_hand_sees_from_the_own_seat(self, wire):
        table_id, _ = await wire.table(2)
        await wire.deal(table_id)
        late = await call(wire, "TakeSeat", table_id=table_id, player_id="late", stack=50)
        table = await wire.get(table_id, late.seat_token)
        assert 3 == table.viewer_seat
        assert {"??"} == {card for seat in table.seats for card in seat.down_cards}

    async def test_chips_in_a_hand_wait_where_everybody_sees_them(self, wire, refused):
        table_id, _ = await wire.table(3, max_buy_in=200)
        await wire.deal(table_id)
        queued = await call(wire, "AddChips", table_id=table_id, seat=1, amount=60)
        assert (["chips_queued"], 60, 100) == (
            kinds(queued),
            queued.table.seats[0].adding,
            queued.table.seats[0].bought_in,
        )
        stack = queued.table.seats[0].stack
        with refused("FAILED_PRECONDITION", "STACK_TOO_LARGE") as refusal:
            await call(wire, "AddChips", table_id=table_id, seat=1, amount=200 - stack - 59)
        assert {"stack": str(stack + 60), "max_buy_in": "200"} == refusal.metadata
        after = await fold_out(wire, table_id)
        assert (0, 160) == (after.seats[0].adding, after.seats[0].bought_in)
        assert 360 == sum(seat.stack for seat in after.seats)
        assert ["chips_added"] == kinds(await call(wire, "AddChips", table_id=table_id, seat=2, amount=1))

    @pytest.mark.parametrize("amount", [0, -1, -(2**63), 2**63 - 1, 10**15 + 1])
    async def test_amounts_that_are_never_right(self, wire, refused, amount):
        table_id, _ = await wire.table(1)
        with refused("INVALID_ARGUMENT", "INVALID_FIELD") as refusal:
            await call(wire, "AddChips", table_id=table_id, seat=1, amount=amount)
        assert ["amount"] == list(refusal.fields)

    async def test_after_the_session_nobody_brings_chips(self, wire, refused):
        table_id, _ = await wire.table(2, rules=stud_pb2.Rules(session_pots=stud_pb2.Limit(count=1)))
        await wire.deal(table_id)
        await fold_out(wire, table_id)
        with refused("FAILED_PRECONDITION", "SESSION_OVER"):
            await call(wire, "AddChips", table_id=table_id, seat=1, amount=1)


class TestPause:
    async def test_nothing_is_played_until_it_is_resumed(self, wire, refused):
        table_id, _ = await wire.table(2)
        dealt = await wire.deal(table_id)
        paused = await call(wire, "PauseTable", table_id=table_id)
        assert (["table_paused"], True, False) == (
            kinds(paused),
            paused.table.paused,
            paused.table.HasField("deadline"),
        )
        assert dealt.to_act_seat == paused.table.to_act_seat
        action = stud_pb2.Action(kind=stud_pb2.ACTION_KIND_FOLD)
        for rpc, fields in (
            ("Act", {"seat": dealt.to_act_seat, "action": action}), ("Showdown", {}), ("Deal", {}), ("PauseTable", {}),
        ):  # fmt: skip
            with refused("FAILED_PRECONDITION", "TABLE_PAUSED"):
                await call(wire, rpc, table_id=table_id, **fields)
        assert paused.etag == (await wire.get(table_id)).etag
        resumed = await call(wire, "ResumeTable", table_id=table_id)
        assert (["table_resumed"], False, True) == (
            kinds(resumed),
            resumed.table.paused,
            resumed.table.HasField("deadline"),
        )
        with refused("FAILED_PRECONDITION", "TABLE_NOT_PAUSED"):
            await call(wire, "ResumeTable", table_id=table_id)
        await fold_out(wire, table_id)


class TestTheEnd:
    async def test_streams_end_well_after_the_last_event(self, wire):
        table_id, tokens = await wire.table(3)
        await wire.deal(table_id)
        version = (await wire.get(table_id)).version
        streams = [
            wire.tables.WatchTable(
                stud_pb2.WatchTableRequest(table_id=table_id, after_version=after), **wire.options(bearer)
            )
            for bearer in ("operator", tokens[0], None)
            for after in (0, version - 1)
        ]
        for stream in streams:
            await stream.read()
        deleted = await call(wire, "DeleteTable", table_id=table_id)
        assert version + 1 == deleted.version
        assert ["hand_voided", "seat_left", "seat_left", "seat_left", "table_deleted"] == kinds(deleted)
        for stream in streams:
            last = None
            while (message := await stream.read()) is not grpc.aio.EOF:
                last = message
            assert (version + 1, "table_deleted") == (last.version, kinds(last)[-1])
            assert grpc.StatusCode.OK == await stream.code()

    async def test_everybody_is_paid_and_nobody_comes_back(self, wire, refused):
        table_id, tokens = await wire.table(3)
        await wire.deal(table_id)
        deleted = await call(wire, "DeleteTable", table_id=table_id)
        assert [("player1", 1, 100), ("player2", 2, 100), ("player3", 3, 100)] == [
            (payout.player_id, payout.seat, payout.amount) for payout in deleted.payouts
        ]
        for rpc, bearer, fields in (
            ("GetTable", tokens[0], {}),
            ("GetTable", None, {}),
            ("TakeSeat", "operator", {"player_id": "late", "stack": 5}),
            ("LeaveSeat", tokens[1], {}),
            ("DeleteTable", "operator", {}),
            ("GetStandings", "operator", {}),
        ):
            with refused("NOT_FOUND", "TABLE_NOT_FOUND"):
                await call(wire, rpc, bearer, table_id=table_id, **fields)
        assert [] == list((await call(wire, "ListTables")).tables)

    async def test_the_same_request_again_returns_the_first_answer(self, wire, refused):
        table_id, _ = await wire.table(2)
        request = {"table_id": table_id, "request_id": str(uuid.uuid4())}
        answers = await asyncio.gather(*(call(wire, "DeleteTable", **request) for _ in range(4)))
        answers.append(await call(wire, "DeleteTable", **request))
        assert 1 == len({answer.SerializeToString() for answer in answers})
        with refused("INVALID_ARGUMENT", "REQUEST_ID_REUSED"):
            await call(wire, "DeleteTable", etag="other", **request)
        with refused("NOT_FOUND", "TABLE_NOT_FOUND"):
            await call(wire, "DeleteTable", "second", **request)


class TestStandings:
    async def test_places_nets_and_the_end_of_the_session(self, wire):
        table_id, tokens = await wire.table(3, rules=stud_pb2.Rules(session_pots=stud_pb2.Limit(count=1)))
        before = await call(wire, "GetStandings", None, table_id=table_id)
        assert ([1, 1, 1], 0, 1, False) == (
            [standing.place for standing in before.standings],
            before.pots_played,
            before.session_pots,
            before.final,
        )
        await wire.deal(table_id)
        table = await fold_out(wire, table_id)
        stacks = {seat.seat: seat.stack for seat in table.seats}
        await call(wire, "LeaveSeat", tokens[0], table_id=table_id)
        after = await call(wire, "GetStandings", tokens[1], table_id=table_id)
        assert (1, True, 0) == (after.pots_played, after.final, sum(standing.net for standing in after.standings))
        assert {(f"player{seat}", stack, 100, stack - 100) for seat, stack in stacks.items()} == {
            (one.player_id, one.stack, one.bought_in, one.net) for one in after.standings
        }
        assert [one.net for one in after.standings] == sorted((one.net for one in after.standings), reverse=True)
        assert 0 == next(one.seat for one in after.standings if one.player_id == "player1")


class TestDealersChoice:
    async def test_a_named_game_its_rules_and_its_event(self, wire):
        table_id, tokens = await wire.table(3, rules=DEALERS_CHOICE)
        dealt = await call(wire, "Deal", tokens[2], table_id=table_id, profile="football")
        assert ("baseball", "football") == (dealt.table.profile, dealt.table.hand_profile)
        assert ["game_named", "hand_started"] == kinds(dealt)[:2]
        assert "football" == dealt.events[0].game_named.profile
        table = await wire.get(table_id)
        assert (["3", "9"], ["6"]) == (list(table.rules.wild_ranks.ranks), list(table.hand_rules.wild_ranks.ranks))
        await fold_out(wire, table_id)
        own = await wire.deal(table_id)
        assert "baseball" == own.hand_profile
        assert not (await wire.get(table_id)).HasField("hand_rules")

    async def test_who_may_not_and_what_may_not(self, wire, refused):
        table_id, tokens = await wire.table(3, rules=DEALERS_CHOICE)
        with refused("FAILED_PRECONDITION", "NOT_THE_DEALER") as refusal:
            await call(wire, "Deal", tokens[0], table_id=table_id, profile="football")
        assert {"button_seat": "3"} == refusal.metadata
        with refused("INVALID_ARGUMENT", "UNKNOWN_PROFILE"):
            await call(wire, "Deal", table_id=table_id, profile="polo")
        rules = stud_pb2.Rules(bring_in=9, burn=99, max_players=2, minor_units=3)
        with refused("INVALID_ARGUMENT", "RULES_CONTRADICTORY") as refusal:
            await call(wire, "Deal", table_id=table_id, profile="football", rules=rules)
        assert {"rules.bring_in", "rules.burn", "rules.max_players", "rules.minor_units"} == refusal.fields.keys()
        plain_id, _ = await wire.table(2)
        for fields in ({"profile": "football"}, {"rules": stud_pb2.Rules()}, {"rules": stud_pb2.Rules(ante=2)}):
            with refused("FAILED_PRECONDITION", "DEALERS_CHOICE_OFF"):
                await call(wire, "Deal", table_id=plain_id, **fields)
        assert 4 == (await wire.get(table_id)).version

    async def test_no_player_raises_the_stakes_beyond_reason(self, wire, refused):
        home = stud_pb2.Rules(dealers_choice=True)
        table_id, tokens = await wire.table(2, profile="baseball-home", rules=home)
        most = 10**15 // 840 * 840
        rules = stud_pb2.Rules(ante=most, structure=stud_pb2.Structure(one_unit={"bet": 840 * 11}))
        with refused("INVALID_ARGUMENT", "RULES_CONTRADICTORY") as refusal:
            await call(wire, "Deal", tokens[1], table_id=table_id, rules=rules)
        assert {"rules.ante", "rules.structure"} == refusal.fields.keys()
        assert refusal.fields["rules.ante"].startswith(f"{most}: comes to more than 8400:")
        assert (3, [100, 100]) == (
            (table := await wire.get(table_id)).version,
            [seat.stack for seat in table.seats],
        )
        dealt = await call(wire, "Deal", table_id=table_id, rules=stud_pb2.Rules(ante=9240))
        assert [100 - 9240] * 2 == [seat.stack for seat in dealt.table.seats]

    async def test_rain_keeps_the_game(self, wire, refused, shuffle):
        table_id, _ = await wire.table(3, rules=DEALERS_CHOICE)
        doors = {1: "(-- --) Kc", 2: "(-- --) Qs", 3: "(-- --) --"}
        dry = {1: "(-- --) Kc", 2: "(-- --) 6d", 3: "(-- --) 8d"}
        shuffle.decks = [stacked_deck(PROFILES["rainy-day-baseball"], cards, 3) for cards in (doors, dry)]
        rained = await call(wire, "Deal", table_id=table_id, profile="rainy-day-baseball")
        assert (True, 3) == (rained.table.rained_out, rained.table.carry)
        with refused("FAILED_PRECONDITION", "REDEAL_KEEPS_GAME") as refusal:
            await call(wire, "Deal", table_id=table_id, profile="football")
        assert {"profile": "rainy-day-baseball"} == refusal.metadata
        again = await wire.deal(table_id)
        assert (3, "rainy-day-baseball", 6) == (
            again.button_seat,
            again.hand_profile,
            sum(p.amount for p in again.pots),
        )
        deleted = await call(wire, "DeleteTable", table_id=table_id)
        assert "carry_split" in kinds(deleted)
        assert [100, 100, 100] == [payout.amount for payout in deleted.payouts]

    async def test_unreadable_and_contradictory_rules_of_a_new_table_are_named_together(self, wire, refused):
        rules = stud_pb2.Rules(bring_in=3, min_players=9, burn=99)
        with refused("INVALID_ARGUMENT", "RULES_CONTRADICTORY") as refusal:
            await call(wire, "CreateTable", profile="baseball", rules=rules)
        assert {"rules.bring_in", "rules.min_players", "rules.burn"} <= refusal.fields.keys()


class TestLobby:
    async def test_filters_by_what_a_table_waits_for(self, wire, refused):
        waiting, _ = await wire.table(1)
        playing, _ = await wire.table(2, rules=stud_pb2.Rules(max_players=2))
        await wire.deal(playing)
        await call(wire, "PauseTable", table_id=playing)

        async def listed(**filters):
            return [(table.table_id, table.paused) for table in (await call(wire, "ListTables", **filters)).tables]

        assert [(waiting, False)] == await listed(status=stud_pb2.TABLE_STATUS_WAITING)
        assert [(playing, True)] == await listed(status=stud_pb2.TABLE_STATUS_PLAYING)
        assert [(waiting, False)] == await listed(joinable_only=True)
        with refused("INVALID_ARGUMENT", "INVALID_FIELD") as refusal:
            await listed(status=99)
        assert ["status"] == list(refusal.fields)
