"""The guide for frontends says what is so: its examples run, and no reason is missing."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from service.errors import STATUS, Reason
from tests.service.serving import GUIDE, RETRIED, serving


def test_the_examples_run_one_after_the_other():
    program = "\n".join(re.findall(r"^```python\n(.*?)^```$", GUIDE, re.M | re.S))
    with serving() as server:
        key = server.options["metadata"][0][1].removeprefix("Bearer ")
        ran = subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "DUGOUT_ADDRESS": server.address, "DUGOUT_OPERATOR_KEY": key},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert 0 == ran.returncode, ran.stderr
    assert ["version 1 ['table_created']", "version 2 ['seat_taken']"] == ran.stdout.splitlines()[:2]
    assert ran.stdout.splitlines()[-1].startswith("version 5 ")


def test_the_policy_of_the_example_is_the_one_that_is_published():
    (policy,) = re.findall(r"^RETRIED = (\{.*?^\})$", GUIDE, re.M | re.S)
    assert json.loads(RETRIED)["methodConfig"][0]["retryPolicy"] == json.loads(re.sub(r",\s*}", "}", policy))


def test_every_reason_stands_beside_its_status():
    rows = [line.strip("|").split("|") for line in GUIDE.splitlines() if line.startswith("| `")]
    listed = {reason: status.strip(" `") for status, reasons, _ in rows for reason in re.findall(r"`(\w+)`", reasons)}
    assert {reason.name: STATUS[reason].name for reason in Reason} == listed


def test_the_files_that_are_linked_exist():
    for name in ("api.md", "operations.md"):
        page = Path(__file__).parents[2] / "docs" / name
        links = re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8"))
        assert [] == [link for link in links if not (page.parent / link).exists()]
