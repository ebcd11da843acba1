"""What must never leave the service, and how it would be found in what did.

For every version of a table the secrets of each viewer are worked out from the stored state, without the engine's
view: down cards of others that were not shown, cards nobody has seen, burns, the deck. A card stands once in a deck, so
the text of a secret card in a message for that viewer is a leak, wherever it stands.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

import msgspec
from google.protobuf.message import Message

from engine.state import State
from proto.stud.v1 import stud_pb2

_CARD = re.compile(r"(?<![0-9A-Za-z])(?:[2-9TJQKA][cdhs])(?![0-9A-Za-z])")
_RANKS, _SUITS = "23456789TJQKA", "cdhs"
_NO_CARDS = {"etag", "seat_token", "next_page_token", "table_id", "rules", "hand_rules", "stands_for"}
"""Opaque fields; the rules of a game, which name cards that are nobody's; what a wild stands for, which is no card."""
_NUMBERS, _BYTES = 5, 8
"""So many cards of the deck in a row do not stand anywhere by chance, as written numbers and as bytes.

Five bytes do, once in some thousand hands: a seat, an amount and the tags between them are numbers below 52 too.
"""


def text_of(card: int) -> str:
    """Return ``Ks`` for card 50."""
    return _RANKS[card % 13] + _SUITS[card // 13]


class Secrets(msgspec.Struct, frozen=True):
    """What one viewer must not learn at one version of a table."""

    cards: frozenset[str]
    deck: tuple[int, ...]
    claims: bool
    """Whether the viewer may be told of a claim, which only who holds the card may make."""


def secrets_of(hand: State | None, viewer: int | None) -> Secrets:
    """Return the secrets of a hand for the holder of a seat's cards, or for nobody (None)."""
    if hand is None:
        return Secrets(frozenset(), (), True)
    hidden = {*hand.deck, *hand.burns}
    for player in hand.players:
        hidden.update(player.unseen)
        if player.seat != viewer and not player.shown:
            hidden.update(player.down)
    return Secrets(frozenset(map(text_of, hidden)), hand.deck, hand.actor == viewer)


def leaks_in_message(message: Message, data: bytes, secrets: Secrets) -> Iterator[str]:
    """Yield what a viewer learns from a message, or from its bytes, and must not."""
    for path, text in texts_of(message):
        yield from (f"{path}: {card}" for card in _CARD.findall(text) if card in secrets.cards)
    for path, number in _claims(message):
        if not secrets.claims:
            yield f"{path}: a claim ({number})"
    yield from leaks_in_bytes(data, secrets)


def leaks_in_bytes(data: bytes, secrets: Secrets) -> Iterator[str]:
    """Yield where a piece of the deck stands in bytes, as numbers or as text."""
    yield from (f"the deck: {piece!r}" for piece in _pieces(secrets.deck) if piece in data)


@lru_cache(maxsize=1024)  # many messages tell of one version
def _pieces(deck: tuple[int, ...]) -> tuple[bytes, ...]:
    """Return what to look for: some cards of a deck in a row, as numbers and as text."""
    return (
        *map(bytes, _rows(deck, _BYTES)),
        *(", ".join(map(str, row)).encode() for row in _rows(deck, _NUMBERS)),
    )


def _rows(deck: tuple[int, ...], length: int) -> list[tuple[int, ...]]:
    return [deck[at : at + length] for at in range(len(deck) - length + 1)]


def leaks_in_text(text: str, secrets: Secrets) -> Iterator[str]:
    """Yield the secret cards that a refusal names."""
    yield from (f"{card} in {text!r}" for card in _CARD.findall(text) if card in secrets.cards)


def leaks_in_log(line: str, words: Iterable[str]) -> Iterator[str]:
    """Yield what stands in a line of a log, a metric or a trace and must not: any card, any secret word."""
    yield from (f"{card} in {line!r}" for card in _CARD.findall(line))
    if re.search(r"\b\d{1,2}, ?\d{1,2}, ?\d{1,2}, ?\d{1,2}, ?\d{1,2}\b", line):
        yield f"a row of numbers like a deck in {line!r}"
    yield from (f"a secret in {line!r}" for word in words if word in line)


def texts_of(message: Message, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield every text of a message that could name a card, with where it stands."""
    for field, value in message.ListFields():
        if field.name in _NO_CARDS:
            continue
        for item in value if field.is_repeated else (value,):
            if isinstance(item, Message):
                yield from texts_of(item, f"{path}.{field.name}")
            elif isinstance(item, str):
                yield f"{path}.{field.name}", item


def _claims(message: Message) -> Iterator[tuple[str, Any]]:
    table: Any = getattr(message, "table", None)
    if table is not None:
        yield from (
            ("table.legal_actions", choice.kind)
            for choice in table.legal_actions
            if choice.kind == stud_pb2.ACTION_KIND_CLAIM
        )
