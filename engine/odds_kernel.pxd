"""The kernel of the odds in C: what it is given and what it counts. The meaning of all of it stands in odds_kernel.h."""

from libc.stdint cimport uint64_t

from engine.evaluator cimport dugout_batch


cdef extern from "odds_kernel.h" nogil:
    enum:
        DUGOUT_SEATS
        DUGOUT_DECK
        DUGOUT_SHARES
        DUGOUT_BLOCK
        DUGOUT_THREADS

    ctypedef struct dugout_plan:
        int seats, unseen_count, reserve, slack, bonus_up, with_low, straights_count, low_top
        unsigned flags
        uint64_t bonus, wild, low_wild, low_usable
        dugout_batch worths
        uint64_t held[7]
        uint64_t unseen[52]
        int open[7]
        int closed[7]

    ctypedef struct dugout_tally:
        uint64_t win[7]
        uint64_t tie[7]
        uint64_t share[7]
        uint64_t square[7]

    ctypedef struct dugout_walk:
        uint64_t total[53]
        uint64_t leaves
        dugout_tally tally[53]

    void dugout_sample(const dugout_plan *plan, uint64_t seed, uint64_t first_block, uint64_t deals, int threads,
                       dugout_tally *sum)
    void dugout_enumerate(dugout_walk *walk, const dugout_plan *plan)
