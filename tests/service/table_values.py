"""Tables as values, dealt and played without a store: what tests of several modules have in common."""

import random

import pytest

import engine
from engine import Action
from engine.cards import FULL_DECK
from service import dealer, seating
from service.errors import ServiceError
from service.named_game import NamedGame
from service.table import Change, Settings, Table

NOW = 1000
CHOICE = {"dealers_choice": True}


def table_of(*stacks: int, profile: str = "baseball", **knobs) -> Table:
    table = Table("t", "acme", profile, engine.PROFILES[profile].replace(**knobs), Settings(), 1, "1-x", 0, 0)
    for number, stack in enumerate(stacks, start=1):
        table = seating.take_seat(table, f"player{number}", 0, stack).table
    return table


def deck() -> tuple[int, ...]:
    return tuple(random.Random(7).sample(FULL_DECK, 52))


def deal(table: Table, named: NamedGame | None = None) -> Change:
    return dealer.deal(table, deck, NOW, named)


def folded_out(table: Table) -> Table:
    """Play the running hand to its end: everybody but one leaves it as soon as possible."""
    rng = random.Random(1)
    while table.playing:
        if table.showdown_due:
            return dealer.show_down(table, NOW).table
        choice = rng.choice(engine.legal_actions(table.hand).choices)
        table = dealer.act(table, table.seating(table.hand.actor), Action(choice.kind, choice.min), NOW).table
    return table


def refusal(call, *arguments) -> ServiceError:
    with pytest.raises(ServiceError) as refused:
        call(*arguments)
    return refused.value


def fields(error: ServiceError) -> set[str]:
    return {violation.field for violation in error.fields}
