"""``dugout serve``: the server, with all its workers and, unless told otherwise, a store of its own."""

import asyncio
import os
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from service.address import Address, AddressError, Reservation
from service.config import Config, ConfigError, read_config, reread_keys
from service.logs import configure_logs
from service.store.embedded import EmbeddedStore, EmbeddedStoreError
from service.workers import StartError, Supervisor


def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on (127.0.0.1).")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on (50051); 0: a free one.")] = None,
    workers: Annotated[int | None, typer.Option(help="Processes that share the port (1).")] = None,
    data_dir: Annotated[
        str | None, typer.Option(help="Folder of the embedded store; without it the data goes when it stops.")
    ] = None,
    redis_url: Annotated[str | None, typer.Option(help="A running store instead of the embedded one.")] = None,
    metrics_port: Annotated[int | None, typer.Option(help="Port of the metrics; 0: a free one (the default).")] = None,
    tls_cert: Annotated[str | None, typer.Option(help="Certificate chain in PEM: serve over TLS.")] = None,
    tls_key: Annotated[str | None, typer.Option(help="Private key of the certificate, in PEM.")] = None,
    tls_client_ca: Annotated[
        str | None, typer.Option(help="Authorities in PEM: every client must show a certificate of one of them.")
    ] = None,
    dev: Annotated[bool, typer.Option("--dev", help="Make an operator key for this run and print it.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one line of JSON once it serves.")] = False,
) -> None:
    """Serve tables over gRPC until it is told to stop (SIGTERM, Ctrl-C).

    Settings come from DUGOUT_… variables and REDIS_URL; flags win over them.

    Example: dugout serve --dev --port 0 --workers 2
    """
    flags = {
        "host": host,
        "port": port,
        "workers": workers,
        "data_dir": data_dir,
        "redis_url": redis_url,
        "metrics_port": metrics_port,
        "tls_cert": tls_cert,
        "tls_key": tls_key,
        "tls_client_ca": tls_client_ca,
        "dev": dev or None,
    }
    try:
        config = read_config(os.environ, flags)
    except ConfigError as error:
        typer.echo(f"dugout serve: {error}", err=True)
        raise typer.Exit(2) from None
    configure_logs(config.log_level)
    try:
        _serve(config, json)
    except (AddressError, EmbeddedStoreError, StartError, OSError) as error:
        typer.echo(f"dugout serve: {error}", err=True)
        raise typer.Exit(1) from None


def _serve(config: Config, as_json: bool) -> None:
    reservation = Reservation(config.host, config.port)
    store = None
    try:
        if config.redis_url is None:
            folder = None if config.data_dir is None else Path(config.data_dir)
            store = EmbeddedStore(folder, config.store_durability)
            store.start()
        announce = partial(_announce, config, reservation.address, as_json)
        reread = partial(reread_keys, environment=os.environ)
        asyncio.run(Supervisor(config, reservation.address, store, reread).run(announce))
    finally:
        if store is not None:
            store.stop()
        reservation.close()


def _announce(config: Config, address: Address, as_json: bool, metrics: str) -> None:
    said: dict[str, Any] = {"address": str(address), "metrics": metrics}
    if config.dev:
        said["operator_key"] = config.operator_keys[-1].bearer
    if as_json:
        typer.echo(msgspec.json.encode(said).decode())
        return
    for name, value in {**said, **config.public()}.items():
        typer.echo(f"{name.replace('_', ' '):<20} {_shown(value)}")
    typer.echo("Serving. Ctrl-C stops it.")


def _shown(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "none"
    return "none" if value is None else str(value)
