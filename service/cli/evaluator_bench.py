"""The measurements of ``dugout bench evaluator``: the engine's evaluator beside those of other packages.

Random seven-card hands, a part of them at a time, and every contestant once for each part, so that what disturbs the
machine disturbs all of them alike. Times are processor time of the thread, an empty loop deducted, and the median over
the parts counts. Contestants that take long get a share of the hands, the first ones of each part. Peers are measured
through their public functions, without wild cards: none of them knows any.
"""

import os
import random
import time
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from operator import and_
from statistics import median
from typing import Any

from engine import evaluate, evaluate_many
from engine.cards import card_text, mask_of, parse_cards
from service.cli.evaluator_proof import THREES_AND_NINES

PATHS = ("portable", "avx2", "avx512")
PARTS = 32
OURS = "evaluate, 3s and 9s wild"

_NOTHING = callable
"""The least that a call of compiled code does: one argument in, a constant out."""

Hand = tuple[int, ...]
Run = Callable[[Sequence[Any]], None]


@dataclass
class Contestant:
    """Something that is measured: how it wants its hands prepared, and what it does with all of them.

    ``share``: one in so many hands is enough for it, since it takes long. ``per_call``: whether the time of an
    empty loop has to be deducted.
    """

    name: str
    prepare: Callable[[Sequence[Hand]], Sequence[Any]]
    run: Run
    share: int = 1
    per_call: bool = True
    path: str | None = None
    ns: list[float] = field(default_factory=list)
    hands: int = 0

    def measure(self, hands: Sequence[Hand]) -> None:
        """Measure one part of the hands."""
        some = hands[: max(1, len(hands) // self.share)]
        prepared = self.prepare(some)
        with _forced(self.path):
            started = time.thread_time_ns()
            self.run(prepared)
            taken = time.thread_time_ns() - started
        if self.per_call:
            started = time.thread_time_ns()
            _empty(prepared)
            taken -= time.thread_time_ns() - started
        self.ns.append(taken / len(some))
        self.hands += len(some)


def contestants() -> tuple[list[Contestant], list[str]]:
    """Return what can be measured here, and the names of the peers that are not installed."""
    found, missing = _ours(), []
    for name, contestants_of in PEERS.items():
        try:
            found += contestants_of(import_module(name))
        except ModuleNotFoundError:
            missing.append(name)
    return found, missing


def measure(hands: int, seed: int, advance: Callable[[int], None]) -> tuple[list[Contestant], list[str]]:
    """Measure everybody over so many random hands of seven cards; ``advance`` is told of each part."""
    found, missing = contestants()
    shuffle = random.Random(seed)  # noqa: S311 - hands are repeated, nothing is kept secret
    size = -(-hands // PARTS)
    for _ in range(PARTS):
        part = [tuple(shuffle.sample(range(52), 7)) for _ in range(size)]
        for contestant in found:
            contestant.measure(part)
        advance(size)
    return found, missing


def results(found: Sequence[Contestant], missing: Sequence[str]) -> dict[str, Any]:
    """Return rows and ratios: a row says over how many hands it is the median.

    Rates are millions of hands a second; ratios say how many times ``OURS`` is as fast.
    """
    rows: list[dict[str, Any]] = []
    ns = {contestant.name: median(contestant.ns) for contestant in found}
    for contestant in found:
        taken = ns[contestant.name]
        value, unit = (taken, "ns per hand") if contestant.per_call else (1000 / taken, "million hands/s")
        rows.append({"name": contestant.name, "value": round(value, 1), "unit": unit, "hands": contestant.hands})
    rows += [{"name": name, "value": None, "unit": "not installed", "hands": 0} for name in missing]
    ratios = {name: round(taken / ns[OURS], 3) for name, taken in ns.items() if name != OURS}
    return {"rows": rows, "ratios": ratios}


@contextmanager
def _forced(path: str | None) -> Iterator[None]:
    """Have evaluate_many take a path."""
    if path is None:
        yield
        return
    before = os.environ.get("DUGOUT_SIMD")
    os.environ["DUGOUT_SIMD"] = path
    try:
        yield
    finally:
        del os.environ["DUGOUT_SIMD"]
        if before is not None:
            os.environ["DUGOUT_SIMD"] = before


def _empty(prepared: Sequence[Any]) -> None:
    for _ in prepared:
        pass


def _masks(hands: Sequence[Hand]) -> list[int]:
    return list(map(mask_of, hands))


def _texts(hands: Sequence[Hand]) -> list[str]:
    return ["".join(map(card_text, hand)) for hand in hands]


def _card_texts(hands: Sequence[Hand]) -> list[list[str]]:
    return [list(map(card_text, hand)) for hand in hands]


def _each(function: Callable[[Any], Any]) -> Run:
    def run(prepared: Sequence[Any]) -> None:
        for hand in prepared:
            function(hand)

    return run


def _from_deck(card: Callable[[str], Any]) -> Callable[[Sequence[Hand]], Sequence[Any]]:
    deck = [card(card_text(number)) for number in range(52)]
    return lambda hands: [[deck[number] for number in hand] for hand in hands]


def _ours() -> list[Contestant]:
    def floor(prepared: Sequence[int]) -> None:
        for hand in prepared:
            and_(hand, THREES_AND_NINES)

    def natural(prepared: Sequence[int]) -> None:
        for hand in prepared:
            evaluate(hand)

    def wild(prepared: Sequence[int]) -> None:
        for hand in prepared:
            evaluate(hand, THREES_AND_NINES)

    def parsed(prepared: Sequence[str]) -> None:
        for hand in prepared:
            evaluate(mask_of(parse_cards(hand)), THREES_AND_NINES)

    found = [
        Contestant("floor: a call that does nothing", _masks, _each(_NOTHING)),
        Contestant("floor: operator.and_ of two masks", _masks, floor),
        Contestant("evaluate, no wild", _masks, natural),
        Contestant(OURS, _masks, wild),
        Contestant("evaluate, 3s and 9s wild, from text", _texts, parsed),
    ]
    for path in PATHS:
        try:
            with _forced(path):
                evaluate_many(b"", 0)
        except RuntimeError:
            continue
        for name, mask in (("no wild", 0), ("3s and 9s wild", THREES_AND_NINES)):
            found.append(Contestant(f"evaluate_many, {name}, {path}", _Batch, _batch(mask), 1, False, path))
    return found


class _Batch(Sequence[int]):
    """Hands in a buffer, room for their values, and both warm: what is measured is the evaluator, not the memory."""

    def __init__(self, hands: Sequence[Hand]) -> None:
        self.cards = array("Q", _masks(hands))
        self.values = array("Q", self.cards)

    def __getitem__(self, place: Any) -> Any:
        return self.cards[place]

    def __len__(self) -> int:
        return len(self.cards)


def _batch(wild: int) -> Run:
    def run(prepared: Any) -> None:
        evaluate_many(prepared.cards, wild, out=prepared.values)

    return run


def _pkrbot(module: Any) -> list[Contestant]:
    card, value = module.Card, module.evaluate
    return [
        Contestant("pkrbot", _from_deck(card), _each(value)),
        Contestant("pkrbot, from text", _card_texts, _each(lambda hand: value([card(text) for text in hand])), 4),
    ]


def _phevaluator(module: Any) -> list[Contestant]:
    value = module.evaluate_cards

    def run(prepared: Sequence[Any]) -> None:
        for hand in prepared:
            value(*hand)

    # Its cards are numbered rank * 4 + suit.
    return [
        Contestant("phevaluator", lambda hands: [[card % 13 * 4 + card // 13 for card in hand] for hand in hands], run),
        Contestant("phevaluator, from text", _card_texts, run, 4),
    ]


def _eval7(module: Any) -> list[Contestant]:
    card, value = module.Card, module.evaluate
    return [
        Contestant("eval7", _from_deck(card), _each(value)),
        Contestant("eval7, from text", _card_texts, _each(lambda hand: value([card(text) for text in hand])), 4),
    ]


def _treys(module: Any) -> list[Contestant]:
    card, value = module.Card.new, module.Evaluator().evaluate
    return [
        Contestant("treys", _from_deck(card), _each(lambda hand: value(hand, [])), 16),
        Contestant("treys, from text", _card_texts, _each(lambda hand: value([card(text) for text in hand], [])), 16),
    ]


def _pokerkit(module: Any) -> list[Contestant]:
    value, parse = module.StandardHighHand.from_game, module.Card.parse
    return [
        Contestant("pokerkit", lambda hands: [tuple(parse(text)) for text in _texts(hands)], _each(value), 256),
        Contestant("pokerkit, from text", _texts, _each(value), 256),
    ]


PEERS: dict[str, Callable[[Any], list[Contestant]]] = {
    "pkrbot": _pkrbot,
    "phevaluator": _phevaluator,
    "eval7": _eval7,
    "treys": _treys,
    "pokerkit": _pokerkit,
}
