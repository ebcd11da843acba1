"""Fields of requests: each bad one is named with its value and what is allowed, and all of them at once."""

from types import SimpleNamespace

import pytest
from google.protobuf.duration_pb2 import Duration

from engine import Action, ActionKind
from engine.rule_checks import MAX_AMOUNT
from proto.stud.v1 import stud_pb2
from service.codec_requests import RequestFields
from service.errors import Reason, ServiceError
from service.table import Settings

UUID = "123e4567-e89b-42d3-a456-426614174000"


def refused(request, read) -> dict[str, tuple[str, str]]:
    """Read a request and return what is refused of it."""
    with pytest.raises(ServiceError) as caught, RequestFields(request) as fields:
        read(fields)
    assert Reason.INVALID_FIELD == caught.value.reason
    return {violation.field: (violation.value, violation.description) for violation in caught.value.fields}


def read_action(kind: int, to: int) -> Action:
    with RequestFields(stud_pb2.ActRequest(action=stud_pb2.Action(kind=kind, to=to))) as fields:
        return fields.action()


def refused_action(kind: int, to: int) -> dict[str, tuple[str, str]]:
    return refused(stud_pb2.ActRequest(action=stud_pb2.Action(kind=kind, to=to)), RequestFields.action)


SENT = [kind for kind in ActionKind if kind not in (ActionKind.SHOWDOWN, ActionKind.LEAVE)]
SIZED = [ActionKind.BET, ActionKind.RAISE, ActionKind.COMPLETE]
SIZELESS = [ActionKind.FOLD, ActionKind.CHECK, ActionKind.DECLINE, ActionKind.KEEP, ActionKind.ROLL]


def number(kind: ActionKind) -> int:
    return stud_pb2.ActionKind.Value(f"ACTION_KIND_{kind.upper()}")


@pytest.mark.parametrize("kind", SENT)
def test_an_action_is_read(kind) -> None:
    to = 0 if kind in SIZELESS else 25

    assert Action(kind, to) == read_action(number(kind), to)


def test_every_kind_of_the_api_is_one_of_the_engine() -> None:
    assert {number(kind) for kind in SENT} == {value for value in stud_pb2.ActionKind.values() if value}


@pytest.mark.parametrize(
    "kind", [ActionKind.CALL, ActionKind.BRING_IN, ActionKind.BUY, ActionKind.REPLACE, ActionKind.CLAIM]
)
@pytest.mark.parametrize("to", [0, 1, MAX_AMOUNT])
def test_some_actions_may_name_their_amount(kind, to) -> None:
    assert Action(kind, to) == read_action(number(kind), to)


@pytest.mark.parametrize("kind", SENT)
@pytest.mark.parametrize("to", [-1, -5, MAX_AMOUNT + 1, 2**62, 2**63 - 1, -(2**63)])
def test_an_impossible_amount_is_refused(kind, to) -> None:
    assert {"action.to": (str(to), f"must be from 0 to {MAX_AMOUNT}")} == refused_action(number(kind), to)


@pytest.mark.parametrize("kind", SIZED)
def test_a_bet_names_its_amount(kind) -> None:
    value, allowed = refused_action(number(kind), 0)["action.to"]

    assert "0" == value
    assert f"must be named for {kind}" in allowed


@pytest.mark.parametrize("kind", SIZELESS)
def test_an_action_without_an_amount_names_none(kind) -> None:
    assert {"action.to": ("5", f"must be 0 for {kind}")} == refused_action(number(kind), 5)


@pytest.mark.parametrize("kind", [0, 14, 99, -1, 2**31 - 1])
def test_an_unknown_action_is_told_the_known_ones(kind) -> None:
    value, allowed = refused_action(kind, 0)["action.kind"]

    assert str(kind) == value
    assert allowed.startswith("must be one of ACTION_KIND_FOLD, ")
    assert "UNSPECIFIED" not in allowed


def test_a_missing_action_is_refused() -> None:
    assert {"action.kind"} == refused(stud_pb2.ActRequest(), RequestFields.action).keys()


@pytest.mark.parametrize("text", ["", " ", "a b", "x" * 65, "tàble", "a/b", "{a}", "a\n", "a\0"])
def test_an_impossible_table_id_is_refused(text) -> None:
    request = stud_pb2.GetTableRequest(table_id=text)

    value, allowed = refused(request, RequestFields.table_id)["table_id"]

    assert text == value
    assert "1 to 64 characters" in allowed


@pytest.mark.parametrize("text", ["a", "x" * 64, "mfrggzdfmztwq2lk", "A-b_9"])
def test_a_table_id_is_read(text) -> None:
    with RequestFields(stud_pb2.GetTableRequest(table_id=text)) as fields:
        assert text == fields.table_id()


@pytest.mark.parametrize("text", ["ann", "user:7@example.org", "x" * 64, "-._:@"])
def test_a_player_id_is_read(text) -> None:
    with RequestFields(stud_pb2.TakeSeatRequest(player_id=text)) as fields:
        assert (text, text) == (fields.player_id(), fields.player_id(required=True))


@pytest.mark.parametrize("text", ["a b", "x" * 65, "ann\n", "änn", "\u202eann", "a\0"])
def test_an_impossible_player_id_is_refused(text) -> None:
    assert {"player_id"} == refused(stud_pb2.TakeSeatRequest(player_id=text), RequestFields.player_id).keys()


def test_a_player_id_may_be_missing_only_where_that_is_said() -> None:
    request = stud_pb2.TakeSeatRequest()

    with RequestFields(request) as fields:
        assert "" == fields.player_id()
    assert {"player_id"} == refused(request, lambda fields: fields.player_id(required=True)).keys()


@pytest.mark.parametrize("text", ["", UUID, UUID.upper()])
def test_a_request_id_is_read_in_small_letters(text) -> None:
    with RequestFields(stud_pb2.ActRequest(request_id=text)) as fields:
        assert text.lower() == fields.request_id()


@pytest.mark.parametrize(
    "text",
    ["1", UUID[:-1], f"{UUID}0", f"{{{UUID}}}", UUID.replace("-", ""), f"urn:uuid:{UUID}", f"{UUID}\n", "x" * 10_000],
)
def test_a_request_id_that_is_no_uuid_is_refused(text) -> None:
    value, allowed = refused(stud_pb2.ActRequest(request_id=text), RequestFields.request_id)["request_id"]

    assert text == value
    assert "UUID" in allowed


@pytest.mark.parametrize("text", ["x" * 65, "a b", "ü", "a\n"])
def test_an_impossible_etag_is_refused(text) -> None:
    assert {"etag"} == refused(stud_pb2.ActRequest(etag=text), RequestFields.etag).keys()


@pytest.mark.parametrize(("given", "expected"), [(0, 100), (1, 1), (1000, 1000)])
def test_a_page_size_is_read(given, expected) -> None:
    with RequestFields(stud_pb2.ListTablesRequest(page_size=given)) as fields:
        assert expected == fields.page_size()


@pytest.mark.parametrize("given", [-1, 1001, 2**31 - 1, -(2**31)])
def test_an_impossible_page_size_is_refused(given) -> None:
    request = stud_pb2.ListTablesRequest(page_size=given)

    assert {"page_size": (str(given), "must be from 0 to 1000")} == refused(request, RequestFields.page_size)


@pytest.mark.parametrize("given", ["\n", "x" * 513, "é"])
def test_an_impossible_page_token_is_refused(given) -> None:
    assert {"page_token"} == refused(stud_pb2.ListTablesRequest(page_token=given), RequestFields.page_token).keys()


@pytest.mark.parametrize("given", [-1, -(2**63)])
def test_an_impossible_version_is_refused(given) -> None:
    request = stud_pb2.WatchTableRequest(after_version=given)

    assert {"after_version"} == refused(request, RequestFields.after_version).keys()


@pytest.mark.parametrize("given", [0, -1])
def test_hands_count_from_one(given) -> None:
    assert {"hand_number"} == refused(stud_pb2.GetHandRequest(hand_number=given), RequestFields.hand_number).keys()


@pytest.mark.parametrize("given", [-1, 8, 2**31 - 1])
def test_an_impossible_seat_is_refused(given) -> None:
    request = stud_pb2.ActRequest(seat=given, view_as=given)

    wrong = refused(request, lambda fields: (fields.seat(), fields.view_as()))

    assert {"seat", "view_as"} == wrong.keys()
    assert (str(given), "must be from 0 to 7") == wrong["seat"]


@pytest.mark.parametrize("given", [-1, 0, MAX_AMOUNT + 1, 2**63 - 1])
def test_an_impossible_amount_of_chips_is_refused(given) -> None:
    request = stud_pb2.AddChipsRequest(amount=given)

    wrong = refused(request, lambda fields: fields.amount("amount", least=1))

    assert {"amount": (str(given), f"must be from 1 to {MAX_AMOUNT}")} == wrong


def test_everything_that_is_wrong_is_told_at_once() -> None:
    request = stud_pb2.ActRequest(
        table_id="?", seat=9, player_id=" ", view_as=-1, request_id="1", etag=" ", action=stud_pb2.Action(kind=1, to=-1)
    )

    def read(fields: RequestFields) -> None:
        fields.table_id()
        fields.seat()
        fields.player_id()
        fields.view_as()
        fields.request_id()
        fields.etag()
        fields.action()

    assert {"table_id", "seat", "player_id", "view_as", "request_id", "etag", "action.to"} == refused(
        request, read
    ).keys()


def test_an_error_inside_the_block_is_not_replaced() -> None:
    def read() -> None:
        with RequestFields(SimpleNamespace(table_id="?")) as fields:
            fields.table_id()
            raise KeyError

    with pytest.raises(KeyError):
        read()


def test_a_table_has_defaults() -> None:
    with RequestFields(stud_pb2.CreateTableRequest()) as fields:
        assert Settings() == fields.settings()


def test_settings_are_read() -> None:
    request = stud_pb2.CreateTableRequest(
        name="Home game ♠",
        min_buy_in=40,
        max_buy_in=400,
        spectators=False,
        action_time=Duration(seconds=7, nanos=250_000_000),
        auto_deal=True,
        time_bank=Duration(seconds=60),
        sit_out_after=0,
        deal_pause=Duration(seconds=2, nanos=500_000_000),
    )

    with RequestFields(request) as fields:
        settings = fields.settings()

    assert Settings("Home game ♠", 40, 400, False, 7250, True, 60_000, 0, 2500) == settings


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        (stud_pb2.CreateTableRequest(name="x" * 65), "name"),
        (stud_pb2.CreateTableRequest(name="a\nb"), "name"),
        (stud_pb2.CreateTableRequest(name="\u202etxt"), "name"),
        (stud_pb2.CreateTableRequest(min_buy_in=-1), "min_buy_in"),
        (stud_pb2.CreateTableRequest(max_buy_in=2**63 - 1), "max_buy_in"),
        (stud_pb2.CreateTableRequest(action_time=Duration()), "action_time"),
        (stud_pb2.CreateTableRequest(action_time=Duration(nanos=999_999_999)), "action_time"),
        (stud_pb2.CreateTableRequest(action_time=Duration(seconds=-5)), "action_time"),
        (stud_pb2.CreateTableRequest(action_time=Duration(seconds=86_401)), "action_time"),
        (stud_pb2.CreateTableRequest(action_time=Duration(seconds=2**62)), "action_time"),
        (stud_pb2.CreateTableRequest(action_time=Duration(seconds=5, nanos=-1)), "action_time"),
        (stud_pb2.CreateTableRequest(action_time=Duration(seconds=5, nanos=2_000_000_000)), "action_time"),
        (stud_pb2.CreateTableRequest(time_bank=Duration(seconds=-1)), "time_bank"),
        (stud_pb2.CreateTableRequest(time_bank=Duration(seconds=86_400, nanos=1_000_000)), "time_bank"),
        (stud_pb2.CreateTableRequest(sit_out_after=-1), "sit_out_after"),
        (stud_pb2.CreateTableRequest(sit_out_after=1001), "sit_out_after"),
        (stud_pb2.CreateTableRequest(deal_pause=Duration(nanos=999_999_999)), "deal_pause"),
        (stud_pb2.CreateTableRequest(deal_pause=Duration(seconds=3601)), "deal_pause"),
    ],
)
def test_impossible_settings_are_refused(request_, field) -> None:
    assert {field} == refused(request_, RequestFields.settings).keys()
