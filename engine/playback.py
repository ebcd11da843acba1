"""Playing a hand again from what happened in it.

The events of a hand say everything that its players did. Together with the decks it was dealt from they lead the engine
through the same hand once more; an event that the engine does not make again is named.
"""

from collections.abc import Iterable, Mapping, Sequence

from engine.actions import Action, ActionKind
from engine.errors import EngineError
from engine.events import (
    AnyEvent,
    BetMade,
    BringInPosted,
    Called,
    CardRolled,
    Checked,
    Completed,
    Event,
    Folded,
    HandShown,
    HandStarted,
    PurchaseDeclined,
    PurchaseMade,
    Raised,
)
from engine.legal import legal_actions
from engine.rules import Rules
from engine.state import State
from engine.step import start, step

_KINDS: Mapping[type[Event], tuple[ActionKind, ...]] = {
    BringInPosted: (ActionKind.BRING_IN,),
    Completed: (ActionKind.COMPLETE,),
    Checked: (ActionKind.CHECK,),
    Called: (ActionKind.CALL,),
    BetMade: (ActionKind.BET,),
    Raised: (ActionKind.RAISE,),
    Folded: (ActionKind.FOLD,),
    PurchaseMade: (ActionKind.BUY, ActionKind.REPLACE, ActionKind.CLAIM),
    PurchaseDeclined: (ActionKind.DECLINE, ActionKind.KEEP),
    CardRolled: (ActionKind.ROLL,),
    HandShown: (ActionKind.SHOWDOWN,),
}
"""What may have been done, by the first event that came of it; at most one of them is legal at a time."""

_SIZED = (BringInPosted, Completed, Called, BetMade, Raised)


class PlaybackError(EngineError, ValueError):
    """Events that are not those of a hand by these rules and decks; ``at`` is the place of the first wrong one.

    The message names kinds of events and seats, and no card.
    """

    def __init__(self, at: int, reason: str) -> None:
        super().__init__(f"event {at}: {reason}")
        self.at = at


def play_back(
    rules: Rules, deck: Sequence[int], events: Iterable[AnyEvent], *, spare: Sequence[int] | None = None
) -> State:
    """Play a hand again from its complete events and return what it came to.

    Args:
        rules: the game.
        deck: the 52 card numbers in the order in which they left the deck.
        events: all that happened, from ``HandStarted`` on, nothing hidden. They may stop before the end of the hand.
        spare: the second permutation, where folded cards are recycled.

    Raises:
        PlaybackError: at the first event that does not follow from those before it.
        StartError: if the hand cannot have started.
    """
    recorded = tuple(events)
    if not recorded or not isinstance(recorded[0], HandStarted):
        raise PlaybackError(0, "a hand begins with HandStarted")
    opening = recorded[0]
    played = start(rules, dict(opening.stacks), opening.button, deck, carry=opening.carry, spare=spare)
    at = _compared(recorded, 0, played.events)
    while at < len(recorded):
        action = _action(played.state, recorded[at], at)
        try:
            played = step(played.state, action)
        except EngineError as error:
            raise PlaybackError(at, f"{_name(recorded[at])} is not allowed: {error}") from error
        at = _compared(recorded, at, played.events)
    return played.state


def _action(state: State, event: AnyEvent, at: int) -> Action:
    """Return the action of which an event is the first that came."""
    legal = legal_actions(state)
    kinds = _KINDS.get(type(event), ())
    possible = [choice.kind for choice in legal.choices if choice.kind in kinds]
    if isinstance(event, Folded) and (event.seat != legal.seat or not possible):
        return Action(ActionKind.LEAVE, seat=event.seat)
    if not possible:
        raise PlaybackError(at, f"{_name(event)} does not follow")
    return Action(possible[0], event.to if isinstance(event, _SIZED) else 0)


def _compared(recorded: Sequence[AnyEvent], at: int, made: Sequence[AnyEvent]) -> int:
    """Return the place that follows the events that a step made, which must be those that are recorded."""
    for place, event in enumerate(made, start=at):
        if place == len(recorded):
            raise PlaybackError(place, f"{_name(event)} is missing")
        if recorded[place] != event:
            raise PlaybackError(place, f"{_name(event)} came here, not this {_name(recorded[place])}")
    return at + len(made)


def _name(event: AnyEvent) -> str:
    return type(event).__name__
