"""Events: one shape for streams, histories and tests."""

import random
import typing

import msgspec
import pytest

from engine.cards import FULL_DECK
from engine.events import AnyEvent, CardDealt, DealCause, Event, Face, HandShown, Raised, WildNamed
from tests.engine.play import STUD, deal
from tests.engine.random_hands import play_out, random_rules, random_setting

KINDS = typing.get_args(AnyEvent)


def test_the_union_holds_every_event():
    assert set(Event.__subclasses__()) == set(KINDS)


def test_every_event_has_its_own_tag_in_words():
    tags = [kind.__struct_config__.tag for kind in KINDS]
    assert len(set(tags)) == len(tags)
    assert {"hand_started", "card_dealt", "bring_in_posted", "pot_awarded"} <= set(tags)
    assert all(tag == tag.lower() and " " not in tag for tag in tags)


@pytest.mark.parametrize(
    "event",
    [
        CardDealt(1, 51, Face.UP),
        CardDealt(1, 0, Face.DOWN, DealCause.BONUS),
        Raised(3, 5, 10, 8),
        HandShown(2, (1, 2, 3), 7, (1, 2), ((1, 9),)),
        WildNamed(None),
        WildNamed(12),
    ],
)
def test_an_event_survives_being_stored_among_others(event):
    stored = msgspec.msgpack.encode([event])
    assert [event] == msgspec.msgpack.decode(stored, type=list[AnyEvent])


def test_whole_hands_survive_being_stored():
    rng = random.Random(3)
    for _ in range(25):
        events = [e for step in play_out(rng, random_setting(rng, random_rules(rng)).start()) for e in step.events]
        assert events == msgspec.json.decode(msgspec.json.encode(events), type=list[AnyEvent])


def test_events_cannot_be_changed():
    with pytest.raises(AttributeError):
        CardDealt(1, 51, Face.UP).card = 2


def test_a_hand_begins_and_ends_with_the_stacks():
    hand = deal(STUD, {1: "(-- --) Ks", 2: "(-- --) 2c"}).play("2 bring_in; 1 fold")
    assert ("HandStarted", "HandEnded") == (type(hand.events[0]).__name__, type(hand.events[-1]).__name__)
    assert ((1, 100), (2, 100)) == hand.events[0].stacks
    assert ((1, 99), (2, 101)) == hand.events[-1].stacks


def test_no_card_is_dealt_twice():
    hand = deal(STUD, {1: "(-- --) Ks", 2: "(-- --) 2c"}).play("2 bring_in; 1 call |").check_down()
    dealt = [event.card for event in hand.all(CardDealt)]
    assert len(set(dealt)) == len(dealt) == 14
    assert set(dealt) <= set(FULL_DECK)
