"""Where a store is: ``redis://``, ``rediss://`` (TLS) or ``unix://``."""

from urllib.parse import parse_qs, urlsplit

_SCHEMES = ("redis", "rediss", "unix")
_OPTIONS = ("db", "ssl_ca_certs", "ssl_certfile", "ssl_keyfile", "ssl_cert_reqs", "ssl_check_hostname")


def check_url(url: str) -> None:
    """Raise ValueError, without the password, on an address that is not one of a store."""
    parts = urlsplit(url)
    if parts.scheme not in _SCHEMES:
        allowed = ", ".join(f"{scheme}://" for scheme in _SCHEMES)
        raise ValueError(f"store address begins with {parts.scheme!r}, allowed are {allowed}")
    unknown = set(parse_qs(parts.query, keep_blank_values=True)) - set(_OPTIONS)
    if unknown:
        raise ValueError(f"store address has options {sorted(unknown)}, allowed are {', '.join(_OPTIONS)}")
    if parts.scheme == "unix":
        if not parts.path:
            raise ValueError("store address unix:// names no socket")
        return
    database = parts.path.removeprefix("/")
    if not parts.hostname:
        raise ValueError(f"store address {parts.scheme}:// names no host")
    if database and not (database.isascii() and database.isdigit()):
        raise ValueError(f"store address names database {database!r}, it must be a number")
    parts.port  # noqa: B018 -- raises ValueError on a bad one
