import pytest

from engine import KnownHand
from engine.cards import CardError, parse_cards
from service.known_hand import known_hand, parse_hand


@pytest.mark.parametrize(
    ("text", "up", "down", "unseen"),
    [
        ("(Ks Kh) Kd 9c", "Kd 9c", "Ks Kh", 0),
        ("(??) 4h 5d", "4h 5d", "", 1),
        ("(Ks??) 4h5d(??) 2c (7d)", "4h 5d 2c", "Ks 7d", 2),
        ("(????)", "", "", 2),
        ("() Kd", "Kd", "", 0),
        ("", "", "", 0),
        ("5d, 4h", "5d 4h", "", 0),
    ],
)
def test_a_hand_is_read_as_it_lies_on_the_table(text, up, down, unseen):
    assert KnownHand(parse_cards(up), parse_cards(down), unseen) == parse_hand(text)


def test_up_cards_keep_their_order():
    assert parse_cards("9c Kd 2s") == known_hand("9c Kd 2s", "").up


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("(Ks Kd", "parenthesis"),
        ("Ks) Kd", "parenthesis"),
        ("((Ks) Kd)", "parenthesis"),
        ("(Ks) ??", r"\?\? cannot be an up card"),
        ("(Kx)", "'Kx' is not a card"),
        ("(?)", r"'\?' is not a card"),
        ("Ks Ks", "Ks stands there twice"),
        ("(Ks) 9c (Ks)", "Ks stands there twice"),
    ],
)
def test_what_is_no_hand_is_refused(text, named):
    with pytest.raises(CardError, match=named):
        parse_hand(text)
