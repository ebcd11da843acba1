"""How a hand ends (rules, section 5.5): the order of showing, and what each hand is worth."""

from engine.awards import Worth, award, award_all, low_five, low_value
from engine.betting import collect
from engine.cards import mask_of
from engine.draft import Draft
from engine.evaluator import evaluate
from engine.events import HandEnded, HandShown
from engine.hand_value import best_five
from engine.showing import showing_value
from engine.state import Phase, Player
from engine.wilds import wild_mask


def settle(draft: Draft, amount: int) -> None:
    """Show the hands in order, beginning with the seat that must, and pay every pot."""
    first = draft.player(draft.actor)
    draft.actor = 0
    show = _show_rolled if draft.rules.rolls else _show
    worths: dict[int, Worth] = {}
    for player in (first, *draft.clockwise_from(first.seat)[:-1]):
        if not player.folded:
            worths[player.seat] = show(draft, player)
    for at, pot in enumerate(draft.pots()):
        award(draft, at, pot, worths)
    _end(draft)


def walk_over(draft: Draft) -> None:
    """Give everything to the last player in, who shows nothing."""
    collect(draft)
    winner = draft.live[0]
    for at, pot in enumerate(draft.pots()):
        award_all(draft, at, pot, winner)
    _end(draft)


def _show(draft: Draft, player: Player) -> Worth:
    rules, wild = draft.rules, wild_mask(draft, player)
    cards = player.cards | mask_of(draft.community)
    worth = Worth(evaluate(cards, wild, ranking=rules.ranking), low_value(rules, cards, wild))
    best = best_five(cards, wild, ranking=rules.ranking)
    low = () if worth.low is None else low_five(rules, cards, wild, worth.low)
    draft.update(player.seat, shown=True)
    draft.emit(HandShown(player.seat, (*player.down, *player.up), worth.high, best.cards, best.wild_as, low))
    return worth


def _show_rolled(draft: Draft, player: Player) -> Worth:
    """Count what was rolled: cards that nobody has seen stay unseen."""
    value = showing_value(draft, player)
    if player.up:
        wild = wild_mask(draft, player) if draft.rules.wild_in_showing else 0
        best = best_five(mask_of(player.up), wild, ranking=draft.rules.ranking)
        draft.emit(HandShown(player.seat, player.up, value, best.cards, best.wild_as))
    draft.update(player.seat, shown=True)
    return Worth(value)


def _end(draft: Draft) -> None:
    """Leave nothing in the middle and nobody to act."""
    for player in list(draft.players):
        if player.collected:
            draft.update(player.seat, collected=0)
    draft.dead_money = ()
    draft.triggers = ()
    draft.offer = None
    draft.actor = 0
    draft.phase = Phase.FINISHED
    draft.emit(HandEnded(tuple((player.seat, player.stack) for player in draft.players)))
