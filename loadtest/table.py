"""One table of the load test: opened, seated, played hand after hand through the API, every reply checked."""

import random
import uuid
from collections.abc import Callable
from typing import Any

from google.protobuf.duration_pb2 import Duration

from loadtest.checks import TableChecks
from loadtest.client import Client
from loadtest.measurements import Measurements
from loadtest.player import chosen
from loadtest.settings import Settings
from proto.stud.v1 import stud_pb2 as pb

MOST_PLAYERS = 6
"""The largest number of players that is drawn where none is asked for."""

BUY_IN_BETS = (10, 80)
"""Buy-ins in large bets, from stacks that are soon all-in to stacks that last."""

LOOK_SHARE = 0.1
"""How often a player, a spectator or the operator reads the table before an action."""

OPERATOR_SHARE = 0.1
"""How often the operator acts for a player."""

QUIT_SHARE = 0.03
"""How often a player takes the chips and leaves between two hands, and another one sits down."""


class Stopped(Exception):
    """The run is over."""


class LoadedTable:
    """A table and its players. ``pause`` waits so many seconds and raises ``Stopped`` when the run is over.

    All methods raise ``client.CallFailed`` when a call fails; the table is of no more use then.
    """

    def __init__(
        self,
        client: Client,
        settings: Settings,
        measurements: Measurements,
        rng: random.Random,
        pause: Callable[[float], None],
    ) -> None:
        self._client = client
        self._settings = settings
        self._measurements = measurements
        self._rng = rng
        self._pause = pause
        self._checks = TableChecks()
        self._tokens: dict[int, str] = {}
        self._table = pb.Table()
        self._rules = pb.Rules()

    @property
    def over(self) -> bool:
        """Whether no further hand can be dealt here."""
        return self._table.status == pb.TABLE_STATUS_SESSION_OVER

    def open(self) -> None:
        """Create the table and seat its players."""
        request = pb.CreateTableRequest(
            profile=self._settings.profile,
            name="load test",
            request_id=_request_id(),
            action_time=Duration(seconds=self._action_time_s()),
        )
        reply = self._client.call(self._client.stub.CreateTable, request, self._settings.operator_key)
        self._rules = reply.table.rules
        self._changed("CreateTable", reply, viewer=0)
        most = self._rules.max_players
        players = self._settings.players or self._rng.randint(
            self._rules.min_players, max(self._rules.min_players, min(MOST_PLAYERS, most))
        )
        for seat in self._rng.sample(range(1, max(players, most) + 1), players):
            self._take_seat(seat)

    def play_hand(self) -> None:
        """Deal a hand and play it to its end, then let broke players and quitters be replaced."""
        self._deal()
        while self._table.status == pb.TABLE_STATUS_PLAYING:
            self._pause(self._think_time())
            self._look()
            self._act()
        if self._table.status == pb.TABLE_STATUS_SHOWDOWN:
            self._pause(0)
            self._showdown()
        self._measurements.hands += 1
        if not self.over:
            self._replace_players()

    def _deal(self) -> None:
        self._pause(0)
        bearer, viewer = self._somebody()
        request = pb.DealRequest(**self._change())
        self._changed("Deal", self._client.call(self._client.stub.Deal, request, bearer), viewer)

    def _act(self) -> None:
        seat = self._table.to_act_seat
        action = chosen(self._table.legal_actions, self._rules.minor_units, self._rng)
        request = pb.ActRequest(**self._change(), action=action)
        bearer, viewer = self._tokens[seat], seat
        if self._rng.random() < OPERATOR_SHARE:
            bearer, viewer = self._settings.operator_key, self._rng.choice((0, *self._tokens))
            request.seat, request.view_as = seat, viewer
        reply = self._client.call(self._client.stub.Act, request, bearer)
        self._measurements.actions += 1
        self._changed("Act", reply, viewer)

    def _showdown(self) -> None:
        bearer, viewer = self._somebody()
        request = pb.ShowdownRequest(**self._change())
        self._changed("Showdown", self._client.call(self._client.stub.Showdown, request, bearer), viewer)

    def _look(self) -> None:
        """Read the table: always as the seat to act where only it may see what it can do, else now and then."""
        seat = self._table.to_act_seat
        asked_in_secret = self._table.offer.purchase == pb.PURCHASE_KIND_HOLE_BONUS
        if not asked_in_secret and self._rng.random() >= LOOK_SHARE:
            return
        request = pb.GetTableRequest(table_id=self._table.table_id)
        views = [(self._tokens[seat], seat, 0)]
        if not asked_in_secret:
            as_seat = self._rng.choice(list(self._tokens))
            views += [("", 0, 0), (self._settings.operator_key, as_seat, as_seat)]
        bearer, viewer, request.view_as = self._rng.choice(views)
        reply = self._client.call(self._client.stub.GetTable, request, bearer)
        self._measurements.add_violations(self._checks.read(reply, viewer))
        self._table = reply.table

    def _replace_players(self) -> None:
        credit = self._rules.stakes == pb.STAKES_CREDIT
        for seat in self._table.seats:
            broke = not credit and seat.stack == 0
            if seat.player_id and (broke or self._rng.random() < QUIT_SHARE):
                self._leave_seat(seat.seat)
                self._take_seat(seat.seat)

    def _take_seat(self, seat: int) -> None:
        self._pause(0)
        stack = self._buy_in()
        request = pb.TakeSeatRequest(
            **self._change(), seat=seat, player_id=f"load-{uuid.uuid4().hex[:12]}", stack=stack
        )
        reply = self._client.call(self._client.stub.TakeSeat, request, self._settings.operator_key)
        self._tokens[seat] = reply.seat_token
        self._changed("TakeSeat", reply, viewer=0, brought=stack)

    def _leave_seat(self, seat: int) -> None:
        self._pause(0)
        request = pb.LeaveSeatRequest(**self._change(), seat=seat)
        reply = self._client.call(self._client.stub.LeaveSeat, request, self._settings.operator_key)
        del self._tokens[seat]
        self._changed("LeaveSeat", reply, viewer=0, brought=-reply.stack)

    def _somebody(self) -> tuple[str, int]:
        """Draw who calls for what anybody at the table may do: bearer and viewing seat."""
        if self._rng.random() < OPERATOR_SHARE:
            return self._settings.operator_key, 0
        seat = self._rng.choice(list(self._tokens))
        return self._tokens[seat], seat

    def _change(self) -> dict[str, Any]:
        """Return the fields of every change: repeatable, and made only to the table as it was last seen."""
        return {"table_id": self._table.table_id, "request_id": _request_id(), "etag": self._table.etag}

    def _changed(self, rpc: str, reply: Any, viewer: int, brought: int = 0) -> None:
        self._measurements.add_violations(self._checks.changed(rpc, reply, reply.events, viewer, brought=brought))
        self._table = reply.table

    def _buy_in(self) -> int:
        return large_bet(self._rules) * self._rng.randint(*BUY_IN_BETS)

    def _think_time(self) -> float:
        mean_s = self._settings.think_time_s
        return self._rng.expovariate(1 / mean_s) if mean_s else 0.0

    def _action_time_s(self) -> int:
        """Return how long a seat may think: long enough that no clock ever runs out on a player of the load test."""
        return min(86_400, 60 + round(30 * self._settings.think_time_s))


def large_bet(rules: pb.Rules) -> int:
    """Return the largest bet that every betting round allows or, without a limit, the smallest; in minor units."""
    structure = rules.structure
    match structure.WhichOneof("structure"):
        case "fixed_limit":
            return structure.fixed_limit.high
        case "one_unit":
            return structure.one_unit.bet
        case "doubling":
            return structure.doubling.bet
        case "spread":
            return structure.spread.max
        case "pot_limit":
            return structure.pot_limit.min
        case "no_limit":
            return structure.no_limit.min
    raise ValueError("the rules of the table have no betting structure")


def _request_id() -> str:
    return str(uuid.uuid4())
