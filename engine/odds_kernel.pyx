# cython: autotestdict=False
"""The compiled kernel of engine/odds.py: deals an outlook to its end, many times. It trusts its caller."""

from libc.stdlib cimport free, malloc
from libc.string cimport memset

from engine.evaluator cimport (
    DUGOUT_BELOW_ROYAL_FLUSH,
    DUGOUT_DOUBLE_ACE_FLUSH,
    DUGOUT_NATURAL_BEATS_WILD,
    chosen_path,
)

BLOCK = DUGOUT_BLOCK
SHARES = DUGOUT_SHARES
THREADS_MOST = DUGOUT_THREADS


cdef int read_plan(object outlook, dugout_plan *plan) except -1:
    cdef int seat, card
    cdef uint64_t unseen = outlook.unseen
    memset(plan, 0, sizeof(dugout_plan))
    plan.seats = len(outlook.held)
    if not 1 <= plan.seats <= DUGOUT_SEATS:
        raise ValueError(f"outlook: {plan.seats} seats are not from 1 to {DUGOUT_SEATS}")
    for seat in range(plan.seats):
        plan.held[seat] = outlook.held[seat]
        plan.open[seat] = outlook.open[seat]
        plan.closed[seat] = outlook.closed[seat]
    for card in range(DUGOUT_DECK):
        if unseen >> card & 1:
            plan.unseen[plan.unseen_count] = <uint64_t>1 << card
            plan.unseen_count += 1
    plan.bonus = outlook.bonus
    plan.bonus_up = outlook.bonus_up
    plan.reserve = outlook.reserve
    plan.slack = outlook.slack
    plan.wild = outlook.wild
    plan.worths = chosen_path()
    if outlook.ranking.double_ace_flush:
        plan.flags |= DUGOUT_DOUBLE_ACE_FLUSH
    if outlook.ranking.five_of_a_kind == "below_royal_flush":
        plan.flags |= DUGOUT_BELOW_ROYAL_FLUSH
    if outlook.ranking.natural_beats_wild:
        plan.flags |= DUGOUT_NATURAL_BEATS_WILD
    if outlook.low is not None:
        plan.with_low = 1
        plan.straights_count = outlook.low.straights_count
        plan.low_top = outlook.low.top
        plan.low_wild = outlook.low.wild
        plan.low_usable = outlook.low.usable
    return 0


def deal_some(outlook, *, uint64_t seed, uint64_t first_block, uint64_t deals, int threads):
    """Return (pots won alone, pots shared, units of the shared ones, their squares) for each seat.

    Counted are the random deals from ``first_block * BLOCK`` to ``deals - 1`` of a seed. Without the GIL.
    """
    cdef dugout_plan plan
    cdef dugout_tally tally
    if not 1 <= threads <= DUGOUT_THREADS:
        raise ValueError(f"threads: {threads} is not from 1 to {DUGOUT_THREADS}")
    read_plan(outlook, &plan)
    memset(&tally, 0, sizeof(dugout_tally))
    with nogil:
        dugout_sample(&plan, seed, first_block, deals, threads, &tally)
    return [(tally.win[seat], tally.tie[seat], tally.share[seat], tally.square[seat]) for seat in range(plan.seats)]


def deal_all(outlook):
    """Deal every way there is, without the GIL.

    Returns:
        The number of ways, and by the number of cards that were drawn: the number of orders of them, and for each seat
        what ``deal_some`` counts without the squares, every way counted as often as it has orders.
    """
    cdef dugout_plan plan
    cdef dugout_walk *walk
    cdef int drawn, seat
    read_plan(outlook, &plan)
    walk = <dugout_walk *>malloc(sizeof(dugout_walk))
    if walk is NULL:
        raise MemoryError()
    try:
        with nogil:
            dugout_enumerate(walk, &plan)
        sums = {}
        for drawn in range(DUGOUT_DECK + 1):
            if walk.total[drawn]:
                seats = [
                    (walk.tally[drawn].win[seat], walk.tally[drawn].tie[seat], walk.tally[drawn].share[seat])
                    for seat in range(plan.seats)
                ]
                sums[drawn] = (walk.total[drawn], seats)
        return walk.leaves, sums
    finally:
        free(walk)
