"""The checks against replies built by hand: a short hand of three seats, and the same with something wrong in it."""

from collections.abc import Callable

import pytest

from loadtest.checks import TableChecks
from loadtest.measurements import Violation
from proto.stud.v1 import stud_pb2 as pb
from tests.loadtest.replies import BUY_IN, DEALT, created, dealt, folded_out, seated, shown_down


def table_with_players(**rules: int) -> TableChecks:
    checks = TableChecks()
    opening = created(**rules)
    assert [] == checks.changed("CreateTable", opening, opening.events, viewer=0)
    for number in DEALT:
        reply = seated(number)
        assert [] == checks.changed("TakeSeat", reply, reply.events, viewer=0, brought=BUY_IN)
    return checks


def after_deal(change: Callable[[pb.DealResponse], object] | None = None, viewer: int = 1) -> list[Violation]:
    reply = dealt(viewer)
    if change is not None:
        change(reply)
    return table_with_players().changed("Deal", reply, reply.events, viewer)


def named(violations: list[Violation]) -> set[str]:
    return {violation.check for violation in violations}


@pytest.mark.parametrize("viewer", [0, 1, 2, 3])
def test_a_right_hand_passes_for_every_viewer(viewer: int) -> None:
    checks = table_with_players()
    deal, end = dealt(viewer), folded_out(viewer)
    assert [] == checks.changed("Deal", deal, deal.events, viewer)
    assert [] == checks.changed("Act", end, end.events, viewer)


def test_a_right_showdown_passes() -> None:
    checks = table_with_players()
    deal, end = dealt(), shown_down()
    assert [] == checks.changed("Deal", deal, deal.events, 1)
    assert [] == checks.changed("Showdown", end, end.events, 0)


def test_reading_changes_nothing() -> None:
    checks = table_with_players()
    deal = dealt()
    checks.changed("Deal", deal, deal.events, 1)
    read = pb.GetTableResponse(version=5, etag="e5", table=dealt(viewer=2).table)
    assert [] == checks.read(read, viewer=2)
    read.version = read.table.version = 6
    assert {"version"} == named(checks.read(read, viewer=2))


def test_leaving_takes_the_chips_along() -> None:
    checks = table_with_players()
    deal, end = dealt(), folded_out()
    checks.changed("Deal", deal, deal.events, 1)
    checks.changed("Act", end, end.events, 1)
    left = pb.LeaveSeatResponse(version=7, etag="e7", table=end.table, stack=102)
    left.table.version, left.table.etag, left.table.viewer_seat = 7, "e7", 0
    left.table.seats[0].player_id = ""
    left.table.seats[0].down_cards[:] = ["??", "??"]
    left.events.append(pb.Event(seat_left=pb.SeatLeft(seat=1, player_id="p1", stack=102)))
    assert [] == checks.changed("LeaveSeat", left, left.events, 0, brought=-102)


def test_chips_of_a_leaver_that_stay_behind_are_found() -> None:
    checks = table_with_players()
    deal, end = dealt(), folded_out()
    checks.changed("Deal", deal, deal.events, 1)
    checks.changed("Act", end, end.events, 1)
    left = pb.LeaveSeatResponse(version=7, etag="e7", table=end.table, stack=100)
    left.table.version, left.table.etag, left.table.viewer_seat = 7, "e7", 0
    left.table.seats[0].player_id = ""
    left.table.seats[0].down_cards[:] = ["??", "??"]
    left.events.append(pb.Event(seat_left=pb.SeatLeft(seat=1, player_id="p1", stack=100)))
    assert {"chips", "stack"} == named(checks.changed("LeaveSeat", left, left.events, 0, brought=-100))


def lose_a_chip(reply: pb.DealResponse) -> None:
    reply.table.seats[1].stack -= 1


def lose_from_the_pot(reply: pb.DealResponse) -> None:
    reply.table.pots[0].amount -= 1


def move_a_chip(reply: pb.DealResponse) -> None:
    reply.table.seats[0].stack -= 1
    reply.table.seats[1].stack += 1


def leak_a_down_card(reply: pb.DealResponse) -> None:
    reply.table.seats[2].down_cards[1] = "9d"


def leak_in_an_event(reply: pb.DealResponse) -> None:
    next(e for e in reply.events if e.card_dealt.seat == 3).card_dealt.card = "9s"


def leak_a_burned_card(reply: pb.DealResponse) -> None:
    next(e for e in reply.events if e.HasField("burned")).burned.card = "5h"


def leak_a_value(reply: pb.DealResponse) -> None:
    reply.table.seats[1].hand.value = 4711


def leak_as_shown(reply: pb.DealResponse) -> None:
    reply.table.seats[1].shown = True
    reply.table.seats[1].down_cards[:] = DEALT[2][0]


def leak_in_an_offer(reply: pb.DealResponse) -> None:
    reply.table.offer.CopyFrom(pb.Offer(seat=2, purchase=pb.PURCHASE_KIND_HOLE_BONUS, card="4d", price=0))


def leak_by_a_claim(reply: pb.DealResponse) -> None:
    reply.table.legal_actions.append(pb.LegalAction(kind=pb.ACTION_KIND_CLAIM))


def leak_in_an_offer_event(reply: pb.DealResponse) -> None:
    offered = pb.PurchaseOffered(seat=2, purchase=pb.PURCHASE_KIND_HOLE_BONUS, card="4d")
    reply.events.append(pb.Event(purchase_offered=offered))


def hide_an_own_card(reply: pb.DealResponse) -> None:
    reply.table.seats[0].down_cards[0] = "??"


def hide_an_own_card_in_the_event(reply: pb.DealResponse) -> None:
    next(e for e in reply.events if e.HasField("card_dealt")).card_dealt.card = "??"


def hide_an_up_card(reply: pb.DealResponse) -> None:
    reply.table.seats[1].up_cards[0] = "??"


def deal_a_card_twice(reply: pb.DealResponse) -> None:
    reply.table.seats[1].up_cards[0] = "7c"


def community_card_twice(reply: pb.DealResponse) -> None:
    reply.table.community_cards.append("As")


def show_as_another(reply: pb.DealResponse) -> None:
    reply.table.viewer_seat = 2


def another_table(reply: pb.DealResponse) -> None:
    reply.table.table_id = "t2"


def skip_a_version(reply: pb.DealResponse) -> None:
    reply.version = reply.table.version = 6


def keep_the_version(reply: pb.DealResponse) -> None:
    reply.version = reply.table.version = 4


def older_table(reply: pb.DealResponse) -> None:
    reply.table.version = 4


def keep_the_etag(reply: pb.DealResponse) -> None:
    reply.etag = reply.table.etag = "e4"


def two_etags(reply: pb.DealResponse) -> None:
    reply.table.etag = "e5'"


def no_etag(reply: pb.DealResponse) -> None:
    reply.etag = reply.table.etag = ""


def skip_a_hand(reply: pb.DealResponse) -> None:
    reply.table.hand_number = 2


def nobody_to_act(reply: pb.DealResponse) -> None:
    reply.table.to_act_seat = 0


def folded_seat_to_act(reply: pb.DealResponse) -> None:
    reply.table.seats[1].folded = True


def nothing_to_choose(reply: pb.DealResponse) -> None:
    del reply.table.legal_actions[:]


def negative_pot(reply: pb.DealResponse) -> None:
    reply.table.pots[0].amount += 5
    reply.table.pots.append(pb.Pot(amount=-5))


@pytest.mark.parametrize(
    ("change", "checks"),
    [
        (lose_a_chip, {"chips", "stack"}),
        (lose_from_the_pot, {"chips"}),
        (move_a_chip, {"stack"}),
        (negative_pot, {"pot"}),
        (leak_a_down_card, {"hidden cards"}),
        (leak_in_an_event, {"hidden cards"}),
        (leak_a_burned_card, {"hidden cards"}),
        (leak_a_value, {"hidden cards"}),
        (leak_as_shown, {"shown hand", "hidden cards"}),
        (leak_in_an_offer, {"hidden cards"}),
        (leak_by_a_claim, {"hidden cards"}),
        (leak_in_an_offer_event, {"hidden cards"}),
        (hide_an_own_card, {"own cards"}),
        (hide_an_own_card_in_the_event, {"own cards"}),
        (hide_an_up_card, {"up cards"}),
        (deal_a_card_twice, {"one deck"}),
        (community_card_twice, {"one deck"}),
        (show_as_another, {"viewer"}),
        (another_table, {"table"}),
        (skip_a_version, {"version"}),
        (keep_the_version, {"version"}),
        (older_table, {"table version"}),
        (keep_the_etag, {"etag"}),
        (two_etags, {"table etag"}),
        (no_etag, {"etag"}),
        (skip_a_hand, {"hand number"}),
        (nobody_to_act, {"turn"}),
        (folded_seat_to_act, {"turn"}),
        (nothing_to_choose, {"turn"}),
    ],
    ids=lambda value: value.__name__ if callable(value) else "",
)
def test_each_wrong_is_found_and_nothing_else(change: Callable[[pb.DealResponse], object], checks: set[str]) -> None:
    assert checks == named(after_deal(change))


def test_violations_name_table_and_rpc_and_never_a_card() -> None:
    for change in (leak_a_down_card, leak_in_an_event, leak_a_burned_card, leak_as_shown, deal_a_card_twice):
        for violation in after_deal(change):
            assert ("t1", "Deal") == (violation.table_id, violation.rpc)
            words = set(str(violation).replace(",", " ").replace(":", " ").split())
            cards = {card for down, up in DEALT.values() for card in (*down, *up)} | {"5h"}
            assert set() == words & cards


def test_a_card_that_moves_from_one_view_to_another_seat_is_found() -> None:
    checks = table_with_players()
    deal = dealt(viewer=1)
    checks.changed("Deal", deal, deal.events, 1)
    read = pb.GetTableResponse(version=5, etag="e5", table=dealt(viewer=2).table)
    read.table.seats[1].down_cards[0] = "As"
    assert {"one deck"} == named(checks.read(read, viewer=2))


def test_cards_of_an_earlier_hand_may_come_again() -> None:
    checks = table_with_players()
    deal, end = dealt(), folded_out()
    checks.changed("Deal", deal, deal.events, 1)
    checks.changed("Act", end, end.events, 1)
    again = dealt(viewer=1)
    again.version = again.table.version = 7
    again.etag = again.table.etag = "e7"
    again.table.hand_number = 2
    for seat, stack in ((0, 101), (1, 98), (2, 98)):
        again.table.seats[seat].stack = stack
    again.table.seats[1].up_cards[0] = "7c"
    again.table.seats[0].up_cards[0] = "2d"
    for event in again.events:
        if event.card_dealt.face == pb.FACE_UP:
            event.card_dealt.card = {1: "2d", 2: "7c", 3: "4c"}[event.card_dealt.seat]
    assert [] == checks.changed("Deal", again, again.events, 1)


def test_what_is_lost_once_is_counted_once() -> None:
    checks = table_with_players()
    deal, end = dealt(), folded_out()
    lose_a_chip(deal)
    assert {"chips", "stack"} == named(checks.changed("Deal", deal, deal.events, 1))
    end.table.seats[1].stack -= 1
    assert [] == checks.changed("Act", end, end.events, 1)


def test_a_winner_by_folds_shows_nothing() -> None:
    checks = table_with_players()
    deal, end = dealt(), folded_out(viewer=2)
    checks.changed("Deal", deal, deal.events, 1)
    end.table.seats[0].shown = True
    end.table.seats[0].down_cards[:] = DEALT[1][0]
    assert {"shown hand", "hidden cards"} == named(checks.changed("Act", end, end.events, 2))


def test_a_folded_hand_is_never_shown() -> None:
    checks = table_with_players()
    deal, end = dealt(), shown_down()
    checks.changed("Deal", deal, deal.events, 1)
    end.table.seats[2].folded = True
    assert {"shown hand"} == named(checks.changed("Showdown", end, end.events, 0))


def test_pots_are_empty_after_the_hand() -> None:
    checks = table_with_players()
    deal, end = dealt(), folded_out()
    checks.changed("Deal", deal, deal.events, 1)
    end.table.pots.append(pb.Pot(amount=0))
    assert {"pots after the hand"} == named(checks.changed("Act", end, end.events, 1))


def test_nobody_acts_after_the_hand() -> None:
    checks = table_with_players()
    deal, end = dealt(), folded_out()
    checks.changed("Deal", deal, deal.events, 1)
    end.table.to_act_seat = 3
    assert {"turn"} == named(checks.changed("Act", end, end.events, 1))


def test_a_rained_out_pot_stays_on_the_table() -> None:
    checks = table_with_players()
    deal, rained = dealt(), folded_out()
    checks.changed("Deal", deal, deal.events, 1)
    rained.table.seats[0].stack -= 3
    rained.events[2].CopyFrom(pb.Event(rained_out=pb.RainedOut(seat=3, card="Qs", carry=3)))
    assert [] == checks.changed("Act", rained, rained.events, 1)


def test_unrolled_cards_are_hidden_from_their_holder() -> None:
    checks = table_with_players(reveal_mode=pb.REVEAL_MODE_ROLL_YOUR_OWN)
    deal = dealt()
    for event in deal.events:
        if event.card_dealt.face == pb.FACE_DOWN:
            event.card_dealt.face, event.card_dealt.card = pb.FACE_UNSEEN, "??"
    assert {"own cards"} == named(checks.changed("Deal", deal, deal.events, 1))


def test_debts_count_as_negative_chips() -> None:
    checks = table_with_players(stakes=pb.STAKES_CREDIT)
    deal = dealt()
    deal.table.seats[2].stack -= 200
    deal.table.pots[0].amount += 200
    deal.events.append(pb.Event(bet_made=pb.BetMade(seat=3, to=200, paid=200)))
    assert [] == checks.changed("Deal", deal, deal.events, 1)
