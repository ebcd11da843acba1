"""``dugout replay``: a recorded hand told, and what is said of files that cannot be."""

import json
from pathlib import Path

import pytest

PHH = Path(__file__).parents[2] / "data" / "phh"
SHOWN = PHH / "F7S" / "11.phh"
UNKNOWN = PHH / "F7S8" / "49.phh"


def test_a_hand_is_told_street_by_street_to_the_winner(dugout):
    told = dugout("replay", str(SHOWN))
    assert (0, "") == (told.status, told.err)
    lines = told.out.splitlines()
    headings = [line for line in lines if line.startswith("──")]
    streets = ("Third", "Fourth", "Fifth", "Sixth", "Seventh")
    assert [f"{street} street" for street in streets] == [" ".join(line.split()[1:3]) for line in headings[:5]]
    assert ["Showdown", "Result"] == [line.split()[1] for line in headings[5:]]
    assert "wins the pot of" in lines[-1]
    assert any("'s turn (fold, call 50000, complete 200000): completes to 200000" in line for line in lines)


def test_cards_that_the_file_does_not_know_stay_hidden(dugout):
    told = dugout("replay", str(UNKNOWN))
    assert 0 == told.status
    assert "(?? ??) ??" in told.out


@pytest.mark.parametrize("path", sorted(PHH.rglob("*.phh")), ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_every_recorded_hand_is_told_and_ends_as_the_file_says(dugout, path):
    replayed = dugout("replay", str(path), "--json")
    assert (0, "") == (replayed.status, replayed.err)
    record = json.loads(replayed.out)
    assert record["agrees"] is True
    assert record["finishing_stacks"] == record["stacks"] == record["steps"][-1]["stacks"]
    assert record["steps"][0]["action"] is None
    assert 0 == dugout("replay", str(path)).status


def test_the_json_says_after_each_action_what_stands_and_who_may_do_what(dugout):
    record = json.loads(dugout("replay", str(SHOWN), "--json").out)
    assert ["title", "profile", "rules", "players", "steps", "stacks", "finishing_stacks", "agrees"] == list(record)
    posted = next(step for step in record["steps"] if step["action"] == "p2 pb")
    assert (3, 3) == (posted["to_act_seat"], posted["street"])
    assert [0, 50_000, 0, 0, 0] == posted["bets"]
    assert [{"amount": 300_000, "seats": [1, 2, 3, 4, 5]}] == posted["pots"]
    assert ["fold", "call", "complete"] == [choice["kind"] for choice in posted["legal_actions"]]


def changed(tmp_path, old, new):
    text = SHOWN.read_text()
    assert text.count(old) == 1
    file = tmp_path / "hand.phh"
    file.write_text(text.replace(old, new))
    return str(file)


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("variant = 'F7S'", "variant = 'NT'", "variant is 'NT'"),
        ("'p2 pb'", "'p1 pb'", "'p1 pb': it is the turn of player 2"),
        ("'p3 cbr 200000'", "'p3 cbr 200001'", "allowed: fold, call to 50000, complete to 200000"),
        ("finishing_stacks = [4750000,", "finishing_stacks = [4750001,", "the file ends with the stacks [4750001,"),
        ("actions = [", "actions = ]", "not TOML"),
    ],
)
def test_a_hand_that_cannot_be_or_ends_otherwise_fails_by_name(dugout, tmp_path, old, new, named):
    failed = dugout("replay", changed(tmp_path, old, new))
    assert 1 == failed.status
    assert named in failed.err
    assert "Traceback" not in failed.err


def test_files_that_cannot_be_read_fail_by_name(dugout, tmp_path):
    missing = tmp_path / "none.phh"
    assert (1, "") == dugout("replay", str(missing))[:2]
    assert f"{missing} cannot be read" in dugout("replay", str(missing)).err
    binary = tmp_path / "binary.phh"
    binary.write_bytes(b"\xff\xfe\x00")
    assert "cannot be read" in dugout("replay", str(binary)).err
    assert 1 == dugout("replay", str(tmp_path)).status
    assert 2 == dugout("replay").status
