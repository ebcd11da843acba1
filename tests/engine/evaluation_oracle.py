"""What a hand is worth, found by trying everything. It shares no code and no numbering with the engine.

Every five of the cards are taken, every wild card among them is replaced by every card it may be, and the best or
the lowest result counts. A result is a key, a tuple that compares like the hands. Cards are the numbers
``suit * 13 + rank``; here a rank is 2 to 14.

Trying all 52 cards for each of five wild cards would take hours. ``reduced`` uses that two things matter about the
cards a wild one becomes: their ranks, and whether they follow the one suit of the others. The literal
substitution is feasible up to three wild cards; the tests compare the two.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import combinations, combinations_with_replacement
from typing import NamedTuple

HighKey = tuple[int, tuple[int, ...]]
LowKey = tuple[int, tuple[int, ...]]
Card = tuple[int, str]

ORDER = (
    "nothing",
    "pair",
    "pairs",
    "triplet",
    "run",
    "suited",
    "boat",
    "poker",
    "run-suited",
    "quintuple",
    "crown",
)
"""Names of the results, the worst first; the crown is a royal flush where it beats five of a kind."""


class Knobs(NamedTuple):
    """The house rules in force."""

    aces_double: bool = False
    crown: bool = False
    natural_first: bool = False


def card_of(number: int) -> Card:
    return number % 13 + 2, "cdhs"[number // 13]


@cache
def shape(ranks: tuple[int, ...]) -> tuple[str, tuple[int, ...]]:
    """Name what equal ranks make, and give the ranks in the order in which they compare."""
    by_size = sorted(ranks, key=lambda rank: (ranks.count(rank), rank), reverse=True)
    sizes = tuple(sorted((ranks.count(rank) for rank in set(ranks)), reverse=True))
    names = {(5,): "quintuple", (4,): "poker", (3, 2): "boat", (3,): "triplet", (2, 2): "pairs", (2,): "pair"}
    return names.get(tuple(size for size in sizes if size > 1), "nothing"), tuple(by_size)


@cache
def high_run(ranks: tuple[int, ...]) -> int:
    """Return the top of a straight, 0 if the ranks are none."""
    if set(ranks) == {14, 2, 3, 4, 5}:
        return 5
    return max(ranks) if len(set(ranks)) == 5 and max(ranks) - min(ranks) == 4 else 0


@cache
def high_key(ranks: tuple[int, ...], suited: bool, crown: bool) -> HighKey:
    """Return the key of these cards; fewer than five make neither a straight nor a flush."""
    name, order = shape(ranks)
    run = high_run(ranks) if len(ranks) == 5 else 0
    suited = suited and len(ranks) == 5
    if run:
        name, order = ("run-suited" if suited else "run"), (run,)
        if suited and crown and run == 14:
            name = "crown"
    elif suited and name != "quintuple":
        name, order = "suited", tuple(sorted(ranks, reverse=True))
    return ORDER.index(name), order


@cache
def low_key(ranks: tuple[int, ...], suited: bool, straights_count: bool) -> LowKey:
    """Return the key of five cards as a low; smaller is better."""
    ranks = tuple(1 if rank == 14 else rank for rank in ranks)
    name, order = shape(ranks)
    run = len(set(ranks)) == 5 and max(ranks) - min(ranks) == 4
    if straights_count and (run or suited) and name == "nothing":
        name = "run-suited" if run and suited else "run" if run else "suited"
    return ORDER.index(name), order


def suit_shared(cards: Iterable[Card]) -> bool:
    return len({suit for _, suit in cards}) <= 1


def allowed(cards: tuple[Card, ...], knobs: Knobs) -> bool:
    """Whether wild cards may have become these: no card twice, but for five of a kind and doubled aces."""
    if len(set(cards)) == len(cards):
        return True
    ranks = [rank for rank, _ in cards]
    if ranks.count(ranks[0]) == 5:
        return True
    doubled = {rank for rank, _ in cards if ranks.count(rank) > 1}
    return knobs.aces_double and len(cards) == 5 and doubled == {14} and suit_shared(cards)


DECK = tuple(card_of(number) for number in range(52))


def literal(natural: tuple[Card, ...], wilds: int, knobs: Knobs) -> Iterator[tuple[tuple[int, ...], bool]]:
    """Yield (ranks, whether of one suit) for everything the wild cards can be, card by card."""
    for became in combinations_with_replacement(DECK, wilds):
        cards = natural + became
        if allowed(cards, knobs):
            yield tuple(sorted(rank for rank, _ in cards)), suit_shared(cards)


def reduced(natural: tuple[Card, ...], wilds: int, knobs: Knobs) -> Iterator[tuple[tuple[int, ...], bool]]:
    """Yield the same, rank by rank: the suits either differ, or follow the natural cards."""
    if not wilds:
        yield tuple(sorted(rank for rank, _ in natural)), suit_shared(natural)
        return
    for became in combinations_with_replacement(range(2, 15), wilds):
        ranks = tuple(sorted([*(rank for rank, _ in natural), *became]))
        most = max(map(ranks.count, ranks))
        if most <= 4 or len(set(ranks)) == 1:
            yield ranks, False
        doubled = {rank for rank in ranks if ranks.count(rank) > 1}
        if suit_shared(natural) and (not doubled or (knobs.aces_double and doubled == {14} and most < 5)):
            yield ranks, True


Substitution = Callable[[tuple[Card, ...], int, Knobs], Iterator[tuple[tuple[int, ...], bool]]]


def alike(natural: tuple[Card, ...]) -> tuple[Card, ...]:
    """Return cards of the same ranks that are of one suit if these are: fewer different ones to try."""
    suits = "ccccc" if suit_shared(natural) else "cdhsc"
    return tuple((rank, suit) for (rank, _), suit in zip(natural, suits, strict=False))


def fives(cards: int, wild: int, substitution: Substitution) -> Iterator[tuple[tuple[Card, ...], int]]:
    """Yield (natural cards, number of wild ones) for every five of the cards, or for all if there are fewer."""
    held = [number for number in range(52) if cards >> number & 1]
    for five in combinations(held, min(5, len(held))):
        natural = tuple(sorted(card_of(number) for number in five if not wild >> number & 1))
        yield alike(natural) if substitution is reduced else natural, len(five) - len(natural)


@cache
def five_high(natural: tuple[Card, ...], wilds: int, knobs: Knobs, substitution: Substitution) -> HighKey:
    return max(high_key(ranks, suited, knobs.crown) for ranks, suited in substitution(natural, wilds, knobs))


def best_high(
    cards: int, wild: int, knobs: Knobs, substitution: Substitution = reduced
) -> tuple[int, tuple[int, ...], bool]:
    """Return the key of the best hand: bigger is better."""

    def best(wild: int) -> HighKey:
        return max(
            five_high(natural, wilds, knobs._replace(natural_first=False), substitution)
            for natural, wilds in fives(cards, wild, substitution)
        )

    key = best(wild)
    return (*key, knobs.natural_first and best(0) == key)


@cache
def five_low(natural: tuple[Card, ...], wilds: int, straights_count: bool, substitution: Substitution) -> LowKey:
    return min(low_key(ranks, suited, straights_count) for ranks, suited in substitution(natural, wilds, Knobs()))


def best_low(
    cards: int, wild: int, *, straights_count: bool, top: int | None, substitution: Substitution = reduced
) -> LowKey | None:
    """Return the key of the lowest hand: smaller is better; None without five cards or a qualifying hand."""
    if cards.bit_count() < 5:
        return None
    best = min(
        five_low(natural, wilds, straights_count, substitution) for natural, wilds in fives(cards, wild, substitution)
    )
    name, order = best
    return best if top is None or (name == 0 and order[0] <= top) else None
