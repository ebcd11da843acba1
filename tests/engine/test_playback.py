"""Every hand comes out the same when it is played again from its events."""

import random

import pytest
from hypothesis import given, settings
from msgspec.structs import replace

import engine
from engine import PROFILES, StartError
from engine.actions import ActionKind
from engine.cards import card_text
from engine.events import CardDealt, Folded, HandStarted, PotAwarded, PurchaseDeclined, Raised
from engine.playback import _KINDS, PlaybackError, play_back
from tests.engine.random_hands import play_out, random_rules, random_setting, randoms, settings_of


def a_hand(setting, rng, leave=0.0):
    """Play a hand at random; return its events and its last state."""
    steps = list(play_out(rng, setting.start(), leave=leave))
    return [event for step in steps for event in step.events], steps[-1].state


def ended(state):
    """A finished hand without what is left of the turn that ended it: leaving and folding are one event."""
    return replace(state, rolled=0)


@settings(max_examples=150)
@given(randoms())
def test_hands_by_any_rules_with_leavers_end_the_same(rng):
    setting = random_setting(rng, random_rules(rng))
    events, state = a_hand(setting, rng, leave=rng.choice((0.0, 0.1)))
    assert ended(state) == ended(play_back(setting.rules, setting.deck, events, spare=setting.spare))


@pytest.mark.parametrize("profile", sorted(PROFILES))
def test_hands_of_every_profile_end_the_same(profile):
    for seed in range(20):
        rng = random.Random(seed)
        setting = settings_of(profile, rng)
        events, state = a_hand(setting, rng, leave=0.05 * (seed % 3))
        assert ended(state) == ended(play_back(setting.rules, setting.deck, events, spare=setting.spare))


def test_a_hand_is_played_as_far_as_the_events_go():
    rng = random.Random(5)
    setting = settings_of("baseball", rng)
    steps = list(play_out(rng, setting.start()))
    for length in (1, len(steps) // 2):
        events = [event for step in steps[:length] for event in step.events]
        assert steps[length - 1].state == play_back(setting.rules, setting.deck, events, spare=setting.spare)


def some_hand():
    for seed in range(1000):
        rng = random.Random(seed)
        setting = settings_of("baseball-match-pot-fours", rng)
        events, _ = a_hand(setting, rng)
        if any(isinstance(event, Raised) for event in events) and len(setting.seats) > 3:
            return setting, events
    raise AssertionError("no hand with a raise")


class TestWhatIsNotAHand:
    def test_no_event_may_be_missing_added_or_moved(self):
        setting, events = some_hand()
        for at in range(len(events)):
            if isinstance(events[at], PurchaseDeclined):
                continue  # whoever folds without having declined has left
            missing = events[:at] + events[at + 1 :]
            with pytest.raises((PlaybackError, StartError)):
                play_back(setting.rules, setting.deck, missing, spare=setting.spare)
            twice = events[: at + 1] + events[at:]
            with pytest.raises((PlaybackError, StartError)):
                play_back(setting.rules, setting.deck, twice, spare=setting.spare)

    def test_a_changed_amount_is_named_with_its_place(self):
        setting, events = some_hand()
        at = next(at for at, event in enumerate(events) if isinstance(event, PotAwarded))
        changed = [*events[:at], replace(events[at], amount=events[at].amount + 1), *events[at + 1 :]]
        with pytest.raises(PlaybackError, match=f"^event {at}: PotAwarded") as refused:
            play_back(setting.rules, setting.deck, changed, spare=setting.spare)
        assert at == refused.value.at

    def test_another_deck_is_noticed_and_no_card_is_named(self):
        setting, events = some_hand()
        first = next(event for event in events if isinstance(event, CardDealt))
        deck = list(setting.deck)
        deck[0], deck[1] = deck[1], deck[0]
        with pytest.raises(PlaybackError) as refused:
            play_back(setting.rules, deck, events, spare=setting.spare)
        assert card_text(first.card) not in str(refused.value)

    def test_hidden_cards_are_no_record_of_a_hand(self):
        setting, events = some_hand()
        with pytest.raises(PlaybackError):
            play_back(setting.rules, setting.deck, [engine.visible(event, None) for event in events])

    def test_nothing_is_no_hand(self):
        setting, events = some_hand()
        for what in ([], events[1:]):
            with pytest.raises(PlaybackError, match="HandStarted"):
                play_back(setting.rules, setting.deck, what)

    def test_a_fold_of_somebody_who_is_not_there(self):
        setting, _ = some_hand()
        start = setting.start()
        with pytest.raises(PlaybackError, match="Folded"):
            play_back(setting.rules, setting.deck, [*start.events, Folded(99)])

    def test_a_start_that_cannot_be(self):
        setting, _ = some_hand()
        with pytest.raises(StartError):
            play_back(setting.rules, setting.deck, [HandStarted(1, ())])


def test_every_action_has_an_event_that_tells_of_it():
    told = {kind for kinds in _KINDS.values() for kind in kinds}
    assert set(ActionKind) - told == {ActionKind.LEAVE}
