# cython: annotation_typing=False, binding=False
"""Layering what the players put in into a main pot and side pots (rules, sections 5.3 and 8)."""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec


class Pot(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One pot: ``amount`` in minor units and the seats that can win it, in dealing order."""

    amount: int
    seats: tuple[int, ...]


class Contribution(NamedTuple):
    """The antes and bets of one seat, in minor units, and whether it can still win."""

    seat: int
    amount: int
    live: bool


def layered(
    contributions: Sequence[Contribution | tuple[int, int, bool]], dead_money: Sequence[tuple[int, int]] = ()
) -> tuple[Pot, ...]:
    """Return the pots, the main pot first; at least one player must be live.

    Every amount at which a live player's contribution ends closes a pot. Chips of folded players stay where they were
    put; a layer that no live player reached falls into the pot below. ``dead_money`` are (level, amount): each amount
    is added to the pot that holds that contribution level.
    """
    levels = sorted({amount for _, amount, live in contributions if live})
    if len(levels) == 1:
        everything = sum([paid for _, paid, _ in contributions]) + sum([amount for _, amount in dead_money])
        return (Pot(everything, tuple([seat for seat, _, live in contributions if live])),)
    amounts: list[int] = []
    below = 0
    for level in levels:
        amounts.append(sum([min(amount, level) - below for _, amount, _ in contributions if amount > below]))
        below = level
    amounts[-1] += sum([amount - below for _, amount, _ in contributions if amount > below])
    for level, amount in dead_money:
        amounts[_layer_holding(levels, level)] += amount
    return tuple(
        [
            Pot(amount, tuple([seat for seat, paid, live in contributions if live and paid >= level]))
            for level, amount in zip(levels, amounts, strict=True)
        ]
    )


def _layer_holding(levels: Sequence[int], level: int) -> int:
    """Return the index of the layer that holds a contribution level; what is above all of them falls into the last."""
    for at, top in enumerate(levels):
        if top >= level:
            return at
    return len(levels) - 1
