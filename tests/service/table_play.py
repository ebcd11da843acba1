"""Playing at a table through the use cases: what tests of several of them have in common."""

from contextlib import contextmanager

import pytest

import engine
from engine import Action, ActionKind
from service.errors import ServiceError
from service.store.base import OutcomeUnknown
from service.store.redis import RedisStore
from service.table_writer import Mutation


@contextmanager
def refused(reason, **metadata):
    with pytest.raises(ServiceError) as refusal:
        yield refusal
    assert reason == refusal.value.reason
    assert {key: str(value) for key, value in metadata.items()}.items() <= refusal.value.metadata.items()


async def act(house, table, kind, amount=0, *, caller=None, seat=0, **mutation):
    """Play an action, by default for the seat to act and by the operator."""
    if caller is None and not seat:
        seat = (await house.get(table)).hand.actor
    return await house.tables.act(
        caller or house.operator,
        Mutation("Act", table.table_id, **mutation),
        Action(ActionKind(kind), amount),
        seat=seat,
        player_id="",
        view_as=0,
    )


async def showdown(house, table, **mutation):
    return await house.tables.showdown(house.operator, Mutation("Showdown", table.table_id, **mutation), view_as=0)


async def leave(house, table, caller, **mutation):
    return await house.tables.seats.leave_seat(
        caller, Mutation("LeaveSeat", table.table_id, **mutation), seat=0, player_id="", view_as=0
    )


async def play_out(house, table, rng):
    """Play the running hand to its end with random legal actions and return the last reply."""
    reply = await house.tables.get_table(house.operator, table.table_id, 0)
    while reply.table.playing:
        if reply.table.showdown_due:
            return await showdown(house, table)
        reply = await random_act(house, table, reply.table.hand, rng)
    return reply


async def random_act(house, table, hand, rng):
    choice = rng.choice(engine.legal_actions(hand).choices)
    sized = choice.kind in (ActionKind.BET, ActionKind.RAISE, ActionKind.COMPLETE)
    return await act(house, table, choice.kind, rng.choice((choice.min, choice.max)) if sized else 0, seat=hand.actor)


async def full_table(house, players=3, **options):
    table = await house.create(**options)
    return table, [await house.seat(table, f"player{number}") for number in range(1, players + 1)]


class Forgetful(RedisStore):
    """A store whose next answer to a commit is lost on the way: the commit is made and nobody hears of it."""

    losing = False

    async def commit(self, commit):
        outcome = await super().commit(commit)
        if self.losing:
            self.losing = False
            raise OutcomeUnknown("the answer is lost")
        return outcome
