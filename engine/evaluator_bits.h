/* The value of one hand where the processor counts, scans and scatters bits: what evaluator.h says for the standard
 * ranking, to the bit, in two thirds of its time. For x86-64 with BMI2 (Intel since 2013, AMD since 2020; before that
 * AMD's scatter is slow), chosen when it runs.
 *
 * RANKS   Not mirrored: the ace is bit 12, the highest rank is found by counting leading zeros, and the highest k
 *         ranks of a set with n are kept by one scatter: all bits but the lowest n - k go to the places of the set.
 * WILD    No branch depends on how many cards are wild: that is masks (`from_k`: k wild cards or more).
 * FLUSH   The one branch: whether a suit has five cards, wild ones included. To work one out always takes longer.
 */
#ifndef DUGOUT_EVALUATOR_BITS_H
#define DUGOUT_EVALUATOR_BITS_H

#include "evaluator.h"

#if defined(__GNUC__) && defined(__x86_64__)
#include <immintrin.h>

#define DUGOUT_BITS DUGOUT_INLINE __attribute__((target("bmi,bmi2,lzcnt,popcnt")))

/* All ones if it holds. */
#define DUGOUT_BITS_IF(condition) ((uint32_t)0 - (uint32_t)((condition) != 0))

DUGOUT_BITS uint32_t dugout_bits_count(uint64_t x) { return (uint32_t)_mm_popcnt_u64(x); }

/* The highest bit of x, 0 if there is none. */
DUGOUT_BITS uint32_t dugout_bits_top(uint32_t x) { return (uint32_t)(0x80000000ULL >> _lzcnt_u32(x)); }

/* The highest k bits of x, all of them if there are fewer. */
DUGOUT_BITS uint32_t dugout_bits_keep(uint32_t x, uint32_t k)
{
    uint32_t n = dugout_bits_count(x);
    return _pdep_u32(~0U << (n > k ? n - k : 0), x);
}

/* Top cards of the straights that ranks and wild cards make. Four of these make five of a kind, which is better. */
DUGOUT_BITS uint32_t dugout_bits_straights(uint32_t ranks, uint32_t from_1, uint32_t from_2, uint32_t from_3)
{
    /* Bit 0 is the ace below the deuce; a straight is found at its lowest card. */
    uint32_t a = ranks << 1 | ranks >> 12, b = a >> 1, c = a >> 2, d = a >> 3, e = a >> 4;
    uint32_t ab = a ^ b, abc = ab ^ c, de = d ^ e;
    uint32_t carry = (a & b) | (ab & c), other = (d & e) | (abc & de);
    uint32_t ones = abc ^ de, twos = carry ^ other, fours = carry & other;
    uint32_t runs = (fours & (ones | from_1)) | (twos & ((ones & from_2) | from_3));
    return (runs & 0x3FF) << 3;
}

/* The better of `best` and what the suits make whose bits are set in `enough`. Two wild cards are enough for a flush:
 * three make quads. */
DUGOUT_BITS uint32_t dugout_bits_with_suits(uint32_t best, uint64_t natural, uint32_t enough, uint32_t wilds,
                                            uint32_t from_1, uint32_t from_2, uint32_t from_3)
{
    for (; enough; enough &= enough - 1) {
        uint32_t suit = natural >> 13 * _tzcnt_u32(enough) & (uint32_t)DUGOUT_RANKS, value;
        uint32_t straights = dugout_bits_straights(suit, from_1, from_2, from_3);
        suit |= dugout_bits_keep(~suit & (uint32_t)DUGOUT_RANKS, wilds);
        value = straights ? (uint32_t)DUGOUT_STRAIGHT_FLUSH << 27 | dugout_bits_top(straights) << 14
                          : (uint32_t)DUGOUT_FLUSH << 27 | dugout_bits_keep(suit, 5) << 1;
        best = value > best ? value : best;
    }
    return best;
}

DUGOUT_BITS uint32_t dugout_bits_value(uint64_t cards, uint64_t wild)
{
    uint64_t natural = cards & ~wild;
    uint32_t wilds = dugout_bits_count(cards & wild), ace = (natural == 0) | (wilds > 4);
    uint32_t a, b, c, d, ab, cd, both_ab, both_cd, one, two, three, four, from_1, from_2, from_3, from_4;
    uint32_t twos, threes, fours, fives, quads, trips, category, group, second, has_second, groups, loose;
    uint32_t value, better, enough;
    /* Wild cards alone are aces, and so are five of them whatever is beside: one is a natural ace then. */
    natural |= (uint64_t)ace << 12;
    wilds -= ace;
    from_1 = DUGOUT_BITS_IF(wilds >= 1), from_2 = DUGOUT_BITS_IF(wilds >= 2);
    from_3 = DUGOUT_BITS_IF(wilds >= 3), from_4 = DUGOUT_BITS_IF(wilds >= 4);
    a = natural & DUGOUT_RANKS, b = natural >> 13 & DUGOUT_RANKS, c = natural >> 26 & DUGOUT_RANKS;
    d = (uint32_t)(natural >> 39);
    ab = a | b, cd = c | d, both_ab = a & b, both_cd = c & d;
    one = ab | cd, two = both_ab | both_cd | (ab & cd), three = (both_ab & cd) | (both_cd & ab);
    four = both_ab & both_cd;
    fives = (four & from_1) | (three & from_2) | (two & from_3) | (one & from_4);
    fours = four | (three & from_1) | (two & from_2) | (one & from_3);
    threes = three | (two & from_1) | (one & from_2);
    twos = two | (one & from_1);

    quads = DUGOUT_BITS_IF(fours), trips = DUGOUT_BITS_IF(threes);
    category = (DUGOUT_BITS_IF(twos) & 1) | (trips & 2) | (quads & 4);
    group = dugout_bits_top((fours & quads) | (threes & trips & ~quads) | (twos & ~trips));
    /* Another pair beside wild cards would have made more of the first group already. */
    second = dugout_bits_top(two & ~group), has_second = DUGOUT_BITS_IF(second);
    /* By what there is of the first group (1, 3, 7), what the second one adds; by category, how many kickers. */
    category += 0x3010U >> 4 * category & 3 & has_second;
    groups = group | (second & ~trips);
    loose = dugout_bits_keep(one & ~groups, 0x10002135U >> 4 * category & 7);
    loose |= second & DUGOUT_BITS_IF(category == DUGOUT_FULL_HOUSE);
    value = category << 27 | groups << 14 | loose << 1;

    better = dugout_bits_straights(one, from_1, from_2, from_3);
    better = ((uint32_t)DUGOUT_STRAIGHT << 27 | dugout_bits_top(better) << 14) & DUGOUT_BITS_IF(better);
    value = better > value ? better : value;
    enough = dugout_bits_count(a) + wilds > 4;
    enough |= (uint32_t)(dugout_bits_count(b) + wilds > 4) << 1;
    enough |= (uint32_t)(dugout_bits_count(c) + wilds > 4) << 2;
    enough |= (uint32_t)(dugout_bits_count(d) + wilds > 4) << 3;
    if (enough) {
        value = dugout_bits_with_suits(value, natural, enough, wilds, from_1, from_2, from_3);
    }
    better = ((uint32_t)DUGOUT_FIVE_OF_A_KIND << 27 | dugout_bits_top(fives) << 14) & DUGOUT_BITS_IF(fives);
    return better > value ? better : value;
}

__attribute__((target("bmi,bmi2,lzcnt,popcnt"))) static uint32_t dugout_value_bits(uint64_t cards, uint64_t wild)
{
    return dugout_bits_value(cards, wild);
}

/* Whether the processor can; all with AVX2 and BMI2 have the other instructions too. */
static inline int dugout_has_bits(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt")
        && !__builtin_cpu_is("znver1") && !__builtin_cpu_is("znver2");
}

#else

static inline uint32_t dugout_value_bits(uint64_t cards, uint64_t wild) { return dugout_value(cards, wild); }

static inline int dugout_has_bits(void) { return 0; }

#endif
#endif
