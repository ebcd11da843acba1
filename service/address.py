"""The port of a server: found, and held for it."""

import ipaddress
import socket

import msgspec


class AddressError(Exception):
    """The port cannot be had; the message says why."""


class Address(msgspec.Struct, frozen=True):
    """An address of this machine with its port."""

    host: str
    port: int

    def __str__(self) -> str:
        bracketed = f"[{self.host}]" if ":" in self.host else self.host
        return f"{bracketed}:{self.port}"


class Reservation:
    """A port that this process holds and its workers listen on.

    Nobody else gets the port: it is bound alone, and only then opened to sockets of the same user that share ports
    knowingly. Another reservation is no such socket, so a second server on the port fails here instead of taking a part
    of the calls.
    """

    def __init__(self, host: str, port: int) -> None:
        """Hold a port; AddressError if that is impossible."""
        try:
            family, _, _, _, (resolved, *_) = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        except OSError as error:
            raise AddressError(f"{host} is no address of this machine: {error.strerror}") from error
        self._socket = socket.socket(family, socket.SOCK_STREAM)
        try:
            # Connections of an earlier server that are still being closed are no obstacle.
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self._socket.bind((resolved, port))
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 0)
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        except OSError as error:
            self._socket.close()
            raise AddressError(f"port {port} on {host} cannot be had: {error.strerror}") from error
        self.address = Address(str(ipaddress.ip_address(resolved)), self._socket.getsockname()[1])

    def close(self) -> None:
        """Give the port back."""
        self._socket.close()
