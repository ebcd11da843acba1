/* Hand values from bit planes, without tables, for any number of wild cards.
 *
 * CARDS   A set of cards is a 52-bit mask, bit suit*13 + rank, rank 0 the deuce, 12 the ace.
 *         Functions take any set of 1 to 13 cards; nothing here checks that.
 *
 * VALUE   31 bits, higher is better, equal is a tie:
 *           30..27  category: 0 high card, 1 one pair, 2 two pair, 3 three of a kind, 4 straight, 5 flush,
 *                   6 full house, 7 four of a kind, 8 straight flush, 9 five of a kind,
 *                   10 royal flush where five of a kind does not beat it
 *           26..14  ranks of the groups (ace highest): the quads, the triple, both pairs, the top card of a
 *                   straight; in a flush the number of aces beyond the first
 *           13..1   ranks of the loose cards; in a full house the rank of its pair
 *            0      set for hands that need no wild card, if the ranking prefers those
 *         Sets of ranks compare like the cards they stand for, from the top, and a card that is there beats
 *         one that is missing: hands of fewer than five cards need nothing special. Straights, flushes and
 *         full houses cannot be reached with fewer than five cards, wild or not.
 *
 * LOW     30 bits, lower is better: 29..26 category as above, 25..13 groups, 12..0 loose cards, ace lowest.
 *
 * METHOD  Cards that are not wild are spread to one 16-bit lane per suit and mirrored, so that the ace is bit
 *         0: the highest rank is x & -x, dropping it x & (x - 1), adding the highest missing one x | (x + 1).
 *         Plane k holds the ranks held at least k times; with w wild cards n of a kind is plane n - w.
 *         There are no tables and next to no branches: one on the number of wild cards, one on whether a suit
 *         has enough cards for a flush. What the compiler cannot need for that number it leaves out.
 */
#ifndef DUGOUT_EVALUATOR_H
#define DUGOUT_EVALUATOR_H

#include <stdint.h>

enum {
    DUGOUT_DOUBLE_ACE_FLUSH = 1,
    DUGOUT_BELOW_ROYAL_FLUSH = 2,
    DUGOUT_NATURAL_BEATS_WILD = 4
};

enum {
    DUGOUT_ONE_PAIR = 1,
    DUGOUT_TWO_PAIR,
    DUGOUT_THREE_OF_A_KIND,
    DUGOUT_STRAIGHT,
    DUGOUT_FLUSH,
    DUGOUT_FULL_HOUSE,
    DUGOUT_FOUR_OF_A_KIND,
    DUGOUT_STRAIGHT_FLUSH,
    DUGOUT_FIVE_OF_A_KIND,
    DUGOUT_ROYAL_FLUSH_ON_TOP
};

#define DUGOUT_NO_LOW UINT32_MAX

/* Bit 0 and bit 15 of every lane, and the ranks of one suit. */
#define DUGOUT_LANE_LOW 0x0001000100010001ULL
#define DUGOUT_LANE_HIGH 0x8000800080008000ULL
#define DUGOUT_RANKS 0x1FFFULL
/* While hands are compared: ranks of groups and loose cards mirrored in bits 0..25, then these two. */
#define DUGOUT_ACES_SHIFT 26
#define DUGOUT_CATEGORY_SHIFT 32

#if defined(__GNUC__)
#define DUGOUT_INLINE static inline __attribute__((always_inline, unused))
#else
#define DUGOUT_INLINE static inline
#endif

DUGOUT_INLINE int dugout_count(uint64_t x)
{
    x -= (x >> 1) & 0x5555555555555555ULL;
    x = (x & 0x3333333333333333ULL) + ((x >> 2) & 0x3333333333333333ULL);
    x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0FULL;
    return (int)((x * 0x0101010101010101ULL) >> 56);
}

/* All ones if x is not zero. */
DUGOUT_INLINE uint64_t dugout_any(uint64_t x) { return (uint64_t)0 - (uint64_t)(x != 0); }

DUGOUT_INLINE uint64_t dugout_pick(uint64_t mask, uint64_t yes, uint64_t no)
{
    return no ^ ((yes ^ no) & mask);
}

DUGOUT_INLINE uint64_t dugout_first(uint64_t x) { return x & (0 - x); }

DUGOUT_INLINE uint64_t dugout_drop(uint64_t x) { return x & (x - 1); }

/* Drops the first bit of every lane; the guard bit keeps an empty lane from borrowing. */
DUGOUT_INLINE uint64_t dugout_lanes_drop(uint64_t x)
{
    return x & ((x | DUGOUT_LANE_HIGH) - DUGOUT_LANE_LOW);
}

/* All ranks of every lane that is not empty. */
DUGOUT_INLINE uint64_t dugout_lanes_any(uint64_t x)
{
    uint64_t guard = (x + (DUGOUT_LANE_HIGH - DUGOUT_LANE_LOW)) & DUGOUT_LANE_HIGH;
    return guard - (guard >> 15);
}

/* Four suits side by side to one lane each. */
DUGOUT_INLINE uint64_t dugout_lanes(uint64_t cards)
{
    return (cards & DUGOUT_RANKS) | (cards & DUGOUT_RANKS << 13) << 3 | (cards & DUGOUT_RANKS << 26) << 6
         | (cards & DUGOUT_RANKS << 39) << 9;
}

DUGOUT_INLINE uint64_t dugout_swap_bytes(uint64_t x)
{
#if defined(__GNUC__)
    return __builtin_bswap64(x);
#else
    x = (x & 0x00FF00FF00FF00FFULL) << 8 | (x >> 8 & 0x00FF00FF00FF00FFULL);
    x = (x & 0x0000FFFF0000FFFFULL) << 16 | (x >> 16 & 0x0000FFFF0000FFFFULL);
    return x << 32 | x >> 32;
#endif
}

DUGOUT_INLINE uint64_t dugout_mirror(uint64_t x)
{
    x = dugout_swap_bytes(x);
    x = (x & 0x0F0F0F0F0F0F0F0FULL) << 4 | (x >> 4 & 0x0F0F0F0F0F0F0F0FULL);
    x = (x & 0x3333333333333333ULL) << 2 | (x >> 2 & 0x3333333333333333ULL);
    return (x & 0x5555555555555555ULL) << 1 | (x >> 1 & 0x5555555555555555ULL);
}

/* How many wild cards are held, as one mask per count: at_least[k] is all ones from k wild cards on. */
typedef struct {
    uint64_t at_least[6];
} dugout_wilds;

DUGOUT_INLINE dugout_wilds dugout_wilds_of(int count)
{
    dugout_wilds wilds;
    for (int k = 0; k <= 5; k++) {
        wilds.at_least[k] = count >= k ? UINT64_MAX : 0;
    }
    return wilds;
}

/* Top cards of the straights (bit 0 ace-high ... bit 9 five-high) that the ranks in every lane and the wild
 * cards make: five shifted copies are counted bit by bit; the count must reach five less the wild ones. */
DUGOUT_INLINE uint64_t dugout_straights(uint64_t lanes, const dugout_wilds *wilds)
{
    uint64_t a = lanes | (lanes & DUGOUT_LANE_LOW) << 13;
    uint64_t b = a >> 1, c = a >> 2, d = a >> 3, e = a >> 4;
    uint64_t ab = a ^ b, abc = ab ^ c, de = d ^ e;
    uint64_t carry = (a & b) | (ab & c), other = (d & e) | (abc & de);
    uint64_t ones = abc ^ de, twos = carry ^ other, fours = carry & other;
    uint64_t runs = fours & ones;
    runs |= fours & wilds->at_least[1];
    runs |= twos & ones & wilds->at_least[2];
    runs |= twos & wilds->at_least[3];
    runs |= ones & wilds->at_least[4];
    return runs & DUGOUT_LANE_LOW * 0x03FF;
}

/* The better of two flushes of equally many ranks; an empty one loses. */
DUGOUT_INLINE uint64_t dugout_better_flush(uint64_t x, uint64_t y)
{
    return dugout_pick(dugout_any(x & dugout_first(x ^ y)), x, y);
}

DUGOUT_INLINE uint64_t dugout_best_lane(uint64_t x)
{
    uint64_t even = dugout_better_flush(x & DUGOUT_RANKS, x >> 16 & DUGOUT_RANKS);
    uint64_t odd = dugout_better_flush(x >> 32 & DUGOUT_RANKS, x >> 48);
    return dugout_better_flush(even, odd);
}

/* The ranks of the best flush, none if there is no flush. Two wild cards are enough: three make quads. */
DUGOUT_INLINE uint64_t dugout_flush(uint64_t lanes, const dugout_wilds *wilds)
{
    uint64_t x = lanes, four_less, rest;
    x |= x + (DUGOUT_LANE_LOW & wilds->at_least[1]);
    x |= x + (DUGOUT_LANE_LOW & wilds->at_least[2]);
    four_less = dugout_lanes_drop(dugout_lanes_drop(dugout_lanes_drop(dugout_lanes_drop(x))));
    rest = dugout_lanes_drop(four_less);
    return dugout_best_lane((x ^ rest) & dugout_lanes_any(four_less));
}

/* The same if every wild card is an ace; *aces is the number of aces beyond the first. */
DUGOUT_INLINE uint64_t dugout_double_ace_flush(uint64_t lanes, const dugout_wilds *wilds, uint64_t *aces)
{
    uint64_t left = lanes, before = lanes, best;
    for (int card = 0; card < 5; card++) {
        uint64_t natural = card < 3 ? UINT64_MAX : ~wilds->at_least[5 - card];
        before = dugout_pick(natural, left, before);
        left = dugout_pick(natural, dugout_lanes_drop(left), left);
    }
    best = dugout_best_lane((lanes ^ left) & dugout_lanes_any(before));
    *aces = (wilds->at_least[1] & best & 1) + (wilds->at_least[2] & dugout_any(best) & 1);
    return best | (wilds->at_least[1] & dugout_any(best) & 1);
}

/* Category and ranks of what is made of equal ranks: quads, full house, ... high card. */
DUGOUT_INLINE uint64_t dugout_groups(const uint64_t plane[5], const dugout_wilds *wilds)
{
    const uint64_t *w = wilds->at_least;
    uint64_t fours = plane[4] | (plane[3] & w[1]) | (plane[2] & w[2]) | (plane[1] & w[3]);
    uint64_t threes = plane[3] | (plane[2] & w[1]) | (plane[1] & w[2]);
    uint64_t twos = plane[2] | (plane[1] & w[1]);
    uint64_t quads = dugout_any(fours), trips = dugout_any(threes) & ~quads;
    uint64_t pair = dugout_any(twos) & ~quads & ~trips;
    uint64_t group = dugout_first(dugout_pick(quads, fours, dugout_pick(trips, threes, twos)));
    /* Another pair beside wild cards would have made more of the first group already. */
    uint64_t second = dugout_first(plane[2] & ~group);
    uint64_t full = trips & dugout_any(second), two_pair = pair & dugout_any(second);
    uint64_t category = (quads & DUGOUT_FOUR_OF_A_KIND) | (trips & DUGOUT_THREE_OF_A_KIND)
                      | (pair & DUGOUT_ONE_PAIR);
    uint64_t groups = group | (second & two_pair);
    uint64_t loose = plane[1] & ~groups;
    uint64_t less_1 = dugout_drop(loose), less_2 = dugout_drop(less_1), less_3 = dugout_drop(less_2);
    uint64_t less_5 = dugout_drop(dugout_drop(less_3));
    uint64_t unused = dugout_pick(pair, less_3, less_5);
    unused = dugout_pick(trips, less_2, unused);
    unused = dugout_pick(quads | two_pair, less_1, unused);
    loose = dugout_pick(full, second, loose ^ unused);
    category += (full & (DUGOUT_FULL_HOUSE - DUGOUT_THREE_OF_A_KIND)) + (two_pair & 1);
    return category << DUGOUT_CATEGORY_SHIFT | loose << 13 | groups;
}

DUGOUT_INLINE uint64_t dugout_max(uint64_t x, uint64_t y) { return x > y ? x : y; }

DUGOUT_INLINE uint64_t dugout_make(uint64_t category, uint64_t ranks)
{
    return (category << DUGOUT_CATEGORY_SHIFT | ranks) & dugout_any(ranks);
}

/* Whether a suit has the cards that a flush needs beside so many wild ones. */
DUGOUT_INLINE int dugout_may_flush(uint64_t lanes, int wilds)
{
    for (int card = wilds; card < 4; card++) {
        lanes = dugout_lanes_drop(lanes);
    }
    return lanes != 0;
}

/* The better of `best` and what one suit makes. */
DUGOUT_INLINE uint64_t dugout_with_suits(uint64_t best, uint64_t lanes, const dugout_wilds *wilds,
                                         unsigned flags)
{
    uint64_t aces = 0, runs, royal, flush;
    flush = flags & DUGOUT_DOUBLE_ACE_FLUSH ? dugout_double_ace_flush(lanes, wilds, &aces)
                                            : dugout_flush(lanes, wilds);
    best = dugout_max(best, dugout_make(DUGOUT_FLUSH, flush << 13) | aces << DUGOUT_ACES_SHIFT);
    runs = dugout_straights(lanes, wilds);
    runs |= runs >> 32;
    runs = (runs | runs >> 16) & DUGOUT_RANKS;
    royal = flags & DUGOUT_BELOW_ROYAL_FLUSH ? runs & 1 : 0;
    return dugout_max(best, dugout_make(DUGOUT_STRAIGHT_FLUSH + 2 * royal, dugout_first(runs)));
}

/* The value of `lanes` beside at most four wild cards; there is at least one card in the lanes. Compiled once
 * for every number of wild cards, which removes what that many cannot need. */
DUGOUT_INLINE uint32_t dugout_rank_lanes(uint64_t lanes, int wild_count, unsigned flags)
{
    const dugout_wilds wilds = dugout_wilds_of(wild_count);
    const uint64_t *w = wilds.at_least;
    uint64_t plane[5], a, b, c, d, fives, runs, best, ranks;
    a = lanes & DUGOUT_RANKS, b = lanes >> 16 & DUGOUT_RANKS, c = lanes >> 32 & DUGOUT_RANKS, d = lanes >> 48;
    plane[0] = 0;
    plane[1] = a | b | c | d;
    plane[2] = (a & b) | (c & d) | ((a | b) & (c | d));
    plane[3] = (a & b & (c | d)) | (c & d & (a | b));
    plane[4] = a & b & c & d;
    best = dugout_groups(plane, &wilds);
    runs = dugout_straights(plane[1], &wilds) & DUGOUT_RANKS;
    best = dugout_max(best, dugout_make(DUGOUT_STRAIGHT, dugout_first(runs)));
    if (dugout_may_flush(lanes, wild_count)) {
        best = dugout_with_suits(best, lanes, &wilds, flags);
    }
    fives = (plane[4] & w[1]) | (plane[3] & w[2]) | (plane[2] & w[3]) | (plane[1] & w[4]);
    best = dugout_max(best, dugout_make(DUGOUT_FIVE_OF_A_KIND, dugout_first(fives)));
    ranks = (dugout_mirror(best & 0x3FFFFFF) >> 38) + ((best >> DUGOUT_ACES_SHIFT & 3) << 13);
    return (uint32_t)(best >> DUGOUT_CATEGORY_SHIFT << 27 | ranks << 1);
}

/* The value of a hand. `flags` says how the ranking differs from the standard one; natural hands are not
 * looked for here. With a constant 0 the other rankings cost nothing. */
DUGOUT_INLINE uint32_t dugout_rank_hand(uint64_t cards, uint64_t wild, unsigned flags)
{
    uint64_t natural = cards & ~wild;
    int wilds = dugout_count(cards & wild);
    /* Wild cards alone are aces, and so are five of them whatever is beside: one is a natural ace then. */
    if (!natural || wilds > 4) {
        natural |= 1 << 12;
        wilds--;
    }
    natural = dugout_mirror(dugout_lanes(natural)) >> 3;
    switch (wilds) {
    case 0:
        return dugout_rank_lanes(natural, 0, flags);
    case 1:
        return dugout_rank_lanes(natural, 1, flags);
    case 2:
        return dugout_rank_lanes(natural, 2, flags);
    case 3:
        return dugout_rank_lanes(natural, 3, flags);
    default:
        return dugout_rank_lanes(natural, 4, flags);
    }
}

/* The value under the standard ranking. */
static inline uint32_t dugout_value(uint64_t cards, uint64_t wild)
{
    return dugout_rank_hand(cards, wild, 0);
}

/* The value under any ranking. */
static inline uint32_t dugout_value_as(uint64_t cards, uint64_t wild, unsigned flags)
{
    uint32_t value = dugout_rank_hand(cards, wild, flags);
    if (flags & DUGOUT_NATURAL_BEATS_WILD) {
        value |= dugout_rank_hand(cards, 0, flags) == value;
    }
    return value;
}

/* Ace-low ranks of every suit: the ace bit 0, the deuce bit 1 ... the king bit 12. */
DUGOUT_INLINE uint64_t dugout_ace_low(uint64_t lanes)
{
    return (lanes << 1 & DUGOUT_LANE_LOW * DUGOUT_RANKS) | (lanes >> 12 & DUGOUT_LANE_LOW);
}

DUGOUT_INLINE uint32_t dugout_low_of(uint32_t category, uint64_t groups, uint64_t loose)
{
    return category << 26 | (uint32_t)groups << 13 | (uint32_t)loose;
}

DUGOUT_INLINE uint64_t dugout_keep_lowest(uint64_t x, int cards)
{
    uint64_t rest = x;
    while (cards-- > 0) {
        rest = dugout_drop(rest);
    }
    return x ^ rest;
}

/* Five ranks in a row; the ace is low, so none goes past the king. */
DUGOUT_INLINE int dugout_in_a_row(uint64_t five) { return five == dugout_first(five) * 31; }

/* Every card of these ranks is of one suit: there is one of each. `only[s]`: ranks held in suit s alone. */
DUGOUT_INLINE int dugout_all_suited(uint64_t five, const uint64_t only[4])
{
    return !(five & ~only[0]) | !(five & ~only[1]) | !(five & ~only[2]) | !(five & ~only[3]);
}

/* Five cards that cannot be unpaired: the least harm among the equal ranks. The wild cards stand for the
 * lowest missing ranks and never pair anything. `ranks` includes them. */
static inline uint32_t dugout_low_groups(const uint64_t plane[5], uint64_t ranks)
{
    uint64_t pair = dugout_first(plane[2]), second = dugout_first(plane[2] & ~pair);
    uint64_t triple = dugout_first(plane[3]), quads = dugout_first(plane[4]);
    int different = dugout_count(ranks);
    if (different >= 4) {
        return dugout_low_of(DUGOUT_ONE_PAIR, pair, dugout_keep_lowest(ranks & ~pair, 3));
    }
    if (different == 3 && second) {
        return dugout_low_of(DUGOUT_TWO_PAIR, pair | second, dugout_first(ranks & ~(pair | second)));
    }
    if (different == 3) {
        return dugout_low_of(DUGOUT_THREE_OF_A_KIND, triple, ranks & ~triple);
    }
    second = plane[2] & ~triple;
    if (triple && second) {
        return dugout_low_of(DUGOUT_FULL_HOUSE, triple, second);
    }
    return dugout_low_of(DUGOUT_FOUR_OF_A_KIND, quads, ranks & ~quads);
}

/* The lowest unpaired five where straights count against the low and a wild card is there: 6-4-3-2-A instead
 * of the wheel, or as near as the wild cards come. A wild card takes another suit than a flush would need. */
static inline uint64_t dugout_low_without_wheel(uint64_t ranks, int wilds)
{
    const uint64_t best = 0x2F, five_six = 0x30, seven = 0x40;
    uint64_t five;
    if (dugout_count(best & ~ranks) <= wilds) {
        return best;
    }
    /* The five is natural, the six is not, all wild cards were needed below the five: one is a six now. */
    for (five = ranks & 0xF; wilds > 1; wilds--) {
        five |= five + 1;
    }
    five = (five & 0xF) | five_six;
    if (!dugout_in_a_row(five)) {
        return five;
    }
    /* 5-4-3-2 and one wild card, which must not be an ace or a six. */
    return ranks & seven ? seven | 0xF : seven | 0x1E;
}

/* No wild card, and the five lowest ranks are a straight, a flush or both. `ranks` are at least five. */
static inline uint32_t dugout_low_unhelped(uint64_t five, const uint64_t plane[5], const uint64_t only[4])
{
    uint64_t ranks = plane[1], four = dugout_keep_lowest(five, 4), sixth = dugout_first(ranks & ~five);
    int in_a_row = dugout_in_a_row(five), suited = dugout_all_suited(five, only);
    if (suited) {
        uint64_t suit = 0;
        for (int s = 0; s < 4; s++) {
            suit = five & ~only[s] ? suit : only[s];
        }
        if (ranks & ~suit) {
            return dugout_low_of(0, 0, four | dugout_first(ranks & ~suit));
        }
        if (!in_a_row) {
            return dugout_low_of(DUGOUT_FLUSH, 0, five);
        }
        return sixth ? dugout_low_of(DUGOUT_FLUSH, 0, four | sixth)
                     : dugout_low_of(DUGOUT_STRAIGHT_FLUSH, five ^ four, 0);
    }
    if (!sixth) {
        return plane[2] ? dugout_low_groups(plane, ranks) : dugout_low_of(DUGOUT_STRAIGHT, five ^ four, 0);
    }
    if (dugout_all_suited(four | sixth, only)) {
        /* The top of the straight is what is not of that suit. */
        return dugout_low_of(0, 0, dugout_keep_lowest(five, 3) | (five ^ four) | sixth);
    }
    return dugout_low_of(0, 0, four | sixth);
}

/* The best low of five cards, DUGOUT_NO_LOW with fewer. `straights_count`: straights and flushes count
 * against it. `top`: highest rank that qualifies (ace 1 ... king 13; and unpaired), 0 for none. */
static inline uint32_t dugout_low(uint64_t cards, uint64_t wild, int straights_count, int top)
{
    uint64_t lanes = dugout_ace_low(dugout_lanes(cards & ~wild));
    uint64_t a = lanes & DUGOUT_RANKS, b = lanes >> 16 & DUGOUT_RANKS, c = lanes >> 32 & DUGOUT_RANKS;
    uint64_t d = lanes >> 48, plane[5], ranks, five;
    uint32_t low;
    int wilds = dugout_count(cards & wild);
    if (dugout_count(cards) < 5) {
        return DUGOUT_NO_LOW;
    }
    plane[0] = 0;
    plane[1] = ranks = a | b | c | d;
    plane[2] = (a & b) | (c & d) | ((a | b) & (c | d));
    plane[3] = (a & b & (c | d)) | (c & d & (a | b));
    plane[4] = a & b & c & d;
    for (int k = 0; k < wilds; k++) {
        ranks |= ranks + 1;
    }
    five = dugout_keep_lowest(ranks, 5);
    if (five == dugout_keep_lowest(ranks, 4)) {
        low = dugout_low_groups(plane, ranks);
    } else if (!straights_count) {
        low = dugout_low_of(0, 0, five);
    } else if (wilds) {
        low = dugout_low_of(0, 0, dugout_in_a_row(five) ? dugout_low_without_wheel(plane[1], wilds) : five);
    } else {
        uint64_t only[4] = {a & ~(b | c | d), b & ~(a | c | d), c & ~(a | b | d), d & ~(a | b | c)};
        low = dugout_in_a_row(five) || dugout_all_suited(five, only) ? dugout_low_unhelped(five, plane, only)
                                                                     : dugout_low_of(0, 0, five);
    }
    return top && low >> top ? DUGOUT_NO_LOW : low;
}

#endif
