"""What the seat to act may do (rules, sections 5.3 to 5.5)."""

from engine.actions import Action, ActionKind, Choice, LegalActions
from engine.cards import HIDDEN
from engine.errors import IllegalAction
from engine.events import PurchaseKind
from engine.rule_checks import MAX_AMOUNT
from engine.showing import lowest_door
from engine.sizes import can_act, full_sizes, raises_left
from engine.state import Phase, Player, State


def legal_actions(state: State) -> LegalActions:
    """Return whose turn it is and what that seat may do; no seat and no choices once the hand is finished."""
    if not state.actor:
        return _NOBODY
    known = state.__dict__.get("legal_actions")
    if known is None:
        # Whoever shows a state asks first, and the step that follows asks again.
        choices = _CHOICES[state.phase](state, state.player(state.actor))
        known = state.__dict__["legal_actions"] = LegalActions(state.actor, tuple(choices))
    return known


def default_action(state: State) -> Action:
    """Return what running out of time plays: the cheapest thing that is allowed (rules, section 8).

    Raises:
        IllegalAction: if the hand is finished.
    """
    kinds = {choice.kind for choice in legal_actions(state).choices}
    for kind in _WHEN_TIME_RUNS_OUT:
        if kind in kinds:
            return Action(kind)
    raise IllegalAction("the hand is finished")


_WHEN_TIME_RUNS_OUT = (
    ActionKind.SHOWDOWN,
    ActionKind.BRING_IN,
    ActionKind.CHECK,
    ActionKind.DECLINE,
    ActionKind.KEEP,
    ActionKind.ROLL,
    ActionKind.FOLD,
)


def amount_of(state: State, action: Action) -> int:
    """Return the *to* amount that a legal action comes to.

    Raises:
        IllegalAction: if the action is not among the legal ones; the reason names those.
    """
    legal = legal_actions(state)
    if legal.seat is None:
        raise IllegalAction("the hand is finished")
    if type(action.amount) is not int:
        raise IllegalAction(f"the amount {action.amount!r} is not a whole number of minor units")
    if action.seat not in (0, legal.seat):
        raise IllegalAction(f"it is the turn of seat {legal.seat}, not of seat {action.seat}")
    for choice in legal.choices:
        if choice.kind != action.kind:
            continue
        if choice.min <= action.amount <= choice.max:
            return action.amount
        if action.amount == 0 and choice.kind not in _SIZED:
            return choice.max
        if choice.price and action.amount == choice.price:
            return choice.max
    offered = ", ".join(map(_words, legal.choices))
    amount = f" to {action.amount}" if action.amount else ""
    raise IllegalAction(f"seat {legal.seat} may not {action.kind}{amount}; allowed: {offered}")


# CPython 3.11 takes long to read a member off its enum; these are read in every step.
_CALL, _BET, _RAISE, _COMPLETE = ActionKind.CALL, ActionKind.BET, ActionKind.RAISE, ActionKind.COMPLETE
_NOBODY = LegalActions(None)
_FOLD = Choice(ActionKind.FOLD)
_CHECK = Choice(ActionKind.CHECK)

_SIZED = frozenset({_BET, _RAISE, _COMPLETE})
"""The kinds that must name their amount; the others have only one."""


def _words(choice: Choice) -> str:
    if choice.price:
        return f"{choice.kind} for {choice.price}"
    if choice.max == 0:
        return str(choice.kind)
    return f"{choice.kind} to {choice.min}" + (f"..{choice.max}" if choice.max != choice.min else "")


def _purchase_choices(state: State, player: Player) -> list[Choice]:
    assert state.offer is not None, "the purchase phase has an offer"
    price = state.offer.price
    if state.offer.purchase == PurchaseKind.REPLACEMENT:
        return [Choice(ActionKind.REPLACE, price=price), Choice(ActionKind.KEEP)]
    return [Choice(ActionKind.BUY, price=price), Choice(ActionKind.DECLINE)]


def _claim_choices(state: State, player: Player) -> list[Choice]:
    """Everybody is asked and may decline; only who holds a card to claim for, and can pay, may claim."""
    assert state.offer is not None, "the claim phase has an offer"
    claim = [Choice(ActionKind.CLAIM, price=state.offer.price)] if state.offer.card != HIDDEN else []
    return [*claim, Choice(ActionKind.DECLINE)]


def _roll_choices(state: State, player: Player) -> list[Choice]:
    fold = [] if state.rolled else [Choice(ActionKind.FOLD)]
    return [Choice(ActionKind.ROLL), *fold]


def _bring_in_choices(state: State, player: Player) -> list[Choice]:
    rules = state.rules
    posted = rules.bring_in if rules.credit else min(rules.bring_in, player.stack)
    choices = [Choice(ActionKind.BRING_IN, posted, posted)]
    if rules.bring_in < rules.low_bet:
        choices += _wagers(state, player, _COMPLETE, above=posted)
    if lowest_door(state).seat != player.seat:  # whoever opens for an all-in low card may also pass
        choices.append(Choice(ActionKind.FOLD))
    return choices


def _betting_choices(state: State, player: Player) -> list[Choice]:
    betting = state.betting
    choices = [_FOLD]
    if player.bet >= betting.level:
        choices.append(_CHECK)
    else:
        to = betting.level if state.rules.credit else min(betting.level, player.bet + player.stack)
        choices.append(Choice(_CALL, to, to))
    if player.acted or not raises_left(state) or not _can_be_answered(state, player, betting.level):
        return choices
    if betting.opened:
        kind = _RAISE
    else:
        kind = _COMPLETE if betting.level else _BET
    return choices + _wagers(state, player, kind, above=betting.level)


def _can_be_answered(state: State, player: Player, level: int) -> bool:
    """Whether anybody else could put in more than the level; else the whole raise would come back uncalled."""
    credit = state.rules.credit
    for other in state.players:
        if other.seat != player.seat and can_act(state, other) and (credit or other.bet + other.stack > level):
            return True
    return False


def _wagers(state: State, player: Player, kind: ActionKind, above: int) -> list[Choice]:
    """Return the bets, completions or raises a player can make, all-in for less than a full one included."""
    sizes = full_sizes(state, player)
    if state.rules.credit:
        return [Choice(kind, low, min(high, MAX_AMOUNT)) for low, high in sizes if low <= MAX_AMOUNT]
    room = player.bet + player.stack
    if room <= above:
        return []
    if room < sizes[0][0]:
        return [Choice(kind, room, room)]
    return [Choice(kind, low, min(high, room)) for low, high in sizes if low <= room]


def _showdown_choices(state: State, player: Player) -> list[Choice]:
    return [Choice(ActionKind.SHOWDOWN)]


_CHOICES = {
    Phase.PURCHASE: _purchase_choices,
    Phase.CLAIM: _claim_choices,
    Phase.ROLL: _roll_choices,
    Phase.BRING_IN: _bring_in_choices,
    Phase.BETTING: _betting_choices,
    Phase.SHOWDOWN: _showdown_choices,
}
