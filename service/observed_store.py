"""A store whose every operation is timed and traced."""

import time
from collections.abc import Awaitable, Callable
from inspect import iscoroutinefunction
from typing import Any, cast

from service.meters import Meters
from service.store.base import Store, StoreError
from service.tracing import Tracing


def observed(store: Store, meters: Meters, tracing: Tracing) -> Store:
    """Return a store that does what another one does, and has it counted."""
    return cast(Store, _ObservedStore(store, meters, tracing))


class _ObservedStore:
    """Every coroutine that ``Store`` names is observed; the rest is the other store's own."""

    def __init__(self, store: Store, meters: Meters, tracing: Tracing) -> None:
        self._store = store
        for name, member in vars(Store).items():
            if iscoroutinefunction(member):
                setattr(self, name, _observed(name, getattr(store, name), meters, tracing))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)


def _observed(
    operation: str, method: Callable[..., Awaitable[Any]], meters: Meters, tracing: Tracing
) -> Callable[..., Awaitable[Any]]:
    async def call(*arguments: Any, **named: Any) -> Any:
        began_s = time.perf_counter()
        with tracing.part(f"store.{operation}"):
            try:
                return await method(*arguments, **named)
            except StoreError as error:
                meters.store_failed(operation, type(error).__name__)
                raise
            finally:
                meters.store_answered(operation, time.perf_counter() - began_s)

    return call
