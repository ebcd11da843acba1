"""What a worker counts about itself; the parent shows the sum over all workers on the metrics port.

A ``Meters`` is handed to whatever has something to count, and everybody calls it by what happened::

    meters.call_ended("stud.v1.TableService/Act", "OK", seconds)     the interceptor, for every call
    meters.store_answered("commit", seconds)                         the store, and store_failed("commit", kind)
    meters.table_known()                                             the table writer, and commit_conflicted()
    meters.deadline_played(lateness_s)                               whoever plays for a player out of time
    meters.rate_limited("caller")                                    whoever refuses a call as one too many
    meters.watching(count), meters.tables_live(count)                whoever knows how many there are now

Label values come from this program (names of its RPCs, reasons, operations), never from a client: their number is
bounded, and no player, card or secret can be among them.

Without more said the numbers lie in memory and ``text`` shows them. In a worker process ``share`` is called first: the
numbers of the process then lie in mapped files of a folder that the parent reads. What a killed worker has counted
stays there, and the worker in its place, which gets the same number, counts on from it; so sums never go down.

What happens with every call is counted in plain integers, which takes a tenth of the time, and carried over by
``flush``, some times a second: that much is missing from the sums when a worker is killed.
"""

import os
from bisect import bisect_left
from typing import Any

import msgspec
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest, values

_RPC_BOUNDS_S = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_STORE_BOUNDS_S = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
_LATENESS_BOUNDS_S = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)

UNKNOWN_RPC = "unknown"
"""The name under which calls of RPCs that do not exist are counted: theirs are the caller's invention."""


class Place(msgspec.Struct, frozen=True):
    """Which of the workers a process is: its number, and the folder for the meters of all of them."""

    number: int
    folder: str


def share(place: Place) -> None:
    """Have all meters that this process makes from now on lie in the folder, under the worker's number."""
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = place.folder
    values.ValueClass = values.MultiProcessValue(lambda: place.number)  # type: ignore[no-untyped-call]


class _Count:
    """A counter on the way to its metric."""

    __slots__ = ("_metric", "pending")

    def __init__(self, metric: Counter) -> None:
        self._metric = metric
        self.pending = 0

    def flush(self) -> None:
        if self.pending:
            self._metric.inc(self.pending)
            self.pending = 0


class _Tally:
    """A histogram on the way to its metric."""

    __slots__ = ("_bounds_s", "_buckets", "_metric", "_sum_s")

    def __init__(self, metric: Histogram, bounds_s: tuple[float, ...]) -> None:
        self._metric = metric
        self._bounds_s = bounds_s
        self._buckets = [0] * (len(bounds_s) + 1)
        self._sum_s = 0.0

    def observe(self, seconds: float) -> None:
        self._buckets[bisect_left(self._bounds_s, seconds)] += 1
        self._sum_s += seconds

    def flush(self) -> None:
        if not any(self._buckets):
            return
        # The package can only be told one observation after the other; this is what it does with each.
        metric: Any = self._metric
        metric._sum.inc(self._sum_s)
        for place, count in enumerate(self._buckets):
            if count:
                metric._buckets[place].inc(count)
                self._buckets[place] = 0
        self._sum_s = 0.0


class Meters:
    """The numbers of one worker. Times are seconds."""

    def __init__(self) -> None:
        registry = self._registry = CollectorRegistry()

        def counter(name: str, meaning: str, *labels: str) -> Counter:
            return Counter(f"dugout_{name}", meaning, labels, registry=registry)

        def gauge(name: str, meaning: str, mode: str, *labels: str) -> Gauge:
            return Gauge(f"dugout_{name}", meaning, labels, registry=registry, multiprocess_mode=mode)  # type: ignore[arg-type]

        def histogram(name: str, meaning: str, bounds: tuple[float, ...], *labels: str) -> Histogram:
            return Histogram(f"dugout_{name}", meaning, labels, registry=registry, buckets=bounds)

        self._calls = counter("rpcs_total", "Calls that have ended, by RPC and reason (OK: none).", "rpc", "reason")
        self._call_s = histogram("rpc_seconds", "Duration of calls that are no streams.", _RPC_BOUNDS_S, "rpc")
        self._streams = gauge("streams", "Streams that are open.", "livesum", "rpc")
        self._store_s = histogram("store_seconds", "Duration of what the store did.", _STORE_BOUNDS_S, "operation")
        self._store_errors = counter("store_errors_total", "What the store failed to do.", "operation", "error")
        self._conflicts = counter("commit_conflicts_total", "Commits that lost a race and were worked out again.")
        cached = counter("table_cache_hits_total", "Loads of tables whose snapshot was known already.")
        self._watchers = gauge("watchers", "Watchers of tables.", "livesum")
        self._tables = gauge("tables_live", "Tables in the store, looked up now and then.", "livemostrecent")
        self._played = counter("deadlines_played_total", "Turns that were played because time ran out.")
        self._lateness_s = histogram(
            "deadline_lateness_seconds", "How long after their deadlines turns were played.", _LATENESS_BOUNDS_S
        )
        self._limited = counter("rate_limited_total", "Calls refused as one too many, by whose limit it was.", "limit")
        self._known = _Count(cached)
        self._calls_by_end: dict[tuple[str, str], _Count] = {}
        self._call_s_by_rpc: dict[str, _Tally] = {}
        self._store_s_by_operation: dict[str, _Tally] = {}

    def call_ended(self, rpc: str, reason: str, seconds: float | None) -> None:
        """Count a call; ``reason`` is ``OK`` or why it was refused, ``seconds`` None for a stream."""
        ended = self._calls_by_end.get((rpc, reason))
        if ended is None:
            ended = self._calls_by_end[rpc, reason] = _Count(self._calls.labels(rpc, reason))
        ended.pending += 1
        if seconds is None:
            return
        duration = self._call_s_by_rpc.get(rpc)
        if duration is None:
            duration = self._call_s_by_rpc[rpc] = _Tally(self._call_s.labels(rpc), _RPC_BOUNDS_S)
        duration.observe(seconds)

    def stream_opened(self, rpc: str) -> None:
        """Count a stream that begins."""
        self._streams.labels(rpc).inc()

    def stream_closed(self, rpc: str) -> None:
        """Count a stream that has ended, besides ``call_ended``."""
        self._streams.labels(rpc).dec()

    def store_answered(self, operation: str, seconds: float) -> None:
        """Count what the store did, with how long it took."""
        duration = self._store_s_by_operation.get(operation)
        if duration is None:
            duration = _Tally(self._store_s.labels(operation), _STORE_BOUNDS_S)
            self._store_s_by_operation[operation] = duration
        duration.observe(seconds)

    def store_failed(self, operation: str, error: str) -> None:
        """Count what the store failed to do; ``error`` is the kind of the error, not its text."""
        self._store_errors.labels(operation, error).inc()

    def commit_conflicted(self) -> None:
        """Count a commit that somebody else was faster than."""
        self._conflicts.inc()

    def table_known(self) -> None:
        """Count a table that was loaded and whose snapshot did not have to be decoded."""
        self._known.pending += 1

    def watching(self, count: int) -> None:
        """Say how many watchers this worker has now."""
        self._watchers.set(count)

    def tables_live(self, count: int) -> None:
        """Say how many tables there are in the store now."""
        self._tables.set(count)

    def deadline_played(self, lateness_s: float) -> None:
        """Count a turn that was played because its time ran out, so long after its deadline."""
        self._played.inc()
        self._lateness_s.observe(max(lateness_s, 0.0))

    def rate_limited(self, limit: str) -> None:
        """Count a call that was refused as one too many; ``limit`` says whose limit: caller, peer or streams."""
        self._limited.labels(limit).inc()

    def flush(self) -> None:
        """Carry over what was counted in plain integers."""
        self._known.flush()
        for by_key in (self._calls_by_end, self._call_s_by_rpc, self._store_s_by_operation):
            for each in by_key.values():
                each.flush()

    def text(self) -> str:
        """Return the numbers of this process alone, in the text format of Prometheus."""
        self.flush()
        return generate_latest(self._registry).decode()
