"""When a worker dies so often that it will not get better by itself."""

from collections import deque

DEATHS = 5
WINDOW_S = 60.0


class CrashLoop:
    """The deaths of one worker and of those in its place: five within a minute are a loop.

    Instants are seconds of a clock that never goes back.
    """

    def __init__(self) -> None:
        self._deaths_s: deque[float] = deque(maxlen=DEATHS)

    def died(self, now_s: float) -> bool:
        """Note a death, and say whether a loop begins with it."""
        looped = self.looping(now_s)
        self._deaths_s.append(now_s)
        return not looped and self.looping(now_s)

    def looping(self, now_s: float) -> bool:
        """Say whether the worker is in a loop; it is out of it once it has not died so often for the window."""
        return len(self._deaths_s) == DEATHS and now_s - self._deaths_s[0] <= WINDOW_S
