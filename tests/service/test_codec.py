"""Tables as messages: complete for whoever looks, and without a trace of what that viewer may not see."""

from collections.abc import Mapping
from functools import cache

import msgspec
import pytest
from google.protobuf import json_format

import engine
from engine import PROFILES, Action, ActionKind, Rules, State
from engine.cards import RANKS, card_text
from engine.knobs import OneUnit, Stakes
from engine.state import Award, Phase
from proto.stud.v1 import stud_pb2
from service.codec import checkpoint_message, happening_message, summary_message, table_message, timestamp
from service.table import Seating, Settings
from service.table_events import Happening
from tests.engine.play import STUD, deal
from tests.service.table_hands import NOON_MS, played, table_of


def as_json(message: stud_pb2.Table) -> dict[str, object]:
    back = stud_pb2.Table.FromString(message.SerializeToString())
    return json_format.MessageToDict(back, preserving_proto_field_name=True)


def hand_of(rules: Rules, hands: Mapping[int, str], **options: object) -> State:
    return deal(rules, hands, **options).state


def test_a_new_table_waits_for_its_first_hand() -> None:
    assert {
        "table_id": "t1",
        "version": "9",
        "etag": "9-x",
        "name": "Friday",
        "profile": "baseball",
        "status": "TABLE_STATUS_WAITING",
        "seats": [{"seat": seat, "player_id": f"p{seat}", "stack": "100", "bought_in": "100"} for seat in (1, 2, 3)],
        "create_time": "2023-11-14T22:13:20.123Z",
        "update_time": "2023-11-14T22:13:21.123Z",
    } == as_json(table_message(table_of(None), None))


def test_rules_and_settings_stand_where_a_table_begins() -> None:
    table = table_of(None, settings=Settings("x", 40, 400, False, 1500, True, 60_000, 3, 2500))

    message = table_message(table, None, with_rules=True)

    assert 3 == message.rules.raise_cap.count
    assert {
        "min_buy_in": "40",
        "max_buy_in": "400",
        "action_time": "1.500s",
        "auto_deal": True,
        "time_bank": "60s",
        "sit_out_after": 3,
        "deal_pause": "2.500s",
    } == json_format.MessageToDict(message.settings, preserving_proto_field_name=True)
    assert not table_message(table, None).HasField("rules")
    assert not table_message(table, None).HasField("settings")


def test_time_is_shown_as_instants_and_what_is_left_of_the_banks() -> None:
    banks = (Seating(1, "ann", 100, 1, time_bank_ms=90_500), Seating(2, "bob", 100, 2))
    settings = Settings(auto_deal=True, time_bank_ms=120_000)

    message = table_message(table_of(None, settings=settings, seats=banks, deal_ms=NOON_MS + 5000), None)

    assert NOON_MS + 5000 == message.deal_time.ToMilliseconds()
    assert [90_500, 0] == [seat.time_bank.ToMilliseconds() for seat in message.seats]
    assert all(seat.HasField("time_bank") for seat in message.seats)
    without = table_message(table_of(None), None)
    assert not without.HasField("deal_time")
    assert not any(seat.HasField("time_bank") for seat in without.seats)


def test_a_running_hand_shows_whose_turn_it_is_and_what_may_be_done() -> None:
    hand = hand_of(STUD, {1: "(As Kd) 2c", 2: "(Qs Qh) 7d", 3: "(Js Jh) 8d"})

    message = table_message(table_of(hand), None)

    assert (stud_pb2.TABLE_STATUS_PLAYING, 1, 3) == (message.status, message.hand_number, message.street)
    assert (1, 0) == (message.to_act_seat, message.level)
    assert NOON_MS + 30_000 == message.deadline.ToMilliseconds()
    assert [(stud_pb2.ACTION_KIND_BRING_IN, 2, 2, 0), (stud_pb2.ACTION_KIND_COMPLETE, 5, 5, 0)] == [
        (legal.kind, legal.min_to, legal.max_to, legal.price) for legal in message.legal_actions
    ]
    assert [(3, [1, 2, 3])] == [(pot.amount, list(pot.seats)) for pot in message.pots]
    assert (hand.button, len(hand.deck)) == (message.button_seat, message.cards_left)


def test_the_bet_to_call_is_the_one_that_was_made() -> None:
    hand = deal(STUD, {1: "(As Kd) 2c", 2: "(Qs Qh) 7d", 3: "(Js Jh) 8d"})
    hand.play("1 complete 5")

    message = table_message(table_of(hand.state), None)

    assert (5, 2) == (message.level, message.to_act_seat)
    assert [5, 0, 0] == [seat.bet for seat in message.seats]


def test_what_became_of_a_hand_beyond_its_cards() -> None:
    hand = folded_out()
    plain = table_message(table_of(hand), None)
    assert ("", False, 0, 0) == (plain.named_wild_rank, plain.rained_out, plain.carry, plain.leader_seat)
    assert [False, False] == [seat.out for seat in plain.seats]
    first, second = hand.players
    awards = (Award(1, 5), Award(2, 3), Award(1, 4))
    changes = {"named_wild": RANKS.index("9"), "rained": True, "leader": 2, "awards": awards}
    players = (msgspec.structs.replace(first, out=True), second)
    hand = msgspec.structs.replace(hand, players=players, **changes)

    message = table_message(table_of(hand, carry=30), None)

    assert ("9", True, 30, 2) == (message.named_wild_rank, message.rained_out, message.carry, message.leader_seat)
    assert {first.seat} == {seat.seat for seat in message.seats if seat.out}
    assert [(1, 9), (2, 3)] == [(award.seat, award.amount) for award in message.awards]


@pytest.mark.parametrize("viewer", [None, 1, 2, 3])
def test_down_cards_are_their_holders_only(viewer) -> None:
    hand = hand_of(STUD, {1: "(As Kd) 2c", 2: "(Qs Qh) 7d", 3: "(Js Jh) 8d"})
    holders = {1: ["As", "Kd"], 2: ["Qs", "Qh"], 3: ["Js", "Jh"]}

    message = table_message(table_of(hand), viewer)

    assert (viewer or 0) == message.viewer_seat
    for seat in message.seats:
        assert (holders[seat.seat] if seat.seat == viewer else ["??", "??"]) == list(seat.down_cards)
        assert ["2c", "7d", "8d"][seat.seat - 1 : seat.seat] == list(seat.up_cards)
        assert (True, False, 99, 0, 1) == (seat.in_hand, seat.folded, seat.stack, seat.bet, seat.contributed)


def test_a_purchase_is_offered_with_its_card_and_price() -> None:
    hand, _ = next(
        (state, events)
        for seed in range(200)
        for state, events in [played(PROFILES["baseball"], 4, seed, 0)]
        if state.offer is not None
    )

    message = table_message(table_of(hand), None)

    assert hand.offer is not None
    assert {
        "seat": hand.offer.seat,
        "purchase": "PURCHASE_KIND_BONUS",
        "card": card_text(hand.offer.card),
        "price": "2",
    } == json_format.MessageToDict(message.offer)
    assert [("ACTION_KIND_BUY", 2), ("ACTION_KIND_DECLINE", 0)] == [
        (stud_pb2.ActionKind.Name(legal.kind), legal.price) for legal in message.legal_actions
    ]


@cache
def at_showdown() -> State:
    """Return a hand with wilds whose betting is over."""
    for seed in range(1000):
        for actions in range(1, 100):
            state, _ = played(PROFILES["baseball"], 3, seed, actions, (400,))
            if state.finished:
                break
            if state.phase == Phase.SHOWDOWN and any(p.cards & state.rules.wild_mask for p in state.live):
                return state
    raise AssertionError("no hand came to a showdown")


def test_nobody_is_to_act_when_the_betting_is_over() -> None:
    message = table_message(table_of(at_showdown()), None)

    assert (stud_pb2.TABLE_STATUS_SHOWDOWN, 0, 0) == (message.status, message.to_act_seat, len(message.legal_actions))
    assert message.HasField("deadline")


def test_a_settled_hand_shows_what_was_shown_and_who_won_how_much() -> None:
    before = at_showdown()
    hand = engine.step(before, Action(ActionKind.SHOWDOWN)).state

    message = table_message(table_of(hand), None)

    assert stud_pb2.TABLE_STATUS_FINISHED == message.status
    assert list(hand.winners) == list(message.winner_seats) == [award.seat for award in message.awards]
    assert sum(pot.amount for pot in before.pots) == sum(award.amount for award in message.awards)
    assert [] == list(message.pots)
    for seat, player in ((seat, hand.player(seat.seat)) for seat in message.seats):
        assert player.shown == seat.shown == seat.HasField("hand")
        if player.shown:
            assert [card_text(card) for card in player.down] == list(seat.down_cards)
            value = engine.evaluate(player.cards, hand.rules.wild_mask)
            described = engine.describe(value)
            assert (value, described.words) == (seat.hand.value, seat.hand.words)
            assert f"HAND_CATEGORY_{described.category.upper()}" == stud_pb2.HandCategory.Name(seat.hand.category)
            assert 5 == len(seat.hand.best_five)
    best = max(seat.hand.value for seat in message.seats if seat.shown)
    assert {seat.seat for seat in message.seats if seat.hand.value == best} == set(message.winner_seats)


def test_who_has_rolled_nothing_shows_nothing() -> None:
    cards = {
        1: "(As 7c -- -- -- -- --)",
        2: "(2d 5c 7h 8c Td Jh 6s)",
        3: "(Qd Qh -- -- -- -- --)",
        4: "(-- -- -- -- -- -- --)",
    }
    hand = deal(PROFILES["no-peek"], cards)
    hand.play(
        "1 roll; 1 check; 2 check; 3 check; 4 check |" + "2 roll; " * 7 + "3 roll; 3 roll; 3 fold; 4 check; 1 fold"
    )
    ended = hand.show()
    message = table_message(table_of(ended.state), None)
    assert [(2, True), (4, False)] == [(seat.seat, seat.shown) for seat in message.seats if not seat.folded]
    assert not message.seats[3].HasField("hand")
    happening = happening_message(Happening(9, "9-x", 1, NOON_MS, tuple(ended.events)), None)
    assert [2] == [event.hand_shown.seat for event in happening.events if event.HasField("hand_shown")]


def folded_out() -> State:
    hand = deal(STUD, {1: "(As Kd) 2c", 2: "(Qs Qh) 7d"})
    hand.play("1 bring_in; 2 fold")
    return hand.state


def test_a_hand_that_was_folded_out_shows_no_down_card() -> None:
    hand = folded_out()
    assert hand.finished

    for viewer in (None, 1, 2):
        for seat in table_message(table_of(hand), viewer).seats:
            assert seat.seat == viewer or ["??", "??"] == list(seat.down_cards)
            assert not seat.HasField("hand")


def test_a_newcomer_sees_nothing_of_the_hand_of_who_sat_there_before() -> None:
    hand = folded_out()
    stayed, left = table_of(hand, hand_number=4).seats
    newcomer = Seating(left.seat, "new", 55, 3, bought_in=55, since_hand=4)
    table = table_of(hand, hand_number=4, seats=(stayed, newcomer))

    message = table_message(table, newcomer.seat)

    assert newcomer.seat == message.viewer_seat
    [other, own] = message.seats
    assert ["??", "??"] == list(other.down_cards)
    assert ("new", 55, False) == (own.player_id, own.stack, own.in_hand)
    assert ([], []) == (list(own.down_cards), list(own.up_cards))
    message.viewer_seat = 0
    assert table_message(table, None) == message


def test_the_hand_of_a_player_who_has_left_stays_shown_without_the_player() -> None:
    hand = folded_out()
    [stayed, left] = table_of(hand).seats

    message = table_message(table_of(hand, seats=(stayed,)), left.seat)

    assert 0 == message.viewer_seat
    assert ("", 0, True, ["??", "??"], ["7d"]) == (
        message.seats[1].player_id,
        message.seats[1].stack,
        message.seats[1].in_hand,
        list(message.seats[1].down_cards),
        list(message.seats[1].up_cards),
    )


def test_a_player_who_leaves_in_mid_hand_has_no_stack_any_more() -> None:
    hand = hand_of(STUD, {1: "(As Kd) 2c", 2: "(Qs Qh) 7d", 3: "(Js Jh) 8d"})
    seats = [
        msgspec.structs.replace(seating, leaving=seating.seat == 2, paid_out=seating.seat == 2)
        for seating in table_of(hand).seats
    ]

    message = table_message(table_of(hand, seats=tuple(seats)), None)

    assert [(False, 99), (True, 0), (False, 99)] == [(seat.leaving, seat.stack) for seat in message.seats]


def test_a_session_ends() -> None:
    rules = msgspec.structs.replace(STUD, session_pots=2)
    hand = folded_out()

    over = table_message(table_of(hand, rules=rules, pots_played=2), None)
    going_on = table_message(table_of(hand, rules=rules, pots_played=1), None)

    assert (stud_pb2.TABLE_STATUS_SESSION_OVER, 2) == (over.status, over.pots_played)
    assert stud_pb2.TABLE_STATUS_FINISHED == going_on.status


def test_a_paused_table_and_chips_that_wait() -> None:
    hand = hand_of(STUD, {1: "(As Kd) 2c", 2: "(Qs Qh) 7d"})
    seats = [Seating(1, "p1", 100, 1, bought_in=100, adding=25), Seating(2, "p2", 100, 2, bought_in=100)]

    message = table_message(table_of(hand, seats=tuple(seats), paused=True, deadline_ms=None), None)

    assert (True, False) == (message.paused, message.HasField("deadline"))
    assert [(25, 100), (0, 100)] == [(seat.adding, seat.bought_in) for seat in message.seats]


def test_a_hand_of_another_game_says_which_and_where_a_table_begins_its_rules_too() -> None:
    hand = hand_of(STUD, {1: "(As Kd) 2c", 2: "(Qs Qh) 7d"})
    table = table_of(hand, rules=PROFILES["baseball"], hand_profile="seven-card-stud")

    message = table_message(table, None, with_rules=True)

    assert ("baseball", "seven-card-stud") == (message.profile, message.hand_profile)
    assert (["3", "9"], []) == (list(message.rules.wild_ranks.ranks), list(message.hand_rules.wild_ranks.ranks))
    assert message.HasField("hand_rules")
    assert not table_message(table, None).HasField("hand_rules")
    own = table_message(table_of(hand), None, with_rules=True)
    assert ("baseball", False) == (own.hand_profile, own.HasField("hand_rules"))


def test_large_and_negative_amounts_stay_exact_in_json() -> None:
    big = 2**53 + 1
    rules = Rules(stakes=Stakes.CREDIT, structure=OneUnit(10))
    state, _ = played(rules, 2, 1, 0, (0,))
    table = table_of(state, rules=rules)
    debtor = msgspec.structs.replace(table.seats[0], bought_in=big)
    player = msgspec.structs.replace(state.players[0], stack=-big)
    state = msgspec.structs.replace(state, players=(player, *state.players[1:]))

    message = as_json(table_message(msgspec.structs.replace(table, hand=state, seats=(debtor, *table.seats[1:])), None))

    assert str(big) == message["seats"][0]["bought_in"]
    assert str(-big) in {seat.get("stack") for seat in message["seats"]}


def test_a_commit_is_told_to_a_watcher() -> None:
    _, events = played(PROFILES["baseball"], 2, 3, 0)
    happening = Happening(5, "5-y", 2, NOON_MS, tuple(events))

    message = happening_message(happening, 1)

    assert (5, "5-y", 2, NOON_MS) == (message.version, message.etag, message.hand_number, message.time.ToMilliseconds())
    assert len(events) == len(message.events)
    assert not message.checkpoint
    for viewer in (1, 2, None):
        down = [
            (event.card_dealt.seat, event.card_dealt.card != "??")
            for event in happening_message(happening, viewer).events
            if event.card_dealt.face == stud_pb2.FACE_DOWN
        ]
        assert {(seat, seat == viewer) for seat in (1, 2)} == set(down)


def test_a_checkpoint_has_no_events() -> None:
    message = checkpoint_message(5, "5-y", 2, NOON_MS)

    assert (True, 5, "5-y", 2, []) == (
        message.checkpoint, message.version, message.etag, message.hand_number, list(message.events),
    )  # fmt: skip
    assert NOON_MS == message.time.ToMilliseconds()


def test_the_lobby_says_of_a_table_what_the_table_says() -> None:
    for hand in (None, at_showdown(), folded_out()):
        table = table_of(hand)
        summary, message = summary_message(table.summary()), table_message(table, None)

        for name in ("table_id", "name", "profile", "status", "hand_number", "version"):
            assert getattr(message, name) == getattr(summary, name)
        assert (len(table.seats), table.rules.max_players) == (summary.seats_taken, summary.seats)
        assert (1, 10**12) == (summary.min_buy_in, summary.max_buy_in)
        assert not summary.paused
    assert summary_message(table_of(None, paused=True).summary()).paused


@pytest.mark.parametrize("ms", [0, 1, 999, 1000, NOON_MS, 2**41])
def test_an_instant_keeps_its_milliseconds(ms) -> None:
    assert ms == timestamp(ms).ToMilliseconds()
