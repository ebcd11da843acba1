import asyncio
from random import Random

import pytest

from engine import PROFILES, Ranking
from engine import evaluate as engine_evaluate
from engine.cards import cards_in, cards_text, mask_of, parse_cards
from proto.stud.v1 import stud_pb2


async def evaluate(wire, cards, **fields):
    return await wire.evaluator.Evaluate(stud_pb2.EvaluateRequest(cards=cards, **fields), **wire.options(None))


@pytest.mark.parametrize(
    ("cards", "fields", "category", "best"),
    [
        ("Qs Qh Qd 9c 7s 2c 5h", {"profile": "baseball"}, "FOUR_OF_A_KIND", ["Qs", "Qh", "Qd", "9c", "7s"]),
        ("QsQhQd9c7s2c5h", {"profile": "seven-card-stud"}, "THREE_OF_A_KIND", ["Qs", "Qh", "Qd", "9c", "7s"]),
        ("Qs,Qh,Qd", {}, "THREE_OF_A_KIND", ["Qs", "Qh", "Qd"]),
        ("8s 8h 8c 8d 3c", {"profile": "baseball"}, "FIVE_OF_A_KIND", ["8s", "8h", "8d", "8c", "3c"]),
        ("Ks", {}, "HIGH_CARD", ["Ks"]),
        ("7s 8s 9c 3d", {"profile": "baseball", "showing": True}, "THREE_OF_A_KIND", ["8s", "9c", "3d", "7s"]),
    ],
)
async def test_what_a_hand_is_worth(wire, cards, fields, category, best):
    worth = await evaluate(wire, cards, **fields)
    assert stud_pb2.HandCategory.Value(f"HAND_CATEGORY_{category}") == worth.category
    assert sorted(best) == sorted(worth.best_five)
    assert worth.value > 0
    assert worth.words


async def test_what_a_wild_stands_for(wire):
    worth = await evaluate(wire, "Kh Qh 8h 5h 3d", profile="baseball")
    assert [("3d", "Ah")] == [(wild.card, wild.stands_for) for wild in worth.wild_as]


async def test_the_ranking_of_a_request(wire):
    wild_sevens = stud_pb2.Ranking(wild_ranks=["7"])
    assert (
        stud_pb2.HAND_CATEGORY_FOUR_OF_A_KIND == (await evaluate(wire, "Qs Qh Qd 7c 5s", ranking=wild_sevens)).category
    )
    jacks = stud_pb2.Ranking(wild_cards=["Jh", "Js"])
    straight = await evaluate(wire, "Jh Js Ac Kd 8c 5d 2s", ranking=jacks)
    assert "straight to the five" == straight.words
    plain = await evaluate(wire, "Ah 3c 8h 5h 2h", ranking=stud_pb2.Ranking(wild_ranks=["3"]))
    double = await evaluate(wire, "Ah 3c 8h 5h 2h", ranking=stud_pb2.Ranking(wild_ranks=["3"], double_ace_flush=True))
    assert double.value > plain.value
    quints, royal = "8s 8h 8c 8d 3c", "As Ks Qs Js Ts"
    for place, better in ((0, quints), (1, quints), (2, royal)):
        ranking = stud_pb2.Ranking(wild_ranks=["3"], five_of_a_kind=place)
        values = {cards: (await evaluate(wire, cards, ranking=ranking)).value for cards in (quints, royal)}
        assert better == max(values, key=values.get)


async def test_a_low_beside_the_high(wire):
    worth = await evaluate(wire, "As 2d 4c 6h 9c Ks Kd", low=True, profile="baseball")
    assert stud_pb2.HAND_CATEGORY_THREE_OF_A_KIND == worth.category
    assert "6-4-3-2-A low" == worth.low.words
    assert {"As", "2d", "4c", "6h", "9c"} == set(worth.low.best_five)
    excluded = stud_pb2.Ranking(wild_ranks=["9"], wild_in_low=stud_pb2.WILD_IN_LOW_EXCLUDED)
    assert not (await evaluate(wire, "As 2d 4c 6h 9c Ks Kd", low=True, ranking=excluded)).HasField("low")
    assert not (await evaluate(wire, "Ks Kd Kh Kc 9s", low=True)).HasField("low")
    assert not (await evaluate(wire, "As 2d 4c 6h 5c", profile="baseball")).HasField("low")


async def test_everything_that_is_wrong_is_named(wire, refused):
    ranking = stud_pb2.Ranking(wild_ranks=["3", "1"], wild_cards=["Xx"], five_of_a_kind=9, low_scale=7)
    with refused("INVALID_ARGUMENT", "INVALID_FIELD") as refusal:
        await evaluate(wire, "Ks Ks", low=True, showing=True, ranking=ranking)
    assert {
        "cards",
        "showing",
        "ranking.wild_ranks[1]",
        "ranking.wild_cards[0]",
        "ranking.five_of_a_kind",
        "ranking.low_scale",
    } == set(refusal.fields)


# Compare.


async def compare(wire, *hands, **fields):
    return await wire.evaluator.Compare(stud_pb2.CompareRequest(hands=hands, **fields), **wire.options(None))


@pytest.mark.parametrize(
    ("hands", "fields", "places", "winners"),
    [
        (["8s 8h 8c 8d 3c", "As Ks Qs Js Ts"], {"profile": "baseball"}, [1, 2], [0]),
        (["8s 8h 8c 8d 3c", "As Ks Qs Js Ts"], {}, [2, 1], [1]),
        (["Ks 9c", "Kd 9d", "2c 2d", "Kh 9h"], {}, [2, 2, 1, 2], [2]),
        (["As Kd", "Ah Kc", "Qs Jd"], {}, [1, 1, 3], [0, 1]),
        (["2c", "3c", "4c", "5c", "6c", "7c", "8c"], {}, [7, 6, 5, 4, 3, 2, 1], [6]),
        (["2c 3c", "2d 9d"], {"ranking": stud_pb2.Ranking(wild_cards=["3c", "9d"])}, [1, 1], [0, 1]),
    ],
)
async def test_which_hand_wins(wire, hands, fields, places, winners):
    compared = await compare(wire, *hands, **fields)
    assert places == [hand.place for hand in compared.hands]
    assert winners == list(compared.winners)
    assert [] == list(compared.low_winners)
    alone = [await evaluate(wire, cards, **fields) for cards in hands]
    assert alone == [hand.evaluation for hand in compared.hands]


async def test_the_low_hands_are_compared_too(wire):
    compared = await compare(wire, "As 2d 4c 6h 8c Ks Kd", "Ah 2c 4d 6s 8d Kh Kc", "Qs Qd Qc Jh Js", low=True)
    assert [0, 1] == list(compared.low_winners)
    assert [2] == list(compared.winners)
    assert [True, True, False] == [hand.evaluation.HasField("low") for hand in compared.hands]
    compared = await compare(wire, "As 2d 4c 6h 8c", "Ah 2c 4d 6s 7d", low=True)
    assert [1] == list(compared.low_winners)
    assert [] == list((await compare(wire, "Ks", "Qs", low=True)).low_winners)


async def test_hands_that_cannot_be_compared(wire, refused):
    for hands in ([], ["Ks"], ["2c", "3c", "4c", "5c", "6c", "7c", "8c", "9c"]):
        with refused("INVALID_ARGUMENT", "INVALID_FIELD") as refusal:
            await compare(wire, *hands)
        assert ["hands"] == list(refusal.fields)
    with refused("INVALID_ARGUMENT", "INVALID_FIELD") as refusal:
        await compare(wire, "Ks Qs", "", "Xx", "Js Qs", ranking=stud_pb2.Ranking(wild_ranks=["1"]))
    assert {"hands[1]", "hands[2]", "hands[3]", "ranking.wild_ranks[0]"} == set(refusal.fields)
    with refused("INVALID_ARGUMENT", "UNKNOWN_PROFILE"):
        await compare(wire, "Ks", "Qs", profile="cricket")


# Batches.


def random_hands(count):
    random = Random(41)
    return [mask_of(random.sample(range(52), random.randint(1, 13))) for _ in range(count)]


async def batch(wire, **fields):
    return await wire.evaluator.EvaluateBatch(stud_pb2.EvaluateBatchRequest(**fields), **wire.options(None))


def packed(cards, wild=()):
    return stud_pb2.PackedHands(cards=cards, wild=wild)


def texts(hands):
    return stud_pb2.TextHands(hands=[cards_text(cards_in(hand)) for hand in hands])


@pytest.mark.parametrize("profile", [None, "baseball", "baseball-one-eyed-jacks"])
async def test_many_hands_are_valued_as_one_by_one(wire, profile):
    hands = random_hands(3_000)
    wild = PROFILES[profile].wild_mask if profile else 0
    expected = [engine_evaluate(hand, wild) for hand in hands]
    named = {"profile": profile} if profile else {}
    assert expected == list((await batch(wire, packed=packed(hands), **named)).values)
    assert expected == list((await batch(wire, text=texts(hands), **named)).values)


async def test_a_batch_with_wild_cards_of_its_own(wire):
    hands = random_hands(500)
    wilds = [hand & 0x5555555555555 for hand in hands]
    expected = [engine_evaluate(hand, wild) for hand, wild in zip(hands, wilds, strict=True)]
    assert expected == list((await batch(wire, packed=packed(hands, wilds), profile="baseball")).values)
    ranking = stud_pb2.Ranking(double_ace_flush=True, natural_beats_wild=True, wild_ranks=["2"])
    own = Ranking(double_ace_flush=True, natural_beats_wild=True)
    deuces = mask_of(parse_cards("2c 2d 2h 2s"))
    expected = [engine_evaluate(hand, deuces, ranking=own) for hand in hands]
    assert expected == list((await batch(wire, packed=packed(hands), ranking=ranking)).values)


async def test_batches_of_every_size(wire):
    assert [] == list((await batch(wire, packed=packed([]))).values)
    assert [] == list((await batch(wire, text=texts([]))).values)
    hands = [hand for hand in random_hands(1_000) for _ in range(100)]
    values = (await batch(wire, packed=packed(hands))).values
    assert [engine_evaluate(hand, 0) for hand in hands[::100]] == list(values)[::100]
    assert 100_000 == len(values)


async def test_a_batch_that_is_too_large(wire, refused):
    with refused("RESOURCE_EXHAUSTED", "TOO_LARGE") as refusal:
        await batch(wire, packed=packed([1] * 100_001))
    assert {"limit": "100000", "unit": "hands"} == refusal.metadata
    with refused("RESOURCE_EXHAUSTED", "TOO_LARGE"):
        await batch(wire, text=stud_pb2.TextHands(hands=["2c"] * 100_001))
    with refused("RESOURCE_EXHAUSTED", "TOO_LARGE"):
        await batch(wire, packed=packed([], [1] * 100_001))


async def test_what_is_wrong_with_a_batch_is_named(wire, refused):
    hands = random_hands(100)
    for at, wrong in ((3, 0), (50, 1 << 52), (51, 2**64 - 1), (99, (1 << 14) - 1)):
        hands[at] = wrong
    with refused("INVALID_ARGUMENT", "INVALID_FIELD") as refusal:
        await batch(wire, packed=packed(hands, [1] * 98 + [1 << 63, 1]))
    assert {"packed.cards[3]", "packed.cards[50]", "packed.cards[51]", "packed.cards[99]", "packed.wild[98]"} == set(
        refusal.fields
    )
    with refused("INVALID_ARGUMENT", "INVALID_FIELD") as refusal:
        await batch(wire, packed=packed([1, 2, 3], [1, 2]), ranking=stud_pb2.Ranking(wild_ranks=["x"]))
    assert {"packed.wild", "ranking.wild_ranks[0]"} == set(refusal.fields)
    with refused("INVALID_ARGUMENT", "INVALID_FIELD") as refusal:
        await batch(wire, text=stud_pb2.TextHands(hands=["Ks", "", "Ks Ks", "Kx"]))
    assert {"text.hands[1]", "text.hands[2]", "text.hands[3]"} == set(refusal.fields)
    for many in ({"packed": packed([0] * 5_000)}, {"text": stud_pb2.TextHands(hands=[""] * 5_000)}):
        with refused("INVALID_ARGUMENT", "INVALID_FIELD") as refusal:
            await batch(wire, **many)
        assert 1 <= len(refusal.fields) <= 20
    with refused("INVALID_ARGUMENT", "INVALID_FIELD") as refusal:
        await batch(wire)
    assert ["packed"] == list(refusal.fields)
    with refused("INVALID_ARGUMENT", "UNKNOWN_PROFILE"):
        await batch(wire, packed=packed([1]), profile="cricket")


async def test_others_are_answered_while_a_batch_is_read(wire):
    texts_of_many = stud_pb2.TextHands(hands=["As Ks Qs Js Ts 9s 8s"] * 40_000)
    long = asyncio.ensure_future(batch(wire, text=texts_of_many))
    await asyncio.sleep(0)
    await evaluate(wire, "Ks")
    assert not long.done()
    assert 40_000 == len((await long).values)
