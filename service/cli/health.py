"""Whether a server serves, by its gRPC health service: ``python -m service.cli.health [HOST:PORT [SERVICE]]``.

For health checks of containers, which need a program and its exit status: 0 if the server says SERVING, else 1, and 2
for bad usage. Without an argument the server is the one that ``DUGOUT_PORT`` (50051) names on this machine. Over TLS:
``--tls-ca FILE`` (the server's own certificate will do), ``--tls-name NAME`` if the certificate is not for the host
that is asked, ``--tls-cert FILE --tls-key FILE`` if the server wants one of the client.

Without a service it is asked whether it is alive at all; ``stud.v1.TableService`` serves only while the store answers.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import grpc
from grpc_health.v1 import health_pb2

TIMEOUT_S = 3.0


def status_of(
    address: str,
    service: str = "",
    timeout_s: float = TIMEOUT_S,
    *,
    credentials: grpc.ChannelCredentials | None = None,
    name: str | None = None,
) -> str:
    """Return what the server says of itself or a service, such as ``SERVING``, or the status of a call that failed.

    With ``credentials`` over TLS; ``name`` is the one in the server's certificate if that is not the address's.
    """
    options: list[tuple[str, int | str]] = [("grpc.enable_http_proxy", 0)]
    if name is not None:
        options.append(("grpc.ssl_target_name_override", name))
    with (
        grpc.insecure_channel(address, options)
        if credentials is None
        else grpc.secure_channel(address, credentials, options)
    ) as channel:
        check = channel.unary_unary(
            "/grpc.health.v1.Health/Check",
            request_serializer=health_pb2.HealthCheckRequest.SerializeToString,
            response_deserializer=health_pb2.HealthCheckResponse.FromString,
        )
        try:
            answer = check(health_pb2.HealthCheckRequest(service=service), timeout=timeout_s)
        except grpc.RpcError as error:
            return str(error.code().name)
    return health_pb2.HealthCheckResponse.ServingStatus.Name(answer.status)


def main(arguments: Sequence[str]) -> int:
    """Print the status and return what the process should exit with."""
    parser = argparse.ArgumentParser(prog="python -m service.cli.health", description="Ask a server for its health.")
    default = f"127.0.0.1:{os.environ.get('DUGOUT_PORT') or 50051}"
    parser.add_argument("address", nargs="?", default=default, help="HOST:PORT of the server")
    parser.add_argument("service", nargs="?", default="", help="one of its services, such as stud.v1.TableService")
    parser.add_argument("--tls-ca", type=_file, metavar="FILE", help="authorities in PEM: ask over TLS")
    parser.add_argument("--tls-name", metavar="NAME", help="the name in the server's certificate")
    parser.add_argument("--tls-cert", type=_file, metavar="FILE", help="certificate of the client in PEM")
    parser.add_argument("--tls-key", type=_file, metavar="FILE", help="private key of the client in PEM")
    said = parser.parse_args(arguments)
    if (said.tls_cert is None) != (said.tls_key is None):
        parser.error("--tls-cert and --tls-key belong together")
    if said.tls_ca is None and (said.tls_cert is not None or said.tls_name is not None):
        parser.error("TLS needs --tls-ca")
    credentials = None
    if said.tls_ca is not None:
        credentials = grpc.ssl_channel_credentials(said.tls_ca, said.tls_key, said.tls_cert)
    status = status_of(said.address, said.service, credentials=credentials, name=said.tls_name)
    print(" ".join(filter(None, (said.address, said.service, status))))
    return int(status != "SERVING")


def _file(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise argparse.ArgumentTypeError(f"{path}: {error.strerror}") from None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
