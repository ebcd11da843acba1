"""A run that must not skip anything fails when it does, and says what was skipped."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SKIPPING = """
import pytest

def test_that_runs():
    pass

def test_that_skips():
    pytest.skip("there is no chromium")
"""


def run(folder: Path, tests: str, **environment: str) -> subprocess.CompletedProcess[str]:
    shutil.copy(Path(__file__).parent / "conftest.py", folder)
    (folder / "pytest.ini").write_text("[pytest]\n")
    (folder / "test_given.py").write_text(tests)
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "DUGOUT_"))}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", str(folder)],
        cwd=folder,
        env={**inherited, **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_a_skip_fails_the_run_that_forbids_it(tmp_path):
    ran = run(tmp_path, SKIPPING, DUGOUT_NO_SKIPS="1")
    assert pytest.ExitCode.TESTS_FAILED == ran.returncode
    assert "test_given.py::test_that_skips: Skipped: there is no chromium" in ran.stdout


def test_a_module_that_skips_itself_fails_the_run_that_forbids_it(tmp_path):
    ran = run(tmp_path, "import pytest\npytest.skip('no', allow_module_level=True)", DUGOUT_NO_SKIPS="1")
    assert pytest.ExitCode.OK != ran.returncode


def test_a_skip_passes_elsewhere(tmp_path):
    assert pytest.ExitCode.OK == run(tmp_path, SKIPPING).returncode


def test_nothing_skipped_passes(tmp_path):
    assert pytest.ExitCode.OK == run(tmp_path, "def test_that_runs(): pass", DUGOUT_NO_SKIPS="1").returncode
