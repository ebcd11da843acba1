"""The README says what is so: its lists are complete, its examples run."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from engine import PROFILES
from proto.stud.v1 import stud_pb2
from service.cli import _COMMANDS
from service.config import _SETTINGS, Config
from service.evaluator_rpc import EvaluatorRpc
from service.rules_rpc import RulesRpc
from service.table_rpc import TableRpc

README = (Path(__file__).parents[1] / "README.md").read_text()
METHODS = {"TableService": TableRpc, "EvaluatorService": EvaluatorRpc, "RulesService": RulesRpc}


def section(heading):
    return README.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def blocks(language, text):
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def rows(text):
    """Return the cells of every table row of a text."""
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:2] == "| "]


def names(text):
    return re.findall(r"`([^`]+)`", text)


def rpcs(implemented):
    return {
        method.name
        for service, methods in METHODS.items()
        for method in stud_pb2.DESCRIPTOR.services_by_name[service].methods
        if hasattr(methods, re.sub(r"(?<!^)(?=[A-Z])", "_", method.name).lower()) == implemented
    }


def test_the_rpcs_that_work_and_those_that_come_are_listed():
    api = section("The API")
    working = [row for row in rows(api) if row[0].strip("`") in METHODS]
    assert rpcs(True) == {name for row in working for name in names(row[1])}
    coming = api.partition("\nComing (")[2].partition(":")[2].partition("\n\n")[0]
    assert rpcs(False) == set(names(coming))


def test_the_games_that_are_played_are_listed_in_order():
    played = section("Games").partition("\n\n")[0]
    assert list(PROFILES) == names(played)


def test_the_commands_are_listed_and_those_that_come_do_not_exist_yet():
    listed = [names(row[0])[0].split()[1] for row in rows(section("Commands"))[1:]]
    assert sorted([*_COMMANDS, "loadtest"]) == sorted(listed)
    coming = names(section("Commands").partition("\nComing: ")[2])[0].split()
    assert not set(coming) & set(listed)


def test_every_setting_is_listed_with_its_default():
    table = {name: row for row in rows(section("Configuration"))[1:] for name in names(row[0])}
    keys = {f"DUGOUT_{kind}_KEYS{form}" for kind in ("OPERATOR", "TOKEN") for form in ("", "_FILE")}
    assert {variable for variable, _, _ in _SETTINGS.values()} | keys == set(table)
    for setting, (variable, parse, _) in _SETTINGS.items():
        default = table[variable][1].strip("`")
        assert getattr(Config(), setting) == {"none": None, "off": False}.get(default, default) or (
            getattr(Config(), setting) == parse(default)
        ), variable


@pytest.mark.parametrize(
    "example", blocks("", section("Commands"))[0].split("$ ")[1:], ids=lambda it: it.split("\n")[0]
)
def test_the_commands_print_what_is_shown(example):
    command, _, shown = example.partition("\n")
    program, *arguments = shlex.split(command)
    assert "dugout" == program
    run = [sys.executable, "-c", "from service.cli import main; main()", *arguments]
    ran = subprocess.run(run, capture_output=True, text=True, timeout=60, check=True)
    assert shown.splitlines() == ran.stdout.splitlines()


@pytest.fixture
def server():
    serve = [sys.executable, "-c", "from service.cli import main; main()", "serve", "--dev", "--port", "0", "--json"]
    with subprocess.Popen(serve, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            yield json.loads(process.stdout.readline())
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=30)


def test_the_client_plays_a_hand(server):
    (client,) = blocks("python", section("The API"))
    where = {"DUGOUT_ADDRESS": server["address"], "DUGOUT_OPERATOR_KEY": server["operator_key"]}
    ran = subprocess.run(
        [sys.executable, "-c", client],
        env={**os.environ, **where},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert 0 == ran.returncode, ran.stderr
    assert re.fullmatch(r"won by \[[12](, 2)?\]\n", ran.stdout)


def test_the_files_that_are_linked_exist():
    root = Path(__file__).parents[1]
    for page in (root / "README.md", root / "deploy" / "README.md"):
        links = re.findall(r"\]\(([^)#:]+)\)", page.read_text())
        assert [] == [link for link in links if not (page.parent / link).exists()]
