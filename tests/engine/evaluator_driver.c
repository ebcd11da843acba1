/* Values the hands of standard input on one path, for tests of what this processor cannot run by itself.
 *
 * IN      Hands and wild masks by turns, 64 bits each. PATH is a macro: the function of evaluator_paths.h.
 * OUT     Where the batch stopped; then for each hand its value in the batch, its value by itself, and its lows:
 *         ace to five and ace to six, each without a qualifier and eight or better. 64 bits each.
 */
#include <stdio.h>
#include <stdlib.h>

#include "evaluator_paths.h"

enum { MOST = 1 << 16 };

static uint64_t pairs[2 * MOST], cards[MOST], wild[MOST], values[MOST];

int main(int argc, char **argv)
{
    unsigned flags = argc > 1 ? (unsigned)atoi(argv[1]) : 0;
    size_t hands = fread(pairs, 16, MOST, stdin);
    uint64_t done;
    for (size_t at = 0; at < hands; at++) {
        cards[at] = pairs[2 * at];
        wild[at] = pairs[2 * at + 1];
    }
    done = PATH((const char *)cards, (const char *)wild, 0, hands, flags, (char *)values);
    fwrite(&done, sizeof done, 1, stdout);
    for (size_t at = 0; at < done; at++) {
        uint64_t found[6] = {values[at], dugout_value_as(cards[at], wild[at], flags)};
        for (int low = 0; low < 4; low++) {
            found[2 + low] = dugout_low(cards[at], wild[at], low / 2, low % 2 * 8);
        }
        fwrite(found, sizeof found, 1, stdout);
    }
    return 0;
}
