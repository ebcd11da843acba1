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
from service.table import Change, Seating, Table
from service.table_events import (
    AnyTableEvent,
    CarrySplit,
    ChipsAdded,
    ChipsQueued,
    HandVoided,
    SatIn,
    SatOut,
    SeatLeft,
    SeatTaken,
    SessionEnded,
    TableDeleted,
)


class Seated(msgspec.Struct, frozen=True):
    """A table after somebody sat down, left or brought chips, and what happened."""

    table: Table
    seating: Seating
    events: tuple[AnyTableEvent, ...]


class Payout(msgspec.Struct, frozen=True, array_like=True):
    """What a player gets when the table ends."""

    player_id: str
    seat: int
    amount: int


def take_seat(table: Table, player_id: str, seat: int, stack: int) -> Seated:
    """Seat a player with ``stack`` minor units; seat 0 is the lowest free one.

    Raises:
        ServiceError: if the session is over, the player sits here already, the seat is taken or there is none, or the
            stack is outside the table's bounds.
    """
    check_session(table)
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
    seating = Seating(
        seat,
        player_id,
        stack,
        number,
        bought_in=stack,
        since_hand=table.hand_number,
        time_bank_ms=table.settings.time_bank_ms,
    )
    table = replace(table.seated(seating), seatings=number, brought=table.brought + stack)
    return Seated(table, seating, (SeatTaken(seat, player_id, stack),))


def leave(table: Table, seating: Seating) -> Seated:
    """Let a player go who holds no part in a running hand, with all chips.

    A rained-out pot for which too few would then be left is split first among those it belongs to.
    """
    events: list[AnyTableEvent] = []
    if _too_few(table.without(seating.seat)):
        table, split = _split_carry(table)
        events += split
        seating = table.seating(seating.seat) or seating
    table = table.departing(seating, seating.stack).without(seating.seat)
    return Seated(table, seating, (*events, SeatLeft(seating.seat, seating.player_id, seating.stack)))


def sit_out(table: Table, seating: Seating) -> Seated | None:
    """Have a player dealt out from the next hand on; None: it is so already.

    A rained-out pot for which too few are then left is split: else those who have to stay out until it is won could
    not play for as long as its owners sit out.
    """
    if seating.sitting_out:
        return None
    seating = replace(seating, sitting_out=True)
    table = table.seated(seating)
    events: list[AnyTableEvent] = [SatOut(seating.seat)]
    if _too_few(table):
        table, split = _split_carry(table)
        events += split
    return Seated(table, table.seating(seating.seat) or seating, tuple(events))


def sit_in(table: Table, seating: Seating) -> Seated | None:
    """Have a player dealt in from the next hand on; None: it is so already."""
    if not seating.sitting_out:
        return None
    seating = replace(seating, sitting_out=False, timeouts=0)
    return Seated(table.seated(seating), seating, (SatIn(seating.seat),))


def add_chips(table: Table, seating: Seating, amount: int) -> Seated:
    """Add chips to a stack: at once, or at the end of the running hand that the player is in.

    Raises:
        ServiceError: if the session is over, or the chips would raise the stack above the table's maximum.
    """
    check_session(table)
    if amount < 1:
        raise invalid_field("amount", amount, "must be at least 1")
    stack, most = table.stack_of(seating) + seating.adding, table.settings.max_buy_in
    if stack + amount > most:
        raise ServiceError(
            Reason.STACK_TOO_LARGE,
            f"seat {seating.seat} has {stack}, with {amount} more it would have more than {most}",
            metadata={"stack": stack, "max_buy_in": most},
        )
    room = _room(table)
    if amount > room:
        raise invalid_field("amount", amount, f"must be at most {room}: no table holds more than {MAX_AMOUNT}")
    if table.playing and table.in_hand(seating.seat):
        seating = replace(seating, adding=seating.adding + amount)
        return Seated(table.seated(seating), seating, (ChipsQueued(seating.seat, amount),))
    return _with_chips(table, seating, amount)


def close(table: Table) -> Change:
    """End a table and pay everybody out; the result tells the payouts.

    A running hand is void, so everybody has again what was brought into it; a leaver has the rest of that. A carried
    pot is split among those it belongs to, whether it still waits or lies in the void hand. Chips that wait for the
    end of the hand never come.
    """
    events: list[AnyTableEvent] = []
    if table.hand is not None and table.playing:
        table, voided = _void(table, table.hand)
        events.append(voided)
    if table.carry:
        table, split = _split_carry(table)
        events += split
    payouts = []
    for seating in table.seats:
        payouts.append(Payout(seating.player_id, seating.seat, seating.stack))
        events.append(SeatLeft(seating.seat, seating.player_id, seating.stack))
        table = table.departing(seating, seating.stack)
    result = msgspec.msgpack.encode(payouts)
    return Change(replace(table, seats=()), (*events, TableDeleted()), result, deleted=True)


def payouts_of(result: bytes) -> tuple[Payout, ...]:
    """Return who gets what, from the result of ``close``."""
    return msgspec.msgpack.decode(result, type=tuple[Payout, ...])


def next_stacks(table: Table) -> dict[int, int]:
    """Return who takes part in the next hand and with how much, by seat.

    After rain a player without chips who was still in is dealt in for the carried pot; who had folded comes back only
    where the rules say so (rules, section 5.7).
    """
    stacks = {}
    for seating in table.seats:
        if seating.sitting_out or seating.leaving or seating.number in table.kept_out:
            continue
        if table.rules.credit:
            able = abs(seating.stack) <= MAX_AMOUNT
        else:
            able = seating.stack > 0 or (table.carry > 0 and seating.number in table.carry_owners)
        if able:
            stacks[seating.seat] = seating.stack
    return stacks


def settle(table: Table, hand: State) -> tuple[Table, tuple[AnyTableEvent, ...]]:
    """Carry a hand's new state to the table: leavers get what is theirs, and the end of the hand moves the stacks."""
    table = replace(table, hand=hand)
    if hand.finished:
        return _finish(table, hand)
    events: list[AnyTableEvent] = []
    for player in hand.players:
        seating = table.seating(player.seat)
        if seating is not None and seating.leaving and not seating.paid_out and player.folded:
            events.append(SeatLeft(seating.seat, seating.player_id, player.stack))
            table = table.seated(replace(seating, paid_out=True)).departing(seating, player.stack)
    return table, tuple(events)


def check_session(table: Table) -> None:
    """Refuse to go on after the last pot of the session."""
    if table.session_over:
        raise ServiceError(
            Reason.SESSION_OVER, f"all {table.pots_played} pots have been played", metadata={"pots": table.pots_played}
        )


def _finish(table: Table, hand: State) -> tuple[Table, tuple[AnyTableEvent, ...]]:
    events: list[AnyTableEvent] = []
    for player in hand.players:
        seating = table.seating(player.seat)
        if seating is not None and not seating.paid_out:
            table = table.seated(replace(seating, stack=player.stack))
    table = replace(table, deadline_ms=None)
    if hand.rained:
        table = _carried(table, hand)
        # A pot beyond all bounds, which only credit can make, is more than a hand can begin with.
        if _too_few(table) or table.carry > MAX_AMOUNT:
            table, split = _split_carry(table)
            events += split
    else:
        table = replace(table, pots_played=table.pots_played + 1, kept_out=(), carry_owners=())
    for seating in table.seats:
        if seating.leaving and not seating.paid_out:
            events.append(SeatLeft(seating.seat, seating.player_id, seating.stack))
            table = table.departing(seating, seating.stack)
        if seating.leaving:
            table = table.without(seating.seat)
        elif seating.adding:
            added = _with_chips(table, replace(seating, adding=0), seating.adding)
            table = added.table
            events += added.events
    if table.session_over:
        events.append(SessionEnded(table.pots_played))
    return table, tuple(events)


def _carried(table: Table, hand: State) -> Table:
    """Return the table with a rained-out pot in the middle, and who it belongs to."""
    folded = {player.seat for player in hand.players if player.folded}
    dealt = [seating for player in hand.players if (seating := table.seating(player.seat)) is not None]
    owners = tuple(seating.number for seating in dealt if seating.seat not in folded)
    kept_out: tuple[int, ...] = ()
    if hand.rules.rain_returns is False:
        # Who was not dealt in because of an earlier rain stays out too.
        kept_out = tuple(sorted({each.number for each in dealt if each.seat in folded} | set(table.kept_out)))
    return replace(table, carry=hand.carry, carry_owners=owners, kept_out=kept_out)


def _too_few(table: Table) -> bool:
    """Say whether a rained-out pot waits and too few are there to play for it."""
    return table.redeal and len(next_stacks(table)) < table.next_rules.min_players


def _split_carry(table: Table) -> tuple[Table, tuple[CarrySplit, ...]]:
    """Split a rained-out pot that no hand is dealt for; nothing is to be told of one that is empty."""
    owners = [seating for seating in table.seats if seating.number in table.carry_owners]
    if not owners:
        # All of them have left, so that it belongs to those who could have played for it.
        able = next_stacks(table)
        owners = [seating for seating in table.seats if seating.seat in able] or list(table.seats)
    owners.sort(key=lambda seating: (seating.seat <= table.button, seating.seat))
    shares = engine.shares_of_carry(table.carry, [seating.seat for seating in owners])
    split = (CarrySplit(table.carry, tuple(shares.items())),) if table.carry else ()
    for seating in owners:
        table = table.seated(replace(seating, stack=seating.stack + shares[seating.seat]))
    return replace(table, carry=0, carry_owners=(), kept_out=()), split


def _void(table: Table, hand: State) -> tuple[Table, HandVoided]:
    """Give everybody back what was paid into the running hand; a carried pot lies in the middle again."""
    returned = {}
    brought_in = 0
    for player in hand.players:
        seating = table.seating(player.seat)
        if seating is None:
            continue
        brought_in += seating.stack
        returned[player.seat] = seating.stack - player.stack
        if seating.paid_out:
            table = table.seated(replace(seating, stack=returned[player.seat], bought_in=0))
    table = replace(table, hand=None, deadline_ms=None, carry=hand.chips - brought_in)
    return table, HandVoided(tuple((seat, amount) for seat, amount in returned.items() if amount))


def _with_chips(table: Table, seating: Seating, amount: int) -> Seated:
    seating = replace(seating, stack=seating.stack + amount, bought_in=seating.bought_in + amount)
    table = replace(table.seated(seating), brought=table.brought + amount)
    return Seated(table, seating, (ChipsAdded(seating.seat, amount),))


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
    most = min(settings.max_buy_in, _room(table))
    if not least <= stack <= most:
        raise invalid_field("stack", stack, f"must be from {least} to {most} at this table")


def _room(table: Table) -> int:
    """Return how many chips may still come: what the whole table holds must be playable in one hand."""
    waiting = sum(seating.adding for seating in table.seats)
    return MAX_AMOUNT - (table.brought - table.taken) - waiting
