"""``dugout bench service``: how many can watch a table, and what that costs.

Server and watchers are processes of their own, started by ``loadtest.watchers``, which is a program here and no import.
"""

import json
import subprocess
import sys
from typing import Any

from service.cli.output import fail

_PROGRAM = (sys.executable, "-m", "loadtest.watchers")
_TIMEOUT_S = 900.0
_STOP_S = 30.0


def measure_service(watchers: int) -> dict[str, Any]:
    """Measure with so many watchers; return ``rows`` of name, value and unit, and ``ratios``."""
    child = subprocess.Popen((*_PROGRAM, str(watchers)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        answer, complaint = child.communicate(timeout=_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        fail(f"the measurement did not come to an end within {_TIMEOUT_S:.0f} s")
    finally:
        _end(child)
    if child.returncode:
        lines = complaint.strip().splitlines() or [f"it ended with status {child.returncode}"]
        # Streams that broke off with it may have their say after the error itself.
        said = [line for line in lines if line.startswith("Error: ")] or lines
        fail(said[-1].removeprefix("Error: "))
    measured: dict[str, Any] = json.loads(answer)
    return measured


def _end(child: "subprocess.Popen[str]") -> None:
    """Let it stop its server, whatever has happened."""
    child.terminate()
    try:
        child.wait(_STOP_S)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
