"""``dugout rules``: the list, one game in words or as a record, and the difference of two."""

import json

import pytest

from engine import PROFILES, Rules
from service.cli.rules import differences, knob_text
from service.words import LANGUAGES, explanation_text, overview


def test_the_list_has_every_game_that_is_played(dugout):
    listed = dugout("rules")
    assert 0 == listed.status
    assert list(PROFILES) == [line.split()[0] for line in listed.out.splitlines()[1:]]


def test_the_list_as_json_has_every_record(dugout):
    records = json.loads(dugout("rules", "--json").out)
    assert list(PROFILES) == [record.pop("profile") for record in records]
    assert list(PROFILES.values()) == [Rules(**record) for record in records]


@pytest.mark.parametrize("name", PROFILES)
def test_a_record_read_back_is_the_same_game(dugout, name):
    shown = dugout("rules", name, "--json")
    assert 0 == shown.status
    assert PROFILES[name] == Rules(**json.loads(shown.out))


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", ["baseball", "night-baseball", "rainy-day-baseball"])
def test_people_read_the_game_in_words(dugout, name, lang):
    shown = dugout("rules", name, "--lang", lang)
    assert (0, "") == (shown.status, shown.err)
    assert f"{explanation_text(PROFILES[name], lang)}\n" == shown.out


def test_english_is_spoken_where_no_language_is_named(dugout):
    assert dugout("rules", "baseball", "--lang", "en").out == dugout("rules", "baseball").out
    assert "Always wild: threes and nines." in dugout("rules", "baseball").out


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_list_is_in_the_language(dugout, lang):
    header = dugout("rules", "--lang", lang).out.splitlines()[0]
    assert header.split() == " ".join(overview({}, lang)[0]).split()


def test_the_language_does_not_change_the_record(dugout):
    assert dugout("rules", "baseball", "--json").out == dugout("rules", "baseball", "--json", "--lang", "it").out


def test_a_game_does_not_differ_from_itself(dugout):
    assert {} == json.loads(dugout("rules", "baseball", "--diff", "baseball", "--json").out)
    assert "baseball and baseball are the same game.\n" == dugout("rules", "baseball", "--diff", "baseball").out


def test_the_difference_has_the_knobs_that_differ_and_no_others(dugout):
    changed = json.loads(dugout("rules", "baseball", "--diff", "baseball-free-fours", "--json").out)
    assert {
        "bonus_price": {"baseball": {"kind": "fixed", "amount": 2}, "baseball-free-fours": {"kind": "free"}}
    } == changed
    words, table = dugout("rules", "baseball", "--diff", "baseball-free-fours").out.rsplit("\n\n", 1)
    assert words.startswith("Bonus cards\n- baseball: Whoever is dealt a four face up pays 2 chips and gets ")
    header, row = table.splitlines()
    assert ["KNOB", "BASEBALL", "BASEBALL-FREE-FOURS"] == header.split()
    assert ["bonus_price", "fixed", "amount", "2", "free"] == row.split()


def test_the_difference_in_another_language(dugout):
    shown = dugout("rules", "baseball", "--diff", "football", "--lang", "es").out
    assert "Comodines\n- baseball: Siempre comodines: treses y nueves.\n" in shown
    assert "baseball y baseball son el mismo juego.\n" == (
        dugout("rules", "baseball", "--diff", "baseball", "--lang", "es").out
    )


def test_knobs_are_compared_in_chips(dugout):
    table = dugout("rules", "baseball", "--diff", "baseball-home-pay-fours").out.rsplit("\n\n", 1)[1]
    rows = {row.split()[0]: row.split()[1:] for row in table.splitlines()[1:]}
    assert ["fixed", "amount", "2", "fixed", "amount", "1"] == rows["bonus_price"]
    assert ["1", "840"] == rows["minor_units"]
    assert "ante" not in rows  # one chip in both


@pytest.mark.parametrize(
    ("knob", "value", "minor_units", "expected"),
    [
        ("ante", 420, 840, "1/2"),
        ("max_players", 840, 840, "840"),
        ("structure", {"kind": "spread", "min": 840, "max": 2100}, 840, "spread min 1 max 2 1/2"),
        ("bonus_price", {"kind": "min_bet", "multiple": 840}, 840, "min_bet multiple 840"),
        ("pay_price", {"kind": "match_pot_capped", "cap": 1680}, 840, "match_pot_capped cap 2"),
        ("wild_ranks", ["3", "9"], 1, "3 9"),
        ("wild_cards", [], 1, "-"),
        ("pay_rank", None, 1, "-"),
        ("dealers_choice", False, 1, "off"),
    ],
)
def test_the_value_of_a_knob_for_people(knob, value, minor_units, expected):
    assert expected == knob_text(knob, value, minor_units)


def test_applying_a_difference_turns_one_game_into_the_other():
    for one in PROFILES.values():
        for other in PROFILES.values():
            theirs = {knob: value for knob, (_, value) in differences(one, other).items()}
            assert other == Rules(**one.as_record() | theirs)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("cricket",), "cricket"),
        (("baseball", "--diff", "cricket"), "cricket"),
        (("--diff", "baseball"), "PROFILE"),
        (("baseball", "--lang", "fr"), "allowed: en, it, de, es, id"),
        (("--lang", ""), "allowed: en"),
        (("",), "there is no profile ''"),
    ],
)
def test_bad_usage_names_what_is_wrong(dugout, arguments, named):
    refused = dugout("rules", *arguments)
    assert (2, "") == refused[:2]
    assert named in refused.err
