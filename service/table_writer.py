"""How a table changes: load it, work out the change, commit it, and again if somebody else was faster.

A caller that names an etag gets exactly one attempt on that etag. Without one, a change that lost a race is
worked out again on the newer table, so that what has become illegal is refused and what is still right goes
through. A request id that was used before is looked up wherever a change is refused or found to be done
already: on the way that succeeds, the store finds it by itself.
"""

import asyncio
import hashlib
import random
import secrets
from collections import OrderedDict
from collections.abc import Callable

import msgspec
from msgspec.structs import replace

from service import timetable
from service.clock import Clock
from service.credentials import Anonymous, Caller
from service.damage import damage_of
from service.errors import FieldViolation, Reason, ServiceError
from service.meters import Meters
from service.snapshot import (
    SnapshotError,
    decode_happening,
    decode_table,
    encode_happening,
    encode_record,
    encode_summary,
    encode_table,
)
from service.store.base import Commit, Committed, Conflict, FinishedHand, Repeat, RequestKey, Store
from service.table import Change, Table
from service.table_events import Happening
from service.tracing import NoTracing, Tracing

_ATTEMPTS = 12
_PAUSE_FIRST_S = 0.002
_PAUSE_MOST_S = 0.1
_TABLES_KNOWN = 1024


class Mutation(msgspec.Struct, frozen=True):
    """A request that changes a table, apart from what it asks for.

    ``body`` is a digest of the whole request, the etag included: the same request id with another etag is
    another request.
    """

    rpc: str
    table_id: str
    request_id: str = ""
    etag: str = ""
    body: bytes = b""


class Written(msgspec.Struct, frozen=True):
    """A change that is stored: now, or by an earlier call with the same request id.

    ``table`` is the table as it is now; ``version``, ``etag``, ``happening`` and ``result`` are those of the
    commit. The happening is None where it is no longer kept.
    """

    table: Table
    version: int
    etag: str
    happening: Happening | None
    result: bytes = b""


class Deleted(msgspec.Struct, frozen=True):
    """The end of a table: now, or by an earlier call with the same request id.

    The happening is None where it is no longer kept.
    """

    version: int
    etag: str
    happening: Happening | None
    result: bytes


class TableWriter:
    """Reads tables from a store and commits changes of them.

    A table that nobody changes for ``idle_ttl_ms`` is due to be deleted; 0: tables stay.
    """

    def __init__(
        self,
        store: Store,
        clock: Clock,
        meters: Meters | None = None,
        tracing: Tracing | None = None,
        *,
        idle_ttl_ms: int = 0,
    ) -> None:
        self._store = store
        self._clock = clock
        self._meters = meters or Meters()
        self._tracing = tracing or NoTracing()
        self._idle_ttl_ms = idle_ttl_ms
        # Tables as they were last read or written here. The store says by the etag, which is never used twice, whether
        # one is still current: that saves reading and checking it again, and can never show an old one.
        self._known: OrderedDict[str, Table] = OrderedDict()

    async def load(self, table_id: str) -> Table | None:
        """Return the table as it is now, None if it does not exist.

        Raises:
            ServiceError: TABLE_DAMAGED if what is stored cannot be read.
        """
        with damage_of(table_id):
            stored = await self._store.load(table_id)
            if stored is None:
                return None
            known = self._known.get(table_id)
            if known is not None and known.etag == stored.etag:
                self._meters.table_known()
                return known
            table = decode_table(stored.snapshot)
            if (table_id, stored.version, stored.etag) != (table.table_id, table.version, table.etag):
                raise SnapshotError("the snapshot is that of another table or version")
        self._remember(table)
        return table

    async def happening(self, table_id: str, version: int) -> Happening | None:
        """Return what the commit of a version published, None if that is no longer kept.

        Raises:
            ServiceError: TABLE_DAMAGED if it cannot be read.
        """
        with damage_of(table_id):
            page = await self._store.events(table_id, version - 1, 1)
            if not page.events or page.events[0].version != version:
                return None
            return decode_happening(page.events[0].payload)

    async def create(self, caller: Caller, mutation: Mutation, change: Change) -> Written:
        """Commit a new table.

        Raises:
            ServiceError: if the request id made another one.
        """
        key = _request_key(caller, change.table.tenant, mutation)
        outcome = await self._commit(None, change, key)
        if isinstance(outcome, Written):
            return outcome
        if isinstance(outcome, Repeat):
            return await self._repeated(mutation, outcome)
        # The id of a table follows from tenant and request id: another key of the tenant used this one, or
        # the same caller did so long ago that it is forgotten.
        raise _request_id_reused(mutation)

    async def change(
        self,
        caller: Caller,
        mutation: Mutation,
        admit: Callable[[Table | None], Table],
        work_out: Callable[[Table], Change | None],
    ) -> Written:
        """Commit what ``work_out`` makes of the table that ``admit`` lets through; None: it is as wanted
        already.

        Raises:
            ServiceError: what ``admit`` and ``work_out`` refuse, a stale etag, a request id that came with
            another request, or a table that others changed at every attempt.
        """
        outcome = await self._attempt(caller, mutation, admit, work_out)
        return await self._repeated(mutation, outcome) if isinstance(outcome, Repeat) else outcome

    async def delete(
        self,
        caller: Caller,
        mutation: Mutation,
        admit: Callable[[Table | None], Table],
        work_out: Callable[[Table], Change],
    ) -> Deleted:
        """Commit the end of a table. A repetition is answered with the first result although the table is gone.

        Raises:
            ServiceError: as ``change`` does.
        """
        outcome = await self._attempt(caller, mutation, admit, work_out)
        happening = outcome.happening if isinstance(outcome, Written) else None
        if isinstance(outcome, Repeat):
            _check_body(mutation, outcome)
            happening = await self.happening(mutation.table_id, outcome.version)
        return Deleted(outcome.version, outcome.etag, happening, outcome.result)

    async def _attempt(
        self,
        caller: Caller,
        mutation: Mutation,
        admit: Callable[[Table | None], Table],
        work_out: Callable[[Table], Change | None],
    ) -> Written | Repeat:
        """Commit a change, unless it was made before or there is nothing to change."""
        pause_s = _PAUSE_FIRST_S
        for _ in range(_ATTEMPTS):
            loaded = await self.load(mutation.table_id)
            tenant = loaded.tenant if loaded is not None else _tenant(caller)
            key = _request_key(caller, tenant, mutation) if tenant else None
            try:
                table = admit(loaded)
                _check_etag(mutation, table.version, table.etag)
                with self._tracing.part("step"):
                    change = work_out(table)
            except ServiceError:
                if (earlier := await self._recall(mutation.table_id, key)) is not None:
                    return earlier
                raise
            if change is None:
                return await self._unchanged(mutation, table, key)
            outcome = await self._commit(table, change, key)
            if not isinstance(outcome, Conflict):
                return outcome
            _check_etag(mutation, outcome.version, outcome.etag)
            self._meters.commit_conflicted()
            # Others are at work here: step aside for a random moment, so that they do not meet again.
            await asyncio.sleep(random.uniform(0, pause_s))  # noqa: S311 -- nothing secret
            pause_s = min(2 * pause_s, _PAUSE_MOST_S)
        raise ServiceError(
            Reason.TABLE_BUSY,
            f"others changed the table at all of {_ATTEMPTS} attempts",
        )

    async def advance(self, table_id: str, work_out: Callable[[Table], Change | None]) -> Written | None:
        """Commit what becomes of a table by itself; None: nothing, or others change it at every attempt."""
        for _ in range(_ATTEMPTS):
            table = await self.load(table_id)
            change = work_out(table) if table is not None else None
            if change is None:
                return None
            outcome = await self._commit(table, change, None, by_itself=True)
            if isinstance(outcome, Written):
                return outcome
        return None

    async def _commit(
        self, table: Table | None, change: Change, key: RequestKey | None, *, by_itself: bool = False
    ) -> Written | Conflict | Repeat:
        version = 1 if table is None else table.version + 1
        etag = f"{version}-{secrets.token_urlsafe(9)}"
        now_ms = self._clock.now_ms()
        changed = timetable.scheduled(change.table, now_ms)
        if not by_itself:
            changed = replace(changed, idle_ms=now_ms + self._idle_ttl_ms if self._idle_ttl_ms else None)
        changed = replace(changed, version=version, etag=etag, changed_ms=now_ms)
        happening = Happening(version, etag, changed.hand_number, now_ms, tuple(change.events), change.shuffled)
        commit = Commit(
            table_id=changed.table_id,
            tenant=changed.tenant,
            expected_etag="" if table is None else table.etag,
            version=version,
            etag=etag,
            snapshot=encode_table(changed),
            events=encode_happening(happening),
            request=key,
            result=change.result,
            deadline_ms=None if change.deleted else changed.due_ms,
            summary=None if change.deleted else encode_summary(changed.summary()),
            delete=change.deleted,
            events_from=changed.dealt_version or None if changed.playing else None,
            finished=_finished(change),
        )
        with damage_of(changed.table_id):
            outcome = await self._store.commit(commit)
        if isinstance(outcome, Committed):
            if change.deleted:
                self._known.pop(changed.table_id, None)
            else:
                self._remember(changed)
            return Written(changed, version, etag, happening, change.result)
        return outcome

    async def _recall(self, table_id: str, key: RequestKey | None) -> Repeat | None:
        if key is None:
            return None
        with damage_of(table_id):
            return await self._store.recall(table_id, key)

    def _remember(self, table: Table) -> None:
        self._known[table.table_id] = table
        self._known.move_to_end(table.table_id)
        if len(self._known) > _TABLES_KNOWN:
            self._known.popitem(last=False)

    async def _unchanged(self, mutation: Mutation, table: Table, key: RequestKey | None) -> Written | Repeat:
        if (earlier := await self._recall(mutation.table_id, key)) is not None:
            return earlier
        return Written(table, table.version, table.etag, None)

    async def _repeated(self, mutation: Mutation, repeat: Repeat) -> Written:
        _check_body(mutation, repeat)
        table = await self.load(mutation.table_id)
        if table is None:
            raise ServiceError(
                Reason.TABLE_NOT_FOUND,
                f"there is no table {mutation.table_id} any more",
                metadata={"table_id": mutation.table_id},
            )
        happening = await self.happening(mutation.table_id, repeat.version)
        return Written(table, repeat.version, repeat.etag, happening, repeat.result)


def _finished(change: Change) -> FinishedHand | None:
    """Return what is to be kept of a hand that ends; nothing of one whose beginning was not noted."""
    record, first_version = change.finished, change.table.dealt_version
    if record is None or not first_version:
        return None
    return FinishedHand(record.number, first_version, record.ended_ms, encode_record(record))


def _tenant(caller: Caller) -> str:
    """Return whose table it may have been that is not there."""
    return "" if isinstance(caller, Anonymous) else caller.tenant


def _check_body(mutation: Mutation, repeat: Repeat) -> None:
    if not repeat.same_body:
        raise _request_id_reused(mutation)


def _request_key(caller: Caller, tenant: str, mutation: Mutation) -> RequestKey | None:
    if not mutation.request_id:
        return None
    scope = "\0".join((tenant, caller.identity, mutation.rpc, mutation.table_id, mutation.request_id))
    return RequestKey(hashlib.sha256(scope.encode()).hexdigest()[:40], mutation.body)


def _check_etag(mutation: Mutation, version: int, etag: str) -> None:
    if mutation.etag and mutation.etag != etag:
        raise ServiceError(
            Reason.STALE_ETAG,
            f"the table is at version {version}, not at etag {mutation.etag}",
            metadata={"etag": etag, "version": version},
        )


def _request_id_reused(mutation: Mutation) -> ServiceError:
    return ServiceError(
        Reason.REQUEST_ID_REUSED,
        f"request id {mutation.request_id} came with another request before",
        metadata={"request_id": mutation.request_id},
        fields=(FieldViolation("request_id", mutation.request_id, "must be new for another request"),),
    )
