"""What a player's cards are worth at the showdown (rules, sections 1, 3 and 5.6)."""

import msgspec

from engine.cards import mask_of
from engine.draft import AnyPlayer, Hand
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


def worth_of(hand: Hand, player: AnyPlayer) -> Worth:
    """Return what a player's cards are worth; of rolled hands only what was turned up counts."""
    return _rolled_worth(hand, player) if hand.rules.rolls else _full_worth(hand, player)


def _full_worth(hand: Hand, player: AnyPlayer) -> Worth:
    rules, wild = hand.rules, wild_mask(hand, player)
    cards = player.cards | mask_of(hand.community)
    high = evaluate(cards, wild, ranking=rules.ranking)
    best = best_five(cards, wild, ranking=rules.ranking)
    if rules.low is None:
        return Worth(high, best.cards, best.wild_as)
    low = best_low(cards, wild, **rules.low)
    low_five = () if low is None else low.cards
    return Worth(high, best.cards, best.wild_as, evaluate_low(cards, wild, **rules.low), low_five)


def _rolled_worth(hand: Hand, player: AnyPlayer) -> Worth:
    value = showing_value(hand, player)
    if not player.up:
        return Worth(value)
    wild = wild_mask(hand, player) if hand.rules.wild_in_showing else 0
    best = best_five(mask_of(player.up), wild, ranking=hand.rules.ranking)
    return Worth(value, best.cards, best.wild_as)
