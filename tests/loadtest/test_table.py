"""Whole tables against a real server, played in this process without Locust."""

import random
from collections.abc import Callable, Iterator

import pytest

from loadtest.client import Client, Connections
from loadtest.measurements import Measurements
from loadtest.server import Server
from loadtest.settings import Settings
from loadtest.table import LoadedTable, Stopped, large_bet
from proto.stud.v1 import stud_pb2 as pb

Open = Callable[..., tuple[LoadedTable, Measurements]]


@pytest.fixture
def opened(server: Server) -> Iterator[Open]:
    connections = Connections(server.address, count=1)

    def open_table(
        profile: str, players: int | None = None, seed: int = 1, pauses: int = 10**9
    ) -> tuple[LoadedTable, Measurements]:
        settings = Settings(server.address, server.operator_key, 1, 60.0, players, 0.0, profile, seed)
        measurements = Measurements()
        left = iter(range(pauses))

        def pause(_: float) -> None:
            if next(left, None) is None:
                raise Stopped

        def listen(rpc: str, seconds: float, retries: int, length: int, failure: object) -> None:
            measurements.add_call(rpc, seconds, retries, None if failure is None else str(failure))

        client = Client(connections, 0, listen)
        table = LoadedTable(client, settings, measurements, random.Random(seed), pause)
        table.open()
        return table, measurements

    yield open_table
    connections.close()


@pytest.mark.parametrize("profile", ["baseball", "seven-card-stud"])
@pytest.mark.parametrize("players", [2, 6])
def test_hands_are_played_and_every_reply_passes(opened: Open, profile: str, players: int) -> None:
    table, measurements = opened(profile, players, seed=players)
    for _ in range(12):
        table.play_hand()
    assert [] == measurements.violation_examples
    assert (12, 0) == (measurements.hands, measurements.failures)
    assert players <= measurements.by_rpc["TakeSeat"].calls
    assert measurements.by_rpc["Act"].calls == measurements.actions
    assert 12 == measurements.by_rpc["Deal"].calls
    assert {"CreateTable", "GetTable", "Showdown"} <= set(measurements.by_rpc)


def test_a_session_ends_after_its_pots(opened: Open) -> None:
    table, measurements = opened("baseball-home", players=4)
    while not table.over:
        table.play_hand()
        assert measurements.hands <= 8
    assert 8 == measurements.hands
    assert [] == measurements.violation_examples


def test_broke_players_and_quitters_are_replaced(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("loadtest.table.BUY_IN_BETS", (1, 3))
    table, measurements = opened("baseball", players=6, seed=5)
    for _ in range(15):
        table.play_hand()
    assert [] == measurements.violation_examples
    left = measurements.by_rpc["LeaveSeat"].calls
    assert left > 0
    assert 6 + left == measurements.by_rpc["TakeSeat"].calls


def test_the_number_of_players_is_drawn_where_none_is_asked_for(opened: Open) -> None:
    drawn = {opened("baseball", seed=seed)[1].by_rpc["TakeSeat"].calls for seed in range(30)}
    assert {2, 3, 4, 5, 6} == drawn


def test_a_stopped_table_makes_no_further_call(opened: Open) -> None:
    # Three seats, the deal and one action, after which no hand of three players can be over.
    table, measurements = opened("baseball", players=3, pauses=5)
    with pytest.raises(Stopped):
        table.play_hand()
    calls = {rpc: measured.calls for rpc, measured in measurements.by_rpc.items() if rpc != "GetTable"}
    assert {"CreateTable": 1, "TakeSeat": 3, "Deal": 1, "Act": 1} == calls
    assert (0, 1) == (measurements.hands, measurements.actions)


@pytest.mark.parametrize(
    ("structure", "expected"),
    [
        (pb.Structure(fixed_limit=pb.Structure.FixedLimit(low=2, high=4)), 4),
        (pb.Structure(one_unit=pb.Structure.OneUnit(bet=840)), 840),
        (pb.Structure(doubling=pb.Structure.Doubling(bet=2)), 2),
        (pb.Structure(spread=pb.Structure.Spread(min=1, max=5)), 5),
        (pb.Structure(pot_limit=pb.Structure.PotLimit(min=3)), 3),
        (pb.Structure(no_limit=pb.Structure.NoLimit(min=6)), 6),
    ],
)
def test_the_bet_that_buy_ins_are_measured_in(structure: pb.Structure, expected: int) -> None:
    assert expected == large_bet(pb.Rules(structure=structure))


def test_rules_without_a_structure_are_an_error() -> None:
    with pytest.raises(ValueError, match="structure"):
        large_bet(pb.Rules())
