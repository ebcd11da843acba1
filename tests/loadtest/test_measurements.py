import random

import pytest

from loadtest.measurements import KEPT_EXAMPLES, Latencies, Measurements, Violation


def test_percentiles_of_known_latencies() -> None:
    latencies = Latencies()
    for milliseconds in range(1, 101):
        latencies.add(milliseconds / 1000)
    assert 50.0 == latencies.percentile_ms(0.50)
    assert 95.0 == latencies.percentile_ms(0.95)
    assert 99.0 == latencies.percentile_ms(0.99)
    assert 100.0 == latencies.percentile_ms(1.0)


def test_no_calls_have_no_percentile() -> None:
    assert Latencies().percentile_ms(0.5) is None


def test_one_slow_call_among_many_is_above_the_99th_percentile_and_below_the_last() -> None:
    latencies = Latencies()
    for _ in range(999):
        latencies.add(0.001)
    latencies.add(5.0)
    assert 1.0 == latencies.percentile_ms(0.999)
    assert 5000.0 == latencies.percentile_ms(1.0)


def test_percentiles_are_within_half_a_percent_of_the_sorted_calls() -> None:
    rng = random.Random(3)
    calls = sorted(rng.lognormvariate(-6, 1.5) for _ in range(2001))
    latencies = Latencies()
    for seconds in calls:
        latencies.add(seconds)
    for share, exact in ((0.5, calls[1000]), (0.95, calls[1900]), (0.99, calls[1980])):
        measured = latencies.percentile_ms(share)
        assert measured == pytest.approx(exact * 1000, rel=0.005)


def test_merging_is_the_same_as_counting_in_one_place() -> None:
    one, other, both = Latencies(), Latencies(), Latencies()
    for number in range(1, 200):
        (one if number % 3 else other).add(number / 777)
        both.add(number / 777)
    one.merge(other)
    assert [both.percentile_ms(share / 20) for share in range(1, 21)] == [
        one.percentile_ms(share / 20) for share in range(1, 21)
    ]


def test_failed_calls_are_calls_and_failures() -> None:
    measurements = Measurements()
    measurements.add_call("Act", 0.002, retries=2, failure=None)
    measurements.add_call("Act", 0.004, retries=3, failure="UNAVAILABLE: gone")
    act = measurements.by_rpc["Act"]
    assert (2, 1, 5) == (act.calls, act.failures, act.retries)
    assert 1 == measurements.failures
    assert ["Act: UNAVAILABLE: gone"] == measurements.failure_examples


def test_all_violations_are_counted_and_the_first_ones_kept() -> None:
    measurements = Measurements()
    for number in range(3 * KEPT_EXAMPLES):
        measurements.add_violations([Violation("t", "Act", "chips", f"{number}", "0")])
    assert 3 * KEPT_EXAMPLES == measurements.violations
    assert KEPT_EXAMPLES == len(measurements.violation_examples)
    assert "t Act chips: expected 0, saw 0" == measurements.violation_examples[0]
