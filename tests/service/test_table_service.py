"""Tables and who sees them, through the use cases."""

import asyncio
import random
import uuid

import pytest

from engine.profiles import BASEBALL
from service.codec import table_message
from service.credentials import Anonymous, Operator
from service.errors import Reason, ServiceError
from service.lobby import LobbyFilter
from service.replies import SeenHappening
from service.table import Settings, Status
from service.table_events import TableDeleted, TablePaused, TableResumed
from service.table_writer import Mutation
from tests.service.table_play import act, full_table, leave, play_out, random_act, refused, showdown


class TestCreateTable:
    async def test_a_new_table_is_at_version_one(self, house):
        table = await house.create()
        assert 1 == table.version
        assert table == await house.get(table)
        assert len({(await house.create()).table_id for _ in range(5)}) == 5

    async def test_only_an_operator_makes_one(self, house):
        _, (seated, *_) = await full_table(house)
        for caller, reason in ((Anonymous(), Reason.CREDENTIALS_MISSING), (seated, Reason.OPERATOR_REQUIRED)):
            with refused(reason):
                await house.tables.create_table(
                    caller, Mutation("CreateTable", ""), profile="baseball", rules=BASEBALL, settings=Settings()
                )

    @pytest.mark.parametrize(
        ("settings", "field"),
        [
            (Settings(max_buy_in=2**62), "max_buy_in"),
            (Settings(min_buy_in=2**62, max_buy_in=2**62), "min_buy_in"),
            (Settings(min_buy_in=-1), "min_buy_in"),
            (Settings(max_buy_in=0), "max_buy_in"),
            (Settings(min_buy_in=11, max_buy_in=10), "max_buy_in"),
            (Settings(action_time_ms=999), "action_time"),
            (Settings(action_time_ms=86_400_001), "action_time"),
            (Settings(time_bank_ms=-1), "time_bank"),
            (Settings(time_bank_ms=86_400_001), "time_bank"),
            (Settings(sit_out_after=-1), "sit_out_after"),
            (Settings(sit_out_after=1001), "sit_out_after"),
            (Settings(deal_pause_ms=999), "deal_pause"),
            (Settings(deal_pause_ms=3_600_001), "deal_pause"),
        ],
    )
    async def test_settings_out_of_bounds(self, house, settings, field):
        with refused(Reason.INVALID_FIELD) as refusal:
            await house.create(settings=settings)
        assert field in [violation.field for violation in refusal.value.fields]

    async def test_a_request_id_makes_one_table(self, house):
        mutation = Mutation("CreateTable", "", str(uuid.uuid4()), body=b"one")
        options = {"profile": "baseball", "rules": BASEBALL, "settings": Settings()}
        replies = await asyncio.gather(
            *(house.tables.create_table(house.operator, mutation, **options) for _ in range(5))
        )
        assert 1 == len({(reply.table.table_id, reply.version, reply.etag) for reply in replies})
        other = Mutation("CreateTable", "", mutation.request_id, body=b"two")
        with refused(Reason.REQUEST_ID_REUSED, request_id=mutation.request_id):
            await house.tables.create_table(house.operator, other, **options)

    async def test_another_key_of_the_tenant_gets_no_stored_reply(self, house, tenant):
        mutation = Mutation("CreateTable", "", str(uuid.uuid4()))
        options = {"profile": "baseball", "rules": BASEBALL, "settings": Settings()}
        await house.tables.create_table(house.operator, mutation, **options)
        with refused(Reason.REQUEST_ID_REUSED):
            await house.tables.create_table(Operator(tenant, f"{tenant}/2"), mutation, **options)
        other_tenant = Operator(f"{tenant}x", f"{tenant}x")
        assert 1 == (await house.tables.create_table(other_tenant, mutation, **options)).version


class TestViews:
    async def test_a_new_owner_of_a_seat_does_not_see_the_last_owners_cards(self, house):
        table, callers = await full_table(house, players=2)
        await house.deal(table)
        await leave(house, table, callers[0])
        later = await house.seat(table, "later", seat=1)
        reply = await house.tables.get_table(later, table.table_id, 0)
        assert reply.table.hand.player(1).down
        shown = table_message(reply.table, reply.viewer)
        assert 1 == reply.viewer == shown.viewer_seat
        assert {"??"} == {card for each in shown.seats for card in each.down_cards}
        watched = house.tables.watch(later, table.table_id, 0, 0)
        seen = [await anext(watched) for _ in range(reply.version)]
        await watched.aclose()
        assert {None} == {each.viewer for each in seen}
        await house.deal(table)
        assert 1 == (await house.tables.get_table(later, table.table_id, 0)).viewer

    async def test_who_sees_what(self, house):
        table, (first, *_) = await full_table(house)
        await house.deal(table)
        get = house.tables.get_table
        assert (await get(house.operator, table.table_id, 0)).viewer is None
        assert 2 == (await get(house.operator, table.table_id, 2)).viewer
        assert 1 == (await get(first, table.table_id, 0)).viewer
        assert (await get(Anonymous(), table.table_id, 0)).viewer is None
        for caller, view_as, reason in (
            (first, 2, Reason.NOT_YOUR_SEAT),
            (Anonymous(), 1, Reason.CREDENTIALS_MISSING),
            (house.operator, 7, Reason.PLAYER_NOT_SEATED),
            (house.operator, 8, Reason.INVALID_FIELD),
            (house.operator, -1, Reason.INVALID_FIELD),
        ):
            with refused(reason):
                await get(caller, table.table_id, view_as)

    async def test_spectators_only_where_they_may(self, house):
        table, (first, *_) = await full_table(house, settings=Settings(spectators=False))
        with refused(Reason.SPECTATORS_REFUSED):
            await house.tables.get_table(Anonymous(), table.table_id, 0)
        assert (await house.tables.get_table(first, table.table_id, 0)).table

    async def test_the_lobby_is_the_tenants_own(self, house):
        tables = {(await house.create(settings=Settings(name="x"))).table_id for _ in range(3)}
        page, token = await house.tables.list_tables(house.operator, 2, "")
        rest, end = await house.tables.list_tables(house.operator, 2, token)
        assert tables == {entry.table_id for entry in (*page, *rest)}
        assert "" == end
        assert ([], "") == await house.tables.list_tables(Operator("nobody", "nobody"), 10, "")
        with refused(Reason.INVALID_FIELD):
            await house.tables.list_tables(house.operator, 2, "forged")


class TestDeleteTable:
    async def test_everybody_is_paid_out_and_the_table_is_gone(self, house):
        table, callers = await full_table(house)
        version = (await house.get(table)).version
        deleted = await house.delete(table)
        assert version + 1 == deleted.version
        assert [("player1", 1, 100), ("player2", 2, 100), ("player3", 3, 100)] == [
            (payout.player_id, payout.seat, payout.amount) for payout in deleted.payouts
        ]
        assert TableDeleted() == deleted.events[-1]
        for use in (
            house.tables.get_table(house.operator, table.table_id, 0),
            house.tables.get_table(callers[0], table.table_id, 0),
            house.seat(table, "late"),
            house.deal(table),
            house.delete(table),
        ):
            with refused(Reason.TABLE_NOT_FOUND, table_id=table.table_id):
                await use
        assert ([], "") == await house.tables.list_tables(house.operator, 10, "")

    async def test_a_running_hand_is_void(self, house):
        table, _ = await full_table(house, profile="seven-card-stud")
        await house.deal(table)
        await act(house, table, "bring_in")
        now = (await act(house, table, "fold")).table
        assert 4 == sum(pot.amount for pot in now.hand.pots)
        deleted = await house.delete(table)
        assert {100} == {payout.amount for payout in deleted.payouts}
        assert 4 == sum(amount for _, amount in deleted.events[0].returned)

    @pytest.mark.parametrize("seed", range(6))
    async def test_no_chip_is_lost_whenever_it_ends(self, house, seed):
        rng = random.Random(seed)
        table, callers = await full_table(house, players=4)
        await house.deal(table)
        taken = 0
        for _ in range(rng.randint(0, 12)):
            now = await house.get(table)
            if not now.playing or now.showdown_due:
                break
            await random_act(house, table, now.hand, rng)
        leaver = callers.pop(rng.randrange(4))
        taken += (await leave(house, table, leaver)).stack
        now = await house.get(table)
        deleted = await house.delete(table)
        assert now.chips == sum(payout.amount for payout in deleted.payouts)
        assert 400 - taken == now.chips

    async def test_the_same_request_again_returns_the_first_payouts(self, house):
        table, _ = await full_table(house)
        await house.deal(table)
        request = {"request_id": str(uuid.uuid4()), "body": b"delete"}
        replies = await asyncio.gather(*(house.delete(table, **request) for _ in range(5)))
        assert 1 == len({(reply.version, reply.etag, reply.events, reply.payouts) for reply in replies})
        assert replies[0] == await house.delete(table, **request)
        with refused(Reason.REQUEST_ID_REUSED):
            await house.delete(table, request_id=request["request_id"], body=b"other")

    async def test_nobody_else_gets_the_payouts(self, house, tenant):
        table, _ = await full_table(house)
        request = {"request_id": str(uuid.uuid4()), "body": b"delete"}
        await house.delete(table, **request)
        for caller in (Operator(tenant, f"{tenant}/2"), Operator("another", "another")):
            with refused(Reason.TABLE_NOT_FOUND):
                await house.tables.delete_table(caller, Mutation("DeleteTable", table.table_id, **request))

    async def test_one_of_many_ends_it(self, house):
        table, _ = await full_table(house)
        outcomes = await asyncio.gather(*(house.delete(table) for _ in range(10)), return_exceptions=True)
        refusals = [outcome for outcome in outcomes if isinstance(outcome, ServiceError)]
        assert [Reason.TABLE_NOT_FOUND] * 9 == [refusal.reason for refusal in refusals]

    async def test_only_an_operator_ends_it_and_a_stale_etag_does_not(self, house):
        table, callers = await full_table(house)
        mutation = Mutation("DeleteTable", table.table_id)
        for caller, reason in ((callers[0], Reason.OPERATOR_REQUIRED), (Anonymous(), Reason.CREDENTIALS_MISSING)):
            with refused(reason):
                await house.tables.delete_table(caller, mutation)
        with refused(Reason.STALE_ETAG):
            await house.delete(table, etag=table.etag)
        assert 3 == len((await house.get(table)).seats)

    async def test_other_requests_of_the_table_are_not_repeated_from_the_grave(self, house):
        table, _ = await full_table(house)
        mutation = Mutation("Deal", table.table_id, str(uuid.uuid4()))
        await house.tables.deal(house.operator, mutation, view_as=0)
        await house.delete(table)
        with refused(Reason.TABLE_NOT_FOUND):
            await house.tables.deal(house.operator, mutation, view_as=0)

    async def test_watchers_get_the_last_event_and_then_the_end(self, house):
        table, callers = await full_table(house)
        version = (await house.get(table)).version
        watchers = [
            house.tables.watch(caller, table.table_id, version - 2, 0)
            for caller in (house.operator, callers[0], Anonymous())
        ]
        assert [version - 1] * 3 == [(await anext(watcher)).published.happening.version for watcher in watchers]
        deleted = await house.delete(table)
        for watcher in watchers:
            rest = [item async for item in watcher if isinstance(item, SeenHappening)]
            assert [version, deleted.version] == [item.published.happening.version for item in rest]
            assert TableDeleted() == rest[-1].published.happening.events[-1]

    @pytest.mark.parametrize("seed", range(4))
    async def test_what_others_do_at_the_same_time_is_paid_out_or_refused(self, house, seed):
        """Chips that were acknowledged are in the payouts, whoever was faster."""
        table, callers = await full_table(house, players=4)
        await house.deal(table)
        rng = random.Random(seed)

        async def later(work):
            await asyncio.sleep(rng.random() / 50)
            return await work

        add = house.tables.seats.add_chips
        fields = {"player_id": "", "amount": 10, "view_as": 0}
        works = [
            later(add(house.operator, Mutation("AddChips", table.table_id), seat=seat, **fields)) for seat in (1, 2)
        ]
        works += [later(house.seat(table, f"late{number}", stack=7)) for number in range(3)]
        works += [later(leave(house, table, caller)) for caller in callers[2:]]
        *outcomes, deleted = await asyncio.gather(*works, later(house.delete(table)), return_exceptions=True)
        refusals = {outcome.reason for outcome in outcomes if isinstance(outcome, ServiceError)}
        assert refusals <= {Reason.TABLE_NOT_FOUND}
        sat_down = sum(not isinstance(outcome, Exception) for outcome in outcomes[2:5])
        taken = sum(outcome.stack for outcome in outcomes[5:] if not isinstance(outcome, Exception))
        arrived = 400 + 7 * sat_down - taken
        # What waited for the end of the hand came only where leaving ended it before the table did.
        assert sum(payout.amount for payout in deleted.payouts) - arrived in (0, 10, 20)


class TestPause:
    async def test_nothing_is_played_until_it_is_resumed(self, house, clock):
        table, _ = await full_table(house)
        actor = (await house.deal(table)).table.hand.actor
        mutation = Mutation("PauseTable", table.table_id)
        paused = await house.tables.pause_table(house.operator, mutation, view_as=0)
        assert ((TablePaused(),), None) == (paused.events, paused.table.deadline_ms)
        for use in (act(house, table, "fold", seat=actor), showdown(house, table), house.deal(table)):
            with refused(Reason.TABLE_PAUSED):
                await use
        with refused(Reason.TABLE_PAUSED):
            await house.tables.pause_table(house.operator, mutation, view_as=0)
        await house.seat(table, "late")
        clock.time_ms += 10**9
        resumed = await house.tables.resume_table(house.operator, mutation, view_as=0)
        assert ((TableResumed(),), clock.time_ms + 30_000) == (resumed.events, resumed.table.deadline_ms)
        with refused(Reason.TABLE_NOT_PAUSED):
            await house.tables.resume_table(house.operator, mutation, view_as=0)
        assert actor == (await house.get(table)).hand.actor

    async def test_only_an_operator_stops_the_clock(self, house):
        table, callers = await full_table(house)
        for use in (house.tables.pause_table, house.tables.resume_table):
            with refused(Reason.OPERATOR_REQUIRED):
                await use(callers[0], Mutation("PauseTable", table.table_id), view_as=0)

    async def test_a_repeated_pause_returns_the_first_answer(self, house):
        table, _ = await full_table(house)
        mutation = Mutation("PauseTable", table.table_id, str(uuid.uuid4()))
        first, again = [await house.tables.pause_table(house.operator, mutation, view_as=0) for _ in range(2)]
        assert (first.version, first.etag, first.events) == (again.version, again.etag, again.events)


class TestStandings:
    async def test_they_are_final_when_the_session_is_over(self, house):
        table, callers = await full_table(house, players=3, session_pots=2)
        for _ in range(2):
            await house.deal(table)
            await play_out(house, table, random.Random(2))
        now, ranked = await house.tables.get_standings(callers[0], table.table_id)
        assert now.session_over
        assert 0 == sum(player.net for player in ranked)
        assert sorted(ranked, key=lambda player: -player.net) == ranked
        for caller in callers:
            await leave(house, table, caller)
        _, after = await house.tables.get_standings(house.operator, table.table_id)
        assert [(one.place, one.net) for one in ranked] == [(one.place, one.net) for one in after]
        assert {0} == {player.seat for player in after}

    async def test_who_may_watch_may_see_them(self, house):
        table, _ = await full_table(house)
        closed, _ = await full_table(house, settings=Settings(spectators=False))
        assert 3 == len((await house.tables.get_standings(Anonymous(), table.table_id))[1])
        with refused(Reason.SPECTATORS_REFUSED):
            await house.tables.get_standings(Anonymous(), closed.table_id)
        with refused(Reason.TABLE_NOT_FOUND):
            await house.tables.get_standings(Operator("another", "another"), table.table_id)


class TestLobby:
    async def test_a_filtered_page_is_filled_up(self, house):
        wanted = {(await house.create("football")).table_id for _ in range(3)}
        for _ in range(20):
            await house.create()
        found, token = [], ""
        calls = 0
        while calls == 0 or token:
            page, token = await house.tables.list_tables(house.operator, 3, token, LobbyFilter("football"))
            assert len(page) <= 3
            found += [entry.table_id for entry in page]
            calls += 1
        assert sorted(wanted) == sorted(found)
        assert calls <= 2

    async def test_pages_with_filters_leave_none_out_and_show_none_twice(self, house):
        tables = [await house.create("football" if number % 3 else "baseball") for number in range(30)]
        for size in (1, 4, 7, 100):
            found, token = [], None
            while token != "":
                page, token = await house.tables.list_tables(house.operator, size, token or "", LobbyFilter("football"))
                found += [entry.table_id for entry in page]
            assert sorted(table.table_id for table in tables if table.profile == "football") == sorted(found)

    async def test_one_call_looks_at_so_many_tables_and_pages_of_the_store_at_most(self, house, store, monkeypatch):
        for start in range(0, 1200, 100):
            await asyncio.gather(*(house.create() for _ in range(start, start + 100)))
        reads = 0
        list_tables = store.list_tables

        async def counted(*arguments):
            nonlocal reads
            reads += 1
            return await list_tables(*arguments)

        monkeypatch.setattr(store, "list_tables", counted)
        for size, most_reads, calls in ((1000, 1, 2), (300, 4, 1), (100, 8, 2)):
            token, made = None, 0
            while token != "":
                reads = 0
                page, token = await house.tables.list_tables(house.operator, size, token or "", LobbyFilter("football"))
                made += 1
                assert [] == page
                assert reads <= most_reads
            assert calls == made

    async def test_what_becomes_of_a_table_is_seen_in_the_lobby(self, house):
        table, _ = await full_table(house, players=2, session_pots=1)

        async def listed(**filters):
            page, _ = await house.tables.list_tables(house.operator, 10, "", LobbyFilter(**filters))
            return [entry.table_id for entry in page]

        assert [table.table_id] == await listed(status=Status.WAITING)
        await house.deal(table)
        assert [table.table_id] == await listed(status=Status.PLAYING, joinable_only=True)
        await house.tables.pause_table(house.operator, Mutation("PauseTable", table.table_id), view_as=0)
        assert [True] == [entry.paused for entry in (await house.tables.list_tables(house.operator, 10, ""))[0]]
        await house.tables.resume_table(house.operator, Mutation("ResumeTable", table.table_id), view_as=0)
        await play_out(house, table, random.Random(1))
        assert [table.table_id] == await listed(status=Status.SESSION_OVER)
        assert [] == await listed(joinable_only=True)
