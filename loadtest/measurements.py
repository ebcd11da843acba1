"""What a run measured: how often each RPC was called, how long it took, what was played and what was violated."""

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

KEPT_EXAMPLES = 20
"""How many failures and violations are kept word for word; all of them are counted."""


class Latencies:
    """How long calls took: a histogram that keeps three significant digits of the microseconds.

    Its size does not grow with the number of calls, and percentiles are off by half a percent at most.
    """

    def __init__(self) -> None:
        self._counts: Counter[int] = Counter()

    def add(self, seconds: float) -> None:
        """Count one call."""
        microseconds = max(0, round(seconds * 1e6))
        unit = 10 ** max(0, len(str(microseconds)) - 3)
        self._counts[round(microseconds / unit) * unit] += 1

    def merge(self, other: "Latencies") -> None:
        """Count all calls of another histogram too."""
        self._counts.update(other._counts)

    def percentile_ms(self, share: float) -> float | None:
        """Return the milliseconds that ``share`` (0 to 1) of the calls did not exceed; None without calls."""
        calls = self._counts.total()
        seen = 0
        for microseconds, count in sorted(self._counts.items()):
            seen += count
            if seen >= share * calls:
                return microseconds / 1000
        return None


class Violation(NamedTuple):
    """A check that a reply did not pass. The words never hold a card."""

    table_id: str
    rpc: str
    check: str
    expected: str
    seen: str

    def __str__(self) -> str:
        return f"{self.table_id} {self.rpc} {self.check}: expected {self.expected}, saw {self.seen}"


@dataclass(slots=True)
class RpcMeasurement:
    """The calls of one RPC; a call that was tried again counts once, with the time of all its attempts."""

    calls: int = 0
    failures: int = 0
    retries: int = 0
    latencies: Latencies = field(default_factory=Latencies)


class Measurements:
    """Everything that one process measured. Not safe for threads: greenlets switch only in calls."""

    def __init__(self) -> None:
        self.hands = 0
        self.actions = 0
        self.failures = 0
        self.violations = 0
        self.by_rpc: dict[str, RpcMeasurement] = {}
        self.failure_examples: list[str] = []
        self.violation_examples: list[str] = []

    def add_call(self, rpc: str, seconds: float, retries: int, failure: str | None) -> None:
        """Count a call that was answered, or that failed with ``failure`` in words."""
        measured = self.by_rpc.setdefault(rpc, RpcMeasurement())
        measured.calls += 1
        measured.retries += retries
        measured.latencies.add(seconds)
        if failure is not None:
            measured.failures += 1
            self.add_failure(f"{rpc}: {failure}")

    def add_failure(self, words: str) -> None:
        """Count something that went wrong."""
        self.failures += 1
        if len(self.failure_examples) < KEPT_EXAMPLES:
            self.failure_examples.append(words)

    def add_violations(self, violations: list[Violation]) -> None:
        """Count what a reply violated."""
        self.violations += len(violations)
        room = KEPT_EXAMPLES - len(self.violation_examples)
        self.violation_examples += [str(violation) for violation in violations[:room]]
