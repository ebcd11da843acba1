"""What a seat may do, and what it is offered."""

from enum import StrEnum

import msgspec


class ActionKind(StrEnum):
    """The kinds of action; the words are those of a stud table."""

    __hash__ = str.__hash__  # that of an enum takes much longer, and tables are read by kind in every step

    FOLD = "fold"
    CHECK = "check"
    CALL = "call"
    BET = "bet"
    RAISE = "raise"
    BRING_IN = "bring_in"
    COMPLETE = "complete"
    BUY = "buy"
    DECLINE = "decline"
    REPLACE = "replace"
    KEEP = "keep"
    CLAIM = "claim"
    ROLL = "roll"
    SHOWDOWN = "showdown"
    """The betting is over: the hands are shown, starting with the seat that must show first."""
    LEAVE = "leave"
    """The player of ``Action.seat`` leaves in mid-hand, whoever's turn it is."""


class Action(msgspec.Struct, frozen=True, gc=False):
    """One action.

    ``amount`` is a *to* amount in minor units: the size of the player's bet on this round after the action. Bets,
    raises and completions name it; a call or a bring-in may (it must then be the offered one); a purchase may repeat
    its price. ``seat`` is 0 for the seat to act and is named only by ``LEAVE``.
    """

    kind: ActionKind
    amount: int = 0
    seat: int = 0


class Choice(msgspec.Struct, frozen=True, gc=False):
    """One kind of action that is allowed now.

    ``min`` and ``max`` bound the *to* amount in minor units (both 0 where there is none); ``price`` is what a
    purchase costs. A kind stands twice where only two sizes are allowed.
    """

    kind: ActionKind
    min: int = 0
    max: int = 0
    price: int = 0


class LegalActions(msgspec.Struct, frozen=True, gc=False):
    """Whose turn it is and what that seat may do; ``seat`` is None when the hand is over."""

    seat: int | None
    choices: tuple[Choice, ...] = ()

    def find(self, kind: ActionKind) -> tuple[Choice, ...]:
        """Return the choices of one kind."""
        return tuple(choice for choice in self.choices if choice.kind == kind)
