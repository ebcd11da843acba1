"""Tables and who sees them, through the use cases."""

import asyncio
import uuid

import pytest

from engine.profiles import BASEBALL
from service.codec import table_message
from service.credentials import Anonymous, Operator
from service.errors import Reason
from service.table import Settings
from service.table_writer import Mutation
from tests.service.table_play import full_table, leave, refused


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
        with refused(Reason.CREDENTIALS_MISSING):
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
