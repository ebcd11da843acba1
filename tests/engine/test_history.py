"""Recorded hands, step by step against what PokerKit makes of them; and what the reader refuses."""

import json
from pathlib import Path

import pytest

import engine
from engine import ActionKind
from engine.cards import card_text
from engine.events import CardDealt, HandShown
from engine.history import HistoryError, read_phh, replay
from engine.knobs import FixedLimit
from engine.state import Phase

PHH = Path(__file__).parents[1] / "data" / "phh"
ORACLE = {hand["file"]: hand for hand in map(json.loads, (PHH / "oracle.jsonl").read_text().splitlines())}
WAGERS = (ActionKind.COMPLETE, ActionKind.BET, ActionKind.RAISE)


def history(name):
    return read_phh((PHH / name).read_text())


def test_the_recorded_hands_are_all_here():
    files = sorted(str(path.relative_to(PHH)) for path in PHH.rglob("*.phh"))
    assert sorted(ORACLE) == files
    assert (13, 7) == (sum("F7S/" in name for name in files), sum("F7S8/" in name for name in files))


def facts(state):
    """Return stacks, bets and everything in the middle, in the oracle's terms; the seats are its players."""
    players = sorted(state.players, key=lambda player: player.seat)
    bets = [player.bet for player in players]
    return list(state.stacks), bets, sum(pot.amount for pot in state.pots) - sum(bets)


def turn(state):
    """Return who is to act, whether the bring-in is due, the price of a call and the least wager."""
    legal = engine.legal_actions(state)
    bet = state.player(legal.seat).bet
    call = next((choice.max - bet for choice in legal.choices if choice.kind == ActionKind.CALL), 0)
    wager = next((choice.min for choice in legal.choices if choice.kind in WAGERS), None)
    due = state.phase == Phase.BRING_IN
    return legal.seat, due, None if due else call, wager


@pytest.mark.parametrize("name", ORACLE)
def test_every_step_of_a_recorded_hand_is_what_pokerkit_makes_of_it(name):
    oracle = ORACLE[name]
    recorded = history(name)
    turns = 0
    steps = list(replay(recorded))
    assert len(oracle["steps"]) == len(steps)
    for expected, step in zip(oracle["steps"], steps, strict=True):
        where = expected["after"]
        assert where == (step.move.text if step.move else None)
        assert [] == engine.broken(step.state), where
        assert (expected["stacks"], expected["bets"], sum(expected["pots"])) == facts(step.state), where
        if expected["actor"] is not None:
            turns += 1
            due = expected["bring_in_pending"]
            call = None if due else expected["call"]
            assert (expected["actor"], due, call, expected["min_to"]) == turn(step.state), where
    assert turns == sum(move.word in ("pb", "f", "cc", "cbr") for move in recorded.moves)
    assert steps[-1].state.finished
    assert tuple(oracle["finish"]) == recorded.finishing_stacks == steps[-1].state.stacks


@pytest.mark.parametrize("name", ORACLE)
def test_the_cards_fall_as_they_were_recorded(name):
    recorded = history(name)
    told = dict.fromkeys(range(1, len(recorded.stacks) + 1), "")
    for move in recorded.moves:
        if move.word == "dh":
            told[move.seat] += "".join(map(card_text, move.cards))
    dealt = dict.fromkeys(told, "")
    shown = {}
    for step in replay(recorded):
        for event in step.events:
            if isinstance(event, CardDealt):
                dealt[event.seat] += card_text(event.card)
            if isinstance(event, HandShown):
                shown[event.seat] = "".join(map(card_text, event.cards))
    for seat, cards in told.items():
        pairs = zip(cards, dealt[seat], strict=True)
        assert all(known in ("?", card) for known, card in pairs)
    assert set(shown) == {move.seat for move in recorded.moves if move.word == "sm"}


def test_what_a_file_says_is_read():
    recorded = history("F7S8/48.phh")
    assert "seven-card-stud-hi-lo" == recorded.profile
    assert (50_000, 75_000, FixedLimit(250_000, 500_000)) == (
        recorded.rules.ante,
        recorded.rules.bring_in,
        recorded.rules.structure,
    )
    assert ("James Obst", 5) == (recorded.names[0], len(recorded.names))
    assert recorded.title.endswith("Day 5, hand 48")
    assert 52 == len(set(recorded.deck))


SHORT = """
variant = "F7S"
ante_trimming_status = true
antes = [1, 1, 1]
bring_in = 1
small_bet = 2
big_bet = 4
starting_stacks = [20, 20, 20]
actions = ["d dh p1 KsKh2c", "d dh p2 ????Ah", "d dh p3 ??????", "p1 pb", "p2 f", "p3 f"]
"""
FIELDS = ("variant", "antes", "bring_in", "small_bet", "starting_stacks", "actions")


def short(**fields):
    """Return the short hand with some fields changed, or left out where None."""
    lines = []
    for line in SHORT.splitlines():
        name = line.partition(" =")[0]
        if name not in fields:
            lines.append(line)
        elif fields[name] is not None:
            lines.append(f"{name} = {json.dumps(fields[name])}")
    lines += [f"{name} = {json.dumps(value)}" for name, value in fields.items() if f"{name} =" not in SHORT]
    return "\n".join(lines)


def played(**fields):
    return list(replay(read_phh(short(**fields))))


def test_unknown_cards_of_those_who_fold_are_filled_in_and_leave_the_bring_in_where_it_was():
    steps = played()
    assert (22, 19, 19) == steps[-1].state.stacks
    assert 1 == steps[0].state.actor
    assert 5 == len(read_phh(short()).filled_in)


def test_comments_and_the_other_name_of_the_high_low_are_understood():
    steps = played(
        variant="F7S8",
        actions=["d dh p1 KsKh2c # first", "d dh p2 ????Ah", "d dh p3 ??????", "p1 pb # low", "p2 f", "p3 f"],
    )
    assert steps[-1].state.rules.low is not None
    assert "p1 pb" == steps[4].move.text


def test_a_hand_shown_tells_cards_that_were_unknown_when_they_were_dealt():
    actions = ["d dh p1 KsKhAc", "d dh p2 ????2h", "p2 pb", "p1 cc"]
    for one, two in (("Kd", "5c"), ("8h", "6h"), ("Jd", "7h"), ("9c", "??")):
        actions += [f"d dh p1 {one}", f"d dh p2 {two}", "p1 cc", "p2 cc"]
    two = {"antes": [1, 1], "starting_stacks": [20, 20]}
    steps = played(actions=[*actions, "p1 sm KsKhAcKd8hJd9c", "p2 sm 3h4h2h5c6h7h3c"], **two)
    assert (18, 22) == steps[-1].state.stacks
    with pytest.raises(HistoryError, match="goes to a showdown, and cards of player 2 are unknown"):
        played(actions=[*actions, "p1 sm KsKhAcKd8hJd9c", "p2 sm"], **two)


DEAL = ["d dh p1 KsKh2c", "d dh p2 ????Ah", "d dh p3 ??????"]


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"variant": "NT"}, "variant is 'NT'; only F7S, F7S8, F7S/8"),
        ({"variant": "FR"}, "variant is 'FR'"),
        ({"variant": None}, "variant is None"),
        ({"actions": None}, "actions"),
        ({"bring_in": None}, "bring_in"),
        ({"bring_in": 3}, "bring_in = 3"),
        ({"small_bet": "two"}, r"\$\.small_bet"),
        ({"small_bet": 2.5}, r"\$\.small_bet"),
        ({"starting_stacks": [20, 20]}, "antes are"),
        ({"starting_stacks": [20, 20, -5]}, "seat 3 has -5"),
        ({"antes": [1, 1, 2]}, "antes are"),
        ({"players": ["A"]}, "players names 1"),
        ({"finishing_stacks": [1]}, "finishing_stacks names 1"),
        ({"antes": [30, 30, 30], "ante_trimming_status": False}, "ante_trimming_status"),
        ({"actions": [*DEAL, "p1 zz"]}, "'p1 zz' is no action"),
        ({"actions": [*DEAL, "d db 5c"]}, "'d db 5c' is no action"),
        ({"actions": [*DEAL, "p4 pb"]}, "there is no player 4 of 3"),
        ({"actions": [*DEAL, "p0 pb"]}, "there is no player 0 of 3"),
        ({"actions": ["d dh p1 KsKhXx"]}, "'d dh p1 KsKhXx': 'Xx' is not a card"),
        ({"actions": ["d dh p1 KsKh2"]}, "'2' is not a card"),
        ({"actions": [*DEAL[:2], "d dh p3 KsQsJs"]}, "Ks dealt twice"),
        ({"actions": [*DEAL, "p2 pb"]}, "'p2 pb': it is the turn of player 1"),
        ({"actions": [*DEAL, "p1 f"]}, "'p1 f' is not allowed; player 1 may bring_in, complete"),
        ({"actions": [*DEAL, "p1 pb", "p2 cbr 7"]}, "'p2 cbr 7': .* allowed: fold, call to 1, complete to 2"),
        ({"actions": [*DEAL, "p1 pb", "p2 f", "p3 f", "p1 cc"]}, "'p1 cc': nobody is to act any more"),
        ({"actions": [*DEAL, "p1 pb", "p2 cc", "p3 cc"]}, "lacks a card of player 1"),
        ({"actions": DEAL[:2]}, "lacks a card of player 3"),
        ({"actions": ["d dh p1 2d3d4d5d6d7d8d9d", *DEAL[1:]]}, "more than 7 cards"),
    ],
)
def test_what_cannot_be_read_or_cannot_have_happened_is_refused_by_name(fields, named):
    with pytest.raises(HistoryError, match=named):
        played(**fields)


def test_text_that_is_no_toml_is_refused():
    with pytest.raises(HistoryError, match="this is not TOML"):
        read_phh("variant = ")


def test_a_card_dealt_to_somebody_who_has_folded_is_refused():
    with pytest.raises(HistoryError, match="player 3 gets 4s by the rules, and 5s in the file"):
        played(actions=[*DEAL, "p1 pb", "p2 f", "p3 cc", "d dh p1 3s", "d dh p2 4s", "d dh p3 5s", "p3 cc"])
