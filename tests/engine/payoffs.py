"""Who gets what at the showdown, worked out anew: the best hands of each pot, its halves, and the odd units."""

from collections.abc import Iterable
from itertools import combinations

import engine
from engine import State
from engine.cards import cards_in, mask_of, rank_of, suit_of
from engine.evaluator import evaluate_low
from engine.events import PotAwarded
from engine.knobs import LowQualifier, OddUnit, Split
from engine.state import Player
from tests.engine.ledger import Pots
from tests.engine.referee import showing, wild_for

Part = tuple[str, dict[int, int]]
"""Which half of a pot, and the shares by seat; the pots follow one another."""


def payoffs(state: State, pots: Pots) -> list[Part]:
    """Return what must be paid, given a state that waits for the showdown."""
    parts: list[Part] = []
    highs = {player.seat: high_of(state, player) for player in state.live}
    lows = {player.seat: low_of(state, player) for player in state.live}
    for amount, seats in pots:
        members = [player for player in state.live if player.seat in seats]
        best = max(highs[player.seat] for player in members)
        high = [player for player in members if highs[player.seat] == best]
        best_low = min((low for player in members if (low := lows[player.seat]) is not None), default=None)
        low = [player for player in members if lows[player.seat] == best_low is not None]
        if not low or len(members) == 1:
            parts.append(("whole", shared(state, amount, high, low=False)))
            continue
        parts.append(("high", shared(state, (amount + 1) // 2, high, low=False)))
        if amount > 1:
            parts.append(("low", shared(state, amount // 2, low, low=True)))
    return parts


def paid(awarded: Iterable[PotAwarded]) -> list[Part]:
    """Return what was paid, in the same form."""
    return [(str(event.half), dict(event.shares)) for event in awarded]


def high_of(state: State, player: Player, cards: int | None = None) -> int:
    """The value of the best five of all cards, or of some; rolled hands count as they show."""
    if state.rules.rolls:
        return showing(state, player)
    if cards is None:
        cards = player.cards | mask_of(state.community)
    return engine.evaluate(cards, wild_for(state, player), ranking=state.rules.ranking)


def low_of(state: State, player: Player, cards: int | None = None) -> int | None:
    """The value of the best low, None without one."""
    rules = state.rules
    if rules.split != Split.HIGH_LOW:
        return None
    if cards is None:
        cards = player.cards | mask_of(state.community)
    qualifier = 8 if rules.low_qualifier == LowQualifier.EIGHT else None
    scale, mode = str(rules.low_scale), str(rules.wild_in_low)
    return evaluate_low(cards, wild_for(state, player), scale=scale, mode=mode, qualifier=qualifier)


def shared(state: State, amount: int, winners: list[Player], *, low: bool) -> dict[int, int]:
    """Give equal shares, then the units that are left one by one."""
    shares = {player.seat: amount // len(winners) for player in winners}
    for player in odd_order(state, winners, low=low)[: amount % len(winners)]:
        shares[player.seat] += 1
    return {seat: share for seat, share in shares.items() if share}


def odd_order(state: State, winners: list[Player], *, low: bool) -> list[Player]:
    """The winners in the order in which odd units go to them."""

    def height(card: int) -> tuple[int, int]:
        rank = rank_of(card)
        return (-1 if low and rank == 12 else rank, suit_of(card))

    if state.rules.odd_unit == OddUnit.HIGH_CARD_ALL_CARDS:
        best = min if low else max
        return sorted(winners, key=lambda p: best(map(height, cards_in(p.cards))), reverse=not low)
    if state.rules.odd_unit == OddUnit.HIGH_CARD_BEST_FIVE:
        fives = {
            player.seat: [sorted(map(height, five), reverse=not low) for five in reaching(state, player, low=low)]
            for player in winners
        }
        best_five = min if low else max
        return sorted(winners, key=lambda p: best_five(fives[p.seat]), reverse=not low)
    return winners


def reaching(state: State, player: Player, *, low: bool) -> list[tuple[int, ...]]:
    """Every five of a player's cards that is worth as much as all of them."""
    held = (*player.up, *player.down, *state.community)
    wild = wild_for(state, player) if state.rules.wild_in_showing or not state.rules.rolls else 0
    fives = [*combinations(held, min(5, len(held)))]
    if low:
        best = low_of(state, player)
        return [five for five in fives if low_of(state, player, mask_of(five)) == best]

    def value(cards: Iterable[int]) -> int:
        evaluate = engine.evaluate_showing if state.rules.rolls else engine.evaluate
        return evaluate(mask_of(cards), wild, ranking=state.rules.ranking)

    return [five for five in fives if value(five) == value(held)]
