"""Hand values in C, for other compiled modules: no Python objects, no tables, usable without the GIL.

The layout of the values stands in evaluator.h and, for Python, in engine/hand_value.py.
"""

from libc.stdint cimport uint32_t, uint64_t


cdef extern from "evaluator.h" nogil:
    unsigned DUGOUT_DOUBLE_ACE_FLUSH, DUGOUT_BELOW_ROYAL_FLUSH, DUGOUT_NATURAL_BEATS_WILD
    uint32_t DUGOUT_NO_LOW

    # Any set of 1 to 13 cards, any wild mask; the caller has checked both.
    uint32_t dugout_value(uint64_t cards, uint64_t wild)
    uint32_t dugout_value_as(uint64_t cards, uint64_t wild, unsigned flags)
    # Any set of cards; top: highest rank that qualifies (1 ace ... 13 king), 0 for no qualifier.
    uint32_t dugout_low(uint64_t cards, uint64_t wild, bint straights_count, int top)

    int dugout_count(uint64_t cards)


cdef extern from "evaluator_bits.h" nogil:
    # The same where the processor has the instructions for it.
    bint dugout_has_bits()
    uint32_t dugout_value_bits(uint64_t cards, uint64_t wild)


cdef extern from "evaluator_paths.h" nogil:
    ctypedef size_t (*dugout_batch)(
        const char *cards, const char *wild, bint one_wild, size_t hands, unsigned flags, char *out)

    int DUGOUT_PORTABLE, DUGOUT_AVX2, DUGOUT_AVX512, DUGOUT_PATHS, DUGOUT_MOST_CARDS

    # Values many hands (evaluator_batch.h); stops before the first block with a hand or a wild mask that is none
    # and returns where, otherwise the number of hands. NULL: the processor lacks that path.
    dugout_batch dugout_batch_on(int path)


cdef extern from "evaluator_census.h" nogil:
    int DUGOUT_CATEGORIES, DUGOUT_CENSUS_SLOTS

    ctypedef struct dugout_census:
        uint64_t hands
        uint64_t *categories
        uint64_t differences
        uint32_t *values

    # Counts over every hand of the cards held and `more` of the first `below` ones, adding to the census.
    void dugout_take_census(dugout_census *census, dugout_batch batch, uint64_t held, int below, int more,
                            uint64_t wild, bint compare)
    uint64_t dugout_count_lows(uint64_t held, int below, int more, uint64_t wild, uint64_t excluded,
                               bint straights_count, int top, uint32_t most)


# The fastest path that this processor has, or the one that the environment names.
cdef dugout_batch chosen_path() except NULL
