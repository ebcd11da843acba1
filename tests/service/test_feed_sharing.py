"""Many who watch one table: a commit is read once for all of them, and kept no longer than they need it."""

import asyncio
from contextlib import aclosing
from itertools import pairwise

import pytest

from service.feed import Checkpoint, Feed, Published
from service.store.redis import RedisStore
from service.table_events import Happening
from tests.service.watching import come_and_go, take


class CountingStore(RedisStore):
    """A store that knows how often events were read."""

    reads = 0

    async def events(self, table_id, after_version, limit):
        self.reads += 1
        return await super().events(table_id, after_version, limit)


class TestSharing:
    @pytest.fixture
    async def counting(self, embedded):
        store = CountingStore(embedded.url)
        await store.connect()
        yield store
        await store.close()

    @pytest.fixture
    async def patient(self, counting):
        """A feed that sends no checkpoint while a test runs: it reads when a notice says so."""
        feed = Feed(counting)
        feed.start()
        yield feed
        await feed.close()

    async def test_a_commit_is_read_once_however_many_watch(self, house, counting, patient):
        table = await house.create()
        streams = [patient.watch(table.table_id, 1) for _ in range(50)]
        reads = []
        for number in range(1, 8):
            waiting = [asyncio.create_task(take(stream, 1)) for stream in streams]
            await house.seat(table, f"player{number}")
            seen = [await task for task in waiting]
            assert {number + 1} == {happening.version for (happening,) in seen}
            # Not equal only: the very same.
            assert 1 == len({id(happening) for (happening,) in seen})
            reads.append(counting.reads)
        # The first commit finds the watchers arriving, each of which may have to look for itself.
        assert [1] * 6 == [after - before for before, after in pairwise(reads)]
        for stream in streams:
            await stream.aclose()

    async def test_who_comes_to_a_followed_table_costs_no_reading(self, house, counting, patient):
        table = await house.create()
        async with aclosing(patient.watch(table.table_id, 1)) as first:
            await come_and_go(house, table, 1)
            assert 3 == (await take(first, 2))[-1].version
            reads = counting.reads
            streams = [patient.watch(table.table_id, 3) for _ in range(20)]
            waiting = [asyncio.create_task(take(stream, 1)) for stream in streams]
            await asyncio.sleep(0)
            await house.seat(table, "ann")
            for task in waiting:
                assert 4 == (await task)[0].version
            # One, and perhaps one more that was under way before; not twenty.
            assert counting.reads - reads <= 3
            for stream in streams:
                await stream.aclose()

    async def test_what_everybody_has_is_not_kept(self, house, patient):
        table = await house.create()
        streams = [patient.watch(table.table_id, 1) for _ in range(3)]
        for _ in range(20):
            await come_and_go(house, table, 1)
            for stream in streams:
                await take(stream, 2)
        shared = patient._tables[table.table_id]
        assert len(shared._recent) <= 2
        for stream in streams:
            await stream.aclose()

    async def test_one_who_lags_has_only_so_much_kept_for_it(self, house, patient):
        table = await house.create()
        async with (
            aclosing(patient.watch(table.table_id, 1)) as late,
            aclosing(patient.watch(table.table_id, 1)) as keen,
        ):
            await come_and_go(house, table, 1)
            assert [2, 3] == [happening.version for happening in await take(late, 2)]
            await take(keen, 2)
            await come_and_go(house, table, 60)
            await take(keen, 120)
            assert 64 == len(patient._tables[table.table_id]._recent)
            assert [*range(4, 124)] == [happening.version for happening in await take(late, 120)]

    async def test_checkpoints_of_many_need_one_reading(self, house, counting):
        feed = Feed(counting, idle_s=0.3)
        feed.start()
        table = await house.create()
        streams = [feed.watch(table.table_id, 1) for _ in range(40)]
        await asyncio.gather(*(anext(stream) for stream in streams))
        counting.reads = 0
        assert {Checkpoint(1, table.etag, 0)} == set(await asyncio.gather(*(anext(stream) for stream in streams)))
        assert counting.reads <= 3
        for stream in streams:
            await stream.aclose()
        await feed.close()

    def test_how_it_looks_is_worked_out_once_for_all_who_see_the_same(self):
        asked = []

        def encode(happening, viewer):
            asked.append(viewer)
            return b"%d as %d" % (happening.version, viewer or 0)

        published = Published(Happening(7, "e", 1, 0, ()))
        for viewer in (None, 2, None, 3, 2):
            assert b"7 as %d" % (viewer or 0) == published.seen(viewer, encode)
        assert [None, 2, 3] == asked
