"""What values mean: every value has words, nothing else has, and the best five reach their value."""

from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from itertools import combinations, product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cards import cards_in, cards_text, mask_of, parse_cards, parse_rank, rank_mask, rank_of, suit_of
from engine.evaluator import evaluate, evaluate_low
from engine.hand_value import CATEGORIES, BestFive, Description, best_five, dense_rank, describe, describe_low
from engine.knobs import FiveOfAKind
from engine.ranking import STANDARD, Ranking

THREES_AND_NINES = rank_mask(parse_rank("3")) | rank_mask(parse_rank("9"))
RANKINGS = [
    Ranking(double_ace_flush=double, five_of_a_kind=five, natural_beats_wild=natural)
    for double, five, natural in product((False, True), FiveOfAKind, (False, True))
]
MASKS = st.integers(0, 2**52 - 1)
HANDS = st.sets(st.integers(0, 51), min_size=1, max_size=9).map(mask_of)
JACK, QUEEN, KING, ACE = 9, 10, 11, 12


def hand(text: str) -> int:
    return mask_of(parse_cards(text))


DESCRIBED = [
    ("Ah", "high_card", (ACE,), "ace high"),
    ("Ah Kd", "high_card", (ACE, KING), "ace high, king"),
    ("Ah Kd 8h 5h 2h", "high_card", (ACE, KING, 6, 3, 0), "ace high, king eight five two"),
    ("6h 6d", "one_pair", (4,), "pair of sixes"),
    ("6h 6d Ah", "one_pair", (4, ACE), "pair of sixes, ace kicker"),
    ("6h 6d Ah Kh 4h", "one_pair", (4, ACE, KING, 2), "pair of sixes, ace, king and four kickers"),
    ("6h 6d Th Tc", "two_pair", (8, 4), "two pair, tens and sixes"),
    ("6h 6d Th Tc Jd", "two_pair", (8, 4, JACK), "two pair, tens and sixes, jack kicker"),
    ("Kh Kd Kc", "three_of_a_kind", (KING,), "three kings"),
    ("Kh Kd Kc Qd Th", "three_of_a_kind", (KING, QUEEN, 8), "three kings, queen and ten kickers"),
    ("Ah 2d 3c 4d 5h", "straight", (3,), "straight to the five"),
    ("Ah Kh Qh 8h 5h", "flush", (ACE, KING, QUEEN, 6, 3), "flush, ace king queen eight five"),
    ("6h 6d Ah Ad As", "full_house", (ACE, 4), "full house, aces over sixes"),
    ("7h 7d 7c 7s", "four_of_a_kind", (5,), "four sevens"),
    ("7h 7d 7c 7s Qs", "four_of_a_kind", (5, QUEEN), "four sevens, queen kicker"),
    ("7h 8h 9h Th Jh", "straight_flush", (JACK,), "straight flush to the jack"),
]


@pytest.mark.parametrize(("cards", "category", "ranks", "words"), DESCRIBED)
def test_a_value_has_category_ranks_and_words(cards: str, category: str, ranks: tuple[int, ...], words: str) -> None:
    description = describe(evaluate(hand(cards)))
    assert (category, ranks, words) == (description.category, description.ranks, description.words)


def test_five_of_a_kind_has_words() -> None:
    description = describe(evaluate(hand("6h 6d 6c 6s 3c"), THREES_AND_NINES))
    assert ("five_of_a_kind", (4,), "five sixes") == (
        description.category,
        description.ranks,
        description.words,
    )


def few_ranks() -> Iterator[tuple[int, int]]:
    """Yield the groups and the loose cards of everything that five cards can be, and more."""
    groups = [0, *(mask_of(ranks) for size in (1, 2) for ranks in combinations(range(13), size))]
    loose = [mask_of(ranks) for size in range(6) for ranks in combinations(range(13), size)]
    for group, rest in product(groups, loose):
        if group.bit_count() * 2 + rest.bit_count() <= 6:
            yield group, rest


def is_described(describing: Callable[[int], Description], value: int) -> bool:
    try:
        describing(value)
    except ValueError:
        return False
    return True


@cache
def described_values() -> tuple[int, ...]:
    """Return every number that is described, bit 0 clear, of those with few enough ranks for five cards."""
    values = (code << 27 | group << 14 | rest << 1 for code in range(11) for group, rest in few_ranks())
    return tuple(sorted(value for value in values if is_described(describe, value)))


def test_exactly_the_values_of_hands_are_described() -> None:
    values = described_values()
    described = [describe(value) for value in values]
    doubled = [each for each in described if each.category == "flush" and len(set(each.ranks)) < 5]
    # 7,475 hands of five and 2,379 of fewer; an ace and one doubled: 212 + 54; the royal flush on top.
    assert 7_475 + 2_379 + 212 + 54 + 1 == len(values)
    assert 212 + 54 == len(doubled)
    # Values are ordered by category and ranks; a royal flush on top has the words of any other.
    keys = [(CATEGORIES.index(each.category), each.ranks) for each in described[:-1]]
    assert sorted(keys) == keys
    assert len(set(keys)) == len(keys)
    assert len({each.words for each in described[:-1]}) == len(keys)
    assert described[-1] == describe(evaluate(hand("As Ks Qs Js Ts")))


def test_exactly_the_values_of_lows_are_described() -> None:
    values = (code << 26 | group << 13 | rest for code in range(11) for group, rest in few_ranks())
    described = [describe_low(value) for value in sorted(values) if is_described(describe_low, value)]
    counts = Counter(each.category for each in described)
    # Any five ranks are a low where straights do not count. The ace is low: nine straights.
    assert {
        "high_card": 1_287,
        "one_pair": 2_860,
        "two_pair": 858,
        "three_of_a_kind": 858,
        "straight": 9,
        "flush": 1_287 - 9,
        "full_house": 156,
        "four_of_a_kind": 156,
        "straight_flush": 9,
    } == counts
    keys = [(CATEGORIES.index(each.category), [(rank + 1) % 13 for rank in each.ranks]) for each in described]
    assert sorted(keys) == keys
    assert len({each.words for each in described}) == len(keys)


@given(st.integers(0, 2**31 - 1))
def test_nothing_else_is_described(value: int) -> None:
    if value & ~1 not in described_values():
        with pytest.raises(ValueError, match=r"^value: "):
            describe(value)


@given(HANDS, MASKS, st.sampled_from(RANKINGS))
def test_every_value_is_described(cards: int, wild: int, ranking: Ranking) -> None:
    value = evaluate(cards, wild, ranking=ranking)
    description = describe(value)
    assert description.category in CATEGORIES
    assert description.words
    assert describe(value & ~1) == description
    assert value & ~1 in described_values()


@given(HANDS, MASKS, st.sampled_from(["A5", "A6"]), st.sampled_from(["wild", "natural", "excluded"]))
def test_every_low_is_described(cards: int, wild: int, scale: str, mode: str) -> None:
    low = evaluate_low(cards, wild, scale=scale, mode=mode, qualifier=None)  # type: ignore[arg-type]
    if low is not None:
        assert describe_low(low).words.endswith("low")


NO_VALUES = [
    0,
    1,
    -1,
    2**31 - 1,
    2**31,
    2**200,
    -(2**200),
    11 << 27,
    9 << 27,
    9 << 27 | 1 << 14 | 1,
    9 << 27 | 3 << 14,
    10 << 27 | 1 << 25,
    8 << 27 | 1 << 16,
    4 << 27 | 1 << 26 | 1 << 1,
    5 << 27 | 0b11111 << 1,
    5 << 27 | 0b1111 << 1,
    5 << 27 | 3 << 14 | 0b1000000010011 << 1,
    6 << 27 | 1 << 14,
    7 << 27 | 1 << 14 | 1 << 1,
    1 << 27 | 3 << 14,
    0b1000000001111 << 1,
    0b111111 << 1,
]


@pytest.mark.parametrize("value", NO_VALUES)
def test_other_numbers_are_refused(value: int) -> None:
    with pytest.raises(ValueError, match=r"^value: "):
        describe(value)


@pytest.mark.parametrize("low", [0, -1, 2**30, 2**200, 9 << 26, 1 << 26, 15, 4 << 26 | 1 << 16, 5 << 26 | 31])
def test_other_numbers_are_no_lows(low: int) -> None:
    with pytest.raises(ValueError, match=r"^value: "):
        describe_low(low)


@pytest.mark.parametrize("function", [describe, describe_low])
def test_other_objects_are_no_values(function: object) -> None:
    for thing in (None, "5", 1.0, b"1", object()):
        with pytest.raises(TypeError, match=r"^value: "):
            function(thing)  # type: ignore[operator]


# The best five.


def shown(five: BestFive) -> str:
    wild_as = dict(five.wild_as)
    return " ".join(
        cards_text([card]) + (f"={cards_text([wild_as[card]])}" if card in wild_as else "") for card in five.cards
    )


BEST = [
    ("8s 8h 8c 8d 3c", "8s 8h 8d 8c 3c=8s"),
    ("8s 8h 3d 3c 9c 2s", "8s 8h 9c=8d 3d=8c 3c=8s"),
    ("Qs Qh Qd 9c 7s 2c 5h", "Qs Qh Qd 9c=Qc 7s"),
    ("Kh Qh 8h 5h 3d", "3d=Ah Kh Qh 8h 5h"),
    ("Ah 3c 8h 5h 2h", "Ah 3c=Kh 8h 5h 2h"),
    ("Ac 2d 4h 5s 3c", "5s 4h 3c=3c 2d Ac"),
    ("Qc Kd Ah 2s 9h", "Ah 9h=As Kd Qc 2s"),
    ("7s 8s Js 9c 3h", "Js 9c=Ts 3h=9s 8s 7s"),
    ("3c 3d 3h 9c 9d Qs 2h", "9d=As 9c=Ah 3h=Ad 3d=Ac 3c=As"),
    ("7d 8s Tc Jd Qh 3c 2s", "Qh Jd Tc 3c=9s 8s"),
    ("Tc 6s 5s Ad Ac 9h 6h", "Ad Ac 9h=As 6s 6h"),
    ("3d", "3d=As"),
    ("Kc 9d", "Kc 9d=Ks"),
    ("7s 8s 9c 3d", "8s 9c=8h 3d=8d 7s"),
    ("2c 5d 7h 8s Tc Jd Kh Ks", "Ks Kh Jd Tc 8s"),
    ("Kc Kd Kh Qs Qd Qh Jc", "Kh Kd Kc Qs Qh"),
    ("9s 3s Js 8s 7s 2d", "Js 3s=Ts 9s=9s 8s 7s"),
]


@pytest.mark.parametrize(("cards", "expected"), BEST)
def test_the_best_five(cards: str, expected: str) -> None:
    assert expected == shown(best_five(hand(cards), THREES_AND_NINES))


def test_the_doubled_ace_stands_there_twice() -> None:
    five = best_five(hand("Ah 3c 8h 5h 2h"), THREES_AND_NINES, ranking=Ranking(double_ace_flush=True))
    assert "Ah 3c=Ah 8h 5h 2h" == shown(five)


def test_a_natural_hand_plays_as_printed() -> None:
    natural_first = Ranking(natural_beats_wild=True)
    straight = best_five(hand("Ac 2d 4h 5s 3c"), THREES_AND_NINES, ranking=natural_first)
    assert all(card == stands_for for card, stands_for in straight.wild_as)


@given(HANDS, MASKS, st.sampled_from(RANKINGS))
def test_the_best_five_reach_the_value(cards: int, wild: int, ranking: Ranking) -> None:
    value = evaluate(cards, wild, ranking=ranking)
    five = best_five(cards, wild, ranking=ranking)
    assert five == best_five(cards, wild & cards, ranking=ranking)
    assert min(5, cards.bit_count()) == len(set(five.cards)) == len(five.cards)
    assert set(five.cards) <= set(cards_in(cards))
    assert [card for card in five.cards if wild >> card & 1] == [card for card, _ in five.wild_as]
    assert evaluate(mask_of(five.cards), wild, ranking=ranking) == value
    assert_plays(five, value, ranking)


def assert_plays(five: BestFive, value: int, ranking: Ranking) -> None:
    """Assert that the cards are worth the value once each wild card is the card it stands for."""
    wild_as = dict(five.wild_as)
    became = [wild_as.get(card, card) for card in five.cards]
    description = describe(value)
    natural = Ranking(five_of_a_kind=ranking.five_of_a_kind)
    if description.category == "five_of_a_kind":
        assert [description.ranks[0]] * 5 == [rank_of(card) for card in became]
        assert 4 == len(set(became))
    elif description.category == "flush" and len(set(became)) < 5:
        assert ranking.double_ace_flush
        assert list(description.ranks) == [rank_of(card) for card in became]
        assert 1 == len({suit_of(card) for card in became})
        assert all(rank_of(card) == ACE for card in wild_as.values())
    else:
        assert len(became) == len(set(became))
        assert describe(evaluate(mask_of(became), ranking=natural)) == description


def test_the_highest_printed_cards_play() -> None:
    random = Random(21)
    for _ in range(300):
        held = random.sample(range(52), 7)
        cards, wild = mask_of(held), mask_of(random.sample(held, random.randint(0, 4)))
        value = evaluate(cards, wild)
        printed = max(
            sorted(((rank_of(card), suit_of(card)) for card in five), reverse=True)
            for five in combinations(held, 5)
            if evaluate(mask_of(five), wild) == value
        )
        five = best_five(cards, wild).cards
        assert printed == sorted(((rank_of(card), suit_of(card)) for card in five), reverse=True)


def test_no_hand_has_no_best_five() -> None:
    for cards in (0, -1, 1 << 52, (1 << 14) - 1):
        with pytest.raises(ValueError, match=r"^cards: "):
            best_five(cards)
    with pytest.raises(ValueError, match=r"^wild: "):
        best_five(1, -1)
    with pytest.raises(TypeError, match=r"^cards: "):
        best_five("Ks")  # type: ignore[arg-type]


def test_the_standard_ranking() -> None:
    assert Ranking(False, FiveOfAKind.ABOVE_STRAIGHT_FLUSH, False) == STANDARD
    assert Ranking(five_of_a_kind="above_straight_flush") == STANDARD  # type: ignore[arg-type]


# Dense ranks.


def test_dense_ranks_number_all_values_of_five_and_more_cards() -> None:
    found = {}
    random = Random(31)
    for _ in range(100_000):
        cards = mask_of(random.sample(range(52), random.choice((5, 5, 5, 7, 13))))
        value = evaluate(cards, random.choice((0, 0, THREES_AND_NINES)))
        found[value] = dense_rank(value)
    assert sorted(found) == sorted(found, key=found.__getitem__)
    assert len(found) == len(set(found.values())) > 5_000


@pytest.mark.parametrize(
    ("cards", "place"),
    [
        ("7s 5s 4s 3s 2c", 1),
        ("As Ks Qs Js 9d", 1_277),
        ("As Ad Kd Qd Jc", 4_137),
        ("As Ad Ks Kd Qc", 4_995),
        ("As Ad Ac Kd Qc", 5_853),
        ("As Kd Qs Js Ts", 5_863),
        ("As Ks Qs Js 9s", 7_140),
        ("As Ac Ad Ks Kc", 7_296),
        ("As Ac Ad Ah Kc", 7_452),
        ("As Ks Qs Js Ts", 7_462),
        ("2s 2c 2d 2h 3s", 7_463),
        ("3s 3c 3d 3h 9s", 7_475),
    ],
)
def test_dense_ranks_of_hands(cards: str, place: int) -> None:
    wild = THREES_AND_NINES if place > 7_462 else 0
    assert place == dense_rank(evaluate(hand(cards), wild))


def test_what_has_no_dense_rank() -> None:
    on_top = Ranking(five_of_a_kind=FiveOfAKind.BELOW_ROYAL_FLUSH)
    doubled = Ranking(double_ace_flush=True)
    for value in (
        evaluate(hand("As Kd Qc Jh")),
        evaluate(hand("As Ks Qs Js Ts"), ranking=on_top),
        evaluate(hand("Ah 3h Kh 5h 2h"), THREES_AND_NINES, ranking=doubled),
        0,
        -1,
        1 << 40,
    ):
        with pytest.raises(ValueError, match=r"^value: no five cards have the value"):
            dense_rank(value)
    for thing in ("7", 7.0, None):
        with pytest.raises(TypeError, match=r"^value: "):
            dense_rank(thing)  # type: ignore[arg-type]
