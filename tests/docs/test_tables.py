"""The page of the rules has the tables that the knobs and the games make, and speaks of things that exist."""

import re
import runpy
from pathlib import Path

import pytest

from engine import PROFILES, Rules, describe
from engine.cards import mask_of, parse_cards, rank_mask
from engine.evaluator import evaluate, evaluate_showing

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/rules.md").read_text()
TABLES = runpy.run_path(str(ROOT / "docs/tables.py"))
WILD = rank_mask(1) | rank_mask(7)


def cells(lines):
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in list(lines)[2:]]


def section(heading):
    return PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def test_the_tables_are_current():
    assert PAGE == TABLES["with_tables"](PAGE)


def test_a_page_without_a_place_for_a_table_is_refused():
    with pytest.raises(ValueError, match="no place for the table of knobs"):
        TABLES["with_tables"]("# Nothing")


def test_a_stale_table_is_replaced_and_the_rest_of_the_page_stays():
    stale = PAGE.replace("| `ante` | a number | 0 |", "| `ante` | a number | 7 |")
    assert stale != PAGE
    assert PAGE == TABLES["with_tables"](stale)


def test_every_knob_has_its_values_its_default_and_a_meaning():
    rows = cells(TABLES["knob_table"]())
    assert [f"`{knob}`" for knob in Rules.__struct_fields__] == [row[0] for row in rows]
    assert all(len(row) == 4 and all(row) for row in rows)
    found = {row[0].strip("`"): row[1:3] for row in rows}
    assert ["`none`, `every_round`, `every_round_but_the_first`", "`none`"] == found["burn"]
    assert ["none, a rank", "none"] == found["pay_rank"]
    assert ["`fixed(amount)`, `match_pot`, `match_pot_capped(cap)`", "`match_pot`"] == found["pay_price"]
    assert ["a set of cards", "none"] == found["wild_cards"]
    assert ["off, on", "on"] == found["rain_ante"]
    assert ["a number", "3"] == found["high_from_round"]


def test_every_game_is_listed_beside_an_earlier_one():
    rows = cells(TABLES["game_table"]())
    names = [row[0].strip("`") for row in rows]
    assert list(PROFILES) == names
    assert "the defaults" == rows[0][1]
    assert all(row[1].strip("`") in names[:at] for at, row in enumerate(rows) if at)
    assert ["`baseball-match-pot`", "`wild_ranks` 6, `bonus_rank` 2"] == rows[names.index("football")][1:]


def test_the_knobs_that_the_text_names_exist():
    values = set(re.findall(r"`(\w+)", "\n".join(TABLES["knob_table"]())))
    named = set(re.findall(r"`([a-z]+(?:_[a-z]+)+)`", PAGE))
    assert set() == named - values - set(Rules.__struct_fields__)


@pytest.mark.parametrize(
    ("cards", "words"),
    [
        ("Kh Qh 8h 5h 3d", "flush, ace king queen eight five"),
        ("Ah 3c 8h 5h 2h", "flush, ace king eight five two"),
        ("3c 3d 9h Ks Ts", "straight flush to the ace"),
        ("3c 3d 3h 9c 9d", "five aces"),
        ("7d 8s Tc Jd Qh 3c 2s", "straight to the queen"),
    ],
)
def test_the_examples_of_wild_cards_are_so(cards, words):
    assert f"`{cards}`" in section("1. High hands")
    assert words == describe(evaluate(mask_of(parse_cards(cards)), WILD)).words


def test_the_examples_of_open_hands_are_so():
    def showing(text, wild=0):
        return evaluate_showing(mask_of(parse_cards(text)), wild)

    assert showing("Kc 9d") > showing("Kc")
    assert showing("8c 8d Kh") > showing("8c 8d 6h 2s") > showing("8c 8d 6h")
    assert "three eights, seven kicker" == describe(showing("7s 8s 9c 3d", WILD)).words
    assert showing("Kc 9d", WILD) > showing("Qs Qh", WILD)
