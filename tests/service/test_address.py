import socket

import pytest

from service.address import Address, AddressError, Reservation


@pytest.fixture
def reservation():
    reserved = Reservation("127.0.0.1", 0)
    yield reserved
    reserved.close()


def sharing(port: int) -> socket.socket:
    """Bind a socket as a worker's grpc does."""
    shared = socket.socket()
    shared.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    shared.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    shared.bind(("127.0.0.1", port))
    return shared


def test_workers_share_the_port_and_nobody_else_gets_it(reservation):
    port = reservation.address.port
    with sharing(port) as first, sharing(port) as second:
        for _ in range(2):  # before and after the workers listen
            with pytest.raises(AddressError, match=str(port)):
                Reservation("127.0.0.1", port)
            first.listen()
            second.listen()


def test_a_port_that_somebody_listens_on_is_refused():
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(AddressError, match="cannot be had"):
        Reservation("127.0.0.1", taken.getsockname()[1])


def test_a_port_is_free_again_at_once_although_connections_linger():
    reserved = Reservation("127.0.0.1", 0)
    port = reserved.address.port
    with sharing(port) as worker:
        worker.listen()
        with socket.create_connection(("127.0.0.1", port)):
            accepted, _ = worker.accept()
            accepted.close()  # the server closes first: its end lingers
    reserved.close()
    Reservation("127.0.0.1", port).close()


@pytest.mark.parametrize("host", ["192.0.2.1", "no-such-host.invalid"])
def test_a_host_that_is_not_here(host):
    with pytest.raises(AddressError, match=host):
        Reservation(host, 0)


@pytest.mark.parametrize(
    ("address", "text"), [(Address("127.0.0.1", 80), "127.0.0.1:80"), (Address("::1", 80), "[::1]:80")]
)
def test_as_clients_write_it(address, text):
    assert text == str(address)


def test_a_name_is_resolved_once():
    reserved = Reservation("localhost", 0)
    assert reserved.address.host in ("127.0.0.1", "::1")
    reserved.close()
