"""The use cases of hands that are over: show one as the caller may see it, list those that are kept."""

from service.clock import Clock
from service.credentials import Caller
from service.damage import damage_of
from service.errors import Reason, ServiceError, invalid_field
from service.hands import PlayedHand
from service.replies import HandsPage, SeenHand
from service.snapshot import decode_happening, decode_record
from service.store.base import Store
from service.table import Table
from service.table_service import TableService


class HandHistory:
    """The finished hands of the tables of a store. ``ttl_s`` is for how long one is shown."""

    def __init__(self, store: Store, tables: TableService, clock: Clock, ttl_s: int) -> None:
        self._store = store
        self._tables = tables
        self._clock = clock
        self._ttl_ms = ttl_s * 1000

    async def get_hand(self, caller: Caller, table_id: str, number: int, view_as: int) -> SeenHand:
        """Return a finished hand.

        A player sees the own hole cards of the hands that this seating of the player was dealt into, and nobody else's.

        Raises:
            ServiceError: HAND_NOT_FOUND if it was not played, runs still or is no longer kept; and as the table itself
                is refused.
        """
        table, seen_as = await self._tables.seen(caller, table_id, view_as)
        with damage_of(table_id):
            kept = await self._store.hand(table_id, number, self._ended_since_ms())
            if kept is None:
                raise _not_found(table, number)
            played = PlayedHand(decode_record(kept.record), tuple(map(decode_happening, kept.events)))
        viewer = played.record.viewer(seen_as.number) if seen_as is not None else None
        return SeenHand(table, played, viewer)

    async def list_hands(self, caller: Caller, table_id: str, page_size: int, page_token: str) -> HandsPage:
        """Return a page of the finished hands that are kept, the newest first.

        Raises:
            ServiceError: for a page token that was not given out for this table; and as the table itself is refused.
        """
        table, _ = await self._tables.seen(caller, table_id, 0)
        with damage_of(table_id):
            try:
                page = await self._store.list_hands(table_id, page_size, page_token, self._ended_since_ms())
            except ValueError:
                allowed = "must be next_page_token of a page before, of the same table"
                raise invalid_field("page_token", page_token, allowed) from None
            return HandsPage(table, tuple(map(decode_record, page.records)), page.next_page_token)

    def _ended_since_ms(self) -> int:
        return self._clock.now_ms() - self._ttl_ms


def _not_found(table: Table, number: int) -> ServiceError:
    if number > table.hand_number:
        why = "has not been played"
    elif number == table.hand_number and table.playing:
        why = "is being played"
    else:
        why = "is no longer kept"
    return ServiceError(Reason.HAND_NOT_FOUND, f"hand {number} {why}", metadata={"hand_number": number})
