"""What holds for every test: how far properties search, and that nothing may be skipped where all must run."""

import gc
import os
import signal
from collections.abc import Generator

import hypothesis
import pytest

NO_SKIPS = "DUGOUT_NO_SKIPS"

# A run that a shell has put into the background ignores interrupts, and so would every program that a test interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Deadlines would measure the machine. In CI a property draws the same examples every time, so that a red
# build is about the change in it; at home new ones, so that somebody finds what CI never draws.
hypothesis.settings.register_profile("home", deadline=None)
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "home")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(
    call: pytest.CallInfo[None],
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Keep the collector away while a failure is described.

    CPython 3.11 fails with a SystemError when a collection in the middle of ``ast.parse`` finalizes a task whose
    exception nobody has read, since logging that exception parses too; the whole run would end there.
    """
    if call.excinfo is None:
        return (yield)
    gc.collect()
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a run in which a test was skipped, if DUGOUT_NO_SKIPS is set."""
    if _forbidden_skips(session.config) and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name each skipped test that failed the run."""
    skipped = _forbidden_skips(terminalreporter.config)
    if skipped:
        terminalreporter.section(f"{NO_SKIPS} is set, and these were skipped", red=True)
        for report in skipped:
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
            terminalreporter.line(f"{report.nodeid}: {reason}")


def _forbidden_skips(config: pytest.Config) -> list[pytest.TestReport | pytest.CollectReport]:
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    if terminal is None or not os.environ.get(NO_SKIPS):
        return []
    return list(terminal.stats.get("skipped", ()))
