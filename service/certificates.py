"""The server's certificate and key, and whose certificates its clients must show.

Files are checked before they are used: that they can be read, hold what they should, and belong together. Nothing says
more of a key than where it is.
"""

import base64
import os
import re
import ssl
from pathlib import Path

import msgspec

# The object identifiers of Ed25519, Ed448 and P-521 (RFC 8410, RFC 5480), which stand at the beginning of a key.
_UNUSABLE = tuple(map(bytes.fromhex, ("06032b6570", "06032b6571", "06052b81040023")))
_HEAD_BYTES = 100


class CertificateError(ValueError):
    """A file that cannot be used. ``setting`` names it as ``Config`` does; no message repeats what stands in it."""

    def __init__(self, setting: str, path: str, allowed: str) -> None:
        super().__init__(f"{path}: {allowed} is due")
        self.setting = setting
        self.path = path
        self.allowed = allowed


class Certificates(msgspec.Struct, frozen=True):
    """What stands in the files, all in PEM: the chain from the server's certificate on, its key, the client CAs."""

    chain: bytes
    key: bytes
    client_cas: bytes | None

    def __repr__(self) -> str:
        return "Certificates(…)"


class CertificateFiles(msgspec.Struct, frozen=True):
    """Where they are. With ``client_ca`` a client must show a certificate of one of these authorities."""

    cert: str
    key: str
    client_ca: str | None = None

    def read(self) -> Certificates:
        """Read and check them.

        Raises:
            CertificateError: for a file that is unreadable or no such thing, or a key of another certificate.
        """
        chain = _certificates("tls_cert", self.cert)
        key = _read("tls_key", self.key, "a readable file with a private key")
        client_cas = None if self.client_ca is None else _certificates("tls_client_ca", self.client_ca)
        try:
            ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(self.cert, self.key, password=_no_password)
        except (ssl.SSLError, ValueError, OSError) as error:
            raise self._refusal(getattr(error, "reason", None) or "") from None
        if _is_unusable(key):
            raise CertificateError("tls_key", self.key, "a key for RSA, or for ECDSA on P-256 or P-384")
        return Certificates(chain, key, client_cas)

    def _refusal(self, reason: str) -> CertificateError:
        """Return what OpenSSL means."""
        if reason == "KEY_VALUES_MISMATCH":
            return CertificateError("tls_key", self.key, f"the key of the certificate in {self.cert}")
        if reason.endswith(("_TOO_SMALL", "_TOO_WEAK")):
            return CertificateError("tls_cert", self.cert, "keys of 2048 bits or more, and a signature of today")
        return CertificateError("tls_key", self.key, "one unencrypted private key in PEM")

    @property
    def mark(self) -> tuple[tuple[int, int, int] | None, ...]:
        """What changes when one of the files does."""
        return tuple(_mark(path) for path in (self.cert, self.key, self.client_ca) if path is not None)


def _certificates(setting: str, path: str) -> bytes:
    data = _read(setting, path, "a readable file with certificates")
    try:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_verify_locations(cadata=data.decode("ascii", "ignore"))
    except (ssl.SSLError, ValueError):
        raise CertificateError(setting, path, "certificates in PEM") from None
    return data


def _read(setting: str, path: str, allowed: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "no path"
        raise CertificateError(setting, path, f"{allowed} ({why})") from None


def _mark(path: str) -> tuple[int, int, int] | None:
    try:
        status = os.stat(path)  # noqa: PTH116 -- at every handshake
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


def _is_unusable(key: bytes) -> bool:
    """Whether grpc would take the key and then refuse every connection."""
    found = re.search(rb"-----BEGIN (?:EC )?PRIVATE KEY-----(.+?)-----END", key, re.DOTALL)
    return found is not None and any(kind in base64.b64decode(found[1])[:_HEAD_BYTES] for kind in _UNUSABLE)


def _no_password() -> str:
    """Refuse a key that is encrypted, where OpenSSL would ask the terminal."""
    raise ValueError
