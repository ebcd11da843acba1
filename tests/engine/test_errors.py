"""What the engine refuses, as a family."""

import pytest

import engine
from engine import EngineError, IllegalAction, RulesError, StartError, Violation


def test_the_public_names_exist():
    assert set() == {name for name in engine.__all__ if not hasattr(engine, name)}
    needed = "PROFILES Rules start legal_actions step default_action view visible broken evaluate evaluate_showing"
    needed += " evaluate_low describe best_five Action ActionKind Choice LegalActions State Step View STANDARD Ranking"
    assert set(needed.split()) <= set(engine.__all__)


@pytest.mark.parametrize("error", [RulesError, StartError, IllegalAction])
def test_everything_refused_is_an_engine_error(error):
    assert issubclass(error, EngineError)
    assert not issubclass(EngineError, ValueError)


def test_arguments_that_cannot_be_are_value_errors():
    assert issubclass(RulesError, ValueError)
    assert issubclass(StartError, ValueError)
    assert not issubclass(IllegalAction, ValueError)


def test_each_error_says_what_is_wrong():
    violations = (Violation("ante", "-1", "must not be negative"), Violation("burn", "x", "is no burn"))
    error = RulesError(violations)
    assert "ante = -1: must not be negative; burn = x: is no burn" == str(error)
    assert violations == error.violations
    assert ("seats", "seats: too many") == (StartError("seats", "too many").field, str(StartError("seats", "too many")))
    assert "not now" == IllegalAction("not now").reason == str(IllegalAction("not now"))
