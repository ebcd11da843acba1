"""What is said about running it is complete."""

import re
from pathlib import Path

import pytest

from service.meters import Meters
from tests.service.serving import eventually, serving

PAGE = (Path(__file__).parents[2] / "docs" / "operations.md").read_text(encoding="utf-8")
LISTED = {
    row[1]: set(re.findall(r"`(\w+)`", row[2])) for row in re.findall(r"^(\| `(dugout_\w+)` \|([^|]*)\|)", PAGE, re.M)
}


def families(text: str) -> set[str]:
    names = set(re.findall(r"^# TYPE (dugout_\w+)", text, re.M))
    return {name for name in names if not name.endswith("_created")}  # the package's own, in a single process only


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc (Linux)")
def test_every_metric_is_listed_and_every_one_that_is_listed_exists():
    with serving() as server:
        shown = eventually(lambda: "dugout_tables_live " in server.metrics()[1] and server.metrics()[1])
    assert families(Meters().text()) | families(shown) == set(LISTED)


def test_the_labels_are_those_that_are_listed():
    labels = {
        family._name: set(family._labelnames) for family in vars(Meters()).values() if hasattr(family, "_labelnames")
    }
    for name, names in labels.items():
        assert names == LISTED.get(name, LISTED.get(f"{name}_total"))
    assert len(labels) > 8
