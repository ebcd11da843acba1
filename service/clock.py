"""The time of day, as the service asks for it."""

import time
from typing import Protocol


class Clock(Protocol):
    """Tells the time."""

    def now_ms(self) -> int:
        """Return milliseconds since the epoch."""


class SystemClock:
    """The clock of this machine."""

    def now_ms(self) -> int:
        """Return milliseconds since the epoch."""
        return time.time_ns() // 1_000_000
