"""Whether a server serves, by its gRPC health service: ``python -m service.cli.health [HOST:PORT [SERVICE]]``.

For health checks of containers, which need a program and its exit status: 0 if the server says SERVING, else 1.
Without an argument the server is the one that ``DUGOUT_PORT`` (50051) names on this machine. Without a service it is
asked whether it is alive at all; ``stud.v1.TableService`` serves only while the store answers.
"""

import os
import sys
from collections.abc import Sequence

import grpc
from grpc_health.v1 import health_pb2

TIMEOUT_S = 3.0


def status_of(address: str, service: str = "", timeout_s: float = TIMEOUT_S) -> str:
    """Return what the server says of itself or a service, such as ``SERVING``, or the status of a call that failed."""
    with grpc.insecure_channel(address, options=[("grpc.enable_http_proxy", 0)]) as channel:
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
    address = arguments[0] if arguments else f"127.0.0.1:{os.environ.get('DUGOUT_PORT') or 50051}"
    service = arguments[1] if len(arguments) > 1 else ""
    status = status_of(address, service)
    print(" ".join(filter(None, (address, service, status))))
    return int(status != "SERVING")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
