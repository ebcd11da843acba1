"""Every worked hand of ``hands/*.txt`` is played out as it stands there, and a wrong one is found out."""

import re
from pathlib import Path

import pytest

from engine import PROFILES
from tests.engine.hand_file import HandFileError, Line, read_hands
from tests.engine.hand_referee import check_hand

FOLDER = Path(__file__).parent / "hands"
HANDS = [hand for path in sorted(FOLDER.glob("*.txt")) if path.name != "README.txt" for hand in read_hands(path)]


@pytest.mark.parametrize("hand", HANDS, ids=lambda hand: f"{hand.path.stem}:{hand.title.number} {hand.title.text}")
def test_hand(hand):
    check_hand(hand)


def test_every_profile_has_a_hand():
    played = {line.text.split()[1] for hand in HANDS for line in hand.lines if line.text.startswith("game ")}
    assert set(PROFILES) == played


GOOD = """\
== Three players
game    seven-card-stud
seat 1  100  (-- --) Kd
seat 2  100  (-- --) 2c
seat 3  100  (-- --) Qd
deal          pot 3; seat 2 may bring_in 1, complete 2
2 fold        refused
2 bring_in    pays 1; 1 in front; pot 4
3 fold        seat 3 folds
1 complete 2  pays 2
              seat 2 may fold, call 2, raise 4
2 fold        seat 1 gets back 1; pots 5 (1); main pot: 5 to seat 1
stacks  103 98 99
wins    seat 1 5
"""


def play(text, tmp_path):
    path = tmp_path / "hand.txt"
    path.write_text(text)
    for hand in read_hands(path):
        check_hand(hand)


def test_a_right_hand_passes(tmp_path):
    play(GOOD, tmp_path)


@pytest.mark.parametrize(
    ("right", "wrong", "line"),
    [
        ("seven-card-stud", "eight-card-stud", 6),
        ("pot 3; seat 2", "pot 4; seat 2", 6),
        ("seat 2 may bring_in 1, complete 2", "seat 1 may bring_in 1, complete 2", 6),
        ("seat 2 may bring_in 1, complete 2", "seat 2 may bring_in 1", 6),
        ("2 fold        refused", "2 bring_in    refused", 7),
        ("pays 1; 1 in", "pays 2; 1 in", 8),
        ("1 in front", "2 in front", 8),
        ("pot 4", "pot four", 8),
        ("seat 3 folds", "seat 2 folds", 9),
        ("seat 3 folds", "seat 3 dreams", 9),
        ("3 fold        seat", "3 frown       seat", 9),
        ("3 fold        seat", "1 fold        seat", 9),
        ("pots 5 (1)", "pots 5 (1 2)", 12),
        ("raise 4", "raise 6", 11),
        ("back 1", "back 2", 12),
        ("5 to seat 1", "6 to seat 1", 12),
        ("stacks  103 98 99", "stacks  103 99 98", 13),
        ("stacks  103 98 99\n", "", 13),
        ("wins    seat 1 5\n", "", 13),
        ("wins    seat 1 5", "wins    seat 1 6", 14),
        ("wins    seat 1 5", "unfinished", 14),
        ("wins    seat 1 5\n", "wins    seat 1 5\n1 check\n", 15),
        ("deal          pot", "button  1\nbutton  2\ndeal          pot", 7),
        ("deal          pot", "with    tea on\ndeal          pot", 7),
        ("(-- --) Qd", "(-- --) Kd", 6),
    ],
)
def test_a_wrong_hand_fails_where_it_is_wrong(tmp_path, right, wrong, line):
    assert right in GOOD
    with pytest.raises(HandFileError, match=rf"^hand\.txt:{line}: "):
        play(GOOD.replace(right, wrong, 1), tmp_path)


def test_a_file_begins_with_a_title(tmp_path):
    with pytest.raises(HandFileError, match=r"^hand\.txt:1: "):
        play("deal\n", tmp_path)


@pytest.mark.parametrize("hand", HANDS, ids=lambda hand: f"{hand.path.stem}:{hand.title.number}")
def test_a_changed_digit_fails(hand):
    """The last expectation of every hand that has a number in it is looked at."""
    lines = list(hand.lines)
    place = max(place for place, line in enumerate(lines) if re.search(r"  .*\d", line.text))
    number, text = lines[place]
    at = max(match.start() for match in re.finditer(r"\d", text))
    lines[place] = Line(number, f"{text[:at]}{(int(text[at]) + 1) % 10}{text[at + 1 :]}")
    with pytest.raises(HandFileError, match=rf":{number}: "):
        check_hand(hand._replace(lines=tuple(lines)))
