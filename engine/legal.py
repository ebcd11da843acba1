# cython: annotation_typing=False, binding=False
"""What the seat to act may do (rules, sections 5.3 to 5.5)."""

from engine.actions import Action, ActionKind, Choice, LegalActions
from engine.cards import HIDDEN
from engine.draft import Draft, DraftPlayer, twin_of
from engine.errors import IllegalAction
from engine.events import PurchaseKind
from engine.rule_checks import MAX_AMOUNT
from engine.showing import lowest_door
from engine.sizes import can_act, full_sizes, raises_left
from engine.state import Phase, State

# CPython 3.11 takes long to read a member off its enum; these are read in every step.
_CALL, _BET, _RAISE, _COMPLETE = ActionKind.CALL, ActionKind.BET, ActionKind.RAISE, ActionKind.COMPLETE
_BRING_IN = ActionKind.BRING_IN
_NOBODY = LegalActions(None)
_FOLD = Choice(ActionKind.FOLD)
_CHECK = Choice(ActionKind.CHECK)
_DECLINE = Choice(ActionKind.DECLINE)

_SIZED = frozenset({_BET, _RAISE, _COMPLETE})
"""The kinds that must name their amount; the others have only one."""


def legal_actions(state: State) -> LegalActions:
    """Return whose turn it is and what that seat may do; no seat and no choices once the hand is finished."""
    twin = twin_of(state)
    if twin.legal is None:  # whoever shows a state asks, and the step that follows asks again
        twin.legal = legal_in(twin)
    return twin.legal


def legal_in(draft: Draft) -> LegalActions:
    """Return the legal actions of the state that a draft has come to."""
    if not draft.actor:
        return _NOBODY
    choices = _CHOICES[draft.phase](draft, draft.player(draft.actor))
    return LegalActions(draft.actor, tuple(choices))


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
    kind, amount = action.kind, action.amount
    if legal.seat is None:
        raise IllegalAction("the hand is finished")
    if type(amount) is not int:
        raise IllegalAction(f"the amount {amount!r} is not a whole number of minor units")
    if action.seat not in (0, legal.seat):
        raise IllegalAction(f"it is the turn of seat {legal.seat}, not of seat {action.seat}")
    for choice in legal.choices:
        if choice.kind != kind:
            continue
        if choice.min <= amount <= choice.max:
            if amount % state.rules.bet_unit and kind in _SIZED:
                unit = state.rules.bet_unit
                raise IllegalAction(
                    f"{amount} are no whole chips: where shares are exact a bet is a multiple of {unit}"
                )
            return amount
        if amount == 0 and choice.kind not in _SIZED:
            return choice.max
        if choice.price and amount == choice.price:
            return choice.max
    offered = ", ".join([_words(choice) for choice in legal.choices])
    to = f" to {amount}" if amount else ""
    raise IllegalAction(f"seat {legal.seat} may not {kind}{to}; allowed: {offered}")


def _words(choice: Choice) -> str:
    if choice.price:
        return f"{choice.kind} for {choice.price}"
    if choice.max == 0:
        return str(choice.kind)
    return f"{choice.kind} to {choice.min}" + (f"..{choice.max}" if choice.max != choice.min else "")


def _purchase_choices(draft: Draft, player: DraftPlayer) -> list[Choice]:
    offer = draft.offer
    assert offer is not None, "the purchase phase has an offer"
    if offer.purchase == PurchaseKind.REPLACEMENT:
        return [Choice(ActionKind.REPLACE, price=offer.price), Choice(ActionKind.KEEP)]
    return [Choice(ActionKind.BUY, price=offer.price), _DECLINE]


def _claim_choices(draft: Draft, player: DraftPlayer) -> list[Choice]:
    """Everybody is asked and may decline; only who holds a card to claim for, and can pay, may claim."""
    offer = draft.offer
    assert offer is not None, "the claim phase has an offer"
    if offer.card == HIDDEN:
        return [_DECLINE]
    return [Choice(ActionKind.CLAIM, price=offer.price), _DECLINE]


def _roll_choices(draft: Draft, player: DraftPlayer) -> list[Choice]:
    roll = Choice(ActionKind.ROLL)
    return [roll] if draft.rolled else [roll, _FOLD]


def _bring_in_choices(draft: Draft, player: DraftPlayer) -> list[Choice]:
    rules = draft.rules
    posted = draft.affordable(player, rules.bring_in)
    choices = [Choice(_BRING_IN, posted, posted)]
    if rules.bring_in < rules.low_bet:
        choices += _wagers(draft, player, _COMPLETE, posted)
    if lowest_door(draft) is not player:  # whoever opens for an all-in low card may also pass
        choices.append(_FOLD)
    return choices


def _betting_choices(draft: Draft, player: DraftPlayer) -> list[Choice]:
    betting = draft.betting
    level = betting.level
    choices = [_FOLD]
    if player.bet >= level:
        choices.append(_CHECK)
    else:
        to = player.bet + draft.affordable(player, level - player.bet)
        choices.append(Choice(_CALL, to, to))
    if player.acted or not raises_left(draft) or not _can_be_answered(draft, player):
        return choices
    if betting.opened:
        kind = _RAISE
    else:
        kind = _COMPLETE if level else _BET
    return choices + _wagers(draft, player, kind, level)


def _can_be_answered(draft: Draft, player: DraftPlayer) -> bool:
    """Whether anybody else could put in more than the level; else the whole raise would come back uncalled."""
    level = draft.betting.level
    for other in draft.players:
        if other is not player and can_act(draft, other) and (draft.credit or other.bet + other.stack > level):
            return True
    return False


def _wagers(draft: Draft, player: DraftPlayer, kind: ActionKind, above: int) -> list[Choice]:
    """Return the bets, completions or raises a player can make, all-in for less than a full one included."""
    sizes = full_sizes(draft, player)
    if draft.credit:
        most = MAX_AMOUNT - MAX_AMOUNT % draft.rules.bet_unit
        return [Choice(kind, low, min(high, most)) for low, high in sizes if low <= most]
    room = player.bet + player.stack
    if room <= above:
        return []
    if room < sizes[0][0]:
        return [Choice(kind, room, room)]
    wagers = [Choice(kind, low, min(high, room)) for low, high in sizes if low <= room]
    if len(wagers) < len(sizes) and room > wagers[-1].max:
        wagers.append(Choice(kind, room, room))  # all-in for less than the high bet, where low and high are allowed
    return wagers


def _showdown_choices(draft: Draft, player: DraftPlayer) -> list[Choice]:
    return [Choice(ActionKind.SHOWDOWN)]


_CHOICES = {
    Phase.PURCHASE: _purchase_choices,
    Phase.CLAIM: _claim_choices,
    Phase.ROLL: _roll_choices,
    Phase.BRING_IN: _bring_in_choices,
    Phase.BETTING: _betting_choices,
    Phase.SHOWDOWN: _showdown_choices,
}
