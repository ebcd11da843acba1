import pytest

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
