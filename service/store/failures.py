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

from service.store.base import StoreDamaged, StoreError, StoreUnavailable

# Error answers of a server that has not touched anything and will do better later, or elsewhere.
_REFUSALS = {
    *("ASK", "BUSY", "CLUSTERDOWN", "LOADING", "MASTERDOWN", "MISCONF", "NOAUTH"),
    *("NOREPLICAS", "OOM", "READONLY", "TRYAGAIN", "WRONGPASS"),
}

_DENIED_IN_A_SCRIPT = ("ACL failure in script", "The user executing the script can't")

_BEHIND_ITS_STREAM = "equal or smaller than the target stream top item"
"""The table is at an older version than its events."""


class Moved(StoreUnavailable):
    """A node of a cluster has done nothing: ``host`` (empty: the node's own) and ``port`` serve what was asked for."""

    def __init__(self, error: MovedError) -> None:
        super().__init__(f"the store is a cluster, and the data lies at {error.host}:{error.port}")
        self.host: str = error.host
        self.port: int = error.port


def refused(error: RedisError, when_lost: type[StoreUnavailable] = StoreUnavailable) -> StoreError:
    """Return what an error answer means; ``when_lost`` where nobody can tell what was done before it."""
    said = f"the store refused: {error}"
    code = getattr(error, "status_code", None) or _code(str(error))
    if code in _REFUSALS:
        return StoreUnavailable(said)
    if code == "NOPERM" or any(denied in str(error) for denied in _DENIED_IN_A_SCRIPT):
        # A script may have come across what its user must not do in the middle.
        return when_lost(said)
    if code == "WRONGTYPE" or _BEHIND_ITS_STREAM in str(error):
        return StoreDamaged(said)
    return StoreError(said)


def _code(message: str) -> str:
    """Return what an error answer begins with; redis-py puts words of its own before those of a pipeline."""
    _, annotated, answer = message.partition("of pipeline caused error: ('")
    return (answer if annotated else message).partition(" ")[0]


@contextmanager
def readable(what: str) -> Iterator[None]:
    """Turn what goes wrong with an answer that was taken apart inside into StoreDamaged."""
    try:
        yield
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise StoreDamaged(f"{what} cannot be read") from error


@contextmanager
def translated(when_lost: type[StoreUnavailable]) -> Iterator[None]:
    """Turn redis-py's errors into the store's; ``when_lost`` is what a lost or silent connection means."""
    try:
        yield
    except MovedError as error:
        raise Moved(error) from error
    except (ResponseError, BusyLoadingError, AuthenticationError, AuthorizationError) as error:
        raise refused(error, when_lost) from error
    except (RedisError, OSError) as error:
        raise when_lost(f"no answer from the store: {error}") from error
