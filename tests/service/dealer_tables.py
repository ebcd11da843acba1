"""Tables and hands for tests of the dealer, without a store."""

import random
from collections.abc import Iterator

import engine
from engine import PROFILES, Action, ActionKind
from engine.cards import DECK_SIZE
from engine.state import Phase
from service import dealer, seating
from service.table import Settings, Table
from tests.engine.play import stacked_deck

NOW_MS = 1_900_000_000_000


def table_of(profile: str, *stacks: int, settings: Settings | None = None, **knobs: object) -> Table:
    rules = PROFILES[profile].replace(**knobs)
    table = Table("t", "acme", profile, rules, settings or Settings(sit_out_after=0), 1, "1-x", 0, 0)
    for number, stack in enumerate(stacks, start=1):
        table = seating.take_seat(table, f"player{number}", 0, stack).table
    return table


def shuffled(seed: int):
    chance = random.Random(seed)
    return lambda: tuple(chance.sample(range(DECK_SIZE), DECK_SIZE))


def dealt(table: Table, hands: dict[int, str], button: int = 0, **options: str) -> Table:
    """Deal a hand in which the cards fall as told, ``button`` being the dealer's seat."""
    deck = stacked_deck(table.rules, hands, button or max(hands), **options)
    return dealer.deal(table, lambda: deck, NOW_MS).table


def expire(table: Table, after_ms: int = 0):
    """Let the time of the table run out, some milliseconds ago."""
    return dealer.expire(table, shuffled(1), table.due_ms + after_ms)


def act(table: Table, kind: ActionKind, amount: int = 0) -> Table:
    return dealer.act(table, table.seating(table.hand.actor), Action(kind, amount), table.deadline_ms - 1).table


def lawful(table: Table) -> None:
    assert [] == table.broken()
    assert table.hand is None or [] == engine.broken(table.hand)


DOORS = {1: "(As Kd) 9c", 2: "(Qs Qh) 7d", 3: "(Js Jh) 2d"}


def reach(profile: str, phase: Phase, wanted=lambda hand: True) -> Table:
    """Return a table where a hand of a game waits for something, after random actions that fold rarely."""
    for table in _played_at_random(profile):
        if table.hand.phase == phase and wanted(table.hand):
            return table
    raise AssertionError(f"{profile} never came to {phase}")


def _played_at_random(profile: str) -> Iterator[Table]:
    for seed in range(500):
        chance = random.Random(seed)
        table = dealer.deal(table_of(profile, 90, 90, 90, 90), shuffled(seed), NOW_MS).table
        while table.playing:
            yield table
            if table.showdown_due:
                break
            choices = engine.legal_actions(table.hand).choices
            calm = [choice for choice in choices if choice.kind != ActionKind.FOLD] or choices
            choice = chance.choice(calm)
            table = act(table, choice.kind, choice.min if choice.kind in ActionKind and choice.min else 0)


def act_mildly(table: Table) -> Table:
    """Check where that is possible, else call."""
    kinds = {choice.kind for choice in engine.legal_actions(table.hand).choices}
    return act(table, ActionKind.CHECK if ActionKind.CHECK in kinds else ActionKind.CALL)


def rained(*stacks: int, **knobs: object) -> Table:
    """Return a table whose first hand was rained out by a door card: the antes lie in the middle."""
    for seed in range(1000):
        table = table_of("rainy-day-baseball", *stacks, **knobs)
        table = dealer.deal(table, shuffled(seed), NOW_MS).table
        if table.carry:
            return table
    raise AssertionError("no rain")
