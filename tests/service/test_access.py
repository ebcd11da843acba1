from contextlib import contextmanager

import pytest
from msgspec.structs import replace

import engine
from service import access, seating
from service.credentials import Anonymous, Operator, SeatHolder
from service.errors import Reason, ServiceError
from service.table import Settings, Table

OPERATOR = Operator("acme", "acme/1")
NEIGHBOUR = Operator("zeta", "zeta")


def a_table(**settings) -> Table:
    table = Table("t", "acme", "baseball", engine.PROFILES["baseball"], Settings(**settings), 1, "1-x", 0, 0)
    for name in ("ann", "bob"):
        table = seating.take_seat(table, name, 0, 10).table
    return table


def holder(**fields) -> SeatHolder:
    ann = {"tenant": "acme", "table_id": "t", "seat": 1, "player_id": "ann", "number": 1, "expires_s": 10**12}
    return SeatHolder(**{**ann, **fields})


@contextmanager
def refused(reason):
    with pytest.raises(ServiceError) as refusal:
        yield refusal
    assert reason == refusal.value.reason


def test_operators_only():
    assert OPERATOR == access.require_operator(OPERATOR)
    for caller, reason in ((Anonymous(), Reason.CREDENTIALS_MISSING), (holder(), Reason.OPERATOR_REQUIRED)):
        with refused(reason):
            access.require_operator(caller)


def test_whose_table_it_is():
    table = a_table()
    for caller in (OPERATOR, holder(), Anonymous()):
        assert table == access.require_table(caller, "t", table)
        with refused(Reason.TABLE_NOT_FOUND):
            access.require_table(caller, "t", None)
    with refused(Reason.NOT_YOUR_TABLE) as refusal:
        access.require_table(holder(table_id="other"), "t", table)
    assert {"table_id": "other"} == refusal.value.metadata


def test_another_tenant_gets_the_same_answer_as_for_no_table():
    answers = []
    for caller in (NEIGHBOUR, holder(tenant="zeta")):
        for table in (a_table(), None):
            with pytest.raises(ServiceError) as refusal:
                access.require_table(caller, "t", table)
            answers.append((refusal.value.reason, refusal.value.message, str(refusal.value.metadata)))
    assert 1 == len(set(answers))


def test_a_party_of_the_table():
    table = a_table()
    for caller, view_as in ((OPERATOR, 0), (OPERATOR, 7), (holder(), 0), (holder(), 1)):
        assert table == access.require_party(caller, "t", view_as, table)
    for caller, view_as, reason in (
        (Anonymous(), 0, Reason.CREDENTIALS_MISSING),
        (NEIGHBOUR, 0, Reason.TABLE_NOT_FOUND),
        (holder(number=2), 0, Reason.SEATING_ENDED),
        (holder(seat=3), 0, Reason.SEATING_ENDED),
        (holder(player_id="bob"), 0, Reason.SEATING_ENDED),
        (holder(), 2, Reason.NOT_YOUR_SEAT),
        (OPERATOR, 8, Reason.INVALID_FIELD),
        (OPERATOR, -1, Reason.INVALID_FIELD),
    ):
        with refused(reason):
            access.require_party(caller, "t", view_as, table)


@pytest.mark.parametrize(
    ("caller", "seat", "player_id", "expected"),
    [
        (OPERATOR, 2, "", "bob"),
        (OPERATOR, 0, "bob", "bob"),
        (OPERATOR, 2, "bob", "bob"),
        (holder(), 0, "", "ann"),
        (holder(), 1, "", "ann"),
        (holder(), 1, "ann", "ann"),
        (OPERATOR, 0, "", Reason.INVALID_FIELD),
        (OPERATOR, 3, "", Reason.PLAYER_NOT_SEATED),
        (OPERATOR, 0, "cid", Reason.PLAYER_NOT_SEATED),
        (OPERATOR, 1, "bob", Reason.PLAYER_NOT_SEATED),
        (holder(), 2, "", Reason.NOT_YOUR_SEAT),
        (holder(), 0, "bob", Reason.NOT_YOUR_SEAT),
        (holder(), 1, "bob", Reason.NOT_YOUR_SEAT),
        (Anonymous(), 1, "", Reason.CREDENTIALS_MISSING),
    ],
)
def test_whom_a_caller_speaks_for(caller, seat, player_id, expected):
    if isinstance(expected, Reason):
        with refused(expected):
            access.seating_to_act_for(caller, a_table(), seat, player_id)
    else:
        assert expected == access.seating_to_act_for(caller, a_table(), seat, player_id).player_id


@pytest.mark.parametrize(
    ("seat", "player_id", "message"),
    [
        (3, "", "nobody sits in seat 3"),
        (0, "cid", "player cid is not at this table"),
        (1, "bob", "player bob does not sit in seat 1"),
        (3, "bob", "player bob does not sit in seat 3"),
    ],
)
def test_who_is_not_where_the_operator_says(seat, player_id, message):
    with pytest.raises(ServiceError) as refusal:
        access.seating_to_act_for(OPERATOR, a_table(), seat, player_id)
    assert (message, {"seat": str(seat), "player_id": player_id}) == (refusal.value.message, refusal.value.metadata)


@pytest.mark.parametrize(
    ("caller", "view_as", "spectators", "expected"),
    [
        (OPERATOR, 0, False, None),
        (OPERATOR, 2, False, "bob"),
        (OPERATOR, 3, True, Reason.PLAYER_NOT_SEATED),
        (OPERATOR, 8, True, Reason.INVALID_FIELD),
        (holder(), 0, False, "ann"),
        (holder(), 1, False, "ann"),
        (holder(), 2, True, Reason.NOT_YOUR_SEAT),
        (holder(number=9), 0, True, Reason.SEATING_ENDED),
        (Anonymous(), 0, True, None),
        (Anonymous(), 0, False, Reason.SPECTATORS_REFUSED),
        (Anonymous(), 1, False, Reason.CREDENTIALS_MISSING),
        (Anonymous(), 1, True, Reason.CREDENTIALS_MISSING),
    ],
)
def test_through_whose_eyes_a_caller_sees(caller, view_as, spectators, expected):
    table = a_table(spectators=spectators)
    if isinstance(expected, Reason):
        with refused(expected):
            access.seating_to_see_as(caller, table, view_as)
        return
    seen_as = access.seating_to_see_as(caller, table, view_as)
    assert expected == (None if seen_as is None else seen_as.player_id)


def test_after_a_change_who_has_left_sees_what_a_spectator_sees():
    table = a_table()
    assert "ann" == access.seating_if_seated(holder(), table, 0).player_id
    assert "bob" == access.seating_if_seated(OPERATOR, table, 2).player_id
    for caller, view_as in ((OPERATOR, 0), (OPERATOR, 5), (Anonymous(), 0), (Anonymous(), 2)):
        assert access.seating_if_seated(caller, table, view_as) is None
    assert access.seating_if_seated(holder(), table.without(1), 0) is None
    assert access.seating_if_seated(holder(), table.seated(replace(table.seats[0], number=5)), 0) is None
