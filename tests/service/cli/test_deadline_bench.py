"""``dugout bench deadlines``: what is printed, not how fast it was."""

import json

import pytest

from service.cli import deadline_bench


@pytest.fixture
def quick(monkeypatch):
    for name, small in (("_TABLES", 100), ("_WATCH_S", 0.5), ("_ACTION_TIME_MS", 2000), ("_AHEAD_MS", 500)):
        monkeypatch.setattr(deadline_bench, name, small)


def test_the_json_has_rows(dugout, quick):
    done = dugout("bench", "deadlines", "--json")
    assert (0, "") == (done.status, done.err)
    measured = json.loads(done.out)
    assert ["rows", "ratios"] == list(measured)
    values = {row["name"]: row["value"] for row in measured["rows"]}
    assert {"watching, no table", "watching, 100 tables being played at"} < set(values)
    for name in ("one player in ten away", "everybody away", "all at once"):
        late = [values[f"100 tables, {name}: late, {label}"] for label in ("p50", "p99", "most")]
        assert sorted(late) == late
        assert values[f"100 tables, {name}: played"] > 0


def test_it_proves_nothing(dugout):
    refused = dugout("bench", "deadlines", "--exhaustive")
    assert (2, "") == refused[:2]
    assert "--exhaustive" in refused.err
