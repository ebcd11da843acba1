"""``dugout bench``: how fast it is, beside what else there is, and whether it is right."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from service.cli import deadline_bench, engine_bench, evaluator_bench, evaluator_proof, service_bench
from service.cli.output import print_json, print_table


class Subject(StrEnum):
    """What can be measured."""

    EVALUATOR = "evaluator"
    ENGINE = "engine"
    SERVICE = "service"
    DEADLINES = "deadlines"


def bench(
    subject: Annotated[Subject, typer.Argument(help="What to measure.", show_default=False)],
    hands: Annotated[int, typer.Option("--hands", min=32, help="Random hands to value; evaluator only.")] = 1 << 20,
    seed: Annotated[int, typer.Option("--seed", help="The same seed deals the same hands.")] = 1,
    exhaustive: Annotated[
        bool, typer.Option("--exhaustive", help="Value every hand instead; evaluator only, some minutes.")
    ] = False,
    watchers: Annotated[
        int, typer.Option("--watchers", min=1, max=10_000, help="How many watch one table; service only, Linux only.")
    ] = 5000,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Measure a part of Dugout, beside its peers where it has some (extra: bench); status 1 if a proof fails.

    Example: dugout bench evaluator
    """
    if exhaustive and subject != Subject.EVALUATOR:
        raise typer.BadParameter("belongs to the evaluator", param_hint="--exhaustive")
    if subject == Subject.ENGINE:
        _print_rows(engine_bench.measure_engine(), as_json)
    elif subject == Subject.SERVICE:
        _print_rows(service_bench.measure_service(watchers), as_json)
    elif subject == Subject.DEADLINES:
        _print_rows(deadline_bench.measure_deadlines(), as_json)
    elif exhaustive:
        _prove(as_json)
    else:
        _measure_evaluator(hands, seed, as_json)


def _print_rows(result: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_json(result)
        return
    print_table([(row["name"], f"{row['value']:>12,.1f}", row["unit"]) for row in result["rows"]])
    for name, ratio in result["ratios"].items():
        typer.echo(f"{name}: {ratio}")


def _measure_evaluator(hands: int, seed: int, as_json: bool) -> None:
    with _progress("hands", hands) as advance:
        found, missing = evaluator_bench.measure(hands, seed, advance)
    result = evaluator_bench.results(found, missing)
    if as_json:
        print_json(result)
        return
    rows: list[tuple[str, ...]] = [("", "", "", "TIMES OURS")]
    for row in result["rows"]:
        value = "" if row["value"] is None else f"{row['value']:,.1f}"
        ratio = result["ratios"].get(row["name"])
        rows.append((row["name"], value.rjust(9), row["unit"], "" if ratio is None else f"{ratio:10,.3f}"))
    print_table(rows)


def _prove(as_json: bool) -> None:
    started = time.perf_counter()
    findings: list[evaluator_proof.Finding] = []
    with _progress("hands", evaluator_proof.hands_to_value()) as advance:
        for finding in evaluator_proof.prove(advance):
            findings.append(finding)
            if not as_json:
                typer.echo(_line(finding))
    seconds = time.perf_counter() - started
    wrong = [finding for finding in findings if not finding.holds]
    if as_json:
        rows: list[dict[str, Any]] = [
            {"name": finding.name, "value": finding.found, "unit": "hands" if finding.holds else "hands, WRONG"}
            for finding in findings
        ]
        rows.append({"name": "time", "value": round(seconds, 1), "unit": "s"})
        print_json({"rows": rows, "ratios": {}})
    else:
        typer.echo(f"{evaluator_proof.hands_to_value():,} hands in {seconds:,.0f} s: {len(wrong)} findings are wrong")
    if wrong:
        raise typer.Exit(1)


def _line(finding: evaluator_proof.Finding) -> str:
    def shown(thing: object) -> str:
        return " / ".join(map(shown, thing)) if isinstance(thing, tuple) else f"{thing:,}"

    if finding.holds:
        return f"ok     {finding.name}: {shown(finding.found)}"
    return f"WRONG  {finding.name}: {shown(finding.found)} instead of {shown(finding.expected)}"


@contextmanager
def _progress(what: str, total: int) -> Iterator[evaluator_proof.Advance]:
    """Show a bar on standard error, where somebody looks at it."""
    console = Console(stderr=True)
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(what, total=total)
        yield lambda done: progress.advance(task, done)
