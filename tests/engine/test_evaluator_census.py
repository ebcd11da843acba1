"""Counts over every hand: they are those of single calls, and whatever cannot be counted is refused."""

from collections import Counter
from itertools import combinations

import pytest

from engine import evaluate, evaluate_low
from engine.cards import mask_of, parse_rank, rank_mask
from engine.evaluator import census, count_lows

THREES_AND_NINES = rank_mask(parse_rank("3")) | rank_mask(parse_rank("9"))
DRAWS = [((51, 50), 20, 5), ((30,), 12, 5), ((), 16, 5), ((51, 40, 30, 20), 9, 1), ((25, 24, 23), 13, 8), ((), 7, 7)]


def hands(held: tuple[int, ...], below: int, more: int) -> list[int]:
    return [mask_of((*held, *chosen)) for chosen in combinations(range(below), more)]


@pytest.mark.parametrize(("held", "below", "more"), DRAWS)
@pytest.mark.parametrize("wild", [0, THREES_AND_NINES])
def test_a_census_counts_what_single_calls_say(held: tuple[int, ...], below: int, more: int, wild: int) -> None:
    values = Counter(evaluate(hand, wild) for hand in hands(held, below, more))
    found = Counter[int]()
    for value, count in values.items():
        found[value >> 27] += count
    for compare in (False, True):
        categories, different, differences = census(mask_of(held), below, more, wild, compare=compare)
        assert [found[code] for code in range(11)] == list(categories)
        assert set(values) == different
        assert 0 == differences


def test_lows_are_counted_as_single_calls_say() -> None:
    draw = (51, 27), 18, 5
    arguments = mask_of(draw[0]), draw[1], draw[2]
    all_hands = hands(*draw)
    eight = [evaluate_low(hand, THREES_AND_NINES) for hand in all_hands]
    assert sum(low is not None for low in eight) == count_lows(*arguments, THREES_AND_NINES, top=8)
    excluded = [evaluate_low(hand, THREES_AND_NINES, mode="excluded") for hand in all_hands]
    assert sum(low is not None for low in excluded) == count_lows(*arguments, excluded=THREES_AND_NINES, top=8)
    a6 = [evaluate_low(hand, scale="A6", qualifier=None) for hand in all_hands]
    most = sorted(low for low in a6 if low is not None)[1000]
    assert sum(low is not None and low <= most for low in a6) == count_lows(*arguments, a6=True, most=most)


@pytest.mark.parametrize(
    ("held", "below", "more", "wrong"),
    [
        (0, 0, 1, "more"),
        (0, 53, 5, "more"),
        (0, 52, 0, "more"),
        (0, 52, -1, "more"),
        (0, 4, 5, "more"),
        (0, -1, -1, "more"),
        (0, 52, 14, "more"),
        (0xFF << 44, 44, 6, "more"),
        (1, 5, 2, "held"),
        (1 << 52, 5, 2, "held"),
        (-1, 5, 2, "held"),
    ],
)
def test_draws_that_do_not_exist(held: int, below: int, more: int, wrong: str) -> None:
    for function in (census, count_lows):
        with pytest.raises(ValueError, match=f"^{wrong}: "):
            function(held, below, more)


def test_other_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match=r"^wild: "):
        census(1 << 51, 20, 5, 1 << 52)
    with pytest.raises(ValueError, match=r"^excluded: "):
        count_lows(1 << 51, 20, 5, excluded=-1)
    with pytest.raises((TypeError, OverflowError)):
        count_lows(1 << 51, 1 << 40, 5)
