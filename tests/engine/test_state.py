"""One deal as a value, and what follows from it directly."""

import msgspec
import pytest
from msgspec.structs import replace

from engine import PROFILES, Rules, State
from engine.cards import mask_of, parse_cards
from engine.knobs import NoLimit, OneUnit
from engine.state import Betting, Phase, Player
from tests.engine.play import STUD, deal

THREE = {1: "(-- --) Ks Kd", 2: "(-- --) Js 8d", 3: "(-- --) 2c 7d"}


def test_the_street_is_the_number_of_cards_without_bonus_cards():
    rules = Rules(structure=OneUnit(1), bonus_rank="4")
    hand = deal(rules, {1: "(-- --) 4s+Kd -- -- -- (--)", 2: "(-- --) Qs -- -- -- (--)"})
    streets = []
    while not hand.state.finished:
        streets.append(hand.state.street)
        hand.play("1 showdown" if hand.legal == "showdown" else f"{hand.actor} check")
    assert [3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 7] == streets


def test_nine_card_games_have_more_streets():
    rules = Rules(max_players=5, structure=OneUnit(1), deal_pattern="3d1u,1u,1u,1u,1u,1d")
    hand = deal(rules, {1: "", 2: ""})
    assert 4 == hand.state.street
    assert 9 == hand.check_down().state.street


def test_stacks_stand_by_seat():
    hand = deal(STUD, {2: "(-- --) Ks", 5: "(-- --) 2c"}, {2: 50, 5: 60})
    assert (0, 49, 0, 0, 59) == hand.state.stacks


def test_the_pots_are_empty_when_the_hand_is_over():
    hand = deal(STUD, THREE).play("3 bring_in; 1 fold; 2 fold")
    assert (True, ()) == (hand.state.finished, hand.state.pots)


def test_there_is_one_pot_before_anybody_has_put_anything_in():
    assert [(0, {1, 2, 3})] == deal(Rules(structure=OneUnit(1)), THREE).pots


def test_the_winners_are_named_once_and_lowest_first():
    hands = {1: "(Ks Kd) 8c 9h Jd 5s (2d)", 2: "(Kh Kc) 8h 9d Jc 5h (2h)", 3: "(As Ad) 2c 3h 6d 9s (7d)"}
    hand = deal(Rules(ante=3, structure=NoLimit(1)), hands, {1: 50, 2: 50, 3: 3})
    hand.play("1 bet 40; 2 call |").check_down()
    assert (1, 2, 3) == hand.state.winners


def test_live_players_stand_in_dealing_order():
    hand = deal(STUD, {**THREE, 1: "(-- --) Ks"}, button=1).play("3 bring_in; 1 fold")
    assert [2, 3] == [player.seat for player in hand.state.live]


def test_a_seat_without_cards_has_no_player():
    state = deal(STUD, THREE).state
    assert 2 == state.player(2).seat
    with pytest.raises(KeyError):
        state.player(4)


def test_all_in_is_in_the_hand_with_nothing_left():
    hand = deal(STUD, {1: "(-- --) Ks", 2: "(-- --) Js", 3: "(-- --) 2c"}, {1: 1, 2: 3, 3: 100})
    hand.play("3 bring_in; 2 call")
    state = hand.state
    assert [True, True, False] == [state.all_in(state.player(seat)) for seat in (1, 2, 3)]
    folded = deal(STUD, THREE, {1: 100, 2: 3, 3: 100}).play("3 bring_in; 1 fold").state
    assert not folded.all_in(folded.player(1))
    assert not folded.all_in(replace(folded.player(1), stack=0))
    on_credit = deal(PROFILES["baseball-home"], {1: "(-- --) Ks", 2: "(-- --) 2c"}, 840).state
    assert [0, 0] == [player.stack for player in on_credit.players]
    assert not any(map(on_credit.all_in, on_credit.players))


def test_a_player_holds_up_and_down_cards_and_no_dead_ones():
    player = Player(1, 10, down=parse_cards("As Kd"), up=parse_cards("2c"), dead=parse_cards("4h"), collected=3, bet=2)
    assert mask_of(parse_cards("As Kd 2c")) == player.cards
    assert 5 == player.contributed


def test_a_state_is_a_frozen_value():
    state = deal(STUD, THREE).state
    for name in state.__struct_fields__:
        with pytest.raises(AttributeError):
            setattr(state, name, None)
    assert state == deal(STUD, THREE).state
    assert state != deal(STUD, THREE, 99).state


def test_a_state_is_small_and_survives_being_stored():
    hands = {seat: f"(-- --) {up}" for seat, up in enumerate(("4s+-- 4d+--", "Ks --", "Qs --", "2c --"), start=1)}
    rules = PROFILES["baseball-free-fours"].replace(bonus_face="up")
    hand = deal(rules, hands).play("4 bring_in; 1 call; 2 call; 3 complete 2; 4 call; 1 call; 2 call |")
    stored = msgspec.msgpack.encode(hand.state)
    assert hand.state == msgspec.msgpack.decode(stored, type=State)
    assert len(stored) < 2000


def test_a_hand_never_rests_in_a_phase_that_goes_on_by_itself():
    assert {"purchase", "claim", "roll", "bring_in", "betting", "showdown", "finished"} == set(Phase) - {
        "dealing",
        "asking_before",
        "asking_after",
        "rolling",
        "opening",
        "closing",
        "walkover",
    }


def test_nothing_is_bet_between_rounds():
    """Fourth street waits for a purchase: nobody has to have anything in front."""
    hand = deal(PROFILES["baseball"], {1: "(-- --) Ks 4s", 2: "(-- --) 2c 7d"}).play("2 complete 2; 1 call |")
    assert Phase.PURCHASE == hand.state.phase
    assert Betting(aggressor=2) == hand.state.betting
