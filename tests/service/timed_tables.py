"""Tables whose clocks run, and what running out of time left in their events."""

from service.clock import SystemClock
from service.table_events import ActionTimedOut
from service.table_writer import TableWriter


async def dealt(house, players=3, **options):
    table = await house.create("seven-card-stud", **options)
    for number in range(1, players + 1):
        await house.seat(table, f"player{number}")
    return (await house.deal(table)).table


async def happenings(store, table_id):
    writer = TableWriter(store, SystemClock())
    stored = await store.events(table_id, 0, 10_000)
    return [await writer.happening(table_id, event.version) for event in stored.events]


def timeouts(happening):
    return [event for event in happening.events if isinstance(event, ActionTimedOut)]
