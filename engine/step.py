# cython: annotation_typing=False, binding=False
"""The machine: how a hand starts and what each action leads to.

Two tables say everything. ``DECISIONS`` maps what the hand waits for and what the player does to the function that does
it; ``AUTOMATIC`` maps the phases in which the hand goes on by itself. A pair that is missing is not allowed.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from engine import betting, dealing, purchases, rolling, showdown
from engine.actions import Action, ActionKind
from engine.cards import DECK_SIZE, FULL_DECK
from engine.draft import Draft, twin_of
from engine.errors import IllegalAction, StartError
from engine.events import AntePosted, AnyEvent, HandStarted
from engine.knobs import Exhaustion
from engine.legal import amount_of
from engine.rule_checks import MAX_AMOUNT
from engine.rules import Rules
from engine.state import Phase, Player, State

DECISIONS: Mapping[tuple[Phase, ActionKind], Callable[[Draft, int], None]] = {
    (Phase.PURCHASE, ActionKind.BUY): purchases.buy,
    (Phase.PURCHASE, ActionKind.DECLINE): purchases.decline,
    (Phase.PURCHASE, ActionKind.REPLACE): purchases.buy,
    (Phase.PURCHASE, ActionKind.KEEP): purchases.decline,
    (Phase.CLAIM, ActionKind.CLAIM): purchases.claim,
    (Phase.CLAIM, ActionKind.DECLINE): purchases.pass_claim,
    (Phase.ROLL, ActionKind.ROLL): rolling.roll,
    (Phase.ROLL, ActionKind.FOLD): rolling.give_up,
    (Phase.BRING_IN, ActionKind.BRING_IN): betting.post_bring_in,
    (Phase.BRING_IN, ActionKind.COMPLETE): betting.complete,
    (Phase.BRING_IN, ActionKind.FOLD): betting.fold,
    (Phase.BETTING, ActionKind.FOLD): betting.fold,
    (Phase.BETTING, ActionKind.CHECK): betting.check,
    (Phase.BETTING, ActionKind.CALL): betting.call,
    (Phase.BETTING, ActionKind.BET): betting.bet,
    (Phase.BETTING, ActionKind.COMPLETE): betting.complete,
    (Phase.BETTING, ActionKind.RAISE): betting.raise_,
    (Phase.SHOWDOWN, ActionKind.SHOWDOWN): showdown.settle,
}

AUTOMATIC: Mapping[Phase, Callable[[Draft], None]] = {
    Phase.ASKING_BEFORE: dealing.ask_before_round,
    Phase.DEALING: dealing.deal,
    Phase.ASKING_AFTER: dealing.ask_after_round,
    Phase.ROLLING: rolling.go_on,
    Phase.OPENING: betting.open_round,
    Phase.CLOSING: betting.close_round,
    Phase.WALKOVER: showdown.walk_over,
}

# CPython 3.11 takes long to read a member off its enum, and this is read in every step.
_LEAVE = ActionKind.LEAVE
_ALL_CARDS, _INT_ONLY = set(FULL_DECK), {int}


class Step(msgspec.Struct, frozen=True, gc=False):
    """What a transition leads to: the new state, and what happened on the way."""

    state: State
    events: tuple[AnyEvent, ...]


def start(
    rules: Rules,
    seats: Sequence[int | None] | Mapping[int, int],
    button: int,
    deck: Sequence[int],
    *,
    carry: int = 0,
    spare: Sequence[int] | None = None,
) -> Step:
    """Post the antes and deal until somebody has to decide.

    Args:
        rules: the game.
        seats: the stacks in minor units, by seat number from 1, or as a mapping of seat to stack; None is a seat that
            is not dealt in, and so is 0 without credit, except for a carried pot that it can still win.
        button: the dealer's seat; the next seat clockwise is dealt first.
        deck: the 52 card numbers in the order in which they leave the deck.
        carry: a rained-out pot that belongs to this hand.
        spare: a second permutation of the deck, which orders recycled cards.

    Raises:
        StartError: if an argument cannot be, naming it.
    """
    if isinstance(seats, Mapping):
        stacks = _dealt_in(rules, seats.items(), all_in_for_carry=carry > 0)
        last_seat = max(seats, default=0)
    else:
        stacks = _dealt_in(rules, enumerate(seats, start=1), all_in_for_carry=carry > 0)
        last_seat = len(seats)
    if type(button) is not int or not 1 <= button <= last_seat:
        raise StartError("button", f"{button} is not a seat from 1 to {last_seat}")
    if type(carry) is not int or not 0 <= carry <= MAX_AMOUNT:
        raise StartError("carry", f"{carry} is not an amount from 0 to {MAX_AMOUNT}")
    _check_deck("deck", deck)
    if spare is not None:
        _check_deck("spare", spare)
    elif rules.exhaustion == Exhaustion.RECYCLE_FOLDED:
        raise StartError("spare", "is needed where folded cards are recycled")
    order = sorted([seat for seat in stacks if seat > button]) + sorted([seat for seat in stacks if seat <= button])
    state = State(
        rules=rules,
        phase=Phase.DEALING,
        seat_count=last_seat,
        button=button,
        chips=sum(stacks.values()) + carry,
        players=tuple(Player(seat, stacks[seat]) for seat in order),
        deck=tuple(deck),
        spare=tuple(spare or ()),
        dead_money=((0, carry),) if carry else (),
    )
    draft = Draft(state)
    draft.emit(HandStarted(button, tuple((seat, stacks[seat]) for seat in order), carry))
    after_rain = carry > 0 and rules.rain_ante is False
    _post_antes(draft, 0 if after_rain else rules.ante)
    return _advance(draft)


def step(state: State, action: Action) -> Step:
    """Play one action and everything that follows from it by itself.

    Raises:
        IllegalAction: if it is not among ``legal_actions(state)``; nothing has changed then.
    """
    if action.kind == _LEAVE:
        return _leave(state, action.seat)
    to = amount_of(state, action)
    draft = twin_of(state).copy()
    DECISIONS[state.phase, action.kind](draft, to)
    return _advance(draft)


def _advance(draft: Draft) -> Step:
    while (go_on := AUTOMATIC.get(draft.phase)) is not None:
        go_on(draft)
    events, draft.events = tuple(draft.events), []
    return Step(draft.freeze(), events)


def _leave(state: State, seat: int) -> Step:
    """Fold a seat whoever's turn it is; who has nothing left to decide plays on (rules, section 8)."""
    player = next((player for player in state.players if player.seat == seat), None)
    if player is None:
        raise IllegalAction(f"seat {seat} was not dealt in")
    if not state.undecided(player):
        return Step(state, ())
    draft = twin_of(state).copy()
    draft.fold(draft.player(seat))
    if draft.phase != Phase.WALKOVER:
        _go_on_without(draft, seat)
    return _advance(draft)


def _go_on_without(draft: Draft, seat: int) -> None:
    if draft.phase in (Phase.PURCHASE, Phase.CLAIM):
        if draft.actor == seat:
            draft.offer = None
            draft.actor = 0
            draft.phase = purchases.phase_of_deal(draft)
    elif draft.phase == Phase.ROLL:
        if seat == draft.roller:
            draft.rolled = -1
        draft.actor = 0
        draft.phase = Phase.ROLLING
    elif draft.phase == Phase.BRING_IN:
        betting.choose_opener(draft)  # without that door card the bring-in may fall to another seat
    elif draft.player(draft.actor) not in betting.waiting_players(draft):
        betting.pass_turn(draft)


def _post_antes(draft: Draft, ante: int) -> None:
    for player in draft.players:
        paid = draft.affordable(player, ante)
        if paid:
            player.stack -= paid
            player.collected = paid
            draft.emit(AntePosted(player.seat, paid))


def _dealt_in(rules: Rules, seats: Iterable[tuple[int, int | None]], *, all_in_for_carry: bool) -> dict[int, int]:
    """Return the stacks of the seats that take part, by seat."""
    stacks: dict[int, int] = {}
    for seat, stack in seats:
        if stack is None:
            continue
        if type(seat) is not int or type(stack) is not int:
            raise StartError("seats", f"seat {seat!r} with {stack!r}: both must be whole numbers")
        if seat < 1:
            raise StartError("seats", f"{seat} is not a seat: they count from 1")
        if not (-MAX_AMOUNT if rules.credit else 0) <= stack <= MAX_AMOUNT:
            raise StartError("seats", f"seat {seat} has {stack}: at most {MAX_AMOUNT}, and only on credit below 0")
        if stack or rules.credit or all_in_for_carry:
            stacks[seat] = stack
    if not rules.min_players <= len(stacks) <= rules.max_players:
        raise StartError("seats", f"{len(stacks)} can take part: {rules.min_players} to {rules.max_players} are needed")
    return stacks


def _check_deck(field: str, deck: Sequence[int]) -> None:
    if len(deck) != DECK_SIZE or set(map(type, deck)) != _INT_ONLY or set(deck) != _ALL_CARDS:
        raise StartError(field, f"must hold each card from 0 to {DECK_SIZE - 1} once")
