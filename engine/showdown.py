"""How a hand ends (rules, section 5.5): the order of showing, the split of each pot, and the odd units."""

from itertools import combinations

from engine.betting import collect
from engine.cards import cards_in, mask_of, rank_of, suit_of
from engine.draft import Draft
from engine.evaluator import evaluate
from engine.events import HandEnded, HandShown, PotAwarded, PotHalf
from engine.hand_value import best_five
from engine.knobs import OddUnit
from engine.pots import Pot
from engine.state import Award, Phase, Player


def settle(draft: Draft, amount: int) -> None:
    """Show the hands in order, beginning with the seat that must, and pay every pot."""
    first = draft.player(draft.actor)
    draft.actor = 0
    values: dict[int, int] = {}
    for player in (first, *draft.clockwise_from(first.seat)[:-1]):
        if not player.folded:
            values[player.seat] = _show(draft, player)
    for at, pot in enumerate(draft.pots()):
        best = max(values[seat] for seat in pot.seats)
        winners = [player for player in draft.live if player.seat in pot.seats and values[player.seat] == best]
        _award(draft, at, pot, winners)
    _end(draft)


def walk_over(draft: Draft) -> None:
    """Give everything to the last player in, who shows nothing."""
    if any(player.bet for player in draft.players):
        collect(draft)
    draft.actor = 0
    winner = draft.live[0]
    for at, pot in enumerate(draft.pots()):
        _award(draft, at, pot, [winner])
    _end(draft)


def _show(draft: Draft, player: Player) -> int:
    rules = draft.rules
    cards = player.cards | mask_of(draft.community)
    value = evaluate(cards, rules.wild_mask, ranking=rules.ranking)
    five = best_five(cards, rules.wild_mask, ranking=rules.ranking)
    draft.update(player.seat, shown=True)
    draft.emit(HandShown(player.seat, (*player.down, *player.up), value, five.cards, five.wild_as))
    return value


def _award(draft: Draft, at: int, pot: Pot, winners: list[Player]) -> None:
    """Pay a pot in equal shares; the units that do not divide go one each to the first in the odd-unit order."""
    if not pot.amount:
        return
    share, odd = divmod(pot.amount, len(winners))
    by_odd_unit = sorted(winners, key=lambda player: _odd_unit_order(draft, player), reverse=True) if odd else []
    favoured = {player.seat for player in by_odd_unit[:odd]}
    shares = tuple((player.seat, share + (player.seat in favoured)) for player in winners)
    for seat, amount in shares:
        draft.update(seat, stack=draft.player(seat).stack + amount)
    draft.awards = (*draft.awards, *(Award(seat, amount) for seat, amount in shares))
    draft.emit(PotAwarded(at, PotHalf.WHOLE, pot.amount, shares))


def _odd_unit_order(draft: Draft, player: Player) -> tuple[tuple[int, int], ...]:
    """Return what is compared for the odd unit, highest first; equal keys keep the dealing order."""
    match draft.rules.odd_unit:
        case OddUnit.HIGH_CARD_ALL_CARDS:
            return _printed(player.cards)[:1]
        case OddUnit.HIGH_CARD_BEST_FIVE:
            return max(map(_printed, _fives_reaching_the_value(draft, player)))
        case OddUnit.FIRST_LEFT_OF_DEALER | OddUnit.EXACT:
            return ()


def _fives_reaching_the_value(draft: Draft, player: Player) -> list[int]:
    rules = draft.rules
    cards = player.cards | mask_of(draft.community)
    value = evaluate(cards, rules.wild_mask, ranking=rules.ranking)
    fives = map(mask_of, combinations(cards_in(cards), 5))
    return [five for five in fives if evaluate(five, rules.wild_mask, ranking=rules.ranking) == value]


def _printed(cards: int) -> tuple[tuple[int, int], ...]:
    """Return the printed ranks and suits of some cards, highest first."""
    return tuple(sorted(((rank_of(card), suit_of(card)) for card in cards_in(cards)), reverse=True))


def _end(draft: Draft) -> None:
    """Leave nothing in the middle and nobody to act."""
    for player in list(draft.players):
        draft.update(player.seat, collected=0)
    draft.dead_money = ()
    draft.triggers = ()
    draft.offer = None
    draft.phase = Phase.FINISHED
    draft.emit(HandEnded(tuple((player.seat, player.stack) for player in draft.players)))
