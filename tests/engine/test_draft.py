"""Drafts: nothing of a state is lost on the way through one, and a change in one is a change in no other."""

import msgspec
import pytest
from msgspec.structs import fields, replace

import engine
from engine import PROFILES, Action, ActionKind
from engine.cards import FULL_DECK
from engine.draft import Draft, twin_of
from engine.events import PurchaseKind
from engine.state import Award, Betting, Offer, Phase, Player, State, Trigger

# Each value is unlike every other of its kind, so that two that change places are noticed.
PLAYER = Player(7, 701, (1,), (2,), (3,), 702, 703, True, False, True, (4,), (5,), (6,), True)
BETTING = Betting(11, 12, 13, 14, True, False, True, False, 15)
STATE = State(
    *(PROFILES["baseball"], Phase.CLAIM, 8, 9, 1_000, (PLAYER, replace(PLAYER, seat=8, out=False))),
    *((20, 21), (22, 23), (24, 25), (26,), 31, 32, (Trigger(7, 2, PurchaseKind.BONUS),)),
    *(Offer(7, 2, PurchaseKind.BONUS, 33), 34, BETTING, ((35, 36),), (Award(7, 37),)),
    *(38, 39, True, False, 40, True, 41, 42, 43, False, 44),
)
FLAGS_TURNED = replace(
    *(STATE,), naming=False, pay_bought=True, down_dealt=False, rained=True,
    betting=replace(BETTING, opened=False, open_pair=True, high=False, heads_up=True),
    players=(replace(PLAYER, folded=False, acted=True, shown=False, out=False),),
)  # fmt: skip
OTHER = {int: 99, bool: None, tuple[int, ...]: (51,)}


@pytest.fixture
def state():
    return engine.start(PROFILES["seven-card-stud"], [100] * 3, 1, FULL_DECK).state


@pytest.mark.parametrize("whole", [STATE, FLAGS_TURNED])
def test_every_field_goes_through_a_draft_and_its_copy(whole):
    assert whole == Draft(whole).freeze()
    assert whole == Draft(whole).copy().freeze()


@pytest.mark.parametrize("field", [field for field in fields(Player) if field.name != "seat"], ids=lambda it: it.name)
def test_a_change_of_any_field_of_a_player_arrives(field):
    draft = twin_of(STATE).copy()
    was = getattr(PLAYER, field.name)
    changed = not was if field.type is bool else OTHER[field.type]
    setattr(draft.players[0], field.name, changed)
    after = draft.freeze()
    assert replace(PLAYER, **{field.name: changed}) == after.players[0]
    assert STATE.players[1] is after.players[1]
    assert was == getattr(twin_of(STATE).players[0], field.name)


def test_a_player_changed_back_and_forth_over_steps_is_up_to_date():
    draft = twin_of(STATE).copy()
    draft.players[0].stack = 1
    poor = draft.freeze()
    draft = twin_of(poor).copy()
    draft.players[0].stack = PLAYER.stack
    assert (1, PLAYER) == (poor.players[0].stack, draft.freeze().players[0])


def test_a_state_can_be_stepped_again_from_where_it_was(state):
    before = msgspec.msgpack.encode(state)
    first = engine.step(state, Action(ActionKind.BRING_IN))
    engine.step(first.state, Action(ActionKind.FOLD))
    assert first == engine.step(state, Action(ActionKind.BRING_IN))
    assert before == msgspec.msgpack.encode(state)


def test_the_twin_is_neither_encoded_nor_compared_nor_handed_on_to_a_changed_state(state):
    read = msgspec.msgpack.decode(msgspec.msgpack.encode(state), type=State)
    assert read == state
    assert engine.legal_actions(read) == engine.legal_actions(state)
    assert engine.step(read, Action(ActionKind.BRING_IN)) == engine.step(state, Action(ActionKind.BRING_IN))
    richer = replace(state, players=tuple(replace(player, stack=player.stack + 5) for player in state.players))
    assert [player.stack + 5 for player in twin_of(state).players] == [
        player.stack for player in twin_of(richer).players
    ]


def test_what_a_seat_may_do_is_worked_out_once(state):
    assert engine.legal_actions(state) is engine.legal_actions(state)


def test_a_seat_that_was_not_dealt_in_has_no_place(state):
    with pytest.raises(KeyError):
        twin_of(state).player(7)
