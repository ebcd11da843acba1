"""Who sees what: the state and the events as a seat, a spectator or a stranger may see them."""

import msgspec
import pytest

import engine
from engine import PROFILES, Rules
from engine.actions import ActionKind, Choice, LegalActions
from engine.cards import HIDDEN, cards_text, parse_card
from engine.events import Burned, CardDealt, Face, HandShown, PurchaseKind, PurchaseOffered
from engine.knobs import BonusFace, Burn, OneUnit
from engine.state import Offer, Phase
from engine.view import View, view, visible
from tests.engine.play import STUD, deal

HANDS = {1: "(As Ad) Ks Kd", 2: "(Qs Qd) Js 8d", 3: "(Ts Td) 2c 7d"}


def cards(hand, viewer):
    """The cards of each seat as a viewer sees them."""
    return [f"({cards_text(seat.down)}) {cards_text(seat.up)}" for seat in view(hand.state, viewer).seats]


# Hands


def test_a_player_sees_the_own_down_cards_only():
    hand = deal(STUD, HANDS).play("3 bring_in; 1 call; 2 call |")
    assert ["(As Ad) Ks Kd", "(?? ??) Js 8d", "(?? ??) 2c 7d"] == cards(hand, 1)
    assert ["(?? ??) Ks Kd", "(?? ??) Js 8d", "(Ts Td) 2c 7d"] == cards(hand, 3)


@pytest.mark.parametrize("viewer", [None, 4, 99, 0, -1])
def test_whoever_holds_no_cards_sees_no_down_card(viewer):
    hand = deal(STUD, HANDS).play("3 bring_in; 1 call; 2 call |")
    assert ["(?? ??) Ks Kd", "(?? ??) Js 8d", "(?? ??) 2c 7d"] == cards(hand, viewer)


def test_a_folded_hand_is_known_to_who_held_it():
    hand = deal(STUD, {**HANDS, 1: "(As Ad) Ks"}).play("3 bring_in; 1 fold; 2 call |")
    assert "(As Ad) Ks" == cards(hand, 1)[0]
    assert "(?? ??) Ks" == cards(hand, 2)[0] == cards(hand, None)[0]


def test_shown_hands_are_open_and_folded_ones_stay_hidden():
    hand = deal(STUD, {**HANDS, 1: "(As Ad) Ks"}).play("3 bring_in; 1 fold; 2 call |").check_down()
    seats = cards(hand, None)
    assert "(?? ??) Ks" == seats[0]
    assert "??" not in seats[1] + seats[2]


def test_a_hand_won_without_a_showdown_stays_hidden():
    hand = deal(STUD, {**HANDS, 1: "(As Ad) Ks"}).play("3 bring_in; 1 complete 5; 2 fold; 3 fold")
    assert "(?? ??) Ks" == cards(hand, None)[0] == cards(hand, 2)[0]
    assert [] == hand.all(HandShown)


def test_hands_are_hidden_until_the_showdown_is_played():
    hand = deal(STUD, HANDS, 1)
    assert Phase.SHOWDOWN == hand.state.phase
    assert "??" in cards(hand, None)[0]
    hand.show()
    assert "??" not in "".join(cards(hand, None))


def test_a_bonus_card_dealt_down_is_hidden():
    hand = deal(PROFILES["baseball-free-fours"], {1: "(As Ad) 4s+(9h)", 2: "(Qs Qd) 2c"})
    assert "(As Ad 9h) 4s" == cards(hand, 1)[0]
    assert "(?? ?? ??) 4s" == cards(hand, 2)[0]


def test_a_bonus_card_dealt_up_is_public():
    rules = PROFILES["baseball-free-fours"].replace(bonus_face=BonusFace.UP)
    hand = deal(rules, {1: "(As Ad) 4s+9h", 2: "(Qs Qd) 2c"})
    assert "(?? ??) 4s 9h" == cards(hand, 2)[0]


# Everything else


def test_a_view_says_where_the_hand_stands():
    hand = deal(STUD, HANDS, {1: 100, 2: 5, 3: 100}).play("3 bring_in; 1 complete 5; 2 call")
    seen = view(hand.state, None)
    assert isinstance(seen, View)
    assert (None, Phase.BETTING, 3, 3, 5, 43) == (
        seen.viewer,
        seen.phase,
        seen.street,
        seen.button,
        seen.level,
        seen.cards_left,
    )
    assert [(94, 5, 6, False), (0, 4, 5, True), (97, 2, 3, False)] == [
        (seat.stack, seat.bet, seat.contributed, seat.all_in) for seat in seen.seats
    ]
    assert (14,) == tuple(pot.amount for pot in seen.pots)
    assert () == seen.awards


def test_whose_turn_it_is_and_what_may_be_done_is_public():
    hand = deal(STUD, HANDS)
    expected = LegalActions(3, (Choice(ActionKind.BRING_IN, 2, 2), Choice(ActionKind.COMPLETE, 5, 5)))
    for viewer in (1, 2, 3, None):
        assert expected == view(hand.state, viewer).legal


def test_an_offer_for_an_open_card_is_public():
    hand = deal(PROFILES["baseball"], {1: "(As Ad) 4s", 2: "(Qs Qd) 2c"})
    for viewer in (1, 2, None):
        assert Offer(1, parse_card("4s"), PurchaseKind.BONUS, 2) == view(hand.state, viewer).offer


def test_an_offer_for_a_down_card_is_not():
    state = deal(PROFILES["baseball"], {1: "(As Ad) 4s", 2: "(Qs Qd) 2c"}).state
    offer = Offer(1, parse_card("4d"), PurchaseKind.HOLE_BONUS, 2)
    state = msgspec.structs.replace(state, offer=offer)
    assert offer == view(state, 1).offer
    for viewer in (2, None):
        assert HIDDEN == view(state, viewer).offer.card


def test_between_rounds_nobody_owes_anything():
    hand = deal(PROFILES["baseball"], {1: "(-- --) Ks 4s", 2: "(-- --) 2c 7d"}).play("2 complete 2; 1 call |")
    assert 0 == view(hand.state, None).level


def test_the_end_says_who_won_what():
    hand = deal(STUD, {**HANDS, 1: "(As Ad) Ks"}).play("3 bring_in; 1 complete 5; 2 fold; 3 fold")
    seen = view(hand.state, 2)
    assert [(1, 7)] == [(award.seat, award.amount) for award in seen.awards]
    assert (LegalActions(None), ()) == (seen.legal, seen.pots)


@pytest.mark.parametrize("viewer", [None, 1, 2])
def test_no_view_holds_deck_or_burns_or_other_down_cards(viewer):
    """Search everything that is sent for each hidden card by its name in the deck."""
    rules = Rules(structure=OneUnit(1), burn=Burn.EVERY_ROUND)
    hand = deal(rules, {1: "(As Ad) Ks", 2: "(Qs Qd) 2c"}, button=2, burns="7s", rest="6s 5s")
    seen = engine.view(hand.state, viewer)
    shown = [card for seat in seen.seats for card in (*seat.down, *seat.up, *seat.dead)] + list(seen.community)
    known = {None: "Ks 2c", 1: "As Ad Ks 2c", 2: "Ks Qs Qd 2c"}[viewer]
    assert sorted(known.split()) == sorted(cards_text(card for card in shown if card != HIDDEN).split())
    assert {"deck", "burns", "spare", "triggers"}.isdisjoint(seen.__struct_fields__)


# Events


@pytest.mark.parametrize(("viewer", "sees"), [(1, True), (2, False), (None, False), (99, False)])
def test_a_down_card_is_seen_by_its_holder(viewer, sees):
    dealt = CardDealt(1, 51, Face.DOWN)
    assert (dealt if sees else CardDealt(1, HIDDEN, Face.DOWN)) == visible(dealt, viewer)


@pytest.mark.parametrize("viewer", [1, 2, None])
def test_an_up_card_is_seen_by_everybody_and_an_unseen_one_by_nobody(viewer):
    assert CardDealt(1, 51, Face.UP) == visible(CardDealt(1, 51, Face.UP), viewer)
    assert CardDealt(1, HIDDEN, Face.UNSEEN) == visible(CardDealt(1, 51, Face.UNSEEN), viewer)
    assert Burned(HIDDEN) == visible(Burned(51), viewer)


@pytest.mark.parametrize(("viewer", "sees"), [(1, True), (2, False), (None, False)])
def test_an_offer_shows_its_card_unless_it_lies_down(viewer, sees):
    down = PurchaseOffered(1, PurchaseKind.HOLE_BONUS, 51, 2)
    assert (51 if sees else HIDDEN) == visible(down, viewer).card
    up = PurchaseOffered(1, PurchaseKind.BONUS, 51, 2)
    assert up == visible(up, viewer)


def test_a_whole_hand_as_a_spectator_sees_it():
    hand = deal(STUD, {1: "(As Ad) Ks Kd", 2: "(Qs Qd) 2c 8d"}).play("2 bring_in; 1 call | 1 bet 5; 2 fold")
    seen = [visible(event, None) for event in hand.events]
    assert "?? ?? ?? ?? Ks 2c Kd 8d" == cards_text(event.card for event in seen if isinstance(event, CardDealt))
    others = [(event, public) for event, public in zip(hand.events, seen, strict=True) if event != public]
    assert all(isinstance(event, CardDealt) for event, _ in others)
