"""Watching tables, and waiting for what a server does by itself."""

import asyncio

from service.feed import Published
from service.table_writer import Mutation


async def take(stream, count):
    """Return the next happenings of a stream, checkpoints left out."""
    found = []
    async for item in stream:
        if isinstance(item, Published):
            found.append(item.happening)
        if len(found) == count:
            return found
    raise AssertionError(f"the stream ended after {len(found)} of {count}")


async def come_and_go(house, table, times):
    """Change a table twice as many times."""
    for number in range(times):
        caller = await house.seat(table, f"guest{number}")
        await house.tables.seats.leave_seat(
            caller, Mutation("LeaveSeat", table.table_id), seat=0, player_id="", view_as=0
        )


async def until(condition):
    """Wait until something is so."""
    async with asyncio.timeout(30):
        while not condition():  # noqa: ASYNC110 -- the inside of a server tells nobody
            await asyncio.sleep(0.01)
