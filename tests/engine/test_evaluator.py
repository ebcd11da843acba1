"""The evaluator, compiled and in plain Python, against worked hands and exact counts."""

from collections import Counter
from functools import cache
from itertools import combinations
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import evaluator, evaluator_twin
from engine.cards import mask_of, parse_cards, parse_rank, rank_mask
from engine.evaluator import evaluate, evaluate_low, evaluate_showing
from engine.hand_value import CATEGORIES, describe, describe_low
from engine.knobs import FiveOfAKind
from engine.ranking import Ranking

NO_WILD = 0
THREES_AND_NINES = rank_mask(parse_rank("3")) | rank_mask(parse_rank("9"))
DEUCES = rank_mask(parse_rank("2"))
ONE_EYED_JACKS = mask_of(parse_cards("Jh Js"))


@pytest.fixture(params=[evaluator, evaluator_twin], ids=["compiled", "twin"])
def module(request: pytest.FixtureRequest) -> ModuleType:
    """Return the evaluator to test: both must pass."""
    found: ModuleType = request.param
    return found


def hand(text: str) -> int:
    return mask_of(parse_cards(text))


def table(text: str) -> list[list[str]]:
    """Read the lines of a table, columns separated by ``|``."""
    return [[column.strip() for column in line.split("|")] for line in text.strip().splitlines()]


# Worked hands, 3s and 9s wild.

HIGH = table("""
    8s 8h 8c 8d 3c             | five eights
    Qs Qh Qd 9c 7s 2c 5h       | four queens, seven kicker
    Kh Qh 8h 5h 3d             | flush, ace king queen eight five
    Ah 3c 8h 5h 2h             | flush, ace king eight five two
    Ac 2d 4h 5s 3c             | straight to the five
    Qc Kd Ah 2s 9h             | pair of aces, king, queen and two kickers
    7s 8s Js 9c 3h             | straight flush to the jack
    3c 3d 9h Ks Ts             | straight flush to the ace
    3c 3d 3h 9c 9d Qs 2h       | five aces
    3c 3d 3h 3s 9c 9d 9h       | five aces
    3c 9d                      | pair of aces
    3c 9d 3h 9s                | four aces
    3c 9d 3h 9s 2h             | five twos
    7d 8s Tc Jd Qh 3c 2s       | straight to the queen
    Jd 7d 3s Qh 7h 5d 3d       | four sevens, queen kicker
    Kh 8c 3h Td 8d 6d 4d 2s    | flush, ace ten eight six four
    Qs 4c 2c 9d 8s 7s 2d       | three twos, queen and eight kickers
    Tc 6s 5s Ad Ac 9h 6h       | full house, aces over sixes
    2c 5d 7h 8s Tc Jd Kh Ks    | pair of kings, jack, ten and eight kickers
    2c 5c 7c 8c Tc Jd Kh Ks    | flush, ten eight seven five two
    As Ks Qs Js 9d 2c 2d       | straight flush to the ace
    9h 9d 9c Ks Qs             | straight flush to the ace
    8h 8d 8c 3d 9c 2s 5d       | five eights
    Ad 2c 4h 5s 9h 7d Jc       | straight to the five
    As 2s 4s 5s 3d 9h Kd       | straight flush to the six
    Qc Kc Ac 2d 4d 6h 8h       | ace high, king queen eight six
    Kc Ac 2c 4c 5d 6h 7s       | ace high, king seven six five
    6h 5h 4h Ac Kc Qc Td       | ace high, king queen ten six
    Ks Kd Qs Qd Js Jd 2h       | two pair, kings and queens, jack kicker
    Ks Kd Kh Qs Qd Qh 2h       | full house, kings over queens
    Ks Kd Kh Kc Qs Qd Ah       | four kings, ace kicker
    4h 5h 6h 7h Tc Js Qd 8c Kh | flush, king seven six five four
    4h 5h 6h 7h Tc Js Qd 8h Kh | straight flush to the eight
    Ah Kh Qh Jh Tc 9d 2s 4s    | straight flush to the ace
    Ah Kh Qh Jh Tc 8d 2s 4s    | straight to the ace
    2c 2d 2h 4c 4d 4h 5c 5d 5h 6c 6d 6h 7s | full house, sixes over fives
""")


@pytest.mark.parametrize(("cards", "words"), HIGH)
def test_a_hand_is_worth_its_best_five(module: ModuleType, cards: str, words: str) -> None:
    assert words == describe(module.evaluate(hand(cards), THREES_AND_NINES)).words


def test_jacks_can_be_wild_besides() -> None:
    value = evaluate(hand("Jh Js Ac Kd 8c 5d 2s"), THREES_AND_NINES | ONE_EYED_JACKS)
    assert describe(evaluate(hand("Ac 2s 4d 5d 3c"))) == describe(value)


BEATS = table("""
    8s 8h 8c 8d 3c       | As Ks Qs Js Ts
    Ah Kh Qh Th 8h       | Ah 3c 8h 5h 2h
    9h 9d 9c Ks Qs       | Ks Kd Kh Kc Ah
    8h 8d 8c 3d 9c 2s 5d | As Ks Qs Js Ts
    7c 7d 2c             | Ac Kd Qh Js 8d
""")


@pytest.mark.parametrize(("better", "worse"), BEATS)
def test_a_better_hand_wins(module: ModuleType, better: str, worse: str) -> None:
    assert module.evaluate(hand(better), THREES_AND_NINES) > module.evaluate(hand(worse), THREES_AND_NINES)


SHOWS_MORE = table("""
    Kc 9d                | Qs Qh
    8s 8h Kd             | 8c 8d 6h 2h
    8c 8d 6h 2h          | 8s 8h 6d
    Kc Td                | Kc
    Tc                   | 8d 5d 2c
""")


@pytest.mark.parametrize(("better", "worse"), SHOWS_MORE)
def test_a_card_that_shows_beats_one_that_is_missing(module: ModuleType, better: str, worse: str) -> None:
    high, low = (module.evaluate_showing(hand(cards), THREES_AND_NINES) for cards in (better, worse))
    assert high > low


SHOWING = table("""
    3d             | ace high
    As             | ace high
    Kc 9d          | pair of kings
    3c 9d          | pair of aces
    7s 8s 9c 3d    | three eights, seven kicker
    Ks Qs Js 3d    | pair of kings, queen and jack kickers
    Ks Kd Qs Qd    | two pair, kings and queens
    Ks Kd Qs 3d    | three kings, queen kicker
    Ks Kd 9s 3d    | four kings
    7s 8s 9c 3d Ts | straight flush to the jack
    8s 8h 8c       | three eights
    Tc 5d 2c       | ten high, five two
""")


@pytest.mark.parametrize(("cards", "words"), SHOWING)
def test_what_shows_is_a_hand_of_few_cards(module: ModuleType, cards: str, words: str) -> None:
    assert words == describe(module.evaluate_showing(hand(cards), THREES_AND_NINES)).words


def test_showing_hands_can_tie(module: ModuleType) -> None:
    wild_alone = module.evaluate_showing(hand("3d"), THREES_AND_NINES)
    assert module.evaluate_showing(hand("As"), THREES_AND_NINES) == wild_alone


def test_wild_cards_may_show_their_printed_rank(module: ModuleType) -> None:
    assert describe(module.evaluate_showing(hand("Kc 9d"))).words == "king high, nine"


# Low hands: scale, qualifier, reading of the wild cards.

LOW = table("""
    As 2d 4c 6h 9c Ks Kd    | A5 | 8  | wild     | 6-4-3-2-A low
    Ah 2c 5s 7d 3h Jc Js    | A5 | 8  | wild     | 7-5-3-2-A low
    Ad 5h 8c 7s Qc Qd Tc    | A5 | 8  | wild     | none
    As 2d 4c 6h 9c Ks Kd    | A5 | 8  | natural  | none
    Ah 2c 5s 7d 3h Jc Js    | A5 | 8  | natural  | 7-5-3-2-A low
    As 2d 4c 6h 9c Ks Kd    | A5 | 8  | excluded | none
    Ah 2c 5s 7d 3h Jc Js    | A5 | 8  | excluded | none
    9c 4d 2h As 5h Kd Qh    | A6 | no | wild     | 6-5-4-2-A low
    9c 4d 2h As 5h Kd Qh    | A5 | no | wild     | 5-4-3-2-A low
    5c 4d 3h 2s Ac Kd Qh    | A5 | no | natural  | 5-4-3-2-A low
    5c 4d 3h 2s Ac Kd Qh    | A6 | no | natural  | Q-4-3-2-A low
    5c 4d 3h 2s Ac          | A6 | no | natural  | straight to the five, as a low
    5c 4c 3c 2c Ac          | A6 | no | natural  | straight flush to the five, as a low
    5c 4c 3c 2c Ac 6c       | A6 | no | natural  | flush, six four three two ace, as a low
    5c 4c 3c 2c Ac 6c 7d    | A6 | no | natural  | 7-4-3-2-A low
    5d 4c 3c 2c Ac 6c       | A6 | no | natural  | 6-5-3-2-A low
    5c 4c 3c 2c 7c          | A6 | no | natural  | flush, seven five four three two, as a low
    5c 4c 2c Ac 9d          | A6 | 8  | wild     | 6-5-4-2-A low
    5c 4d 2h 3s Kd          | A6 | no | wild     | K-5-4-2-A low
    5c 4d 2h 3s 3d          | A6 | no | wild     | 6-5-4-2-A low
    2c 4d 5h 6s 7d 9c       | A6 | no | wild     | 6-5-4-2-A low
    Ac Kd Qh Jc Ts          | A6 | no | wild     | K-Q-J-T-A low
    Kc Kd Kh Ks Qd          | A5 | no | wild     | four kings, queen kicker, as a low
    Kc Kd Kh Ks Qd Qs       | A5 | no | wild     | full house, kings over queens, as a low
    Kc Kd Qh Qs Jd          | A5 | no | wild     | two pair, kings and queens, jack kicker, as a low
    Kc Kd Qh Qs 3d 9d       | A5 | no | wild     | pair of queens, king, two and ace kickers, as a low
    Kc Kd Kh 3d 9d          | A5 | no | wild     | three kings, two and ace kickers, as a low
    Kc Kd Kh 2d 2h 7s       | A5 | no | wild     | two pair, kings and twos, seven kicker, as a low
    Ac Ad Kh Ks Qs          | A5 | no | wild     | two pair, kings and aces, queen kicker, as a low
    3c 3d 3h 9c 9d          | A5 | 8  | wild     | 5-4-3-2-A low
    3c 3d 3h 9c 9d          | A6 | 8  | wild     | 6-4-3-2-A low
    As 2s 4s 5s             | A5 | no | wild     | none
""")


@pytest.mark.parametrize(("cards", "scale", "qualifier", "mode", "words"), LOW)
def test_the_best_low(module: ModuleType, cards: str, scale: str, qualifier: str, mode: str, words: str) -> None:
    low = module.evaluate_low(
        hand(cards),
        THREES_AND_NINES,
        scale=scale,
        mode=mode,
        qualifier=None if qualifier == "no" else int(qualifier),
    )
    assert words == ("none" if low is None else describe_low(low).words)


def test_a_wild_card_is_not_what_would_hurt_its_low(module: ModuleType) -> None:
    # 5-4-3-2 and a wild card: an ace or a six makes a straight, so it is a seven.
    wild = hand("Kh")
    assert describe_low(module.evaluate_low(hand("5c 4d 3h 2s Kh"), wild, scale="A6")).words == "7-5-4-3-2 low"
    assert describe_low(module.evaluate_low(hand("7s 5c 4d 3h 2s Kh"), wild, scale="A6")).words == "7-4-3-2-A low"


def test_the_three_lows_of_one_showdown(module: ModuleType) -> None:
    hands = [hand(cards) for cards in ("As 2d 4c 6h 9c Ks Kd", "Ah 2c 5s 7d 3h Jc Js", "Ad 5h 8c 7s Qc Qd Tc")]

    def winners(mode: str) -> list[int]:
        lows = [module.evaluate_low(cards, THREES_AND_NINES, mode=mode) for cards in hands]
        qualified = [low for low in lows if low is not None]
        return [seat for seat, low in enumerate(lows, 1) if low is not None and low == min(qualified)]

    assert [1] == winners("wild")
    assert [2] == winners("natural")
    assert [] == winners("excluded")


# Rankings.


def test_a_wild_card_doubles_the_ace_of_a_flush(module: ModuleType) -> None:
    double = Ranking(double_ace_flush=True)
    value = module.evaluate(hand("Ah 3c 8h 5h 2h"), THREES_AND_NINES, ranking=double)
    assert describe(value).words == "flush, ace ace eight five two"
    assert value > module.evaluate(hand("Ah Kh Qh Th 8h"), THREES_AND_NINES, ranking=double)
    two_wild = module.evaluate(hand("Ah 3c 9c 8h 5h"), THREES_AND_NINES, ranking=double)
    assert describe(two_wild).words == "flush, ace ace ace eight five"
    royal = module.evaluate(hand("Ah Kh Qh Jh 3c"), THREES_AND_NINES, ranking=double)
    assert describe(royal).words == "straight flush to the ace"
    without_ace = module.evaluate(hand("Kh 3c 8h 5h 2h"), THREES_AND_NINES, ranking=double)
    assert describe(without_ace).words == "flush, ace king eight five two"


def test_a_royal_flush_may_beat_five_of_a_kind(module: ModuleType) -> None:
    below = Ranking(five_of_a_kind=FiveOfAKind.BELOW_ROYAL_FLUSH)

    def value(cards: str) -> int:
        return int(module.evaluate(hand(cards), THREES_AND_NINES, ranking=below))

    assert value("As Ks Qs Js Ts") > value("Ac Ad Ah As 3c") > value("8s 7s 6s 5s 3c")
    assert describe(value("8s 7s 6s 5s 3c")).words == "straight flush to the nine"
    assert describe(value("3c 3d 3h 9c 9d Qs 2h")).words == "straight flush to the ace"
    assert describe(value("3c 3d 3h 9c 8d")).words == "five eights"
    assert describe(value("3c 3d 3h 9c Qd")).words == "straight flush to the ace"


def test_natural_hands_may_beat_equal_wild_ones(module: ModuleType) -> None:
    natural_first = Ranking(natural_beats_wild=True)
    wild, natural = hand("Ks Kd 3c 7d 6h"), hand("Kc Kh Ks 7s 6d")
    assert module.evaluate(natural, THREES_AND_NINES) == module.evaluate(wild, THREES_AND_NINES)
    values = [
        module.evaluate(cards, THREES_AND_NINES, ranking=natural_first)
        for cards in (hand("Kc Kh Ks 7s 5d"), wild, natural, hand("Kc Kh Ks 8s 2d"))
    ]
    assert sorted(set(values)) == values
    assert describe(values[1]) == describe(values[2])


def test_a_held_wild_card_leaves_a_hand_natural_if_it_is_not_needed(module: ModuleType) -> None:
    natural_first = Ranking(natural_beats_wild=True)
    royal = hand("As Ks Qs Js Ts")
    with_wild = module.evaluate(royal | hand("3c"), THREES_AND_NINES, ranking=natural_first)
    assert module.evaluate(royal, THREES_AND_NINES, ranking=natural_first) == with_wild
    needed = module.evaluate(hand("As Ks Qs Js 3c"), THREES_AND_NINES, ranking=natural_first)
    assert needed < with_wild
    as_printed = module.evaluate(hand("Ac 2d 4h 5s 3c"), THREES_AND_NINES, ranking=natural_first)
    assert as_printed == module.evaluate(hand("Ac 2d 4h 5s 3c"), NO_WILD, ranking=natural_first)


# Exact counts.

CATEGORIES_DOWN = tuple(reversed(CATEGORIES))
FIVE_CARD_COUNTS = {
    NO_WILD: (0, 40, 624, 3_744, 5_108, 10_200, 54_912, 123_552, 1_098_240, 1_302_540),
    THREES_AND_NINES: (8_152, 11_464, 130_552, 18_480, 26_592, 89_400, 631_920, 71_280, 1_141_920, 469_200),
    DEUCES: (672, 2_552, 31_552, 12_672, 14_472, 62_232, 355_080, 95_040, 1_225_008, 799_680),
}


@cache
def values_of_all_fives(wild: int) -> Counter[int]:
    cards = [1 << card for card in range(52)]
    return Counter(evaluate(a | b | c | d | e, wild) for a, b, c, d, e in combinations(cards, 5))


@pytest.mark.parametrize("wild", FIVE_CARD_COUNTS, ids=["none", "threes_and_nines", "deuces"])
def test_all_five_card_hands_by_category(wild: int) -> None:
    found: Counter[str] = Counter()
    for value, hands in values_of_all_fives(wild).items():
        found[describe(value).category] += hands
    assert FIVE_CARD_COUNTS[wild] == tuple(found[category] for category in CATEGORIES_DOWN)


def test_the_number_of_different_values() -> None:
    natural = values_of_all_fives(NO_WILD).keys()
    assert 7_462 == len(natural)
    assert 7_475 == len(natural | values_of_all_fives(THREES_AND_NINES).keys() | values_of_all_fives(DEUCES).keys())


def test_what_fewer_than_five_cards_are_worth() -> None:
    values = {evaluate(mask_of(cards)) for size in (1, 2, 3, 4) for cards in combinations(range(52), size)}
    # 13 + 91 + 455 + 1,820: the multisets of one to four ranks.
    assert 2_379 == len(values)


# Arguments that are no hand.

MASKS = st.integers(0, 2**52 - 1)
NO_MASKS = [-1, -(2**63), -(2**200), 1 << 52, (1 << 52) | 1, 2**63, 2**64 - 1, 2**64, 2**64 + 1, 10**6000]
NO_INTS = ["Ks", b"K", 1.0, 1j, None, [1], (1, 2), {1}, object(), int, iter([1])]


class Index:
    def __index__(self) -> int:
        return 1


FUNCTIONS = ["evaluate", "evaluate_showing", "evaluate_low"]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_numbers_that_are_no_masks_are_refused(module: ModuleType, name: str) -> None:
    function = getattr(module, name)
    for number in NO_MASKS:
        with pytest.raises(ValueError, match=r"^cards: "):
            function(number)
        with pytest.raises(ValueError, match=r"^wild: "):
            function(1, number)
    for cards in (0, (1 << 14) - 1, (1 << 52) - 1):
        with pytest.raises(ValueError, match=f"^cards: a hand has 1 to 13 cards, not {cards.bit_count()}"):
            function(cards, THREES_AND_NINES)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_other_objects_are_refused(module: ModuleType, name: str) -> None:
    function = getattr(module, name)
    for thing in [*NO_INTS, Index()]:
        with pytest.raises(TypeError, match=r"^cards: "):
            function(thing)
        with pytest.raises(TypeError, match=r"^wild: "):
            function(1, thing)
    with pytest.raises(TypeError):
        function()
    with pytest.raises(TypeError):
        function(1, 2, 3)
    with pytest.raises(TypeError):
        function(1, mask=3)


def test_the_ranking_must_be_one(module: ModuleType) -> None:
    for thing in (None, 1, "STANDARD", Ranking):
        with pytest.raises(TypeError, match=r"^ranking: "):
            module.evaluate(1, ranking=thing)
    with pytest.raises(ValueError, match=r"^five_of_a_kind: 'top'"):
        Ranking(five_of_a_kind="top")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^double_ace_flush: 1 "):
        Ranking(double_ace_flush=1)  # type: ignore[arg-type]


def test_low_choices_must_exist(module: ModuleType) -> None:
    for wrong in ({"scale": "A7"}, {"mode": "none"}, {"qualifier": 4}, {"qualifier": 14}, {"qualifier": -1}):
        with pytest.raises(ValueError, match=f"^{next(iter(wrong))}: "):
            module.evaluate_low(hand("As 2s 3s 4s 5s"), **wrong)
    with pytest.raises(ValueError, match=r"^qualifier: "):
        module.evaluate_low(1, qualifier=10**6000)
    for thing in ("8", 8.0, [8]):
        with pytest.raises(TypeError, match=r"^qualifier: "):
            module.evaluate_low(1, qualifier=thing)
    for choice in (None, 5, b"A5", object()):
        with pytest.raises(ValueError, match=r"^scale: "):
            module.evaluate_low(1, scale=choice)
        with pytest.raises(ValueError, match=r"^mode: "):
            module.evaluate_low(1, mode=choice)


@given(st.one_of(st.integers(), st.binary(), st.floats(), st.none(), MASKS), st.one_of(st.integers(), MASKS, st.text()))
def test_hostile_arguments_do_no_harm(cards: Any, wild: Any) -> None:
    for function in (evaluate, evaluate_showing, evaluate_low):
        try:
            found = function(cards, wild)
        except (TypeError, ValueError):
            continue
        assert found is None or 0 < found < 2**31


def test_the_compiled_functions_belong_to_the_engine() -> None:
    assert ["engine.evaluator"] * 3 == [function.__module__ for function in (evaluate, evaluate_showing, evaluate_low)]
