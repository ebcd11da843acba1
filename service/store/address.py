"""Where a store is: one server, the primary that sentinels name, or a cluster."""

from typing import Literal, Self
from urllib.parse import SplitResult, parse_qs, urlsplit

from msgspec import Struct

_SCHEMES = ("redis", "rediss", "unix", "redis+sentinel", "rediss+sentinel", "redis+cluster", "rediss+cluster")
_OPTIONS = ("db", "ssl_ca_certs", "ssl_certfile", "ssl_keyfile", "ssl_cert_reqs", "ssl_check_hostname")
_SENTINEL_OPTIONS = ("sentinel_username", "sentinel_password")
_PORTS = {"sentinel": 26_379, "cluster": 6379}


class StoreAddress(Struct, frozen=True):
    """A store's address taken apart.

    ``redis://``, ``rediss://`` (TLS) and ``unix://`` name one server. ``redis+sentinel://HOST:PORT,HOST:PORT/SERVICE``
    names sentinels and what they watch, ``redis+cluster://HOST:PORT,HOST:PORT`` some nodes of a cluster; both with
    TLS as ``rediss+…``. ``server`` is an address of one server with the user, the password and the options of all.
    """

    kind: Literal["server", "sentinel", "cluster"]
    server: str
    seeds: tuple[tuple[str, int], ...] = ()
    """Host and port of the sentinels, or of the nodes that are asked first."""
    service: str = ""
    sentinel_username: str | None = None
    sentinel_password: str | None = None

    @classmethod
    def parse(cls, url: str) -> Self:
        """Take an address apart; ValueError, without the password, on one that is not one of a store."""
        parts = urlsplit(url)
        if parts.scheme not in _SCHEMES:
            allowed = ", ".join(f"{scheme}://" for scheme in _SCHEMES)
            raise ValueError(f"store address begins with {parts.scheme!r}, allowed are {allowed}")
        scheme, _, kind = parts.scheme.partition("+")
        options = _options(parts, _OPTIONS + _SENTINEL_OPTIONS if kind == "sentinel" else _OPTIONS)
        if kind not in ("sentinel", "cluster"):
            _check_server(parts)
            return cls("server", url)
        userinfo, at, hosts = parts.netloc.rpartition("@")
        seeds = tuple(_seed(each, parts.scheme, _PORTS[kind]) for each in hosts.split(","))
        shared = "&".join(each for each in parts.query.split("&") if not each.startswith("sentinel_"))
        server = f"{scheme}://{userinfo}{at}{_bracketed(seeds[0][0])}:{seeds[0][1]}?{shared}"
        service = parts.path.removeprefix("/")
        if kind == "sentinel":
            if not service or "/" in service:
                raise ValueError(f"store address names service {service!r}, {parts.scheme}://HOST:PORT/SERVICE has one")
            return cls("sentinel", server, seeds, service, *(options.get(name) for name in _SENTINEL_OPTIONS))
        if service or options.get("db", "0") != "0":
            raise ValueError("store address names a database, a cluster has none but 0")
        return cls("cluster", server, seeds)


def check_url(url: str) -> None:
    """Raise ValueError, without the password, on an address that is not one of a store."""
    StoreAddress.parse(url)


def _options(parts: SplitResult, allowed: tuple[str, ...]) -> dict[str, str]:
    options = {name: values[-1] for name, values in parse_qs(parts.query, keep_blank_values=True).items()}
    unknown = set(options) - set(allowed)
    if unknown:
        raise ValueError(f"store address has options {sorted(unknown)}, allowed are {', '.join(allowed)}")
    _check_database(options.get("db", ""))
    return options


def _check_server(parts: SplitResult) -> None:
    if parts.scheme == "unix":
        if not parts.path:
            raise ValueError("store address unix:// names no socket")
        return
    if not parts.hostname:
        raise ValueError(f"store address {parts.scheme}:// names no host")
    _check_database(parts.path.removeprefix("/"))
    parts.port  # noqa: B018 -- raises ValueError on a bad one


def _check_database(database: str) -> None:
    if database and not (database.isascii() and database.isdigit()):
        raise ValueError(f"store address names database {database!r}, it must be a number")


def _seed(text: str, scheme: str, port: int) -> tuple[str, int]:
    parts = urlsplit(f"//{text}")
    if not parts.hostname:
        raise ValueError(f"store address {scheme}:// names no host, or an empty one among several")
    return parts.hostname, parts.port or port


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
