"""The report of a run: the numbers as JSON, and the same as tables for people."""

from dataclasses import asdict, dataclass, field
from typing import Any

from rich.console import Console
from rich.table import Table

from loadtest.measurements import Latencies, Measurements
from loadtest.settings import Settings


@dataclass(frozen=True, slots=True)
class RpcReport:
    """One RPC: latencies in milliseconds, from the call to the reply, attempts after a lost connection included."""

    calls: int
    failures: int
    retries: int
    p50_ms: float | None
    p95_ms: float | None
    p99_ms: float | None


@dataclass(frozen=True, slots=True)
class Report:
    """A whole run. ``seconds`` is from the first table to the last reply; percentiles are over all calls."""

    hands: int
    actions: int
    actions_per_second: float
    failures: int
    violations: int
    seconds: float
    p50_ms: float | None
    p95_ms: float | None
    p99_ms: float | None
    by_rpc: dict[str, RpcReport]
    generator_cpu: float
    """How much of a core the load test itself used: near 1 its latencies are partly its own."""
    failure_examples: list[str] = field(default_factory=list)
    violation_examples: list[str] = field(default_factory=list)

    @property
    def clean(self) -> bool:
        """Whether something was played and all of it was as it should be."""
        return self.actions > 0 and self.failures == 0 and self.violations == 0

    def numbers(self) -> dict[str, Any]:
        """Return what ``--json`` prints."""
        fields = self.to_fields()
        del fields["generator_cpu"], fields["failure_examples"], fields["violation_examples"]
        return fields

    def to_fields(self) -> dict[str, Any]:
        """Return the whole report in values that JSON has."""
        return asdict(self)

    @classmethod
    def from_fields(cls, fields: dict[str, Any]) -> "Report":
        """Read what ``to_fields`` returned."""
        by_rpc = {rpc: RpcReport(**values) for rpc, values in fields["by_rpc"].items()}
        return cls(**{**fields, "by_rpc": by_rpc})


def report_of(measurements: Measurements, seconds: float, generator_cpu: float) -> Report:
    """Return the report of what was measured in ``seconds`` by a process that used so much of a core."""
    everything = Latencies()
    by_rpc = {}
    for rpc, measured in sorted(measurements.by_rpc.items()):
        everything.merge(measured.latencies)
        by_rpc[rpc] = RpcReport(
            calls=measured.calls,
            failures=measured.failures,
            retries=measured.retries,
            p50_ms=measured.latencies.percentile_ms(0.50),
            p95_ms=measured.latencies.percentile_ms(0.95),
            p99_ms=measured.latencies.percentile_ms(0.99),
        )
    return Report(
        hands=measurements.hands,
        actions=measurements.actions,
        actions_per_second=round(measurements.actions / seconds, 1),
        failures=measurements.failures,
        violations=measurements.violations,
        seconds=round(seconds, 2),
        p50_ms=everything.percentile_ms(0.50),
        p95_ms=everything.percentile_ms(0.95),
        p99_ms=everything.percentile_ms(0.99),
        by_rpc=by_rpc,
        generator_cpu=round(generator_cpu, 2),
        failure_examples=measurements.failure_examples,
        violation_examples=measurements.violation_examples,
    )


def print_report(report: Report, settings: Settings, console: Console) -> None:
    """Print what was played and the tables of what was measured."""
    players = "2 to 6" if settings.players is None else str(settings.players)
    console.print(
        f"{settings.tables} tables of {settings.profile} with {players} players, "
        f"{settings.think_time_s * 1000:.0f} ms to think on average, seed {settings.seed}",
        highlight=False,
        soft_wrap=True,
    )
    totals = Table(title="Load test", show_header=False)
    totals.add_column()
    totals.add_column(justify="right")
    totals.add_row("hands", f"{report.hands:,}")
    totals.add_row("actions", f"{report.actions:,}")
    totals.add_row("actions per second", f"{report.actions_per_second:,.1f}")
    totals.add_row("seconds", f"{report.seconds:.1f}")
    totals.add_row("used by the load test", f"{report.generator_cpu:.0%} of a core")
    totals.add_row("failures", _must_be_zero(report.failures))
    totals.add_row("violated checks", _must_be_zero(report.violations))
    console.print(totals)

    rpcs = Table(title="Calls, latencies in milliseconds")
    rpcs.add_column("RPC")
    for heading in ("calls", "failures", "retries", "p50", "p95", "p99"):
        rpcs.add_column(heading, justify="right")
    for name, rpc in report.by_rpc.items():
        rpcs.add_row(
            name,
            f"{rpc.calls:,}",
            _must_be_zero(rpc.failures),
            f"{rpc.retries:,}",
            *map(_milliseconds, (rpc.p50_ms, rpc.p95_ms, rpc.p99_ms)),
        )
    rpcs.add_section()
    rpcs.add_row(
        "all",
        f"{sum(rpc.calls for rpc in report.by_rpc.values()):,}",
        _must_be_zero(report.failures),
        f"{sum(rpc.retries for rpc in report.by_rpc.values()):,}",
        *map(_milliseconds, (report.p50_ms, report.p95_ms, report.p99_ms)),
    )
    console.print(rpcs)


def _must_be_zero(count: int) -> str:
    return "0" if count == 0 else f"[bold red]{count:,}[/]"


def _milliseconds(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"
