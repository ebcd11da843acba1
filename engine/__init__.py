"""Baseball poker and seven-card stud as a pure engine.

A hand is a value. ``start`` deals one from a shuffled deck, ``step`` is the only transition, ``legal_actions`` says who
may do what, ``view`` and ``visible`` what somebody may see. Time, randomness and I/O come in from outside.
"""

from engine.actions import Action, ActionKind, Choice, LegalActions
from engine.errors import EngineError, IllegalAction, RulesError, StartError, Violation
from engine.evaluator import evaluate, evaluate_low, evaluate_showing
from engine.hand_value import best_five, describe
from engine.invariants import broken
from engine.legal import default_action, legal_actions
from engine.profiles import PROFILES
from engine.rain import shares_of_carry
from engine.ranking import STANDARD, Ranking
from engine.rules import Rules
from engine.state import State
from engine.step import Step, start, step
from engine.view import View, view, visible

__all__ = [
    "PROFILES",
    "STANDARD",
    "Action",
    "ActionKind",
    "Choice",
    "EngineError",
    "IllegalAction",
    "LegalActions",
    "Ranking",
    "Rules",
    "RulesError",
    "StartError",
    "State",
    "Step",
    "View",
    "Violation",
    "best_five",
    "broken",
    "default_action",
    "describe",
    "evaluate",
    "evaluate_low",
    "evaluate_showing",
    "legal_actions",
    "shares_of_carry",
    "start",
    "step",
    "view",
    "visible",
]
