/* Deals hands to their end and counts who wins: at random in blocks, or every deal there is.
 *
 * PLAN    What is known and what is to come, as 52-bit masks of cards (see evaluator.h) and numbers of cards.
 *         `unseen` are the cards that may still come, one bit each. A seat waits for `open` up cards, each of which
 *         may be a bonus card's trigger (`bonus`), and for `closed` other ones; a bonus card is open if `bonus_up`
 *         is set, and may trigger again. Nothing here checks that the cards suffice.
 *
 * SHORT   The last round deals one closed card to each seat. If more than `slack` bonus cards have come by then, the
 *         deck is too short for it: one card for everybody comes in its place, or none if none is left. The `reserve`
 *         of the unseen cards are burned for good and never left.
 *
 * ORDER   Cards that nobody has seen are alike, so who gets the next one does not matter to the odds: here first all
 *         open cards come, seat by seat, then all closed ones.
 *
 * SHARES  The pot is 840 units (two halves, each divided by up to seven), all of them counted in whole numbers.
 *
 * RANDOM  Deal n belongs to block n / DUGOUT_BLOCK. A block has a generator of its own (xoshiro256++), seeded from the
 *         seed and the number of the block, so that it does not matter which thread deals it. One 64-bit number gives
 *         up to five cards: it is a fraction, and each card takes a digit of it, of base "cards left". The chances of
 *         two cards differ by less than one part in 2^30.
 *
 * EVERY   Cards of one seat and stage come as a set, not in order; a leaf weighs as many orders as it stands for.
 *         Deals take different numbers of cards; sums are kept by that number, since each has a probability of its own.
 */
#ifndef DUGOUT_ODDS_KERNEL_H
#define DUGOUT_ODDS_KERNEL_H

#include <string.h>

#include "evaluator_paths.h"

#if !defined(_WIN32)
#include <pthread.h>
#endif

enum {
    DUGOUT_SEATS = 7,
    DUGOUT_DECK = 52,
    DUGOUT_SHARES = 840,
    DUGOUT_BLOCK = 4096,
    /* Deals whose hands are valued together: they stay in the first-level cache. */
    DUGOUT_BATCH = 128,
    DUGOUT_THREADS = 64
};

typedef struct {
    int seats, unseen_count, reserve, slack, bonus_up, with_low, straights_count, low_top;
    unsigned flags;
    uint64_t bonus, wild, low_wild, low_usable;
    /* How many hands are valued at once: a path of evaluator_paths.h. */
    dugout_batch worths;
    uint64_t held[DUGOUT_SEATS], unseen[DUGOUT_DECK];
    int open[DUGOUT_SEATS], closed[DUGOUT_SEATS];
} dugout_plan;

/* What each seat won: pots alone, pots shared, and of the shared ones the units and their squares. */
typedef struct {
    uint64_t win[DUGOUT_SEATS], tie[DUGOUT_SEATS], share[DUGOUT_SEATS], square[DUGOUT_SEATS];
} dugout_tally;

static uint32_t dugout_worth(const dugout_plan *plan, uint64_t hand)
{
    return plan->flags ? dugout_value_as(hand, plan->wild, plan->flags) : dugout_value(hand, plan->wild);
}

static uint32_t dugout_low_worth(const dugout_plan *plan, uint64_t hand)
{
    return dugout_low(hand & plan->low_usable, plan->low_wild, plan->straights_count, plan->low_top);
}

static void dugout_settle_high(const dugout_plan *plan, const uint64_t value[DUGOUT_SEATS], uint64_t weight,
                               dugout_tally *tally)
{
    uint64_t best = value[0];
    int winners = 1, last = 0;
    for (int s = 1; s < plan->seats; s++) {
        winners = value[s] > best ? 1 : winners + (value[s] == best);
        last = value[s] >= best ? s : last;
        best = value[s] > best ? value[s] : best;
    }
    if (winners == 1) {
        tally->win[last] += weight;
        return;
    }
    uint64_t share = DUGOUT_SHARES / winners;
    for (int s = 0; s < plan->seats; s++) {
        if (value[s] == best) {
            tally->tie[s] += weight;
            tally->share[s] += weight * share;
            tally->square[s] += weight * share * share;
        }
    }
}

/* Half a pot for the best lows, the other half for the best highs; all of it for these where nobody has a low. */
static void dugout_settle_both(const dugout_plan *plan, const uint64_t value[DUGOUT_SEATS],
                               const uint32_t low[DUGOUT_SEATS], uint64_t weight, dugout_tally *tally)
{
    uint64_t best = 0;
    uint32_t lowest = DUGOUT_NO_LOW;
    int highs = 0, lows = 0;
    for (int s = 0; s < plan->seats; s++) {
        best = value[s] > best ? value[s] : best;
        lowest = low[s] < lowest ? low[s] : lowest;
    }
    for (int s = 0; s < plan->seats; s++) {
        highs += value[s] == best;
        lows += low[s] == lowest && lowest != DUGOUT_NO_LOW;
    }
    for (int s = 0; s < plan->seats; s++) {
        uint64_t share = value[s] == best ? (lows ? DUGOUT_SHARES / 2 : DUGOUT_SHARES) / highs : 0;
        share += lows && low[s] == lowest ? DUGOUT_SHARES / 2 / lows : 0;
        if (share == DUGOUT_SHARES) {
            tally->win[s] += weight;
        } else if (share) {
            tally->tie[s] += weight;
            tally->share[s] += weight * share;
            tally->square[s] += weight * share * share;
        }
    }
}

/* ---- At random ---- */

typedef struct {
    uint64_t state[4], fraction;
    uint64_t deck[DUGOUT_DECK];
    int left, digits;
} dugout_dealer;

DUGOUT_INLINE uint64_t dugout_rotate(uint64_t x, int bits) { return x << bits | x >> (64 - bits); }

DUGOUT_INLINE uint64_t dugout_random(uint64_t s[4])
{
    uint64_t result = dugout_rotate(s[0] + s[3], 23) + s[0], t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = dugout_rotate(s[3], 45);
    return result;
}

static uint64_t dugout_mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ULL;
    x = (x ^ x >> 27) * 0x94D049BB133111EBULL;
    return x ^ x >> 31;
}

static void dugout_seed(uint64_t state[4], uint64_t seed, uint64_t block)
{
    uint64_t x = dugout_mix(seed + 0x9E3779B97F4A7C15ULL) ^ dugout_mix(block + 0xD1B54A32D192ED03ULL);
    for (int k = 0; k < 4; k++) {
        x += 0x9E3779B97F4A7C15ULL;
        state[k] = dugout_mix(x);
    }
}

/* The whole part of fraction * count; what is left of the fraction stays there. */
DUGOUT_INLINE int dugout_digit(uint64_t *fraction, uint64_t count)
{
#if defined(__SIZEOF_INT128__)
    unsigned __int128 product = (unsigned __int128)*fraction * count;
    *fraction = (uint64_t)product;
    return (int)(product >> 64);
#else
    uint64_t low = (*fraction & 0xFFFFFFFF) * count, high = (*fraction >> 32) * count + (low >> 32);
    *fraction = high << 32 | (low & 0xFFFFFFFF);
    return (int)(high >> 32);
#endif
}

/* Cards dealt move behind those left, so the deck need not be put in order for the next deal. */
DUGOUT_INLINE uint64_t dugout_draw(dugout_dealer *dealer, int cards)
{
    uint64_t drawn = 0, fraction = dealer->fraction;
    int left = dealer->left, digits = dealer->digits;
    for (; cards > 0; cards--) {
        if (digits == 0) {
            fraction = dugout_random(dealer->state);
            digits = 5;
        }
        digits--;
        int place = dugout_digit(&fraction, (uint64_t)left);
        uint64_t card = dealer->deck[place];
        left--;
        dealer->deck[place] = dealer->deck[left];
        dealer->deck[left] = card;
        drawn |= card;
    }
    dealer->fraction = fraction;
    dealer->left = left;
    dealer->digits = digits;
    return drawn;
}

static void dugout_deal(const dugout_plan *plan, dugout_dealer *dealer, uint64_t *hand)
{
    int closed[DUGOUT_SEATS], bonuses = 0, is_short;
    dealer->left = plan->unseen_count;
    for (int s = 0; s < plan->seats; s++) {
        uint64_t cards = dugout_draw(dealer, plan->open[s]), all = cards;
        int due = dugout_count(cards & plan->bonus);
        closed[s] = plan->closed[s];
        while (due) {
            bonuses += due;
            if (!plan->bonus_up) {
                closed[s] += due;
                break;
            }
            cards = dugout_draw(dealer, due);
            all |= cards;
            due = dugout_count(cards & plan->bonus);
        }
        hand[s] = plan->held[s] | all;
    }
    is_short = bonuses > plan->slack;
    for (int s = 0; s < plan->seats; s++) {
        hand[s] |= dugout_draw(dealer, closed[s] - is_short);
    }
    if (is_short && dealer->left > plan->reserve) {
        uint64_t community = dugout_draw(dealer, 1);
        for (int s = 0; s < plan->seats; s++) {
            hand[s] |= community;
        }
    }
}

static void dugout_settle(const dugout_plan *plan, const uint64_t *hands, int deals, dugout_tally *tally)
{
    uint64_t values[DUGOUT_BATCH * DUGOUT_SEATS];
    plan->worths((const char *)hands, (const char *)&plan->wild, 1, (size_t)(deals * plan->seats), plan->flags,
                 (char *)values);
    for (int deal = 0; deal < deals; deal++) {
        const uint64_t *value = values + deal * plan->seats, *hand = hands + deal * plan->seats;
        uint32_t low[DUGOUT_SEATS];
        if (!plan->with_low) {
            dugout_settle_high(plan, value, 1, tally);
            continue;
        }
        for (int s = 0; s < plan->seats; s++) {
            low[s] = dugout_low_worth(plan, hand[s]);
        }
        dugout_settle_both(plan, value, low, 1, tally);
    }
}

static void dugout_deal_block(const dugout_plan *plan, uint64_t seed, uint64_t block, uint64_t deals,
                              dugout_tally *tally)
{
    dugout_dealer dealer;
    uint64_t hands[DUGOUT_BATCH * DUGOUT_SEATS];
    memset(&dealer, 0, sizeof dealer);
    dugout_seed(dealer.state, seed, block);
    memcpy(dealer.deck, plan->unseen, sizeof dealer.deck);
    while (deals) {
        int batch = deals < DUGOUT_BATCH ? (int)deals : DUGOUT_BATCH;
        for (int deal = 0; deal < batch; deal++) {
            dugout_deal(plan, &dealer, hands + deal * plan->seats);
        }
        dugout_settle(plan, hands, batch, tally);
        deals -= (uint64_t)batch;
    }
}

typedef struct {
    const dugout_plan *plan;
    uint64_t seed, first, last, deals, step;
    dugout_tally tally;
} dugout_task;

/* Deals every step-th block from the first one on; all have their full size but the one that `deals` ends in. */
static void *dugout_work(void *argument)
{
    dugout_task *task = argument;
    for (uint64_t block = task->first; block < task->last; block += task->step) {
        uint64_t left = task->deals - block * DUGOUT_BLOCK;
        dugout_deal_block(task->plan, task->seed, block, left < DUGOUT_BLOCK ? left : DUGOUT_BLOCK, &task->tally);
    }
    return NULL;
}

static void dugout_add(dugout_tally *sum, const dugout_tally *tally)
{
    for (int s = 0; s < DUGOUT_SEATS; s++) {
        sum->win[s] += tally->win[s];
        sum->tie[s] += tally->tie[s];
        sum->share[s] += tally->share[s];
        sum->square[s] += tally->square[s];
    }
}

/* Adds up deals first_block * DUGOUT_BLOCK ... deals - 1 of a seed. A thread that cannot be had is done without. */
static void dugout_sample(const dugout_plan *plan, uint64_t seed, uint64_t first_block, uint64_t deals, int threads,
                          dugout_tally *sum)
{
    dugout_task task[DUGOUT_THREADS] = {{0}};
    uint64_t last = (deals + DUGOUT_BLOCK - 1) / DUGOUT_BLOCK;
    for (int t = 0; t < threads; t++) {
        task[t].plan = plan;
        task[t].seed = seed;
        task[t].first = first_block + (uint64_t)t;
        task[t].last = last;
        task[t].deals = deals;
        task[t].step = (uint64_t)threads;
    }
#if defined(_WIN32)
    for (int t = 0; t < threads; t++) {
        dugout_work(&task[t]);
    }
#else
    pthread_t thread[DUGOUT_THREADS];
    int started[DUGOUT_THREADS];
    for (int t = 1; t < threads; t++) {
        started[t] = pthread_create(&thread[t], NULL, dugout_work, &task[t]) == 0;
    }
    dugout_work(&task[0]);
    for (int t = 1; t < threads; t++) {
        if (started[t]) {
            pthread_join(thread[t], NULL);
        } else {
            dugout_work(&task[t]);
        }
    }
#endif
    for (int t = 0; t < threads; t++) {
        dugout_add(sum, &task[t].tally);
    }
}

/* ---- Every deal ---- */

typedef struct {
    const dugout_plan *plan;
    uint64_t hand[DUGOUT_SEATS], taken;
    uint64_t value[DUGOUT_SEATS];
    uint32_t low[DUGOUT_SEATS];
    int closed[DUGOUT_SEATS], bonuses, drawn, is_short;
    /* By the number of cards drawn. */
    uint64_t total[DUGOUT_DECK + 1], leaves;
    dugout_tally tally[DUGOUT_DECK + 1];
} dugout_walk;

static const uint64_t dugout_orders[] = {1, 1, 2, 6, 24, 120, 720, 5040, 40320, 362880, 3628800, 39916800};

static void dugout_walk_open(dugout_walk *walk, int seat, int left, int from, uint64_t stage, uint64_t weight);
static void dugout_walk_closed(dugout_walk *walk, int seat, int left, int from, uint64_t weight);

static void dugout_walk_leaf(dugout_walk *walk, uint64_t weight)
{
    dugout_tally *tally = &walk->tally[walk->drawn];
    walk->total[walk->drawn] += weight;
    walk->leaves++;
    if (walk->plan->with_low) {
        dugout_settle_both(walk->plan, walk->value, walk->low, weight, tally);
    } else {
        dugout_settle_high(walk->plan, walk->value, weight, tally);
    }
}

static void dugout_walk_value(dugout_walk *walk, int seat, uint64_t hand)
{
    walk->value[seat] = dugout_worth(walk->plan, hand);
    if (walk->plan->with_low) {
        walk->low[seat] = dugout_low_worth(walk->plan, hand);
    }
}

/* The one card for everybody, or the end where no card is left. */
static void dugout_walk_community(dugout_walk *walk, uint64_t weight)
{
    const dugout_plan *plan = walk->plan;
    if (plan->unseen_count - walk->drawn <= plan->reserve) {
        for (int s = 0; s < plan->seats; s++) {
            dugout_walk_value(walk, s, walk->hand[s]);
        }
        dugout_walk_leaf(walk, weight);
        return;
    }
    for (int i = 0; i < plan->unseen_count; i++) {
        if (walk->taken & plan->unseen[i]) {
            continue;
        }
        for (int s = 0; s < plan->seats; s++) {
            dugout_walk_value(walk, s, walk->hand[s] | plan->unseen[i]);
        }
        walk->drawn++;
        dugout_walk_leaf(walk, weight);
        walk->drawn--;
    }
}

static void dugout_walk_next_closed(dugout_walk *walk, int seat, uint64_t weight)
{
    if (seat < walk->plan->seats) {
        int cards = walk->closed[seat] - walk->is_short;
        dugout_walk_closed(walk, seat, cards, 0, weight * dugout_orders[cards]);
    } else if (walk->is_short) {
        dugout_walk_community(walk, weight);
    } else {
        dugout_walk_leaf(walk, weight);
    }
}

static void dugout_walk_closed(dugout_walk *walk, int seat, int left, int from, uint64_t weight)
{
    const dugout_plan *plan = walk->plan;
    if (left == 0) {
        if (!walk->is_short) {
            dugout_walk_value(walk, seat, walk->hand[seat]);
        }
        dugout_walk_next_closed(walk, seat + 1, weight);
        return;
    }
    for (int i = from; i + left <= plan->unseen_count; i++) {
        uint64_t card = plan->unseen[i];
        if (walk->taken & card) {
            continue;
        }
        walk->taken ^= card, walk->hand[seat] ^= card, walk->drawn++;
        dugout_walk_closed(walk, seat, left - 1, i + 1, weight);
        walk->taken ^= card, walk->hand[seat] ^= card, walk->drawn--;
    }
}

static void dugout_walk_next_open(dugout_walk *walk, int seat, uint64_t weight)
{
    if (seat < walk->plan->seats) {
        int cards = walk->plan->open[seat];
        dugout_walk_open(walk, seat, cards, 0, 0, weight * dugout_orders[cards]);
        return;
    }
    walk->is_short = walk->bonuses > walk->plan->slack;
    dugout_walk_next_closed(walk, 0, weight);
}

static void dugout_walk_open(dugout_walk *walk, int seat, int left, int from, uint64_t stage, uint64_t weight)
{
    const dugout_plan *plan = walk->plan;
    if (left == 0) {
        int due = dugout_count(stage & plan->bonus);
        walk->bonuses += due;
        if (due && plan->bonus_up) {
            dugout_walk_open(walk, seat, due, 0, 0, weight * dugout_orders[due]);
        } else {
            walk->closed[seat] += due;
            dugout_walk_next_open(walk, seat + 1, weight);
            walk->closed[seat] -= due;
        }
        walk->bonuses -= due;
        return;
    }
    for (int i = from; i + left <= plan->unseen_count; i++) {
        uint64_t card = plan->unseen[i];
        if (walk->taken & card) {
            continue;
        }
        walk->taken ^= card, walk->hand[seat] ^= card, walk->drawn++;
        dugout_walk_open(walk, seat, left - 1, i + 1, stage | card, weight);
        walk->taken ^= card, walk->hand[seat] ^= card, walk->drawn--;
    }
}

static void dugout_enumerate(dugout_walk *walk, const dugout_plan *plan)
{
    memset(walk, 0, sizeof *walk);
    walk->plan = plan;
    for (int s = 0; s < plan->seats; s++) {
        walk->hand[s] = plan->held[s];
        walk->closed[s] = plan->closed[s];
    }
    dugout_walk_next_open(walk, 0, 1);
}

#endif
