"""The compiled evaluator against its twin, against an oracle, and against what holds for every hand."""

import os
import pickle
import subprocess
import sys
from inspect import signature
from itertools import pairwise, product
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from phevaluator import evaluate_cards

from engine import evaluator, evaluator_twin
from engine.cards import cards_in, cards_text, mask_of
from engine.evaluator import evaluate, evaluate_low, evaluate_showing
from engine.hand_value import describe
from engine.knobs import FiveOfAKind
from engine.ranking import STANDARD, Ranking
from tests.engine import evaluation_oracle as oracle

RANKINGS = [
    Ranking(double_ace_flush=double, five_of_a_kind=five, natural_beats_wild=natural)
    for double, five, natural in product((False, True), FiveOfAKind, (False, True))
]


def declared(name: str) -> Any:
    """Return a function with the arguments of a compiled one: those stand in the first line of its documentation."""
    names = dict(vars(evaluator_twin))
    exec(f"def {getattr(evaluator, name).__doc__.splitlines()[0]}: ...", names)  # noqa: S102
    return names[name]


def test_the_twin_takes_the_same_arguments() -> None:
    for name in ("evaluate", "evaluate_showing", "evaluate_low"):
        compiled, twin = (
            signature(function).parameters for function in (declared(name), getattr(evaluator_twin, name))
        )
        assert [(each.name, each.kind, each.default) for each in twin.values()] == [
            (each.name, each.kind, each.default) for each in compiled.values()
        ]


DECKS = [
    tuple(range(52)),
    tuple(range(26)),
    tuple(range(20)),
    tuple(card for card in range(52) if card % 13 < 7),
    tuple(card for card in range(52) if card % 13 in (0, 1, 2, 3, 12)),
    (*range(13), 20, 30, 40),
]
"""The whole deck and parts of it where flushes, straights, low cards and quads are frequent."""


def random_hand(random: Random, sizes: range, most_wild: int) -> tuple[int, int]:
    deck = random.choice(DECKS)
    cards = random.sample(deck, min(len(deck), random.choice(sizes)))
    wilds = random.randint(0, min(most_wild, len(cards)))
    return mask_of(cards), mask_of(random.sample(cards, wilds)) | random.getrandbits(52) & ~mask_of(cards)


def shown(cards: int, wild: int) -> str:
    return f"{cards_text(cards_in(cards))}, wild {cards_text(cards_in(cards & wild))}"


def test_the_twin_agrees_about_high_hands() -> None:
    random = Random(11)
    for _ in range(4_000):
        cards, wild = random_hand(random, range(1, 14), 6)
        ranking = random.choice(RANKINGS)
        expected = evaluator_twin.evaluate(cards, wild, ranking=ranking)
        assert expected == evaluate(cards, wild, ranking=ranking), (shown(cards, wild), ranking)
        assert expected == evaluate_showing(cards, wild, ranking=ranking)


VALUES_OF_HANDS = """
from random import Random
from engine import evaluate
from engine.evaluator import evaluate_showing
random = Random(16)
for count in range(30_000):
    deck = random.choice([range(52), range(26), range(20), [*range(5), *range(13, 18), *range(26, 31), 38, 51]])
    held = random.sample(deck, random.randint(1, 13))
    cards = sum(1 << card for card in held)
    wild = sum(1 << card for card in held[: random.choice([0, 0, 1, 2, 3, 4, 5, 8])])
    function = random.choice([evaluate, evaluate_showing])
    print(function(cards, wild), function(cards, wild=wild), function(cards))
"""


def test_single_calls_do_not_depend_on_the_instructions_of_the_processor() -> None:
    def printed(simd: dict[str, str]) -> list[str]:
        environment = {name: value for name, value in os.environ.items() if name != "DUGOUT_SIMD"} | simd
        command = [sys.executable, "-c", VALUES_OF_HANDS]
        return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout.splitlines()

    fastest = printed({})
    assert 30_000 == len(fastest)
    assert fastest == printed({"DUGOUT_SIMD": "portable"})
    assert all(line.split()[0] == line.split()[1] for line in fastest)


class Mask(int):
    """A mask that is more than an int."""


@given(st.one_of(st.integers(0, 2**52 - 1), st.integers(-1, 2**70)), st.integers(-1, 2**53))
def test_a_call_means_the_same_in_any_form(cards: int, wild: int) -> None:
    def outcome(*arguments: int, **named: Any) -> str | int:
        try:
            return evaluate(*arguments, **named)
        except ValueError as error:
            return str(error)

    expected = outcome(cards, wild)
    assert expected == outcome(Mask(cards), wild) == outcome(cards, Mask(wild)) == outcome(cards, wild=wild)
    assert expected == outcome(wild=wild, cards=cards) == outcome(cards, wild, ranking=STANDARD)
    assert outcome(cards) == outcome(cards, 0) == outcome(cards, False)


def test_the_compiled_functions_are_ordinary_builtin_ones() -> None:
    for function in (evaluate, evaluate_showing, evaluate_low):
        assert function is pickle.loads(pickle.dumps(function))  # noqa: S301
    with pytest.raises(TypeError, match=r"^evaluate_showing\(\) takes"):
        evaluate_showing(1, 2, 3)  # type: ignore[call-arg, misc]


def test_the_twin_agrees_about_low_hands() -> None:
    random = Random(12)
    for _ in range(4_000):
        cards, wild = random_hand(random, range(4, 14), 6)
        choice: dict[str, Any] = {
            "scale": random.choice(["A5", "A6"]),
            "mode": random.choice(["wild", "wild", "natural", "excluded"]),
            "qualifier": random.choice([None, None, 8, 5, 13]),
        }
        expected = evaluator_twin.evaluate_low(cards, wild, **choice)
        assert expected == evaluate_low(cards, wild, **choice), (shown(cards, wild), choice)


def assert_same_order(values: dict[Any, int]) -> None:
    """Assert that the values of an oracle's results are ordered as those."""
    in_order = [values[key] for key in sorted(values)]
    assert all(lower < higher for lower, higher in pairwise(in_order))


def test_the_oracle_orders_high_hands_the_same() -> None:
    random = Random(13)
    for ranking in RANKINGS:
        knobs = oracle.Knobs(
            ranking.double_ace_flush,
            ranking.five_of_a_kind == FiveOfAKind.BELOW_ROYAL_FLUSH,
            ranking.natural_beats_wild,
        )
        values: dict[tuple[int, tuple[int, ...], bool], int] = {}
        for _ in range(2_000 if ranking == STANDARD else 200):
            cards, wild = random_hand(random, range(1, 9), 5)
            value = evaluate(cards, wild, ranking=ranking)
            key = oracle.best_high(cards, wild, knobs)
            assert values.setdefault(key, value) == value, (shown(cards, wild), ranking)
        assert_same_order(values)


def test_phevaluator_orders_hands_without_wild_cards_the_same() -> None:
    """Its ranks go from 1 for a royal flush to 7,462; its cards are numbered rank * 4 + suit."""
    random = Random(17)
    values: dict[int, int] = {}
    for _ in range(30_000):
        cards = random.sample(random.choice(DECKS[:3]), random.randint(5, 7))
        value = evaluate(mask_of(cards))
        rank = evaluate_cards(*(card % 13 * 4 + card // 13 for card in cards))
        assert values.setdefault(-rank, value) == value, cards_text(cards)
    assert len(values) > 3_000
    assert_same_order(values)


@pytest.mark.parametrize("qualifier", [None, 8])
@pytest.mark.parametrize("scale", ["A5", "A6"])
def test_the_oracle_orders_low_hands_the_same(scale: Any, qualifier: int | None) -> None:
    random = Random(14)
    values: dict[oracle.LowKey, int] = {}
    for _ in range(1_000):
        cards, wild = random_hand(random, range(4, 9), 5)
        value = evaluate_low(cards, wild, scale=scale, qualifier=qualifier)
        key = oracle.best_low(cards, wild, straights_count=scale == "A6", top=qualifier)
        assert (key is None) == (value is None), shown(cards, wild)
        if key is not None and value is not None:
            assert values.setdefault(key, value) == value, shown(cards, wild)
    assert_same_order(values)


def test_the_oracle_may_reduce_what_it_substitutes() -> None:
    random = Random(15)
    for _ in range(60):
        cards, wild = random_hand(random, range(4, 7), 2)
        knobs = oracle.Knobs(*(random.random() < 0.5 for _ in range(3)))
        low = {"straights_count": random.random() < 0.7, "top": random.choice([None, 8])}
        assert oracle.best_high(cards, wild, knobs, oracle.literal) == oracle.best_high(cards, wild, knobs)
        literal = oracle.best_low(cards, wild, **low, substitution=oracle.literal)  # type: ignore[arg-type]
        assert literal == oracle.best_low(cards, wild, **low), shown(cards, wild)  # type: ignore[arg-type]


# Properties.

MASKS = st.integers(0, 2**52 - 1)
HANDS = st.sets(st.integers(0, 51), min_size=1, max_size=13).map(mask_of)


@given(HANDS, MASKS, st.permutations(range(4)), st.sampled_from(RANKINGS))
def test_suits_have_no_order(cards: int, wild: int, suits: list[int], ranking: Ranking) -> None:
    def relabelled(mask: int) -> int:
        return mask_of(suits[card // 13] * 13 + card % 13 for card in cards_in(mask))

    expected = evaluate(cards, wild, ranking=ranking)
    assert expected == evaluate(relabelled(cards), relabelled(wild), ranking=ranking)
    for scale in ("A5", "A6"):
        low = evaluate_low(cards, wild, scale=scale, qualifier=None)
        assert low == evaluate_low(relabelled(cards), relabelled(wild), scale=scale, qualifier=None)


@given(HANDS, MASKS)
def test_only_held_wild_cards_count(cards: int, wild: int) -> None:
    assert evaluate(cards, wild & cards) == evaluate(cards, wild)
    assert evaluate_low(cards, wild & cards) == evaluate_low(cards, wild)


@given(st.sets(st.integers(0, 51), min_size=2, max_size=13), MASKS, st.sampled_from(RANKINGS))
def test_another_card_never_hurts(held: set[int], wild: int, ranking: Ranking) -> None:
    cards = mask_of(held)
    fewer = cards & ~(1 << min(held))
    assert evaluate(fewer, wild, ranking=ranking) <= evaluate(cards, wild, ranking=ranking)
    for scale in ("A5", "A6"):
        before = evaluate_low(fewer, wild, scale=scale, qualifier=None)
        after = evaluate_low(cards, wild, scale=scale, qualifier=None)
        assert before is None or (after is not None and after <= before)


@given(HANDS, MASKS, MASKS, st.sampled_from(RANKINGS))
def test_a_wild_card_never_hurts(cards: int, wild: int, more: int, ranking: Ranking) -> None:
    # Bit 0 tells natural hands apart, and those may win among equals.
    assert evaluate(cards, wild, ranking=ranking) >> 1 <= evaluate(cards, wild | more, ranking=ranking) >> 1
    for scale in ("A5", "A6"):
        before = evaluate_low(cards, wild, scale=scale, qualifier=None)
        after = evaluate_low(cards, wild | more, scale=scale, qualifier=None)
        assert before is None or (after is not None and after <= before)


@given(HANDS, MASKS)
def test_five_wild_cards_are_five_aces(cards: int, wild: int) -> None:
    if (cards & wild).bit_count() >= 5:
        assert describe(evaluate(cards, wild)).words == "five aces"
