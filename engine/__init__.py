"""Baseball poker and seven-card stud as a pure engine.

A hand is a value. ``start`` deals one from a shuffled deck, ``step`` is the only transition, ``legal_actions`` says who
may do what, ``view`` and ``visible`` what somebody may see. Time, randomness and I/O come in from outside.
"""

from engine.actions import Action, ActionKind, Choice, LegalActions
from engine.errors import EngineError, IllegalAction, OddsError, RulesError, StartError, Violation
from engine.evaluator import evaluate, evaluate_low, evaluate_many, evaluate_showing
from engine.hand_value import best_five, describe
from engine.invariants import broken
from engine.legal import default_action, legal_actions
from engine.odds import Odds, SeatOdds, odds
from engine.outlook import KnownHand
from engine.profiles import PROFILES
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
    "KnownHand",
    "LegalActions",
    "Odds",
    "OddsError",
    "Ranking",
    "Rules",
    "RulesError",
    "SeatOdds",
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
    "evaluate_many",
    "evaluate_showing",
    "legal_actions",
    "odds",
    "start",
    "step",
    "view",
    "visible",
]
