"""The API definition: complete, consistent, and the code that is generated from it up to date."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from google.protobuf.descriptor import Descriptor, FieldDescriptor

from proto.stud.v1 import stud_pb2

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
SERVICES = stud_pb2.DESCRIPTOR.services_by_name
MESSAGES = stud_pb2.DESCRIPTOR.message_types_by_name
TABLE_RPCS = [
    "CreateTable",
    "GetTable",
    "ListTables",
    "DeleteTable",
    "PauseTable",
    "ResumeTable",
    "TakeSeat",
    "LeaveSeat",
    "SitOut",
    "SitIn",
    "AddChips",
    "Deal",
    "Act",
    "Showdown",
    "GetStandings",
    "WatchTable",
    "Play",
    "GetHand",
    "ListHands",
]
CHANGES = [
    "CreateTable",
    "DeleteTable",
    "PauseTable",
    "ResumeTable",
    "TakeSeat",
    "LeaveSeat",
    "SitOut",
    "SitIn",
    "AddChips",
    "Deal",
    "Act",
    "Showdown",
]


def fields(message: str) -> dict[str, FieldDescriptor]:
    return dict(MESSAGES[message].fields_by_name)


def all_messages() -> list[Descriptor]:
    found = list(MESSAGES.values())
    for message in found:
        found.extend(message.nested_types)
    return [message for message in found if not message.GetOptions().map_entry]


@pytest.mark.parametrize(
    ("service", "rpcs"),
    [
        ("TableService", TABLE_RPCS),
        ("EvaluatorService", ["Evaluate", "Compare", "EvaluateBatch", "Odds"]),
        ("RulesService", ["ListProfiles", "GetProfile", "ValidateRules"]),
    ],
)
def test_the_services_have_their_rpcs(service, rpcs) -> None:
    assert rpcs == [method.name for method in SERVICES[service].methods]


def test_only_watching_and_playing_stream() -> None:
    streaming = {
        method.name: (method.client_streaming, method.server_streaming)
        for method in SERVICES["TableService"].methods
        if method.client_streaming or method.server_streaming
    }
    assert {"WatchTable": (False, True), "Play": (True, True)} == streaming


@pytest.mark.parametrize("rpc", CHANGES)
def test_every_change_can_be_repeated_and_told_apart(rpc) -> None:
    asked, answered = fields(f"{rpc}Request"), fields(f"{rpc}Response")

    assert FieldDescriptor.TYPE_STRING == asked["request_id"].type
    assert rpc == "CreateTable" or FieldDescriptor.TYPE_STRING == asked["etag"].type
    assert (FieldDescriptor.TYPE_INT64, FieldDescriptor.TYPE_STRING) == (
        answered["version"].type,
        answered["etag"].type,
    )
    assert "Event" == answered["events"].message_type.name


@pytest.mark.parametrize("rpc", [rpc for rpc in CHANGES if rpc not in ("CreateTable", "DeleteTable")])
def test_an_operator_may_say_through_whose_eyes_a_change_is_answered(rpc) -> None:
    assert "view_as" in fields(f"{rpc}Request")
    assert "Table" == fields(f"{rpc}Response")["table"].message_type.name


@pytest.mark.parametrize("rpc", ["LeaveSeat", "SitOut", "SitIn", "AddChips", "Act"])
def test_an_operator_may_say_for_whom_it_asks(rpc) -> None:
    assert {"table_id", "seat", "player_id"} <= fields(f"{rpc}Request").keys()


@pytest.mark.parametrize(
    ("message", "names"),
    [
        ("Table", "table_id version etag hand_number to_act_seat deadline legal_actions"),
        ("Seat", "seat player_id stack"),
        ("Action", "kind to"),
        ("LegalAction", "kind min_to max_to price"),
        ("ActRequest", "table_id seat player_id action request_id etag view_as"),
        ("TakeSeatRequest", "table_id seat player_id stack request_id etag"),
        ("WatchTableRequest", "table_id after_version view_as"),
        ("WatchTableResponse", "version etag hand_number events"),
        ("ListTablesRequest", "page_size page_token"),
        ("ListHandsRequest", "table_id page_size page_token"),
        ("DealRequest", "table_id profile rules request_id etag"),
        ("Error", "code reason message metadata field_violations"),
    ],
)
def test_fields_have_the_names_that_others_rely_on(message, names) -> None:
    assert set(names.split()) <= fields(message).keys()


def test_actions_are_called_as_at_the_table() -> None:
    words = [
        "fold",
        "check",
        "call",
        "bet",
        "raise",
        "bring_in",
        "complete",
        "buy",
        "decline",
        "replace",
        "keep",
        "claim",
        "roll",
    ]

    kinds = [value.name for value in stud_pb2.ActionKind.DESCRIPTOR.values if value.number]

    assert [f"ACTION_KIND_{word.upper()}" for word in words] == kinds


def test_play_carries_every_unary_request_under_the_same_number_as_its_answer() -> None:
    unary = [method for method in SERVICES["TableService"].methods if not method.server_streaming]
    asked = {field.message_type: field.number for field in fields("PlayRequest").values() if field.containing_oneof}
    answered = {field.message_type: field.number for field in fields("PlayResponse").values() if field.containing_oneof}
    del answered[MESSAGES["Error"]]

    assert {method.input_type for method in unary} == asked.keys()
    assert {method.output_type for method in unary} == answered.keys()
    assert [asked[method.input_type] for method in unary] == [answered[method.output_type] for method in unary]


def test_amounts_are_never_floats() -> None:
    floating = {FieldDescriptor.TYPE_DOUBLE, FieldDescriptor.TYPE_FLOAT}
    odds = {f"HandOdds.{name}" for name in ("win", "split", "equity", "standard_error")}

    found = {
        f"{message.name}.{field.name}"
        for message in all_messages()
        for field in message.fields
        if field.type in floating
    }

    assert odds == found


def test_only_well_known_types_are_imported() -> None:
    source = (ROOT / "proto/stud/v1/stud.proto").read_text()

    imports = re.findall(r'^import "(.*)";$', source, re.MULTILINE)

    assert imports
    assert all(name.startswith("google/protobuf/") for name in imports)


def test_the_generated_code_is_what_the_definition_generates(tmp_path) -> None:
    command = [sys.executable, "-m", "grpc_tools.protoc", "-I", "."]
    command += [f"--plugin=protoc-gen-{name}={BIN / f'protoc-gen-{name}'}" for name in ("mypy", "mypy_grpc")]
    command += [f"--{kind}_out={tmp_path}" for kind in ("python", "grpc_python", "mypy", "mypy_grpc")]
    subprocess.run([*command, "proto/stud/v1/stud.proto"], cwd=ROOT, check=True, capture_output=True)

    generated = {path.name: path.read_bytes() for path in (tmp_path / "proto/stud/v1").iterdir()}

    assert {"stud_pb2.py", "stud_pb2.pyi", "stud_pb2_grpc.py", "stud_pb2_grpc.pyi"} == generated.keys()
    for name, content in generated.items():
        assert content == (ROOT / "proto/stud/v1" / name).read_bytes(), f"{name} is stale: run make proto"


def test_the_definition_is_clean_and_commented() -> None:
    lint = subprocess.run([BIN / "buf", "lint"], cwd=ROOT, capture_output=True, text=True)

    assert (0, "") == (lint.returncode, lint.stdout)


@pytest.mark.parametrize(
    ("was", "becomes", "breaks"),
    [
        ("// The version this view shows", "// The version which this view shows", False),
        ("int64 version = 2;", "int64 version = 2;\n  // A new field.\n  string colour = 900;", False),
        ("int64 version = 2;", "int64 version = 901;", True),
        ("int64 version = 2;", "int32 version = 2;", True),
        ("rpc Act(ActRequest) returns (ActResponse);", "rpc Play_(ActRequest) returns (ActResponse);", True),
    ],
)
def test_what_clients_rely_on_cannot_change_unnoticed(tmp_path: Path, was: str, becomes: str, breaks: bool) -> None:
    definition = (ROOT / "proto/stud/v1/stud.proto").read_text()
    assert was in definition
    (tmp_path / "proto/stud/v1").mkdir(parents=True)
    (tmp_path / "buf.yaml").write_text((ROOT / "buf.yaml").read_text())
    (tmp_path / "proto/stud/v1/stud.proto").write_text(definition.replace(was, becomes, 1))
    against = [BIN / "buf", "breaking", "--against", ROOT / "proto/baseline.binpb"]
    found = subprocess.run(against, cwd=tmp_path, capture_output=True, text=True)
    assert breaks == bool(found.returncode), found.stdout + found.stderr
