"""The command ``dugout``.

Each subcommand lives in a module of its own that is imported when it is called, and only then: ``dugout eval`` never
loads grpc, and the load test, which belongs to another package, is found through the entry points ``dugout.commands``.
"""

import ast
import codecs
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points, version
from importlib.util import find_spec
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated

import typer

from service.cli.output import fail

_OWN_PACKAGES = frozenset({"engine", "service", "loadtest", "proto"})

_COMMANDS = {
    "serve": ("service.cli.serve", "serve", "Serve tables over gRPC until it is told to stop."),
    "demo": ("service.cli.demo", "demo", "Play one hand of Baseball against a real server and print it."),
    "eval": ("service.cli.eval", "evaluate_hand", "Say what a hand is worth."),
    "odds": ("service.cli.odds", "show_odds", "Say how likely hands are to win before they are complete."),
    "replay": ("service.cli.replay", "replay_hand", "Show a recorded hand of seven-card stud step by step."),
    "rules": ("service.cli.rules", "show_rules", "List the games, show one, or compare two."),
    "tables": ("service.cli.tables", "tables", "Look at live tables as an operator."),
    "bench": ("service.cli.bench", "bench", "Measure a part of Dugout beside its peers, or prove it."),
    "simulate": ("service.cli.simulate", "simulate", "Play random hands in the engine and check every step."),
}
"""Module, function and one line of help of each command of this package."""


def application(called: str | None = None) -> typer.Typer:
    """Return the Typer application; of all commands only ``called`` is imported, the others can just be listed."""
    app = typer.Typer(
        name="dugout",
        help="Baseball poker as a gRPC service.",
        add_completion=False,
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )
    app.callback()(_global_options)
    elsewhere = {entry.name: entry for entry in entry_points(group="dugout.commands")}
    for name, (module, function, summary) in _COMMANDS.items():
        command = getattr(import_module(module), function) if name == called else _not_called
        app.command(name, short_help=summary)(command)
    for name, entry in sorted(elsewhere.items()):
        command = entry.load() if name == called else _not_called
        app.command(name, short_help=_summary_of(entry))(command)
    return app


def main(arguments: Sequence[str] | None = None) -> None:
    """Run ``dugout`` and exit with 0 for success, 1 for failure, 2 for bad usage."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    _write_more_than_ascii()
    called = next((word for word in words if not word.startswith("-")), None)
    try:
        application(called)(args=words, prog_name="dugout")
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.partition(".")[0] in _OWN_PACKAGES:
            raise
        fail(f"dugout {called} needs the Python module {missing.name}: install dugout[loadtest]")


def _write_more_than_ascii() -> None:
    """Write UTF-8 where the locale is none, as Typer does by itself: suits are no ASCII."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper) and codecs.lookup(stream.encoding).name == "ascii":
            stream.reconfigure(encoding="utf-8")


def _not_called() -> None:
    raise AssertionError("a command that was not named on the command line has been run")


def _summary_of(entry: EntryPoint) -> str:
    """Return the first sentence of a command's documentation, read from its source without running it."""
    spec = find_spec(entry.module)
    if spec is None or spec.origin is None:
        return f"Missing: {entry.value} is not installed."
    for statement in ast.parse(Path(spec.origin).read_bytes()).body:
        if isinstance(statement, ast.FunctionDef) and statement.name == entry.attr:
            return (ast.get_docstring(statement) or "").partition("\n")[0]
    return f"Missing: {entry.value} does not exist."


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(version("dugout"))
        raise typer.Exit


def _global_options(
    show_version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Baseball poker as a gRPC service."""
