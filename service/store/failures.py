"""What redis-py's errors mean for the caller of a store."""

from collections.abc import Iterator
from contextlib import contextmanager

from redis.exceptions import (
    AuthenticationError,
    AuthorizationError,
    BusyLoadingError,
    RedisError,
    ResponseError,
)

from service.store.base import StoreError, StoreUnavailable

# Error answers of a server that has not touched anything and will do better later, or elsewhere.
_REFUSALS = {
    *("BUSY", "CLUSTERDOWN", "LOADING", "MASTERDOWN", "MISCONF", "NOAUTH"),
    *("NOREPLICAS", "OOM", "READONLY", "TRYAGAIN", "WRONGPASS"),
}


@contextmanager
def translated(when_lost: type[StoreUnavailable]) -> Iterator[None]:
    """Turn redis-py's errors into the store's; ``when_lost`` is what a lost or silent connection means."""
    try:
        yield
    except (ResponseError, BusyLoadingError, AuthenticationError, AuthorizationError) as error:
        code = error.status_code or str(error).partition(" ")[0]
        kind = StoreUnavailable if code in _REFUSALS else StoreError
        raise kind(f"the store refused: {error}") from error
    except (RedisError, OSError) as error:
        raise when_lost(f"no answer from the store: {error}") from error
