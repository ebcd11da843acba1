"""The use cases of a table: load it, work out what it becomes, commit, and say through whose eyes the answer is seen.

Time, decks and the store are handed in; nothing here knows of gRPC or protobuf.
"""

import base64
import hashlib
import secrets
from collections.abc import AsyncGenerator
from contextlib import aclosing
from functools import partial

from msgspec.structs import replace

from engine import Action, Rules
from service import access, dealer, seating
from service.clock import Clock
from service.credentials import Caller, CredentialExpired, Keyring, SeatHolder
from service.damage import damage_of
from service.errors import FieldViolation, invalid_field, invalid_fields
from service.feed import Checkpoint, Feed
from service.lobby import NO_FILTER, LobbyFilter
from service.meters import Meters
from service.named_game import NamedGame
from service.replies import DeleteReply, Reply, SeenHappening, reply_to
from service.seat_service import SeatService
from service.shuffle import Shuffle
from service.snapshot import decode_summary
from service.standings import Standing, standings
from service.store.base import LobbyEntry, Store
from service.table import (
    ACTION_TIME_MS,
    DEAL_PAUSE_MS,
    MAX_BUY_IN,
    SIT_OUT_AFTER_MOST,
    TIME_BANK_MS,
    Change,
    Seating,
    Settings,
    Summary,
    Table,
)
from service.table_events import Happening, TableCreated, TableDeleted, leaves
from service.table_writer import Mutation, TableWriter
from service.tracing import Tracing

_LOBBY_PAGES_MOST = 8
_LOBBY_LOOKED_AT_MOST = 1000
"""A page of the lobby that filters leave short is filled up with so many pages of the store and tables at most."""


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
        *,
        idle_ttl_ms: int = 0,
    ) -> None:
        self._store = store
        self._clock = clock
        self._shuffle = shuffle
        self._feed = feed
        self._writer = TableWriter(store, clock, meters, tracing, idle_ttl_ms=idle_ttl_ms)
        self.seats = SeatService(self._writer, clock, keyring)

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
        return reply_to(caller, written, 0)

    async def get_table(self, caller: Caller, table_id: str, view_as: int) -> Reply:
        """Return a table as it is now."""
        table, seen_as = await self.seen(caller, table_id, view_as)
        return Reply(table, seen_as.seat if seen_as is not None else None, table.version, table.etag)

    async def get_standings(self, caller: Caller, table_id: str) -> tuple[Table, list[Standing]]:
        """Return a table and how its players stand, for everybody who may watch it."""
        table, _ = await self.seen(caller, table_id, 0)
        return table, standings(table)

    async def seen(self, caller: Caller, table_id: str, view_as: int) -> tuple[Table, Seating | None]:
        """Return a table as it is now and through whose eyes the caller sees it; None: a spectator's.

        Raises:
            ServiceError: if the caller may not see it, or not through those eyes.
        """
        table = access.require_table(caller, table_id, await self._writer.load(table_id))
        return table, access.seating_to_see_as(caller, table, view_as)

    async def list_tables(
        self, caller: Caller, page_size: int, page_token: str, filters: LobbyFilter = NO_FILTER
    ) -> tuple[list[Summary], str]:
        """Return a page of the tenant's lobby and the token of the next page, empty on the last one.

        The page holds what passes the filters. Few calls of the store are made for it, so that where little passes it
        may be short, or empty, without being the last.
        """
        operator = access.require_operator(caller)
        found: list[Summary] = []
        looked_at = 0
        for _ in range(_LOBBY_PAGES_MOST):
            try:
                with damage_of():
                    page = await self._store.list_tables(operator.tenant, page_size - len(found), page_token)
            except ValueError:
                raise invalid_field("page_token", page_token, "must be next_page_token of a page before") from None
            found += filter(filters.passes, map(_summary, page.entries))
            looked_at += len(page.entries)
            page_token = page.next_page_token
            if not page_token or len(found) >= page_size or looked_at >= _LOBBY_LOOKED_AT_MOST:
                break
        return found, page_token

    async def delete_table(self, caller: Caller, mutation: Mutation) -> DeleteReply:
        """End a table and pay everybody out; a running hand is void."""
        access.require_operator(caller)

        admit = partial(access.require_party, caller, mutation.table_id, 0)
        deleted = await self._writer.delete(caller, mutation, admit, seating.close)
        events = deleted.happening.events if deleted.happening is not None else ()
        return DeleteReply(deleted.version, deleted.etag, events, seating.payouts_of(deleted.result))

    async def pause_table(self, caller: Caller, mutation: Mutation, *, view_as: int) -> Reply:
        """Stop the clock of a table."""
        access.require_operator(caller)

        def work_out(table: Table) -> Change:
            return dealer.pause(table, self._clock.now_ms())

        admit = partial(access.require_party, caller, mutation.table_id, view_as)
        return reply_to(caller, await self._writer.change(caller, mutation, admit, work_out), view_as)

    async def resume_table(self, caller: Caller, mutation: Mutation, *, view_as: int) -> Reply:
        """Let the clock of a table run again."""
        access.require_operator(caller)

        def work_out(table: Table) -> Change:
            return dealer.resume(table, self._clock.now_ms())

        admit = partial(access.require_party, caller, mutation.table_id, view_as)
        return reply_to(caller, await self._writer.change(caller, mutation, admit, work_out), view_as)

    async def deal(self, caller: Caller, mutation: Mutation, *, named: NamedGame | None = None, view_as: int) -> Reply:
        """Start the next hand; ``named`` is the game it shall be, under dealer's choice."""

        def work_out(table: Table) -> Change:
            game = named
            if game is not None and isinstance(caller, SeatHolder):
                game = replace(game, seat=access.own_seating(caller, table).seat)
            return dealer.deal(table, self._shuffle.deck, self._clock.now_ms(), game)

        admit = partial(access.require_party, caller, mutation.table_id, view_as)
        return reply_to(caller, await self._writer.change(caller, mutation, admit, work_out), view_as)

    async def act(
        self, caller: Caller, mutation: Mutation, action: Action, *, seat: int, player_id: str, view_as: int
    ) -> Reply:
        """Play one action of the seat to act."""

        def work_out(table: Table) -> Change:
            actor = access.seating_to_act_for(caller, table, seat, player_id)
            return dealer.act(table, actor, action, self._clock.now_ms())

        admit = partial(access.require_party, caller, mutation.table_id, view_as)
        return reply_to(caller, await self._writer.change(caller, mutation, admit, work_out), view_as)

    async def showdown(self, caller: Caller, mutation: Mutation, *, view_as: int) -> Reply:
        """Settle a hand whose betting is over; settled again it is the same and nothing is committed."""

        def work_out(table: Table) -> Change | None:
            return dealer.show_down(table, self._clock.now_ms())

        admit = partial(access.require_party, caller, mutation.table_id, view_as)
        written = await self._writer.change(caller, mutation, admit, work_out)
        if written.happening is None and written.table.hand is not None:
            settled = await self._writer.happening(mutation.table_id, written.table.settled_version)
            written = replace(written, happening=settled)
        return reply_to(caller, written, view_as)

    async def expire(self, table_id: str) -> int | None:
        """Do what a table's time has come for, once, whoever else tries.

        Return how many milliseconds late; None: nothing was due.
        """
        late_ms = 0

        def work_out(table: Table) -> Change | None:
            nonlocal late_ms
            now_ms = self._clock.now_ms()
            late_ms = now_ms - (table.due_ms or now_ms)
            return dealer.expire(table, self._shuffle.deck, now_ms)

        written = await self._writer.advance(table_id, work_out)
        return late_ms if written is not None else None

    async def watch(
        self, caller: Caller, table_id: str, after_version: int, view_as: int
    ) -> AsyncGenerator[SeenHappening | Checkpoint, None]:
        """Follow a table from a version on, as the caller sees it.

        Raises:
            ServiceError: as ``Feed.watch`` does, and when the seating that the caller watches as has ended.
        """
        table, seen_as = await self.seen(caller, table_id, view_as)
        if seen_as is not None and seen_as.paid_out:
            # That the player left was told before, and whoever gets the seat next is somebody else.
            _check_still_seated(caller, seen_as)
            seen_as = None
        async with aclosing(self._feed.watch(table_id, after_version, table.hand_number)) as items:
            async for item in items:
                if isinstance(caller, SeatHolder) and caller.expires_s * 1000 <= self._clock.now_ms():
                    raise CredentialExpired("the seat token has expired")
                if isinstance(item, Checkpoint):
                    yield item
                    continue
                happening = item.happening
                yield SeenHappening(item, seen_as.viewer(happening.hand_number) if seen_as is not None else None)
                if TableDeleted() in happening.events:
                    return
                if seen_as is not None and happening.version > table.version and _has_left(happening, seen_as):
                    _check_still_seated(caller, seen_as)
                    seen_as = None


def _check_settings(settings: Settings) -> None:
    wrong: list[FieldViolation] = []
    if not 0 <= settings.min_buy_in <= MAX_BUY_IN:
        wrong.append(FieldViolation("min_buy_in", str(settings.min_buy_in), f"must be from 0 to {MAX_BUY_IN}"))
    if not max(1, settings.min_buy_in) <= settings.max_buy_in <= MAX_BUY_IN:
        allowed = f"must be from min_buy_in to {MAX_BUY_IN}"
        wrong.append(FieldViolation("max_buy_in", str(settings.max_buy_in), allowed))
    if not _within(ACTION_TIME_MS, settings.action_time_ms):
        wrong.append(FieldViolation("action_time", f"{settings.action_time_ms} ms", "must be 1 second to 1 day"))
    if not _within(TIME_BANK_MS, settings.time_bank_ms):
        wrong.append(FieldViolation("time_bank", f"{settings.time_bank_ms} ms", "must be 0 to 1 day"))
    if not 0 <= settings.sit_out_after <= SIT_OUT_AFTER_MOST:
        allowed = f"must be from 0 to {SIT_OUT_AFTER_MOST}"
        wrong.append(FieldViolation("sit_out_after", str(settings.sit_out_after), allowed))
    if not _within(DEAL_PAUSE_MS, settings.deal_pause_ms):
        wrong.append(FieldViolation("deal_pause", f"{settings.deal_pause_ms} ms", "must be 1 second to 1 hour"))
    if wrong:
        raise invalid_fields(wrong)


def _within(bounds: tuple[int, int], value: int) -> bool:
    return bounds[0] <= value <= bounds[1]


def _summary(entry: LobbyEntry) -> Summary:
    with damage_of(entry.table_id):
        return decode_summary(entry.summary)


def _table_id(tenant: str, request_id: str) -> str:
    """Return an id of 16 characters that is safe in a URL: made from the request id, so that a repeat finds it."""
    source = hashlib.sha256(f"{tenant}\0{request_id}".encode()).digest() if request_id else secrets.token_bytes(10)
    return base64.b32encode(source[:10]).decode().lower()


def _check_still_seated(caller: Caller, gone: Seating) -> None:
    """Refuse to go on showing a table to a player who has left; an operator goes on as a spectator."""
    if isinstance(caller, SeatHolder):
        raise access.seating_ended(gone.seat, gone.player_id)


def _has_left(happening: Happening, player: Seating) -> bool:
    return bool(leaves(happening.events, player.seat, player.player_id))
