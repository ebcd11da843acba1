"""Cards, masks and their text."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cards import (
    DECK_SIZE,
    FULL_DECK,
    HIDDEN,
    RANKS,
    SUITS,
    CardError,
    card_symbol,
    card_text,
    cards_in,
    cards_text,
    mask_of,
    parse_card,
    parse_cards,
    parse_rank,
    rank_mask,
    rank_of,
    suit_of,
)


def test_a_card_is_suit_times_thirteen_plus_rank():
    assert 0 == parse_card("2c")
    assert 12 == parse_card("Ac")
    assert 13 == parse_card("2d")
    assert 26 + 8 == parse_card("Th")
    assert 51 == parse_card("As")


def test_text_and_number_are_two_names_of_a_card():
    texts = [rank + suit for suit in SUITS for rank in RANKS]
    assert texts == [card_text(card) for card in FULL_DECK]
    assert list(FULL_DECK) == [parse_card(text) for text in texts]
    assert texts == [RANKS[rank_of(card)] + SUITS[suit_of(card)] for card in FULL_DECK]
    assert DECK_SIZE == len(set(texts))


def test_a_hidden_card_has_a_text_and_no_number():
    assert "?? As" == cards_text((HIDDEN, 51))
    assert "??" == card_symbol(HIDDEN)
    with pytest.raises(CardError):
        parse_card("??")


def test_symbols_are_for_people():
    assert "K♠ T♦ 2♣ A♥" == " ".join(map(card_symbol, parse_cards("Ks Td 2c Ah")))


@pytest.mark.parametrize(
    "text", ["", "K", "10s", "1s", "ks", "KS", "Kx", "sK", " Ks", "Ks ", "K♠", "Ksh", None, 5, ["Ks"]]
)
def test_what_is_no_card_is_named(text):
    with pytest.raises(CardError, match=r"is not a card: write a rank of 23456789TJQKA and a suit of cdhs"):
        parse_card(text)


@pytest.mark.parametrize("text", ["Ks Kh 9c", "Ks,Kh,9c", "KsKh9c", "  Ks, Kh\n9c "])
def test_cards_stand_apart_or_together(text):
    assert "Ks Kh 9c" == cards_text(parse_cards(text))


def test_no_text_is_no_cards():
    assert () == parse_cards("")
    assert () == parse_cards(" , ")


@pytest.mark.parametrize(
    ("text", "named"), [("Ks 10h", "'10'"), ("Ks K", "'K'"), ("Ks Xx Yy", "'Xx'"), ("Ks Kh Ks", "Ks")]
)
def test_the_part_that_is_no_card_or_stands_twice_is_named(text, named):
    with pytest.raises(CardError, match=named):
        parse_cards(text)


def read_slowly(text: str) -> tuple[int, ...] | str:
    """Return the cards as parse_cards must read them, or the start of what it must say."""
    left = "".join(character for character in text if not character.isspace() and character != ",")
    cards: list[int] = []
    texts = [left[at : at + 2] for at in range(0, len(left), 2)]
    for part in texts:
        if part not in {rank + suit for rank in RANKS for suit in SUITS}:
            return f"{part!r} is not a card: "
    for part in texts:
        card = SUITS.index(part[1]) * 13 + RANKS.index(part[0])
        if card in cards:
            return f"{part} stands there twice"
        cards.append(card)
    return tuple(cards)


CARD_TEXTS = st.sampled_from([card_text(card) for card in FULL_DECK])
PIECES = st.one_of(
    CARD_TEXTS, CARD_TEXTS, st.sampled_from([" ", ",", "\t", "\n", "\x1c", "\x85", "\u2003", "K", "s", "é", "\0"])
)


@given(st.one_of(st.lists(PIECES).map("".join), st.permutations(FULL_DECK).map(cards_text), st.text()))
def test_text_is_read_in_one_way(text):
    expected = read_slowly(text)
    try:
        found: Any = parse_cards(text)
    except CardError as error:
        found = str(error)[: len(expected)]
    assert expected == found


def test_what_is_no_text_is_refused():
    for thing in (None, 5, b"Ks", ["Ks"]):
        with pytest.raises((AttributeError, TypeError)):
            parse_cards(thing)


@given(st.lists(st.one_of(st.integers(0, 51), st.integers(0, 200), st.booleans()), max_size=60))
def test_a_mask_is_made_of_any_numbers(cards):
    expected = sum(1 << card for card in set(map(int, cards)))
    for some in (cards, tuple(cards), iter(cards), dict.fromkeys(cards), map(int, cards)):
        assert expected == mask_of(some)


def test_what_are_no_numbers_make_no_mask():
    for cards in ([-1], (0, -(2**70)), iter([-1])):
        with pytest.raises(ValueError, match="negative shift count"):
            mask_of(cards)
    for things in (["Ks"], (1, None), "Ks", [1.0], None, 7):
        with pytest.raises(TypeError):
            mask_of(things)


@pytest.mark.parametrize("text", ["", "1", "10", "t", "23", "s", None, 3])
def test_what_is_no_rank_is_named(text):
    with pytest.raises(CardError, match="is not a rank"):
        parse_rank(text)


def test_ranks_go_from_deuce_to_ace():
    assert list(range(13)) == [parse_rank(rank) for rank in "23456789TJQKA"]


def test_a_mask_holds_its_cards_lowest_first():
    cards = parse_cards("As 2c Th")
    assert (0, 34, 51) == tuple(cards_in(mask_of(cards)))
    assert 0 == mask_of(())
    assert () == tuple(cards_in(0))
    assert (1 << 52) - 1 == mask_of(FULL_DECK)


def test_a_rank_mask_holds_the_four_cards_of_a_rank():
    for rank in range(13):
        assert [card for card in FULL_DECK if rank_of(card) == rank] == list(cards_in(rank_mask(rank)))
