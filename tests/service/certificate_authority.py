"""Certificates made in a test: an authority, and what it signs."""

from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.types import CertificateIssuerPrivateKeyTypes
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

DAY = timedelta(days=1)


class Signed:
    """A certificate and its key, in PEM."""

    def __init__(self, certificate: x509.Certificate, key: CertificateIssuerPrivateKeyTypes) -> None:
        self.certificate = certificate.public_bytes(Encoding.PEM)
        self.key = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        self.locked_key = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"sesame"))

    def write(self, folder: Path, name: str = "server") -> tuple[str, str]:
        """Write both to files and return where they are."""
        certificate, key = folder / f"{name}.pem", folder / f"{name}-key.pem"
        certificate.write_bytes(self.certificate)
        key.write_bytes(self.key)
        return str(certificate), str(key)


class Authority:
    """Somebody who signs certificates."""

    def __init__(self, name: str = "Authority") -> None:
        self._name = name
        self._key = ec.generate_private_key(ec.SECP256R1())
        certificate = self._certificate(name, self._key, timedelta(0), None)
        self.certificate = certificate.public_bytes(Encoding.PEM)

    def sign(
        self,
        name: str = "localhost",
        *,
        older: timedelta = timedelta(0),
        loopback: bool = True,
        key: CertificateIssuerPrivateKeyTypes | None = None,
    ) -> Signed:
        """Make a certificate for a name, and for 127.0.0.1 if ``loopback``.

        It is good from a day ago until tomorrow, or all of that ``older``.
        """
        key = key or ec.generate_private_key(ec.SECP256R1())
        names: list[x509.GeneralName] = [x509.DNSName(name)]
        if loopback:
            names.append(x509.IPAddress(ip_address("127.0.0.1")))
        return Signed(self._certificate(name, key, older, names), key)

    def _certificate(
        self,
        subject: str,
        key: CertificateIssuerPrivateKeyTypes,
        older: timedelta,
        names: list[x509.GeneralName] | None,
    ) -> x509.Certificate:
        now = datetime.now(UTC) - older
        builder = (
            x509.CertificateBuilder()
            .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, subject)]))
            .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, self._name)]))
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - DAY)
            .not_valid_after(now + DAY)
            .add_extension(x509.BasicConstraints(ca=names is None, path_length=None), critical=True)
        )
        if names is not None:
            builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
        return builder.sign(self._key, SHA256())
