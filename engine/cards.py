"""Cards, sets of cards and their text.

A card is a number ``suit * 13 + rank`` from 0 to 51: rank 0 is the deuce and 12 the ace, suits 0..3 are clubs,
diamonds, hearts, spades. A set of cards is a 52-bit mask, bit *n* standing for card *n*.
In text a card is its rank and its suit letter (``Ks``, ``Td``); a card that may not be seen is ``??``.
"""

from collections.abc import Iterable, Iterator

from engine.evaluator import join_cards, read_cards

RANKS = "23456789TJQKA"
SUITS = "cdhs"
SUIT_SYMBOLS = "♣♦♥♠"
DECK_SIZE = 52
FULL_DECK = tuple(range(DECK_SIZE))
HIDDEN = -1
"""What a viewer gets in place of a card that is hidden from them."""

_CARD_TEXTS = tuple(rank + suit for suit in SUITS for rank in RANKS)
_CARD_NUMBERS = {text: card for card, text in enumerate(_CARD_TEXTS)}


class CardError(ValueError):
    """Text or a number that is not a card; the message names it and says what is allowed."""


def rank_of(card: int) -> int:
    """Return the rank of a card, 0 (deuce) to 12 (ace)."""
    return card % 13


def suit_of(card: int) -> int:
    """Return the suit of a card: 0 clubs, 1 diamonds, 2 hearts, 3 spades."""
    return card // 13


def card_text(card: int) -> str:
    """Return ``Ks`` for a card and ``??`` for a hidden one."""
    return "??" if card == HIDDEN else _CARD_TEXTS[card]


def card_symbol(card: int) -> str:
    """Return ``K♠`` for a card and ``??`` for a hidden one, for people to read."""
    return "??" if card == HIDDEN else RANKS[card % 13] + SUIT_SYMBOLS[card // 13]


def cards_text(cards: Iterable[int]) -> str:
    """Return the cards in the order given, separated by spaces."""
    return " ".join(map(card_text, cards))


def parse_card(text: str) -> int:
    """Read one card such as ``Ks``.

    Raises:
        CardError: if the text is not one of the 52 cards.
    """
    try:
        return _CARD_NUMBERS[text]
    except (KeyError, TypeError):
        raise CardError(f"{text!r} is not a card: write a rank of {RANKS} and a suit of {SUITS}, as in Ks") from None


def parse_cards(text: str) -> tuple[int, ...]:
    """Read different cards, separated by spaces or commas or run together (``Ks Kh``, ``KsKh``).

    Raises:
        CardError: if a part is not a card, or a card stands there twice.
    """
    read = read_cards(text)
    if read is not None:
        return read
    compact = "".join(text.replace(",", " ").split())
    cards = tuple(parse_card(compact[at : at + 2]) for at in range(0, len(compact), 2))
    seen: set[int] = set()
    for card in cards:
        if card in seen:
            raise CardError(f"{card_text(card)} stands there twice")
        seen.add(card)
    return cards


def parse_rank(text: str) -> int:
    """Read one rank character.

    Raises:
        CardError: if the text is not one of ``23456789TJQKA``.
    """
    if not isinstance(text, str) or len(text) != 1 or text not in RANKS:
        raise CardError(f"{text!r} is not a rank: write one of {RANKS}")
    return RANKS.index(text)


def mask_of(cards: Iterable[int]) -> int:
    """Return the 52-bit mask of some cards."""
    joined = join_cards(cards)
    if joined is not None:
        return joined
    mask = 0
    for card in cards:
        mask |= 1 << card
    return mask


def cards_in(mask: int) -> Iterator[int]:
    """Yield the cards of a mask, lowest number first."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def rank_mask(rank: int) -> int:
    """Return the mask of the four cards of a rank."""
    return 0x8004002001 << rank
