"""``dugout bench evaluator``: everybody is measured in one run, and nobody who is not there."""

import json
import sys

from engine.hand_value import CATEGORIES
from service.cli import evaluator_bench
from service.cli.bench import _line
from service.cli.evaluator_proof import Finding

OURS = ("floor", "evaluate, no wild", "evaluate, 3s and 9s wild", "evaluate, 3s and 9s wild, from text")


def measured(dugout, *arguments):
    done = dugout("bench", "evaluator", "--hands", "64", "--json", *arguments)
    assert 0 == done.status, done.err
    return json.loads(done.out)


def test_the_json_has_the_keys_that_programs_rely_on(dugout):
    result = measured(dugout)
    assert ["rows", "ratios"] == list(result)
    assert all(["name", "value", "unit", "hands"] == list(row) for row in result["rows"])
    hands = {row["name"]: row["hands"] for row in result["rows"]}
    assert 64 == hands["evaluate, 3s and 9s wild"]
    assert {64, 32, 0} >= set(hands.values())
    names = [row["name"] for row in result["rows"]]
    assert all(any(name.startswith(ours) for name in names) for ours in OURS)
    assert "evaluate_many, 3s and 9s wild, portable" in names
    assert all(row["value"] > 0 for row in result["rows"] if row["value"] is not None and "million" in row["unit"])
    assert set(result["ratios"]) == {row["name"] for row in result["rows"] if row["value"] is not None} - {
        "evaluate, 3s and 9s wild"
    }


def test_peers_that_are_missing_are_said_to_be_missing(dugout, monkeypatch):
    for peer in evaluator_bench.PEERS:
        monkeypatch.setitem(sys.modules, peer, None)
    missing = [row for row in measured(dugout)["rows"] if row["value"] is None]
    absent = {"value": None, "unit": "not installed", "hands": 0}
    assert [{"name": peer, **absent} for peer in evaluator_bench.PEERS] == missing
    done = dugout("bench", "evaluator", "--hands", "64")
    assert 0 == done.status
    assert "pokerkit" in done.out
    assert "not installed" in done.out


def test_what_cannot_be_measured_is_bad_usage(dugout):
    for arguments in ((), ("weather",), ("evaluator", "--hands", "0")):
        done = dugout("bench", *arguments)
        assert 2 == done.status
        assert "Traceback" not in done.err


def test_findings_say_what_is_wrong():
    counts = tuple(range(len(CATEGORIES)))
    assert _line(Finding("hands", counts, counts)).startswith("ok     hands: 0 / 1 / 2")
    assert "WRONG  lows: 1,234 instead of 5" == _line(Finding("lows", 5, 1234))
