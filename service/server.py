"""One worker: the place where everything is put together, started, drained and stopped.

``python -m service.server`` is a worker process. It reads its settings and its place among the workers as two lines of
JSON from standard input, says ``{"serving": PORT}`` (or ``{"failed": WHY}``) on standard output, and drains and ends on
SIGTERM or when standard input closes, which is how it learns that its parent is gone.
"""

import asyncio
import gc
import os
import shutil
import signal
import sys
from functools import partial

import grpc
import msgspec
import structlog
import uvloop

from proto.stud.v1 import stud_pb2
from service.address import Address
from service.admission import Gate
from service.certificates import CertificateError
from service.clock import Clock, SystemClock
from service.config import Config
from service.credentials import Keyring
from service.deadlines import DeadlineKeeper
from service.evaluator_rpc import EvaluatorRpc
from service.feed import Feed
from service.hand_history import HandHistory
from service.health import Health
from service.interceptors import AccessLog
from service.logs import configure_logs
from service.meters import Meters, Place, share
from service.observed_store import observed
from service.pulse import Pulse
from service.reflection import REFLECTION_SERVICES, reflection_handlers
from service.rpc import service_handler
from service.rules_rpc import RulesRpc
from service.shuffle import Shuffle, SystemShuffle
from service.store.base import Store, StoreError
from service.store.redis import RedisStore
from service.streams import Streams
from service.table_rpc import TableRpc
from service.table_service import TableService
from service.tracing import NoTracing, Tracing
from service.transport import PortError, open_port, server_options

_SERVICES = tuple(stud_pb2.DESCRIPTOR.services_by_name.values())
_PICK_UP_S = 0.05

_log = structlog.get_logger()


class Server:
    """A gRPC server over a store that is connected already and that its owner closes."""

    def __init__(
        self,
        config: Config,
        store: Store,
        *,
        clock: Clock | None = None,
        shuffle: Shuffle | None = None,
        meters: Meters | None = None,
        tracing: Tracing | None = None,
    ) -> None:
        clock = clock or SystemClock()
        meters = meters or Meters()
        tracing = tracing or NoTracing()
        store = observed(store, meters, tracing)
        names = [service.full_name for service in _SERVICES]
        keyring = config.keyring
        self._drain_s = config.drain_ms / 1000
        self._certificate_files = config.certificate_files
        self._feed = Feed(store)
        self._streams = _streams(config, meters)
        self._health = Health(names, [stud_pb2.DESCRIPTOR.services_by_name["TableService"].full_name], self._streams)
        self._pulse = Pulse(store, self._health, self._feed, meters)
        self._grpc = grpc.aio.server(
            interceptors=[AccessLog(meters, tracing)],
            options=server_options(config),
        )
        tables = TableService(
            store,
            clock,
            shuffle or SystemShuffle(),
            keyring,
            self._feed,
            meters,
            tracing,
            idle_ttl_ms=config.table_ttl_ms,
        )
        self._deadlines = DeadlineKeeper(
            store.deadlines(), tables.expire, clock, on_played=lambda late_ms: meters.deadline_played(late_ms / 1000)
        )
        methods = {
            "TableService": TableRpc(tables, HandHistory(store, tables, clock, config.hands_ttl_s), clock),
            "EvaluatorService": EvaluatorRpc(),
            "RulesService": RulesRpc(),
        }
        gate = _gate(config, keyring, clock, meters)
        self._grpc.add_generic_rpc_handlers(
            [
                *(service_handler(service, methods[service.name], gate.admit, self._streams) for service in _SERVICES),
                self._health.handler(),
                *reflection_handlers((*names, "grpc.health.v1.Health", *REFLECTION_SERVICES), self._streams),
            ]
        )

    async def start(self, address: Address) -> int:
        """Answer calls on an address and return its port.

        Raises:
            CertificateError: if a file of certificates cannot be used.
            PortError: if grpc cannot listen there.
        """
        port = open_port(self._grpc, address, self._certificate_files)
        self._feed.start()
        self._pulse.start()
        self._deadlines.start()
        await self._grpc.start()
        return port

    async def stop(self) -> None:
        """Refuse new calls, let those in flight finish within the drain time, end streams so that they can resume."""
        self._deadlines.drain()
        self._health.stop_serving()
        self._feed.drain()
        # To grpc a call is in flight once a handler has taken it; what still waits for one when it stops is answered
        # CANCELLED (grpc/grpc#41785). Most get their turn in this moment; under steady load some remain, and as nothing
        # of them was begun, a client's retry policy should name CANCELLED beside UNAVAILABLE.
        await asyncio.sleep(_PICK_UP_S)
        await self._grpc.stop(self._drain_s)
        await self._deadlines.close()
        await self._pulse.stop()
        await self._feed.close()


def _gate(config: Config, keyring: Keyring, clock: Clock, meters: Meters) -> Gate:
    return Gate(
        keyring,
        clock,
        operator_rate=config.operator_rate,
        seat_rate=config.seat_rate,
        peer_rate=config.peer_rate,
        on_limited=meters.rate_limited,
    )


def _streams(config: Config, meters: Meters) -> Streams:
    return Streams(
        operator_limit=config.operator_streams,
        caller_limit=config.caller_streams,
        patience_s=config.watcher_patience_ms / 1000,
        on_limited=meters.rate_limited,
    )


async def _serve(config: Config, closed: asyncio.Event) -> None:
    if config.redis_url is None:
        raise ValueError("a worker needs the address of its store")
    store = RedisStore(
        config.redis_url,
        durability=config.store_durability,
        request_ttl_s=config.request_ttl_s,
        events_kept=config.events_kept,
        hands_kept=config.hands_kept,
        hands_ttl_s=config.hands_ttl_s,
        timeout_ms=config.store_timeout_ms,
    )
    await store.connect()
    tracing = _tracing(config)
    try:
        server = Server(config, store, tracing=tracing)
        port = await server.start(Address(config.host, config.port))
        # What is there now stays: the collector need not look at it again, which is what makes its pauses long.
        gc.collect()
        gc.freeze()
        _say(serving=port)
        _log.info("serving", address=str(Address(config.host, port)))
        await closed.wait()
        _log.info("draining")
        await server.stop()
    finally:
        await asyncio.to_thread(tracing.close)
        await store.close()


def _tracing(config: Config) -> Tracing:
    if not config.traced:
        return NoTracing()
    from service import otel  # an extra, loaded only where it is asked for

    return otel.exporting(config.otel_endpoint)


async def _until_told(config: Config) -> None:
    """Serve until SIGTERM comes or standard input closes."""
    closed = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, closed.set)
    loop.add_signal_handler(signal.SIGINT, closed.set)
    loop.add_reader(sys.stdin.fileno(), partial(_read_end, closed))
    try:
        await _serve(config, closed)
    finally:
        loop.remove_reader(sys.stdin.fileno())


def _read_end(closed: asyncio.Event) -> None:
    if not os.read(sys.stdin.fileno(), 1024):
        asyncio.get_running_loop().remove_reader(sys.stdin.fileno())
        closed.set()


def main() -> None:
    """Run one worker."""
    config = msgspec.json.decode(sys.stdin.buffer.readline(), type=Config)
    place = msgspec.json.decode(sys.stdin.buffer.readline(), type=Place)
    parent = os.getppid()
    configure_logs(config.log_level, worker=place.number)
    share(place)
    try:
        uvloop.run(_until_told(config))
    except (StoreError, CertificateError, PortError) as error:
        _say(failed=str(error))
        sys.exit(1)
    finally:
        if os.getppid() != parent:  # killed, and so nobody else tidies up; what is mapped can still be written to
            shutil.rmtree(place.folder, ignore_errors=True)


def _say(**what: str | int) -> None:
    """Tell the parent."""
    sys.stdout.write(msgspec.json.encode(what).decode() + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
