"""How often somebody may call: a token bucket for each, in bounded memory.

A bucket holds two seconds' worth of requests and fills at an even rate. Time is handed in; a clock that is set back
only makes a bucket fill later, never emptier. All arithmetic is in whole thousandths of a request, so that the time to
wait is exact.
"""

from collections import OrderedDict
from collections.abc import Hashable

BURST_S = 2
"""A bucket that has rested holds what fills in so many seconds."""

_BUCKETS_MOST = 10_000
_WHOLE = 1000


class Buckets:
    """The buckets of one kind of callers, each ``per_second`` requests a second; 0: no limit.

    At most ``most`` are remembered; the one longest out of use goes first, and its owner starts with a full one.
    """

    def __init__(self, per_second: int, most: int = _BUCKETS_MOST) -> None:
        if per_second < 0:
            raise ValueError(f"per_second is {per_second}, it must not be negative")
        self.per_second = per_second
        self._room = per_second * BURST_S * _WHOLE
        self._most = most
        # What is missing from each bucket, in thousandths, and when that was so.
        self._used: OrderedDict[Hashable, tuple[int, int]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._used)

    def take(self, owner: Hashable, requests: int, now_ms: int) -> int:
        """Take so many requests out of the owner's bucket and return 0.

        If there are not so many in it, take none and return the milliseconds until there are. More than a bucket holds
        counts as all that it holds.
        """
        if not self.per_second:
            return 0
        used, since_ms = self._used.get(owner, (0, now_ms))
        # A thousandth of a request for each of ``per_second`` comes back in each millisecond.
        used = max(used - self.per_second * max(now_ms - since_ms, 0), 0)
        wanted = used + min(requests * _WHOLE, self._room)
        short = max(wanted - self._room, 0)
        self._remember(owner, used if short else wanted, now_ms)
        return -(-short // self.per_second)

    def _remember(self, owner: Hashable, used: int, now_ms: int) -> None:
        self._used[owner] = (used, now_ms)
        self._used.move_to_end(owner)
        if len(self._used) > self._most:
            self._used.popitem(last=False)
