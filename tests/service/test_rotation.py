"""Keys that are changed while tables are played: servers on one store, told of it one after the other."""

from contextlib import asynccontextmanager
from itertools import pairwise

import grpc
import pytest
from msgspec.structs import replace

from proto.stud.v1 import stud_pb2
from service.address import Address
from service.credentials import OperatorKey, TokenKey
from service.server import Server

OLD, NEW = TokenKey("2026", "o" * 32), TokenKey("2027", "n" * 32)


@pytest.fixture
def serve(store, config, wire):
    @asynccontextmanager
    async def serving(**keys):
        """Run one more server with other keys and see the tables through it."""
        server = Server(replace(config, **keys), store)
        port = await server.start(Address("127.0.0.1", 0))
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            yield type(wire)(channel, wire.keys, f"127.0.0.1:{port}")
        await server.stop()

    return serving


async def take_seat(wire, table_id, player_id):
    request = stud_pb2.TakeSeatRequest(table_id=table_id, player_id=player_id, stack=100)
    return (await wire.tables.TakeSeat(request, **wire.options())).seat_token


async def test_an_operator_key_is_changed_without_a_refused_call(serve, tenant, wire, refused):
    first, second = OperatorKey(f"{tenant}/1", "first-secret"), OperatorKey(f"{tenant}/2", "second-secret")
    wire.keys |= {"first": first.bearer, "second": second.bearer, "operator": first.bearer}
    async with serve(operator_keys=(first,)) as before:
        table_id, _ = await before.table(2)
        with refused("UNAUTHENTICATED", "CREDENTIALS_INVALID"):
            await before.get(table_id, "second")
    async with serve(operator_keys=(first, second)) as between:
        assert await between.get(table_id, "first") == await between.get(table_id, "second")
        wire.keys["operator"] = second.bearer
        await between.deal(table_id)
    async with serve(operator_keys=(second,)) as after:
        assert 1 == (await after.get(table_id, "second")).hand_number
        with refused("UNAUTHENTICATED", "CREDENTIALS_INVALID"):
            await after.get(table_id, "first")


async def test_a_token_key_is_changed_in_steps_that_refuse_no_player(serve, wire, refused):
    """Known everywhere first, then signing, and the old one is forgotten last; each step reaches one server later."""
    table_id, _ = await wire.table(0)
    steps = [(OLD,), (OLD, NEW), (NEW, OLD)]
    tokens = []
    for behind, ahead in pairwise(steps):
        async with serve(token_keys=behind) as late, serve(token_keys=ahead) as early:
            for server in (late, early):
                tokens.append(await take_seat(server, table_id, f"player{len(tokens) + 1}"))
            for token in tokens:
                assert [table_id] * 2 == [(await server.get(table_id, token)).table_id for server in (late, early)]
    async with serve(token_keys=(NEW,)) as last:
        for token in tokens[:3]:
            with refused("UNAUTHENTICATED", "CREDENTIALS_INVALID"):
                await last.get(table_id, token)
        assert table_id == (await last.get(table_id, tokens[3])).table_id


async def test_a_new_key_that_signs_before_all_know_it_is_refused_by_those(serve, wire, refused):
    table_id, _ = await wire.table(0)
    async with serve(token_keys=(OLD,)) as late, serve(token_keys=(NEW, OLD)) as early:
        token = await take_seat(early, table_id, "ann")
        with refused("UNAUTHENTICATED", "CREDENTIALS_INVALID"):
            await late.get(table_id, token)


async def test_a_token_minted_again_is_signed_with_the_newer_key(serve, wire):
    """A repeated request to take a seat, after the change: the seat is the same, the token one of today's."""
    table_id, _ = await wire.table(0)
    request = stud_pb2.TakeSeatRequest(
        table_id=table_id, player_id="ann", stack=100, request_id="6ba7b810-9dad-11d1-80b4-00c04fd430c8"
    )
    async with serve(token_keys=(OLD,)) as before:
        first = await before.tables.TakeSeat(request, **wire.options())
    async with serve(token_keys=(NEW,)) as after:
        second = await after.tables.TakeSeat(request, **wire.options())
        assert (first.seat, first.version) == (second.seat, second.version)
        assert table_id == (await after.get(table_id, second.seat_token)).table_id


async def test_an_old_key_forgotten_under_the_same_id_opens_nothing(serve, wire, refused):
    """A secret may leak; whoever has it cannot use it once the id has another one."""
    table_id, _ = await wire.table(0)
    async with serve(token_keys=(OLD,)) as before:
        token = await take_seat(before, table_id, "ann")
    async with serve(token_keys=(replace(NEW, key_id=OLD.key_id),)) as after:
        with refused("UNAUTHENTICATED", "CREDENTIALS_INVALID"):
            await after.get(table_id, token)
