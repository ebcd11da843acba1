# cython: annotation_typing=False, binding=False
"""What a player's cards are worth at the showdown (rules, sections 1, 3 and 5.6)."""

import msgspec

from engine.cards import mask_of
from engine.draft import Draft, DraftPlayer
from engine.evaluator import evaluate, evaluate_low
from engine.hand_value import best_five
from engine.low_hand import best_low
from engine.showing import showing_value
from engine.wilds import wild_mask


class Worth(msgspec.Struct, frozen=True):
    """A hand's values and the cards that make them.

    ``high`` is higher for better; ``best`` are its five cards and ``wild_as`` what each wild among them stands for.
    ``low`` is lower for better, None where there is no low; ``low_five`` are its cards.
    """

    high: int
    best: tuple[int, ...] = ()
    wild_as: tuple[tuple[int, int], ...] = ()
    low: int | None = None
    low_five: tuple[int, ...] = ()


def worth_of(draft: Draft, player: DraftPlayer) -> Worth:
    """Return what a player's cards are worth; of rolled hands only what was turned up counts."""
    return _rolled_worth(draft, player) if draft.rules.rolls else _full_worth(draft, player)


def _full_worth(draft: Draft, player: DraftPlayer) -> Worth:
    rules, wild = draft.rules, wild_mask(draft, player)
    cards = player.cards | mask_of(draft.community)
    high = evaluate(cards, wild, ranking=rules.ranking)
    best = best_five(cards, wild, ranking=rules.ranking)
    if rules.low is None:
        return Worth(high, best.cards, best.wild_as)
    low = best_low(cards, wild, **rules.low)
    low_five = () if low is None else low.cards
    return Worth(high, best.cards, best.wild_as, evaluate_low(cards, wild, **rules.low), low_five)


def _rolled_worth(draft: Draft, player: DraftPlayer) -> Worth:
    value = showing_value(draft, player)
    if not player.up:
        return Worth(value)
    wild = wild_mask(draft, player) if draft.rules.wild_in_showing else 0
    best = best_five(mask_of(player.up), wild, ranking=draft.rules.ranking)
    return Worth(value, best.cards, best.wild_as)
