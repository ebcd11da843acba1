import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
import pytest

from loadtest.client import ATTEMPTS, CallFailed, Client, Connections, NoServer, UnknownProfile
from loadtest.server import Server
from proto.stud.v1 import stud_pb2 as pb

Heard = list[tuple[str, int, int, str | None]]


class Listener:
    def __init__(self) -> None:
        self.heard: Heard = []

    def __call__(self, rpc: str, seconds: float, retries: int, length: int, failure: CallFailed | None) -> None:
        assert seconds > 0
        self.heard.append((rpc, retries, length, None if failure is None else failure.code.name))


def create_request(request_id: str = "") -> pb.CreateTableRequest:
    return pb.CreateTableRequest(profile="baseball", request_id=request_id)


@pytest.fixture
def listener() -> Listener:
    return Listener()


def client_of(target: str, listener: Listener) -> tuple[Connections, Client]:
    connections = Connections(target, count=2)
    return connections, Client(connections, 1, listener, sleep=lambda _: None)


def test_a_call_is_reported_once_with_the_size_of_its_reply(server: Server, listener: Listener) -> None:
    connections, client = client_of(server.address, listener)
    reply = client.call(client.stub.CreateTable, create_request(), server.operator_key)
    connections.close()
    assert [("CreateTable", 0, reply.ByteSize(), None)] == listener.heard


def test_a_refusal_is_not_repeated(server: Server, listener: Listener) -> None:
    connections, client = client_of(server.address, listener)
    with pytest.raises(CallFailed, match="UNAUTHENTICATED") as refused:
        client.call(client.stub.CreateTable, create_request(), "")
    connections.close()
    assert ("CreateTable", grpc.StatusCode.UNAUTHENTICATED) == (refused.value.rpc, refused.value.code)
    assert [("CreateTable", 0, 0, "UNAUTHENTICATED")] == listener.heard


def test_a_lost_reply_is_asked_for_again_with_the_same_request_id(
    server: Server, listener: Listener, proxy_before: Callable[..., Any]
) -> None:
    lost: list[bytes] = []

    def lose_two(rpc: str, reply: bytes) -> bytes | None:
        if len(lost) < 2:
            lost.append(reply)
            return None
        return reply

    with proxy_before(server.address, lose_two) as (address, _):
        connections, client = client_of(address, listener)
        request = create_request("11111111-2222-4333-8444-555555555555")
        reply = client.call(client.stub.CreateTable, request, server.operator_key)
        connections.close()
    first = pb.CreateTableResponse.FromString(lost[0])
    assert (first.table.table_id, first.version, first.etag) == (reply.table.table_id, reply.version, reply.etag)
    assert [("CreateTable", 2, reply.ByteSize(), None)] == listener.heard


def test_attempts_are_bounded(server: Server, listener: Listener, proxy_before: Callable[..., Any]) -> None:
    asked = threading.Semaphore(0)

    def lose_all(rpc: str, reply: bytes) -> None:
        asked.release()

    with proxy_before(server.address, lose_all) as (address, _):
        connections, client = client_of(address, listener)
        with pytest.raises(CallFailed, match="UNAVAILABLE"):
            client.call(client.stub.CreateTable, create_request(), server.operator_key)
        connections.close()
    assert [("CreateTable", ATTEMPTS - 1, 0, "UNAVAILABLE")] == listener.heard
    assert ATTEMPTS == sum(asked.acquire(blocking=False) for _ in range(2 * ATTEMPTS))


def test_a_call_that_nobody_had_taken_up_is_made_again(listener: Listener) -> None:
    """A server that stops answers so to what has arrived and not begun."""
    heard: list[bytes] = []

    def answer(data: bytes, context: grpc.ServicerContext) -> bytes:
        heard.append(data)
        if len(heard) == 1:
            context.abort(grpc.StatusCode.CANCELLED, "CANCELLED")
        return pb.CreateTableResponse(version=1).SerializeToString()

    server = grpc.server(ThreadPoolExecutor(1))
    handlers = {"CreateTable": grpc.unary_unary_rpc_method_handler(answer)}
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("stud.v1.TableService", handlers),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    connections, client = client_of(f"127.0.0.1:{port}", listener)
    reply = client.call(client.stub.CreateTable, create_request("123e4567-e89b-42d3-a456-426614174000"), "")
    connections.close()
    server.stop(None).wait()
    assert (1, 2) == (reply.version, len(heard))
    assert heard[0] == heard[1]
    assert [("CreateTable", 1, reply.ByteSize(), None)] == listener.heard


def test_the_rules_of_a_game(server: Server) -> None:
    connections = Connections(server.address)
    assert 7 == connections.rules_of("seven-card-stud").max_players
    with pytest.raises(UnknownProfile, match="no-such-game"):
        connections.rules_of("no-such-game")
    connections.close()


def test_tables_are_spread_over_connections_of_their_own(server: Server, listener: Listener) -> None:
    connections = Connections(server.address, count=3)
    stubs = [Client(connections, number, listener).stub for number in range(6)]
    connections.close()
    assert 3 == len(set(map(id, stubs)))
    assert stubs[:3] == stubs[3:]


def test_nobody_at_the_target_is_said_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("loadtest.client.CONNECT_TIMEOUT_S", 0.5)
    connections = Connections("127.0.0.1:9")
    with pytest.raises(NoServer, match=r"127\.0\.0\.1:9"):
        connections.rules_of("baseball")
    connections.close()
