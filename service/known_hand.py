"""What people and programs write down of a hand that is not complete: up cards, down cards, ``??`` for one unknown."""

import re

from engine import KnownHand
from engine.cards import CardError, card_text, parse_cards

_HIDDEN = card_text(-1)
_GROUP = re.compile(r"\(([^()]*)\)")


def known_hand(up: str, down: str) -> KnownHand:
    """Read the up cards, in the order dealt, and the down cards of a hand.

    Raises:
        CardError: if a part is not a card, a card stands there twice, or an up card is said to be unknown.
    """
    return KnownHand(parse_up(up), *parse_down(down))


def parse_up(text: str) -> tuple[int, ...]:
    """Read the up cards of a hand, in the order dealt.

    Raises:
        CardError: as ``known_hand``.
    """
    if _HIDDEN in text:
        raise CardError(f"{_HIDDEN} cannot be an up card: everybody sees those")
    return parse_cards(text)


def parse_down(text: str) -> tuple[tuple[int, ...], int]:
    """Read the down cards of a hand: those that are known, and how many are not.

    Raises:
        CardError: as ``known_hand``.
    """
    return parse_cards(text.replace(_HIDDEN, " ")), text.count(_HIDDEN)


def parse_hand(text: str) -> KnownHand:
    """Read a hand with its down cards in parentheses: ``(Ks ??) Kd 9c``.

    Raises:
        CardError: as ``known_hand``, or if a parenthesis is missing.
    """
    up = _GROUP.sub(" ", text)
    if "(" in up or ")" in up:
        raise CardError(f"{text!r} has a parenthesis too many: write down cards as in (Ks ??) Kd 9c")
    return known_hand(up, " ".join(_GROUP.findall(text)))
