# cython: annotation_typing=False, binding=False
"""Paying the pots (rules, section 5.5): equal shares, the halves of a high-low pot, and the odd units."""

from collections.abc import Sequence
from itertools import combinations

from engine.cards import cards_in, mask_of, rank_of, suit_of
from engine.draft import Draft, DraftPlayer
from engine.evaluator import evaluate, evaluate_low, evaluate_showing
from engine.events import PotAwarded, PotHalf
from engine.knobs import OddUnit
from engine.pots import Pot
from engine.state import Award
from engine.wilds import wild_mask
from engine.worth import Worth

_ACE = 12


def award(draft: Draft, at: int, pot: Pot, worths: dict[int, Worth]) -> None:
    """Pay one pot to the best of its members, half to the best low where the rules split it and one qualifies.

    A pot with a single member is not contested, and so neither compared nor halved.
    """
    if not pot.amount:
        return
    members = [player for player in draft.live() if player.seat in pot.seats]
    if len(members) == 1:
        _pay(draft, at, PotHalf.WHOLE, pot.amount, members)
        return
    best = max(worths[player.seat].high for player in members)
    highs = [player for player in members if worths[player.seat].high == best]
    lows = _best_lows(members, worths)
    if not lows:
        _pay(draft, at, PotHalf.WHOLE, pot.amount, highs)
        return
    low_half = pot.amount // 2
    _pay(draft, at, PotHalf.HIGH, pot.amount - low_half, highs)
    _pay(draft, at, PotHalf.LOW, low_half, lows)


def award_all(draft: Draft, at: int, pot: Pot, winner: DraftPlayer) -> None:
    """Pay one pot to a player without a comparison."""
    if pot.amount:
        _pay(draft, at, PotHalf.WHOLE, pot.amount, [winner])


def _best_lows(members: Sequence[DraftPlayer], worths: dict[int, Worth]) -> list[DraftPlayer]:
    lows = {player.seat: low for player in members if (low := worths[player.seat].low) is not None}
    if not lows:
        return []
    best = min(lows.values())
    return [player for player in members if lows.get(player.seat) == best]


def _pay(draft: Draft, at: int, half: PotHalf, amount: int, winners: list[DraftPlayer]) -> None:
    """Pay equal shares; the units that do not divide go one each to the first in the odd-unit order."""
    if not amount:
        return
    share, odd = divmod(amount, len(winners))
    favoured = {player.seat for player in _odd_unit_order(draft, winners, half)[:odd]} if odd else set()
    parts = [(player.seat, share + (player.seat in favoured)) for player in winners]
    shares = tuple((seat, part) for seat, part in parts if part)
    for seat, part in shares:
        draft.player(seat).stack += part
    draft.awards = (*draft.awards, *(Award(seat, part) for seat, part in shares))
    draft.emit(PotAwarded(at, half, amount, shares))


def _odd_unit_order(draft: Draft, winners: list[DraftPlayer], half: PotHalf) -> list[DraftPlayer]:
    """Return the winners in the order in which they get odd units; equal ones stay in dealing order."""
    rule = draft.rules.odd_unit
    if rule in (OddUnit.FIRST_LEFT_OF_DEALER, OddUnit.EXACT):
        return winners
    low = half == PotHalf.LOW
    keys = {player.seat: _printed(player.cards, low=low)[:1] for player in winners}
    if rule == OddUnit.HIGH_CARD_BEST_FIVE:
        for player in winners:
            fives = [_printed(five, low=low) for five in _fives_reaching_the_value(draft, player, low=low)]
            keys[player.seat] = min(fives) if low else max(fives)
    return sorted(winners, key=lambda player: keys[player.seat], reverse=not low)


def _fives_reaching_the_value(draft: Draft, player: DraftPlayer, *, low: bool) -> list[int]:
    rules, wild = draft.rules, wild_mask(draft, player)
    cards = player.cards | mask_of(draft.community)
    fives = [mask_of(five) for five in combinations(cards_in(cards), min(5, cards.bit_count()))]
    if low and rules.low is not None:
        best_low = evaluate_low(cards, wild, **rules.low)
        return [five for five in fives if evaluate_low(five, wild, **rules.low) == best_low]
    if rules.rolls and not rules.wild_in_showing:
        wild = 0  # rolled hands count as they show
    value_of = evaluate_showing if rules.rolls else evaluate
    best = value_of(cards, wild, ranking=rules.ranking)
    return [five for five in fives if value_of(five, wild, ranking=rules.ranking) == best]


def _printed(cards: int, *, low: bool) -> tuple[tuple[int, int], ...]:
    """Return the printed ranks and suits, highest first, or lowest first with the ace low."""
    if low:
        return tuple(sorted(map(_low_order, cards_in(cards))))
    return tuple(sorted(((rank_of(card), suit_of(card)) for card in cards_in(cards)), reverse=True))


def _low_order(card: int) -> tuple[int, int]:
    rank = rank_of(card)
    return (-1 if rank == _ACE else rank, suit_of(card))
