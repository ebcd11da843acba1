"""The odds by dealing every order of a small deck, card by card as at the table, with nothing of the engine's."""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from engine.cards import mask_of
from tests.engine.evaluation_oracle import Knobs, best_high, best_low


class Seat(NamedTuple):
    """A hand at the oracle's table: its cards, and the faces of the cards of each street that it still gets."""

    up: tuple[int, ...]
    down: tuple[int, ...]
    streets: tuple[str, ...]


class Game(NamedTuple):
    """What the oracle needs to know of the rules."""

    wild: frozenset[int] = frozenset()
    bonus: frozenset[int] = frozenset()
    bonus_up: bool = False
    door_counts: bool = True
    knobs: Knobs = Knobs()
    low: tuple[bool, int | None, str] | None = None
    """Whether straights count, the highest rank that qualifies, how wild cards count."""


Table = tuple[Seat, ...]


def finished(game: Game, table: Table, deck: frozenset[int], street: int = 0) -> Iterator[tuple[Table, int]]:
    """Yield every way in which the remaining streets come, each one of so many equally likely ones."""
    last = max(len(seat.streets) for seat in table)
    if street == last:
        yield table, 1
        return
    coming = [
        (place, face)
        for turn in range(max(len(seat.streets[street]) for seat in table))
        for place, seat in enumerate(table)
        for face in seat.streets[street][turn : turn + 1]
    ]
    if street == last - 1 and len(deck) < len(coming):
        for card in deck:
            shared = tuple(seat._replace(down=(*seat.down, card)) for seat in table)
            yield shared, len(deck)
        if not deck:
            yield table, 1
        return
    for after, left, ways in dealt(game, table, deck, coming):
        for end, further in finished(game, after, left, street + 1):
            yield end, ways * further


def dealt(
    game: Game, table: Table, deck: frozenset[int], coming: list[tuple[int, str]]
) -> Iterator[tuple[Table, frozenset[int], int]]:
    if not coming:
        yield table, deck, 1
        return
    (place, face), *rest = coming
    for card in sorted(deck):
        seat = table[place]
        follows = rest
        if face == "u" and card in game.bonus and (seat.up or game.door_counts):
            follows = [(place, "u" if game.bonus_up else "d"), *rest]
        seat = seat._replace(up=(*seat.up, card)) if face == "u" else seat._replace(down=(*seat.down, card))
        after = (*table[:place], seat, *table[place + 1 :])
        for end, left, ways in dealt(game, after, deck - {card}, follows):
            yield end, left, ways * len(deck)


@cache
def highest(cards: frozenset[int], game: Game):
    return best_high(mask_of(cards), mask_of(game.wild), game.knobs)


@cache
def lowest(cards: frozenset[int], game: Game):
    straights_count, top, reading = game.low
    wild = mask_of(game.wild) if reading == "wild" else 0
    usable = cards - game.wild if reading == "excluded" else cards
    return best_low(mask_of(usable), wild, straights_count=straights_count, top=top)


def parts(game: Game, cards: tuple[frozenset[int], ...]) -> list[Fraction]:
    """Return what part of the pot each hand gets."""
    highs = [highest(hand, game) for hand in cards]
    lows = [lowest(hand, game) if game.low else None for hand in cards]
    best, low = max(highs), min((low for low in lows if low is not None), default=None)
    half = Fraction(1) if low is None else Fraction(1, 2)
    return [
        half * (high == best) / highs.count(best) + (0 if low is None or mine != low else half / lows.count(low))
        for high, mine in zip(highs, lows, strict=True)
    ]


def chances(game: Game, table: Table, deck: frozenset[int]) -> list[tuple[Fraction, Fraction, Fraction]]:
    """Return each hand's chances to win alone and to share, and its expected part."""
    ends: dict[tuple[frozenset[int], ...], Fraction] = {}
    for end, ways in finished(game, table, deck):
        hands = tuple(frozenset(seat.up + seat.down) for seat in end)
        ends[hands] = ends.get(hands, Fraction(0)) + Fraction(1, ways)
    sums = [[Fraction(0)] * 3 for _ in table]
    for hands, chance in ends.items():
        for total, part in zip(sums, parts(game, hands), strict=True):
            total[0] += chance * (part == 1)
            total[1] += chance * (0 < part < 1)
            total[2] += chance * part
    return [tuple(total) for total in sums]
