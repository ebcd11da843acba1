"""Play comes to what was recorded; who means to change play says why and runs ``make golden``."""

import re
import subprocess
import sys

import pytest

from engine import PROFILES
from engine.cards import card_text
from engine.events import (
    AnyEvent,
    CardDealt,
    CardExposed,
    CardReplaced,
    CardRolled,
    CommunityCardDealt,
    Face,
    HandShown,
    RainedOut,
)
from tests import transcript
from tests.golden import DECKS, SAMPLE_HANDS, SEED, action_tree, recorded, signatures

CHANGED = "play has changed: if that is meant, run make golden ARGS='--reason \"…\"'"

SPECIAL = {
    "baseball": {"bonus bought", "bonus card down", "wild 3", "wild 9"},
    "baseball-free-fours": {"bonus card down", "wild 3"},
    "baseball-match-pot-fours": {"bonus bought", "purchase_declined", "wild 9"},
    "baseball-hi-lo": {"bonus bought", "high awarded", "low awarded"},
    "baseball-wild-twos": {"bonus card down", "wild 2"},
    "baseball-one-eyed-jacks": {"bonus card down", "wild Jh"},
    "baseball-home": {"bonus card up", "wild 3"},
    "baseball-home-pay-fours": {"bonus bought", "bonus card up", "purchase_declined"},
    "baseball-home-pay-threes": {"pay_rank bought", "wild 3"},
    "night-baseball": {"card_rolled", "leader_named", "bonus card unseen", "player_out"},
    "no-peek": {"card_rolled", "leader_named", "player_out"},
    "baseball-simple": {"bonus card up", "burned"},
    "baseball-match-pot": {"pay_rank bought", "bonus card down", "wild 3"},
    "baseball-match-pot-capped": {"pay_rank bought", "pay_rank offered for 20"},
    "baseball-match-pot-first-three": {"pay_rank bought", "pay_rank free"},
    "baseball-match-pot-free-threes": {"wild 3", "bonus card down"},
    "baseball-match-pot-fours-up": {"pay_rank bought", "bonus card up"},
    "baseball-match-pot-replace-fours": {"card_replaced", "replacement card up"},
    "baseball-match-pot-hole-fours": {"hole_bonus offered", "hole_bonus free"},
    "baseball-match-pot-hole-fours-buy": {"hole_bonus offered for 4", "hole_bonus bought"},
    "baseball-match-pot-hi-lo": {"pay_rank bought", "high awarded", "low awarded"},
    "football": {"pay_rank bought", "bonus card down", "wild 6"},
    "woolworth": {"bonus card down", "wild 5", "wild T"},
    "blind-baseball": {"pay_rank bought", "bonus card down", "wild 9"},
    "rainy-day-baseball": {"rained_out", "called"},
    "seven-card-stud": {"bring_in_posted", "completed", "raised", "bet_made", "hand_shown"},
    "seven-card-stud-hi-lo": {"high awarded", "low awarded"},
    "follow-the-queen": {"wild_named", "hand_shown"},
}
"""What must happen in the recorded hand of each game, in the words of ``marks``."""


def test_every_game_is_recorded_with_a_reason():
    content = recorded()
    assert list(PROFILES) == list(content["signatures"])
    by_hands = [str(SAMPLE_HANDS), str(content["hands"])]
    assert all(by_hands == list(signed) for signed in content["signatures"].values())
    assert SEED == content["seed"]
    assert content["reasons"]
    assert all(len(reason.split()) > 2 for reason in content["reasons"])


@pytest.mark.parametrize("profile", PROFILES)
def test_the_first_hands_are_played_as_recorded(profile):
    signed = {str(SAMPLE_HANDS): recorded()["signatures"][profile][str(SAMPLE_HANDS)]}
    assert signed == signatures(profile, [SAMPLE_HANDS]), CHANGED


def test_the_games_differ():
    content = recorded()
    signed = [by_hands[str(content["hands"])] for by_hands in content["signatures"].values()]
    assert len(set(signed)) > len(signed) - 3  # a few differ only in cards that hardly ever decide


@pytest.mark.parametrize("profile", DECKS)
def test_everything_that_can_be_done_from_a_fixed_deck_is_as_recorded(profile):
    assert recorded()["action_trees"][profile] == action_tree(profile), CHANGED


def test_the_trees_reach_what_makes_their_games_special():
    trees = recorded()["action_trees"]
    assert list(DECKS) == list(trees)
    kinds = {profile: set(tree["kinds"]) for profile, tree in trees.items()}
    assert {"buy", "decline"} <= kinds["baseball"] & kinds["baseball-match-pot"]
    assert {"replace", "keep"} <= kinds["baseball-match-pot-replace-fours"]
    assert "roll" in kinds["night-baseball"]
    assert trees["rainy-day-baseball"]["rained_out"]
    assert all(tree["over"] for tree in trees.values())


def test_nothing_is_recorded_without_a_reason():
    command = [sys.executable, "-m", "tests.golden"]
    refused = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert 2 == refused.returncode
    assert "--reason" in refused.stderr


def test_every_game_has_a_transcript():
    assert sorted(PROFILES) == sorted(file.stem for file in transcript.FOLDER.iterdir())
    assert list(PROFILES) == list(transcript.SEEDS) == list(SPECIAL)


@pytest.mark.parametrize("profile", PROFILES)
def test_a_transcript_is_played_again_to_the_byte(profile):
    recorded_text = transcript.recorded(profile)
    hand = transcript.read(recorded_text)
    assert profile == hand.profile
    assert recorded_text == transcript.transcript(hand), CHANGED
    *_, last = transcript.play(hand)
    assert last.state.finished


@pytest.mark.parametrize("profile", PROFILES)
def test_a_transcript_shows_what_is_special_about_its_game(profile):
    played = transcript.play(transcript.read(transcript.recorded(profile)))
    assert SPECIAL[profile] <= transcript.marks(event for step in played for event in step.events)


CARD = re.compile(r"\b[2-9TJQKA][cdhs]\b")
STANDS_FOR = re.compile(r":as:\w\w")
"""What a wild card stands for may be any card, and says nothing about where that card is."""


@pytest.mark.parametrize("profile", PROFILES)
def test_a_transcript_shows_nobody_a_card_that_was_not_turned_up_or_dealt_to_them(profile):
    text = transcript.recorded(profile)
    hand = transcript.read(text)
    known = {viewer: set() for viewer in range(len(hand.stacks) + 1)}  # 0 is the spectator
    for step, played in zip(text.split("\n\n")[1:], transcript.play(hand), strict=True):
        events = iter(played.events)
        for line in step.splitlines()[1:]:
            viewer = int(line[len("seat ")]) if line.startswith("seat ") else 0
            event = next(events, None) if not viewer else None
            if event is not None:
                _learn(known, event)
            shown = set(CARD.findall(STANDS_FOR.sub("", line)))
            assert set() == shown - known[viewer], line
        assert next(events, None) is None
        for dealt in played.events:
            if isinstance(dealt, CardDealt) and dealt.face == Face.DOWN:
                assert f"\nseat {dealt.seat}> card_dealt seat={dealt.seat} card={card_text(dealt.card)} " in step


def _learn(known: dict[int, set[str]], event: AnyEvent) -> None:
    """Add the cards of an event to what those know who may see them."""
    match event:
        case CardDealt(seat=seat, card=card, face=Face.DOWN):
            known[seat].add(card_text(card))
        case CardDealt(face=Face.UNSEEN):
            pass
        case HandShown(cards=cards):
            for cards_known in known.values():
                cards_known.update(map(card_text, cards))
        case CardDealt() | CommunityCardDealt() | CardRolled() | CardReplaced() | CardExposed() | RainedOut():
            for cards_known in known.values():
                cards_known.add(card_text(event.card))
