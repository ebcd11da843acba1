"""``dugout bench``: measurements on this machine, each beside what it is to be compared with."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from importlib import import_module
from typing import Annotated, Any

import typer

from service.cli.output import print_json, print_table


class Part(StrEnum):
    """What can be measured."""

    ENGINE = "engine"


_MEASURES: Mapping[Part, tuple[str, str]] = {Part.ENGINE: ("service.cli.bench_engine", "measure_engine")}
"""Module and function of each part; only the one that is asked for is imported."""


def bench(
    part: Annotated[Part, typer.Argument(help="What to measure.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Measure a part of Dugout on this machine.

    Example: dugout bench engine
    """
    module, function = _MEASURES[part]
    measure: Callable[[], dict[str, Any]] = getattr(import_module(module), function)
    measured = measure()
    if as_json:
        print_json(measured)
        return
    print_table([(row["name"], f"{row['value']:>12,.1f}", row["unit"]) for row in measured["rows"]])
    for name, ratio in measured["ratios"].items():
        typer.echo(f"{name}: {ratio}")
