"""What is said on wild cards."""

import pytest

from engine import PROFILES
from engine.cards import RANKS
from service.words.wilds import has_wilds

TITLE = "Wild cards"


@pytest.mark.parametrize(
    ("profile", "expected"),
    [
        ("baseball", "Always wild: threes and nines."),
        ("baseball-wild-twos", "Always wild: twos, threes and nines."),
        ("baseball-one-eyed-jacks", "Always wild: threes, nines, J♥ and J♠."),
        ("woolworth", "Always wild: fives and tens."),
        ("seven-card-stud", "No card is wild."),
    ],
)
def test_the_wild_cards_are_named(said, profile, expected):
    assert expected == said(PROFILES[profile], TITLE)[0]


def test_without_wild_cards_nothing_else_is_said(said):
    assert ["No card is wild."] == said(PROFILES["seven-card-stud"], TITLE)


@pytest.mark.parametrize(
    ("profile", "expected"),
    [("baseball", True), ("no-peek", True), ("football", True), ("follow-the-queen", True), ("seven-card-stud", False)],
)
def test_which_games_have_wild_cards(profile, expected):
    assert expected == has_wilds(PROFILES[profile])


def test_a_pay_rank_alone_makes_a_game_wild():
    assert has_wilds(PROFILES["seven-card-stud"].replace(pay_rank="3"))
    assert has_wilds(PROFILES["seven-card-stud"].replace(wild_next_after="Q"))


def test_the_example_is_what_the_evaluator_says(said):
    assert "For example, K♠ K♥ 3♣ Q♠ T♠ is: three kings, queen and ten kickers." in said(PROFILES["baseball"], TITLE)


@pytest.mark.parametrize("rank", RANKS)
def test_there_is_an_example_whatever_is_wild(said, rank):
    game = PROFILES["seven-card-stud"].replace(wild_ranks=(rank,))
    assert said(game, TITLE)[-1].startswith("For example, ")
    every = PROFILES["seven-card-stud"].replace(wild_ranks=tuple(RANKS))
    assert said(every, TITLE)[-1].startswith("For example, ")


def test_following_the_queen(said):
    follow = said(PROFILES["follow-the-queen"], TITLE)
    assert follow[1].startswith("When a queen is dealt face up, ")
    assert not [sentence for sentence in said(PROFILES["baseball"], TITLE) if "queen is dealt" in sentence]
