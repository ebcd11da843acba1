"""One Locust user is one table. Importing this module replaces the blocking calls of the standard library."""

import random
import threading
from dataclasses import dataclass, field
from itertools import count
from typing import Any, ClassVar

import gevent
from locust import User, task
from locust.env import Environment
from locust.exception import StopUser

from loadtest.client import CallFailed, Client, Connections
from loadtest.measurements import Measurements
from loadtest.settings import Settings
from loadtest.table import LoadedTable, Stopped

PAUSE_AFTER_FAILURE_S = 1.0


@dataclass(slots=True)
class Run:
    """What the tables of one process share."""

    settings: Settings
    connections: Connections
    measurements: Measurements = field(default_factory=Measurements)
    stopping: threading.Event = field(default_factory=threading.Event)
    numbers: "count[int]" = field(default_factory=count)

    def pause(self, seconds: float) -> None:
        """Wait so long; raises ``Stopped`` as soon as the run is over."""
        if self.stopping.wait(seconds):
            raise Stopped

    def listen(self, environment: Environment) -> None:
        """Measure every call that Locust hears of, and count what went wrong in a table as a failure."""
        environment.events.request.add_listener(self._request)  # type: ignore[no-untyped-call]
        environment.events.user_error.add_listener(self._user_error)  # type: ignore[no-untyped-call]

    def _request(
        self, name: str, response_time: float, exception: CallFailed | None, context: dict[str, Any], **_: Any
    ) -> None:
        failure = None if exception is None else f"{exception.code.name}: {exception.message}"
        self.measurements.add_call(name, response_time / 1000, context["retries"], failure)

    def _user_error(self, exception: BaseException, **_: Any) -> None:
        self.measurements.add_failure(f"the load test itself: {type(exception).__name__}: {exception}")


class TableUser(User):
    """Opens a table and plays hand after hand on it; after a failed call or a full session it opens another one."""

    shared: ClassVar[Run]

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        self._number = next(self.shared.numbers)
        self._rng = random.Random(f"{self.shared.settings.seed}/{self._number}")
        self._client = Client(self.shared.connections, self._number, self._heard, gevent.sleep)
        self._table: LoadedTable | None = None
        self._started = False

    @task
    def play(self) -> None:
        """Play one hand."""
        try:
            self._play()
        except Stopped:
            raise StopUser from None

    def _stagger(self) -> None:
        """Wait a moment before the first call, as Locust starts the users of a second all at once."""
        settings = self.shared.settings
        self.shared.pause(self._rng.uniform(0, min(1.0, settings.tables / settings.spawn_rate)))

    def _play(self) -> None:
        run = self.shared
        if not self._started:
            self._started = True
            self._stagger()
        run.pause(0)
        try:
            if self._table is None or self._table.over:
                self._table = LoadedTable(self._client, run.settings, run.measurements, self._rng, run.pause)
                self._table.open()
            self._table.play_hand()
        except CallFailed:
            self._table = None
            run.pause(PAUSE_AFTER_FAILURE_S)
        except Stopped:
            raise
        except Exception:
            # Locust reports it and comes back here at once.
            self._table = None
            gevent.sleep(PAUSE_AFTER_FAILURE_S)
            raise

    def _heard(self, rpc: str, seconds: float, retries: int, length: int, failure: CallFailed | None) -> None:
        self.environment.events.request.fire(
            request_type="grpc",
            name=rpc,
            response_time=seconds * 1000,
            response_length=length,
            exception=failure,
            context={"retries": retries},
        )
