"""Who may do what at a table, and through whose eyes the answer is seen.

An operator acts for any player of its tenant's tables and sees what a spectator sees, unless it asks for a seat's view.
A seat token acts for and sees its own seat. Without credentials a caller may watch where the table allows it. Somebody
of another tenant cannot tell a table that exists from one that does not.
"""

from service.credentials import Anonymous, Caller, Operator, SeatHolder
from service.errors import FieldViolation, Reason, ServiceError, invalid_field, invalid_fields
from service.table import Seating, Table


def require_operator(caller: Caller) -> Operator:
    """Return the operator that calls.

    Raises:
        ServiceError: if it is somebody else.
    """
    if isinstance(caller, Operator):
        return caller
    _require_credentials(caller)
    raise ServiceError(Reason.OPERATOR_REQUIRED, "only an operator key may do this")


def require_table(caller: Caller, table_id: str, table: Table | None) -> Table:
    """Return the table if the caller may know of it.

    Raises:
        ServiceError: if it does not exist for this caller, or the caller's seat token is for another one.
    """
    hidden = table is None or (not isinstance(caller, Anonymous) and caller.tenant != table.tenant)
    if table is None or hidden:
        raise ServiceError(Reason.TABLE_NOT_FOUND, f"there is no table {table_id}", metadata={"table_id": table_id})
    if isinstance(caller, SeatHolder) and caller.table_id != table.table_id:
        raise ServiceError(
            Reason.NOT_YOUR_TABLE,
            f"the seat token is for table {caller.table_id}",
            metadata={"table_id": caller.table_id},
        )
    return table


def require_party(caller: Caller, table_id: str, view_as: int, table: Table | None) -> Table:
    """Return the table if the caller is its operator or sits at it: who may deal and have hands shown.

    Raises:
        ServiceError: if not, or if ``view_as`` is not for this caller to name.
    """
    _require_credentials(caller)
    table = require_table(caller, table_id, table)
    if isinstance(caller, SeatHolder):
        seating_to_see_as(caller, table, view_as)
    check_view_as(table, view_as)
    return table


def check_view_as(table: Table, view_as: int) -> None:
    """Refuse a view of a seat that does not exist at the table."""
    if not 0 <= view_as <= table.rules.max_players:
        raise invalid_field("view_as", view_as, f"must be a seat from 1 to {table.rules.max_players}, or 0")


def seating_to_act_for(caller: Caller, table: Table, seat: int, player_id: str) -> Seating:
    """Return the seating that the caller speaks for: the token's own, or the one an operator names.

    Raises:
        ServiceError: if the fields name another seat or player than the token, nobody at all, or two different ones.
    """
    if isinstance(caller, SeatHolder):
        own = own_seating(caller, table)
        if seat not in (0, own.seat) or player_id not in ("", own.player_id):
            raise _not_your_seat(own)
        return own
    require_operator(caller)
    if not seat and not player_id:
        allowed = "an operator names the seat or the player it acts for"
        raise invalid_fields([FieldViolation("seat", "0", allowed), FieldViolation("player_id", "", allowed)])
    named = table.seating(seat) if seat else table.seating_of(player_id)
    if named is None or player_id not in ("", named.player_id):
        raise _not_seated(seat, player_id)
    return named


def seating_to_see_as(caller: Caller, table: Table, view_as: int) -> Seating | None:
    """Return through whose eyes the caller sees the table, None: a spectator's.

    Raises:
        ServiceError: if the caller may not watch, or asks for a view that is not the caller's.
    """
    if isinstance(caller, SeatHolder):
        own = own_seating(caller, table)
        if view_as not in (0, own.seat):
            raise _not_your_seat(own)
        return own
    if isinstance(caller, Anonymous):
        if view_as:
            _require_credentials(caller)
        if not table.settings.spectators:
            raise ServiceError(Reason.SPECTATORS_REFUSED, "only its players and its operator may watch this table")
        return None
    check_view_as(table, view_as)
    if not view_as:
        return None
    seating = table.seating(view_as)
    if seating is None:
        raise _not_seated(view_as, "")
    return seating


def seating_if_seated(caller: Caller, table: Table, view_as: int) -> Seating | None:
    """Return through whose eyes the caller sees the table after a change: nobody's, if that player has left."""
    if isinstance(caller, SeatHolder):
        seating = table.seating(caller.seat)
        return seating if seating is not None and _is_of(caller, seating) else None
    return table.seating(view_as) if isinstance(caller, Operator) and view_as else None


def own_seating(caller: SeatHolder, table: Table) -> Seating:
    """Return the seating of a seat token.

    Raises:
        ServiceError: if the player has left it.
    """
    seating = table.seating(caller.seat)
    if seating is None or not _is_of(caller, seating):
        raise seating_ended(caller.seat, caller.player_id)
    return seating


def seating_ended(seat: int, player_id: str) -> ServiceError:
    """Return the refusal of a player who has left."""
    return ServiceError(Reason.SEATING_ENDED, f"player {player_id} has left seat {seat}")


def _is_of(caller: SeatHolder, seating: Seating) -> bool:
    return seating.number == caller.number and seating.player_id == caller.player_id


def _require_credentials(caller: Caller) -> None:
    if isinstance(caller, Anonymous):
        raise ServiceError(Reason.CREDENTIALS_MISSING, "this needs an operator key or a seat token")


def _not_your_seat(own: Seating) -> ServiceError:
    return ServiceError(
        Reason.NOT_YOUR_SEAT,
        f"the seat token is for seat {own.seat}, player {own.player_id}",
        metadata={"seat": own.seat, "player_id": own.player_id},
    )


def _not_seated(seat: int, player_id: str) -> ServiceError:
    if not player_id:
        why = f"nobody sits in seat {seat}"
    elif seat:
        why = f"player {player_id} does not sit in seat {seat}"
    else:
        why = f"player {player_id} is not at this table"
    return ServiceError(Reason.PLAYER_NOT_SEATED, why, metadata={"seat": seat, "player_id": player_id})
