"""``dugout tables``: an operator's look at live tables, through the API like any other client's."""

import json
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import grpc
import typer
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from rich.console import Console

from proto.stud.v1 import stud_pb2 as pb
from proto.stud.v1 import stud_pb2_grpc
from service.cli.output import fail
from service.cli.table_view import happened, lobby, table_view

_TIMEOUT_S = 10.0
_PAGE = 1000
_PAUSE_S = 1.0
_ATTEMPTS = 5
_NARROWEST = 160


def _pem(what: str) -> Any:
    return typer.Option(metavar="FILE", help=what, dir_okay=False)


def tables(
    table_id: Annotated[str, typer.Argument(help="One table, as a spectator sees it; without it all are listed.")] = "",
    target: Annotated[
        str, typer.Option(metavar="HOST:PORT", envvar="DUGOUT_TARGET", help="The server.")
    ] = "127.0.0.1:50051",
    operator_key: Annotated[
        str,
        typer.Option(metavar="KEY", envvar="DUGOUT_OPERATOR_KEY", help="A key of the tenant whose tables they are."),
    ] = "",
    tls_ca: Annotated[Path | None, _pem("Certificates to trust: the server is then called over TLS.")] = None,
    tls_cert: Annotated[Path | None, _pem("Certificate to show to the server.")] = None,
    tls_key: Annotated[Path | None, _pem("Private key of that certificate.")] = None,
    profile: Annotated[str, typer.Option(help="List only tables that play this game.")] = "",
    free_seats: Annotated[bool, typer.Option("--free-seats", help="List only tables with a free seat.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=1_000_000, help="List so many at most.")] = 100,
    page_token: Annotated[str, typer.Option(help="List on from where a list before ended.")] = "",
    watch: Annotated[bool, typer.Option("--watch", help="Follow the table until it is gone or Ctrl-C.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON; with --watch a line for each commit.")] = False,
) -> None:
    """Look at live tables as an operator.

    The cards are those that a spectator sees: nobody is shown down cards, the operator included.

    Example: dugout tables --target 127.0.0.1:50051 --free-seats
    """
    if watch and not table_id:
        raise typer.BadParameter("name the table that is to be followed", param_hint="'--watch'")
    if not operator_key:
        raise typer.BadParameter("an operator key is needed", param_hint="'--operator-key'")
    given = {"--target": target, "--operator-key": operator_key, "--profile": profile, "--page-token": page_token}
    for name, text in (given | {"TABLE_ID": table_id}).items():
        if not (text.isascii() and text.isprintable()):
            raise typer.BadParameter("must be of printable ASCII characters", param_hint=f"'{name}'")
    _check_target(target)
    with _channel(target, tls_ca, tls_cert, tls_key) as channel:
        look = _Look(channel, operator_key, as_json)
        try:
            if not table_id:
                look.at_all(
                    pb.ListTablesRequest(profile=profile, free_seats_only=free_seats, page_token=page_token), limit
                )
            elif watch:
                look.follow(table_id)
            else:
                look.at(table_id)
        except grpc.RpcError as error:
            refusal: Any = error  # a call that failed is its own error
            fail(f"{target} answered {refusal.code().name}: {refusal.details()}")
        except KeyboardInterrupt:
            raise typer.Exit from None


def _check_target(target: str) -> None:
    """Refuse what is not HOST:PORT, which grpc would call under another port or not at all."""
    host, _, port = target.rpartition(":")
    if not host or not re.fullmatch(r"\d{1,5}", port, re.ASCII) or not 0 < int(port) < 65_536:
        raise typer.BadParameter(f"{target!r} is not HOST:PORT", param_hint="'--target'")


def _channel(target: str, ca: Path | None, cert: Path | None, key: Path | None) -> grpc.Channel:
    options = [("grpc.enable_http_proxy", 0)]
    if (cert is None) != (key is None):
        raise typer.BadParameter("--tls-cert and --tls-key belong together", param_hint="'--tls-cert'")
    if ca is None:
        if cert is not None:
            raise typer.BadParameter("TLS needs the authorities of the server's certificate", param_hint="'--tls-ca'")
        return grpc.insecure_channel(target, options=options)
    read = {"--tls-ca": ca, "--tls-cert": cert, "--tls-key": key}
    roots, chain, private_key = (_read_pem(option, path) for option, path in read.items())
    return grpc.secure_channel(target, grpc.ssl_channel_credentials(roots, private_key, chain), options=options)


def _read_pem(option: str, path: Path | None) -> bytes | None:
    """Return what is in a file; grpc would say of one that is no PEM only that nobody answers."""
    if path is None:
        return None
    try:
        read = path.read_bytes()
    except OSError as error:
        raise typer.BadParameter(f"{path}: {error.strerror}", param_hint=f"'{option}'") from None
    if b"-----BEGIN " not in read:
        raise typer.BadParameter(f"{path} is no PEM", param_hint=f"'{option}'")
    return read


class _Look:
    """Asks for tables and prints them."""

    def __init__(self, channel: grpc.Channel, operator_key: str, as_json: bool) -> None:
        self._tables = stud_pb2_grpc.TableServiceStub(channel)
        self._metadata = (("authorization", f"Bearer {operator_key}"),)
        self._as_json = as_json
        # A table that is cut to the width of nothing would be no use in a file.
        self._console = Console(width=None if sys.stdout.isatty() else _NARROWEST, highlight=False)

    def at_all(self, request: pb.ListTablesRequest, limit: int) -> None:
        """Print the lobby, page by page until there are enough."""
        found: list[pb.TableSummary] = []
        while True:
            request.page_size = min(_PAGE, limit - len(found))
            page = self._tables.ListTables(request, metadata=self._metadata, timeout=_TIMEOUT_S)
            found += page.tables
            request.page_token = page.next_page_token
            if not page.next_page_token or len(found) >= limit:
                break
        if self._as_json:
            typer.echo(json.dumps({"tables": list(map(_fields, found)), "next_page_token": request.page_token}))
            return
        self._console.print(lobby(found))
        if request.page_token:
            typer.echo(f"There are more: --page-token {request.page_token}")

    def at(self, table_id: str) -> int:
        """Print a table and return its version."""
        table = self._get(table_id)
        if self._as_json:
            typer.echo(json.dumps(_fields(table), ensure_ascii=False))
        else:
            self._console.print(table_view(table))
        return table.version

    def follow(self, table_id: str) -> None:
        """Print a table, then every commit until the table is gone."""
        for message in self._commits(table_id, self.at(table_id)):
            if self._as_json:
                typer.echo(json.dumps(_fields(message), ensure_ascii=False))
            else:
                for line in happened(message):
                    self._console.print(line, soft_wrap=True)
            sys.stdout.flush()
        typer.echo("The table is gone.", err=True)

    def _commits(self, table_id: str, version: int) -> Iterator[pb.WatchTableResponse]:
        """Yield commits in order; a stream that a stopping or lost server has ended is taken up again."""
        failures = 0
        while True:
            request = pb.WatchTableRequest(table_id=table_id, after_version=version)
            try:
                for message in self._tables.WatchTable(request, metadata=self._metadata):
                    failures = 0
                    version = message.version
                    if not message.checkpoint:
                        yield message
                return
            except grpc.RpcError as error:
                refusal: Any = error
                failures += 1
                if (
                    refusal.code() not in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED)
                    or failures > _ATTEMPTS
                ):
                    raise
                time.sleep(_PAUSE_S)

    def _get(self, table_id: str) -> pb.Table:
        request = pb.GetTableRequest(table_id=table_id)
        return self._tables.GetTable(request, metadata=self._metadata, timeout=_TIMEOUT_S).table


def _fields(message: Message) -> dict[str, Any]:
    return MessageToDict(message, preserving_proto_field_name=True)
