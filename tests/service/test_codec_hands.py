"""Nobody's copy of a hand holds a card that is not that viewer's to know, whatever was dealt."""

import random

from google.protobuf.descriptor import FieldDescriptor
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import engine
from engine import IllegalAction
from engine.cards import card_text
from engine.events import CardDealt, CardExposed, CardReplaced, CardRolled, CommunityCardDealt, Face
from service.codec_hands import hand_message, hand_summary_message
from service.errors import ServiceError
from tests.engine.random_hands import randoms
from tests.service.played_hands import a_table, play_again, play_hand, two_decks

PROFILES = sorted(engine.PROFILES)


def texts(message):
    """Every text that a message holds, at any depth, but for the cards that wilds stand for."""
    for field, value in message.ListFields():
        if field.name == "stands_for":
            continue
        values = value if field.is_repeated else (value,)
        for each in values:
            if field.type == FieldDescriptor.TYPE_MESSAGE:
                yield from texts(each)
            elif field.type == FieldDescriptor.TYPE_STRING:
                yield each


def seen_by_all(played):
    """The cards that lay face up at some time, or were shown."""
    up = set()
    for event in played.hand.events:
        match event:
            case CardDealt(card=card, face=Face.UP) | CardRolled(card=card) | CommunityCardDealt(card=card):
                up.add(card)
            case CardExposed(card=card) | CardReplaced(card=card):
                up.add(card)
    state = played.table.hand
    return up | {card for player in state.players if player.shown for card in player.down}


def hidden_from(played, viewer):
    """The cards a viewer must not know, from the state in which the hand ended."""
    own = {card for player in played.table.hand.players if player.seat == viewer for card in player.down}
    return set(range(52)) - seen_by_all(played) - own


def copies(played):
    """The copy of every player and of a spectator, by seat."""
    viewers = (None, *(player.seat for player in played.hand.record.players))
    return {viewer: hand_message(played.before, played.hand, viewer) for viewer in viewers}


@settings(max_examples=200)
@given(st.sampled_from(PROFILES), randoms())
def test_no_copy_names_a_hidden_card(profile, rng):
    played = play_hand(rng, a_table(rng, profile), two_decks(rng), leave=rng.choice((0.0, 0.1)))
    for viewer, message in copies(played).items():
        hidden = {card_text(card) for card in hidden_from(played, viewer)}
        assert set() == hidden & set(texts(message.__class__(steps=message.steps)))


@settings(max_examples=100)
@given(st.sampled_from(PROFILES), randoms())
def test_every_player_finds_the_own_hole_cards(profile, rng):
    played = play_hand(rng, a_table(rng, profile), two_decks(rng))
    for player in played.table.hand.players:
        message = hand_message(played.before, played.hand, player.seat)
        known = set(texts(message))
        assert {card_text(card) for card in player.down} <= known


def test_another_hidden_card_changes_no_copy():
    """The same actions over a deck in which two cards that a viewer does not know have changed places."""
    compared = 0
    for seed in range(400):
        rng = random.Random(seed)
        profile = rng.choice(PROFILES)
        deck, spare = two_decks(rng)
        played = play_hand(rng, a_table(rng, profile), (deck, spare), leave=rng.choice((0.0, 0.1)))
        for viewer, message in copies(played).items():
            hidden = sorted(hidden_from(played, viewer))
            if len(hidden) < 2:
                continue
            one, other = rng.sample(hidden, 2)
            swap = {one: other, other: one}
            try:
                again = play_again(played, (tuple(swap.get(card, card) for card in deck), spare))
            except (IllegalAction, ServiceError):
                continue  # a hole card that a bonus was claimed for is another one now
            expected = message.SerializeToString(deterministic=True)
            copy = hand_message(again.before, again.hand, viewer).SerializeToString(deterministic=True)
            assert expected == copy, (seed, viewer)
            summaries = [hand_summary_message(each.hand.record).SerializeToString() for each in (played, again)]
            assert summaries[0] == summaries[1]
            compared += 1
    assert compared > 1000


def test_the_deck_is_in_no_copy():
    rng = random.Random(2)
    played = play_hand(rng, a_table(rng, "baseball"), two_decks(rng))
    deck = played.hand.happenings[0].shuffled.deck
    for message in copies(played).values():
        data = message.SerializeToString()
        assert not any(deck[at : at + 8] in data for at in range(45))


def test_a_copy_has_the_record_and_every_commit():
    rng = random.Random(6)
    played = play_hand(rng, a_table(rng, "baseball-hi-lo"), two_decks(rng))
    message = hand_message(played.before, played.hand, None)
    record = played.hand.record
    assert ("table-1", 1, "baseball-hi-lo") == (message.table_id, message.hand_number, message.profile)
    assert message.rules.HasField("split")
    assert (record.button, record.started_ms) == (message.button_seat, message.start_time.ToMilliseconds())
    assert record.ended_ms == message.end_time.ToMilliseconds()
    assert [(player.seat, player.player_id, player.end_stack) for player in record.players] == [
        (player.seat, player.player_id, player.end_stack) for player in message.players
    ]
    assert played.hand.start_stacks == {player.seat: player.start_stack for player in message.players}
    assert [(each.version, each.time_ms, len(each.events)) for each in played.hand.happenings] == [
        (step.version, step.time.ToMilliseconds(), len(step.events)) for step in message.steps
    ]
    summary = hand_summary_message(record)
    assert (record.number, record.pot, len(record.players)) == (summary.hand_number, summary.pot, summary.players)
    assert (list(record.winners), record.showdown) == (list(summary.winner_seats), summary.showdown)
    assert (record.profile, record.started_ms, record.ended_ms) == (
        summary.profile,
        summary.start_time.ToMilliseconds(),
        summary.end_time.ToMilliseconds(),
    )
    assert [False, True] == [
        hand_summary_message(replace(record, rained=rained)).rained_out for rained in (False, True)
    ]


def test_a_hand_of_another_game_has_the_rules_it_was_played_by():
    rng = random.Random(6)
    played = play_hand(rng, a_table(rng, "baseball"), two_decks(rng))
    assert ["3", "9"] == list(hand_message(played.before, played.hand, None).rules.wild_ranks.ranks)
    football = replace(played.hand.record, profile="football", rules=engine.PROFILES["football"])
    message = hand_message(played.before, replace(played.hand, record=football), None)
    assert ("football", ["6"]) == (message.profile, list(message.rules.wild_ranks.ranks))
