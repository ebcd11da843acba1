"""What redis-py's errors mean for the caller of a store."""

from collections.abc import Iterator
from contextlib import contextmanager

from redis.exceptions import (
    AuthenticationError,
    AuthorizationError,
    BusyLoadingError,
    MovedError,
    RedisError,
    ResponseError,
)

from service.store.base import StoreError, StoreUnavailable

# Error answers of a server that has not touched anything and will do better later, or elsewhere.
_REFUSALS = {
    *("ASK", "BUSY", "CLUSTERDOWN", "LOADING", "MASTERDOWN", "MISCONF", "NOAUTH"),
    *("NOREPLICAS", "OOM", "READONLY", "TRYAGAIN", "WRONGPASS"),
}


class Moved(StoreUnavailable):
    """A node of a cluster has done nothing: ``host`` (empty: the node's own) and ``port`` serve what was asked for."""

    def __init__(self, error: MovedError) -> None:
        super().__init__(f"the store is a cluster, and the data lies at {error.host}:{error.port}")
        self.host: str = error.host
        self.port: int = error.port


@contextmanager
def translated(when_lost: type[StoreUnavailable]) -> Iterator[None]:
    """Turn redis-py's errors into the store's; ``when_lost`` is what a lost or silent connection means."""
    try:
        yield
    except MovedError as error:
        raise Moved(error) from error
    except (ResponseError, BusyLoadingError, AuthenticationError, AuthorizationError) as error:
        code = error.status_code or str(error).partition(" ")[0]
        kind = StoreUnavailable if code in _REFUSALS else StoreError
        raise kind(f"the store refused: {error}") from error
    except (RedisError, OSError) as error:
        raise when_lost(f"no answer from the store: {error}") from error
