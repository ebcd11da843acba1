"""What a run of the load test is asked to do, as it is handed from the command to the process that plays."""

import json
from dataclasses import asdict, dataclass

ACTIONS_PER_SECOND = 400
"""The pace of all tables together where nobody names a think time: far below what a server takes, so that latencies
are those of the server and not of a queue in front of it."""

CALLS_TO_OPEN = 7
"""About how many calls a new table costs before its first action."""

DRAIN_S = 15.0
"""How long after the end of the run an answer may still take before its table is given up as a failure."""

WATCHDOG_S = 40.0
"""How long after the end of the run the process that plays ends itself, whatever it is doing."""


@dataclass(frozen=True, slots=True)
class Settings:
    """One run. Durations are seconds; ``players`` None means a number drawn for each table.

    ``tls_ca``, ``tls_cert`` and ``tls_key`` are files in PEM: without the first one the target is called plainly, the
    others are for a target that wants a certificate of its clients.
    """

    target: str
    operator_key: str
    tables: int
    duration_s: float
    players: int | None
    think_time_s: float
    profile: str
    seed: int
    tls_ca: str = ""
    tls_cert: str = ""
    tls_key: str = ""

    @property
    def spawn_rate(self) -> float:
        """How many tables open in a second, so that opening them is no heavier than playing them.

        The ramp takes at most a third of the run.
        """
        gentle = ACTIONS_PER_SECOND / CALLS_TO_OPEN
        return max(gentle, 3 * self.tables / self.duration_s)

    def to_json(self) -> str:
        """Return the settings as one line."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "Settings":
        """Read what ``to_json`` wrote."""
        return cls(**json.loads(text))


def paced_think_time_s(tables: int) -> float:
    """Return the mean think time at which so many tables together act ``ACTIONS_PER_SECOND`` times a second."""
    return tables / ACTIONS_PER_SECOND
