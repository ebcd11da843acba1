"""Where Locust starts.

``python -m loadtest.locustfile`` is the child process of ``dugout loadtest``: it reads its settings from standard input
and prints its report. With Locust's own command the same tables are played behind its web page:

    locust -f loadtest/locustfile.py --host 127.0.0.1:50051 --operator-key KEY
"""

import faulthandler
import json
import logging
import os
import secrets
import sys
import time
from typing import Any, NoReturn

import gevent
import grpc.experimental.gevent
from locust import events
from locust.argument_parser import LocustArgumentParser
from locust.env import Environment

from loadtest.client import Connections, NoServer, UnknownProfile, tls_credentials
from loadtest.report import Report, report_of
from loadtest.settings import DRAIN_S, WATCHDOG_S, Settings
from loadtest.table_user import Run, TableUser


def main() -> None:
    """Run the load test that standard input describes, print its report and end the process."""
    told = sys.stdin.read()
    if not told:  # the command was interrupted before it could say what to play
        sys.exit(1)
    settings = Settings.from_json(told)
    faulthandler.dump_traceback_later(settings.duration_s + WATCHDOG_S, exit=True)
    grpc.experimental.gevent.init_gevent()
    connections = Connections(settings.target, credentials=tls_credentials(settings))
    try:
        _check_game(connections, settings)
    except NoServer as nobody:
        _leave(json.dumps({"no_server": str(nobody)}))
    except _BadUsage as usage:
        _leave(json.dumps({"bad_usage": str(usage)}))
    _leave(json.dumps({"report": _played(Run(settings, connections)).to_fields()}))


class _BadUsage(Exception):
    """The server says that what was asked for cannot be played."""


def _check_game(connections: Connections, settings: Settings) -> None:
    """Ask the server for the game, so that a wrong name is one message and not one for each table."""
    try:
        rules = connections.rules_of(settings.profile)
    except UnknownProfile as unknown:
        raise _BadUsage(f"--profile: {unknown}") from None
    players = settings.players
    if players is not None and not rules.min_players <= players <= rules.max_players:
        allowed = f"{rules.min_players} to {rules.max_players}"
        raise _BadUsage(f"--players: {players} cannot play {settings.profile}, allowed are {allowed}")


def _played(run: Run) -> Report:
    """Play until the time is over and every table has its last answer."""
    settings = run.settings
    TableUser.shared = run
    environment = Environment(user_classes=[TableUser], catch_exceptions=True)
    run.listen(environment)
    logging.getLogger("locust.runners").setLevel(logging.ERROR)
    runner = environment.create_local_runner()
    started_s, started_cpu_s = time.perf_counter(), time.process_time()
    runner.start(settings.tables, spawn_rate=settings.spawn_rate)
    gevent.sleep(settings.duration_s)
    run.stopping.set()
    runner.user_greenlets.join(timeout=DRAIN_S)
    seconds = time.perf_counter() - started_s
    if waiting := len(runner.user_greenlets):
        run.measurements.add_failure(f"{waiting} tables had no answer {DRAIN_S:.0f} s after the end")
    return report_of(run.measurements, seconds, (time.process_time() - started_cpu_s) / seconds)


def _leave(answer: str) -> NoReturn:
    """Print the answer and end at once: grpc under gevent is known to hang while the interpreter shuts down."""
    print(answer, flush=True)
    os._exit(0)


@events.init_command_line_parser.add_listener  # type: ignore[untyped-decorator]
def _add_options(parser: LocustArgumentParser) -> None:
    """Add what tables need to know to Locust's own command line."""
    parser.add_argument("--operator-key", env_var="DUGOUT_OPERATOR_KEY", is_secret=True, default="", help="Required")
    parser.add_argument("--table-profile", default="baseball", help="What the tables play")
    parser.add_argument("--players", type=int, default=0, help="Players at each table; 0: 2 to 6, drawn by table")
    parser.add_argument("--think-time-s", type=float, default=0.5, help="Mean pause before an action")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(2**32), help="Draws players and choices")


@events.init.add_listener  # type: ignore[untyped-decorator]
def _share(environment: Environment, **_: Any) -> None:
    """Connect the process that Locust's own command has started."""
    options = environment.parsed_options
    if options is None:
        return
    grpc.experimental.gevent.init_gevent()
    settings = Settings(
        target=environment.host or "127.0.0.1:50051",
        operator_key=options.operator_key,
        tables=options.num_users or 1,
        duration_s=options.run_time or 3600.0,
        players=options.players or None,
        think_time_s=options.think_time_s,
        profile=options.table_profile,
        seed=options.seed,
    )
    connections = Connections(settings.target)
    try:
        _check_game(connections, settings)
    except (NoServer, _BadUsage) as refused:
        sys.exit(str(refused))
    TableUser.shared = Run(settings, connections)
    TableUser.shared.listen(environment)


@events.quitting.add_listener  # type: ignore[untyped-decorator]
def _judge(environment: Environment, **_: Any) -> None:
    """Have Locust's own command say what was violated, and fail for that or if nothing was played."""
    measurements = TableUser.shared.measurements
    for violation in measurements.violation_examples:
        logging.getLogger(__name__).error("violated check: %s", violation)
    if measurements.violations or not measurements.actions:
        environment.process_exit_code = 1


if __name__ == "__main__":
    main()
