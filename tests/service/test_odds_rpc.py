"""``EvaluatorService.Odds`` over the wire."""

import asyncio
import time

import grpc
import pytest

from engine import PROFILES, odds
from proto.stud.v1 import stud_pb2
from service.known_hand import known_hand
from service.odds_rpc import SAMPLES_DEFAULT, SAMPLES_MOST

HANDS = (("Ks Kh", "Kd 9c"), ("??", "4h 5d"))


async def asked(wire, hands=HANDS, **fields):
    request = stud_pb2.OddsRequest(
        hands=[stud_pb2.OddsHand(down_cards=down, up_cards=up) for down, up in hands], **fields
    )
    return await wire.evaluator.Odds(request, **wire.options(None))


@pytest.mark.parametrize("profile", ["baseball", "baseball-simple", "seven-card-stud"])
async def test_the_answer_is_the_engines(wire, profile):
    answer = await asked(wire, profile=profile, samples=10_000, seed=2**64 - 1, dead_cards="2c 2d")
    hands = [known_hand(up, down) for down, up in HANDS]
    truth = odds(PROFILES[profile], hands, (0, 13), samples=10_000, seed=2**64 - 1)
    assert [(seat.win_chance, seat.tie_chance, seat.equity, seat.standard_error) for seat in truth.seats] == [
        (hand.win, hand.split, hand.equity, hand.standard_error) for hand in answer.hands
    ]
    assert (False, 10_000, 2**64 - 1) == (answer.exact, answer.deals, answer.seed)


async def test_few_ways_are_exact(wire):
    answer = await asked(wire, [("8h 4s", "2h 7h Kh 9c"), ("Qs Jc 3d", "Ac Ad 5c 6d")], profile="seven-card-stud")
    assert (True, 39) == (answer.exact, answer.deals)
    assert 9 / 39 == answer.hands[0].win
    assert [0, 0] == [hand.standard_error for hand in answer.hands]


async def test_the_server_chooses_a_seed_and_says_which(wire):
    first, second = [await asked(wire) for _ in range(2)]
    assert 0 != first.seed != second.seed
    assert SAMPLES_DEFAULT == first.deals
    again = await asked(wire, seed=first.seed)
    assert first == again


async def test_the_ranking_of_a_request(wire):
    drawn = [("Ks Kh 2c", "Kd 9c 5d 7h"), ("As Ah 2d", "Ad 9d 5h 8h")]
    plain = await asked(wire, drawn)
    assert [0, 1] == [hand.win for hand in plain.hands]
    wild_kings = await asked(wire, drawn, ranking=stud_pb2.Ranking(wild_ranks=["K"]))
    assert [1, 0] == [hand.win for hand in wild_kings.hands]
    five, royal = ("Kc 8d 2c", "8s 8h 8c 5d"), ("As Ks 2d", "Qs Js Ts 5h")
    for place, better in ((0, 0), (stud_pb2.FIVE_OF_A_KIND_BELOW_ROYAL_FLUSH, 1)):
        ranking = stud_pb2.Ranking(wild_cards=["Kc"], five_of_a_kind=place)
        answer = await asked(wire, [five, royal], ranking=ranking)
        assert 1 == answer.hands[better].win


async def test_everything_that_is_wrong_with_the_texts_is_named(wire, refused):
    with refused("INVALID_ARGUMENT", "INVALID_FIELD") as refusal:
        await asked(wire, [("Kx", "??"), ("", "Ks Ks")], dead_cards="1", samples=-1)
    wrong = {"hands[0].down_cards", "hands[0].up_cards", "hands[1].up_cards", "dead_cards", "samples"}
    assert wrong == set(refusal.fields)


@pytest.mark.parametrize(
    ("hands", "fields", "named"),
    [
        ([], {}, "hands"),
        ([("", "Ks")], {}, "hands"),
        ([("", "")] * 8, {}, "hands"),
        ([("Ks", ""), ("", "Ks")], {}, "hands[1].up_cards"),
        ([("?? ?? ?? ??", ""), ("", "Ks")], {}, "hands[0].down_cards"),
        ([("??" * 60, ""), ("", "Ks")], {}, "hands[0].down_cards"),
        ([("", "2c 3c 4c 5c 6c"), ("", "Ks")], {"profile": "seven-card-stud"}, "hands[0].up_cards"),
        (HANDS, {"dead_cards": "Kd"}, "dead_cards"),
        (HANDS, {"samples": 1}, "samples"),
        (HANDS, {"ranking": stud_pb2.Ranking(wild_ranks=["1"])}, "ranking.wild_ranks[0]"),
    ],
)
async def test_what_cannot_be_is_refused_by_field(wire, refused, hands, fields, named):
    with refused("INVALID_ARGUMENT", "INVALID_FIELD") as refusal:
        await asked(wire, hands, **fields)
    assert [named] == list(refusal.fields)


async def test_endless_hands_are_refused_without_being_read(wire, refused):
    with refused("INVALID_ARGUMENT", "INVALID_FIELD") as refusal:
        await asked(wire, [("", "")] * 100_000, ranking=stud_pb2.Ranking(wild_cards=[""] * 53, wild_ranks=["9"] * 53))
    assert {"ranking.wild_cards", "ranking.wild_ranks"} == set(refusal.fields)
    with refused("INVALID_ARGUMENT", "INVALID_FIELD") as refusal:
        await asked(wire, [("Kx", "")] * 100_000)
    assert "100000: must be 2 to 7 hands" == refusal.fields["hands"]
    assert {"hands", *(f"hands[{place}].down_cards" for place in range(7))} == set(refusal.fields)


async def test_an_unknown_game_is_refused(wire, refused):
    with refused("INVALID_ARGUMENT", "UNKNOWN_PROFILE"):
        await asked(wire, profile="bridge")


async def test_too_many_samples_are_refused_with_the_limit(wire, refused):
    with refused("RESOURCE_EXHAUSTED", "TOO_LARGE") as refusal:
        await asked(wire, samples=SAMPLES_MOST + 1)
    assert {"limit": str(SAMPLES_MOST), "unit": "samples"} == refusal.metadata
    with refused("RESOURCE_EXHAUSTED", "TOO_LARGE"):
        await asked(wire, samples=2**63 - 1)


async def test_other_calls_are_answered_meanwhile_and_an_abandoned_one_stops(wire):
    request = stud_pb2.OddsRequest(hands=[stud_pb2.OddsHand()] * 7, profile="baseball", samples=SAMPLES_MOST)
    long = asyncio.ensure_future(wire.evaluator.Odds(request, **wire.options(None)))
    await asyncio.sleep(0.2)
    await wire.evaluator.Evaluate(stud_pb2.EvaluateRequest(cards="Ks"), **wire.options(None))
    assert not long.done()
    long.cancel()
    with pytest.raises(asyncio.CancelledError):
        await long
    # Its turn is over: the next one need not wait for five million deals.
    assert 2 == (await asked(wire, samples=2)).deals


async def test_the_deadline_is_kept_while_it_waits_and_while_it_works(wire):
    request = stud_pb2.OddsRequest(hands=[stud_pb2.OddsHand()] * 7, profile="baseball", samples=SAMPLES_MOST)
    started = time.monotonic()
    calls = [wire.evaluator.Odds(request, timeout=0.5) for _ in range(3)]
    for call in calls:
        with pytest.raises(grpc.aio.AioRpcError) as late:
            await call
        assert grpc.StatusCode.DEADLINE_EXCEEDED == late.value.code()
    assert 2 == (await asked(wire, samples=2)).deals
    assert time.monotonic() - started < 15
