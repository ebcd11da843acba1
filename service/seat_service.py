"""The use cases of a seat: a player comes, goes, sits out and brings chips.

Each loads the table, works out what it becomes, and commits; time and the store are handed in.
"""

from collections.abc import Callable, Sequence
from functools import partial

import msgspec
from msgspec.structs import replace

from engine.events import AnyEvent
from service import access, dealer, seating
from service.clock import Clock
from service.credentials import Caller, Keyring
from service.errors import Reason, ServiceError
from service.replies import LeaveReply, Reply, SeatReply, reply_to
from service.seating import Seated
from service.table import Change, Seating, Table
from service.table_events import AnyTableEvent, leaves
from service.table_writer import Mutation, TableWriter


class _TakenSeat(msgspec.Struct, frozen=True, array_like=True):
    """What is remembered of taking a seat, so that a token can be made again."""

    seat: int
    player_id: str
    number: int


class SeatService:
    """The seats of all tables."""

    def __init__(self, writer: TableWriter, clock: Clock, keyring: Keyring) -> None:
        self._writer = writer
        self._clock = clock
        self._keyring = keyring

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
        return SeatReply(reply_to(caller, written, view_as), place.seat, token.text, token.expires_ms)

    async def leave_seat(
        self, caller: Caller, mutation: Mutation, *, seat: int, player_id: str, view_as: int
    ) -> LeaveReply:
        """Let a player go: at once, or out of the running hand first."""

        def work_out(table: Table) -> Change:
            leaver = _seating(caller, table, seat, player_id)
            if table.playing and table.in_hand(leaver.seat):
                change = dealer.leave_hand(table, leaver, self._clock.now_ms())
                return replace(change, result=_stack_taken(change.events, leaver))
            left = seating.leave(table, leaver)
            return Change(left.table, left.events, _stack_taken(left.events, leaver))

        admit = partial(access.require_party, caller, mutation.table_id, view_as)
        written = await self._writer.change(caller, mutation, admit, work_out)
        return LeaveReply(reply_to(caller, written, view_as), int(written.result))

    async def sit_out(self, caller: Caller, mutation: Mutation, *, seat: int, player_id: str, view_as: int) -> Reply:
        """Have a player dealt out from the next hand on; one who is already stays so and nothing is committed."""
        return await self._change(caller, mutation, seat, player_id, view_as, seating.sit_out)

    async def sit_in(self, caller: Caller, mutation: Mutation, *, seat: int, player_id: str, view_as: int) -> Reply:
        """Have a player dealt in from the next hand on; one who is already stays so and nothing is committed."""
        return await self._change(caller, mutation, seat, player_id, view_as, seating.sit_in)

    async def add_chips(
        self, caller: Caller, mutation: Mutation, *, seat: int, player_id: str, amount: int, view_as: int
    ) -> Reply:
        """Add chips to a player's stack, at once or when the running hand ends."""
        access.require_operator(caller)
        add = partial(seating.add_chips, amount=amount)
        return await self._change(caller, mutation, seat, player_id, view_as, add)

    async def _change(
        self,
        caller: Caller,
        mutation: Mutation,
        seat: int,
        player_id: str,
        view_as: int,
        work_out: Callable[[Table, Seating], Seated | None],
    ) -> Reply:
        """Commit what becomes of one seating; None: it is as wanted already."""

        def change(table: Table) -> Change | None:
            seated = work_out(table, _seating(caller, table, seat, player_id))
            return None if seated is None else Change(seated.table, seated.events)

        admit = partial(access.require_party, caller, mutation.table_id, view_as)
        return reply_to(caller, await self._writer.change(caller, mutation, admit, change), view_as)


def _seating(caller: Caller, table: Table, seat: int, player_id: str) -> Seating:
    """Return the seating that the caller speaks for, unless its player is on the way out."""
    named = access.seating_to_act_for(caller, table, seat, player_id)
    if named.leaving:
        raise ServiceError(
            Reason.PLAYER_NOT_SEATED,
            f"player {named.player_id} has left; seat {named.seat} is free when the hand ends",
            metadata={"seat": named.seat, "player_id": named.player_id},
        )
    return named


def _stack_taken(events: Sequence[AnyEvent | AnyTableEvent], leaver: Seating) -> bytes:
    left = leaves(events, leaver.seat, leaver.player_id)
    return str(sum(event.stack for event in left)).encode()
