"""The dealer: starts the hands of a table, plays them on, and says what follows from it at the table.

This is where hands are started and played: every other module sees them as values. All of it is pure: each function
takes a table and returns what it becomes (``Change``); decks and the time are handed in.
"""

from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import replace

import engine
from engine import Action, ActionKind, IllegalAction, LegalActions, Step
from engine.knobs import Exhaustion
from engine.state import Phase, State
from service import seating, timetable
from service.errors import Reason, ServiceError, illegal_action, not_your_turn
from service.hands import HandRecord, PlayerRecord
from service.named_game import NamedGame, game_named, game_of_hand, with_room
from service.table import Change, Seating, Table
from service.table_events import ActionTimedOut, AnyTableEvent, SatOut, Shuffled, TablePaused, TableResumed


def deal(table: Table, shuffled: Callable[[], tuple[int, ...]], now_ms: int, named: NamedGame | None = None) -> Change:
    """Start the next hand; ``shuffled`` returns a freshly shuffled deck at every call.

    Raises:
        ServiceError: if the table is paused, a hand is being played, the session is over, too few can play, or the
            game that is named cannot be played, or not by this caller's choice.
    """
    _check_clock(table)
    if table.playing:
        raise ServiceError(
            Reason.HAND_IN_PROGRESS,
            f"hand {table.hand_number} is being played",
            metadata={"hand_number": table.hand_number},
        )
    seating.check_session(table)
    if named is not None and not table.rules.dealers_choice:
        raise ServiceError(
            Reason.DEALERS_CHOICE_OFF, "this table always plays its own game; profile and rules stay empty"
        )
    # Only a game that is dealt again can lack room: any other is checked against the players who are there.
    stacks = with_room(table, seating.next_stacks(table), table.next_rules.max_players)
    _check_players(stacks, 2 if named is not None else table.next_rules.min_players)
    # After rain the same dealer deals again, who may have left a seat that is beyond the last one dealt in.
    button = min(table.button, max(stacks)) if table.rained_out else next_button(table.button, sorted(stacks))
    profile, rules = game_of_hand(table, len(stacks), button, named)
    _check_players(stacks, rules.min_players)
    deck = shuffled()
    spare = shuffled() if rules.exhaustion == Exhaustion.RECYCLE_FOLDED else None
    started = engine.start(rules, stacks, button, deck, carry=table.carry, spare=spare)
    dealt = replace(
        table,
        carry=0,
        button=button,
        hand_number=table.hand_number + 1,
        hand=started.state,
        hand_profile=profile,
        dealt_version=table.version + 1,
        dealt_ms=now_ms,
    )
    change = _played(dealt, started, now_ms)
    events = (*game_named(table, profile, rules), *change.events)
    return replace(change, events=events, shuffled=Shuffled(bytes(deck), bytes(spare or ())))


def pause(table: Table, now_ms: int) -> Change:
    """Stop the clock; what the running turn has taken off the time bank is gone.

    Raises:
        ServiceError: if it stands still already.
    """
    _check_clock(table)
    table = timetable.charged(table, now_ms)
    return Change(replace(table, paused=True, deadline_ms=None, deal_ms=None), (TablePaused(),))


def resume(table: Table, now_ms: int) -> Change:
    """Let the clock run again; who is to act has the whole time anew.

    Raises:
        ServiceError: if it is running.
    """
    if not table.paused:
        raise ServiceError(Reason.TABLE_NOT_PAUSED, "the table is not paused")
    running = replace(table, paused=False)
    return Change(replace(running, deadline_ms=_deadline_ms(running, now_ms)), (TableResumed(),))


def act(table: Table, actor: Seating, action: Action, now_ms: int) -> Change:
    """Play one action of a player.

    Raises:
        ServiceError: if the table is paused, no hand is being played, another seat is to act, or the action is not
            allowed now.
    """
    _check_clock(table)
    hand = _running(table)
    if hand.actor != actor.seat:
        raise not_your_turn(_public_legal(hand))
    if actor.timeouts:
        table = table.seated(replace(actor, timeouts=0))
    try:
        return _played(table, engine.step(hand, action), now_ms)
    except IllegalAction as error:
        raise illegal_action(error, engine.legal_actions(hand)) from None


def show_down(table: Table, now_ms: int) -> Change | None:
    """Settle the hand whose betting is over; None: it is settled already.

    Raises:
        ServiceError: if there is no hand, the table is paused, or the betting is not over.
    """
    if table.hand is not None and table.hand.finished:
        return None
    _check_clock(table)
    hand = _running(table)
    if hand.phase != Phase.SHOWDOWN:
        raise ServiceError(
            Reason.SHOWDOWN_NOT_DUE,
            f"the betting is not over: seat {hand.actor} is to act",
            metadata={"to_act_seat": hand.actor},
        )
    return _played(table, engine.step(hand, Action(ActionKind.SHOWDOWN)), now_ms)


def leave_hand(table: Table, leaver: Seating, now_ms: int) -> Change:
    """Take a player out of the running hand; the seat is free when it ends. Chips that wait for that never come."""
    table = table.seated(replace(leaver, leaving=True, adding=0))
    hand = _running(table)
    return _played(table, engine.step(hand, Action(ActionKind.LEAVE, seat=leaver.seat)), now_ms, acted=False)


def expire(table: Table, shuffled: Callable[[], tuple[int, ...]], now_ms: int) -> Change | None:
    """Do what the table's time has come for; None: nothing is due.

    Whoever is to act is played for (rules, section 8), an overdue showdown is held, the next hand is dealt, or the
    table is closed because nobody has done anything for long.
    """
    if table.due_ms is None or now_ms < table.due_ms:
        return None
    if table.playing and not table.paused:
        return _time_out(table, now_ms)
    if table.idle_ms is not None and table.idle_ms <= now_ms:
        return seating.close(table)
    return deal(table, shuffled, now_ms)


def _time_out(table: Table, now_ms: int) -> Change:
    hand = _running(table)
    step = engine.step(hand, engine.default_action(hand))
    absent = table.seating(hand.actor) if hand.phase != Phase.SHOWDOWN else None
    if absent is None:
        return _played(table, step, now_ms)
    table, sits_out = timetable.timed_out(table, absent)
    change = _played(table, step, now_ms)
    after: tuple[AnyTableEvent, ...] = (SatOut(absent.seat),) if sits_out else ()
    return replace(change, events=(ActionTimedOut(absent.seat), *change.events, *after))


def next_button(button: int, active: Sequence[int]) -> int:
    """Return the dealer's seat: the next active one clockwise, before the first hand the last one.

    So the lowest active seat is dealt first in the first hand (rules, section 5.1, leave the first button open).
    """
    if not button:
        return active[-1]
    return next((seat for seat in active if seat > button), active[0])


def _played(table: Table, step: Step, now_ms: int, *, acted: bool = True) -> Change:
    """Return the table after a step, whatever follows from it at the table included.

    ``acted`` is whether the seat whose turn it was has acted: if not, and it is its turn still, its clock runs on.
    """
    state, hand_events = step.state, list(step.events)
    while _actor_is_gone(table, state):
        # An all-in player who has left is played for, as if out of time.
        step = engine.step(state, engine.default_action(state))
        state = step.state
        hand_events += step.events
    clock_runs_on = not acted and not state.finished and table.hand is not None and _turn(state) == _turn(table.hand)
    if not clock_runs_on:
        table = timetable.charged(table, now_ms)
    changed, table_events = seating.settle(table, state)
    deadline_ms = table.deadline_ms if clock_runs_on else _deadline_ms(changed, now_ms)
    settled_version = table.version + 1 if state.finished else table.settled_version
    changed = replace(changed, deadline_ms=deadline_ms, settled_version=settled_version)
    finished = _record(table, state, now_ms) if state.finished else None
    return Change(changed, (*hand_events, *table_events), finished=finished)


def _record(table: Table, hand: State, now_ms: int) -> HandRecord:
    """Return the record of a hand that has just ended; ``table`` still has everybody who was dealt in."""
    players = []
    for player in hand.players:
        seating = table.seating(player.seat)
        assert seating is not None, "nobody's seat is free before the hand is over"
        players.append(PlayerRecord(player.seat, seating.player_id, seating.number, player.stack))
    return HandRecord(
        number=table.hand_number,
        profile=table.hand_profile,
        rules=None if hand.rules == table.rules else hand.rules,
        button=hand.button,
        started_ms=table.dealt_ms,
        ended_ms=now_ms,
        players=tuple(players),
        pot=sum(award.amount for award in hand.awards),
        winners=hand.winners,
        showdown=any(player.shown for player in hand.players),
        rained=hand.rained,
    )


def _deadline_ms(table: Table, now_ms: int) -> int | None:
    """Return when a turn that begins now is over; None where nobody's clock is running."""
    if table.hand is None or table.hand.finished or table.paused:
        return None
    return timetable.turn_ends_ms(table, table.hand, now_ms)


def _check_clock(table: Table) -> None:
    if table.paused:
        raise ServiceError(Reason.TABLE_PAUSED, "the table is paused")


def _check_players(stacks: Mapping[int, int], needed: int) -> None:
    if len(stacks) < needed:
        raise ServiceError(
            Reason.NOT_ENOUGH_PLAYERS,
            f"{len(stacks)} players can play, {needed} are needed",
            metadata={"players": len(stacks), "needed": needed},
        )


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
