"""Every action has a name, and a game names those that come up in it."""

import random

import pytest

import engine
from engine import PROFILES, ActionKind
from engine.cards import FULL_DECK
from service.words import LANGUAGES, Language, action_name
from service.words.actions import actions_of


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_action_has_a_name_of_its_own(code):
    names = {action_name(Language(code), kind) for kind in ActionKind}
    assert len(ActionKind) == len(names)


@pytest.mark.parametrize("name", PROFILES)
def test_no_action_comes_up_that_was_not_named(name):
    rules = PROFILES[name]
    named = {*actions_of(rules), ActionKind.SHOWDOWN}
    choose = random.Random(7)
    for _ in range(20):
        deck = list(FULL_DECK)
        choose.shuffle(deck)
        seats = dict.fromkeys(range(1, rules.max_players + 1), 200)
        state = engine.start(rules, seats, 1, tuple(deck), spare=tuple(deck)).state
        while (legal := engine.legal_actions(state)).seat is not None:
            assert {choice.kind for choice in legal.choices} <= named
            choice = choose.choice([it for it in legal.choices if it.kind != ActionKind.FOLD] or legal.choices)
            state = engine.step(state, engine.Action(choice.kind, choice.min)).state


@pytest.mark.parametrize(
    ("name", "there", "absent"),
    [
        ("baseball", {ActionKind.BUY, ActionKind.DECLINE, ActionKind.COMPLETE}, {ActionKind.ROLL, ActionKind.CLAIM}),
        ("baseball-simple", {ActionKind.BRING_IN}, {ActionKind.COMPLETE, ActionKind.BUY}),
        ("no-peek", {ActionKind.ROLL}, {ActionKind.BRING_IN, ActionKind.BUY}),
        ("baseball-match-pot-replace-fours", {ActionKind.REPLACE, ActionKind.KEEP}, {ActionKind.CLAIM}),
        ("baseball-match-pot-hole-fours", {ActionKind.CLAIM, ActionKind.DECLINE}, {ActionKind.KEEP}),
    ],
)
def test_a_game_names_its_own_actions(name, there, absent):
    named = set(actions_of(PROFILES[name]))
    assert there <= named
    assert not absent & named
