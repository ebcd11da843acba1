"""The RPCs of ``TableService``: each decodes a request, calls the use case, encodes the answer."""

import hashlib
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any, TypeVar

from google.protobuf.message import Message

from proto.stud.v1 import stud_pb2
from service.clock import Clock
from service.codec import (
    checkpoint_message,
    happening_message,
    standing_message,
    summary_message,
    table_message,
    timestamp,
)
from service.codec_events import event_messages
from service.codec_hands import hand_message, hand_summary_message
from service.codec_requests import RequestFields
from service.codec_rules import changed_rules, profile_rules, read_knobs
from service.feed import Checkpoint
from service.hand_history import HandHistory
from service.named_game import NamedGame
from service.replies import Reply
from service.rpc import Call
from service.table_events import Happening
from service.table_service import TableService
from service.table_writer import Mutation

_Answer = TypeVar("_Answer", bound=Message)


class TableRpc:
    """``TableService`` over the use cases."""

    def __init__(self, tables: TableService, hands: HandHistory, clock: Clock) -> None:
        self._tables = tables
        self._hands = hands
        self._clock = clock

    async def create_table(self, request: stud_pb2.CreateTableRequest, call: Call) -> stud_pb2.CreateTableResponse:
        """Create a table."""
        with RequestFields(request) as fields:
            mutation = Mutation(call.method, "", fields.request_id(), body=_digest(request))
            settings = fields.settings()
        rules = changed_rules(profile_rules(request.profile), request.rules)
        reply = await self._tables.create_table(
            call.caller, mutation, profile=request.profile, rules=rules, settings=settings
        )
        return _answered(stud_pb2.CreateTableResponse(), reply, with_rules=True)

    async def get_table(self, request: stud_pb2.GetTableRequest, call: Call) -> stud_pb2.GetTableResponse:
        """Return a table."""
        with RequestFields(request) as fields:
            table_id, view_as = fields.table_id(), fields.view_as()
        reply = await self._tables.get_table(call.caller, table_id, view_as)
        return stud_pb2.GetTableResponse(
            version=reply.version,
            etag=reply.etag,
            table=table_message(reply.table, reply.viewer, with_rules=True),
        )

    async def list_tables(self, request: stud_pb2.ListTablesRequest, call: Call) -> stud_pb2.ListTablesResponse:
        """Return a page of the lobby."""
        with RequestFields(request) as fields:
            page_size, page_token, filters = fields.page_size(), fields.page_token(), fields.lobby_filter()
        if request.profile:
            profile_rules(request.profile)
        entries, next_page_token = await self._tables.list_tables(call.caller, page_size, page_token, filters)
        return stud_pb2.ListTablesResponse(tables=map(summary_message, entries), next_page_token=next_page_token)

    async def take_seat(self, request: stud_pb2.TakeSeatRequest, call: Call) -> stud_pb2.TakeSeatResponse:
        """Seat a player."""
        with RequestFields(request) as fields:
            mutation, view_as = _mutation(fields, request, call), fields.view_as()
            player_id, seat, stack = fields.player_id(required=True), fields.seat(), fields.amount("stack")
        taken = await self._tables.seats.take_seat(
            call.caller, mutation, player_id=player_id, seat=seat, stack=stack, view_as=view_as
        )
        answer = stud_pb2.TakeSeatResponse(
            seat=taken.seat, seat_token=taken.token, seat_token_expire_time=timestamp(taken.token_expires_ms)
        )
        return _answered(answer, taken.reply)

    async def leave_seat(self, request: stud_pb2.LeaveSeatRequest, call: Call) -> stud_pb2.LeaveSeatResponse:
        """Let a player go."""
        with RequestFields(request) as fields:
            mutation, view_as = _mutation(fields, request, call), fields.view_as()
            seat, player_id = fields.seat(), fields.player_id()
        left = await self._tables.seats.leave_seat(
            call.caller, mutation, seat=seat, player_id=player_id, view_as=view_as
        )
        return _answered(stud_pb2.LeaveSeatResponse(stack=left.stack), left.reply)

    async def sit_out(self, request: stud_pb2.SitOutRequest, call: Call) -> stud_pb2.SitOutResponse:
        """Have a player dealt out."""
        with RequestFields(request) as fields:
            mutation, view_as = _mutation(fields, request, call), fields.view_as()
            seat, player_id = fields.seat(), fields.player_id()
        reply = await self._tables.seats.sit_out(call.caller, mutation, seat=seat, player_id=player_id, view_as=view_as)
        return _answered(stud_pb2.SitOutResponse(), reply)

    async def sit_in(self, request: stud_pb2.SitInRequest, call: Call) -> stud_pb2.SitInResponse:
        """Have a player dealt in again."""
        with RequestFields(request) as fields:
            mutation, view_as = _mutation(fields, request, call), fields.view_as()
            seat, player_id = fields.seat(), fields.player_id()
        reply = await self._tables.seats.sit_in(call.caller, mutation, seat=seat, player_id=player_id, view_as=view_as)
        return _answered(stud_pb2.SitInResponse(), reply)

    async def add_chips(self, request: stud_pb2.AddChipsRequest, call: Call) -> stud_pb2.AddChipsResponse:
        """Add chips to a stack."""
        with RequestFields(request) as fields:
            mutation, view_as = _mutation(fields, request, call), fields.view_as()
            seat, player_id, amount = fields.seat(), fields.player_id(), fields.amount("amount", least=1)
        reply = await self._tables.seats.add_chips(
            call.caller, mutation, seat=seat, player_id=player_id, amount=amount, view_as=view_as
        )
        return _answered(stud_pb2.AddChipsResponse(), reply)

    async def deal(self, request: stud_pb2.DealRequest, call: Call) -> stud_pb2.DealResponse:
        """Start the next hand."""
        with RequestFields(request) as fields:
            mutation, view_as = _mutation(fields, request, call), fields.view_as()
        reply = await self._tables.deal(call.caller, mutation, named=_named_game(request), view_as=view_as)
        return _answered(stud_pb2.DealResponse(), reply)

    async def act(self, request: stud_pb2.ActRequest, call: Call) -> stud_pb2.ActResponse:
        """Take an action."""
        with RequestFields(request) as fields:
            mutation, view_as = _mutation(fields, request, call), fields.view_as()
            seat, player_id, action = fields.seat(), fields.player_id(), fields.action()
        reply = await self._tables.act(call.caller, mutation, action, seat=seat, player_id=player_id, view_as=view_as)
        return _answered(stud_pb2.ActResponse(), reply)

    async def showdown(self, request: stud_pb2.ShowdownRequest, call: Call) -> stud_pb2.ShowdownResponse:
        """Settle a hand."""
        with RequestFields(request) as fields:
            mutation, view_as = _mutation(fields, request, call), fields.view_as()
        reply = await self._tables.showdown(call.caller, mutation, view_as=view_as)
        return _answered(stud_pb2.ShowdownResponse(), reply)

    async def pause_table(self, request: stud_pb2.PauseTableRequest, call: Call) -> stud_pb2.PauseTableResponse:
        """Stop the clock."""
        with RequestFields(request) as fields:
            mutation, view_as = _mutation(fields, request, call), fields.view_as()
        reply = await self._tables.pause_table(call.caller, mutation, view_as=view_as)
        return _answered(stud_pb2.PauseTableResponse(), reply)

    async def resume_table(self, request: stud_pb2.ResumeTableRequest, call: Call) -> stud_pb2.ResumeTableResponse:
        """Let the clock run again."""
        with RequestFields(request) as fields:
            mutation, view_as = _mutation(fields, request, call), fields.view_as()
        reply = await self._tables.resume_table(call.caller, mutation, view_as=view_as)
        return _answered(stud_pb2.ResumeTableResponse(), reply)

    async def delete_table(self, request: stud_pb2.DeleteTableRequest, call: Call) -> stud_pb2.DeleteTableResponse:
        """End a table."""
        with RequestFields(request) as fields:
            mutation = _mutation(fields, request, call)
        deleted = await self._tables.delete_table(call.caller, mutation)
        return stud_pb2.DeleteTableResponse(
            version=deleted.version,
            etag=deleted.etag,
            events=event_messages(deleted.events, None),
            payouts=[
                stud_pb2.Payout(player_id=payout.player_id, seat=payout.seat, amount=payout.amount)
                for payout in deleted.payouts
            ],
        )

    async def get_standings(self, request: stud_pb2.GetStandingsRequest, call: Call) -> stud_pb2.GetStandingsResponse:
        """Return how the players stand."""
        with RequestFields(request) as fields:
            table_id = fields.table_id()
        table, standings = await self._tables.get_standings(call.caller, table_id)
        return stud_pb2.GetStandingsResponse(
            version=table.version,
            etag=table.etag,
            standings=map(standing_message, standings),
            pots_played=table.pots_played,
            session_pots=table.rules.session_pots or 0,
            final=table.session_over,
        )

    async def watch_table(
        self, request: stud_pb2.WatchTableRequest, call: Call
    ) -> AsyncGenerator[stud_pb2.WatchTableResponse | bytes, None]:
        """Follow a table; what many see alike is encoded once."""
        with RequestFields(request) as fields:
            table_id, view_as, after_version = fields.table_id(), fields.view_as(), fields.after_version()
        async with aclosing(self._tables.watch(call.caller, table_id, after_version, view_as)) as items:
            async for item in items:
                if isinstance(item, Checkpoint):
                    yield checkpoint_message(item.version, item.etag, item.hand_number, self._clock.now_ms())
                else:
                    yield item.published.seen(item.viewer, _happening_bytes)

    async def get_hand(self, request: stud_pb2.GetHandRequest, call: Call) -> stud_pb2.GetHandResponse:
        """Return a finished hand."""
        with RequestFields(request) as fields:
            table_id, view_as, number = fields.table_id(), fields.view_as(), fields.hand_number()
        seen = await self._hands.get_hand(call.caller, table_id, number, view_as)
        return stud_pb2.GetHandResponse(
            version=seen.table.version,
            etag=seen.table.etag,
            hand=hand_message(seen.table, seen.played, seen.viewer),
        )

    async def list_hands(self, request: stud_pb2.ListHandsRequest, call: Call) -> stud_pb2.ListHandsResponse:
        """Return a page of the finished hands."""
        with RequestFields(request) as fields:
            table_id, page_size, page_token = fields.table_id(), fields.page_size(), fields.page_token()
        page = await self._hands.list_hands(call.caller, table_id, page_size, page_token)
        return stud_pb2.ListHandsResponse(
            version=page.table.version,
            etag=page.table.etag,
            hands=map(hand_summary_message, page.records),
            next_page_token=page.next_page_token,
        )


def _happening_bytes(happening: Happening, viewer: int | None) -> bytes:
    return happening_message(happening, viewer).SerializeToString()


def _mutation(fields: RequestFields, request: Message, call: Call) -> Mutation:
    return Mutation(call.method, fields.table_id(), fields.request_id(), fields.etag(), _digest(request))


def _named_game(request: stud_pb2.DealRequest) -> NamedGame | None:
    """Return the game that a deal names; None: the table's own."""
    if not request.profile and not request.HasField("rules"):
        return None
    if request.profile:
        profile_rules(request.profile)
    knobs, unreadable = read_knobs(request.rules)
    return NamedGame(request.profile, knobs, unreadable)


def _digest(request: Message) -> bytes:
    """Return what tells a request from another one: everything that was sent, unknown fields included."""
    return hashlib.sha256(request.SerializeToString(deterministic=True)).digest()[:16]


def _answered(answer: _Answer, reply: Reply, *, with_rules: bool = False) -> _Answer:
    """Write what every answer to a change holds."""
    message: Any = answer
    message.version, message.etag = reply.version, reply.etag
    message.table.CopyFrom(table_message(reply.table, reply.viewer, with_rules=with_rules))
    message.events.extend(event_messages(reply.events, reply.events_viewer))
    return answer
