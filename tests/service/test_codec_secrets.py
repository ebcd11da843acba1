"""No message holds a trace of a card that its viewer may not see, and none lacks one that the viewer may."""

from collections.abc import Mapping, Sequence

import msgspec
from google.protobuf import json_format
from hypothesis import Phase as Stage
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import PROFILES, State
from engine.cards import DECK_SIZE, card_text
from engine.events import AnyEvent, Burned, CardDealt, Face
from engine.knobs import Burn
from proto.stud.v1 import stud_pb2
from service.codec import happening_message, table_message
from service.table import Table
from service.table_events import Happening
from tests.service.table_hands import played, table_of

PLAYED = {name: PROFILES[name] for name in ("baseball", "baseball-home", "baseball-simple", "seven-card-stud")}


# A situation is a seed: a smaller one says no more, and looking for it takes minutes.


STAGES = (Stage.explicit, Stage.reuse, Stage.generate)
situations = st.tuples(
    st.sampled_from(sorted(PLAYED)),
    st.booleans(),
    st.integers(2, 6),
    st.integers(0, 2**32),
    st.integers(0, 70),
    st.sampled_from([(40,), (400,), (3, 40, 9)]),
)


def situation(drawn: tuple[str, bool, int, int, int, tuple[int, ...]]) -> tuple[State, list[AnyEvent]]:
    name, burns, players, seed, actions, stacks = drawn
    rules = PLAYED[name].replace(burn=Burn.EVERY_ROUND) if burns and players < 6 else PLAYED[name]
    return played(rules, players, seed, actions, stacks)


def secrets(state: State, viewer: int | None) -> list[int]:
    """Return the cards that a viewer may know nothing of."""
    down = [card for player in state.players if player.seat != viewer and not player.shown for card in player.down]
    return [*down, *state.deck, *state.burns]


def hidden_otherwise(state: State, viewer: int | None, shuffled: Mapping[int, int]) -> State:
    """Return the same hand with other cards where the viewer cannot see them."""

    def other(cards: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(shuffled.get(card, card) for card in cards)

    players = tuple(
        player if player.seat == viewer or player.shown else msgspec.structs.replace(player, down=other(player.down))
        for player in state.players
    )
    return msgspec.structs.replace(state, players=players, deck=other(state.deck), burns=other(state.burns))


@settings(deadline=None, max_examples=60, phases=STAGES)
@given(situations, st.randoms(use_true_random=False))
def test_another_hidden_card_changes_no_byte_of_what_others_get(drawn, chance) -> None:
    state, events = situation(drawn)
    for viewer in (None, *(player.seat for player in state.players)):
        unknown = secrets(state, viewer)
        shuffled = dict(zip(unknown, chance.sample(unknown, len(unknown)), strict=True))
        otherwise = hidden_otherwise(state, viewer, shuffled)

        assert _bytes(table_of(state), viewer) == _bytes(table_of(otherwise), viewer)

        other_events = [_with_other_card(event, shuffled) for event in events]
        assert _event_bytes(events, viewer) == _event_bytes(other_events, viewer)


def _bytes(table: Table, viewer: int | None) -> bytes:
    return table_message(table, viewer, with_rules=True).SerializeToString()


def _event_bytes(events: Sequence[AnyEvent], viewer: int | None) -> bytes:
    return happening_message(Happening(1, "e", 1, 0, tuple(events)), viewer).SerializeToString()


def _with_other_card(event: AnyEvent, shuffled: Mapping[int, int]) -> AnyEvent:
    if isinstance(event, Burned) or (isinstance(event, CardDealt) and event.face != Face.UP):
        return msgspec.structs.replace(event, card=shuffled.get(event.card, event.card))
    return event


@settings(deadline=None, max_examples=60, phases=STAGES)
@given(situations)
def test_no_text_of_a_secret_card_is_in_any_message(drawn) -> None:
    state, events = situation(drawn)
    for viewer in (None, *(player.seat for player in state.players)):
        texts = {card_text(card) for card in secrets(state, viewer)}

        assert not texts & _cards_in(table_message(table_of(state), viewer))
        happening = Happening(1, "e", 1, 0, tuple(events))
        # What is shown later was hidden when it was dealt, and the bytes of that day stay as they were.
        assert not texts & _cards_in(happening_message(happening, viewer))


def _cards_in(message: stud_pb2.Table | stud_pb2.WatchTableResponse) -> set[str]:
    """Return every text in a message that is a card."""
    every_card = set(map(card_text, range(DECK_SIZE)))
    found: set[str] = set()

    def look(value: object) -> None:
        if isinstance(value, dict):
            for name, part in value.items():
                if name != "standsFor":  # what a wild stands for is no card that anybody holds
                    look(part)
        elif isinstance(value, list):
            for part in value:
                look(part)
        elif value in every_card:
            found.add(str(value))

    look(json_format.MessageToDict(message))
    return found


@settings(deadline=None, max_examples=40, phases=STAGES)
@given(situations)
def test_a_viewer_sees_the_own_cards_and_all_that_is_open(drawn) -> None:
    state, _ = situation(drawn)
    for viewer in (None, *(player.seat for player in state.players)):
        message = table_message(table_of(state), viewer)
        open_cards = {card for player in state.players for card in (*player.up, *player.dead)} | set(state.community)
        shown = {card for p in state.players if p.shown or p.seat == viewer for card in p.down}

        assert {card_text(card) for card in open_cards | shown} <= _cards_in(message)
