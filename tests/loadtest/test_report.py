import io
import json

import pytest
from rich.console import Console

from loadtest.measurements import Measurements, Violation
from loadtest.report import Report, print_report, report_of
from loadtest.settings import Settings

KEYS = "hands actions actions_per_second failures violations seconds p50_ms p95_ms p99_ms by_rpc"


SETTINGS = Settings("h:1", "k", 200, 30.0, None, 0.5, "baseball", seed=77)


def measured(failure: str | None = None, violations: int = 0, actions: int = 90) -> Report:
    measurements = Measurements()
    measurements.hands, measurements.actions = 3, actions
    for milliseconds in range(1, 101):
        measurements.add_call("Act", milliseconds / 1000, retries=0, failure=None)
    measurements.add_call("Deal", 0.5, retries=1, failure=failure)
    measurements.add_violations([Violation("t1", "Act", "chips", "5", "4")] * violations)
    return report_of(measurements, seconds=10.0, generator_cpu=0.25)


def printed(report: Report) -> str:
    out = io.StringIO()
    print_report(report, SETTINGS, Console(file=out, width=100))
    return out.getvalue()


def test_the_keys_of_the_json_are_the_promised_ones() -> None:
    assert KEYS.split() == list(measured().numbers())


def test_the_numbers() -> None:
    numbers = json.loads(json.dumps(measured(violations=2).numbers()))
    assert (3, 90, 9.0, 0, 2, 10.0) == tuple(
        numbers[key] for key in ("hands", "actions", "actions_per_second", "failures", "violations", "seconds")
    )
    assert (51.0, 96.0, 100.0) == (numbers["p50_ms"], numbers["p95_ms"], numbers["p99_ms"])
    assert {"calls": 100, "failures": 0, "retries": 0, "p50_ms": 50.0, "p95_ms": 95.0, "p99_ms": 99.0} == (
        numbers["by_rpc"]["Act"]
    )
    assert 1 == numbers["by_rpc"]["Deal"]["retries"]


def test_a_report_survives_the_way_from_the_child() -> None:
    report = measured(failure="UNAVAILABLE: gone", violations=2)
    assert report == Report.from_fields(json.loads(json.dumps(report.to_fields())))


@pytest.mark.parametrize(
    ("report", "clean"),
    [
        (measured(), True),
        (measured(failure="UNAVAILABLE: gone"), False),
        (measured(violations=1), False),
        (measured(actions=0), False),
    ],
)
def test_only_a_played_run_without_failures_and_violations_is_clean(report: Report, clean: bool) -> None:
    assert clean == report.clean


def test_people_see_every_number_that_must_be_zero_and_each_rpc() -> None:
    text = printed(measured(failure="UNAVAILABLE: gone", violations=1_234))
    assert "200 tables of baseball with 2 to 6 players, 500 ms to think on average, seed 77" in text
    rows = {words[0]: words[1:] for line in text.splitlines() if (words := line.replace("│", " ").split())}
    assert ["checks", "1,234"] == rows["violated"]
    assert ["1"] == rows["failures"]
    assert ["100", "0", "0", "50.0", "95.0", "99.0"] == rows["Act"]
    assert ["1", "1", "1", "500.0", "500.0", "500.0"] == rows["Deal"]
    assert ["101", "1", "1", "51.0", "96.0", "100.0"] == rows["all"]
