"""Who opens: the best hand showing, the lowest door card."""

import pytest

from engine import PROFILES
from engine.draft import Draft
from engine.knobs import ShowingTie, WildBringIn
from engine.showing import best_showing, lowest_door, shows_pair
from tests.engine.play import STUD, deal

BASEBALL = PROFILES["baseball"].replace(bring_in=1)
HOME = PROFILES["baseball-home"]
STUD_WILD = STUD.replace(wild_ranks=("3", "9"))


def seats(*doors):
    """Deal these up cards; the dealer is the last seat."""
    return {seat: f"(-- --) {door}" for seat, door in enumerate(doors, start=1)}


def opener(rules, *doors):
    return deal(rules, seats(*doors), 100_000).actor


# The bring-in


@pytest.mark.parametrize(
    ("doors", "seat"),
    [
        (("5d", "2h", "2c", "Ks"), 3),
        (("Ac", "5d", "7h"), 2),
        (("2d", "2h", "2c"), 3),
        (("2d", "2h", "2s"), 1),
        (("2s", "2h", "3c"), 2),
        (("Kh", "Jc"), 2),
        (("Ac", "Ad"), 1),
    ],
)
def test_the_lowest_door_card_brings_it_in(doors, seat):
    assert seat == opener(STUD, *doors)


def test_a_wild_door_card_counts_as_printed():
    assert 1 == opener(BASEBALL, "3s", "5c", "8d")


def test_wild_door_cards_may_be_above_the_ace():
    high = BASEBALL.replace(wild_bring_in=WildBringIn.HIGH)
    assert 2 == opener(high, "3s", "5c", "8d")
    assert 3 == opener(high, "3s", "9c", "Ad")


def test_wild_doors_only_count_as_printed():
    high = BASEBALL.replace(wild_bring_in=WildBringIn.HIGH)
    assert 1 == opener(high, "3s", "9c", "9d")
    assert 3 == opener(high, "9d", "3h", "3d")


def test_an_up_bonus_card_is_no_door_card():
    """The 2c that came for the 4 would be lowest."""
    rules = PROFILES["baseball-free-fours"].replace(bonus_face="up")
    hand = deal(rules, {1: "(-- --) 4h+2c", 2: "(-- --) 4d+Kd", 3: "(-- --) Ks"})
    assert 2 == hand.actor


# The best hand showing


def second_round_opener(rules, up, *, button=None):
    """Check the third street down and say who opens the fourth."""
    hands = {seat: f"(-- --) {cards}" for seat, cards in up.items()}
    hand = deal(rules, hands, 100_000, button=button)
    for _ in up:
        hand.play(f"{hand.actor} check")
    return hand.actor


@pytest.mark.parametrize(
    ("up", "seat"),
    [
        ({1: "Kh 8s", 2: "Jc Jh"}, 2),
        ({1: "2c 5d", 2: "Ah 7s", 3: "Kd Ks"}, 3),
        ({1: "Kc 9d", 2: "Qs Qh"}, 1),
        ({1: "Kc 2d", 2: "Ks Th"}, 2),
        ({1: "As 2d", 2: "Kd Qh"}, 1),
        ({1: "3s 9d", 2: "Ad Kh"}, 1),
        ({1: "Ac Ad", 2: "3s 9d"}, 1),
        ({1: "3s 9d", 2: "Ac Ad"}, 1),
        ({1: "Qs 3c", 2: "Qd 9h"}, 1),
    ],
)
def test_the_best_hand_showing_opens(up, seat):
    assert seat == second_round_opener(HOME, up)


def test_a_wild_card_alone_is_an_ace_and_a_tie_goes_to_the_dealers_left():
    assert 1 == opener(HOME, "As", "3d")
    assert 1 == opener(HOME, "3d", "As")
    assert 2 == deal(HOME, seats("As", "3d"), 100_000, button=1).actor


def test_wild_cards_may_show_as_printed():
    printed = HOME.replace(wild_in_showing=False)
    assert 2 == opener(printed, "9d", "Ts")
    assert 2 == second_round_opener(printed, {1: "Kc 9d", 2: "Qs Qh"})


def test_a_tie_is_broken_by_position_from_the_dealer():
    """Ad Kc against Ah Kd."""
    up = {1: "Ad Kc", 2: "2d 5s", 3: "Ah Kd"}
    assert 1 == second_round_opener(HOME, up)
    assert 3 == second_round_opener(HOME, up, button=1)


def test_a_tie_may_be_broken_by_suit():
    by_suit = HOME.replace(showing_tie=ShowingTie.SUIT)
    assert 3 == second_round_opener(by_suit, {1: "Ad Kc", 2: "2d 5s", 3: "Ah Kd"})
    assert 1 == second_round_opener(by_suit, {1: "As Kc", 2: "2d 5s", 3: "Ah Kd"}, button=1)


def test_by_suit_the_highest_printed_card_decides_even_where_a_wild_card_ties():
    """A 3 alone is an ace; its printed rank loses the tie against a real ace."""
    by_suit = HOME.replace(showing_tie=ShowingTie.SUIT)
    assert 2 == opener(by_suit, "3s", "Ac")


def test_later_streets_open_by_the_whole_board():
    up = {1: "2c 5d 9s Jh", 2: "Ah 7s 7d Td", 3: "Kd Ks 4c 4d"}
    hand = deal(STUD, {seat: f"(-- --) {cards}" for seat, cards in up.items()})
    hand.play("1 bring_in; 2 call; 3 call | 3 check; 1 check; 2 check | 3 check; 1 check; 2 check | 3 check")


def test_the_board_that_improves_takes_the_opening_over():
    up = {1: "Kh 8s 2d 2h", 2: "Jc Jh Td 9s", 3: "2c 8d 8h 8c"}
    hand = deal(STUD, {seat: f"(-- --) {cards}" for seat, cards in up.items()})
    hand.play("3 bring_in; 1 call; 2 call | 2 check; 3 check; 1 check | 2 check; 3 check; 1 check | 3 check")


def test_four_cards_are_no_straight_flush():
    """7s 8s 9c 3d show three eights: better than three sevens, worse than three tens."""
    up = {1: "(-- --) 7s 8s 9c 3d", 2: "(-- --) 7h 7d 7c Kd", 3: "(-- --) 2c Th Td Tc"}
    hand = deal(STUD_WILD, up)
    hand.play("3 bring_in; 1 call; 2 call | 2 check; 3 check; 1 check | 2 check; 3 check; 1 check | 3 check")
    hand = deal(STUD_WILD, {**up, 3: "(-- --) 2c 6h"})
    hand.play("3 bring_in; 1 call; 2 call | 2 check; 3 fold; 1 check | 2 check; 1 check | 1 check")


def test_five_showing_cards_make_a_straight_or_a_flush():
    """With bonus cards up, five can show: a flush beats three of a kind."""
    rules = PROFILES["baseball-free-fours"].replace(bonus_face="up", wild_ranks=())
    up = {1: "(-- --) 4h+8h Qh Jh 2h", 2: "(-- --) Ks Kd Kc 5s"}
    hand = deal(rules, up).play("1 bring_in; 2 call | 2 check; 1 check | 2 check; 1 check")
    assert "4h 8h Qh Jh 2h" == hand.up(1)
    assert 1 == hand.actor


def test_shows_pair_counts_groups_only():
    def pair_on_fourth(first, second):
        hand = deal(STUD_WILD, {1: f"(-- --) {first}", 2: f"(-- --) {second}"})
        hand.play(f"{hand.actor} bring_in; {3 - hand.actor} call")
        return shows_pair(Draft(hand.state))

    assert not pair_on_fourth("Ks Qs", "Jd 2c")
    assert pair_on_fourth("Ks Kd", "Jd 2c")
    assert pair_on_fourth("Ks Qs", "2d 2c")
    assert pair_on_fourth("Ks 9s", "Jd 2c")


def test_folded_hands_neither_open_nor_show_a_pair():
    hand = deal(STUD, {1: "(-- --) Ks", 2: "(-- --) Jd Js", 3: "(-- --) 2c 5h"})
    hand.play("3 bring_in; 1 fold; 2 call")
    assert 2 == best_showing(Draft(hand.state)).seat
    assert shows_pair(Draft(hand.state))
    hand.play("2 fold")
    assert 3 == lowest_door(Draft(hand.state)).seat
    assert not shows_pair(Draft(hand.state))


def test_the_bring_in_is_chosen_after_the_third_street_purchases():
    """Seat 2 folds rather than pay for the open 4, so that the next lowest door card brings it in."""
    hand = deal(PROFILES["baseball"], {1: "(-- --) 8s", 2: "(-- --) 4c", 3: "(-- --) 6d"})
    assert 3 == hand.play("2 decline").actor
