import json
import subprocess
import sys

PROGRAM = """
import logging, structlog, warnings
from service.logs import configure_logs
configure_logs({level!r})
log = structlog.get_logger()
log.debug("quiet")
log.info("said", number=7, thing={{"a": (1, 2)}}, odd=object)
logging.getLogger("library").info("chatter")
logging.getLogger("library").warning("library says %s", "♠")
warnings.warn("a short key")
try:
    1 / 0
except ZeroDivisionError:
    logging.getLogger("library").exception("failed")
"""


def lines(level: str) -> list[dict]:
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(level=level)], capture_output=True, text=True, check=True
    )
    assert "" == run.stdout
    return [json.loads(line) for line in run.stderr.splitlines()]


def test_every_line_is_json_whoever_writes_it():
    said, library, warned, failed = lines("info")
    assert ("said", 7, {"a": [1, 2]}, "info") == (said["event"], said["number"], said["thing"], said["level"])
    assert ("library says ♠", "warning") == (library["event"], library["level"])
    assert "a short key" in warned["event"]
    assert "failed" == failed["event"]
    assert all(entry["timestamp"].endswith("Z") for entry in (said, library, failed))


def test_the_level_holds():
    assert ["quiet", "said"] == [entry["event"] for entry in lines("debug")][:2]
    assert ["failed"] == [entry["event"] for entry in lines("error")]
