"""The chances of hands that are not yet dealt to their end.

What is known of each hand goes in, and the rest is dealt as the rules say: every way there is where these are few,
at random where they are many. Everybody stays in, and everything that has a price is bought: a bonus card comes for
every open card of the bonus rank but those that ``KnownHand.declined`` counts, and cards of the pay rank are wild.
"""

from collections.abc import Callable, Sequence
from math import gcd, perm, prod, sqrt

import msgspec

from engine.odds_kernel import BLOCK, SHARES, THREADS_MOST, deal_all, deal_some
from engine.outlook import KnownHand, Outlook, check_number, outlook_of
from engine.rules import Rules

EXACT_MOST = 2_000_000
"""Up to so many ways to deal on, all of them are tried; a second or less of work."""
SAMPLES_DEFAULT = 1_000_000
SAMPLES_MOST = 10**12
SEED_MOST = 2**64 - 1

_BLOCKS_AT_ONCE = 64
"""How many blocks each thread deals before ``on_progress`` hears of it: some tenths of a second."""

OnProgress = Callable[[int, int], object]


class SeatOdds(msgspec.Struct, frozen=True):
    """The chances of one hand, counted: of ``deals`` deals it wins ``win`` alone and shares ``tie``.

    ``share`` is what it gets, in pots divided by ``SHARES`` (840, which every half of up to seven shares divides): out
    of ``deals * SHARES``. ``standard_error`` is that of ``equity``, 0 where the odds are exact.
    """

    win: int
    tie: int
    share: int
    deals: int
    standard_error: float = 0.0

    @property
    def win_chance(self) -> float:
        """The chance to win the whole pot."""
        return self.win / self.deals

    @property
    def tie_chance(self) -> float:
        """The chance to get a part of the pot."""
        return self.tie / self.deals

    @property
    def equity(self) -> float:
        """The part of the pot to be expected."""
        return self.share / (self.deals * SHARES)


class Odds(msgspec.Struct, frozen=True):
    """The chances of some hands, in the order asked.

    ``deals`` is what the counts are out of: the number of samples or, where ``exact``, of equally likely orders of the
    deck, in the smallest whole numbers. ``tried`` is how many ways to deal on were looked at.
    """

    seats: tuple[SeatOdds, ...]
    deals: int
    tried: int
    exact: bool


def odds(
    rules: Rules,
    hands: Sequence[KnownHand],
    dead: Sequence[int] = (),
    *,
    samples: int = SAMPLES_DEFAULT,
    seed: int = 0,
    threads: int = 1,
    on_progress: OnProgress | None = None,
) -> Odds:
    """Return each hand's chances to win the pot and to share it.

    The answer is exact where at most ``EXACT_MOST`` ways to deal on exist; otherwise ``samples`` deals are drawn at
    random, always the same for a ``seed``, whatever the number of ``threads``. The work is done without the GIL.

    Args:
        rules: the game.
        hands: what is known of the hands that are still in, 2 to 7 of them.
        dead: cards that are known to be out of play.
        samples: how many deals to draw, 2 to 10**12.
        seed: 0 to 2**64 - 1.
        threads: 1 to 64.
        on_progress: called with (deals drawn, samples) after every 262,144 deals of each thread; it may raise to stop.

    Raises:
        OddsError: if an argument is out of its range, a card is there twice, a hand has more cards than the game gives
            it, the deck cannot supply those to come, or the game leaves choices that nobody can foresee here: rolled
            cards, replaced cards, claimed hole cards, a wild rank named by the deal, rain. It is a ValueError.
        TypeError: if an argument is of another type.
    """
    check_number("samples", samples, 2, SAMPLES_MOST)
    check_number("seed", seed, 0, SEED_MOST)
    check_number("threads", threads, 1, THREADS_MOST)
    outlook = outlook_of(rules, hands, dead)
    # The counts of the kernel have 64 bits.
    countable = perm(outlook.unseen.bit_count(), outlook.draws_most) * SHARES < 2**63
    if countable and outlook.ways() <= EXACT_MOST:
        return _every_deal(outlook)
    return _random_deals(outlook, samples, seed, threads, on_progress)


def _every_deal(outlook: Outlook) -> Odds:
    """Try all ways. Those that take fewer cards stand for more orders of the deck."""
    tried, sums = deal_all(outlook)
    most, left = max(sums), outlook.unseen.bit_count()
    orders = {drawn: prod(range(left - most + 1, left - drawn + 1)) for drawn in sums}
    deals = sum(total * orders[drawn] for drawn, (total, _) in sums.items())
    counts = []
    for seat in range(len(outlook.held)):
        win, tie, share = (
            sum(seats[seat][what] * orders[drawn] for drawn, (_, seats) in sums.items()) for what in range(3)
        )
        counts.append((win, tie, share + win * SHARES))
    factor = gcd(deals, *(number for counted in counts for number in counted))
    deals //= factor
    seats = tuple(SeatOdds(win // factor, tie // factor, share // factor, deals) for win, tie, share in counts)
    return Odds(seats, deals, tried, exact=True)


def _random_deals(outlook: Outlook, samples: int, seed: int, threads: int, on_progress: OnProgress | None) -> Odds:
    sums = [[0, 0, 0, 0] for _ in outlook.held]
    blocks = -(-samples // BLOCK)
    at_once = _BLOCKS_AT_ONCE * threads
    for first in range(0, blocks, at_once):
        done = min(samples, (first + at_once) * BLOCK)
        counts = deal_some(outlook, seed=seed, first_block=first, deals=done, threads=threads)
        for total, more in zip(sums, counts, strict=True):
            total[:] = map(int.__add__, total, more)
        if on_progress is not None:
            on_progress(done, samples)
    return Odds(tuple(_estimate(samples, *total) for total in sums), samples, samples, exact=False)


def _estimate(samples: int, win: int, tie: int, share: int, square: int) -> SeatOdds:
    """Return what the counts of one seat say; its part of the pot varies from deal to deal."""
    share += win * SHARES
    square += win * SHARES**2
    deviation = (samples * square - share**2) / (samples * (samples - 1))
    return SeatOdds(win, tie, share, samples, sqrt(deviation / samples) / SHARES)
