# cython: annotation_typing=False, binding=False
"""How a hand ends (rules, section 5.5): the order of showing, and what each hand is worth."""

from engine.awards import award, award_all
from engine.betting import collect
from engine.draft import Draft, DraftPlayer
from engine.events import HandEnded, HandShown
from engine.state import Phase
from engine.worth import Worth, worth_of


def settle(draft: Draft, amount: int) -> None:
    """Show the hands in order, beginning with the seat that must, and pay every pot."""
    first = draft.player(draft.actor)
    worths: dict[int, Worth] = {}
    for player in (first, *draft.clockwise_from(first.seat)[:-1]):
        if not player.folded:
            worths[player.seat] = _show(draft, player)
    for at, pot in enumerate(draft.pots()):
        award(draft, at, pot, worths)
    _end(draft)


def walk_over(draft: Draft) -> None:
    """Give everything to the last player in, who shows nothing."""
    if any(player.bet for player in draft.players):
        collect(draft)
    winner = draft.live()[0]
    for at, pot in enumerate(draft.pots()):
        award_all(draft, at, pot, winner)
    _end(draft)


def _show(draft: Draft, player: DraftPlayer) -> Worth:
    worth = worth_of(draft, player)
    if draft.rules.rolls and not player.up:
        return worth  # who has rolled nothing has nothing to show, and loses to any card
    cards = player.up if draft.rules.rolls else (*player.down, *player.up)
    player.shown = True
    draft.emit(HandShown(player.seat, cards, worth.high, worth.best, worth.wild_as, worth.low_five))
    return worth


def _end(draft: Draft) -> None:
    """Leave nothing in the middle and nobody to act."""
    for player in draft.players:
        player.collected = 0
    draft.dead_money = ()
    draft.triggers = ()
    draft.offer = None
    draft.actor = 0
    draft.phase = Phase.FINISHED
    draft.emit(HandEnded(tuple([(player.seat, player.stack) for player in draft.players])))
