"""The fields of a request, checked: every one that has a value that is never allowed is named in one refusal.

::

    with RequestFields(request) as fields:
        table_id = fields.table_id()
        action = fields.action()

leaves the block with ``INVALID_FIELD`` if anything was wrong. What depends on a table, such as how many seats it has,
is not checked here.
"""

import re
from types import TracebackType
from typing import Any, Self

from google.protobuf.duration_pb2 import Duration

from engine import Action, ActionKind
from engine.rule_checks import MAX_AMOUNT, MAX_SEATS
from proto.stud.v1 import stud_pb2
from service.codec import ACTION_NUMBERS, STATUS_NUMBERS
from service.codec_enums import names_of
from service.errors import FieldViolation, invalid_fields
from service.lobby import LobbyFilter
from service.table import (
    ACTION_TIME_MS,
    DEAL_PAUSE_MS,
    MAX_BUY_IN,
    SIT_OUT_AFTER_MOST,
    TIME_BANK_MS,
    Settings,
    Status,
)

PAGE_SIZE_DEFAULT = 100
PAGE_SIZE_MOST = 1000

_TABLE_ID = re.compile(r"[A-Za-z0-9_-]{1,64}", re.ASCII)
_PLAYER_ID = re.compile(r"[A-Za-z0-9._:@-]{1,64}", re.ASCII)
REQUEST_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.ASCII)
_VISIBLE = re.compile(r"[!-~]*", re.ASCII)
_NAME_CHARS_MOST = 64
_ETAG_CHARS_MOST = 64
_PAGE_TOKEN_CHARS_MOST = 512

_KINDS = {number: ActionKind(kind) for kind, number in ACTION_NUMBERS.items()}
_STATUSES = {number: Status(status) for status, number in STATUS_NUMBERS.items()}
_SIZED = frozenset({ActionKind.BET, ActionKind.RAISE, ActionKind.COMPLETE})
"""The kinds that must name their amount."""
_SIZELESS = frozenset({ActionKind.FOLD, ActionKind.CHECK, ActionKind.DECLINE, ActionKind.KEEP, ActionKind.ROLL})
"""The kinds that have none."""


class RequestFields:
    """Reads the fields of one request and collects what is wrong with them."""

    def __init__(self, request: Any) -> None:
        self._request = request
        self._wrong: list[FieldViolation] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, frames: TracebackType | None
    ) -> None:
        if self._wrong and error is None:
            raise invalid_fields(self._wrong)

    def refuse(self, field: str, value: object, allowed: str) -> None:
        """Note that a field is at fault."""
        self._wrong.append(FieldViolation(field, str(value), allowed))

    def table_id(self) -> str:
        """Return the id of a table, which is never empty."""
        return self._text("table_id", _TABLE_ID, "must be 1 to 64 characters of A-Z a-z 0-9 _ -")

    def player_id(self, *, required: bool = False) -> str:
        """Return the id of a player; empty: none, where that is allowed."""
        if not required and not self._request.player_id:
            return ""
        return self._text("player_id", _PLAYER_ID, "must be 1 to 64 characters of A-Z a-z 0-9 . _ : @ -")

    def seat(self, field: str = "seat") -> int:
        """Return the number of a seat; 0: none is named."""
        return self._number(field, 0, MAX_SEATS)

    def view_as(self) -> int:
        """Return whose view is asked for; 0: none is named."""
        return self.seat("view_as")

    def request_id(self) -> str:
        """Return the request id in small letters; empty: none.

        It is put so into the request, too: an id in other letters is no other request.
        """
        given: str = self._request.request_id
        small = given.lower()
        if given and not REQUEST_ID.fullmatch(small):
            self.refuse("request_id", given, "must be a UUID such as 123e4567-e89b-42d3-a456-426614174000")
        if small != given:
            self._request.request_id = small
        return small

    def etag(self) -> str:
        """Return the etag that a change builds on; empty: any."""
        return self._visible("etag", _ETAG_CHARS_MOST)

    def page_size(self) -> int:
        """Return how many items a page may hold."""
        return self._number("page_size", 0, PAGE_SIZE_MOST) or PAGE_SIZE_DEFAULT

    def page_token(self) -> str:
        """Return where a page begins; empty: at the beginning."""
        return self._visible("page_token", _PAGE_TOKEN_CHARS_MOST)

    def after_version(self) -> int:
        """Return the last version a watcher knows; 0: none."""
        return self._number("after_version", 0, 2**63 - 1)

    def hand_number(self) -> int:
        """Return the number of a hand."""
        return self._number("hand_number", 1, 2**63 - 1)

    def amount(self, field: str, *, least: int = 0) -> int:
        """Return an amount in minor units."""
        return self._number(field, least, MAX_AMOUNT)

    def lobby_filter(self) -> LobbyFilter:
        """Return which tables a ListTables request wants to see."""
        request: stud_pb2.ListTablesRequest = self._request
        status = _STATUSES.get(request.status)
        if request.status and status is None:
            self.refuse("status", request.status, f"must be one of {names_of(stud_pb2.TableStatus.DESCRIPTOR)}")
        return LobbyFilter(request.profile, request.free_seats_only, request.joinable_only, status)

    def action(self) -> Action:
        """Return the action of an Act request."""
        asked: stud_pb2.Action = self._request.action
        kind = _KINDS.get(asked.kind)
        if kind is None:
            allowed = f"must be one of {names_of(stud_pb2.ActionKind.DESCRIPTOR)}"
            self.refuse("action.kind", asked.kind, allowed)
            return Action(ActionKind.FOLD)
        if not 0 <= asked.to <= MAX_AMOUNT:
            self.refuse("action.to", asked.to, f"must be from 0 to {MAX_AMOUNT}")
        elif kind in _SIZED and not asked.to:
            self.refuse("action.to", asked.to, f"must be named for {kind}: the bet on this round afterwards")
        elif kind in _SIZELESS and asked.to:
            self.refuse("action.to", asked.to, f"must be 0 for {kind}")
        return Action(kind, asked.to)

    def settings(self) -> Settings:
        """Return what a CreateTable request chooses beside the rules."""
        request: stud_pb2.CreateTableRequest = self._request
        return Settings(
            name=self._name(),
            min_buy_in=self.amount("min_buy_in") or 1,
            max_buy_in=self.amount("max_buy_in") or MAX_BUY_IN,
            spectators=request.spectators if request.HasField("spectators") else True,
            action_time_ms=self._duration_ms("action_time", 30_000, ACTION_TIME_MS, "from 1 second to 1 day"),
            auto_deal=request.auto_deal,
            time_bank_ms=self._duration_ms("time_bank", 0, TIME_BANK_MS, "from 0 to 1 day"),
            sit_out_after=self._number("sit_out_after", 0, SIT_OUT_AFTER_MOST)
            if request.HasField("sit_out_after")
            else 2,
            deal_pause_ms=self._duration_ms("deal_pause", 5000, DEAL_PAUSE_MS, "from 1 second to 1 hour"),
        )

    def _name(self) -> str:
        given: str = self._request.name
        if len(given) > _NAME_CHARS_MOST or not given.isprintable():
            self.refuse("name", given, f"must be at most {_NAME_CHARS_MOST} printable characters")
        return given

    def _duration_ms(self, field: str, unset_ms: int, bounds_ms: tuple[int, int], allowed: str) -> int:
        if not self._request.HasField(field):
            return unset_ms
        given: Duration = getattr(self._request, field)
        ms = given.seconds * 1000 + given.nanos // 1_000_000
        if not (0 <= given.nanos < 10**9 and bounds_ms[0] <= ms <= bounds_ms[1]):
            self.refuse(field, f"{given.seconds} s {given.nanos} ns", f"must be {allowed}")
        return ms

    def _text(self, field: str, form: re.Pattern[str], allowed: str) -> str:
        given: str = getattr(self._request, field)
        if not form.fullmatch(given):
            self.refuse(field, given, allowed)
        return given

    def _visible(self, field: str, chars_most: int) -> str:
        given: str = getattr(self._request, field)
        if len(given) > chars_most or not _VISIBLE.fullmatch(given):
            self.refuse(field, given, f"must be at most {chars_most} visible ASCII characters")
        return given

    def _number(self, field: str, least: int, most: int) -> int:
        given: int = getattr(self._request, field)
        if not least <= given <= most:
            self.refuse(field, given, f"must be from {least} to {most}")
        return given
