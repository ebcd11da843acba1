import random
from collections import Counter

import pytest

from loadtest.player import chosen
from proto.stud.v1 import stud_pb2 as pb

FACING_A_BET = [
    pb.LegalAction(kind=pb.ACTION_KIND_FOLD),
    pb.LegalAction(kind=pb.ACTION_KIND_CALL, min_to=4, max_to=4),
    pb.LegalAction(kind=pb.ACTION_KIND_RAISE, min_to=8, max_to=8),
]
UNOPENED = [
    pb.LegalAction(kind=pb.ACTION_KIND_FOLD),
    pb.LegalAction(kind=pb.ACTION_KIND_CHECK),
    pb.LegalAction(kind=pb.ACTION_KIND_BET, min_to=2, max_to=2),
    pb.LegalAction(kind=pb.ACTION_KIND_BET, min_to=4, max_to=4),
]
OFFERED = [
    pb.LegalAction(kind=pb.ACTION_KIND_BUY, price=17),
    pb.LegalAction(kind=pb.ACTION_KIND_DECLINE),
]
NO_LIMIT = [
    pb.LegalAction(kind=pb.ACTION_KIND_FOLD),
    pb.LegalAction(kind=pb.ACTION_KIND_CALL, min_to=150, max_to=150),
    pb.LegalAction(kind=pb.ACTION_KIND_RAISE, min_to=310, max_to=5_077),
]


def draws(legal: list[pb.LegalAction], unit: int = 1, count: int = 3000) -> list[tuple[int, int]]:
    rng = random.Random(11)
    actions = [chosen(legal, unit, rng) for _ in range(count)]
    return [(action.kind, action.to) for action in actions]


@pytest.mark.parametrize("legal", [FACING_A_BET, UNOPENED, OFFERED, NO_LIMIT])
def test_every_choice_is_made_and_none_is_invented(legal: list[pb.LegalAction]) -> None:
    seen = {kind for kind, _ in draws(legal)}
    assert {choice.kind for choice in legal} == seen


def test_two_sizes_of_one_kind_are_both_played() -> None:
    assert {2, 4} == {to for kind, to in draws(UNOPENED) if kind == pb.ACTION_KIND_BET}


@pytest.mark.parametrize("unit", [1, 10, 100, 840])
def test_amounts_stay_within_the_bounds(unit: int) -> None:
    amounts = {to for kind, to in draws(NO_LIMIT, unit) if kind == pb.ACTION_KIND_RAISE}
    assert 310 == min(amounts)
    assert 5_077 == max(amounts)
    assert all((to - 310) % unit == 0 for to in amounts - {5_077})


def test_amounts_that_need_not_be_named_are_the_offered_ones_or_left_out() -> None:
    assert {0, 4} == {to for kind, to in draws(FACING_A_BET) if kind == pb.ACTION_KIND_CALL}
    assert {0, 17} == {to for kind, to in draws(OFFERED) if kind == pb.ACTION_KIND_BUY}
    assert {0} == {to for kind, to in draws(FACING_A_BET) if kind == pb.ACTION_KIND_FOLD}


def test_players_are_loose_and_mostly_buy() -> None:
    facing = Counter(kind for kind, _ in draws(FACING_A_BET))
    assert facing[pb.ACTION_KIND_CALL] > 2 * facing[pb.ACTION_KIND_FOLD]
    free = Counter(kind for kind, _ in draws(UNOPENED))
    assert free[pb.ACTION_KIND_CHECK] > 20 * free[pb.ACTION_KIND_FOLD]
    offered = Counter(kind for kind, _ in draws(OFFERED))
    assert offered[pb.ACTION_KIND_BUY] > 2 * offered[pb.ACTION_KIND_DECLINE]


def test_the_same_seed_draws_the_same_actions() -> None:
    assert draws(NO_LIMIT) == draws(NO_LIMIT)


def test_a_kind_of_a_newer_server_can_be_chosen() -> None:
    assert {(99, 0)} == set(draws([pb.LegalAction(kind=99)], count=3))  # type: ignore[arg-type]


def test_nothing_offered_is_an_error() -> None:
    with pytest.raises(ValueError, match="no action is offered"):
        chosen([], 1, random.Random(1))
