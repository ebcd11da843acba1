"""The proof of ``dugout bench evaluator --exhaustive``: every hand, counted and compared.

Five cards are compared with ``substituted``, which tries every card for every wild one and shares no code with the
evaluator. Seven cards are compared with the best of their 21 fives, on the vector path and hand by hand, so that they
rest on the first step. All counts are those of the rules, section 10.
"""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from functools import cache
from itertools import combinations, combinations_with_replacement, pairwise
from math import comb
from multiprocessing import get_context
from typing import Any, NamedTuple

from engine import evaluate_low, evaluate_many
from engine.cards import mask_of, parse_cards, parse_rank, rank_mask
from engine.evaluator import census, count_lows
from engine.hand_value import CATEGORIES

DEUCES = rank_mask(parse_rank("2"))
NINES = rank_mask(parse_rank("9"))
THREES_AND_NINES = rank_mask(parse_rank("3")) | NINES

Counts = tuple[int, ...]
"""Hands of each category, five of a kind first."""

FIVES: dict[str, tuple[int, Counts]] = {
    "no wild": (0, (0, 40, 624, 3_744, 5_108, 10_200, 54_912, 123_552, 1_098_240, 1_302_540)),
    "deuces wild": (DEUCES, (672, 2_552, 31_552, 12_672, 14_472, 62_232, 355_080, 95_040, 1_225_008, 799_680)),
    "3s and 9s wild": (
        THREES_AND_NINES,
        (8_152, 11_464, 130_552, 18_480, 26_592, 89_400, 631_920, 71_280, 1_141_920, 469_200),
    ),
}
SEVENS: dict[str, tuple[int, Counts]] = {
    "no wild": (
        0,
        (0, 41_584, 224_848, 3_473_184, 4_047_644, 6_180_020, 6_461_620, 31_433_400, 58_627_800, 23_294_460),
    ),
    "9s wild": (
        NINES,
        (
            *(609_760, 1_646_340, 7_596_576, 9_429_600, 8_200_044),
            *(15_720_760, 21_468_140, 19_559_880, 38_597_760, 10_955_700),
        ),
    ),
    "3s and 9s wild": (
        THREES_AND_NINES,
        (
            *(4_894_392, 6_138_648, 20_175_400, 11_006_640, 10_114_920),
            *(18_952_240, 23_296_880, 11_573_280, 22_970_160, 4_662_000),
        ),
    ),
}
EIGHTS: Counts = (
    *(57_851_795, 58_849_784, 147_717_963, 110_335_680, 75_886_388),
    *(100_565_160, 66_465_360, 74_391_480, 53_177_040, 7_297_500),
)
SEVEN_CARD_VALUES = 4_824
FIVE_CARD_VALUES = 7_475
_PERFECT_A6 = mask_of(parse_cards("6c 4d 3c 2c Ac"))
LOWS: dict[str, tuple[dict[str, Any], int]] = {
    "eight or better, no wild": ({"top": 8}, 24_530_944),
    "eight or better, 3s and 9s wild": ({"top": 8, "wild": THREES_AND_NINES}, 53_526_576),
    "eight or better, 3s and 9s excluded": ({"top": 8, "excluded": THREES_AND_NINES}, 11_359_744),
    "perfect A6, no wild": ({"a6": True}, 779_840),
    "perfect A6, 3s and 9s wild": ({"a6": True, "wild": THREES_AND_NINES}, 8_819_112),
}


class Finding(NamedTuple):
    """One thing that was counted: what it must be, and what it is."""

    name: str
    expected: object
    found: object

    @property
    def holds(self) -> bool:
        """Whether it is what it must be."""
        return self.expected == self.found


Advance = Callable[[int], None]
"""Says that so many more hands have been valued."""


def hands_to_value() -> int:
    """Return how many hands ``prove`` goes through."""
    return len(FIVES) * comb(52, 5) + (len(SEVENS) + len(LOWS)) * comb(52, 7) + comb(52, 8)


def prove(advance: Advance) -> Iterator[Finding]:
    """Value every hand on all processors and yield what was found, step by step."""
    processors = os.cpu_count() or 1
    with ProcessPoolExecutor(min(processors, len(FIVES)), get_context("spawn")) as processes:
        yield from _prove_fives(processes, advance)
    with ThreadPoolExecutor(processors) as threads:
        for name, (wild, expected) in SEVENS.items():
            counts, values, differences = _census_of(threads, advance, 7, wild, compare=True)
            yield Finding(f"seven cards, {name}", expected, counts)
            yield Finding(f"seven cards, {name}, that are not their best five", 0, differences)
            if not wild:
                yield Finding("values of seven cards without wilds", SEVEN_CARD_VALUES, len(values))
        counts, _, _ = _census_of(threads, advance, 8, THREES_AND_NINES, compare=False)
        yield Finding("eight cards, 3s and 9s wild", EIGHTS, counts)
        perfect = evaluate_low(_PERFECT_A6, scale="A6", qualifier=None)
        for name, (arguments, lows) in LOWS.items():
            most = {"most": perfect} if "a6" in arguments else {}
            tasks = _shares(threads, 7, lambda *share, known=arguments | most: count_lows(*share, **known))
            yield Finding(f"seven cards, lows, {name}", lows, sum(found for found in _finished(tasks, advance)))


# Every hand of a size, shared out by its two highest cards.


def _shares(executor: Executor, size: int, work: Callable[..., Any]) -> dict["Future[Any]", int]:
    return {
        executor.submit(work, 1 << high | 1 << low, low, size - 2): comb(low, size - 2)
        for low in range(50, size - 3, -1)
        for high in range(low + 1, 52)
    }


def _finished(tasks: dict["Future[Any]", int], advance: Advance) -> Iterator[Any]:
    for task in as_completed(tasks):
        advance(tasks[task])
        yield task.result()


def _census_of(
    executor: Executor, advance: Advance, size: int, wild: int, *, compare: bool
) -> tuple[Counts, set[int], int]:
    tasks = _shares(executor, size, lambda held, below, more: census(held, below, more, wild, compare=compare))
    counts, values, differences = [0] * len(CATEGORIES), set[int](), 0
    for categories, more_values, more_differences in _finished(tasks, advance):
        counts = [count + categories[code] for code, count in enumerate(counts)]
        values |= more_values
        differences += more_differences
    return tuple(reversed(counts)), values, differences


# Five cards against an evaluator that shares nothing with the engine's.


def _prove_fives(executor: Executor, advance: Advance) -> Iterator[Finding]:
    tasks = {executor.submit(fives_by_strength, wild): name for name, (wild, _) in FIVES.items()}
    strengths: dict[tuple[int, ...], int] = {}
    wrong = 0
    for task in as_completed(tasks):
        advance(comb(52, 5))
        counts, values, differences = task.result()
        yield Finding(f"five cards, {tasks[task]}", FIVES[tasks[task]][1], counts)
        wrong += differences + sum(strengths.setdefault(strength, value) != value for strength, value in values.items())
    in_order = [strengths[strength] for strength in sorted(strengths)]
    misplaced = sum(lower >= higher for lower, higher in pairwise(in_order))
    yield Finding("five cards whose value depends on more than their strength", 0, wrong)
    yield Finding("values of five cards that are not ordered as their strengths", 0, misplaced)
    yield Finding("values of five cards", FIVE_CARD_VALUES, len(in_order))


def fives_by_strength(wild: int) -> tuple[Counts, dict[tuple[int, ...], int], int]:
    """Return the hands of each category, the value of each strength, and how many hands have another value."""
    counts, values, differences = [0] * len(CATEGORIES), dict[tuple[int, ...], int](), 0
    bits = [1 << card for card in range(52)]
    is_wild = [bool(wild & bit) for bit in bits]
    for first in range(48):
        hands = list(combinations(range(first + 1, 52), 4))
        masks = b"".join(
            (bits[first] | bits[a] | bits[b] | bits[c] | bits[d]).to_bytes(8, "little") for a, b, c, d in hands
        )
        for hand, value in zip(hands, evaluate_many(masks, wild), strict=True):
            natural = [card for card in (first, *hand) if not is_wild[card]]
            ranks = tuple(sorted([card % 13 for card in natural]))
            strength = substituted(ranks, len({card // 13 for card in natural}) < 2, 5 - len(natural))
            counts[strength[0]] += 1
            differences += values.setdefault(strength, value) != value
    return tuple(reversed(counts)), values, differences


@cache
def substituted(ranks: tuple[int, ...], one_suit: bool, wilds: int) -> tuple[int, ...]:
    """Return the best that these ranks and wild cards can be: the category, then ranks in the order they count."""
    return max(
        strength
        for more in combinations_with_replacement(range(13), wilds)
        for strength in _strengths(tuple(sorted(ranks + more)), one_suit)
    )


def _strengths(ranks: tuple[int, ...], one_suit: bool) -> Iterator[tuple[int, ...]]:
    groups = sorted(((ranks.count(rank), rank) for rank in set(ranks)), reverse=True)
    order = tuple(rank for _, rank in groups)
    sizes = tuple(size for size, _ in groups)
    names = {(5,): 9, (4, 1): 7, (3, 2): 6, (3, 1, 1): 3, (2, 2, 1): 2, (2, 1, 1, 1): 1}
    if len(order) < 5:
        yield (names[sizes], *order)
        return
    top = 3 if order == (12, 3, 2, 1, 0) else order[0] if order[0] - order[4] == 4 else None
    if one_suit:
        yield (5, *order) if top is None else (8, top)
    yield (0, *order) if top is None else (4, top)
