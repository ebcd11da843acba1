"""``dugout replay``: a recorded hand of seven-card stud, played again by the engine and told as a story.

Everything is open: the file says what everybody held. Cards that it does not know stay hidden.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer
from msgspec.structs import replace
from rich.console import Console

import engine
from engine.cards import HIDDEN
from engine.events import AnyEvent, CardDealt
from engine.history import History, HistoryError, Replayed, read_phh, replay
from service.cli.output import fail, print_json
from service.cli.story import Story
from service.codec import recorded_message
from service.codec_events import event_message
from service.codec_rules import rules_message


def replay_hand(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A PHH file of seven-card stud, high or high-low.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show a recorded hand step by step; status 1 if it cannot be read or ends otherwise than the file says.

    Example: dugout replay tests/data/phh/F7S/11.phh
    """
    try:
        history = read_phh(file.read_text(encoding="utf-8"))
        steps = list(replay(history))
    except (OSError, UnicodeDecodeError) as error:
        fail(f"{file} cannot be read: {error}")
    except HistoryError as error:
        fail(f"{file}: {error}")
    if as_json:
        print_json(_record(history, steps))
    else:
        _tell(history, steps)
    stacks = steps[-1].state.stacks
    if history.finishing_stacks not in ((), stacks):
        fail(f"{file}: the file ends with the stacks {list(history.finishing_stacks)}, the engine with {list(stacks)}")


def _names(history: History) -> dict[int, str]:
    names = history.names or [f"Player {seat}" for seat in range(1, len(history.stacks) + 1)]
    return dict(enumerate(names, start=1))


def _tell(history: History, steps: Iterable[Replayed]) -> None:
    names = _names(history)
    story = Story(Console(highlight=False))
    if history.title:
        typer.echo(history.title)
    story.begin(history.profile, rules_message(history.rules), names)
    table = None
    for step in steps:
        if step.events and table is not None and table.to_act_seat:
            story.turn(table)
        for event in step.events:
            known = _as_recorded(event, history)
            story.tell(event_message(known, getattr(known, "seat", None)))
        table = recorded_message(step.state, names)
    if table is not None:
        story.end(table)


def _as_recorded(event: AnyEvent, history: History) -> AnyEvent:
    """Return an event without a card that only fills in for one that the file does not know."""
    if isinstance(event, CardDealt) and event.card in history.filled_in:
        return replace(event, card=HIDDEN)
    return event


def _record(history: History, steps: list[Replayed]) -> dict[str, Any]:
    stacks = steps[-1].state.stacks
    return {
        "title": history.title,
        "profile": history.profile,
        "rules": history.rules.as_record(),
        "players": list(_names(history).values()),
        "steps": [_step_record(step) for step in steps],
        "stacks": list(stacks),
        "finishing_stacks": list(history.finishing_stacks),
        "agrees": history.finishing_stacks in ((), stacks),
    }


def _step_record(step: Replayed) -> dict[str, Any]:
    state = step.state
    legal = engine.legal_actions(state)
    return {
        "action": step.move.text if step.move is not None else None,
        "street": state.street,
        "stacks": list(state.stacks),
        "bets": [player.bet for player in sorted(state.players, key=lambda player: player.seat)],
        "pots": [{"amount": pot.amount, "seats": list(pot.seats)} for pot in state.pots],
        "to_act_seat": legal.seat,
        "legal_actions": [{"kind": str(choice.kind), "min": choice.min, "max": choice.max} for choice in legal.choices],
    }
