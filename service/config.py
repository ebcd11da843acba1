"""What a server is told by its environment and its flags.

Every setting has a variable; a flag of ``dugout serve`` wins over it. A value that cannot be used is a
``ConfigError`` that names the setting, the value and what is allowed. Secrets are never part of a message
or of ``Config.public``.
"""

import re
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

from service.certificates import CertificateError, CertificateFiles
from service.credentials import (
    Keyring,
    OperatorKey,
    SecretError,
    TokenKey,
    parse_operator_keys,
    parse_token_keys,
)
from service.store.address import check_url
from service.store.durability import Durability

MAX_WORKERS = 256
MAX_PORT = 65_535
MAX_RATE = 1_000_000

_STANDARD_ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")


class ConfigError(Exception):
    """A setting that cannot be used."""

    def __init__(self, name: str, value: str, allowed: str) -> None:
        super().__init__(f"{name} is {value!r}, allowed: {allowed}")
        self.name = name


class Config(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of one ``dugout serve`` and all its workers. Units stand at the end of the names."""

    host: str = "127.0.0.1"
    port: int = 50_051
    """0: a free port."""
    workers: int = 1
    metrics_port: int = 0
    """One port for all workers; 0: a free port."""
    tls_cert: str | None = None
    tls_key: str | None = None
    tls_client_ca: str | None = None
    """Files in PEM; the last one has every client show a certificate."""
    data_dir: str | None = None
    redis_url: str | None = None
    """None: an embedded store."""
    dev: bool = False
    operator_keys: tuple[OperatorKey, ...] = ()
    token_keys: tuple[TokenKey, ...] = ()
    """The first one signs, all of them are accepted."""
    token_ttl_s: int = 12 * 3600
    operator_rate: int = 0
    seat_rate: int = 200
    peer_rate: int = 50
    """Requests a second of one operator key, one seat token, one address without credentials; 0: no limit."""
    durability: str = "aof"
    request_ttl_s: int = 600
    events_kept: int = 1000
    hands_kept: int = 100
    """Per table."""
    hands_ttl_s: int = 24 * 3600
    store_timeout_ms: int = 2000
    max_connections: int = 10_000
    """Of one worker."""
    max_streams: int = 10_000
    """Calls in flight on one connection, streams among them."""
    max_connection_age_s: int = 0
    """0: connections may grow as old as they like."""
    drain_ms: int = 10_000
    max_message_bytes: int = 1 << 20
    operator_streams: int = 10_000
    """Streams that an operator key may have open at a worker."""
    caller_streams: int = 1_000
    """The same for a seat token, and for an address without credentials."""
    watcher_patience_ms: int = 10_000
    """How long a stream waits for a client to take a message."""
    table_ttl_ms: int = 86_400_000
    """How long a table stays that nobody changes; 0: for ever."""
    log_level: str = "info"
    otel_endpoint: str | None = None
    """None: where the standard variables of OpenTelemetry say, if ``traced``."""
    traced: bool = False

    @property
    def keyring(self) -> Keyring:
        """The keys callers are checked against."""
        return Keyring(self.operator_keys, self.token_keys, self.token_ttl_s)

    @property
    def store_durability(self) -> Durability:
        """What "stored" promises."""
        return Durability.parse(self.durability)

    @property
    def certificate_files(self) -> CertificateFiles | None:
        """The files of TLS, None: without TLS."""
        if self.tls_cert is None or self.tls_key is None:
            return None
        return CertificateFiles(self.tls_cert, self.tls_key, self.tls_client_ca)

    def public(self) -> dict[str, Any]:
        """Return the settings as they may be printed: keys by id, addresses without user and password."""
        shown = msgspec.structs.asdict(self)
        shown["operator_keys"] = [key.key_id for key in self.operator_keys]
        shown["token_keys"] = [key.key_id for key in self.token_keys]
        for url in ("redis_url", "otel_endpoint"):
            if shown[url] is not None:
                shown[url] = _without_password(shown[url])
        return shown


def read_config(environment: Mapping[str, str], flags: Mapping[str, Any]) -> Config:
    """Build the settings from the environment and the flags that were given (None: not given).

    Raises:
        ConfigError: for the first setting that cannot be used, or where keys are missing without ``dev``.
    """
    values: dict[str, Any] = {}
    for setting, (variable, parse, allowed) in _SETTINGS.items():
        flag = flags.get(setting)
        name, text = (
            (f"--{setting.replace('_', '-')}", flag) if flag is not None else (variable, environment.get(variable))
        )
        if text is None or text == "":
            continue
        try:
            values[setting] = parse(_utf8(str(text)))
        except ValueError:
            raise ConfigError(name, _without_password(str(text)), allowed) from None
    operator_keys = _secrets(environment, "DUGOUT_OPERATOR_KEYS", parse_operator_keys)
    token_keys = _secrets(environment, "DUGOUT_TOKEN_KEYS", parse_token_keys)
    if values.get("dev"):
        operator_keys = (*operator_keys, OperatorKey.random("dev"))
        token_keys = token_keys or (TokenKey.random("dev"),)
        # A server to try things with is often driven hard, and from one address.
        values = dict.fromkeys(("operator_rate", "seat_rate", "peer_rate"), 0) | values
    _require("DUGOUT_OPERATOR_KEYS", operator_keys)
    _require("DUGOUT_TOKEN_KEYS", token_keys)
    values["traced"] = _traced(environment, values.get("otel_endpoint"))
    config = Config(operator_keys=operator_keys, token_keys=token_keys, **values)
    _check_together(config)
    _check_certificates(config)
    return config


def reread_keys(config: Config, environment: Mapping[str, str]) -> Config:
    """Return the settings with the operator and token keys as their files have them now; a key of ``dev`` stays.

    Raises:
        ConfigError: if a file cannot be used.
    """
    operator_keys = _secrets(environment, "DUGOUT_OPERATOR_KEYS", parse_operator_keys)
    token_keys = _secrets(environment, "DUGOUT_TOKEN_KEYS", parse_token_keys)
    if config.dev:
        operator_keys = (*operator_keys, config.operator_keys[-1])
        token_keys = token_keys or config.token_keys
    _require("DUGOUT_OPERATOR_KEYS", operator_keys)
    _require("DUGOUT_TOKEN_KEYS", token_keys)
    return msgspec.structs.replace(config, operator_keys=operator_keys, token_keys=token_keys)


def _check_certificates(config: Config) -> None:
    cert, key, client_ca = (_SETTINGS[name][0] for name in ("tls_cert", "tls_key", "tls_client_ca"))
    if (config.tls_cert is None) != (config.tls_key is None):
        missing, there = (cert, key) if config.tls_cert is None else (key, cert)
        raise ConfigError(missing, "", f"a file in PEM, as there is {there}")
    if config.tls_client_ca is not None and config.tls_cert is None:
        raise ConfigError(client_ca, config.tls_client_ca, f"nothing without {cert} and {key}")
    if config.certificate_files is not None:
        try:
            config.certificate_files.read()
        except CertificateError as error:
            raise ConfigError(_SETTINGS[error.setting][0], error.path, error.allowed) from None


def _check_together(config: Config) -> None:
    if config.redis_url is None and config.store_durability.mode == "replicas":
        raise ConfigError("DUGOUT_DURABILITY", config.durability, "with the embedded store: memory, aof or always")
    if config.redis_url is not None and config.data_dir is not None:
        raise ConfigError("--data-dir", config.data_dir, "nothing beside REDIS_URL: that store has its own folder")


def _traced(environment: Mapping[str, str], endpoint: str | None) -> bool:
    """Say whether traces are wanted: by our own variable, or by one of the standard ones that name an endpoint."""
    given = {name: environment[name] for name in _STANDARD_ENDPOINTS if environment.get(name)}
    if endpoint is not None:
        given = {"DUGOUT_OTEL_ENDPOINT": endpoint}
    if not given or environment.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return False
    if not all(map(_installed, ("opentelemetry", "opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.grpc"))):
        name, value = next(iter(given.items()))
        raise ConfigError(name, _without_password(value), "only with the extra: install dugout[otel]")
    return True


def _installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def _require(name: str, keys: tuple[Any, ...]) -> None:
    if not keys:
        raise ConfigError(name, "", "id:secret,… (or --dev, which makes a key for this run)")


def _secrets(environment: Mapping[str, str], name: str, parse: Callable[[str], Any]) -> Any:
    """Read a list of keys from a variable, or from the file that ``<name>_FILE`` names."""
    text, path = environment.get(name, ""), environment.get(f"{name}_FILE", "")
    if text and path:
        raise ConfigError(f"{name}_FILE", path, f"one of {name} and {name}_FILE")
    if path:
        name = f"{name}_FILE"
        try:
            text = Path(path).read_text()
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(name, path, f"a readable text file ({error})") from None
    try:
        return parse(_utf8(text))
    except SecretError as error:
        # The message names an id at most; the value itself stays out of it.
        raise ConfigError(name, "…", str(error)) from None
    except UnicodeEncodeError:
        raise ConfigError(name, "…", "text in UTF-8") from None


def _utf8(text: str) -> str:
    """Return a text; UnicodeEncodeError (a ValueError) if it was no UTF-8 in the environment, as workers need it."""
    text.encode()
    return text


def _without_password(text: str) -> str:
    """Return an address without what may be secret: all up to the last ``@``, and the values of its query."""
    return re.sub(r"(?s)\?.*", "?***", re.sub(r"(?s)//.*@", "//***@", text))


def _whole(low: int, high: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if not re.fullmatch(r"\d{1,12}", text, re.ASCII) or not low <= int(text) <= high:
            raise ValueError(text)
        return int(text)

    return parse


_UNITS_MS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000}


def _duration(unit_ms: int, low_ms: int, high_ms: int) -> Callable[[str], int]:
    """Read ``500ms``, ``30s``, ``10m``, ``2h`` or plain seconds, and return it in units of ``unit_ms``."""

    def parse(text: str) -> int:
        match = re.fullmatch(r"(\d{1,9})(ms|s|m|h)?", text, re.ASCII)
        if match is None:
            raise ValueError(text)
        duration_ms = int(match[1]) * _UNITS_MS[match[2] or "s"]
        if not low_ms <= duration_ms <= high_ms or duration_ms % unit_ms:
            raise ValueError(text)
        return duration_ms // unit_ms

    return parse


def _flag(text: str) -> bool:
    values = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}
    try:
        return values[text.lower()]
    except KeyError:
        raise ValueError(text) from None


def _host(text: str) -> str:
    if not re.fullmatch(r"[0-9A-Za-z.:_-]{1,253}", text, re.ASCII):
        raise ValueError(text)
    return text


def _url(text: str) -> str:
    check_url(text)
    return text


def _endpoint(text: str) -> str:
    url = urlsplit(text)
    if url.scheme not in ("http", "https") or not url.hostname or (url.port or 1) < 1:
        raise ValueError(text)
    return text


def _durability(text: str) -> str:
    return str(Durability.parse(text))


def _level(text: str) -> str:
    if text.lower() not in ("debug", "info", "warning", "error"):
        raise ValueError(text)
    return text.lower()


_RATE = f"0 (no limit) to {MAX_RATE} requests a second"

_SETTINGS: dict[str, tuple[str, Callable[[str], Any], str]] = {
    "host": ("DUGOUT_HOST", _host, "an address or a name of this machine"),
    "port": ("DUGOUT_PORT", _whole(0, MAX_PORT), f"0 (a free port) to {MAX_PORT}"),
    "workers": ("DUGOUT_WORKERS", _whole(1, MAX_WORKERS), f"1 to {MAX_WORKERS}"),
    "metrics_port": ("DUGOUT_METRICS_PORT", _whole(0, MAX_PORT), f"0 (a free port) to {MAX_PORT}"),
    "tls_cert": ("DUGOUT_TLS_CERT", str, "a file in PEM"),
    "tls_key": ("DUGOUT_TLS_KEY", str, "a file in PEM"),
    "tls_client_ca": ("DUGOUT_TLS_CLIENT_CA", str, "a file in PEM"),
    "data_dir": ("DUGOUT_DATA_DIR", str, "a folder"),
    "redis_url": (
        "REDIS_URL",
        _url,
        "redis://, rediss:// or unix:// with a host or a socket, redis+sentinel://HOST:PORT,HOST:PORT/SERVICE or "
        "redis+cluster://HOST:PORT,HOST:PORT (TLS: rediss+…)",
    ),
    "dev": ("DUGOUT_DEV", _flag, "1, true, yes, 0, false or no"),
    "token_ttl_s": ("DUGOUT_TOKEN_TTL", _duration(1000, 1000, 30 * 86_400_000), "1s to 720h, such as 12h"),
    "operator_rate": ("DUGOUT_OPERATOR_RATE_LIMIT", _whole(0, MAX_RATE), _RATE),
    "seat_rate": ("DUGOUT_SEAT_RATE_LIMIT", _whole(0, MAX_RATE), _RATE),
    "peer_rate": ("DUGOUT_PEER_RATE_LIMIT", _whole(0, MAX_RATE), _RATE),
    "durability": ("DUGOUT_DURABILITY", _durability, "memory, aof, always or replicas:N with N from 1 on"),
    "request_ttl_s": ("DUGOUT_REQUEST_TTL", _duration(1000, 1000, 86_400_000), "1s to 24h, such as 10m"),
    "events_kept": ("DUGOUT_EVENTS_KEPT", _whole(1, 1_000_000), "1 to 1000000 commits of a table"),
    "hands_kept": ("DUGOUT_HANDS_KEPT", _whole(1, 100_000), "1 to 100000 hands of a table"),
    "hands_ttl_s": ("DUGOUT_HANDS_TTL", _duration(1000, 1000, 30 * 86_400_000), "1s to 720h, such as 24h"),
    "store_timeout_ms": ("DUGOUT_STORE_TIMEOUT", _duration(1, 10, 60_000), "10ms to 60s, such as 2s"),
    "max_connections": ("DUGOUT_MAX_CONNECTIONS", _whole(1, 1_000_000), "1 to 1000000 connections of a worker"),
    "max_streams": ("DUGOUT_MAX_STREAMS", _whole(1, 1_000_000), "1 to 1000000 calls on one connection"),
    "max_connection_age_s": ("DUGOUT_MAX_CONNECTION_AGE", _duration(1000, 0, 86_400_000), "0 (any) to 24h, such as 1h"),
    "drain_ms": ("DUGOUT_DRAIN_TIME", _duration(1, 0, 600_000), "0s to 10m, such as 10s"),
    "max_message_bytes": ("DUGOUT_MAX_MESSAGE_BYTES", _whole(1024, 64 << 20), f"1024 to {64 << 20} bytes"),
    "operator_streams": ("DUGOUT_OPERATOR_STREAMS", _whole(1, 1_000_000), "1 to 1000000 open streams"),
    "caller_streams": ("DUGOUT_CALLER_STREAMS", _whole(1, 1_000_000), "1 to 1000000 open streams"),
    "watcher_patience_ms": ("DUGOUT_WATCHER_PATIENCE", _duration(1, 100, 600_000), "100ms to 10m, such as 10s"),
    "table_ttl_ms": ("DUGOUT_TABLE_TTL", _duration(1, 0, 365 * 86_400_000), "0 (for ever) to 8760h, such as 24h"),
    "log_level": ("DUGOUT_LOG_LEVEL", _level, "debug, info, warning or error"),
    "otel_endpoint": (
        "DUGOUT_OTEL_ENDPOINT",
        _endpoint,
        "http:// or https:// with a host, such as http://collector:4317",
    ),
}
"""Every setting with its variable, how it is read, and what is allowed."""
