"""Amounts, ranks, cards and lists in every language."""

import pytest

from engine.cards import RANKS
from service.words.language import LANGUAGES, Language, chips_text, marked


@pytest.mark.parametrize(
    ("amount", "minor_units", "expected"),
    [
        (0, 1, "0"),
        (2, 1, "2"),
        (840, 840, "1"),
        (420, 840, "1/2"),
        (2100, 840, "2 1/2"),
        (841, 840, "1 1/840"),
        (-1260, 840, "-1 1/2"),
        (-1, 840, "-1/840"),
        (10**15, 1, "1000000000000000"),
        (5, 100, "1/20"),
    ],
)
def test_amounts_in_chips_are_exact(amount, minor_units, expected):
    assert expected == chips_text(amount, minor_units)


@pytest.mark.parametrize(
    ("amount", "english", "german"),
    [
        (840, "1 chip", "1 Chip"),
        (1680, "2 chips", "2 Chips"),
        (420, "1/2 chips", "1/2 Chips"),
        (0, "0 chips", "0 Chips"),
    ],
)
def test_one_chip_is_singular_and_nothing_else(amount, english, german):
    assert english == Language("en", minor_units=840).chips(amount)
    assert german == Language("de", minor_units=840).chips(amount)


@pytest.mark.parametrize(
    ("code", "one", "two", "three"),
    [
        ("en", "a", "a and b", "a, b and c"),
        ("it", "a", "a e b", "a, b e c"),
        ("de", "a", "a und b", "a, b und c"),
        ("es", "a", "a y b", "a, b y c"),
        ("id", "a", "a dan b", "a, b dan c"),
    ],
)
def test_lists(code, one, two, three):
    language = Language(code)
    assert [one, two, three] == [language.listed("abc"[:size]) for size in (1, 2, 3)]


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_rank_has_names_of_its_own(code):
    language = Language(code)
    for name in (language.rank, language.ranks, language.a_rank):
        assert len(RANKS) == len({name(rank) for rank in RANKS})


def test_cards_are_named_by_rank_or_by_symbol():
    assert "threes, nines, J♥ and J♠" == Language().cards(("3", "9"), ("Jh", "Js"))
    assert "Dreien und Damen" == Language("de").cards(("3", "Q"), ())
    assert "Q♠" == Language("it").cards((), ("Qs",))


def test_the_same_word_may_have_two_meanings():
    assert "fold" == marked("action", "fold")
    assert ["scala", "straight"] == [
        Language("it").named("hand", "straight"),
        Language("it").named("other", "straight"),
    ]


def test_an_unknown_language_is_refused():
    with pytest.raises(ValueError, match="'xx'"):
        Language("xx")
