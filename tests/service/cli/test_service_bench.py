"""``dugout bench service``: what is printed, and what goes wrong in words."""

import json
import sys

import pytest

from service.cli import service_bench


@pytest.mark.skipif(sys.platform != "linux", reason="processes are measured on Linux only")
def test_the_json_has_rows_and_ratios(dugout):
    done = dugout("bench", "service", "--watchers", "10", "--json")
    assert (0, "") == (done.status, done.err)
    measured = json.loads(done.out)
    assert ["rows", "ratios"] == list(measured)
    assert {"name": "watchers of one table on one worker", "value": 10, "unit": "streams"} == measured["rows"][0]


def test_a_measurement_that_fails_says_why(dugout, monkeypatch):
    program = "import sys; print('a traceback', file=sys.stderr); sys.exit('Error: the server did not start')"
    monkeypatch.setattr(service_bench, "_PROGRAM", (sys.executable, "-c", program))
    assert (1, "", "Error: the server did not start\n") == dugout("bench", "service")


def test_one_that_never_ends_is_ended(dugout, monkeypatch):
    monkeypatch.setattr(service_bench, "_PROGRAM", (sys.executable, "-c", "import time; time.sleep(600)"))
    monkeypatch.setattr(service_bench, "_TIMEOUT_S", 0.5)
    done = dugout("bench", "service")
    assert (1, "") == done[:2]
    assert "did not come to an end" in done.err


@pytest.mark.parametrize("arguments", [("--watchers", "0"), ("--watchers", "many"), ("--exhaustive",)])
def test_bad_usage(dugout, arguments):
    done = dugout("bench", "service", *arguments)
    assert (2, "") == done[:2]
    assert arguments[0] in done.err
