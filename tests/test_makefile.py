"""What make offers, and how it says that it cannot begin."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]
TARGETS = (
    "demo",
    "test",
    "serve",
    "lint",
    "proto",
    "baseline",
    "words",
    "docs",
    "bench",
    "differential",
    "golden",
    "plain",
    "clean",
)


def make(*arguments):
    command = ["make", "--no-print-directory", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)


def fake_python(folder, script):
    python = folder / "python3"
    python.write_text(f"#!/bin/sh\n{script}\n")
    python.chmod(0o755)
    return python


def test_bare_make_lists_every_target_with_what_it_does():
    ran = make()
    assert 0 == ran.returncode
    listed = dict(re.findall(r"^make (\w+) +(.+)$", ran.stdout, re.MULTILINE))
    assert {*TARGETS, "help"} == set(listed)
    assert all(len(words.split()) > 2 for words in listed.values())


def test_an_old_python_is_refused_by_name_before_anything_is_made(tmp_path):
    old = fake_python(tmp_path, '[ "$1" = -V ] && { echo Python 3.9.18; exit 0; }; exit 1')
    ran = make("demo", f"PYTHON={old}", f"VENV={tmp_path}/venv")
    assert 2 == ran.returncode
    assert "Dugout needs Python 3.11 or newer" in ran.stderr
    assert "Python 3.9.18" in ran.stderr
    assert not (tmp_path / "venv").exists()


def test_missing_headers_are_named_before_anything_is_made(tmp_path):
    bare = fake_python(tmp_path, 'case "$2" in *Python.h*) exit 1;; *) exit 0;; esac')
    ran = make("demo", f"PYTHON={bare}", f"VENV={tmp_path}/venv")
    assert 2 == ran.returncode
    assert "The C headers of" in ran.stderr
    assert not (tmp_path / "venv").exists()
