"""Tables over the wire: a whole hand, what each viewer sees of it, repeated and raced requests, the lobby."""

import asyncio

import grpc
import pytest

from proto.stud.v1 import stud_pb2
from tests.service.table_calls import act, act_passively, call, play_to_showdown, uuid_text


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
