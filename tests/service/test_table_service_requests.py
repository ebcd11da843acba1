"""Repeated, racing and lost requests, on one worker and on two."""

import asyncio
import random
import uuid

import pytest

import engine
from engine.events import HandStarted
from engine.state import Phase
from service.credentials import Operator
from service.errors import Reason, ServiceError
from service.feed import Feed
from service.store.base import OutcomeUnknown
from service.table_service import TableService
from service.table_writer import Mutation
from tests.service.table_play import Forgetful, act, full_table, play_out, refused


class TestRequests:
    async def test_the_same_request_twice_in_parallel_has_one_effect_and_equal_answers(self, house):
        table, _ = await full_table(house)
        hand = (await house.deal(table)).table.hand
        request = {"request_id": str(uuid.uuid4()), "body": b"one"}
        kind = engine.default_action(hand).kind
        replies = await asyncio.gather(*(act(house, table, kind, seat=hand.actor, **request) for _ in range(8)))
        assert 1 == len({(reply.version, reply.etag, reply.events) for reply in replies})
        assert 6 == (await house.get(table)).version

    async def test_a_repeat_long_after_returns_the_first_events(self, house):
        table, _ = await full_table(house)
        request_id = str(uuid.uuid4())
        mutation = Mutation("Deal", table.table_id, request_id)
        options = {"view_as": 0}
        first = await house.tables.deal(house.operator, mutation, **options)
        await play_out(house, table, random.Random(1))
        again = await house.tables.deal(house.operator, mutation, **options)
        assert (first.version, first.etag, first.events) == (again.version, again.etag, again.events)
        assert again.table.version > again.version

    async def test_a_request_id_with_another_body(self, house):
        table, _ = await full_table(house)
        await house.deal(table)
        request_id = str(uuid.uuid4())
        hand = (await house.get(table)).hand
        await act(house, table, engine.default_action(hand).kind, request_id=request_id, body=b"one")
        with refused(Reason.REQUEST_ID_REUSED, request_id=request_id):
            await act(house, table, "fold", seat=hand.actor, request_id=request_id, body=b"two")

    async def test_one_etag_two_requests_one_success(self, house):
        table, _ = await full_table(house)
        dealt = (await house.deal(table)).table
        kind = engine.default_action(dealt.hand).kind
        outcomes = await asyncio.gather(
            *(
                act(house, table, kind, seat=dealt.hand.actor, request_id=str(uuid.uuid4()), etag=dealt.etag)
                for _ in range(2)
            ),
            return_exceptions=True,
        )
        stale = [outcome for outcome in outcomes if isinstance(outcome, ServiceError)]
        now = await house.get(table)
        assert [Reason.STALE_ETAG] == [refusal.reason for refusal in stale]
        assert {"etag": now.etag, "version": str(now.version)} == stale[0].metadata
        assert dealt.version + 1 == now.version

    async def test_a_stale_etag_is_told_before_the_turn(self, house):
        table, callers = await full_table(house)
        old = (await house.get(table)).etag
        dealt = (await house.deal(table)).table
        other = next(caller for caller in callers if caller.seat != dealt.hand.actor)
        with refused(Reason.STALE_ETAG, etag=dealt.etag, version=dealt.version):
            await act(house, table, "fold", caller=other, etag=old)

    async def test_a_stranger_learns_no_etag(self, house):
        table, _ = await full_table(house)
        with refused(Reason.TABLE_NOT_FOUND) as refusal:
            await house.tables.deal(
                Operator("another", "another"),
                Mutation("Deal", table.table_id, etag="1-x"),
                view_as=0,
            )
        assert {"table_id"} == set(refusal.value.metadata)

    async def test_two_hundred_acts_at_once_make_one_version_each(self, house):
        table, _ = await full_table(house)
        dealt = (await house.deal(table)).table
        kind = engine.default_action(dealt.hand).kind
        outcomes = await asyncio.gather(
            *(act(house, table, kind, seat=dealt.hand.actor, etag=dealt.etag) for _ in range(200)),
            return_exceptions=True,
        )
        assert 199 == sum(isinstance(outcome, ServiceError) for outcome in outcomes)
        assert dealt.version + 1 == (await house.get(table)).version

    async def test_a_cancelled_caller_leaves_a_whole_commit(self, house):
        table, _ = await full_table(house)
        mutation = Mutation("Deal", table.table_id, str(uuid.uuid4()))
        deal = house.tables.deal(house.operator, mutation, view_as=0)
        task = asyncio.create_task(deal)
        await asyncio.sleep(0.001)
        task.cancel()
        await asyncio.wait([task])
        reply = await house.tables.deal(house.operator, mutation, view_as=0)
        assert 5 == reply.version
        assert Phase.FINISHED != reply.table.hand.phase


class TestTwoWorkers:
    """The same tables through two services, each with connections of its own."""

    @pytest.fixture
    async def other(self, embedded, house, clock, shuffle):
        store = Forgetful(embedded.url)
        await store.connect()
        feed = Feed(store)
        yield TableService(store, clock, shuffle, house.keyring, feed)
        await store.close()

    async def test_twenty_deals_at_two_workers_start_one_hand(self, house, other):
        table, _ = await full_table(house)
        mutation = Mutation("Deal", table.table_id)
        outcomes = await asyncio.gather(
            *(service.deal(house.operator, mutation, view_as=0) for service in (house.tables, other) * 10),
            return_exceptions=True,
        )
        refusals = [outcome for outcome in outcomes if isinstance(outcome, ServiceError)]
        assert {Reason.HAND_IN_PROGRESS} == {refusal.reason for refusal in refusals}
        assert 19 == len(refusals)
        assert 5 == (await house.get(table)).version

    async def test_one_request_at_both_workers_has_one_effect(self, house, other):
        table, _ = await full_table(house)
        mutation = Mutation("Deal", table.table_id, str(uuid.uuid4()))
        replies = await asyncio.gather(
            *(service.deal(house.operator, mutation, view_as=0) for service in (house.tables, other) * 4)
        )
        assert 1 == len({(reply.version, reply.etag, reply.events) for reply in replies})

    async def test_an_action_that_lost_a_race_is_judged_by_the_new_table(self, house, other):
        """Everybody's fold at once, at both workers: each is played in its turn or refused, none against the rules."""
        table, _ = await full_table(house, players=5)
        await house.deal(table)
        for _ in range(8):
            now = await house.get(table)
            if not now.playing:
                break
            action = engine.default_action(now.hand)
            await asyncio.gather(
                *(
                    service.act(
                        house.operator, Mutation("Act", table.table_id), action, seat=seat, player_id="", view_as=0
                    )
                    for seat in range(1, 6)
                    for service in (house.tables, other)
                ),
                return_exceptions=True,
            )
        assert [] == (await house.get(table)).broken()

    async def test_a_lost_answer_is_found_by_the_request_id(self, house, other):
        table, _ = await full_table(house)
        mutation = Mutation("Deal", table.table_id, str(uuid.uuid4()), body=b"deal")
        other._store.losing = True
        with pytest.raises(OutcomeUnknown):
            await other.deal(house.operator, mutation, view_as=0)
        for service in (other, house.tables):
            reply = await service.deal(house.operator, mutation, view_as=0)
            assert (5, 5) == (reply.version, reply.table.version)
            assert isinstance(reply.events[0], HandStarted)
