import pytest

from service.lobby import NO_FILTER, LobbyFilter
from service.table import Status, Summary


def summary(**fields) -> Summary:
    return Summary(**{"table_id": "t", "name": "", "profile": "football", "seats_taken": 2, "seats": 6,
                      "hand_number": 0, "version": 1, "min_buy_in": 1, "max_buy_in": 9, **fields})  # fmt: skip


FULL = {"seats_taken": 6}
OVER = {"session_over": True, "hand_number": 8}


@pytest.mark.parametrize("fields", [{}, FULL, OVER, {"playing": True, "hand_number": 1}])
def test_without_a_filter_every_table_passes(fields):
    assert NO_FILTER.passes(summary(**fields))


@pytest.mark.parametrize(
    ("filters", "fields", "passes"),
    [
        (LobbyFilter("football"), {}, True),
        (LobbyFilter("woolworth"), {}, False),
        (LobbyFilter(free_seats_only=True), {}, True),
        (LobbyFilter(free_seats_only=True), FULL, False),
        (LobbyFilter(free_seats_only=True), OVER, True),
        (LobbyFilter(joinable_only=True), {}, True),
        (LobbyFilter(joinable_only=True), FULL, False),
        (LobbyFilter(joinable_only=True), OVER, False),
        (LobbyFilter(status=Status.WAITING), {}, True),
        (LobbyFilter(status=Status.FINISHED), {}, False),
        (LobbyFilter(status=Status.FINISHED), {"hand_number": 3}, True),
        (LobbyFilter(status=Status.PLAYING), {"hand_number": 3, "playing": True}, True),
        (LobbyFilter(status=Status.SHOWDOWN), {"hand_number": 3, "playing": True, "showdown_due": True}, True),
        (LobbyFilter(status=Status.PLAYING), {"hand_number": 3, "playing": True, "showdown_due": True}, False),
        (LobbyFilter(status=Status.SESSION_OVER), OVER, True),
        (LobbyFilter("football", joinable_only=True, status=Status.WAITING), {}, True),
        (LobbyFilter("football", joinable_only=True, status=Status.WAITING), FULL, False),
    ],
)
def test_what_a_filter_lets_through(filters, fields, passes):
    assert passes == filters.passes(summary(**fields))
