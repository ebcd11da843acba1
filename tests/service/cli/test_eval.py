"""``dugout eval``: values, cards that play, comparisons, and input that is no hand."""

import json

import pytest

from engine import PROFILES, evaluate
from engine.cards import mask_of, parse_cards

BAD_HANDS = [
    "Kx",
    "Ks Ks",
    "",
    "  ",
    "1s",
    "ks",
    "K♠",
    "??",
    "KsKs",
    "2c3c4c5c6c7c8c9cTcJcQcKcAc2d",
    "\x00",
    "K s K",
]


def mask(text):
    return mask_of(parse_cards(text))


def evaluated(dugout, *arguments):
    done = dugout("eval", *arguments, "--json")
    assert 0 == done.status, done.err
    return json.loads(done.out)


def test_the_json_has_the_keys_that_programs_rely_on(dugout):
    assert {
        "value": evaluate(mask("Ks Kh Kd 9c 7s"), mask("9c")),
        "category": "four_of_a_kind",
        "words": "four kings, seven kicker",
        "best_five": ["Ks", "Kh", "Kd", "9c", "7s"],
        "wild_as": [{"card": "9c", "as": "Kc"}],
    } == evaluated(dugout, "Ks Kh Kd 9c 7s")


def test_wild_cards_are_those_of_the_profile(dugout):
    assert "three_of_a_kind" == evaluated(dugout, "Ks Kh Kd 9c 7s", "--profile", "seven-card-stud")["category"]
    assert "four_of_a_kind" == evaluated(dugout, "Ks Kh 2d 9c 7s", "--profile", "baseball-wild-twos")["category"]


def test_people_read_symbols_and_what_the_wild_cards_stand_for(dugout):
    assert "four kings, seven kicker  (K♠, K♥, K♦, 9♣ as K♣, 7♠)\n" == dugout("eval", "Ks Kh Kd 9c 7s").out


@pytest.mark.parametrize(
    ("first", "second", "winner"),
    [
        ("8s 8h 8c 8d 3c", "As Ks Qs Js Ts", "hand"),
        ("Ah 3c 8h 5h 2h", "Ah Kh Qh Th 8h", "vs"),
        ("Ks Kh 2c 4d 5s", "Kd Kc 2d 4c 5h", "tie"),
    ],
)
def test_two_hands_are_compared(dugout, first, second, winner):
    compared = evaluated(dugout, first, "--vs", second)
    assert winner == compared["winner"]
    assert evaluated(dugout, second) == compared["vs"]


@pytest.mark.parametrize(
    ("second", "words"),
    [("2c", "The first hand wins."), ("As", "The second hand wins."), ("Kc", "The hands are equal.")],
)
def test_the_winner_is_said_in_words(dugout, second, words):
    assert words == dugout("eval", "Ks", "--vs", second).out.splitlines()[-1]


@pytest.mark.parametrize(
    ("hand", "words", "wild_as"),
    [
        ("As 2d 4c 6h 9c Ks Kd", "6-4-3-2-A low", ["3"]),
        ("Ah 2c 5s 7d 3h Jc Js", "7-5-3-2-A low", ["3"]),
        ("3c 3d 9h Ks Ts", "no low", []),
        ("3c 3d 9h Ks 8s 7h", "8-7-3-2-A low", ["3", "2", "A"]),
    ],
)
def test_a_low_is_the_best_five_low_cards(dugout, hand, words, wild_as):
    low = evaluated(dugout, hand, "--low")
    assert words == low["words"]
    assert sorted(wild_as) == sorted(wild["as"][0] for wild in low["wild_as"])


def test_no_low_has_no_value(dugout):
    low = evaluated(dugout, "Ks Qs Js Ts 8s", "--low")
    assert {"value": None, "category": None, "words": "no low", "best_five": [], "wild_as": []} == low


def test_of_two_lows_the_lower_wins_and_any_low_beats_none(dugout):
    better, worse, none = "As 2d 4c 6h 5c", "As 2d 4c 8h 5c", "Ks Qs Js Ts 8s"
    assert "hand" == evaluated(dugout, better, "--low", "--vs", worse)["winner"]
    assert "vs" == evaluated(dugout, none, "--low", "--vs", worse)["winner"]
    assert "hand" == evaluated(dugout, worse, "--low", "--vs", none)["winner"]
    assert "tie" == evaluated(dugout, none, "--low", "--vs", none)["winner"]


def test_showing_counts_few_cards_without_straights_and_flushes(dugout):
    assert "three_of_a_kind" == evaluated(dugout, "7s 8s 9c 3d", "--showing")["category"]
    assert "pair of aces" == evaluated(dugout, "3s 3d", "--showing")["words"]


def test_showing_leaves_out_what_the_rules_leave_out(dugout, monkeypatch):
    printed = PROFILES["baseball"].replace(wild_in_showing=False)
    monkeypatch.setattr("service.cli.profiles.PROFILES", {"printed": printed})
    assert "high_card" == evaluated(dugout, "3s Kd", "--showing", "--profile", "printed")["category"]


@pytest.mark.parametrize("hand", BAD_HANDS)
def test_what_is_no_hand_is_bad_usage_without_a_traceback(dugout, hand):
    for arguments in (("eval", hand), ("eval", "Ks", "--vs", hand), ("eval", hand, "--low")):
        refused = dugout(*arguments)
        assert 2 == refused.status
        assert "Invalid value for" in refused.err
        assert "" == refused.out


def test_an_unknown_profile_is_refused_with_those_that_exist(dugout):
    refused = dugout("eval", "Ks", "--profile", "cricket")
    assert 2 == refused.status
    assert "cricket" in refused.err
    assert all(name in refused.err for name in PROFILES)


def test_a_low_cannot_be_showing(dugout):
    assert 2 == dugout("eval", "Ks", "--low", "--showing").status
