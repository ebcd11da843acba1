"""The exhaustive proof, on parts of it that take no time, and its own oracle against the tests' one."""

from concurrent.futures import ThreadPoolExecutor
from math import comb
from random import Random

from engine.cards import mask_of
from service.cli.evaluator_proof import (
    EIGHTS,
    FIVES,
    SEVENS,
    THREES_AND_NINES,
    _finished,
    _shares,
    hands_to_value,
    substituted,
)
from tests.engine import evaluation_oracle as oracle


def test_the_expected_counts_are_of_all_hands():
    assert all(comb(52, 5) == sum(counts) for _, counts in FIVES.values())
    assert all(comb(52, 7) == sum(counts) for _, counts in SEVENS.values())
    assert comb(52, 8) == sum(EIGHTS)


def test_every_hand_is_in_one_share():
    with ThreadPoolExecutor(1) as executor:
        for size in (3, 7, 8):
            advanced = []
            tasks = _shares(executor, size, lambda held, below, more: comb(below, more))
            assert comb(52, size) == sum(_finished(tasks, advanced.append)) == sum(advanced)
    assert hands_to_value() > 1_000_000_000


def test_what_is_substituted_is_ordered_as_the_oracle_of_the_tests_says():
    random = Random(51)
    places = {}
    for _ in range(3_000):
        cards = random.sample(range(52), 5)
        wild = THREES_AND_NINES if random.random() < 0.7 else 0
        natural = [card for card in cards if not wild >> card & 1]
        ranks = tuple(sorted(card % 13 for card in natural))
        strength = substituted(ranks, len({card // 13 for card in natural}) < 2, 5 - len(natural))
        key = oracle.best_high(mask_of(cards), wild, oracle.Knobs())
        assert strength == places.setdefault(key, strength)
    in_order = [places[key] for key in sorted(places)]
    assert sorted(set(in_order)) == in_order
