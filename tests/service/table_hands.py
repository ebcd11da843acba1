"""Tables that stand at any point of a hand, made without a store."""

import random
from collections.abc import Sequence

import msgspec

import engine
from engine import PROFILES, Action, ActionKind, Rules, State
from engine.cards import DECK_SIZE
from engine.events import AnyEvent
from service.table import Seating, Settings, Table

NOON_MS = 1_700_000_000_123


def table_of(hand: State | None, *, hand_number: int = 1, **changes: object) -> Table:
    seats = range(1, 4) if hand is None else sorted(player.seat for player in hand.players)
    table = Table(
        table_id="t1",
        tenant="acme",
        profile="baseball",
        rules=PROFILES["baseball"] if hand is None else hand.rules,
        settings=Settings(name="Friday"),
        version=9,
        etag="9-x",
        created_ms=NOON_MS,
        changed_ms=NOON_MS + 1000,
        seats=tuple(Seating(seat, f"p{seat}", 100, seat, bought_in=100) for seat in seats),
        hand_number=hand_number if hand is not None else 0,
        button=hand.button if hand is not None else 0,
        hand=hand,
        deadline_ms=NOON_MS + 30_000 if hand is not None and not hand.finished else None,
    )
    return msgspec.structs.replace(table, **changes)


def played(
    rules: Rules, players: int, seed: int, actions: int, stacks: Sequence[int] = (40,)
) -> tuple[State, list[AnyEvent]]:
    """Play a hand with random actions and return where it stands, with all its events."""
    chance = random.Random(seed)
    deck = chance.sample(range(DECK_SIZE), DECK_SIZE)
    chips = {seat: stacks[seat % len(stacks)] * rules.minor_units for seat in range(1, players + 1)}
    step = engine.start(rules, chips, chance.randint(1, players), tuple(deck))
    state, events = step.state, list(step.events)
    for _ in range(actions):
        if state.finished:
            break
        choices = engine.legal_actions(state).choices
        mild = [choice for choice in choices if choice.kind != ActionKind.FOLD or chance.random() < 0.2]
        choice = chance.choice(mild or choices)
        step = engine.step(state, Action(choice.kind, chance.choice([choice.min, choice.max])))
        state = step.state
        events += step.events
    return state, events
