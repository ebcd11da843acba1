"""Damage: what is stored of a table and cannot be read."""

from collections.abc import Iterator
from contextlib import contextmanager

import structlog

from service.errors import table_damaged
from service.snapshot import SnapshotError
from service.store.base import StoreDamaged

_log = structlog.get_logger()


@contextmanager
def damage_of(table_id: str = "") -> Iterator[None]:
    """Refuse, and log, what cannot be read inside of a table, or (without one) of the lobby.

    Raises:
        ServiceError: TABLE_DAMAGED.
    """
    try:
        yield
    except (SnapshotError, StoreDamaged) as error:
        # What is wrong with it names cards and stacks: the log gets the kind of damage only.
        _log.error("table damaged", table_id=table_id, error=type(error).__name__)
        raise table_damaged(table_id) from None
