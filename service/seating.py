"""Sitting down and leaving: what happens to seats and chips between and during hands.

All of it is pure: each function takes a table and returns a changed one with the events that say so. Chips are counted
when they come (``Table.brought``) and when they go (``Table.taken``), so that a table always knows what it must hold.
"""

import msgspec
from msgspec.structs import replace

import engine
from engine.rule_checks import MAX_AMOUNT
from engine.state import State
from service.errors import Reason, ServiceError, invalid_field
from service.table import Seating, Table
from service.table_events import AnyTableEvent, CarrySplit, SeatLeft, SeatTaken, SessionEnded


class Seated(msgspec.Struct, frozen=True):
    """A table after somebody sat down or left, and what happened."""

    table: Table
    seating: Seating
    events: tuple[AnyTableEvent, ...]


def take_seat(table: Table, player_id: str, seat: int, stack: int) -> Seated:
    """Seat a player with ``stack`` minor units; seat 0 is the lowest free one.

    Raises:
        ServiceError: if the session is over, the player sits here already, the seat is taken or there is none, or the
            stack is outside the table's bounds.
    """
    if table.session_over:
        raise ServiceError(
            Reason.SESSION_OVER, f"all {table.pots_played} pots have been played", metadata={"pots": table.pots_played}
        )
    already = table.seating_of(player_id)
    if already is not None:
        raise ServiceError(
            Reason.ALREADY_SEATED,
            f"player {player_id} sits in seat {already.seat}",
            metadata={"seat": already.seat, "player_id": player_id},
        )
    seat = _free_seat(table, seat)
    _check_stack(table, stack)
    number = table.seatings + 1
    seating = Seating(seat, player_id, stack, number, bought_in=stack, since_hand=table.hand_number)
    table = replace(table.seated(seating), seatings=number, brought=table.brought + stack)
    return Seated(table, seating, (SeatTaken(seat, player_id, stack),))


def leave(table: Table, seating: Seating) -> Seated:
    """Let a player go who holds no part in a running hand, with all chips.

    A rained-out pot for which too few would then be left is split first among those it belongs to.
    """
    events: list[AnyTableEvent] = []
    if table.carry and len(next_stacks(table.without(seating.seat))) < table.rules.min_players:
        table, split = _split_carry(table)
        events.append(split)
        seating = table.seating(seating.seat) or seating
    table = replace(table.without(seating.seat), taken=table.taken + seating.stack)
    return Seated(table, seating, (*events, SeatLeft(seating.seat, seating.player_id, seating.stack)))


def next_stacks(table: Table) -> dict[int, int]:
    """Return who takes part in the next hand and with how much, by seat.

    After rain a player without chips who was still in is dealt in for the carried pot; who had folded comes back only
    where the rules say so (rules, section 5.7).
    """
    stacks = {}
    for seating in table.seats:
        if seating.sitting_out or seating.leaving or seating.number in table.kept_out:
            continue
        able = abs(seating.stack) <= MAX_AMOUNT if table.rules.credit else seating.stack > 0
        if able or (table.carry and _was_in(table, seating)):
            stacks[seating.seat] = seating.stack
    return stacks


def _was_in(table: Table, seating: Seating) -> bool:
    """Whether a player had not folded when the last hand ended."""
    hand = table.hand
    return hand is not None and any(
        player.seat == seating.seat and not player.folded and seating.since_hand < table.hand_number
        for player in hand.players
    )


def _split_carry(table: Table) -> tuple[Table, CarrySplit]:
    dealt = table.hand.players if table.hand is not None else ()
    seated = [table.seating(player.seat) for player in dealt]
    owners = [seating for seating in seated if seating is not None and _was_in(table, seating)]
    shares = engine.shares_of_carry(table.carry, [seating.seat for seating in owners])
    split = CarrySplit(table.carry, tuple(shares.items()))
    for seating in owners:
        table = table.seated(replace(seating, stack=seating.stack + shares[seating.seat]))
    return replace(table, carry=0, kept_out=()), split


def settle(table: Table, hand: State) -> tuple[Table, tuple[AnyTableEvent, ...]]:
    """Carry a hand's new state to the table: leavers get what is theirs, and the end of the hand moves the stacks."""
    table = replace(table, hand=hand)
    events: list[AnyTableEvent] = []
    for player in hand.players:
        seating = table.seating(player.seat)
        if seating is None:
            continue
        if seating.leaving and not seating.paid_out and (player.folded or hand.finished):
            events.append(SeatLeft(seating.seat, seating.player_id, player.stack))
            seating = replace(seating, paid_out=True, stack=0)
            table = replace(table.seated(seating), taken=table.taken + player.stack)
        if hand.finished:
            table = (
                table.without(seating.seat) if seating.leaving else table.seated(replace(seating, stack=player.stack))
            )
    if hand.rained:
        folded = {player.seat for player in hand.players if player.folded}
        kept_out = {seating.number for seating in table.seats if seating.seat in folded} | set(table.kept_out)
        stay_out = tuple(sorted(kept_out)) if table.rules.rain_returns is False else ()
        table = replace(table, carry=hand.carry, kept_out=stay_out, deadline_ms=None)
    elif hand.finished:
        table = replace(table, pots_played=table.pots_played + 1, kept_out=(), deadline_ms=None)
        if table.session_over:
            events.append(SessionEnded(table.pots_played))
    return table, tuple(events)


def _free_seat(table: Table, seat: int) -> int:
    last = table.rules.max_players
    if not 0 <= seat <= last:
        raise invalid_field("seat", seat, f"must be from 1 to {last}, or 0 for any free one")
    if seat and table.seating(seat) is not None:
        raise ServiceError(Reason.SEAT_TAKEN, f"somebody sits in seat {seat}", metadata={"seat": seat})
    free = [number for number in range(1, last + 1) if table.seating(number) is None]
    if not free:
        raise ServiceError(Reason.TABLE_FULL, f"all {last} seats are taken", metadata={"seats": last})
    return seat or free[0]


def _check_stack(table: Table, stack: int) -> None:
    settings = table.settings
    # Under credit nobody needs chips to play: a least buy-in holds only where the creator wants one.
    least = 0 if table.rules.credit and settings.min_buy_in <= 1 else settings.min_buy_in
    # What the whole table holds must stay an amount that a hand can be played with.
    most = min(settings.max_buy_in, MAX_AMOUNT - (table.brought - table.taken))
    if not least <= stack <= most:
        raise invalid_field("stack", stack, f"must be from {least} to {most} at this table")
