"""``dugout odds``: how likely hands are to win before they are complete."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

import engine
from engine import KnownHand, Odds, OddsError
from engine.cards import CardError, parse_cards
from engine.odds import SAMPLES_DEFAULT, SAMPLES_MOST, SEED_MOST, OnProgress
from engine.odds_kernel import THREADS_MOST
from service.cli.output import print_json, print_table
from service.cli.profiles import ProfileOption, profile_named
from service.known_hand import parse_hand

_BAR_AFTER_S = 0.5


def show_odds(
    hands: Annotated[
        list[str],
        typer.Argument(
            metavar="HAND...", help='What is known of 2 to 7 hands, such as "(Ks ??) Kd 9c": down, then up.'
        ),
    ],
    profile: ProfileOption = "baseball",
    dead: Annotated[str, typer.Option("--dead", metavar="CARDS", help="Cards that are known to be out of play.")] = "",
    samples: Annotated[
        int,
        typer.Option("--samples", min=2, max=SAMPLES_MOST, help="Deals to draw where there are too many to try all."),
    ] = SAMPLES_DEFAULT,
    seed: Annotated[int, typer.Option("--seed", min=0, max=SEED_MOST, help="The same seed draws the same deals.")] = 1,
    threads: Annotated[
        int | None, typer.Option("--threads", min=1, max=THREADS_MOST, help="Without it, one for each processor.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Say how likely each hand is to win, if everybody stays in and buys every bonus card.

    Down cards stand in parentheses and may be unknown (??) or left out; the first up card is the door card.

    Example: dugout odds "(Ks Kh) Kd 9c" "(??) 4h 5d" --profile baseball
    """
    rules = profile_named(profile)
    known = [_hand(text, place) for place, text in enumerate(hands, 1)]
    try:
        with _bar() as on_progress:
            found = engine.odds(
                rules,
                known,
                _dead(dead),
                samples=samples,
                seed=seed,
                threads=threads or min(os.cpu_count() or 1, THREADS_MOST),
                on_progress=on_progress,
            )
    except OddsError as error:
        raise typer.BadParameter(error.reason, param_hint=_parameter(error.argument)) from None
    if as_json:
        print_json(_record(found, seed))
    else:
        _print_for_people(found, hands, seed)


def _hand(text: str, place: int) -> KnownHand:
    try:
        return parse_hand(text)
    except CardError as error:
        raise typer.BadParameter(str(error), param_hint=f"HAND {place}") from None


def _dead(text: str) -> tuple[int, ...]:
    try:
        return parse_cards(text)
    except CardError as error:
        raise typer.BadParameter(str(error), param_hint="--dead") from None


def _parameter(argument: str) -> str:
    """Return where on the command line an argument of ``engine.odds`` comes from."""
    if argument.startswith("hands["):
        return f"HAND {int(argument[len('hands[') : argument.index(']')]) + 1}"
    return {"hands": "HAND", "rules": "--profile"}.get(argument, f"--{argument}")


@contextmanager
def _bar() -> Iterator[OnProgress]:
    """Show on standard error, if that is a terminal, how far a long run has come."""
    console = Console(stderr=True)
    progress = Progress(BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), console=console, transient=True)
    bar_from_s = time.monotonic() + _BAR_AFTER_S

    def on_progress(done: int, samples: int) -> None:
        if console.is_terminal and not progress.live.is_started and time.monotonic() > bar_from_s:
            progress.add_task("deals", total=samples)
            progress.start()
        for task in progress.task_ids:
            progress.update(task, completed=done)

    try:
        yield on_progress
    finally:
        if progress.live.is_started:
            progress.stop()


def _record(found: Odds, seed: int) -> dict[str, Any]:
    return {
        "exact": found.exact,
        "deals": found.tried,
        "seed": seed,
        "hands": [
            {
                "win": seat.win_chance,
                "split": seat.tie_chance,
                "equity": seat.equity,
                "standard_error": seat.standard_error,
            }
            for seat in found.seats
        ],
    }


def _print_for_people(found: Odds, hands: list[str], seed: int) -> None:
    rows: list[tuple[str, ...]] = [("HAND", "WINS", "SPLITS", "SHARE", "" if found.exact else "STANDARD ERROR")]
    for text, seat in zip(hands, found.seats, strict=True):
        error = "" if found.exact else f"{seat.standard_error:.3%}"
        rows.append((text, f"{seat.win_chance:.2%}", f"{seat.tie_chance:.2%}", f"{seat.equity:.2%}", error))
    print_table(rows)
    typer.echo(
        f"Exact: all {found.tried:,} ways to deal on." if found.exact else f"{found.tried:,} random deals, seed {seed}."
    )
