"""How bytes reach the server: plainly or over TLS, and what one connection may ask of it.

What grpc itself refuses has no reason of ours: RESOURCE_EXHAUSTED for a message or metadata that is too large,
UNIMPLEMENTED for a compressed request. Streams beyond the limit of a connection wait in the client.
"""

from typing import Any

import grpc
import structlog

from service.address import Address
from service.certificates import CertificateError, CertificateFiles, Certificates
from service.config import Config

_log = structlog.get_logger()

METADATA_BYTES_MOST = 16 * 1024
"""Of one call, as HTTP/2 counts them; an operator key or a seat token is far smaller."""

_HANDSHAKE_MS = 10_000
_PING_AFTER_MS = 60_000
_PING_ANSWER_MS = 20_000
_PINGS_APART_MS = 10_000
_PING_STRIKES = 2
_IDENTITY_ONLY = 1

Options = list[tuple[str, int]]


class PortError(Exception):
    """The server cannot listen; the message says why."""


def server_options(config: Config) -> Options:
    """Return the options of grpc for a server."""
    options: Options = [
        ("grpc.so_reuseport", 1),
        ("grpc.max_receive_message_length", config.max_message_bytes),
        ("grpc.max_send_message_length", -1),
        # grpc measures a message only once it is unpacked: one of a megabyte would cost a gigabyte of memory.
        ("grpc.compression_enabled_algorithms_bitset", _IDENTITY_ONLY),
        ("grpc.max_metadata_size", METADATA_BYTES_MOST),
        ("grpc.absolute_max_metadata_size", METADATA_BYTES_MOST),
        ("grpc.max_allowed_incoming_connections", config.max_connections),
        ("grpc.max_concurrent_streams", config.max_streams),
        ("grpc.server_handshake_timeout_ms", _HANDSHAKE_MS),
        # A client that went away without a word is found out, and one that pings without end is sent away.
        ("grpc.keepalive_time_ms", _PING_AFTER_MS),
        ("grpc.keepalive_timeout_ms", _PING_ANSWER_MS),
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.min_ping_interval_without_data_ms", _PINGS_APART_MS),
        ("grpc.http2.max_ping_strikes", _PING_STRIKES),
        ("grpc.enable_channelz", 0),
    ]
    if config.max_connection_age_s:
        # grpc spreads it by a tenth either way, so that clients do not all come back at the same moment.
        options.append(("grpc.max_connection_age_ms", config.max_connection_age_s * 1000))
        options.append(("grpc.max_connection_age_grace_ms", config.drain_ms))
    return options


def open_port(server: grpc.aio.Server, address: Address, files: CertificateFiles | None) -> int:
    """Have a server listen, over TLS if it has certificates, and return the port.

    Raises:
        CertificateError: if a file of certificates cannot be used.
        PortError: if grpc cannot listen there, or cannot use the certificates.
    """
    try:
        if files is None:
            return server.add_insecure_port(str(address))
        return server.add_secure_port(str(address), Renewal(files).credentials())
    except RuntimeError:
        what = "" if files is None else f" with the certificate {files.cert}"
        raise PortError(f"grpc cannot listen on {address}{what}") from None


class Renewal:
    """Gives grpc the certificates, and new ones when the files have changed.

    New connections get the renewed certificate, those that stand keep theirs. A renewal that cannot be used is logged,
    and what was used before stays in use.
    """

    def __init__(self, files: CertificateFiles) -> None:
        """Read the files; CertificateError if they cannot be used."""
        self._files = files
        # The mark first: what changes while it is read is read again.
        self._mark = files.mark
        self._first = _configuration(files.read())

    def credentials(self) -> grpc.ServerCredentials:
        """Return the credentials of a port."""
        renewed: Any = self._renewed  # None is no change, which the stubs do not know
        return grpc.dynamic_ssl_server_credentials(
            self._first, renewed, require_client_authentication=self._files.client_ca is not None
        )

    def _renewed(self) -> grpc.ServerCertificateConfiguration | None:
        """Return what new connections should use from now on, None: what they used before. Any thread calls this."""
        mark = self._files.mark
        if mark == self._mark:
            return None
        # Remembered either way, so that a bad renewal is told once and not with every connection.
        self._mark = mark
        try:
            configuration = _configuration(self._files.read())
        except CertificateError as error:
            _log.error("certificate not renewed", setting=error.setting, path=error.path, allowed=error.allowed)
            return None
        _log.info("certificate renewed", path=self._files.cert)
        return configuration


def _configuration(certificates: Certificates) -> grpc.ServerCertificateConfiguration:
    return grpc.ssl_server_certificate_configuration(
        [(certificates.key, certificates.chain)], root_certificates=certificates.client_cas
    )
