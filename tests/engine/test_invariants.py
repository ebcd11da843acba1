"""Every invariant notices the fault it is there for."""

import pytest
from msgspec.structs import replace

from engine import PROFILES, broken
from engine.cards import card_text, parse_card
from engine.events import PurchaseKind
from engine.state import Award, Offer, Phase
from tests.engine.play import STUD, deal

HANDS = {1: "(As Ad) Ks Kd", 2: "(Qs Qd) Js 8d", 3: "(Ts Td) 2c 7d"}


@pytest.fixture
def betting():
    return deal(STUD, HANDS).play("3 bring_in; 1 call; 2 call | 1 bet 5").state


@pytest.fixture
def purchase():
    return deal(PROFILES["baseball"], {1: "(As Ad) 4s", 2: "(Qs Qd) 2c"}).state


@pytest.fixture
def finished():
    return deal(STUD, {**HANDS, 1: "(As Ad) Ks"}).play("3 bring_in; 1 complete 5; 2 fold; 3 fold").state


@pytest.fixture
def shown():
    return deal(STUD, HANDS).play("3 bring_in; 1 call; 2 call |").check_down().state


def change(state, seat, /, **fields):
    """Change one player and nothing else."""
    return replace(state, players=tuple(replace(p, **fields) if p.seat == seat else p for p in state.players))


def faults(state):
    """What is broken, each by the word before the colon and what follows."""
    found = broken(state)
    assert all(": " in fault for fault in found)
    return " | ".join(found)


def test_hands_in_order_have_no_faults(betting, purchase, finished, shown):
    assert [[], [], [], []] == [broken(state) for state in (betting, purchase, finished, shown)]


def test_chips_that_appear_or_vanish(betting, finished):
    assert "chips: 284 in stacks and 14 in the middle are not the 300" in faults(change(betting, 2, stack=95))
    assert "chips: " in faults(change(betting, 2, collected=4))
    assert "chips: " in faults(replace(betting, dead_money=((0, 1),)))
    assert "chips: 301 in stacks" in faults(change(finished, 2, stack=100))


def test_chips_below_nothing(betting):
    short = change(change(betting, 2, stack=-3), 3, stack=197)
    assert "chips: seat 2 has -3" in faults(short)
    assert "chips: seat 2 put in a negative amount" in faults(change(betting, 2, bet=-1))
    assert "chips: seat 2 put in a negative amount" in faults(change(betting, 2, collected=-1))
    assert "chips: negative dead money" in faults(replace(betting, dead_money=((0, -1),)))


def test_on_credit_a_stack_may_be_below_nothing():
    state = deal(PROFILES["baseball-home"], {1: "(-- --) Ks", 2: "(-- --) 2c"}, 0).state
    assert [-840, -840] == [player.stack for player in state.players]
    assert [] == broken(state)


def test_a_card_that_is_there_twice_or_missing(betting):
    twice = change(betting, 2, up=(*betting.player(2).up, parse_card("As")))
    assert "cards: 1 of them are there more than once" == faults(twice)
    assert "cards: 51 different numbers are not the 52 cards" == faults(replace(betting, deck=betting.deck[1:]))
    assert "cards: 51 different numbers" in faults(change(betting, 1, down=betting.player(1).down[:1]))
    assert "cards: 53 different numbers" in faults(replace(betting, burns=(52,)))
    assert "cards: 52 different numbers" in faults(replace(betting, deck=(52, *betting.deck[1:])))


def test_a_fault_names_no_card(betting):
    """The message may reach a log."""
    hidden = {card_text(card) for card in (*betting.deck, *betting.player(1).down)}
    twice = change(betting, 2, down=betting.player(1).down)
    found = faults(replace(twice, burns=betting.deck[:3], deck=betting.deck[5:]))
    assert {"cards"} == {fault.partition(":")[0] for fault in found.split(" | ")}
    assert set() == hidden & set(found.replace(":", " ").split())


@pytest.mark.parametrize("where", ["deck", "burns", "community"])
def test_a_card_is_looked_for_everywhere(betting, where):
    doubled = replace(betting, **{where: (*getattr(betting, where), parse_card("Ks"))})
    assert "cards: 1 of them are there more than once" == faults(doubled)
    for field in ("dead", "unseen", "down"):
        assert "cards: 1 of them are there more than once" in faults(change(betting, 2, **{field: (parse_card("Ks"),)}))


def test_a_card_that_was_paid_for_or_may_be_claimed_for_is_held(betting):
    message = "cards: seat 2 has paid for or may claim for a card it does not hold"
    assert message in faults(change(betting, 2, paid=(parse_card("Ks"),)))
    assert message in faults(change(betting, 2, paid=(parse_card("Qs"),))), "down cards are not paid for"
    assert message in faults(change(betting, 2, claimable=(parse_card("Js"),))), "up cards are not claimed for"
    assert [] == broken(change(betting, 2, paid=(parse_card("Js"),), claimable=(parse_card("Qs"),)))


def test_recycled_cards_have_an_order_of_all_cards(betting):
    assert "cards: the spare order is no permutation of the deck" in faults(replace(betting, spare=(1, 2)))
    assert [] == broken(replace(betting, spare=tuple(range(52))[::-1]))


GOES_ON = [
    Phase.DEALING,
    Phase.ASKING_BEFORE,
    Phase.ASKING_AFTER,
    Phase.ROLLING,
    Phase.OPENING,
    Phase.CLOSING,
    Phase.WALKOVER,
]


@pytest.mark.parametrize("phase", GOES_ON)
def test_a_hand_that_rests_where_it_should_go_on(betting, phase):
    assert f"turn: the hand rests in phase {phase}" in faults(replace(betting, phase=phase))


def test_a_turn_that_cannot_be(betting, finished):
    assert "turn: seat 0 is to act in phase betting" in faults(replace(betting, actor=0))
    assert "turn: seat 1 is to act in phase finished" in faults(replace(finished, actor=1))
    assert "turn: seat 4 is to act and is not in the hand" in faults(replace(betting, actor=4))
    assert "turn: seat 2 is to act and is not in the hand" in faults(change(betting, 2, folded=True))
    assert "turn: there is no dealing round 5" in faults(replace(betting, round=5))
    assert "turn: there is no dealing round -1" in faults(replace(betting, round=-1))
    assert "turn: seat 2 is to bet and has nothing to bet with" in faults(change(betting, 2, out=True))
    broke = change(change(betting, 2, stack=0), 1, stack=betting.player(1).stack + betting.player(2).stack)
    assert "turn: seat 2 is to bet and has nothing to bet with" in faults(broke)
    assert "turn: the bring-in is due and somebody has no door card" in faults(
        change(replace(betting, phase=Phase.BRING_IN), 1, up=())
    )
    assert "turn: seat 2 is to roll and has no card left to roll" in faults(replace(betting, phase=Phase.ROLL))
    alone = change(change(betting, 1, folded=True), 3, folded=True)
    assert "turn: the hand goes on with fewer than two players" in faults(alone)


def test_bets_that_do_not_fit_the_level(betting):
    bets = betting.betting
    assert "betting: the last full level 5 is above the level 4" in faults(
        replace(betting, betting=replace(bets, level=4))
    )
    assert "betting: seat 1 has bet 5 at a level of 4" in faults(replace(betting, betting=replace(bets, level=4)))
    assert "betting: 4 raises with a cap of 3" in faults(replace(betting, betting=replace(bets, raises=4)))


def test_raises_may_exceed_a_cap_that_does_not_apply(betting):
    heads_up = replace(betting, rules=STUD.replace(heads_up_uncapped=True))
    many = replace(betting.betting, raises=40)
    assert "betting: 40 raises" in faults(replace(heads_up, betting=many))
    assert [] == broken(replace(heads_up, betting=replace(many, heads_up=True)))
    assert [] == broken(replace(betting, rules=STUD.replace(raise_cap=None), betting=many))


def test_bets_in_front_outside_a_betting_round(betting, shown):
    assert "betting: bets lie in front of players in phase showdown" in faults(replace(betting, phase=Phase.SHOWDOWN))
    moved = change(shown, 1, bet=2, stack=shown.player(1).stack - 2)
    assert "betting: bets lie in front of players in phase finished" in faults(moved)


def test_an_offer_without_its_phase_or_to_somebody_else(betting, purchase):
    offer = Offer(1, parse_card("4s"), PurchaseKind.BONUS, 2)
    assert "offer: " in faults(replace(betting, offer=offer))
    assert "offer: made to seat 1 while seat 2 is to act" in faults(replace(purchase, actor=2))
    assert "offer: none stands in phase purchase" in faults(replace(purchase, offer=None))
    assert "offer: none stands in phase claim" in faults(replace(purchase, offer=None, phase=Phase.CLAIM))
    assert "offer: made to seat 3" in faults(replace(purchase, offer=replace(offer, seat=3)))


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"card": parse_card("5s")}, "seat 1 does not hold the card it is about"),
        ({"price": -1}, "seat 1 cannot pay -1"),
        ({"price": 100}, "seat 1 cannot pay 100"),
    ],
)
def test_an_offer_that_cannot_be_taken(purchase, fields, fault):
    assert f"offer: {fault}" in faults(replace(purchase, offer=replace(purchase.offer, **fields)))


def test_seats_that_cannot_be(betting):
    assert "seats: " in faults(change(betting, 2, seat=3))
    assert "seats: " in faults(change(betting, 3, seat=4))
    assert "seats: [1, 2, 3] is not the dealing order from button 1" in faults(replace(betting, button=1))
    assert "seats: the button is at seat 4" in faults(replace(betting, button=4))
    nobody = replace(betting, players=tuple(replace(player, folded=True) for player in betting.players))
    assert "seats: nobody is in the hand" in faults(nobody)


def test_an_end_that_leaves_something(finished, betting):
    left = change(finished, 1, collected=3, stack=finished.player(1).stack - 3)
    assert "end: chips are left in the middle" in faults(left)
    dead = change(replace(finished, dead_money=((0, 3),)), 1, stack=finished.player(1).stack - 3)
    assert "end: chips are left in the middle" in faults(dead)
    too_early = "end: something was awarded, shown or carried over before the end"
    assert too_early in faults(replace(betting, awards=(Award(1, 5),)))
    assert too_early in faults(change(betting, 1, shown=True))
    assert too_early in faults(change(replace(betting, carry=3), 1, stack=betting.player(1).stack - 3))
    assert "end: a negative award" in faults(replace(finished, awards=(Award(1, -5),)))


def test_an_end_that_shows_too_much_or_too_little(finished, shown):
    assert "end: seats [1] showed although everybody else folded" in faults(change(finished, 1, shown=True))
    assert "end: seats [1, 2] showed instead of everybody still in who has something to show" in faults(
        change(shown, 3, shown=False)
    )


def test_every_fault_is_named_at_once(betting):
    many = replace(change(betting, 2, stack=-1, bet=-1), awards=(Award(1, 1),))
    assert {"chips", "end"} == {fault.partition(":")[0] for fault in broken(many)}


def test_faults_of_structure_are_named_first_and_alone(betting):
    """The other checks rely on seats, cards and turns that can be."""
    unsound = replace(betting, actor=9, deck=betting.deck[2:], button=7, awards=(Award(1, 1),))
    assert {"seats", "cards", "turn"} == {fault.partition(":")[0] for fault in broken(unsound)}


@pytest.mark.parametrize("number", [2**60, -(2**60), 2**63, 2**200])
def test_numbers_that_no_hand_could_come_to(betting, number):
    for wrong in (
        change(betting, 2, stack=number),
        change(betting, 2, seat=number),
        replace(betting, cursor=number),
        replace(betting, dead_money=((0, number),)),
        replace(betting, betting=replace(betting.betting, step=number)),
    ):
        assert f"numbers: {number} is none that a hand could come to" in faults(wrong)


def test_a_seat_may_have_any_number(betting):
    last = 2**59
    moved = replace(change(betting, 3, seat=last), seat_count=last, button=last, actor=2)
    assert [] == broken(replace(moved, players=moved.players))
