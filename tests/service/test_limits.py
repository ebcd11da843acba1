import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.limits import BURST_S, Buckets


def taken_at_once(buckets, owner="ann", now_ms=0):
    count = 0
    while not buckets.take(owner, 1, now_ms):
        count += 1
    return count


def test_a_bucket_holds_two_seconds_worth_and_fills_evenly():
    buckets = Buckets(50)
    assert 100 == taken_at_once(buckets)
    assert 1 == taken_at_once(buckets, now_ms=20)
    assert 0 == taken_at_once(buckets, now_ms=39)
    assert 25 == taken_at_once(buckets, now_ms=520)
    assert 100 == taken_at_once(buckets, now_ms=10_000)


def test_each_owner_has_a_bucket():
    buckets = Buckets(5)
    assert [10, 10, 0] == [taken_at_once(buckets, owner) for owner in ("ann", ("bob", 1), "ann")]


def test_zero_is_no_limit_and_remembers_nobody():
    buckets = Buckets(0)
    assert {0} == {buckets.take("ann", 1000, 0) for _ in range(1000)}
    assert 0 == len(buckets)
    with pytest.raises(ValueError, match="-1"):
        Buckets(-1)


def test_a_request_that_weighs_more_than_a_bucket_empties_a_full_one():
    buckets = Buckets(5)
    assert 0 == buckets.take("ann", 25, 0)
    assert 200 == buckets.take("ann", 1, 0)
    assert 2000 == buckets.take("ann", 25, 0)
    assert 0 == buckets.take("ann", 25, 2000)


def test_a_refused_request_costs_nothing():
    buckets = Buckets(1)
    assert 2 == taken_at_once(buckets)
    assert {1000} == {buckets.take("ann", 1, 0) for _ in range(100)}
    assert 0 == buckets.take("ann", 1, 1000)


def test_a_clock_that_is_set_back_takes_nothing_away_and_locks_nobody_out():
    buckets = Buckets(1)
    assert 0 == buckets.take("ann", 1, 10**12)
    assert 0 == buckets.take("ann", 1, 0)
    assert 1000 == buckets.take("ann", 1, 0)
    assert 0 == buckets.take("ann", 1, 1000)


def test_a_wait_that_is_no_whole_number_of_milliseconds_is_rounded_up():
    """At 3 a second a request is back after 333 1/3 ms."""
    buckets = Buckets(3)
    assert 6 == taken_at_once(buckets, "ann")
    assert 334 == buckets.take("ann", 1, 0)
    assert 1 == buckets.take("ann", 1, 333)
    assert [0, 333] == [buckets.take("ann", 1, 334), buckets.take("ann", 1, 334)]


def test_where_there_is_no_room_the_bucket_longest_out_of_use_goes():
    buckets = Buckets(1, most=2)
    assert [2, 2, 2] == [taken_at_once(buckets, owner) for owner in ("ann", "bob", "cid")]
    assert [1000, 1000, 0] == [buckets.take(owner, 1, 0) for owner in ("bob", "cid", "ann")]


def test_memory_is_bounded_and_who_comes_often_is_not_forgotten():
    buckets = Buckets(1, most=3)
    assert 2 == taken_at_once(buckets, "ann")
    for number in range(1000):
        buckets.take(number, 1, 0)
        assert buckets.take("ann", 1, 0) == 1000
    assert 3 == len(buckets)


@given(
    per_second=st.integers(1, 1000),
    calls=st.lists(st.tuples(st.integers(0, 3000), st.integers(1, 30)), max_size=60),
)
def test_the_time_to_wait_is_exact_and_nobody_gets_more_than_the_rate(per_second, calls):
    """After every refusal: a millisecond less than told is too early, and the time told is not."""
    buckets, now_ms, let_in = Buckets(per_second), 0, 0
    for pause_ms, requests in calls:
        now_ms += pause_ms
        counted = min(requests, per_second * BURST_S)
        wait_ms = buckets.take("ann", requests, now_ms)
        if wait_ms:
            assert buckets.take("ann", requests, now_ms + wait_ms - 1) > 0
            now_ms += wait_ms
            assert 0 == buckets.take("ann", requests, now_ms)
        let_in += counted
        assert let_in * 1000 <= per_second * (BURST_S * 1000 + now_ms)
