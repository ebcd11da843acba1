/* Values of many hands at once: the kernel of evaluate_many, included once for every path of
 * evaluator_paths.h. The values are those of evaluator.h, to the bit.
 *
 * IN      Hands and wild masks, 64 bits each, in any alignment. Whatever their bits are, nothing outside the
 *         buffers is touched; hands that are none are found on the way.
 * OUT     Values, 64 bits each; `out` may be the buffer of the hands itself.
 * BLOCK   Four vectors of 64-bit masks make one block: 8 hands with vectors of 16 bytes, 16 with 32, 32 with
 *         64. The rest of a batch is one block filled up with aces of spades.
 * METHOD  A block is transposed, word by word, so that a vector holds one suit of all hands in 16-bit lanes,
 *         mirrored: the ace is bit 0, the highest rank x & -x. From there on every instruction works on all
 *         hands of the block. It is the method of evaluator.h (planes, bit-sliced straights), except that the
 *         number of wild cards is a set of masks (`from[k]`: k wild cards or more) and that a choice is a
 *         blend. No branch depends on a hand but two that hands of up to seven cards never take, so the time
 *         does not depend on the hands.
 * SUITS   Only a suit with five cards, wild ones included, matters. Two suits are looked at, the first and the
 *         last such one; a third one takes nine cards, or four wild ones, which make five of a kind.
 * PATH    A path defines DUGOUT_BYTES, the bytes of a vector; DUGOUT_NAME(x), x with its own ending;
 *         DUGOUT_CODE, the attributes of its functions; and these operations on vectors of 16-bit words:
 *           pick(mask, yes, no)      mask ? yes : no, a mask being all ones or all zeros in every word
 *           odd_words(even, odd)     even words of one, odd words of the other
 *           mirror(x)                the bits of every word in the opposite order
 *           count(x)                 how many bits are set in every word
 *           count_quads(x)           how many bits are set in every 64 bits
 *           any(x)                   whether any bit is set
 */

#define words DUGOUT_NAME(dugout_words)
#define quads DUGOUT_NAME(dugout_quads)
#define pick DUGOUT_NAME(dugout_pick)
#define odd_words DUGOUT_NAME(dugout_odd_words)
#define mirror DUGOUT_NAME(dugout_mirror)
#define count DUGOUT_NAME(dugout_count)
#define count_quads DUGOUT_NAME(dugout_count_quads)
#define any DUGOUT_NAME(dugout_any)

/* The same number in every word. */
#define ALL(number) ((words){0} + (uint16_t)(number))
#define IS_ZERO(x) ((words)((x) == 0))
#define MORE(x, limit) ((words)((DUGOUT_NAME(dugout_signed))(x) > (int16_t)(limit)))
#define LESS(x, limit) ((words)((DUGOUT_NAME(dugout_signed))(x) < (int16_t)(limit)))
#define FIRST(x) ((x) & -(x))
#define DROP(x) ((x) & ((x) - 1))
/* Adds the highest missing rank where `one` is 1. */
#define FILL(x, one) ((x) | ((x) + (one)))
#define LOW_HALF 0xFFFFFFFFULL

#define HANDS (4 * (int)sizeof(quads) / 8)

/* One suit of every hand, ranks in bits 3 to 15, from the four words of every hand. */
DUGOUT_CODE void DUGOUT_NAME(dugout_suits)(const quads hands[4], words suits[4])
{
    words low_01 = odd_words((words)hands[0], (words)(hands[1] << 16));
    words high_01 = odd_words((words)(hands[0] >> 16), (words)hands[1]);
    words low_23 = odd_words((words)hands[2], (words)(hands[3] << 16));
    words high_23 = odd_words((words)(hands[2] >> 16), (words)hands[3]);
    words first = (words)(((quads)low_01 & LOW_HALF) | (quads)low_23 << 32);
    words second = (words)(((quads)high_01 & LOW_HALF) | (quads)high_23 << 32);
    words third = (words)((quads)low_01 >> 32 | ((quads)low_23 & ~LOW_HALF));
    words fourth = (words)((quads)high_01 >> 32 | ((quads)high_23 & ~LOW_HALF));
    suits[0] = first << 3;
    suits[1] = (first >> 10 & 0x0038) | second << 6;
    suits[2] = (second >> 7 & 0x01F8) | third << 9;
    suits[3] = (third >> 4 & 0x0FF8) | fourth << 12;
}

/* Top cards of the straights that ranks and wild cards make, as dugout_straights does it. Four wild cards are
 * left out where five of a kind is better anyway. */
DUGOUT_CODE words DUGOUT_NAME(dugout_runs)(words ranks, const words from[5], unsigned flags)
{
    words a = ranks | ranks << 13, b = a >> 1, c = a >> 2, d = a >> 3, e = a >> 4;
    words ab = a ^ b, abc = ab ^ c, de = d ^ e;
    words carry = (a & b) | (ab & c), other = (d & e) | (abc & de);
    words ones = abc ^ de, twos = carry ^ other, fours = carry & other;
    words runs = (fours & (ones | from[1])) | (twos & ((ones & from[2]) | from[3]));
    if (flags & DUGOUT_BELOW_ROYAL_FLUSH) {
        runs |= ones & from[4];
    }
    return runs & 0x03FF;
}

/* The ranks of a flush in a suit that has one. Two wild cards are enough: three make quads. With doubled aces
 * the natural ranks only. */
DUGOUT_CODE words DUGOUT_NAME(dugout_flush_ranks)(words suit, const words from[5], unsigned flags)
{
    words three_less, four_less, all = suit;
    if (flags & DUGOUT_DOUBLE_ACE_FLUSH) {
        three_less = DROP(DROP(DROP(suit)));
        four_less = DROP(three_less);
        return suit ^ pick(from[2], three_less, pick(from[1], four_less, DROP(four_less)));
    }
    all = FILL(all, from[1] & 1);
    all = FILL(all, from[2] & 1);
    return all ^ DROP(DROP(DROP(DROP(DROP(all)))));
}

DUGOUT_CODE words DUGOUT_NAME(dugout_better_ranks)(words x, words y)
{
    return pick(IS_ZERO(x & FIRST(x ^ y)), y, x);
}

/* The best flush and all straight flushes. `enough`: whether a suit has five cards with the wild ones. */
DUGOUT_CODE void DUGOUT_NAME(dugout_suited)(const words suits[4], const words enough[4], const words from[5],
                                            unsigned flags, words *flush, words *runs)
{
    words suited_1 = suits[1] & enough[1], suited_2 = suits[2] & enough[2];
    words suited_0 = suits[0] & enough[0], suited_3 = suits[3] & enough[3];
    words first = pick(enough[0], suits[0], pick(enough[1], suits[1], pick(enough[2], suits[2], suited_3)));
    words last = pick(enough[3], suits[3], pick(enough[2], suits[2], pick(enough[1], suits[1], suited_0)));
    words several = ~IS_ZERO(first ^ last), ranks;
    words more = (enough[0] | enough[1]) & (enough[2] | enough[3]) & ((enough[0] & enough[1]) | (enough[2] & enough[3]));
    if (!(flags & DUGOUT_BELOW_ROYAL_FLUSH)) {
        more &= ~from[4];
    }
    *runs = DUGOUT_NAME(dugout_runs)(first, from, flags) | DUGOUT_NAME(dugout_runs)(last, from, flags);
    *flush = DUGOUT_NAME(dugout_flush_ranks)(first, from, flags);
    if (any(several & ~from[3])) {
        ranks = DUGOUT_NAME(dugout_flush_ranks)(last, from, flags);
        *flush = DUGOUT_NAME(dugout_better_ranks)(*flush, ranks);
        if (any(more)) {
            ranks = DUGOUT_NAME(dugout_flush_ranks)(suited_1, from, flags) & enough[1];
            *flush = DUGOUT_NAME(dugout_better_ranks)(*flush, ranks);
            ranks = DUGOUT_NAME(dugout_flush_ranks)(suited_2, from, flags) & enough[2];
            *flush = DUGOUT_NAME(dugout_better_ranks)(*flush, ranks);
        }
    }
    if (any(more)) {
        *runs |= DUGOUT_NAME(dugout_runs)(suited_1, from, flags) | DUGOUT_NAME(dugout_runs)(suited_2, from, flags);
    }
}

/* Category, ranks of groups and loose cards of what is made of equal ranks, as dugout_groups does it. */
DUGOUT_CODE void DUGOUT_NAME(dugout_equal_ranks)(const words plane[5], const words from[5], words *category,
                                                 words *groups, words *loose)
{
    words fours = plane[4] | (plane[3] & from[1]) | (plane[2] & from[2]) | (plane[1] & from[3]);
    words threes = plane[3] | (plane[2] & from[1]) | (plane[1] & from[2]);
    words twos = plane[2] | (plane[1] & from[1]);
    words no_quads = IS_ZERO(fours), no_trips = IS_ZERO(threes), no_pair = IS_ZERO(twos);
    words group = FIRST(pick(no_quads, pick(no_trips, twos, threes), fours));
    words second = FIRST(plane[2] & ~group), no_second = IS_ZERO(second);
    words pairs = ~no_pair & (2 + no_second), trips = 6 - (no_second & 3);
    words two_pair = no_trips & ~no_second, full = no_quads & ~no_trips & ~no_second;
    words ranks, less_1, less_2, less_3, less_5, unused;
    *category = pick(no_quads, pick(no_trips, pairs, trips), ALL(DUGOUT_FOUR_OF_A_KIND));
    *groups = group | (second & no_trips);
    ranks = plane[1] & ~*groups;
    less_1 = DROP(ranks), less_2 = DROP(less_1), less_3 = DROP(less_2), less_5 = DROP(DROP(less_3));
    unused = pick(no_trips, pick(no_pair, less_5, less_3), less_2);
    unused = pick(no_quads & ~two_pair, unused, less_1);
    *loose = pick(full, second, ranks ^ unused);
}

/* The values of a block; returns the words of hands that are none (no card, or more than 13). */
DUGOUT_CODE words DUGOUT_NAME(dugout_block)(const quads hands[4], const quads wild[4], unsigned flags,
                                            quads values[4])
{
    words suits[4], enough[4], plane[5], from[5], held, wrong, aces, natural;
    words category, groups, loose, runs, flush, royal, fives, top, is_better, high, low;
    quads natural_cards[4], wilds_of[4];
    for (int v = 0; v < 4; v++) {
        natural_cards[v] = hands[v] & ~wild[v];
        wilds_of[v] = count_quads(hands[v] & wild[v]);
    }
    words wilds = (words)(wilds_of[0] | wilds_of[1] << 16 | wilds_of[2] << 32 | wilds_of[3] << 48);
    DUGOUT_NAME(dugout_suits)(natural_cards, suits);
    held = wilds;
    for (int suit = 0; suit < 4; suit++) {
        enough[suit] = count(suits[suit]);
        held += enough[suit];
        suits[suit] = mirror(suits[suit]);
    }
    wrong = MORE(held, DUGOUT_MOST_CARDS) | IS_ZERO(held);

    /* Wild cards alone are aces, and so are five of them whatever is beside: one is a natural ace then. */
    natural = suits[0] | suits[1] | suits[2] | suits[3];
    aces = IS_ZERO(natural) | MORE(wilds, 4);
    suits[0] |= aces & 1;
    enough[0] += aces & 1;
    wilds += aces;
    for (int k = 1; k <= 4; k++) {
        from[k] = MORE(wilds, k - 1);
    }
    for (int suit = 0; suit < 4; suit++) {
        enough[suit] = MORE(enough[suit] + wilds, 4);
    }

    words ab = suits[0] | suits[1], cd = suits[2] | suits[3];
    words both_ab = suits[0] & suits[1], both_cd = suits[2] & suits[3];
    plane[1] = ab | cd;
    plane[2] = both_ab | both_cd | (ab & cd);
    plane[3] = (both_ab & cd) | (both_cd & ab);
    plane[4] = both_ab & both_cd;
    DUGOUT_NAME(dugout_equal_ranks)(plane, from, &category, &groups, &loose);

    top = FIRST(DUGOUT_NAME(dugout_runs)(plane[1], from, 0));
    is_better = LESS(category, DUGOUT_STRAIGHT) & ~IS_ZERO(top);
    category = pick(is_better, ALL(DUGOUT_STRAIGHT), category);
    groups = pick(is_better, top, groups);
    loose &= ~is_better;

    DUGOUT_NAME(dugout_suited)(suits, enough, from, flags, &flush, &runs);
    is_better = LESS(category, DUGOUT_FLUSH) & (enough[0] | enough[1] | enough[2] | enough[3]);
    category = pick(is_better, ALL(DUGOUT_FLUSH), category);
    groups &= ~is_better;
    aces = ALL(0);
    if (flags & DUGOUT_DOUBLE_ACE_FLUSH) {
        aces = is_better & ((from[1] & flush & 1) + (from[2] & 1));
        flush |= from[1] & 1;
    }
    loose = pick(is_better, flush, loose);

    top = FIRST(runs);
    is_better = ~IS_ZERO(top);
    fives = FIRST((plane[4] & from[1]) | (plane[3] & from[2]) | (plane[2] & from[3]) | (plane[1] & from[4]));
    category = pick(is_better, ALL(DUGOUT_STRAIGHT_FLUSH), category);
    groups = pick(is_better, top, groups);
    loose &= ~is_better;
    aces &= ~is_better;
    is_better = ~IS_ZERO(fives);
    if (flags & DUGOUT_BELOW_ROYAL_FLUSH) {
        royal = -(top & 1);
        category += royal & 2;
        is_better &= ~royal;
    }
    category = pick(is_better, ALL(DUGOUT_FIVE_OF_A_KIND), category);
    groups = pick(is_better, fives, groups);
    loose &= ~is_better;

    groups = mirror(groups) | aces << 3;
    high = category << 11 | groups >> 5;
    low = groups << 11 | mirror(loose) >> 2;
    words even = odd_words(low, (words)((quads)high << 16)), odd = odd_words((words)((quads)low >> 16), high);
    values[0] = (quads)even & LOW_HALF;
    values[1] = (quads)odd & LOW_HALF;
    values[2] = (quads)even >> 32;
    values[3] = (quads)odd >> 32;
    return wrong;
}

/* Values a block from and to memory; returns whether a hand or a wild mask is none. */
DUGOUT_CODE int DUGOUT_NAME(dugout_block_at)(const char *cards, const char *wild, unsigned flags, char *out)
{
    quads hands[4], wilds[4], values[4], others[4], outside;
    words wrong;
    memcpy(hands, cards, sizeof hands);
    memcpy(wilds, wild, sizeof wilds);
    outside = (hands[0] | hands[1] | hands[2] | hands[3] | wilds[0] | wilds[1] | wilds[2] | wilds[3]) >> 52;
    wrong = DUGOUT_NAME(dugout_block)(hands, wilds, flags, values);
    if (flags & DUGOUT_NATURAL_BEATS_WILD) {
        memset(wilds, 0, sizeof wilds);
        DUGOUT_NAME(dugout_block)(hands, wilds, flags, others);
        for (int v = 0; v < 4; v++) {
            values[v] |= (quads)(values[v] == others[v]) & 1;
        }
    }
    memcpy(out, values, sizeof values);
    return any(wrong | (words)outside);
}

/* Values `hands` hands; returns where the first block begins that holds something wrong, `hands` if none does. */
DUGOUT_CODE size_t DUGOUT_NAME(dugout_batch_as)(const char *cards, const char *wild, int one_wild, size_t hands,
                                                unsigned flags, char *out)
{
    uint64_t same[HANDS], last_cards[HANDS], last_wild[HANDS], last_values[HANDS];
    size_t at = 0, rest;
    for (int hand = 0; hand < HANDS; hand++) {
        memcpy(same + hand, wild, one_wild ? 8 : 0);
        last_cards[hand] = 1ULL << 51;
        last_wild[hand] = 0;
    }
    for (; at + HANDS <= hands; at += HANDS) {
        if (DUGOUT_NAME(dugout_block_at)(cards + 8 * at, one_wild ? (const char *)same : wild + 8 * at, flags,
                                         out + 8 * at)) {
            return at;
        }
    }
    rest = hands - at;
    if (rest) {
        memcpy(last_cards, cards + 8 * at, 8 * rest);
        memcpy(last_wild, one_wild ? (const char *)same : wild + 8 * at, 8 * rest);
        if (DUGOUT_NAME(dugout_block_at)((const char *)last_cards, (const char *)last_wild, flags,
                                         (char *)last_values)) {
            return at;
        }
        memcpy(out + 8 * at, last_values, 8 * rest);
    }
    return hands;
}

#undef words
#undef quads
#undef pick
#undef odd_words
#undef mirror
#undef count
#undef count_quads
#undef any
#undef ALL
#undef IS_ZERO
#undef MORE
#undef LESS
#undef FIRST
#undef DROP
#undef FILL
#undef LOW_HALF
#undef HANDS
