"""Many hands at once: on every path of this processor the values are those of single calls, whatever the buffers."""

import threading
from array import array
from collections.abc import Iterator
from contextlib import suppress
from ctypes import c_double, c_int64, c_uint64
from itertools import combinations, product
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import Ranking, evaluate, evaluate_many
from engine.cards import mask_of, parse_rank, rank_mask
from engine.knobs import FiveOfAKind
from engine.ranking import STANDARD

THREES_AND_NINES = rank_mask(parse_rank("3")) | rank_mask(parse_rank("9"))
RANKINGS = [
    Ranking(double_ace_flush=double, five_of_a_kind=five, natural_beats_wild=natural)
    for double, five, natural in product((False, True), FiveOfAKind, (False, True))
]
DECKS = [
    tuple(range(52)),
    tuple(range(26)),
    tuple(range(20)),
    tuple(card for card in range(52) if card % 13 < 5),
    tuple(card for card in range(52) if card % 13 > 7),
    tuple(card for card in range(52) if card % 13 in (0, 1, 2, 3, 12)),
    (*range(13), 20, 30, 40),
]
"""The whole deck and parts of it where flushes (in two and three suits), straights and quads are frequent."""


def paths() -> Iterator[str]:
    """Yield the paths that this processor has; a path that it lacks is refused, which another test looks at."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("portable", "avx2", "avx512"):
            patch.setenv("DUGOUT_SIMD", name)
            try:
                evaluate_many(b"", 0)
            except RuntimeError:
                continue
            yield name


@pytest.fixture(params=[*paths()])
def path(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Force each path of this processor."""
    monkeypatch.setenv("DUGOUT_SIMD", request.param)
    return str(request.param)


def random_hands(random: Random, count: int) -> tuple["array[int]", "array[int]"]:
    hands, wilds = array("Q"), array("Q")
    for _ in range(count):
        deck = random.choice(DECKS)
        held = random.sample(deck, min(len(deck), random.randint(1, 13)))
        hands.append(mask_of(held))
        wild = mask_of(random.sample(held, random.randint(0, min(6, len(held)))))
        wilds.append(wild | random.getrandbits(52) & ~hands[-1])
    return hands, wilds


@pytest.mark.parametrize("ranking", RANKINGS, ids=str)
def test_the_values_are_those_of_single_calls(path: str, ranking: Ranking) -> None:
    random = Random(21)
    hands, wilds = random_hands(random, 10_000)
    expected = [evaluate(hand, wild, ranking=ranking) for hand, wild in zip(hands, wilds, strict=True)]
    assert expected == evaluate_many(hands, wilds, ranking=ranking).tolist()
    for wild in (0, THREES_AND_NINES, (1 << 52) - 1):
        expected = [evaluate(hand, wild, ranking=ranking) for hand in hands[:2_000]]
        assert expected == evaluate_many(hands[:2_000], wild, ranking=ranking).tolist()


def test_any_number_of_hands(path: str) -> None:
    hands, wilds = random_hands(Random(22), 100)
    expected = [evaluate(hand, wild) for hand, wild in zip(hands, wilds, strict=True)]
    for count in range(101):
        assert expected[:count] == evaluate_many(hands[:count], wilds[:count]).tolist()


def test_three_suits_that_can_be_a_flush(path: str) -> None:
    random = Random(23)
    hands, wilds = array("Q"), array("Q")
    for _ in range(20_000):
        wild_count = random.choice((1, 2, 2, 3, 3))
        suits = random.sample(range(4), 3)
        held = [suit * 13 + rank for suit in suits for rank in random.sample(range(13), 5 - wild_count)]
        held = held[: 13 - wild_count]
        wild = random.sample([card for card in range(52) if card not in held], wild_count)
        hands.append(mask_of([*held, *wild]))
        wilds.append(mask_of(wild))
    for ranking in RANKINGS:
        expected = [evaluate(hand, wild, ranking=ranking) for hand, wild in zip(hands, wilds, strict=True)]
        assert expected == evaluate_many(hands, wilds, ranking=ranking).tolist()


# Buffers.

HANDS = [mask_of(cards) for cards in combinations(range(0, 52, 5), 5)]


def buffers() -> Iterator[Any]:
    whole = array("Q", HANDS)
    yield whole
    yield array("q", HANDS)
    yield array("L", HANDS)
    yield memoryview(whole)
    yield memoryview(whole).cast("B")
    yield memoryview(whole).cast("B").cast("q")
    yield memoryview(memoryview(whole).cast("B")).cast("Q", (2, len(HANDS) // 2))
    yield memoryview(whole).toreadonly()
    yield whole.tobytes()
    yield bytearray(whole.tobytes())
    yield (c_uint64 * len(HANDS))(*HANDS)
    yield (c_int64 * len(HANDS))(*HANDS)
    # In no alignment.
    yield memoryview(b"\0" + whole.tobytes())[1:]


def test_buffers_of_every_kind(path: str) -> None:
    expected = [evaluate(hand, THREES_AND_NINES) for hand in HANDS]
    for cards in buffers():
        found = evaluate_many(cards, THREES_AND_NINES)
        assert ("q", expected) == (found.format, found.tolist())
    for wild in buffers():
        expected = [evaluate(hand, hand) for hand in HANDS]
        assert expected == evaluate_many(array("Q", HANDS), wild).tolist()


def test_values_go_to_a_buffer(path: str) -> None:
    cards = array("Q", HANDS)
    expected = [evaluate(hand, THREES_AND_NINES) for hand in HANDS]
    for out in (array("Q", cards), array("q", cards), memoryview(bytearray(8 * len(cards))).cast("q")):
        assert out is evaluate_many(cards, THREES_AND_NINES, out=out)
        assert expected == list(out)
    assert cards is evaluate_many(cards, THREES_AND_NINES, out=cards)
    assert expected == list(cards)
    room = array("Q", [7] * (len(HANDS) + 2))
    evaluate_many(array("Q", HANDS), THREES_AND_NINES, out=memoryview(room)[1:-1])
    assert [7, *expected, 7] == list(room)


def test_no_hands_have_no_values(path: str) -> None:
    for cards in (b"", array("Q"), bytearray()):
        assert [] == evaluate_many(cards, 0).tolist()
        assert [] == evaluate_many(cards, b"").tolist()


def test_threads_share_the_processor(path: str) -> None:
    hands, wilds = random_hands(Random(24), 3_000)
    expected = evaluate_many(hands, wilds).tolist()
    found: list[list[int]] = []
    threads = [threading.Thread(target=lambda: found.append(evaluate_many(hands, wilds).tolist())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [expected] * 4 == found


# What is refused.


@pytest.mark.parametrize("place", [0, 1, 7, 8, 15, 16, 31, 32, 63, 64, 99])
def test_the_first_hand_that_is_none_is_named(path: str, place: int) -> None:
    for wrong, said in (
        (0, "a hand has 1 to 13 cards, not 0"),
        ((1 << 14) - 1, "a hand has 1 to 13 cards, not 14"),
        ((1 << 52) - 1, "a hand has 1 to 13 cards, not 52"),
        (1 << 52 | 1, "0x10000000000001 is not a mask"),
        (1 << 63 | 1, "0x8000000000000001 is not a mask"),
        ((1 << 64) - 1, "0xffffffffffffffff is not a mask"),
    ):
        cards = array("Q", [1] * 100)
        cards[place] = wrong
        cards[99] = wrong
        for wild in (0, THREES_AND_NINES, (1 << 52) - 1):
            for ranking in (STANDARD, RANKINGS[-1]):
                with pytest.raises(ValueError, match=rf"^cards\[{place}\]: {said}"):
                    evaluate_many(cards, wild, ranking=ranking)


@pytest.mark.parametrize("place", [0, 8, 31, 40, 99])
def test_the_first_wild_mask_that_is_none_is_named(path: str, place: int) -> None:
    wilds = array("Q", [1] * 100)
    wilds[place] = wilds[99] = 1 << 52
    with pytest.raises(ValueError, match=rf"^wild\[{place}\]: 0x10000000000000 is not a mask"):
        evaluate_many(array("Q", [1] * 100), wilds)


def test_one_wild_mask_is_checked_as_in_single_calls() -> None:
    for wild in (-1, 1 << 52, 1 << 64, 10**6000):
        with pytest.raises(ValueError, match=r"^wild: "):
            evaluate_many(b"", wild)


def test_other_buffers_are_refused() -> None:
    cards = array("Q", [1] * 4)
    for name, arguments in (
        ("cards", lambda buffer: ((buffer, 0), {})),
        ("wild", lambda buffer: ((cards, buffer), {})),
        ("out", lambda buffer: ((cards, 0), {"out": buffer})),
    ):
        for wrong in (array("d", [1.0] * 4), array("I", [1] * 8), (c_double * 4)(), array("B", b"\1" * 31)):
            positional, named = arguments(wrong)
            with pytest.raises(ValueError, match=f"^{name}: "):
                evaluate_many(*positional, **named)
        for thing in ([1, 2, 3, 4], "four", 4.0, object(), range(4), Ranking):
            positional, named = arguments(thing)
            with pytest.raises(TypeError, match=f"^{name}: a buffer of 64-bit integers is needed"):
                evaluate_many(*positional, **named)
        strided = memoryview(array("Q", [1] * 8))[::2]
        positional, named = arguments(strided)
        with pytest.raises(ValueError, match=f"^{name}: no C-contiguous"):
            evaluate_many(*positional, **named)
    for length in (3, 5, 0):
        with pytest.raises(ValueError, match=f"^wild: {length} masks for 4 hands"):
            evaluate_many(cards, array("Q", [1] * length))
        with pytest.raises(ValueError, match=f"^out: room for {length} values of 4 hands"):
            evaluate_many(cards, 0, out=array("Q", [1] * length))
    with pytest.raises(ValueError, match=r"^out: no C-contiguous writable buffer"):
        evaluate_many(cards, 0, out=bytes(32))
    untyped: Any = evaluate_many
    for missing in (None, 1):
        with pytest.raises(TypeError, match=r"^cards: "):
            untyped(missing, 0)
    with pytest.raises(TypeError, match=r"^wild: "):
        untyped(cards, None)
    with pytest.raises(TypeError, match=r"^ranking: "):
        untyped(cards, 0, ranking=None)
    with pytest.raises(TypeError):
        untyped(cards)


def test_a_path_that_is_not_there_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("avx", "AVX2", "fast", "\udcff", "avx512 "):
        monkeypatch.setenv("DUGOUT_SIMD", name)
        with pytest.raises(RuntimeError, match=r"^DUGOUT_SIMD: '.*' is none of portable, avx2, avx512$"):
            evaluate_many(b"", 0)
    for name in {"avx2", "avx512"} - set(paths()):
        monkeypatch.setenv("DUGOUT_SIMD", name)
        with pytest.raises(RuntimeError, match=rf"^DUGOUT_SIMD: this processor has no {name}, only portable"):
            evaluate_many(b"", 0)
    monkeypatch.setenv("DUGOUT_SIMD", "")
    assert [] == evaluate_many(b"", 0).tolist()


ANYTHING = st.one_of(
    st.binary(max_size=200),
    st.integers(),
    st.none(),
    st.text(max_size=3),
    st.lists(st.integers(0, 2**64 - 1), max_size=40).map(lambda masks: array("Q", masks)),
    st.lists(st.integers(1, 2**13 - 1), max_size=40).map(lambda masks: array("Q", masks)),
    st.lists(st.floats(), max_size=10).map(lambda numbers: array("d", numbers)),
)


@given(ANYTHING, ANYTHING, st.one_of(st.none(), ANYTHING, st.integers(0, 40).map(lambda size: bytearray(8 * size))))
def test_hostile_arguments_do_no_harm(cards: Any, wild: Any, out: Any) -> None:
    try:
        found = evaluate_many(cards, wild, out=out)
    except (TypeError, ValueError):
        return
    assert len(memoryview(found).cast("B")) == len(memoryview(cards).cast("B"))


def test_a_buffer_that_changes_meanwhile_does_no_harm(path: str) -> None:
    cards, done = array("Q", [1] * 4096), threading.Event()

    def change() -> None:
        random = Random(25)
        while not done.is_set():
            cards[random.randrange(4096)] = random.getrandbits(64)

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(200):
            with suppress(ValueError):
                evaluate_many(cards, THREES_AND_NINES)
    finally:
        done.set()
        thread.join()
    cards[:] = array("Q", [1] * 4096)
    assert [evaluate(1)] * 4096 == evaluate_many(cards, THREES_AND_NINES).tolist()
