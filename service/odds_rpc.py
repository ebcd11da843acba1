"""``EvaluatorService.Odds``: work for a processor, done beside the event loop, one call at a time."""

import asyncio
import secrets
import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

from engine import KnownHand, Odds, OddsError, Rules, odds
from engine.cards import CardError, parse_cards
from engine.rule_checks import MAX_SEATS
from proto.stud.v1 import stud_pb2
from service.codec_requests import RequestFields
from service.errors import Reason, ServiceError, invalid_field
from service.known_hand import parse_down, parse_up
from service.rpc import Call

SAMPLES_DEFAULT = 200_000
SAMPLES_MOST = 5_000_000
"""A few seconds of work for one processor."""

_SEED_BITS = 64

_T = TypeVar("_T")


class _Stopped(Exception):
    """Nobody waits for the answer any more."""


class OddsRpc:
    """Answers Odds requests; the next one begins when the last one has ended, whoever asks."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()

    async def answer(self, request: stud_pb2.OddsRequest, rules: Rules, call: Call) -> stud_pb2.OddsResponse:
        """Say how likely each hand is to win in a game."""
        with RequestFields(request) as fields:
            if not 2 <= len(request.hands) <= MAX_SEATS:
                fields.refuse("hands", len(request.hands), f"must be 2 to {MAX_SEATS} hands")
            named = request.hands[:MAX_SEATS]
            hands = [_hand(fields, hand, f"hands[{place}]") for place, hand in enumerate(named)]
            dead = _read(fields, "dead_cards", request.dead_cards, parse_cards) or ()
            if request.samples < 0 or request.samples == 1:
                fields.refuse("samples", request.samples, f"must be from 2 to {SAMPLES_MOST}, or 0")
        if request.samples > SAMPLES_MOST:
            raise ServiceError(
                Reason.TOO_LARGE,
                f"samples: {request.samples} deals are more than {SAMPLES_MOST}",
                metadata={"limit": SAMPLES_MOST, "unit": "samples"},
            )
        seed = request.seed or 1 + secrets.randbelow(2**_SEED_BITS - 1)
        try:
            found = await self._found(rules, hands, dead, request.samples or SAMPLES_DEFAULT, seed, call)
        except OddsError as error:
            raise _refusal(request, error) from None
        return stud_pb2.OddsResponse(
            hands=[
                stud_pb2.HandOdds(
                    win=seat.win_chance,
                    split=seat.tie_chance,
                    equity=seat.equity,
                    standard_error=seat.standard_error,
                )
                for seat in found.seats
            ],
            exact=found.exact,
            deals=found.tried,
            seed=seed,
        )

    async def _found(
        self, rules: Rules, hands: Sequence[KnownHand], dead: Sequence[int], samples: int, seed: int, call: Call
    ) -> Odds:
        left = threading.Event()

        def stop_if_useless(done: int, of: int) -> None:
            if left.is_set() or call.time_remaining_s() == 0:
                raise _Stopped

        def work() -> Odds:
            stop_if_useless(0, samples)
            return odds(rules, hands, dead, samples=samples, seed=seed, on_progress=stop_if_useless)

        try:
            async with self._turn:
                return await asyncio.to_thread(work)
        except _Stopped:
            raise ServiceError(Reason.DEADLINE_EXCEEDED, f"the time ran out before {samples} deals") from None
        finally:
            left.set()


def _hand(fields: RequestFields, hand: stud_pb2.OddsHand, name: str) -> KnownHand:
    up = _read(fields, f"{name}.up_cards", hand.up_cards, parse_up) or ()
    down, unseen = _read(fields, f"{name}.down_cards", hand.down_cards, parse_down) or ((), 0)
    return KnownHand(up, down, unseen)


def _read(fields: RequestFields, name: str, text: str, parse: Callable[[str], _T]) -> _T | None:
    try:
        return parse(text)
    except CardError as error:
        fields.refuse(name, text, str(error))
        return None


def _refusal(request: stud_pb2.OddsRequest, error: OddsError) -> ServiceError:
    """Return what an argument of ``engine.odds`` means to the caller, by the field that it comes from."""
    texts = {"hands": str(len(request.hands)), "dead": request.dead_cards, "rules": request.profile}
    fields = {"hands": "hands", "dead": "dead_cards", "rules": "profile"}
    for place, hand in enumerate(request.hands):
        for name, kind in (("up", "up"), ("down", "down"), ("unseen", "down")):
            argument = f"hands[{place}].{name}"
            fields[argument], texts[argument] = f"hands[{place}].{kind}_cards", getattr(hand, f"{kind}_cards")
    return invalid_field(fields[error.argument], texts[error.argument], error.reason)
