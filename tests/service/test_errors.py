"""Refusals: one status for each reason, documented metadata, and a size every client accepts."""

from pathlib import Path

import pytest
from google.protobuf import json_format
from google.rpc import error_details_pb2

from engine import Action, ActionKind, IllegalAction, LegalActions, Rules, RulesError, StartError
from engine.actions import Choice
from proto.stud.v1 import stud_pb2
from service import errors
from service.credentials import CredentialError, CredentialExpired
from service.errors import FieldViolation, Reason, ServiceError
from service.store.base import OutcomeUnknown, StoreUnavailable

REASONS = list(Reason)

LEGAL = LegalActions(
    3,
    (
        Choice(ActionKind.FOLD),
        Choice(ActionKind.CALL, 4, 4),
        Choice(ActionKind.RAISE, 8, 8),
        Choice(ActionKind.BUY, price=2),
        Choice(ActionKind.BET, 2, 10),
    ),
)


def details(error: ServiceError) -> dict[str, object]:
    """Return the details of the rich status by their kind."""
    found = {}
    for detail in errors.rich_status(error).details:
        for kind in (error_details_pb2.ErrorInfo, error_details_pb2.BadRequest, error_details_pb2.RetryInfo):
            if detail.Is(kind.DESCRIPTOR):
                message = kind()
                detail.Unpack(message)
                found[kind.__name__] = json_format.MessageToDict(message)
    return found


def test_every_reason_has_a_status_and_only_the_reasons_have() -> None:
    values = {name: value for name, value in stud_pb2.ErrorReason.items() if value}
    assert values == {f"ERROR_REASON_{reason.name}": reason.value for reason in Reason}
    assert set(Reason) == set(errors.STATUS)


@pytest.mark.parametrize("reason", REASONS, ids=lambda reason: reason.name)
def test_the_comment_of_a_reason_begins_with_its_status(reason) -> None:
    comment = COMMENTS[f"ERROR_REASON_{reason.name}"]

    assert errors.STATUS[reason].name == comment.partition(":")[0]


@pytest.mark.parametrize("reason", REASONS, ids=lambda reason: reason.name)
def test_a_refusal_says_the_same_in_a_status_and_in_a_stream(reason) -> None:
    error = ServiceError(reason, "no", metadata={"a": "b"}, fields=[FieldViolation("x.y", "7", "too many")])

    status, message = errors.rich_status(error), errors.error_message(error)

    assert (status.code, status.message) == (message.code, message.message)
    found = details(error)
    assert {"reason": reason.name, "domain": "dugout", "metadata": {"a": "b"}} == found["ErrorInfo"]
    assert (reason, {"a": "b"}) == (message.reason, dict(message.metadata))
    assert {"fieldViolations": [{"field": "x.y", "description": "7: too many"}]} == found["BadRequest"]
    assert [("x.y", "7", "too many")] == [(v.field, v.value, v.description) for v in message.field_violations]
    assert ("RetryInfo" in found) == message.HasField("retry_delay")


def test_every_unavailable_says_when_to_come_back() -> None:
    for reason, status in errors.STATUS.items():
        if status.name == "UNAVAILABLE":
            assert "RetryInfo" in details(ServiceError(reason, "no"))


def test_a_refusal_may_name_its_own_delay() -> None:
    error = ServiceError(Reason.RATE_LIMITED, "too fast", retry_after_ms=2750)

    assert {"retryDelay": "2.750s"} == details(error)["RetryInfo"]
    assert 2750 == errors.error_message(error).retry_delay.ToMilliseconds()


def test_contradictory_rules_name_every_knob() -> None:
    with pytest.raises(RulesError) as caught:
        Rules(ante=-1, bring_in=-2)

    error = errors.refusal(caught.value)

    assert "RULES_CONTRADICTORY" == error.reason.name
    named = {violation.field: violation.value for violation in error.fields}
    assert ("-1", "-2") == (named["rules.ante"], named["rules.bring_in"])
    assert len(caught.value.violations) == len(details(error)["BadRequest"]["fieldViolations"])


@pytest.mark.parametrize(
    ("raised", "reason"),
    [
        (StartError("seats", "one player"), "NOT_ENOUGH_PLAYERS"),
        (IllegalAction("seat 3 may not check"), "ILLEGAL_ACTION"),
        (StoreUnavailable("redis at 10.0.0.1 is down"), "STORE_UNAVAILABLE"),
        (OutcomeUnknown("redis at 10.0.0.1 hung up"), "OUTCOME_UNKNOWN"),
        (CredentialError("no such key"), "CREDENTIALS_INVALID"),
        (CredentialExpired("expired"), "CREDENTIALS_EXPIRED"),
    ],
)
def test_what_other_parts_refuse_becomes_a_reason(raised, reason) -> None:
    error = errors.refusal(raised)

    assert reason == error.reason.name
    assert "10.0.0.1" not in str(errors.rich_status(error))


def test_a_refusal_stays_itself() -> None:
    error = ServiceError(Reason.SEAT_TAKEN, "taken")

    assert error is errors.refusal(error)


@pytest.mark.parametrize("raised", [KeyError("seat"), ValueError("7"), RuntimeError(), TypeError()])
def test_what_nobody_foresaw_has_no_reason(raised) -> None:
    assert errors.refusal(raised) is None


def test_an_illegal_action_is_told_the_legal_ones() -> None:
    error = errors.illegal_action(IllegalAction(f"no {Action(ActionKind.CHECK).kind} now"), LEGAL)

    assert ("ILLEGAL_ACTION", "no check now") == (error.reason.name, error.message)
    assert {"legal": "fold, call 4, raise 8..8, buy 2, bet 2..10"} == error.metadata


def test_an_action_out_of_turn_is_told_whose_turn_it_is() -> None:
    assert {"to_act_seat": "3", "legal": errors.legal_text(LEGAL)} == errors.not_your_turn(LEGAL).metadata
    assert {"to_act_seat": "0", "legal": ""} == errors.not_your_turn(LegalActions(None)).metadata


@pytest.mark.parametrize("text", ["x" * 100_000, "♠" * 100_000, "\n" * 100_000, "\x00%" * 50_000])
def test_a_status_fits_into_the_trailing_metadata_whatever_was_sent(text) -> None:
    violations = [FieldViolation(f"rules.{text}", text, text)] * 1000
    error = ServiceError(Reason.INVALID_FIELD, text, metadata={"value": text, "other": text}, fields=violations)

    [(key, details_bytes)] = errors.trailing_metadata(error)

    assert "grpc-status-details-bin" == key
    # As base64, beside the percent-encoded message; clients refuse 8 KiB.
    message_bytes = 3 * len(errors.rich_status(error).message.encode())
    assert len(details_bytes) * 4 / 3 + message_bytes < 8000
    assert 1 <= len(details(error)["BadRequest"]["fieldViolations"])


def test_refused_fields_are_named_with_value_and_reason() -> None:
    error = errors.invalid_field("seat", 9, "must be from 1 to 7")

    assert "INVALID_FIELD" == error.reason.name
    assert "seat = 9: must be from 1 to 7" == error.message
    assert (FieldViolation("seat", "9", "must be from 1 to 7"),) == error.fields


def _comments() -> dict[str, str]:
    """Read the comment above each value of ErrorReason in the API definition."""
    text = Path(__file__).parents[2].joinpath("proto/stud/v1/stud.proto").read_text()
    body = text.split("enum ErrorReason {")[1].split("\n}")[0]
    comments, lines = {}, []
    for line in map(str.strip, body.splitlines()):
        if line.startswith("//"):
            lines.append(line[2:].strip())
        elif line.startswith("ERROR_REASON_"):
            comments[line.split()[0]] = " ".join(lines)
            lines = []
    return comments


COMMENTS = _comments()
