"""The dealer: starts the hands of a table, plays them on, and says what follows from it at the table.

This is where hands are started and played: every other module sees them as values. All of it is pure: each function
takes a table and returns what it becomes (``Change``); decks and the time are handed in.
"""

from collections.abc import Callable, Sequence

from msgspec.structs import replace

import engine
from engine import Action, ActionKind, IllegalAction, LegalActions, Step
from engine.knobs import Exhaustion
from engine.state import Phase, State
from service import seating
from service.errors import Reason, ServiceError, illegal_action, not_your_turn
from service.table import Change, Seating, Table


def deal(table: Table, shuffled: Callable[[], tuple[int, ...]], now_ms: int) -> Change:
    """Start the next hand; ``shuffled`` returns a freshly shuffled deck at every call.

    Raises:
        ServiceError: if a hand is being played, the session is over, or too few can play.
    """
    if table.playing:
        raise ServiceError(
            Reason.HAND_IN_PROGRESS,
            f"hand {table.hand_number} is being played",
            metadata={"hand_number": table.hand_number},
        )
    if table.session_over:
        raise ServiceError(
            Reason.SESSION_OVER,
            f"all {table.pots_played} pots have been played",
            metadata={"pots": table.pots_played},
        )
    stacks = seating.next_stacks(table)
    if len(stacks) < table.rules.min_players:
        raise ServiceError(
            Reason.NOT_ENOUGH_PLAYERS,
            f"{len(stacks)} players can play, {table.rules.min_players} are needed",
            metadata={"players": len(stacks), "needed": table.rules.min_players},
        )
    rained = table.hand is not None and table.hand.rained
    button = table.button if rained else next_button(table.button, sorted(stacks))
    recycled = table.rules.exhaustion == Exhaustion.RECYCLE_FOLDED
    started = engine.start(
        table.rules,
        stacks,
        button,
        shuffled(),
        carry=table.carry,
        spare=shuffled() if recycled else None,
    )
    dealt = replace(table, carry=0, button=button, hand_number=table.hand_number + 1, hand=started.state)
    return _played(dealt, started, now_ms)


def act(table: Table, actor: Seating, action: Action, now_ms: int) -> Change:
    """Play one action of a player.

    Raises:
        ServiceError: if no hand is being played, another seat is to act, or the action is not allowed now.
    """
    hand = _running(table)
    if hand.actor != actor.seat:
        raise not_your_turn(_public_legal(hand))
    try:
        return _played(table, engine.step(hand, action), now_ms)
    except IllegalAction as error:
        raise illegal_action(error, engine.legal_actions(hand)) from None


def show_down(table: Table, now_ms: int) -> Change | None:
    """Settle the hand whose betting is over; None: it is settled already.

    Raises:
        ServiceError: if there is no hand, or its betting is not over.
    """
    if table.hand is not None and table.hand.finished:
        return None
    hand = _running(table)
    if hand.phase != Phase.SHOWDOWN:
        raise ServiceError(
            Reason.SHOWDOWN_NOT_DUE,
            f"the betting is not over: seat {hand.actor} is to act",
            metadata={"to_act_seat": hand.actor},
        )
    return _played(table, engine.step(hand, Action(ActionKind.SHOWDOWN)), now_ms)


def leave_hand(table: Table, leaver: Seating, now_ms: int) -> Change:
    """Take a player out of the running hand; the seat is free when it ends."""
    table = table.seated(replace(leaver, leaving=True))
    hand = _running(table)
    change = _played(table, engine.step(hand, Action(ActionKind.LEAVE, seat=leaver.seat)), now_ms)
    state = change.table.hand
    if state is not None and _turn(state) == _turn(hand) and change.table.playing:
        # Somebody else is thinking: that clock runs on.
        change = replace(change, table=replace(change.table, deadline_ms=table.deadline_ms))
    return change


def next_button(button: int, active: Sequence[int]) -> int:
    """Return the dealer's seat: the next active one clockwise, before the first hand the last one.

    So the lowest active seat is dealt first in the first hand (rules, section 5.1, leave the first button open).
    """
    if not button:
        return active[-1]
    return next((seat for seat in active if seat > button), active[0])


def _played(table: Table, step: Step, now_ms: int) -> Change:
    """Return the table after a step, whatever follows from it at the table included."""
    state, hand_events = step.state, list(step.events)
    while _actor_is_gone(table, state):
        # An all-in player who has left is played for, as if out of time.
        step = engine.step(state, engine.default_action(state))
        state = step.state
        hand_events += step.events
    changed, table_events = seating.settle(table, state)
    deadline_ms = None if state.finished else now_ms + table.settings.action_time_ms
    settled_version = table.version + 1 if state.finished else table.settled_version
    changed = replace(changed, deadline_ms=deadline_ms, settled_version=settled_version)
    return Change(changed, (*hand_events, *table_events))


def _running(table: Table) -> State:
    """Return the hand that is being played; NO_HAND if there is none."""
    if table.hand is None or table.hand.finished:
        raise ServiceError(Reason.NO_HAND, "no hand is being played")
    return table.hand


def _public_legal(hand: State) -> LegalActions:
    """Return the legal actions as everybody may see them."""
    return engine.view(hand, None).legal


def _actor_is_gone(table: Table, state: State) -> bool:
    if state.finished or state.phase == Phase.SHOWDOWN:
        return False
    actor = table.seating(state.actor)
    return actor is not None and actor.leaving


def _turn(state: State) -> tuple[object, ...]:
    """Return what tells one seat's time to think from the next one's."""
    return (state.phase, state.actor, state.round, state.offer)
