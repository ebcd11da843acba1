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
 *         number of wild cards is a set of masks (`from[k]`: k wild cards or more), that a choice is a blend,
 *         and that a card is dropped under a mask, x & (x + mask): the mask is -1 or 0 in every word.
 *         No branch depends on a hand but one that hands of up to seven cards never take, so the time does
 *         not depend on the hands.
 * SUITS   Only a suit with five cards, wild ones included, matters: the first and the last such one. Up to
 *         seven cards have two only with three wild cards or more, which make quads at least. So straights
 *         are looked for twice, not three times: in the first suit, and then in the last one where there are
 *         three wild cards, in all ranks where there are fewer. Four wild cards make five of a kind. More cards
 *         may have more suits; then the branch is taken.
 * LOOSE   Kickers and flushes are what is left of a set when its highest cards are dropped, so one chain of
 *         five drops serves both.
 * PATH    A path defines DUGOUT_BYTES, the bytes of a vector; DUGOUT_NAME(x), x with its own ending;
 *         DUGOUT_CODE, the attributes of its functions; and these operations on vectors of 16-bit words:
 *           pick(mask, yes, no)      mask ? yes : no, a mask being all ones or all zeros in every word
 *           low_words, high_words    of two vectors: the words of the low or the high half of every 16 bytes,
 *                                    taking turns
 *           low_pairs, high_pairs    the same, two words at a time
 *           mirror(x)                the bits of every word in the opposite order
 *           count_bytes(x)           how many bits are set in every byte
 *           sum_bytes(x)             both bytes of every word added up
 *           any(x)                   whether any bit is set
 */

#define words DUGOUT_NAME(dugout_words)
#define quads DUGOUT_NAME(dugout_quads)
#define pick DUGOUT_NAME(dugout_pick)
#define low_words DUGOUT_NAME(dugout_low_words)
#define high_words DUGOUT_NAME(dugout_high_words)
#define low_pairs DUGOUT_NAME(dugout_low_pairs)
#define high_pairs DUGOUT_NAME(dugout_high_pairs)
#define mirror DUGOUT_NAME(dugout_mirror)
#define count_bytes DUGOUT_NAME(dugout_count_bytes)
#define sum_bytes DUGOUT_NAME(dugout_sum_bytes)
#define any DUGOUT_NAME(dugout_any)

/* The same number in every word. */
#define ALL(number) ((words){0} + (uint16_t)(number))
#define IS_ZERO(x) ((words)((x) == 0))
#define MORE(x, limit) ((words)((DUGOUT_NAME(dugout_signed))(x) > (DUGOUT_NAME(dugout_signed))(limit)))
#define FIRST(x) ((x) & -(x))
#define DROP(x) ((x) & ((x) - 1))
#define DROP_IF(mask, x) ((x) & ((x) + (mask)))
/* Adds the highest missing rank. */
#define FILL_IF(mask, x) ((x) | ((x) - (mask)))

#define HANDS (4 * (int)sizeof(quads) / 8)

/* Reads a block: vector k has word k of every hand. */
DUGOUT_CODE void DUGOUT_NAME(dugout_read)(const char *hands, words parts[4])
{
    words v[4];
    memcpy(v, hands, sizeof v);
    words even = low_words(v[0], v[2]), even_rest = high_words(v[0], v[2]);
    words odd = low_words(v[1], v[3]), odd_rest = high_words(v[1], v[3]);
    words even_low = low_words(even, even_rest), even_high = high_words(even, even_rest);
    words odd_low = low_words(odd, odd_rest), odd_high = high_words(odd, odd_rest);
    parts[0] = low_pairs(even_low, odd_low);
    parts[1] = high_pairs(even_low, odd_low);
    parts[2] = low_pairs(even_high, odd_high);
    parts[3] = high_pairs(even_high, odd_high);
}

/* Writes the values of a block, in the order in which hands are read. */
DUGOUT_CODE void DUGOUT_NAME(dugout_write)(words low, words high, char *out)
{
    words first = low_words(low, high), last = high_words(low, high), zero = {0};
    words v[4] = {low_pairs(first, zero), high_pairs(first, zero), low_pairs(last, zero), high_pairs(last, zero)};
    memcpy(out, v, sizeof v);
}

/* One suit of every hand, ranks in bits 3 to 15, from the four words of every hand. */
DUGOUT_CODE void DUGOUT_NAME(dugout_suits)(const words parts[4], words suits[4])
{
    suits[0] = parts[0] << 3;
    suits[1] = (parts[0] >> 10 & 0x0038) | parts[1] << 6;
    suits[2] = (parts[1] >> 7 & 0x01F8) | parts[2] << 9;
    suits[3] = (parts[2] >> 4 & 0x0FF8) | parts[3] << 12;
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

/* What a flush is made of. Two wild cards are enough: three make quads. With doubled aces the natural ranks only. */
DUGOUT_CODE words DUGOUT_NAME(dugout_filled)(words suit, const words from[5], unsigned flags)
{
    if (flags & DUGOUT_DOUBLE_ACE_FLUSH) {
        return suit;
    }
    return FILL_IF(from[2], FILL_IF(from[1], suit));
}

/* Drops the three highest cards of a flush, and the two that wild cards replace where aces are doubled. */
DUGOUT_CODE words DUGOUT_NAME(dugout_rest_of_flush)(words suit, const words from[5], unsigned flags)
{
    words rest = DROP(DROP(DROP(suit))), replace = flags & DUGOUT_DOUBLE_ACE_FLUSH ? ALL(0xFFFF) : ALL(0);
    rest = DROP_IF(~(from[2] & replace), rest);
    return DROP_IF(~(from[1] & replace), rest);
}

/* Looks at all suits: for the best flush, and for straight flushes in those beside the first one. */
DUGOUT_CODE void DUGOUT_NAME(dugout_all_suits)(const words suits[4], const words enough[4], const words from[5],
                                               unsigned flags, words *flush, words *straight_flushes)
{
    words best = *flush ^ DUGOUT_NAME(dugout_rest_of_flush)(*flush, from, flags);
    for (int suit = 1; suit < 4; suit++) {
        words cards = DUGOUT_NAME(dugout_filled)(suits[suit], from, flags) & enough[suit];
        words ranks = cards ^ DUGOUT_NAME(dugout_rest_of_flush)(cards, from, flags);
        words is_worse = IS_ZERO(ranks & FIRST(ranks ^ best));
        *flush = pick(is_worse, *flush, cards);
        best = pick(is_worse, best, ranks);
        *straight_flushes |= DUGOUT_NAME(dugout_runs)(suits[suit] & enough[suit], from, flags);
    }
}

/* The values of a block, low and high words, from the words of its hands and of the wild masks. Returns the words
 * of hands or masks that are none: no card, more than 13, or bits outside the 52. */
DUGOUT_CODE words DUGOUT_NAME(dugout_block)(const words cards[4], const words wild[4], unsigned flags, words *low,
                                            words *high)
{
    words suits[4], counts[4], enough[4], natural[4], from[5];
    words wilds = {0}, held, wrong, ace;
    for (int part = 0; part < 4; part++) {
        words held_wild = cards[part] & wild[part];
        natural[part] = cards[part] ^ held_wild;
        wilds += count_bytes(held_wild);
    }
    wilds = held = sum_bytes(wilds);
    DUGOUT_NAME(dugout_suits)(natural, suits);
    for (int suit = 0; suit < 4; suit++) {
        counts[suit] = sum_bytes(count_bytes(suits[suit]));
        held += counts[suit];
        suits[suit] = mirror(suits[suit]);
    }
    wrong = MORE(held, ALL(DUGOUT_MOST_CARDS)) | IS_ZERO(held) | (cards[3] | wild[3]) >> 4;
    for (int suit = 0; suit < 4; suit++) {
        enough[suit] = MORE(counts[suit], 4 - wilds);
    }

    /* Wild cards alone are aces, and so are five of them whatever is beside: one is a natural ace then. */
    ace = (words)(held == wilds) | MORE(wilds, ALL(4));
    suits[0] |= ace & 1;
    wilds += ace;
    for (int k = 1; k <= 4; k++) {
        from[k] = MORE(wilds, ALL(k - 1));
    }

    /* Ranks held at least so many times, wild cards aside and with them. */
    words ab = suits[0] | suits[1], cd = suits[2] | suits[3];
    words both_ab = suits[0] & suits[1], both_cd = suits[2] & suits[3];
    words plane_1 = ab | cd, plane_2 = both_ab | both_cd | (ab & cd);
    words plane_3 = (both_ab & cd) | (both_cd & ab), plane_4 = both_ab & both_cd;
    words fives = (plane_4 & from[1]) | (plane_3 & from[2]) | (plane_2 & from[3]) | (plane_1 & from[4]);
    words fours = plane_4 | (plane_3 & from[1]) | (plane_2 & from[2]) | (plane_1 & from[3]);
    words threes = plane_3 | (plane_2 & from[1]) | (plane_1 & from[2]);
    words twos = plane_2 | (plane_1 & from[1]);

    /* Category, ranks of groups and loose cards of what is made of equal ranks, as dugout_groups does it. */
    words no_quads = IS_ZERO(fours), no_trips = IS_ZERO(threes), no_pair = IS_ZERO(twos);
    words group = FIRST(pick(no_quads, pick(no_trips, twos, threes), fours));
    words second = FIRST(plane_2 & ~group), no_second = IS_ZERO(second);
    words two_pair = no_trips & ~no_second, full = no_quads & ~(no_trips | no_second);
    words pairs = ~no_pair & (2 + no_second), trips = 6 - (no_second & 3);
    words category = pick(no_quads, pick(no_trips, pairs, trips), ALL(DUGOUT_FOUR_OF_A_KIND));
    words groups = group | (second & no_trips);
    words loose = pick(full, second, plane_1 & ~groups);

    /* The first and the last suit with enough cards; straights in all ranks or in the last suit. */
    words first = pick(enough[0], suits[0], pick(enough[1], suits[1], pick(enough[2], suits[2], suits[3] & enough[3])));
    words last = pick(enough[3], suits[3], pick(enough[2], suits[2], pick(enough[1], suits[1], suits[0] & enough[0])));
    words straights = DUGOUT_NAME(dugout_runs)(pick(from[3], last, plane_1), from, flags);
    words straight_flushes = DUGOUT_NAME(dugout_runs)(first, from, flags) | (straights & from[3]);
    words flush = DUGOUT_NAME(dugout_filled)(first, from, flags);
    words several = MORE(ALL(-1), enough[0] + enough[1] + enough[2] + enough[3] - from[3]);
    if (!(flags & DUGOUT_BELOW_ROYAL_FLUSH)) {
        several &= ~from[4];
    }
    if (any(several)) {
        DUGOUT_NAME(dugout_all_suits)(suits, enough, from, flags, &flush, &straight_flushes);
    }

    words is_weak = no_quads & ~full, is_flush = is_weak & ~IS_ZERO(first);
    words is_straight = is_weak & ~(is_flush | IS_ZERO(straights));
    words no_fives = IS_ZERO(fives), no_straight_flush = IS_ZERO(straight_flushes), rest, is_run, aces = {0};
    words drop_last = no_pair | is_flush, drop_fourth = drop_last;
    if (flags & DUGOUT_DOUBLE_ACE_FLUSH) {
        aces = is_flush & no_straight_flush;
        aces &= (from[1] & flush & 1) + (from[2] & 1);
        drop_fourth = no_pair | (is_flush & ~from[2]);
        drop_last = no_pair | (is_flush & ~from[1]);
    }
    loose = pick(is_flush, flush, loose);
    rest = DROP(loose);
    rest = DROP_IF((no_quads & ~two_pair) | is_flush, rest);
    rest = DROP_IF((no_trips & no_second) | is_flush, rest);
    rest = DROP_IF(drop_last, DROP_IF(drop_fourth, rest));
    loose ^= rest;
    if (flags & DUGOUT_DOUBLE_ACE_FLUSH) {
        loose |= is_flush & from[1] & 1;
    }
    if (flags & DUGOUT_BELOW_ROYAL_FLUSH) {
        no_fives |= -(straight_flushes & 1);
    }

    category = pick(is_straight, ALL(DUGOUT_STRAIGHT), category);
    category = pick(is_flush, ALL(DUGOUT_FLUSH), category);
    category = pick(no_straight_flush, category, ALL(DUGOUT_STRAIGHT_FLUSH));
    category = pick(no_fives, category, ALL(DUGOUT_FIVE_OF_A_KIND));
    if (flags & DUGOUT_BELOW_ROYAL_FLUSH) {
        category += straight_flushes << 1 & 2;
    }
    is_run = ~(no_fives & no_straight_flush) | is_straight;
    straights = FIRST(pick(no_fives, pick(no_straight_flush, straights, straight_flushes), fives));
    groups = mirror(pick(is_run, straights, groups & ~is_flush)) | aces << 3;
    loose = mirror(loose & ~is_run);
    *high = category << 11 | groups >> 5;
    *low = groups << 11 | loose >> 2;
    return wrong;
}

/* Values a block from and to memory; returns whether a hand or a wild mask is none. */
DUGOUT_CODE int DUGOUT_NAME(dugout_block_at)(const char *cards, const words wild[4], unsigned flags, char *out)
{
    words hands[4], low, high, wrong;
    DUGOUT_NAME(dugout_read)(cards, hands);
    wrong = DUGOUT_NAME(dugout_block)(hands, wild, flags, &low, &high);
    if (flags & DUGOUT_NATURAL_BEATS_WILD) {
        words none[4] = {{0}, {0}, {0}, {0}}, other_low, other_high;
        DUGOUT_NAME(dugout_block)(hands, none, flags, &other_low, &other_high);
        low |= (words)(low == other_low) & (words)(high == other_high) & 1;
    }
    DUGOUT_NAME(dugout_write)(low, high, out);
    return any(wrong);
}

/* Values `hands` hands; returns where the first block begins that holds something wrong, `hands` if none does. */
DUGOUT_CODE size_t DUGOUT_NAME(dugout_batch_as)(const char *cards, const char *wild, int one_wild, size_t hands,
                                                unsigned flags, char *out)
{
    uint64_t same[HANDS], last_cards[HANDS], last_wild[HANDS], last_values[HANDS];
    size_t at = 0, rest;
    words wilds[4];
    for (int hand = 0; hand < HANDS; hand++) {
        memcpy(same + hand, wild, one_wild ? 8 : 0);
        last_cards[hand] = 1ULL << 51;
        last_wild[hand] = 0;
    }
    if (one_wild) {
        DUGOUT_NAME(dugout_read)((const char *)same, wilds);
    }
    for (; at + HANDS <= hands; at += HANDS) {
        if (!one_wild) {
            DUGOUT_NAME(dugout_read)(wild + 8 * at, wilds);
        }
        if (DUGOUT_NAME(dugout_block_at)(cards + 8 * at, wilds, flags, out + 8 * at)) {
            return at;
        }
    }
    rest = hands - at;
    if (rest) {
        memcpy(last_cards, cards + 8 * at, 8 * rest);
        if (!one_wild) {
            memcpy(last_wild, wild + 8 * at, 8 * rest);
            DUGOUT_NAME(dugout_read)((const char *)last_wild, wilds);
        }
        if (DUGOUT_NAME(dugout_block_at)((const char *)last_cards, wilds, flags, (char *)last_values)) {
            return at;
        }
        memcpy(out + 8 * at, last_values, 8 * rest);
    }
    return hands;
}

#undef words
#undef quads
#undef pick
#undef low_words
#undef high_words
#undef low_pairs
#undef high_pairs
#undef mirror
#undef count_bytes
#undef sum_bytes
#undef any
#undef ALL
#undef IS_ZERO
#undef MORE
#undef FIRST
#undef DROP
#undef DROP_IF
#undef FILL_IF
#undef HANDS
