"""What is said on the showdown."""

import pytest

from engine import PROFILES

TITLE = "Showdown"


def hands(sentences):
    [listed] = [it for it in sentences if it.startswith("Hands, the best first: ")]
    return listed.removeprefix("Hands, the best first: ").rstrip(".").split(", ")


def test_five_of_a_kind_needs_wild_cards_and_stands_where_the_knob_says(said):
    wild, plain = hands(said(PROFILES["baseball"], TITLE)), hands(said(PROFILES["seven-card-stud"], TITLE))
    assert ["five of a kind", *plain] == wild
    below = hands(said(PROFILES["baseball"].replace(five_of_a_kind="below_royal_flush"), TITLE))
    assert ["straight flush", "five of a kind", "four of a kind"] == below[:3]
    assert (10, "high card") == (len(below), below[-1])


@pytest.mark.parametrize(
    ("profile", "best", "qualifier"),
    [
        ("baseball-hi-lo", "5-4-3-2-A is best", "none above eight"),
        ("baseball-match-pot-hi-lo", "6-4-3-2-A is best", "Any five cards"),
    ],
)
def test_the_low(said, profile, best, qualifier):
    text = " ".join(said(PROFILES[profile], TITLE))
    assert best in text
    assert qualifier in text
    assert "high half" in text


def test_wild_cards_in_a_low_only_where_there_are_some(said):
    assert any("wild card" in sentence for sentence in said(PROFILES["baseball-hi-lo"], TITLE))
    assert not any("wild card" in sentence for sentence in said(PROFILES["seven-card-stud-hi-lo"], TITLE))


def test_rolled_hands_are_open_already(said):
    rolled = said(PROFILES["night-baseball"], TITLE)
    assert "The best open hand wins the pot: at most five of its cards count." == rolled[0]
    assert not any("shows first" in sentence for sentence in rolled)
    assert "Equal hands share a pot exactly; there is nothing left over." == rolled[-1]
