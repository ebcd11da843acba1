"""How a player of the load test decides: at random among what the server offers, and never anything else."""

import random
from collections.abc import Sequence

from proto.stud.v1 import stud_pb2 as pb

_WEIGHTS = {
    pb.ACTION_KIND_FOLD: 2.0,
    pb.ACTION_KIND_CHECK: 6.0,
    pb.ACTION_KIND_CALL: 6.0,
    pb.ACTION_KIND_BET: 1.5,
    pb.ACTION_KIND_RAISE: 0.7,
    pb.ACTION_KIND_BRING_IN: 4.0,
    pb.ACTION_KIND_COMPLETE: 1.0,
    pb.ACTION_KIND_BUY: 4.0,
    pb.ACTION_KIND_DECLINE: 1.0,
    pb.ACTION_KIND_REPLACE: 2.0,
    pb.ACTION_KIND_KEEP: 1.0,
    pb.ACTION_KIND_CLAIM: 4.0,
    pb.ACTION_KIND_ROLL: 8.0,
}
"""How likely each kind is against the others on offer: loose enough that two hands in three reach the showdown."""

_FREE_FOLD_WEIGHT = 0.1
"""Giving up a hand that costs nothing is allowed, and rare."""

_PURCHASES = frozenset({pb.ACTION_KIND_BUY, pb.ACTION_KIND_CLAIM, pb.ACTION_KIND_REPLACE})


def chosen(legal: Sequence[pb.LegalAction], unit: int, rng: random.Random) -> pb.Action:
    """Return one of the offered actions, with an amount within its bounds.

    ``unit`` is the number of minor units in a chip: amounts are whole chips above the smallest one. Raises
    ``ValueError`` if nothing is offered.
    """
    if not legal:
        raise ValueError("no action is offered")
    free = any(choice.kind == pb.ACTION_KIND_CHECK for choice in legal)
    weights = [_weight(choice, free) for choice in legal]
    choice = rng.choices(legal, weights)[0]
    return pb.Action(kind=choice.kind, to=_amount(choice, unit, rng))


def _weight(choice: pb.LegalAction, free: bool) -> float:
    if free and choice.kind == pb.ACTION_KIND_FOLD:
        return _FREE_FOLD_WEIGHT
    return _WEIGHTS.get(choice.kind, 1.0)


def _amount(choice: pb.LegalAction, unit: int, rng: random.Random) -> int:
    """Draw the *to* amount: mostly the smallest, for where stacks allow any amount hands should last.

    Where the contract leaves it to the caller whether to name the amount, half of the calls do.
    """
    if choice.kind in _PURCHASES:
        return rng.choice((0, choice.price))
    if choice.kind in (pb.ACTION_KIND_CALL, pb.ACTION_KIND_BRING_IN):
        return rng.choice((0, choice.min_to))
    if choice.min_to == choice.max_to or rng.random() < 0.5:
        return choice.min_to
    if rng.random() < 0.1:
        return choice.max_to
    return choice.min_to + unit * rng.randint(0, (choice.max_to - choice.min_to) // unit)
