"""Hands have the engine's words in English, and other ones in the other languages."""

import pytest

from engine.cards import mask_of, parse_cards, rank_mask
from engine.evaluator import evaluate, evaluate_low, evaluate_showing
from engine.hand_value import CATEGORIES, describe, describe_low
from service.words import LANGUAGES, Language, category_name, hand_name, low_name

WILD = rank_mask(1) | rank_mask(7)
HANDS = {
    "five_of_a_kind": "8s 8h 8c 8d 3c",
    "straight_flush": "7s 8s Js 9c 3h",
    "four_of_a_kind": "Qs Qh Qd 9c 7s",
    "full_house": "Kh Ks Th Td 3c",
    "flush": "Kh Qh 8h 5h 3d",
    "straight": "Ac 2d 4h 5s 3c",
    "three_of_a_kind": "Ks Kh 3c Qd Tc",
    "two_pair": "Ks Kh Td Tc 4s",
    "one_pair": "Qc Kd Ah 2s 9h",
    "high_card": "Kd Jc 8h 7s 2d",
}


def described(text):
    return describe(evaluate(mask_of(parse_cards(text)), WILD))


def random_values(count, draw):
    """Return the values of many hands, in an order that is always the same."""
    state = 12345
    for _ in range(count):
        cards = 0
        while cards.bit_count() < 7:
            state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
            cards |= 1 << (state >> 33) % 52
        yield draw(cards)


@pytest.mark.parametrize("category", CATEGORIES)
def test_english_has_the_words_of_the_engine(category):
    description = described(HANDS[category])
    assert category == description.category
    assert description.words == hand_name(Language(), description)


def test_english_has_the_words_of_the_engine_for_thousands_of_values():
    values = set(random_values(3000, lambda cards: evaluate(cards, WILD)))
    values |= set(random_values(1000, lambda cards: evaluate(cards)))
    for size in (1, 2, 3, 4):
        values |= set(
            random_values(300, lambda cards, size=size: evaluate_showing(mask_of(list(bits(cards))[:size]), WILD))
        )
    assert len(values) > 1000
    for value in values:
        assert describe(value).words == hand_name(Language(), describe(value))


def bits(mask):
    return (card for card in range(52) if mask >> card & 1)


def test_english_has_the_words_of_the_engine_for_lows():
    values = {evaluate_low(mask_of(parse_cards("9c 4d 2h As 5h Kd Qh")), WILD, scale="A6")}
    values |= set(random_values(500, lambda cards: evaluate_low(cards, 0, scale="A6", qualifier=None)))
    for value in values:
        assert describe_low(value).words == low_name(Language(), describe_low(value))


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("it", "tris di re, kicker donna e dieci"),
        ("de", "drei Könige, Kicker Dame und Zehn"),
        ("es", "trío de reyes, kicker reina y diez"),
        ("id", "tiga sejenis raja, kicker ratu dan sepuluh"),
    ],
)
def test_three_kings_in_other_languages(code, expected):
    assert expected == hand_name(Language(code), described(HANDS["three_of_a_kind"]))


@pytest.mark.parametrize("code", [code for code in LANGUAGES if code != "en"])
def test_every_hand_and_category_has_words_of_its_own(code):
    language = Language(code)
    assert len(CATEGORIES) == len({category_name(language, category) for category in CATEGORIES})
    names = {hand_name(language, described(cards)) for cards in HANDS.values()}
    assert len(HANDS) == len(names)
    assert not names & {hand_name(Language(), described(cards)) for cards in HANDS.values()}


def test_lows_in_other_languages():
    low = describe_low(evaluate_low(mask_of(parse_cards("6h 4c 2d As 9c Ks Kd")), rank_mask(7)))
    assert ["mano bassa 6-4-3-2-A", "Low 6-4-3-2-A"] == [low_name(Language(code), low) for code in ("it", "de")]
    pair = describe_low(evaluate_low(mask_of(parse_cards("As Ah 2c 3d 4s")), 0, qualifier=None))
    assert "ein Paar Asse, Kicker Vier, Drei und Zwei, als Low" == low_name(Language("de"), pair)
