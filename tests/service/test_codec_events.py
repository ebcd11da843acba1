"""Events as messages: every kind with every field, and nothing that the viewer may not see."""

from typing import get_args

import pytest
from google.protobuf import json_format

from engine import evaluate
from engine.cards import card_text, mask_of, parse_card, parse_cards
from engine.events import (
    AntePosted,
    AnyEvent,
    BetMade,
    BetReturned,
    BettingClosed,
    BringInPosted,
    Burned,
    BurnsReturned,
    Called,
    CardDealt,
    CardExposed,
    CardReplaced,
    CardRolled,
    Checked,
    CommunityCardDealt,
    Completed,
    DealCause,
    Face,
    Folded,
    HandEnded,
    HandShown,
    HandStarted,
    LeaderNamed,
    PlayerOut,
    PotAwarded,
    PotHalf,
    PurchaseDeclined,
    PurchaseKind,
    PurchaseMade,
    PurchaseOffered,
    RainedOut,
    Raised,
    StreetStarted,
    WildNamed,
)
from proto.stud.v1 import stud_pb2
from service.codec_events import event_message, event_messages
from service.table_events import (
    ActionTimedOut,
    AnyTableEvent,
    CarrySplit,
    ChipsAdded,
    ChipsQueued,
    GameNamed,
    HandVoided,
    SatIn,
    SatOut,
    SeatLeft,
    SeatTaken,
    SessionEnded,
    TableCreated,
    TableDeleted,
    TablePaused,
    TableResumed,
)

BIG = 2**53 + 1
KS, QH, FOUR = parse_card("Ks"), parse_card("Qh"), parse_card("4d")

CASES = [
    (
        HandStarted(6, ((1, 100), (2, BIG)), 7),
        {"hand_started": {"button_seat": 6, "stacks": [
            {"seat": 1, "amount": "100"}, {"seat": 2, "amount": str(BIG)}], "carry": "7"}},
    ),
    (AntePosted(2, 1), {"ante_posted": {"seat": 2, "paid": "1"}}),
    (Burned(KS), {"burned": {"card": "??"}}),
    (BurnsReturned(2), {"burns_returned": {"count": 2}}),
    (StreetStarted(3), {"street_started": {"street": 3}}),
    (
        CardDealt(2, KS, Face.UP, DealCause.BONUS),
        {"card_dealt": {"seat": 2, "card": "Ks", "face": "FACE_UP", "cause": "DEAL_CAUSE_BONUS"}},
    ),
    (CommunityCardDealt(QH), {"community_card_dealt": {"card": "Qh"}}),
    (CardRolled(1, QH), {"card_rolled": {"seat": 1, "card": "Qh"}}),
    (WildNamed(0), {"wild_named": {"rank": "2"}}),
    (WildNamed(None), {"wild_named": {}}),
    (
        PurchaseOffered(2, PurchaseKind.PAY_RANK, FOUR, 5),
        {"purchase_offered": {"seat": 2, "purchase": "PURCHASE_KIND_PAY_RANK", "card": "4d", "price": "5"}},
    ),
    (
        PurchaseMade(2, PurchaseKind.BONUS, FOUR, 5),
        {"purchase_made": {"seat": 2, "purchase": "PURCHASE_KIND_BONUS", "card": "4d", "paid": "5"}},
    ),
    (
        PurchaseDeclined(2, PurchaseKind.REPLACEMENT, FOUR),
        {"purchase_declined": {"seat": 2, "purchase": "PURCHASE_KIND_REPLACEMENT", "card": "4d"}},
    ),
    (CardReplaced(4, FOUR), {"card_replaced": {"seat": 4, "card": "4d"}}),
    (CardExposed(4, FOUR), {"card_exposed": {"seat": 4, "card": "4d"}}),
    (BringInPosted(1, 2, 1), {"bring_in_posted": {"seat": 1, "to": "2", "paid": "1"}}),
    (Completed(1, 5, 3), {"completed": {"seat": 1, "to": "5", "paid": "3"}}),
    (Checked(7), {"checked": {"seat": 7}}),
    (Called(1, 5, 3), {"called": {"seat": 1, "to": "5", "paid": "3"}}),
    (BetMade(1, BIG, BIG), {"bet_made": {"seat": 1, "to": str(BIG), "paid": str(BIG)}}),
    (Raised(1, 5, 10, 5), {"raised": {"seat": 1, "from_bet": "5", "to": "10", "paid": "5"}}),
    (Folded(5), {"folded": {"seat": 5}}),
    (LeaderNamed(5), {"leader_named": {"seat": 5}}),
    (PlayerOut(5), {"player_out": {"seat": 5}}),
    (BetReturned(5, 3), {"bet_returned": {"seat": 5, "amount": "3"}}),
    (
        BettingClosed(((9, (1, 2, 3)), (4, (1, 3)))),
        {"betting_closed": {"pots": [{"amount": "9", "seats": [1, 2, 3]}, {"amount": "4", "seats": [1, 3]}]}},
    ),
    (
        PotAwarded(1, PotHalf.HIGH, 13, ((2, 7), (4, 6))),
        {
            "pot_awarded": {
                "pot": 1,
                "half": "POT_HALF_HIGH",
                "amount": "13",
                "shares": [{"seat": 2, "amount": "7"}, {"seat": 4, "amount": "6"}],
            }
        },
    ),
    (RainedOut(2, KS, 3), {"rained_out": {"seat": 2, "card": "Ks", "carry": "3"}}),
    (HandEnded(((1, -5), (2, 5))), {"hand_ended": {"stacks": [
        {"seat": 1, "amount": "-5"}, {"seat": 2, "amount": "5"}]}}),
    (TableCreated(), {"table_created": {}}),
    (SeatTaken(3, "ann", 100), {"seat_taken": {"seat": 3, "player_id": "ann", "stack": "100"}}),
    (SeatLeft(3, "ann", -100), {"seat_left": {"seat": 3, "player_id": "ann", "stack": "-100"}}),
    (
        CarrySplit(7, ((2, 4), (5, 3))),
        {"carry_split": {"amount": "7", "shares": [{"seat": 2, "amount": "4"}, {"seat": 5, "amount": "3"}]}},
    ),
    (SatOut(3), {"sat_out": {"seat": 3}}),
    (SatIn(3), {"sat_in": {"seat": 3}}),
    (ChipsAdded(3, BIG), {"chips_added": {"seat": 3, "amount": str(BIG)}}),
    (ActionTimedOut(3), {"action_timed_out": {"seat": 3}}),
    (TablePaused(), {"table_paused": {}}),
    (TableResumed(), {"table_resumed": {}}),
    (SessionEnded(8), {"session_ended": {"pots": 8}}),
    (TableDeleted(), {"table_deleted": {}}),
    (ChipsQueued(3, BIG), {"chips_queued": {"seat": 3, "amount": str(BIG)}}),
    (GameNamed("football", True), {"game_named": {"profile": "football", "rules_changed": True}}),
    (HandVoided(((2, 7),)), {"hand_voided": {"returned": [{"seat": 2, "amount": "7"}]}}),
]  # fmt: skip


def as_json(message: stud_pb2.Event) -> dict[str, object]:
    back = stud_pb2.Event.FromString(message.SerializeToString())
    return json_format.MessageToDict(back, preserving_proto_field_name=True)


@pytest.mark.parametrize(("event", "expected"), CASES, ids=lambda case: type(case).__name__)
def test_an_event_is_written_with_all_its_fields(event, expected) -> None:
    assert expected == as_json(event_message(event, None))


def test_a_shown_hand_says_what_it_is_worth() -> None:
    cards = parse_cards("Qs Qh 9c 2c 7s 5h Qd")
    value = evaluate(mask_of(cards), mask_of(parse_cards("9c 9d 9h 9s")))
    best = parse_cards("Qs Qh Qd 9c 7s")
    event = HandShown(3, cards, value, best, ((parse_card("9c"), parse_card("Qc")),), parse_cards("2c 5h"))

    assert {
        "hand_shown": {
            "seat": 3,
            "cards": ["Qs", "Qh", "9c", "2c", "7s", "5h", "Qd"],
            "hand": {
                "value": str(event.value),
                "category": "HAND_CATEGORY_FOUR_OF_A_KIND",
                "words": "four queens, seven kicker",
                "best_five": ["Qs", "Qh", "Qd", "9c", "7s"],
                "wild_as": [{"card": "9c", "stands_for": "Qc"}],
                "low_five": ["2c", "5h"],
            },
        }
    } == as_json(event_message(event, None))


def test_every_kind_of_event_is_tried_here() -> None:
    tried = {type(event) for event, _ in CASES} | {HandShown}

    assert {*get_args(AnyEvent), *get_args(AnyTableEvent)} == tried
    assert len(tried) == len(stud_pb2.Event.DESCRIPTOR.fields)


@pytest.mark.parametrize("face", Face)
@pytest.mark.parametrize("cause", DealCause)
@pytest.mark.parametrize("viewer", [None, 1, 2, 7])
def test_a_card_dealt_down_is_its_holders_secret(face, cause, viewer) -> None:
    message = event_message(CardDealt(2, KS, face, cause), viewer)

    seen = face == Face.UP or (face == Face.DOWN and viewer == 2)
    assert ("Ks" if seen else "??") == message.card_dealt.card
    assert f"FACE_{face.upper()}" == stud_pb2.Face.Name(message.card_dealt.face)
    assert f"DEAL_CAUSE_{cause.upper()}" == stud_pb2.DealCause.Name(message.card_dealt.cause)


@pytest.mark.parametrize("viewer", [None, 1, 2])
def test_a_burned_card_is_nobodys(viewer) -> None:
    assert "??" == event_message(Burned(KS), viewer).burned.card


@pytest.mark.parametrize("viewer", [None, 1, 2])
@pytest.mark.parametrize("purchase", PurchaseKind)
def test_the_card_behind_a_hole_bonus_is_its_holders_secret(purchase, viewer) -> None:
    message = event_message(PurchaseOffered(2, purchase, FOUR, 0), viewer)

    hidden = purchase == PurchaseKind.HOLE_BONUS and viewer != 2
    assert ("??" if hidden else "4d") == message.purchase_offered.card


def test_events_keep_their_order() -> None:
    events = [Checked(1), SatOut(2), Folded(3)]

    assert ["checked", "sat_out", "folded"] == [message.WhichOneof("kind") for message in event_messages(events, None)]


@pytest.mark.parametrize("card", range(52))
def test_a_card_is_written_as_text(card) -> None:
    assert card_text(card) == event_message(CommunityCardDealt(card), None).community_card_dealt.card
