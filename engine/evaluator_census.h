/* Counts over every hand that holds certain cards, for proofs: what takes hours in Python takes seconds here. */
#ifndef DUGOUT_EVALUATOR_CENSUS_H
#define DUGOUT_EVALUATOR_CENSUS_H

#include "evaluator_bits.h"
#include "evaluator_paths.h"

enum { DUGOUT_CATEGORIES = 11, DUGOUT_CENSUS_CHUNK = 2048, DUGOUT_CENSUS_SLOTS = 1 << 15 };

typedef struct {
    uint64_t hands;
    uint64_t categories[DUGOUT_CATEGORIES];
    /* Hands whose value is another in evaluator.h or evaluator_bits.h, or is not that of the best of their fives. */
    uint64_t differences;
    /* Every value that occurred, scattered; 0 where none is. */
    uint32_t values[DUGOUT_CENSUS_SLOTS];
} dugout_census;

/* The next larger number with as many bits set. */
static inline uint64_t dugout_next_hand(uint64_t hand)
{
    uint64_t lowest = hand & (0 - hand), ripple = hand + lowest;
    return ripple | ((hand ^ ripple) >> 2) / lowest;
}

static inline void dugout_census_value(dugout_census *census, uint32_t value)
{
    uint32_t slot = value * 2654435761U >> 17;
    while (census->values[slot] && census->values[slot] != value) {
        slot = (slot + 1) % DUGOUT_CENSUS_SLOTS;
    }
    census->values[slot] = value;
    census->categories[value >> 27]++;
}

/* The best of the 21 fives of each of these hands of seven cards. */
static inline void dugout_best_fives(dugout_batch batch, const uint64_t *hands, size_t count, uint64_t wild,
                                     uint64_t *best)
{
    uint64_t fives[DUGOUT_CENSUS_CHUNK], values[DUGOUT_CENSUS_CHUNK];
    memset(best, 0, 8 * count);
    for (int first = 0; first < 6; first++) {
        for (int second = first + 1; second < 7; second++) {
            for (size_t at = 0; at < count; at++) {
                uint64_t rest = hands[at], one, other;
                for (int card = 0; card < first; card++) {
                    rest &= rest - 1;
                }
                one = rest & (0 - rest);
                for (int card = first; card < second; card++) {
                    rest &= rest - 1;
                }
                other = rest & (0 - rest);
                fives[at] = hands[at] & ~(one | other);
            }
            batch((const char *)fives, (const char *)&wild, 1, count, 0, (char *)values);
            for (size_t at = 0; at < count; at++) {
                best[at] = values[at] > best[at] ? values[at] : best[at];
            }
        }
    }
}

/* Every hand of `held` and `more` (one or more) of the first `below` cards. Hands of seven cards are compared with
 * their fives, and all with evaluator.h and evaluator_bits.h, if `compare` says so. */
static inline void dugout_take_census(dugout_census *census, dugout_batch batch, uint64_t held, int below, int more,
                                      uint64_t wild, int compare)
{
    uint64_t hands[DUGOUT_CENSUS_CHUNK], values[DUGOUT_CENSUS_CHUNK], best[DUGOUT_CENSUS_CHUNK];
    uint64_t chosen = ((uint64_t)1 << more) - 1;
    int seven = dugout_count(held) + more == 7, has_bits = dugout_has_bits();
    while (chosen >> below == 0) {
        size_t count = 0;
        while (count < DUGOUT_CENSUS_CHUNK && chosen >> below == 0) {
            hands[count++] = held | chosen;
            chosen = dugout_next_hand(chosen);
        }
        batch((const char *)hands, (const char *)&wild, 1, count, 0, (char *)values);
        if (compare && seven) {
            dugout_best_fives(batch, hands, count, wild, best);
        }
        for (size_t at = 0; at < count; at++) {
            dugout_census_value(census, (uint32_t)values[at]);
            if (compare) {
                census->differences += values[at] != dugout_value(hands[at], wild)
                                    || (has_bits && values[at] != dugout_value_bits(hands[at], wild))
                                    || (seven && values[at] != best[at]);
            }
        }
        census->hands += count;
    }
}

/* How many of these hands have a low that is no higher than `most`; `top` as in dugout_low. */
static inline uint64_t dugout_count_lows(uint64_t held, int below, int more, uint64_t wild, uint64_t excluded,
                                         int straights_count, int top, uint32_t most)
{
    uint64_t chosen = ((uint64_t)1 << more) - 1, found = 0;
    for (; chosen >> below == 0; chosen = dugout_next_hand(chosen)) {
        found += dugout_low((held | chosen) & ~excluded, wild, straights_count, top) <= most;
    }
    return found;
}

#endif
