"""The committed catalogues are what the extraction makes of the source."""

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LOCALE = ROOT / "service/words/locale"


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    folder = tmp_path_factory.mktemp("catalogues")
    subprocess.run([sys.executable, ROOT / "docs/catalogues.py", folder], check=True, timeout=60)
    return folder


def test_the_extraction_is_up_to_date(fresh):
    committed = {path.name: path.read_text() for path in LOCALE.iterdir()}
    assert committed == {path.name: path.read_text() for path in fresh.iterdir()}


def test_the_catalogues_tell_nothing_of_when_and_where_they_were_made(fresh):
    for path in fresh.iterdir():
        assert "Date" not in path.read_text()
        assert str(ROOT) not in path.read_text()


def test_new_messages_come_in_and_old_ones_go(tmp_path, monkeypatch):
    catalogues = runpy.run_path(str(ROOT / "docs/catalogues.py"))
    template = catalogues["messages"]()
    template.add("Something new.", context="test")
    template.delete("No card is wild.")
    text = catalogues["written"](catalogues["updated"]("it", template)).decode()
    assert 'msgctxt "test"\nmsgid "Something new."\nmsgstr ""\n' in text
    assert "No card is wild." not in text
    assert 'msgstr "Tutti mettono di nuovo l\'ante."' in text
