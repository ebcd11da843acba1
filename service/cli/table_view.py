"""Tables as an operator looks at them on a terminal: the lobby, one table, and what happens there.

Names of tables and players are their makers' and are printed as they are, never read as markup.
"""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from google.protobuf.json_format import MessageToDict
from rich.console import Group
from rich.table import Table
from rich.text import Text

from proto.stud.v1 import stud_pb2 as pb


def lobby(tables: Iterable[pb.TableSummary]) -> Table:
    """Return the tables of a lobby, a row each."""
    shown = Table(title="Tables")
    for heading in ("table", "name", "game", "status"):
        shown.add_column(heading, no_wrap=heading == "table")
    for heading in ("seats", "hand", "version", "buy-in"):
        shown.add_column(heading, justify="right")
    for table in tables:
        shown.add_row(
            Text(table.table_id),
            Text(table.name),
            table.profile,
            _status(table.status),
            f"{table.seats_taken}/{table.seats}",
            str(table.hand_number),
            str(table.version),
            f"{table.min_buy_in:,} to {table.max_buy_in:,}",
        )
    return shown


def table_view(table: pb.Table) -> Group:
    """Return one table with its seats, as whoever asked for it sees it."""
    facts = Table.grid(padding=(0, 2))
    for name, value in _facts(table):
        facts.add_row(Text(name, style="dim"), Text(value))
    seats = Table(title="Seats")
    seats.add_column("seat", justify="right")
    seats.add_column("player")
    seats.add_column("stack", justify="right")
    seats.add_column("bet", justify="right")
    seats.add_column("cards")
    seats.add_column("")
    for seat in table.seats:
        seats.add_row(
            f"{seat.seat}{' *' if seat.seat == table.to_act_seat else ''}",
            Text(seat.player_id),
            f"{seat.stack:,}",
            f"{seat.bet:,}" if seat.in_hand else "",
            _cards(seat),
            ", ".join(_marks(seat, table)),
        )
    return Group(facts, seats)


def happened(message: pb.WatchTableResponse) -> list[Text]:
    """Return what a commit brought about, a line for each event."""
    when = message.time.ToDatetime(UTC).strftime("%H:%M:%S")
    head = f"{when}  version {message.version}  hand {message.hand_number}  "
    return [Text(head).append(_event(event)) for event in message.events]


def _event(event: pb.Event) -> str:
    kind = event.WhichOneof("kind")
    if kind is None:
        return "something this program does not know"
    fields: dict[str, Any] = MessageToDict(getattr(event, kind), preserving_proto_field_name=True)
    return " ".join((kind.replace("_", " "), *(f"{name}={_value(value)}" for name, value in fields.items())))


def _value(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(map(_value, value))
    if isinstance(value, dict):
        return "{" + " ".join(f"{name}={_value(each)}" for name, each in value.items()) + "}"
    return str(value)


def _facts(table: pb.Table) -> list[tuple[str, str]]:
    facts = [
        ("table", table.table_id + (f"  {table.name}" if table.name else "")),
        ("game", table.profile),
        ("status", _status(table.status) + (", paused" if table.paused else "")),
        ("version", f"{table.version}, {_instant(table.update_time.ToDatetime(UTC))}"),
        ("hand", f"{table.hand_number}, {table.pots_played} pots played"),
    ]
    if table.pots:
        facts.append(("pots", ", ".join(f"{pot.amount:,}" for pot in table.pots)))
    if table.to_act_seat:
        until = f" until {_instant(table.deadline.ToDatetime(UTC))}" if table.HasField("deadline") else ""
        facts.append(("to act", f"seat {table.to_act_seat}{until}"))
    if table.winner_seats:
        facts.append(("won by", ", ".join(f"seat {seat}" for seat in table.winner_seats)))
    return facts


def _marks(seat: pb.Seat, table: pb.Table) -> list[str]:
    marks = (
        ("dealer", seat.seat == table.button_seat),
        ("folded", seat.folded),
        ("all in", seat.all_in),
        ("out", seat.out),
        ("leaving", seat.leaving),
        ("sitting out", seat.sitting_out),
    )
    return [mark for mark, holds in marks if holds]


def _cards(seat: pb.Seat) -> str:
    down = f"({' '.join(seat.down_cards)})" if seat.down_cards else ""
    return " ".join((down, *seat.up_cards)).strip()


def _status(status: int) -> str:
    name = pb.TableStatus.Name(status) if status in pb.TableStatus.values() else str(status)  # type: ignore[arg-type]
    return name.removeprefix("TABLE_STATUS_").lower().replace("_", " ")


def _instant(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d %H:%M:%S UTC")
