"""The use cases of a table: load it, work out what it becomes, commit, and say through whose eyes the answer is seen.

Time, decks and the store are handed in; nothing here knows of gRPC or protobuf.
"""

import base64
import hashlib
import secrets
from collections.abc import AsyncGenerator, Sequence
from functools import partial
from typing import TypeGuard

import msgspec
from msgspec.structs import replace

from engine import Action, Rules
from engine.events import AnyEvent
from service import access, dealer, seating
from service.clock import Clock
from service.credentials import Caller, CredentialExpired, Keyring, SeatHolder
from service.errors import (
    FieldViolation,
    Reason,
    ServiceError,
    invalid_field,
    invalid_fields,
)
from service.feed import Checkpoint, Feed
from service.meters import Meters
from service.replies import LeaveReply, Reply, SeatReply, SeenHappening
from service.shuffle import Shuffle
from service.snapshot import decode_summary
from service.store.base import Store
from service.table import Change, Seating, Settings, Summary, Table
from service.table_events import AnyTableEvent, Happening, SeatLeft, TableCreated
from service.table_writer import Mutation, TableWriter, Written
from service.tracing import Tracing

_MAX_BUY_IN = 10**12
_ACTION_TIME_MS = (1000, 86_400_000)


class _TakenSeat(msgspec.Struct, frozen=True, array_like=True):
    """What is remembered of taking a seat, so that a token can be made again."""

    seat: int
    player_id: str
    number: int


class TableService:
    """The tables of a store."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        shuffle: Shuffle,
        keyring: Keyring,
        feed: Feed,
        meters: Meters | None = None,
        tracing: Tracing | None = None,
    ) -> None:
        self._store = store
        self._clock = clock
        self._shuffle = shuffle
        self._keyring = keyring
        self._feed = feed
        self._writer = TableWriter(store, clock, meters, tracing)

    async def create_table(
        self,
        caller: Caller,
        mutation: Mutation,
        *,
        profile: str,
        rules: Rules,
        settings: Settings,
    ) -> Reply:
        """Make a table that plays ``rules``, which are those of a profile or build on it.

        Its id follows from tenant and request id.

        Raises:
            ServiceError: for a caller who is no operator, or settings out of bounds.
        """
        operator = access.require_operator(caller)
        _check_settings(settings)
        now_ms = self._clock.now_ms()
        table = Table(
            table_id=_table_id(operator.tenant, mutation.request_id),
            tenant=operator.tenant,
            profile=profile,
            rules=rules,
            settings=settings,
            version=0,
            etag="",
            created_ms=now_ms,
            changed_ms=now_ms,
        )
        mutation = replace(mutation, table_id=table.table_id)
        written = await self._writer.create(caller, mutation, Change(table, (TableCreated(),)))
        return _reply(caller, written, 0)

    async def get_table(self, caller: Caller, table_id: str, view_as: int) -> Reply:
        """Return a table as it is now."""
        table = access.require_table(caller, table_id, await self._writer.load(table_id))
        seen_as = access.seating_to_see_as(caller, table, view_as)
        viewer = seen_as.viewer(table.hand_number) if seen_as is not None else None
        return Reply(table, viewer, table.version, table.etag)

    async def list_tables(
        self, caller: Caller, page_size: int, page_token: str, *, profile: str = "", free_seats_only: bool = False
    ) -> tuple[list[Summary], str]:
        """Return a page of the tenant's lobby and the token of the next page, empty on the last one.

        The page holds what passes the filters of ``page_size`` tables.
        """
        operator = access.require_operator(caller)
        try:
            page = await self._store.list_tables(operator.tenant, page_size, page_token)
        except ValueError:
            raise invalid_field("page_token", page_token, "must be next_page_token of a page before") from None
        entries = [decode_summary(entry.summary) for entry in page.entries]
        return [
            entry
            for entry in entries
            if profile in ("", entry.profile) and not (free_seats_only and entry.seats_taken >= entry.seats)
        ], page.next_page_token

    async def take_seat(
        self, caller: Caller, mutation: Mutation, *, player_id: str, seat: int, stack: int, view_as: int
    ) -> SeatReply:
        """Seat a player and make the token that proves it."""
        access.require_operator(caller)

        def work_out(table: Table) -> Change:
            seated = seating.take_seat(table, player_id, seat, stack)
            place = _TakenSeat(seated.seating.seat, player_id, seated.seating.number)
            return Change(seated.table, seated.events, msgspec.msgpack.encode(place))

        admit = partial(access.require_party, caller, mutation.table_id, view_as)
        written = await self._writer.change(caller, mutation, admit, work_out)
        place = msgspec.msgpack.decode(written.result, type=_TakenSeat)
        token = self._keyring.mint(
            written.table.tenant,
            mutation.table_id,
            place.seat,
            place.player_id,
            place.number,
            self._clock.now_ms(),
        )
        return SeatReply(_reply(caller, written, view_as), place.seat, token.text, token.expires_ms)

    async def leave_seat(
        self, caller: Caller, mutation: Mutation, *, seat: int, player_id: str, view_as: int
    ) -> LeaveReply:
        """Let a player go: at once, or out of the running hand first."""

        def work_out(table: Table) -> Change:
            leaver = access.seating_to_act_for(caller, table, seat, player_id)
            if leaver.leaving:
                raise ServiceError(
                    Reason.PLAYER_NOT_SEATED,
                    f"player {leaver.player_id} has left; seat {leaver.seat} is free when the hand ends",
                    metadata={"seat": leaver.seat, "player_id": leaver.player_id},
                )
            if table.playing and table.in_hand(leaver.seat):
                change = dealer.leave_hand(table, leaver, self._clock.now_ms())
                return replace(change, result=_stack_taken(change.events, leaver))
            left = seating.leave(table, leaver)
            return Change(left.table, left.events, _stack_taken(left.events, leaver))

        admit = partial(access.require_party, caller, mutation.table_id, view_as)
        written = await self._writer.change(caller, mutation, admit, work_out)
        return LeaveReply(_reply(caller, written, view_as), int(written.result))

    async def deal(self, caller: Caller, mutation: Mutation, *, own_game: bool = False, view_as: int) -> Reply:
        """Start the next hand; ``own_game`` says that the caller wants it to be another game than the table's."""

        def work_out(table: Table) -> Change:
            if own_game:
                raise ServiceError(
                    Reason.DEALERS_CHOICE_OFF, "this table always plays its own game; profile and rules stay empty"
                )
            return dealer.deal(table, self._shuffle.deck, self._clock.now_ms())

        admit = partial(access.require_party, caller, mutation.table_id, view_as)
        return _reply(caller, await self._writer.change(caller, mutation, admit, work_out), view_as)

    async def act(
        self, caller: Caller, mutation: Mutation, action: Action, *, seat: int, player_id: str, view_as: int
    ) -> Reply:
        """Play one action of the seat to act."""

        def work_out(table: Table) -> Change:
            actor = access.seating_to_act_for(caller, table, seat, player_id)
            return dealer.act(table, actor, action, self._clock.now_ms())

        admit = partial(access.require_party, caller, mutation.table_id, view_as)
        return _reply(caller, await self._writer.change(caller, mutation, admit, work_out), view_as)

    async def showdown(self, caller: Caller, mutation: Mutation, *, view_as: int) -> Reply:
        """Settle a hand whose betting is over; settled again it is the same and nothing is committed."""

        def work_out(table: Table) -> Change | None:
            return dealer.show_down(table, self._clock.now_ms())

        admit = partial(access.require_party, caller, mutation.table_id, view_as)
        written = await self._writer.change(caller, mutation, admit, work_out)
        if written.happening is None and written.table.hand is not None:
            settled = await self._writer.happening(mutation.table_id, written.table.settled_version)
            written = replace(written, happening=settled)
        return _reply(caller, written, view_as)

    async def watch(
        self, caller: Caller, table_id: str, after_version: int, view_as: int
    ) -> AsyncGenerator[SeenHappening | Checkpoint, None]:
        """Follow a table from a version on, as the caller sees it.

        Raises:
            ServiceError: as ``Feed.watch`` does, and when the seating that the caller watches as has ended.
        """
        table = access.require_table(caller, table_id, await self._writer.load(table_id))
        seen_as = access.seating_to_see_as(caller, table, view_as)
        async for item in self._feed.watch(table_id, after_version, table.hand_number):
            if isinstance(caller, SeatHolder) and caller.expires_s * 1000 <= self._clock.now_ms():
                raise CredentialExpired("the seat token has expired")
            if isinstance(item, Checkpoint):
                yield item
                continue
            yield SeenHappening(item, seen_as.viewer(item.hand_number) if seen_as is not None else None)
            if seen_as is not None and item.version > table.version and _has_left(item, seen_as):
                if isinstance(caller, SeatHolder):
                    raise access.seating_ended(seen_as.seat, seen_as.player_id)
                seen_as = None


def _check_settings(settings: Settings) -> None:
    wrong: list[FieldViolation] = []
    low_ms, high_ms = _ACTION_TIME_MS
    if not 0 <= settings.min_buy_in <= _MAX_BUY_IN:
        wrong.append(FieldViolation("min_buy_in", str(settings.min_buy_in), f"must be from 0 to {_MAX_BUY_IN}"))
    if not max(1, settings.min_buy_in) <= settings.max_buy_in <= _MAX_BUY_IN:
        allowed = f"must be from min_buy_in to {_MAX_BUY_IN}"
        wrong.append(FieldViolation("max_buy_in", str(settings.max_buy_in), allowed))
    if not low_ms <= settings.action_time_ms <= high_ms:
        wrong.append(FieldViolation("action_time", f"{settings.action_time_ms} ms", "must be 1 second to 1 day"))
    if wrong:
        raise invalid_fields(wrong)


def _table_id(tenant: str, request_id: str) -> str:
    """Return an id of 16 characters that is safe in a URL: made from the request id, so that a repeat finds it."""
    source = hashlib.sha256(f"{tenant}\0{request_id}".encode()).digest() if request_id else secrets.token_bytes(10)
    return base64.b32encode(source[:10]).decode().lower()


def _reply(caller: Caller, written: Written, view_as: int) -> Reply:
    """Return the answer to a change as the caller may see it now: who has left sees what a spectator sees."""
    table, happening = written.table, written.happening
    seen_as = access.seating_if_seated(caller, table, view_as)
    return Reply(
        table=table,
        viewer=seen_as.viewer(table.hand_number) if seen_as is not None else None,
        version=written.version,
        etag=written.etag,
        events=happening.events if happening is not None else (),
        events_viewer=seen_as.viewer(happening.hand_number) if seen_as is not None and happening else None,
    )


def _stack_taken(events: Sequence[AnyEvent | AnyTableEvent], leaver: Seating) -> bytes:
    return str(sum(event.stack for event in events if _is_leave(event, leaver))).encode()


def _has_left(happening: Happening, player: Seating) -> bool:
    return any(_is_leave(event, player) for event in happening.events)


def _is_leave(event: AnyEvent | AnyTableEvent, player: Seating) -> TypeGuard[SeatLeft]:
    return isinstance(event, SeatLeft) and event.seat == player.seat and event.player_id == player.player_id
