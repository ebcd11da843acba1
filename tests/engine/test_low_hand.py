import random

import pytest

from engine.cards import RANKS, cards_in, cards_text, mask_of, parse_cards, rank_mask
from engine.evaluator import evaluate_low
from engine.low_hand import best_low

WILD = rank_mask(RANKS.index("3")) | rank_mask(RANKS.index("9"))


def low(text, wild=WILD, **knobs):
    best = best_low(mask_of(parse_cards(text)), wild, **knobs)
    return None if best is None else (cards_text(best.cards), dict(named(best.wild_as)))


def named(pairs):
    return [(cards_text([card]), cards_text([stands_for])) for card, stands_for in pairs]


@pytest.mark.parametrize(
    ("hand", "knobs", "five", "wild_as"),
    [
        ("As 2d 4c 6h 9c Ks Kd", {}, "6h 4c 2d As 9c", {"9c": "3c"}),
        ("Ah 2c 5s 7d 3h Jc Js", {"mode": "natural"}, "7d 5s 3h 2c Ah", {}),
        ("9c 4d 2h As 5h Kd Qh", {"scale": "A6"}, "5h 4d 2h As 9c", {"9c": "6c"}),
        ("5c 4d 3h 2s Ac Kd Qh", {"wild": 0}, "5c 4d 3h 2s Ac", {}),
    ],
)
def test_the_five_that_play_and_what_wilds_stand_for(hand, knobs, five, wild_as):
    assert (five, wild_as) == low(hand, **knobs)


def test_nobody_qualifies():
    assert low("As 2d 4c 6h 9c Ks Kd", mode="excluded") is None
    assert low("As 2d 4c 6h") is None


@pytest.mark.parametrize("scale", ["A5", "A6"])
def test_what_the_wilds_stand_for_makes_the_same_low(scale):
    rng = random.Random(scale)
    seen = 0
    for _ in range(3000):
        cards = mask_of(rng.sample(range(52), rng.randint(5, 9)))
        best = best_low(cards, WILD, scale=scale, qualifier=rng.choice([8, None]))
        if best is None:
            continue
        seen += bool(best.wild_as)
        assert set(best.cards) <= set(cards_in(cards))
        stands_for = dict(best.wild_as)
        spelled_out = mask_of(stands_for.get(card, card) for card in best.cards)
        if spelled_out.bit_count() == 5:
            value = evaluate_low(cards, WILD, scale=scale, qualifier=None)
            assert value == evaluate_low(spelled_out, 0, scale=scale, qualifier=None)
    assert seen > 300


def test_a_wild_makes_no_flush_against_its_holder():
    best = best_low(mask_of(parse_cards("As 2s 4s 6s 9s")), WILD, scale="A6")
    assert {"s"} != {cards_text([dict(best.wild_as).get(card, card)])[1] for card in best.cards}


@pytest.mark.parametrize("scale", ["A5", "A6"])
@pytest.mark.parametrize("qualifier", [8, None])
@pytest.mark.parametrize("mode", ["wild", "natural", "excluded"])
@pytest.mark.parametrize(
    "hand",
    [
        "As 2d 4c 6h 9c Ks Kd",
        "9s 9h 9d 9c 3s 3h 3d",
        "3c 4c 5c 7c 9c 2c Ac",
        "9s 8s 7s 6s 5s",
        "9h 3d 9c As 2s 4s 5s",
        "Ks Kh Kd Kc 3s",
        "Ks Kh Kd Kc Qs",
    ],
)
def test_the_cards_said_to_make_the_low_do_make_it(hand, scale, qualifier, mode):
    wild = WILD
    best = best_low(mask_of(parse_cards(hand)), wild, scale=scale, mode=mode, qualifier=qualifier)
    value = evaluate_low(mask_of(parse_cards(hand)), wild, scale=scale, mode=mode, qualifier=qualifier)
    if best is None:
        assert value is None
        return
    as_played = dict(best.wild_as)
    played = [as_played.get(card, card) for card in best.cards]
    assert 5 == len(set(played))
    assert value == evaluate_low(mask_of(played), 0, scale=scale, qualifier=None)
    assert set(best.cards) <= set(parse_cards(hand))
