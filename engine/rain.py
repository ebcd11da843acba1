"""Rain (rules, section 5.7): the rain card voids the hand, and its pot waits for the next one."""

from collections.abc import Sequence

from engine.draft import Draft
from engine.events import HandEnded, RainedOut
from engine.state import Phase, Trigger


def rain_out(draft: Draft, trigger: Trigger) -> None:
    """End the hand unresolved and carry everything in the middle into the next one."""
    draft.carry = sum(player.contributed for player in draft.players)
    draft.carry += sum(amount for _, amount in draft.dead_money)
    for player in draft.players:
        player.collected = player.bet = 0
    draft.rained = True
    draft.dead_money = ()
    draft.triggers = ()
    draft.offer = None
    draft.actor = 0
    draft.phase = Phase.FINISHED
    draft.emit(RainedOut(trigger.seat, trigger.card, draft.carry))
    draft.emit(HandEnded(tuple((player.seat, player.stack) for player in draft.players)))


def shares_of_carry(carry: int, seats: Sequence[int]) -> dict[int, int]:
    """Split a carried pot that no hand can be dealt for among the seats that were in when it rained.

    ``seats`` are in dealing order; units that do not divide go one each to the first of them.
    """
    share, odd = divmod(carry, len(seats))
    return {seat: share + (place < odd) for place, seat in enumerate(seats)}
