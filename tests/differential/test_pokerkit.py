"""The engine against PokerKit: a sample of random hands, and a hand for each difference that is meant to be."""

import random
from collections import Counter

import pytest

import engine
from engine import Action, ActionKind
from engine.cards import FULL_DECK, cards_text
from engine.knobs import Split
from tests.differential.pokerkit_table import Game, Table, play, random_game, rules_like_theirs
from tests.differential.settlement import Worth, our_way, their_way
from tests.engine.play import stacked_deck

DIFFERENCES = {
    "fold that owes nothing",
    "fold in place of an all-in low card",
    "completion that is no more than the bring-in",
    "after a short all-in: another size",
    "after a short all-in: no raise for them",
    "after a short all-in: no raise for us",
    "pots paid another way",
}


@pytest.mark.parametrize("seed", range(4))
def test_random_hands_are_played_alike(seed):
    rng = random.Random(seed)
    found: Counter[str] = Counter()
    for _ in range(40):
        found += play(random_game(rng), rng).differences
    assert set(found) <= DIFFERENCES


STUD = rules_like_theirs(ante=1, bring_in=2, small=4, big=8)
HANDS = {1: "(Ks Kd) 2c 8h 9s Tc (Jd)", 2: "(7s 7d) 9h 3c 4h 5c (Ah)", 3: "(Qs Qd) Th 2h 6s 7c (Kc)"}
"""Seat 1 brings in; three kings are not reached, and kings beat queens beat sevens."""


def table(*stacks, rules=STUD, hands=None):
    shown = {seat: (hands or HANDS)[seat] for seat in range(1, len(stacks) + 1)}
    return Table(Game(rules, stacks, stacked_deck(rules, shown, len(stacks))))


def played(at, text):
    """Play ``kind amount; …`` in both, comparing before each action."""
    for word in filter(None, map(str.strip, text.split(";"))):
        kind, _, amount = word.partition(" ")
        at.compare()
        at.act(Action(ActionKind(kind), int(amount or 0)))
    if not at.over:
        at.compare()
    return at


def offers(at):
    """Return what we and they let the actor complete, bet or raise to."""
    wagers = [c.min for c in engine.legal_actions(at.state).choices if c.kind in ("bet", "raise", "complete")]
    return (wagers or [None])[0], at.their.min_completion_betting_or_raising_to_amount


def test_after_an_all_in_short_of_half_a_completion_we_complete_and_they_go_one_bet_above():
    at = played(table(100, 5, 100, rules=rules_like_theirs(1, 2, 10, 20)), "bring_in 2; complete 4")
    assert (10, 14) == offers(at)
    assert {"after a short all-in: another size": 1} == +at.differences


def test_an_all_in_of_half_a_completion_is_a_bet_for_both():
    at = played(table(100, 7, 100, rules=rules_like_theirs(1, 2, 10, 20)), "bring_in 2; complete 6")
    assert (16, 16) == offers(at)


def test_a_low_card_all_in_from_the_ante_passes_the_bring_in_on_and_ours_may_fold_it():
    at = played(table(1, 50, 50), "")
    assert 2 == at.state.actor
    assert {"fold in place of an all-in low card": 1} == +at.differences


def test_they_let_the_bring_in_complete_to_less_than_the_bring_in():
    at = played(table(2, 50, 50), "")
    assert (None, 1) == offers(at)
    assert {"completion that is no more than the bring-in": 1} == +at.differences


def test_others_may_call_a_short_bring_in_for_less_where_our_knob_says_so():
    at = played(table(2, 50, 50), "bring_in 1; call 1; call 1")
    assert "fold that owes nothing" in at.differences
    at = played(at, "check; check; check; check; check; check; check; check")
    at.finish()
    assert (6, 48, 48) == at.state.stacks


def test_they_pay_all_odd_chips_to_one_winner_and_we_one_each():
    pots = [(11, (1, 2, 3))]
    tied = dict.fromkeys((1, 2, 3), Worth(7, None))
    assert {1: 4, 2: 4, 3: 3} == our_way(pots, tied)
    assert {1: 5, 2: 3, 3: 3} == their_way(pots, tied)


def test_they_make_one_pot_of_those_that_only_losers_kept_apart():
    pots = [(5, (1, 2, 3)), (5, (1, 2))]
    worths = {1: Worth(9, None), 2: Worth(9, None), 3: Worth(1, None)}
    assert {1: 6, 2: 4} == our_way(pots, worths)
    assert {1: 5, 2: 5} == their_way(pots, worths)


def test_they_halve_a_side_pot_without_a_low():
    pots = [(8, (1, 2, 3, 4)), (8, (1, 2, 4)), (8, (2, 4))]
    worths = {1: Worth(9, None), 2: Worth(5, None), 3: Worth(1, 42), 4: Worth(4, None)}
    assert {1: 12, 2: 8, 3: 4} == +our_way(pots, worths)
    assert {1: 10, 2: 10, 3: 4} == +their_way(pots, worths)


@pytest.mark.parametrize("split", Split)
def test_seven_players_who_all_stay_get_the_same_cards_though_they_burn_and_we_do_not(split):
    rules = rules_like_theirs(1, 2, 4, 8, split)
    rng = random.Random(7)
    game = Game(rules, (100,) * 7, tuple(rng.sample(FULL_DECK, 52)))
    at = Table(game)
    while not at.over:
        at.compare()
        at.act(next(a for kind in ("bring_in", "check", "call") for a in at.choices() if a.kind == kind))
    at.finish()
    assert 7 == sum(len(player.down) + len(player.up) == 7 for player in at.state.players)
    assert 3 == len(at.state.deck), cards_text(at.state.deck)


def test_a_difference_that_is_not_expected_is_found():
    at = table(100, 100, 100)
    at.their.stacks[1] -= 1
    with pytest.raises(AssertionError, match="stacks, bets and pots"):
        at.compare()
    at = table(100, 100, 100)
    at.compare()
    at._ours.full += 1
    with pytest.raises(AssertionError, match="our completion, bet or raise"):
        at.compare()
