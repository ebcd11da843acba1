"""The compiled kernel by itself: blocks, threads, and what it refuses."""

from contextlib import suppress

import pytest
from msgspec.structs import replace

from engine import PROFILES, KnownHand
from engine.odds_kernel import BLOCK, SHARES, THREADS_MOST, deal_all, deal_some
from engine.outlook import outlook_of

OUTLOOK = outlook_of(PROFILES["baseball"], [KnownHand((11, 2), (24,)), KnownHand(), KnownHand((0,))], (50, 51))


def dealt(first_block: int, deals: int, **others: int) -> list[tuple[int, ...]]:
    return deal_some(OUTLOOK, seed=8, first_block=first_block, deals=deals, **{"threads": 1, **others})


def test_parts_add_up_to_the_whole():
    whole = dealt(0, 5 * BLOCK + 17)
    parts = [dealt(0, 2 * BLOCK), dealt(2, 3 * BLOCK), dealt(3, 5 * BLOCK + 17, threads=2)]
    assert whole == [tuple(map(sum, zip(*seats, strict=True))) for seats in zip(*parts, strict=True)]


def test_every_way_to_value_hands_comes_to_the_same(monkeypatch):
    fastest = dealt(0, 10_000)
    found = {}
    for path in ("portable", "avx2", "avx512"):
        monkeypatch.setenv("DUGOUT_SIMD", path)
        with suppress(RuntimeError):  # the processor lacks it
            found[path] = dealt(0, 10_000)
    assert "portable" in found
    assert dict.fromkeys(found, fastest) == found


def test_more_threads_than_blocks_do_no_harm():
    assert dealt(0, 100) == dealt(0, 100, threads=THREADS_MOST)
    assert [(0, 0, 0, 0)] * 3 == dealt(5, 5 * BLOCK)


def test_pots_are_won_once():
    for outlook in (OUTLOOK, replace(OUTLOOK, wild=(1 << 52) - 1)):
        seats = deal_some(outlook, seed=1, first_block=0, deals=1000, threads=1)
        assert 1000 * SHARES == sum(win * SHARES + share for win, _, share, _ in seats)


def test_where_everything_is_wild_everybody_shares():
    """All hands are five aces: each of three seats gets a third of every pot."""
    third = SHARES // 3
    seats = deal_some(replace(OUTLOOK, wild=(1 << 52) - 1), seed=1, first_block=0, deals=1000, threads=1)
    assert [(0, 1000, 1000 * third, 1000 * third**2)] * 3 == seats


def test_every_way_is_dealt_once():
    known = outlook_of(
        PROFILES["seven-card-stud"],
        [KnownHand((0, 1, 2, 3), (4, 5)), KnownHand((13, 14, 15, 16), (17, 18))],
        range(30, 52),
    )
    ways, sums = deal_all(known)
    left = 52 - 12 - 22
    assert left * (left - 1) == ways
    assert {2} == set(sums)
    assert ways == sums[2][0]


def test_impossible_numbers_are_refused():
    for threads in (0, -1, THREADS_MOST + 1):
        with pytest.raises(ValueError, match="threads"):
            dealt(0, 10, threads=threads)
    for seats in (0, 8):
        wrong = replace(OUTLOOK, held=(0,) * seats, open=(1,) * seats, closed=(1,) * seats)
        for deal in (deal_all, lambda it: deal_some(it, seed=1, first_block=0, deals=1, threads=1)):
            with pytest.raises(ValueError, match=f"{seats} seats"):
                deal(wrong)
    with pytest.raises(OverflowError):
        dealt(0, 2**64)
    with pytest.raises((TypeError, AttributeError)):
        deal_all(None)
