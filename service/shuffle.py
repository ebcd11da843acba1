"""The shuffle: every deal is drawn afresh from the operating system's generator.

There is no seed and no state, so nothing can be repeated, predicted from earlier deals or shared by two
workers. The 226 bits a deck needs come from a source of full strength. Decks from a seed exist only where
no money is played for: the command ``simulate`` makes its own.
"""

from secrets import SystemRandom
from typing import Protocol

from engine.cards import DECK_SIZE


class Shuffle(Protocol):
    """Makes decks."""

    def deck(self) -> tuple[int, ...]:
        """Return the 52 cards in a new order."""


class SystemShuffle:
    """Decks from the operating system's generator."""

    def __init__(self) -> None:
        self._random = SystemRandom()

    def deck(self) -> tuple[int, ...]:
        """Return the 52 cards in a new order, each of the 52! equally likely."""
        cards = list(range(DECK_SIZE))
        self._random.shuffle(cards)
        return tuple(cards)
