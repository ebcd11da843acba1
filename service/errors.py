"""What the service refuses, and how a refusal travels.

Every refusal is a ``ServiceError`` with a reason of the API's ``ErrorReason``; the reason alone decides the
gRPC status. What the engine, the store and the credentials refuse becomes one here, and nowhere else.
"""

from collections.abc import Mapping, Sequence
from enum import IntEnum

import grpc
import msgspec
from google.protobuf import any_pb2, duration_pb2, message
from google.rpc import error_details_pb2, status_pb2  # type: ignore[import-untyped]

from engine.actions import Choice, LegalActions
from engine.errors import IllegalAction, RulesError, StartError
from proto.stud.v1 import stud_pb2
from service.credentials import CredentialError, CredentialExpired
from service.store.base import OutcomeUnknown, StoreUnavailable

DOMAIN = "dugout"
DETAILS_KEY = "grpc-status-details-bin"
"""The trailing metadata that carries a google.rpc.Status."""


# Clients refuse trailing metadata of more than 8 KiB: the status as base64, the message once more with escapes.
_STATUS_BYTES_MOST = 4000
_MESSAGE_BYTES_MOST = 400
_LIST_BYTES_MOST = 1000
_VALUE_BYTES_MOST = 100
"""Of a message, of what is allowed (the names of all games have room there), and of what a caller sent."""


class Reason(IntEnum):
    """Why a request is refused: the values of the API's ``ErrorReason``, which says what each of them means."""

    UNDECODABLE_REQUEST = stud_pb2.ERROR_REASON_UNDECODABLE_REQUEST
    INVALID_FIELD = stud_pb2.ERROR_REASON_INVALID_FIELD
    UNKNOWN_PROFILE = stud_pb2.ERROR_REASON_UNKNOWN_PROFILE
    RULES_CONTRADICTORY = stud_pb2.ERROR_REASON_RULES_CONTRADICTORY
    REQUEST_ID_REUSED = stud_pb2.ERROR_REASON_REQUEST_ID_REUSED
    CREDENTIALS_MISSING = stud_pb2.ERROR_REASON_CREDENTIALS_MISSING
    CREDENTIALS_INVALID = stud_pb2.ERROR_REASON_CREDENTIALS_INVALID
    CREDENTIALS_EXPIRED = stud_pb2.ERROR_REASON_CREDENTIALS_EXPIRED
    OPERATOR_REQUIRED = stud_pb2.ERROR_REASON_OPERATOR_REQUIRED
    NOT_YOUR_TABLE = stud_pb2.ERROR_REASON_NOT_YOUR_TABLE
    NOT_YOUR_SEAT = stud_pb2.ERROR_REASON_NOT_YOUR_SEAT
    SEATING_ENDED = stud_pb2.ERROR_REASON_SEATING_ENDED
    SPECTATORS_REFUSED = stud_pb2.ERROR_REASON_SPECTATORS_REFUSED
    TABLE_NOT_FOUND = stud_pb2.ERROR_REASON_TABLE_NOT_FOUND
    HAND_NOT_FOUND = stud_pb2.ERROR_REASON_HAND_NOT_FOUND
    PLAYER_NOT_SEATED = stud_pb2.ERROR_REASON_PLAYER_NOT_SEATED
    SEAT_TAKEN = stud_pb2.ERROR_REASON_SEAT_TAKEN
    ALREADY_SEATED = stud_pb2.ERROR_REASON_ALREADY_SEATED
    NOT_YOUR_TURN = stud_pb2.ERROR_REASON_NOT_YOUR_TURN
    ILLEGAL_ACTION = stud_pb2.ERROR_REASON_ILLEGAL_ACTION
    HAND_IN_PROGRESS = stud_pb2.ERROR_REASON_HAND_IN_PROGRESS
    NO_HAND = stud_pb2.ERROR_REASON_NO_HAND
    NOT_ENOUGH_PLAYERS = stud_pb2.ERROR_REASON_NOT_ENOUGH_PLAYERS
    SHOWDOWN_NOT_DUE = stud_pb2.ERROR_REASON_SHOWDOWN_NOT_DUE
    SESSION_OVER = stud_pb2.ERROR_REASON_SESSION_OVER
    TABLE_FULL = stud_pb2.ERROR_REASON_TABLE_FULL
    TABLE_PAUSED = stud_pb2.ERROR_REASON_TABLE_PAUSED
    TABLE_NOT_PAUSED = stud_pb2.ERROR_REASON_TABLE_NOT_PAUSED
    STACK_TOO_LARGE = stud_pb2.ERROR_REASON_STACK_TOO_LARGE
    DEALERS_CHOICE_OFF = stud_pb2.ERROR_REASON_DEALERS_CHOICE_OFF
    NOT_THE_DEALER = stud_pb2.ERROR_REASON_NOT_THE_DEALER
    REDEAL_KEEPS_GAME = stud_pb2.ERROR_REASON_REDEAL_KEEPS_GAME
    STALE_ETAG = stud_pb2.ERROR_REASON_STALE_ETAG
    VERSION_TOO_OLD = stud_pb2.ERROR_REASON_VERSION_TOO_OLD
    VERSION_TOO_NEW = stud_pb2.ERROR_REASON_VERSION_TOO_NEW
    TOO_LARGE = stud_pb2.ERROR_REASON_TOO_LARGE
    RATE_LIMITED = stud_pb2.ERROR_REASON_RATE_LIMITED
    TOO_MANY_STREAMS = stud_pb2.ERROR_REASON_TOO_MANY_STREAMS
    STORE_UNAVAILABLE = stud_pb2.ERROR_REASON_STORE_UNAVAILABLE
    OUTCOME_UNKNOWN = stud_pb2.ERROR_REASON_OUTCOME_UNKNOWN
    TABLE_BUSY = stud_pb2.ERROR_REASON_TABLE_BUSY
    DRAINING = stud_pb2.ERROR_REASON_DRAINING
    WATCHER_TOO_SLOW = stud_pb2.ERROR_REASON_WATCHER_TOO_SLOW
    INTERRUPTED = stud_pb2.ERROR_REASON_INTERRUPTED
    DEADLINE_EXCEEDED = stud_pb2.ERROR_REASON_DEADLINE_EXCEEDED
    NOT_IMPLEMENTED = stud_pb2.ERROR_REASON_NOT_IMPLEMENTED
    TABLE_DAMAGED = stud_pb2.ERROR_REASON_TABLE_DAMAGED
    INTERNAL = stud_pb2.ERROR_REASON_INTERNAL


STATUS: Mapping[Reason, grpc.StatusCode] = {
    Reason.UNDECODABLE_REQUEST: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.INVALID_FIELD: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.UNKNOWN_PROFILE: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.RULES_CONTRADICTORY: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.REQUEST_ID_REUSED: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.CREDENTIALS_MISSING: grpc.StatusCode.UNAUTHENTICATED,
    Reason.CREDENTIALS_INVALID: grpc.StatusCode.UNAUTHENTICATED,
    Reason.CREDENTIALS_EXPIRED: grpc.StatusCode.UNAUTHENTICATED,
    Reason.OPERATOR_REQUIRED: grpc.StatusCode.PERMISSION_DENIED,
    Reason.NOT_YOUR_TABLE: grpc.StatusCode.PERMISSION_DENIED,
    Reason.NOT_YOUR_SEAT: grpc.StatusCode.PERMISSION_DENIED,
    Reason.SEATING_ENDED: grpc.StatusCode.PERMISSION_DENIED,
    Reason.SPECTATORS_REFUSED: grpc.StatusCode.PERMISSION_DENIED,
    Reason.TABLE_NOT_FOUND: grpc.StatusCode.NOT_FOUND,
    Reason.HAND_NOT_FOUND: grpc.StatusCode.NOT_FOUND,
    Reason.PLAYER_NOT_SEATED: grpc.StatusCode.NOT_FOUND,
    Reason.SEAT_TAKEN: grpc.StatusCode.ALREADY_EXISTS,
    Reason.ALREADY_SEATED: grpc.StatusCode.ALREADY_EXISTS,
    Reason.NOT_YOUR_TURN: grpc.StatusCode.FAILED_PRECONDITION,
    Reason.ILLEGAL_ACTION: grpc.StatusCode.FAILED_PRECONDITION,
    Reason.HAND_IN_PROGRESS: grpc.StatusCode.FAILED_PRECONDITION,
    Reason.NO_HAND: grpc.StatusCode.FAILED_PRECONDITION,
    Reason.NOT_ENOUGH_PLAYERS: grpc.StatusCode.FAILED_PRECONDITION,
    Reason.SHOWDOWN_NOT_DUE: grpc.StatusCode.FAILED_PRECONDITION,
    Reason.SESSION_OVER: grpc.StatusCode.FAILED_PRECONDITION,
    Reason.TABLE_FULL: grpc.StatusCode.FAILED_PRECONDITION,
    Reason.TABLE_PAUSED: grpc.StatusCode.FAILED_PRECONDITION,
    Reason.TABLE_NOT_PAUSED: grpc.StatusCode.FAILED_PRECONDITION,
    Reason.STACK_TOO_LARGE: grpc.StatusCode.FAILED_PRECONDITION,
    Reason.DEALERS_CHOICE_OFF: grpc.StatusCode.FAILED_PRECONDITION,
    Reason.NOT_THE_DEALER: grpc.StatusCode.FAILED_PRECONDITION,
    Reason.REDEAL_KEEPS_GAME: grpc.StatusCode.FAILED_PRECONDITION,
    Reason.STALE_ETAG: grpc.StatusCode.ABORTED,
    Reason.VERSION_TOO_OLD: grpc.StatusCode.OUT_OF_RANGE,
    Reason.VERSION_TOO_NEW: grpc.StatusCode.OUT_OF_RANGE,
    Reason.TOO_LARGE: grpc.StatusCode.RESOURCE_EXHAUSTED,
    Reason.RATE_LIMITED: grpc.StatusCode.RESOURCE_EXHAUSTED,
    Reason.TOO_MANY_STREAMS: grpc.StatusCode.RESOURCE_EXHAUSTED,
    Reason.STORE_UNAVAILABLE: grpc.StatusCode.UNAVAILABLE,
    Reason.OUTCOME_UNKNOWN: grpc.StatusCode.UNAVAILABLE,
    Reason.TABLE_BUSY: grpc.StatusCode.UNAVAILABLE,
    Reason.DRAINING: grpc.StatusCode.UNAVAILABLE,
    Reason.WATCHER_TOO_SLOW: grpc.StatusCode.UNAVAILABLE,
    Reason.INTERRUPTED: grpc.StatusCode.UNAVAILABLE,
    Reason.DEADLINE_EXCEEDED: grpc.StatusCode.DEADLINE_EXCEEDED,
    Reason.NOT_IMPLEMENTED: grpc.StatusCode.UNIMPLEMENTED,
    Reason.TABLE_DAMAGED: grpc.StatusCode.DATA_LOSS,
    Reason.INTERNAL: grpc.StatusCode.INTERNAL,
}
"""The gRPC status of every reason."""

_RETRY_AFTER_MS: Mapping[Reason, int] = {
    Reason.RATE_LIMITED: 1000,
    Reason.STORE_UNAVAILABLE: 500,
    Reason.OUTCOME_UNKNOWN: 200,
    Reason.TABLE_BUSY: 50,
    Reason.DRAINING: 100,
    Reason.WATCHER_TOO_SLOW: 100,
    Reason.INTERRUPTED: 100,
}


class FieldViolation(msgspec.Struct, frozen=True):
    """A field that is at fault: its path in the request, the value it had, and what is allowed."""

    field: str
    value: str
    description: str


class ServiceError(Exception):
    """A refusal.

    ``metadata`` holds the dynamic values that ``ErrorReason`` promises. ``retry_after_ms`` says when trying
    again makes sense; reasons that call for it have a value of their own.
    """

    def __init__(
        self,
        reason: Reason,
        message: str,
        *,
        metadata: Mapping[str, object] | None = None,
        fields: Sequence[FieldViolation] = (),
        retry_after_ms: int | None = None,
    ) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message
        self.metadata = {key: str(value) for key, value in (metadata or {}).items()}
        self.fields = tuple(fields)
        self.retry_after_ms = _RETRY_AFTER_MS.get(reason) if retry_after_ms is None else retry_after_ms

    @property
    def status(self) -> grpc.StatusCode:
        """The gRPC status of the refusal."""
        return STATUS[self.reason]


def invalid_fields(fields: Sequence[FieldViolation]) -> ServiceError:
    """Return the refusal of fields whose values are never allowed."""
    message = "; ".join(f"{field.field} = {_clipped(field.value)}: {field.description}" for field in fields)
    return ServiceError(Reason.INVALID_FIELD, message, fields=fields)


def invalid_field(field: str, value: object, description: str) -> ServiceError:
    """Return the refusal of one field whose value is never allowed."""
    return invalid_fields([FieldViolation(field, str(value), description)])


def table_damaged(table_id: str) -> ServiceError:
    """Return the refusal of a table, or (empty) a lobby, that cannot be read from the store."""
    if not table_id:
        return ServiceError(Reason.TABLE_DAMAGED, "what is stored of the lobby cannot be read")
    return ServiceError(
        Reason.TABLE_DAMAGED, f"what is stored of table {table_id} cannot be read", metadata={"table_id": table_id}
    )


def illegal_action(error: IllegalAction, legal: LegalActions) -> ServiceError:
    """Return the refusal of an action, with the legal ones as the caller may see them."""
    return ServiceError(Reason.ILLEGAL_ACTION, error.reason, metadata={"legal": legal_text(legal)})


def not_your_turn(legal: LegalActions) -> ServiceError:
    """Return the refusal of an action out of turn, with the legal ones as the caller may see them."""
    seat = legal.seat or 0
    whose = f"it is the turn of seat {seat}" if seat else "it is nobody's turn"
    metadata = {"to_act_seat": seat, "legal": legal_text(legal)}
    return ServiceError(Reason.NOT_YOUR_TURN, whose, metadata=metadata)


def legal_text(legal: LegalActions) -> str:
    """Write what is allowed with its amounts and prices: ``fold, call 4, raise 8..8``."""
    return ", ".join(map(_choice_text, legal.choices))


def _choice_text(choice: Choice) -> str:
    if choice.price:
        return f"{choice.kind} {choice.price}"
    if not choice.max:
        return str(choice.kind)
    return f"{choice.kind} {choice.min}" + (f"..{choice.max}" if choice.kind in _SIZED else "")


_SIZED = frozenset({"bet", "raise", "complete"})


def rules_contradictory(error: RulesError) -> ServiceError:
    """Return the refusal of rules, with everything that is wrong with them."""
    fields = [FieldViolation(f"rules.{v.field}", v.value, v.reason) for v in error.violations]
    return ServiceError(Reason.RULES_CONTRADICTORY, str(error), fields=fields)


def refusal(error: Exception) -> ServiceError | None:
    """Return what an error means to a caller; None for one that nobody foresaw."""
    match error:
        case ServiceError():
            return error
        case RulesError():
            return rules_contradictory(error)
        case StartError():
            return ServiceError(Reason.NOT_ENOUGH_PLAYERS, str(error))
        case IllegalAction():
            return ServiceError(Reason.ILLEGAL_ACTION, error.reason)
        case OutcomeUnknown():
            return ServiceError(
                Reason.OUTCOME_UNKNOWN,
                "the change may have been made: repeat the request with the same request_id",
            )
        case StoreUnavailable():
            return ServiceError(Reason.STORE_UNAVAILABLE, "the store cannot be reached; nothing has changed")
        case CredentialExpired():
            return ServiceError(Reason.CREDENTIALS_EXPIRED, str(error))
        case CredentialError():
            return ServiceError(Reason.CREDENTIALS_INVALID, str(error))
    return None


def rich_status(error: ServiceError) -> status_pb2.Status:
    """Return a refusal as a google.rpc.Status, kept small enough for every client to accept."""
    status = status_pb2.Status(code=_number(error.status), message=_clipped(error.message, _MESSAGE_BYTES_MOST))
    metadata = {key: _clipped(value, _LIST_BYTES_MOST) for key, value in error.metadata.items()}
    status.details.append(
        _packed(error_details_pb2.ErrorInfo(reason=error.reason.name, domain=DOMAIN, metadata=metadata))
    )
    if error.retry_after_ms is not None:
        delay = _duration(error.retry_after_ms)
        status.details.append(_packed(error_details_pb2.RetryInfo(retry_delay=delay)))
    if error.fields:
        status.details.append(_packed(_bad_request(error.fields, _STATUS_BYTES_MOST - status.ByteSize())))
    return status


def trailing_metadata(error: ServiceError) -> tuple[tuple[str, bytes], ...]:
    """Return the trailing metadata of a call that ends with a refusal."""
    return ((DETAILS_KEY, rich_status(error).SerializeToString()),)


def error_message(error: ServiceError) -> stud_pb2.Error:
    """Return a refusal as it travels inside a stream."""
    return stud_pb2.Error(
        code=_number(error.status),
        reason=error.reason.value,
        message=_clipped(error.message, _MESSAGE_BYTES_MOST),
        metadata=error.metadata,
        field_violations=[
            stud_pb2.FieldViolation(field=v.field, value=_clipped(v.value), description=v.description)
            for v in error.fields
        ],
        retry_delay=None if error.retry_after_ms is None else _duration(error.retry_after_ms),
    )


def _bad_request(fields: Sequence[FieldViolation], bytes_most: int) -> error_details_pb2.BadRequest:
    """Return as many of the violations as there is room for, at least the first one."""
    bad_request = error_details_pb2.BadRequest()
    for violation in fields:
        added = bad_request.field_violations.add(
            field=_clipped(violation.field),
            description=_clipped(f"{_clipped(violation.value)}: {violation.description}", _LIST_BYTES_MOST),
        )
        if bad_request.ByteSize() > bytes_most and len(bad_request.field_violations) > 1:
            bad_request.field_violations.remove(added)
            break
    return bad_request


def _packed(detail: message.Message) -> any_pb2.Any:
    packed = any_pb2.Any()
    packed.Pack(detail)
    return packed


def _duration(ms: int) -> duration_pb2.Duration:
    return duration_pb2.Duration(seconds=ms // 1000, nanos=ms % 1000 * 1_000_000)


def _number(status: grpc.StatusCode) -> int:
    number: int = status.value[0]
    return number


def _clipped(text: str, bytes_most: int = _VALUE_BYTES_MOST) -> str:
    data = text.encode("utf-8", "replace")
    if len(data) <= bytes_most:
        return data.decode()
    return data[: bytes_most - len("…".encode())].decode("utf-8", "ignore") + "…"
