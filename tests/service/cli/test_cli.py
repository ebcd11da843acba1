"""The command as a whole: what it lists, what it loads, how it ends."""

import os
import re
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

import service.cli
from service.cli import application, main

COMMANDS = ("serve", "demo", "eval", "odds", "replay", "rules", "bench", "simulate", "tables", "loadtest")
ROOT = Path(__file__).parents[3]
HEAVY = ("grpc", "google", "redis", "locust", "gevent", "uvloop", "proto")


def run_python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)


def listed(dugout):
    """Return the list of commands as (name, what it is for)."""
    shown = dugout("--help")
    assert 0 == shown.status
    return dict(re.findall(r"^  (\w+)  +(.*)$", shown.out.partition("Commands:")[2], re.MULTILINE))


def test_help_lists_every_command_with_what_it_is_for(dugout):
    commands = listed(dugout)
    assert sorted(COMMANDS) == sorted(commands)
    assert all(len(words.split()) > 3 for words in commands.values())


def test_commands_that_do_not_exist_yet_are_not_offered(dugout):
    for name in ("capacity", "chaos", "verify", "audit"):
        refused = dugout(name)
        assert 2 == refused.status
        assert "No such command" in refused.err


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_helps_with_an_example(dugout, name):
    shown = dugout(name, "--help")
    assert 0 == shown.status
    assert f"dugout {name}" in shown.out.partition("Example")[2]


def test_no_arguments_are_bad_usage_that_shows_the_help(dugout):
    shown = dugout()
    assert 2 == shown.status
    assert "Commands:" in shown.out + shown.err


def test_a_misspelt_command_is_bad_usage_with_a_suggestion(dugout):
    refused = dugout("simulat")
    assert 2 == refused.status
    assert "simulate" in refused.err


def test_an_unknown_option_is_bad_usage(dugout):
    assert 2 == dugout("rules", "--colour").status


def test_the_version_is_printed(dugout):
    assert (0, "0.1.0\n") == dugout("--version")[:2]


@pytest.mark.parametrize("arguments", [("--help",), ("eval", "Ks Kh"), ("rules",), ("simulate", "--hands", "1")])
def test_light_commands_load_nothing_heavy(arguments):
    code = f"""
import sys
from service.cli import main
try:
    main({arguments!r})
except SystemExit as exit_:
    assert not exit_.code, exit_.code
print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)
"""
    ran = run_python(code)
    assert (0, "[]") == (ran.returncode, ran.stderr.strip())


def test_the_load_test_is_found_by_its_entry_point_and_loaded_only_when_called():
    assert {"loadtest"} == {entry.name for entry in entry_points(group="dugout.commands")}
    ran = run_python(
        "import sys; from service.cli import application; application('eval'); "
        "before = 'loadtest.cli' in sys.modules; application('loadtest'); "
        "print(before, 'loadtest.cli' in sys.modules)"
    )
    assert "False True" == ran.stdout.strip()


def test_a_module_that_is_not_installed_is_named_with_the_extra_that_brings_it(dugout, monkeypatch):
    monkeypatch.setitem(service.cli._COMMANDS, "eval", ("tests_absent_module", "none", "Nothing."))
    failed = dugout("eval")
    assert 1 == failed.status
    assert "tests_absent_module" in failed.err
    assert "Traceback" not in failed.err


def test_a_missing_module_of_our_own_is_a_defect_and_not_hidden(monkeypatch):
    monkeypatch.setitem(service.cli._COMMANDS, "eval", ("service.cli.absent", "none", "Nothing."))
    with pytest.raises(ModuleNotFoundError):
        main(["eval"])


def test_a_command_is_imported_for_the_call_that_names_it_only():
    assert "eval" not in {command.callback.__module__ for command in application().registered_commands}
    called = application("eval").registered_commands
    assert ["service.cli.eval"] == [
        command.callback.__module__ for command in called if command.callback.__module__ != "service.cli"
    ]


def test_the_installed_script_runs():
    script = f"{sys.prefix}/bin/dugout"
    ran = subprocess.run([script, "eval", "Ks Kh"], capture_output=True, text=True, timeout=60, check=False)
    assert (0, "pair of kings") == (ran.returncode, ran.stdout[:13])


@pytest.mark.parametrize("arguments", [("eval", "Ks Kh"), ("replay", "tests/data/phh/F7S/11.phh")])
def test_suits_are_written_where_there_is_no_locale(arguments):
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    run = subprocess.run(
        [sys.executable, "-c", "from service.cli import main; main()", *arguments],
        capture_output=True,
        timeout=60,
        env={**os.environ, **plain},
        cwd=ROOT,
    )
    assert (0, b"") == (run.returncode, run.stderr)
    assert "♠" in run.stdout.decode("utf-8")
