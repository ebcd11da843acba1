"""The tests' own reading of a hand, since every other test leans on it."""

import pytest

from engine import PROFILES
from engine.cards import cards_text
from tests.engine.play import STUD, DealtCard, deal, reported, stacked_deck


def test_a_reported_hand_names_how_each_card_lies():
    assert [
        DealtCard("As", True),
        DealtCard("Kd", True),
        DealtCard("4c", False, (("4h", False), ("9h", True))),
        DealtCard("5h", False),
        DealtCard("Td", True),
    ] == reported("(As Kd) 4c+4h+(9h) 5h (Td)")


def test_cards_leave_the_deck_in_passes_from_the_dealers_left():
    deck = stacked_deck(STUD, {1: "(As Ks) Qs Js", 2: "(Ad Kd) Qd", 3: "(Ac Kc) Qc Jc"}, 1)
    assert "Ad Ac As Kd Kc Ks Qd Qc Qs Jc Js" == cards_text(deck[:11])
    assert 52 == len(set(deck))


def test_bonus_cards_follow_the_card_that_earned_them():
    deck = stacked_deck(PROFILES["baseball"], {1: "(As Ks) 4s+(Js)", 2: "(Ad Kd) Qd"}, 2)
    assert "As Ad Ks Kd 4s Js Qd" == cards_text(deck[:7])


def test_burns_go_before_each_round():
    deck = stacked_deck(PROFILES["baseball-simple"], {1: "(As Ks) Qs Js", 2: "(Ad Kd) Qd Jd"}, 2, burns="2c 2d")
    assert "2c As Ad Ks Kd Qs Qd 2d Js Jd" == cards_text(deck[:10])


def test_the_seat_whose_turn_it_is_not_is_noticed():
    hand = deal(STUD, {1: "(As Ks) Qs", 2: "(Ad Kd) 2d"})
    with pytest.raises(AssertionError, match="turn of seat 2"):
        hand.play("1 bring_in")


def test_a_round_that_is_not_over_is_noticed():
    hand = deal(STUD, {1: "(As Ks) Qs", 2: "(Ad Kd) 2d"})
    with pytest.raises(AssertionError, match="goes on"):
        hand.play("2 bring_in |")


def test_a_card_on_the_wrong_street_is_noticed():
    with pytest.raises(AssertionError, match="wrong street"):
        stacked_deck(STUD, {1: "(As Ks) (Qs)", 2: "(Ad Kd) 2d"}, 2)


def test_an_unreported_bonus_card_is_noticed():
    with pytest.raises(AssertionError, match="unexpected bonus card"):
        deal(PROFILES["baseball-free-fours"], {1: "(As Ks) 4s", 2: "(Ad Kd) 2d"})
