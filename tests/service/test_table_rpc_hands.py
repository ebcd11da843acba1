"""Finished hands over the wire: the copy that each viewer gets, and what is refused."""

import base64
import zlib

import pytest

from proto.stud.v1 import stud_pb2
from tests.service.table_calls import call, play_to_showdown


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
