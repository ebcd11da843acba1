"""Speaking one language: sentences with values in them, numbers of things, lists, amounts, cards.

Messages are literals in the calls of ``say``, ``say_count``, ``named`` and ``marked``, where the extraction finds them.
Values go into a message under names, so that a translation may put them in another order.
"""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from engine.cards import card_symbol, parse_card
from service.words.catalogue import ENGLISH, LANGUAGES, translations

__all__ = ["ENGLISH", "LANGUAGES", "Language", "marked"]


def marked(context: str, message: str) -> str:
    """Return a message as it is; it is translated later, by ``named`` with the same context."""
    return message


class Language:
    """One of ``LANGUAGES``; amounts are in minor units and are said in chips of so many of them.

    Raises:
        ValueError: if the language is none of them.
    """

    def __init__(self, code: str = ENGLISH, *, minor_units: int = 1) -> None:
        self.code = code
        self._minor_units = minor_units
        self._translations = translations(code)

    def say(self, message: str, **values: Any) -> str:
        """Return a message with values in it."""
        return self._translations.gettext(message).format(**values)

    def say_count(self, one: str, many: str, number: int, **values: Any) -> str:
        """Return the message for a number of things; ``{count}`` in it is the number."""
        return self._translations.ngettext(one, many, number).format(**{"count": number, **values})

    def named(self, context: str, message: str) -> str:
        """Return the name of something in a context; other contexts may name it otherwise."""
        return self._translations.pgettext(context, message)

    def listed(self, items: Iterable[str]) -> str:
        """Return items as ``one, two and three``."""
        *most, last = items
        return self.say("{items} and {last}", items=", ".join(most), last=last) if most else last

    def chips(self, amount: int) -> str:
        """Return an amount of minor units, such as ``1 chip`` or ``2 1/2 chips``."""
        exact = Fraction(amount, self._minor_units)
        shown = self.amount(amount)
        # A part of a chip is plural everywhere that tells one from many.
        number = int(exact) if exact.denominator == 1 else 2
        return self.say_count("{count} chip", "{count} chips", number, count=shown)

    def amount(self, amount: int) -> str:
        """Return an amount of minor units as a number of chips, such as ``2 1/2``."""
        return chips_text(amount, self._minor_units)

    def rank(self, rank: str) -> str:
        """Return a rank as ``three``."""
        return self.named("rank", _RANKS[rank])

    def ranks(self, rank: str) -> str:
        """Return the cards of a rank as ``threes``."""
        return self.named("cards of a rank", _PLURAL_RANKS[rank])

    def a_rank(self, rank: str) -> str:
        """Return any card of a rank as ``a three``."""
        return self.named("one card of a rank", _ONE_OF_RANKS[rank])

    def cards(self, ranks: Sequence[str], cards: Sequence[str]) -> str:
        """Return all cards of some ranks, and single cards, as ``threes, nines and J♥``."""
        return self.listed([*map(self.ranks, ranks), *(card_symbol(parse_card(card)) for card in cards)])


def chips_text(amount: int, minor_units: int) -> str:
    """Return an amount in chips; what is less than a chip as a fraction, as in ``2 1/2``."""
    whole, rest = divmod(abs(amount), minor_units)
    sign = "-" if amount < 0 else ""
    part = str(Fraction(rest, minor_units)) if rest else ""
    return sign + (f"{whole} {part}" if whole and part else part or str(whole))


_RANKS: Mapping[str, str] = {
    "2": marked("rank", "two"),
    "3": marked("rank", "three"),
    "4": marked("rank", "four"),
    "5": marked("rank", "five"),
    "6": marked("rank", "six"),
    "7": marked("rank", "seven"),
    "8": marked("rank", "eight"),
    "9": marked("rank", "nine"),
    "T": marked("rank", "ten"),
    "J": marked("rank", "jack"),
    "Q": marked("rank", "queen"),
    "K": marked("rank", "king"),
    "A": marked("rank", "ace"),
}
_PLURAL_RANKS: Mapping[str, str] = {
    "2": marked("cards of a rank", "twos"),
    "3": marked("cards of a rank", "threes"),
    "4": marked("cards of a rank", "fours"),
    "5": marked("cards of a rank", "fives"),
    "6": marked("cards of a rank", "sixes"),
    "7": marked("cards of a rank", "sevens"),
    "8": marked("cards of a rank", "eights"),
    "9": marked("cards of a rank", "nines"),
    "T": marked("cards of a rank", "tens"),
    "J": marked("cards of a rank", "jacks"),
    "Q": marked("cards of a rank", "queens"),
    "K": marked("cards of a rank", "kings"),
    "A": marked("cards of a rank", "aces"),
}
_ONE_OF_RANKS: Mapping[str, str] = {
    "2": marked("one card of a rank", "a two"),
    "3": marked("one card of a rank", "a three"),
    "4": marked("one card of a rank", "a four"),
    "5": marked("one card of a rank", "a five"),
    "6": marked("one card of a rank", "a six"),
    "7": marked("one card of a rank", "a seven"),
    "8": marked("one card of a rank", "an eight"),
    "9": marked("one card of a rank", "a nine"),
    "T": marked("one card of a rank", "a ten"),
    "J": marked("one card of a rank", "a jack"),
    "Q": marked("one card of a rank", "a queen"),
    "K": marked("one card of a rank", "a king"),
    "A": marked("one card of a rank", "an ace"),
}
