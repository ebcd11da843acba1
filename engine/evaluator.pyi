from typing import TypeVar, overload

from typing_extensions import Buffer

from engine.ranking import Ranking

_Values = TypeVar("_Values", bound=Buffer)

__pyx_capi__: dict[str, object]
"""What other compiled modules use of this one."""

def evaluate(cards: int, wild: int = 0, *, ranking: Ranking = ...) -> int:
    """Return the value of the best five cards of a hand: higher is better, equal is a tie."""

def evaluate_showing(cards: int, wild: int = 0, *, ranking: Ranking = ...) -> int:
    """Return the value of the visible cards of a hand; no wild mask: by printed rank."""

def evaluate_low(
    cards: int,
    wild: int = 0,
    *,
    scale: str = "A5",
    mode: str = "wild",
    qualifier: int | None = 8,
) -> int | None:
    """Return the value of the best low hand: lower is better, None when there is none."""

@overload
def evaluate_many(cards: Buffer, wild: int | Buffer, *, ranking: Ranking = ..., out: None = None) -> memoryview[int]:
    """Return the values of many hands in a new buffer of 64-bit integers; the GIL is released."""

@overload
def evaluate_many(cards: Buffer, wild: int | Buffer, *, ranking: Ranking = ..., out: _Values) -> _Values:
    """Write the values of many hands to ``out``, a buffer of 64-bit integers, and return it."""

def read_cards(text: object) -> tuple[int, ...] | None:
    """Return the numbers of different cards from ASCII text in one pass, None if anything else stands there."""

def join_cards(cards: object) -> int | None:
    """Return the mask of a tuple or list of cards from 0 to 51, None if it is anything else."""

def census(
    held: int, below: int, more: int, wild: int = 0, *, compare: bool = False
) -> tuple[tuple[int, ...], frozenset[int], int]:
    """Value every hand that holds some cards: hands of each category, their values, how many differ."""

def count_lows(
    held: int,
    below: int,
    more: int,
    wild: int = 0,
    *,
    excluded: int = 0,
    a6: bool = False,
    top: int = 0,
    most: int = 0x3FFFFFFF,
) -> int:
    """Return how many of the hands of ``census`` have a low that is ``most`` or lower."""
