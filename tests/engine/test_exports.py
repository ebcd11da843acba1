"""The names that the engine exports are part of the contract with everything around it."""

import engine


def test_the_exported_names_are_pinned():
    transitions = "start step legal_actions default_action view visible broken shares_of_carry"
    hands = "evaluate evaluate_low evaluate_showing describe best_five STANDARD Ranking"
    values = "PROFILES Rules State Step View Action ActionKind Choice LegalActions"
    errors = "EngineError RulesError StartError IllegalAction Violation"
    assert sorted(f"{transitions} {hands} {values} {errors}".split()) == sorted(engine.__all__)
    assert all(hasattr(engine, name) for name in engine.__all__)
