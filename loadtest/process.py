"""The process that plays: a child of the command, ended with it in any case."""

import json
import subprocess
import sys

from loadtest.report import Report
from loadtest.settings import WATCHDOG_S, Settings


class RunFailed(Exception):
    """There is no report; the message says why."""


class BadUsage(Exception):
    """The server refused what the flags ask for; the message names the flag."""


def play(settings: Settings) -> Report:
    """Run the load test in a child process and return its report.

    Raises ``RunFailed`` if nobody answers or the child does not come to an end, ``BadUsage`` for an unknown profile
    or a number of players that it does not allow.
    """
    child = subprocess.Popen(
        [sys.executable, "-m", "loadtest.locustfile"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        # Longer than the child's own watchdog, whose traceback says where it hung.
        answer, _ = child.communicate(settings.to_json(), timeout=settings.duration_s + 1.5 * WATCHDOG_S)
    except subprocess.TimeoutExpired:
        raise RunFailed("the process that plays did not come to an end") from None
    finally:
        child.kill()
        child.wait()
    return _read(answer, child.returncode)


def _read(answer: str, status: int) -> Report:
    if not answer:
        raise RunFailed(f"the process that plays ended with status {status} and without a report")
    said = json.loads(answer)
    if "bad_usage" in said:
        raise BadUsage(said["bad_usage"])
    if "no_server" in said:
        raise RunFailed(said["no_server"])
    return Report.from_fields(said["report"])
