"""What must hold in every hand, whatever the rules, the stacks and the players do."""

import random

import msgspec
import pytest
from hypothesis import assume, given, settings

import engine
from engine import PROFILES, Action, ActionKind, IllegalAction, State
from engine.cards import HIDDEN, mask_of
from engine.events import Burned, CardDealt, HandShown, PotAwarded
from engine.state import Phase
from tests.engine.croupier import Croupier
from tests.engine.ledger import Ledger
from tests.engine.payoffs import high_of, low_of, paid, payoffs
from tests.engine.random_hands import Setting, play_out, random_rules, random_setting, randoms, settings_of
from tests.engine.referee import Referee, wild_for

FEW = settings(max_examples=60, deadline=None)
MANY = settings(max_examples=150, deadline=None)

SIZED = {ActionKind.BET, ActionKind.COMPLETE, ActionKind.RAISE}


def check_hand(rng, setting, *, leave=0.0):
    """Play one hand and check it after every step; return all events."""
    ledger = Ledger(setting.rules)
    referee = Referee()
    croupier = Croupier(setting.rules)
    events = []
    for step in play_out(rng, setting.start(), leave=leave):
        for event in step.events:
            ledger.record(event)
            croupier.record(event)
        events += step.events
        assert [] == engine.broken(step.state)
        ledger.compare(step.state)
        croupier.compare(step.state)
        check_turn(step.state)
        referee.watch(step)
        if step.state.phase == Phase.SHOWDOWN:
            pots, in_the_end = ledger.pots(), step.state
    assert sum(setting.seats.values()) + setting.carry == sum(step.state.stacks) + step.state.carry
    shown = [event for event in events if isinstance(event, HandShown)]
    for event in shown:
        check_shown(in_the_end, event)
    if shown:
        assert payoffs(in_the_end, pots) == paid(event for event in events if isinstance(event, PotAwarded))
    return events


def check_turn(state):
    legal = engine.legal_actions(state)
    if state.finished:
        assert (None, ()) == (legal.seat, legal.choices)
        return
    player = state.player(legal.seat)
    assert not player.folded
    assert len(set(legal.choices)) == len(legal.choices)
    if state.phase in (Phase.BRING_IN, Phase.BETTING):
        assert not state.all_in(player)
        assert not player.out
    for choice in legal.choices:
        assert 0 <= choice.min <= choice.max
        assert state.rules.credit or choice.max <= player.bet + player.stack
        assert state.rules.credit or choice.price <= player.stack
        if choice.kind in SIZED or choice.kind in (ActionKind.CALL, ActionKind.BRING_IN):
            assert player.bet < choice.min


def check_shown(state, event):
    """What is shown is held, is worth what it is said to be, and the five that play are enough for it."""
    player = state.player(event.seat)
    assert event.cards == (*player.down, *player.up)
    held = {*event.cards, *state.community}
    assert high_of(state, player) == event.value
    assert {*event.best, *event.low} <= held
    assert {card for card, _ in event.wild_as} <= {card for card in event.best if wild_for(state, player) >> card & 1}
    low = low_of(state, player)
    assert (low is None) == (not event.low)
    if not state.rules.rolls:
        assert (5, high_of(state, player, mask_of(event.best))) == (len(event.best), event.value)
    if event.low:
        assert (5, low_of(state, player, mask_of(event.low))) == (len(event.low), low)


# Whole hands


@pytest.mark.parametrize("name", PROFILES)
def test_hands_of_every_profile_keep_their_books(name):
    rng = random.Random(name)
    for _ in range(60):
        check_hand(rng, settings_of(name, rng))


@MANY
@given(randoms())
def test_hands_by_any_rules_keep_their_books(rng):
    check_hand(rng, random_setting(rng, random_rules(rng)))


@MANY
@given(randoms())
def test_players_may_leave_at_any_time(rng):
    check_hand(rng, random_setting(rng, random_rules(rng)), leave=0.15)


@pytest.mark.parametrize("name", PROFILES)
@pytest.mark.parametrize("chips", [1, 2, 3])
def test_full_tables_of_tiny_stacks(name, chips):
    """Everybody is all-in at once or soon; nothing but the cards goes on."""
    rng = random.Random(f"{name} {chips}")
    rules = PROFILES[name]
    for _ in range(10):
        setting = random_setting(rng, rules)
        stacks = dict.fromkeys(range(1, rules.max_players + 1), chips * rules.minor_units)
        check_hand(rng, setting._replace(seats=stacks, button=rules.max_players))


def test_full_tables_that_never_fold_reach_the_end_of_the_deck():
    """Seven players, nobody folds, bonus cards are free: sometimes one card must do for all."""
    rng = random.Random(7)
    rules = PROFILES["baseball-free-fours"].replace(burn="every_round")
    kinds = set()
    for _ in range(40):
        setting = random_setting(rng, rules)._replace(seats=dict.fromkeys(range(1, 8), 1), button=7)
        kinds |= {type(event).__name__ for event in check_hand(rng, setting)}
    assert {"BurnsReturned", "CommunityCardDealt"} <= kinds


# Legal and accepted are the same


def amounts_to_try(legal):
    bounds = {bound for choice in legal.choices for bound in (choice.min, choice.max, choice.price)}
    near = {bound + off for bound in bounds for off in (-1, 0, 1)}
    return sorted(near | {-(2**63), -5, -1, 0, 1, 2**31, 2**53 + 1, 2**63 - 1})


def allowed(legal, action):
    """Whether an action is on offer: sizes must be named, the one amount of a call, bring-in or purchase may be."""
    for choice in legal.find(action.kind):
        if action.kind in SIZED and choice.min <= action.amount <= choice.max:
            return True
        if action.kind not in SIZED and action.amount in (0, choice.min, choice.price):
            return True
    return False


def check_every_action(state):
    legal = engine.legal_actions(state)
    before = msgspec.msgpack.encode(state)
    for kind in ActionKind:
        if kind == ActionKind.LEAVE:
            continue
        for amount in amounts_to_try(legal):
            action = Action(kind, amount)
            if allowed(legal, action):
                assert [] == engine.broken(engine.step(state, action).state)
            else:
                with pytest.raises(IllegalAction):
                    engine.step(state, action)
    assert before == msgspec.msgpack.encode(state)


@FEW
@given(randoms())
def test_exactly_the_legal_actions_are_accepted(rng):
    states = [step.state for step in play_out(rng, random_setting(rng, random_rules(rng)).start())]
    for state in rng.sample(states, min(6, len(states))):
        check_every_action(state)


@FEW
@given(randoms())
def test_nobody_else_may_act(rng):
    states = [step.state for step in play_out(rng, random_setting(rng, random_rules(rng)).start())]
    state = rng.choice(states)
    for choice in engine.legal_actions(state).choices:
        action = Action(choice.kind, choice.min)
        assert engine.step(state, action) == engine.step(state, Action(choice.kind, choice.min, seat=state.actor))
        for seat in range(1, 9):
            if seat != state.actor:
                with pytest.raises(IllegalAction, match=f"turn of seat {state.actor}"):
                    engine.step(state, Action(choice.kind, choice.min, seat=seat))


# Leaving, running out of time


@FEW
@given(randoms())
def test_any_seat_may_leave_in_any_state_and_the_hand_still_ends(rng):
    for step in list(play_out(rng, random_setting(rng, random_rules(rng)).start())):
        seat = rng.choice(step.state.players).seat
        left = engine.step(step.state, Action(ActionKind.LEAVE, seat=seat))
        assert [] == engine.broken(left.state)
        gone = step.state.player(seat)
        over = step.state.phase in (Phase.SHOWDOWN, Phase.FINISHED)
        stays = over or gone.out or step.state.all_in(gone)
        assert left.state.player(seat).folded == (gone.folded or not stays)
        assert left.state.actor != seat or stays
        end_by_default(left.state)


@FEW
@given(randoms())
def test_everybody_leaving_ends_the_hand(rng):
    """Only all-in hands play on; an uncalled bet may come back to one whose player has left meanwhile."""
    states = [step.state for step in play_out(rng, random_setting(rng, random_rules(rng)).start())]
    state = rng.choice(states)
    for player in rng.sample(state.players, len(state.players)):
        state = engine.step(state, Action(ActionKind.LEAVE, seat=player.seat)).state
        assert [] == engine.broken(state)
    with_chips = [player for player in state.live if not state.all_in(player)]
    assert state.finished or state.phase == Phase.SHOWDOWN or len(with_chips) <= 1
    end_by_default(state)


def end_by_default(state):
    """Let the time run out until the hand is over."""
    for _ in range(400):
        if state.finished:
            return state
        state = engine.step(state, engine.default_action(state)).state
        assert [] == engine.broken(state)
    raise AssertionError("the hand does not end")


@FEW
@given(randoms())
def test_time_outs_end_the_hand_from_every_state(rng):
    for step in play_out(rng, random_setting(rng, random_rules(rng)).start()):
        end_by_default(step.state)


# Values


@FEW
@given(randoms())
def test_a_state_survives_being_stored(rng):
    for step in play_out(rng, random_setting(rng, random_rules(rng)).start()):
        stored = msgspec.msgpack.encode(step.state)
        again = msgspec.msgpack.decode(stored, type=State)
        assert step.state == again
        assert stored == msgspec.msgpack.encode(again)
        assert engine.legal_actions(step.state) == engine.legal_actions(again)


@FEW
@given(randoms())
def test_a_hand_is_determined_by_its_start_and_its_actions(rng):
    setting = random_setting(rng, random_rules(rng))
    seed = rng.random()
    first = list(play_out(random.Random(seed), setting.start(), leave=0.05))
    assert first == list(play_out(random.Random(seed), setting.start(), leave=0.05))


# Who sees what


def hidden_from(state, viewer):
    """The cards that a viewer may not know: deck, burns, unseen cards, unshown down cards of others."""
    others = [p for p in state.players if p.seat != viewer and not p.shown]
    down = (card for player in others for card in player.down)
    unseen = (card for player in state.players for card in player.unseen)
    return {*state.deck, *state.burns, *down, *unseen}


@MANY
@given(randoms())
def test_swapping_two_hidden_cards_changes_nothing_for_a_viewer(rng):
    """Play a hand, pick a moment and two cards hidden from the viewer then, and play the same with the two swapped."""
    setting = random_setting(rng, random_rules(rng))
    actions = []
    steps = list(play_out(rng, setting.start(), leave=0.05, played=actions))
    moment = rng.randrange(len(steps))
    viewer = rng.choice([None, 99, *(player.seat for player in steps[0].state.players)])
    croupier = Croupier(setting.rules)
    for step in steps[: moment + 1]:
        for event in step.events:
            croupier.record(event)
    hidden = hidden_from(steps[moment].state, viewer) - croupier.known_to(viewer)
    first, second = rng.sample(sorted(hidden), 2)
    swap = {first: second, second: first}
    swapped = setting._replace(
        deck=tuple(swap.get(card, card) for card in setting.deck),
        spare=tuple(swap.get(card, card) for card in setting.spare),
    )
    theirs = swapped.start()
    for ours, action in zip(steps[: moment + 1], [*actions[:moment], None], strict=True):
        assert engine.view(ours.state, viewer) == engine.view(theirs.state, viewer)
        assert seen(ours, viewer) == seen(theirs, viewer)
        if action is not None:
            claims = action.kind == ActionKind.CLAIM
            assume(not claims or engine.legal_actions(theirs.state).find(ActionKind.CLAIM))  # a claim shows the card
            theirs = engine.step(theirs.state, action)
    assert steps[moment].state != theirs.state


def seen(step, viewer):
    return [engine.visible(event, viewer) for event in step.events]


@FEW
@given(randoms())
def test_no_event_shows_a_down_card_or_a_burn(rng):
    setting = random_setting(rng, random_rules(rng))
    for step in play_out(rng, setting.start()):
        for viewer in (None, *setting.seats):
            for event in seen(step, viewer):
                if isinstance(event, Burned):
                    assert HIDDEN == event.card
                if isinstance(event, CardDealt):
                    own = event.face == "down" and event.seat == viewer
                    assert (event.face == "up" or own) == (event.card != HIDDEN)


@FEW
@given(randoms())
def test_a_view_shows_what_its_viewer_may_know(rng):
    for step in play_out(rng, random_setting(rng, random_rules(rng)).start(), leave=0.05):
        state = step.state
        viewer = rng.choice([None, *(player.seat for player in state.players)])
        view = engine.view(state, viewer)
        for player, seat in zip(state.players, view.seats, strict=True):
            knows = player.seat == viewer or player.shown
            down = player.down if knows else (HIDDEN,) * len(player.down)
            assert (*down, *(HIDDEN for _ in player.unseen)) == seat.down
            assert (player.up, player.stack, player.folded) == (seat.up, seat.stack, seat.folded)
        assert sum(pot.amount for pot in view.pots) + sum(seat.stack for seat in view.seats) + view.carry == state.chips


def test_settings_are_what_they_seem():
    """The generator reaches every phase, credit and table stakes, short and deep stacks."""
    rng = random.Random(1)
    phases, credit, kinds = set(), set(), set()
    for _ in range(150):
        setting = random_setting(rng, random_rules(rng))
        assert isinstance(setting, Setting)
        credit.add(setting.rules.credit)
        for step in play_out(rng, setting.start(), leave=0.02):
            phases.add(step.state.phase)
            kinds |= {type(event).__name__ for event in step.events}
    waiting = {Phase.PURCHASE, Phase.CLAIM, Phase.ROLL, Phase.BRING_IN, Phase.BETTING, Phase.SHOWDOWN, Phase.FINISHED}
    assert waiting == phases
    assert {True, False} == credit
    assert {"BetReturned", "PurchaseMade", "PurchaseDeclined", "Completed", "Raised", "HandShown", "Burned"} <= kinds
    assert {"CardRolled", "LeaderNamed", "PlayerOut", "WildNamed", "RainedOut", "CardReplaced"} <= kinds
