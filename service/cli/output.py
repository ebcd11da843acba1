"""How commands speak: results on standard output, for people or as JSON; why they failed on standard error."""

import json
from typing import Any, NoReturn

import typer


def print_json(result: Any) -> None:
    """Print a result as JSON on one line, in the order of its keys."""
    typer.echo(json.dumps(result, ensure_ascii=False))


def print_table(rows: list[tuple[str, ...]], indent: str = "") -> None:
    """Print rows of text in columns that line up."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))] if rows else []
    for row in rows:
        line = "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True))
        typer.echo((indent + line).rstrip())


def fail(message: str) -> NoReturn:
    """Print why a command failed and exit with status 1."""
    typer.echo(f"Error: {message}", err=True)
    raise SystemExit(1)
