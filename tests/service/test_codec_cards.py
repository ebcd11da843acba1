"""Cards, ranks and shown hands in the words of the API."""

import pytest
from google.protobuf import json_format

from engine import best_five, evaluate
from engine.cards import HIDDEN, mask_of, parse_card, parse_cards
from engine.hand_value import CATEGORIES
from proto.stud.v1 import stud_pb2
from service.codec_cards import card_texts, category_number, rank_text, shown_hand, wild_as_messages

THREES_AND_NINES = mask_of(parse_cards("3c 3d 3h 3s 9c 9d 9h 9s"))


def test_cards_are_texts_and_hidden_ones_question_marks() -> None:
    assert ["Ks", "??", "2c"] == card_texts([parse_card("Ks"), HIDDEN, 0])


@pytest.mark.parametrize(("rank", "text"), [(0, "2"), (8, "T"), (12, "A"), (None, "")])
def test_a_rank_is_one_character_and_no_rank_is_none(rank, text) -> None:
    assert text == rank_text(rank)


def test_every_category_has_a_number_in_the_order_of_worth() -> None:
    numbers = [category_number(category) for category in CATEGORIES]

    assert list(range(1, 11)) == numbers
    assert [value for value in stud_pb2.HandCategory.values() if value] == numbers


def test_a_wild_is_told_with_what_it_stands_for() -> None:
    [told] = wild_as_messages([(parse_card("9c"), parse_card("Qh"))])

    assert ("9c", "Qh") == (told.card, told.stands_for)


@pytest.mark.parametrize(
    ("cards", "category", "words", "wild_as"),
    [
        ("8s 8h 8c 8d 3c", "FIVE_OF_A_KIND", "five eights", {"3c"}),
        ("Qs Qh Qd 9c 7s 2c 5h", "FOUR_OF_A_KIND", "four queens, seven kicker", {"9c"}),
        ("Ac 2d 4h 5s 3c", "STRAIGHT", "straight to the five", {"3c"}),
        ("Kd Qh 8c 6s 2d", "HIGH_CARD", "king high, queen eight six two", set()),
    ],
)
def test_an_open_hand_says_what_it_is_worth(cards, category, words, wild_as) -> None:
    mask = mask_of(parse_cards(cards))
    best = best_five(mask, THREES_AND_NINES)
    hand = shown_hand(evaluate(mask, THREES_AND_NINES), best.cards, best.wild_as)

    assert (f"HAND_CATEGORY_{category}", words) == (stud_pb2.HandCategory.Name(hand.category), hand.words)
    assert wild_as == {wild.card for wild in hand.wild_as}
    assert 5 == len(hand.best_five)
    assert set(hand.best_five) <= set(cards.split())
    assert isinstance(json_format.MessageToDict(hand)["value"], str)
