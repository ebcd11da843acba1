import pytest

from loadtest.memory import Memory, chip_moves
from proto.stud.v1 import stud_pb2 as pb


@pytest.mark.parametrize(
    ("event", "moves"),
    [
        (pb.Event(ante_posted=pb.AntePosted(seat=2, paid=5)), {2: -5}),
        (pb.Event(bring_in_posted=pb.BringInPosted(seat=3, to=2, paid=2)), {3: -2}),
        (pb.Event(completed=pb.Completed(seat=3, to=4, paid=3)), {3: -3}),
        (pb.Event(called=pb.Called(seat=1, to=8, paid=6)), {1: -6}),
        (pb.Event(bet_made=pb.BetMade(seat=1, to=8, paid=8)), {1: -8}),
        (pb.Event(raised=pb.Raised(seat=1, to=16, paid=8)), {1: -8}),
        (pb.Event(purchase_made=pb.PurchaseMade(seat=4, paid=2)), {4: -2}),
        (pb.Event(bet_returned=pb.BetReturned(seat=4, amount=7)), {4: 7}),
        (pb.Event(seat_taken=pb.SeatTaken(seat=6, stack=100)), {6: 100}),
        (pb.Event(seat_left=pb.SeatLeft(seat=6, stack=-30)), {6: 30}),
        (pb.Event(chips_added=pb.ChipsAdded(seat=6, amount=20)), {6: 20}),
        (pb.Event(folded=pb.Folded(seat=1)), {}),
        (pb.Event(), {}),
    ],
)
def test_every_event_moves_the_chips_it_names(event: pb.Event, moves: dict[int, int]) -> None:
    assert moves == chip_moves(event)


def test_a_seat_may_have_several_shares_of_a_pot() -> None:
    shares = [pb.SeatAmount(seat=1, amount=5), pb.SeatAmount(seat=2, amount=4), pb.SeatAmount(seat=1, amount=3)]
    assert {1: 8, 2: 4} == chip_moves(pb.Event(pot_awarded=pb.PotAwarded(amount=12, shares=shares)))


def test_every_event_with_an_amount_that_leaves_a_stack_is_known() -> None:
    """An event type that pays and is not known here would look like lost chips, and the other way round."""
    paying = {
        field.name
        for field in pb.Event.DESCRIPTOR.fields
        if any(part.name == "paid" for part in field.message_type.fields)
    }
    assert {"ante_posted", "called", "purchase_made"} <= paying
    for name in paying:
        event = pb.Event()
        getattr(event, name).seat = 3
        getattr(event, name).paid = 11
        assert {3: -11} == chip_moves(event), name


def test_a_new_hand_forgets_who_showed_and_whose_the_cards_were() -> None:
    memory = Memory(owners={"As": 1}, shown={1}, carry=40, stacks={1: 10})
    memory.learn_events([pb.Event(hand_started=pb.HandStarted(button_seat=1))])
    assert ({}, set(), 0, {1: 10}) == (memory.owners, memory.shown, memory.carry, memory.stacks)
    memory.learn_events([pb.Event(hand_shown=pb.HandShown(seat=2)), pb.Event(rained_out=pb.RainedOut(carry=9))])
    assert ({2}, 9) == (memory.shown, memory.carry)
