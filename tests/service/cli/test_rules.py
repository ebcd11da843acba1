"""``dugout rules``: the list, one record, and the difference of two."""

import json

import pytest

from engine import PROFILES, Rules
from service.cli.rules import differences


def test_the_list_has_every_game_that_is_played(dugout):
    listed = dugout("rules")
    assert 0 == listed.status
    assert list(PROFILES) == [line.split()[0] for line in listed.out.splitlines()[1:]]


def test_the_list_as_json_has_every_record(dugout):
    records = json.loads(dugout("rules", "--json").out)
    assert list(PROFILES) == [record.pop("profile") for record in records]
    assert list(PROFILES.values()) == [Rules.from_record(record) for record in records]


@pytest.mark.parametrize("name", PROFILES)
def test_a_record_read_back_is_the_same_game(dugout, name):
    shown = dugout("rules", name, "--json")
    assert 0 == shown.status
    assert PROFILES[name] == Rules.from_record(json.loads(shown.out))


def test_people_see_every_knob(dugout):
    shown = dugout("rules", "baseball").out
    rows = dict(line.split(maxsplit=1) for line in shown.splitlines())
    assert list(Rules.__struct_fields__) == list(rows)
    assert ("3 9", "fixed_limit low 2 high 4", "fixed amount 2", "-", "off", "down") == tuple(
        rows[knob] for knob in ("wild_ranks", "structure", "bonus_price", "pay_rank", "dealers_choice", "bonus_face")
    )


def test_a_game_does_not_differ_from_itself(dugout):
    assert {} == json.loads(dugout("rules", "baseball", "--diff", "baseball", "--json").out)
    assert "baseball and baseball are the same game.\n" == dugout("rules", "baseball", "--diff", "baseball").out


def test_the_difference_has_the_knobs_that_differ_and_no_others(dugout):
    changed = json.loads(dugout("rules", "baseball", "--diff", "baseball-free-fours", "--json").out)
    assert {
        "bonus_price": {"baseball": {"kind": "fixed", "amount": 2}, "baseball-free-fours": {"kind": "free"}}
    } == changed
    shown = dugout("rules", "baseball", "--diff", "baseball-free-fours").out.splitlines()
    assert ["KNOB", "BASEBALL", "BASEBALL-FREE-FOURS"] == shown[0].split()
    assert ["bonus_price", "fixed", "amount", "2", "free"] == shown[1].split()
    assert 2 == len(shown)


def test_applying_a_difference_turns_one_game_into_the_other():
    for one in PROFILES.values():
        for other in PROFILES.values():
            theirs = {knob: value for knob, (_, value) in differences(one, other).items()}
            assert other == Rules.from_record(one.as_record() | theirs)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("cricket",), "cricket"),
        (("baseball", "--diff", "cricket"), "cricket"),
        (("--diff", "baseball"), "PROFILE"),
        (("baseball", "--lang", "it"), "allowed: en"),
        (("",), "there is no profile ''"),
    ],
)
def test_bad_usage_names_what_is_wrong(dugout, arguments, named):
    refused = dugout("rules", *arguments)
    assert (2, "") == refused[:2]
    assert named in refused.err
