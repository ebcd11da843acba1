import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed448, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from service.certificates import CertificateError, CertificateFiles
from tests.service.certificate_authority import Authority


@pytest.fixture(scope="module")
def authority():
    return Authority()


@pytest.fixture
def files(authority, tmp_path):
    (tmp_path / "clients.pem").write_bytes(authority.certificate)
    return CertificateFiles(*authority.sign().write(tmp_path), str(tmp_path / "clients.pem"))


def test_what_stands_in_the_files(files, authority, tmp_path):
    read = files.read()
    assert (tmp_path / "server.pem").read_bytes() == read.chain
    assert (tmp_path / "server-key.pem").read_bytes() == read.key
    assert authority.certificate == read.client_cas
    assert CertificateFiles(files.cert, files.key).read().client_cas is None


@pytest.mark.parametrize("setting", ["tls_cert", "tls_key", "tls_client_ca"])
@pytest.mark.parametrize("data", [None, b"", b"rubbish", b"\xff\x00", b"-----BEGIN CERTIFICATE-----\nAAAA\n"])
def test_a_file_that_is_missing_or_something_else(files, setting, data, tmp_path):
    path = tmp_path / {"tls_cert": "server.pem", "tls_key": "server-key.pem", "tls_client_ca": "clients.pem"}[setting]
    if data is None:
        path.unlink()
    else:
        path.write_bytes(data)
    with pytest.raises(CertificateError) as refusal:
        files.read()
    assert (setting, str(path)) == (refusal.value.setting, refusal.value.path)
    assert str(path) in str(refusal.value)


@pytest.mark.parametrize("path", ["", ".", "/nowhere/at/all", "a\0b"])
def test_what_is_no_file(files, path):
    with pytest.raises(CertificateError) as refusal:
        CertificateFiles(files.cert, path).read()
    assert "tls_key" == refusal.value.setting


def test_the_key_of_another_certificate(files, authority, tmp_path):
    (tmp_path / "server-key.pem").write_bytes(authority.sign().key)
    with pytest.raises(CertificateError, match=r"the key of the certificate in .*server\.pem") as refusal:
        files.read()
    assert "tls_key" == refusal.value.setting


def test_a_key_that_only_a_password_opens_asks_nobody_for_it(files, authority, tmp_path):
    signed = authority.sign()
    (tmp_path / "server.pem").write_bytes(signed.certificate)
    (tmp_path / "server-key.pem").write_bytes(signed.locked_key)
    with pytest.raises(CertificateError, match="unencrypted private key"):
        files.read()


@pytest.mark.parametrize(
    "key", [rsa.generate_private_key(65537, 2048), ec.generate_private_key(ec.SECP384R1())], ids=["RSA", "P-384"]
)
def test_keys_of_other_kinds(files, authority, key, tmp_path):
    authority.sign(key=key).write(tmp_path)
    assert b"PRIVATE KEY" in files.read().key


@pytest.mark.parametrize(
    "key",
    [ed25519.Ed25519PrivateKey.generate(), ed448.Ed448PrivateKey.generate(), ec.generate_private_key(ec.SECP521R1())],
    ids=["Ed25519", "Ed448", "P-521"],
)
def test_a_key_that_no_connection_could_be_made_with(files, authority, key, tmp_path):
    authority.sign(key=key).write(tmp_path)
    with pytest.raises(CertificateError, match="RSA, or for ECDSA on P-256 or P-384") as refusal:
        files.read()
    assert "tls_key" == refusal.value.setting


def test_the_same_key_in_the_older_form(files, authority, tmp_path):
    key = ec.generate_private_key(ec.SECP521R1())
    authority.sign(key=key).write(tmp_path)
    older = key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption())
    (tmp_path / "server-key.pem").write_bytes(older)
    with pytest.raises(CertificateError, match="P-384"):
        files.read()


def test_a_key_that_is_too_short(files, authority, tmp_path):
    authority.sign(key=rsa.generate_private_key(65537, 1024)).write(tmp_path)  # noqa: S505 -- meant to be weak
    with pytest.raises(CertificateError, match="2048 bits") as refusal:
        files.read()
    assert "tls_cert" == refusal.value.setting


def test_comments_in_any_language_are_no_obstacle(files, authority, tmp_path):
    (tmp_path / "clients.pem").write_bytes("Autorità di prova ♠\n".encode() + authority.certificate)
    assert authority.certificate in files.read().client_cas


def test_certificate_and_key_in_each_others_place(files):
    with pytest.raises(CertificateError) as refusal:
        CertificateFiles(files.key, files.cert).read()
    assert "tls_cert" == refusal.value.setting


def test_nothing_shows_the_key(files, tmp_path):
    secret = (tmp_path / "server-key.pem").read_text().splitlines()[1]
    assert secret not in repr(files.read())
    with (tmp_path / "server-key.pem").open("a") as file:
        file.write("-----BEGIN RUBBISH")
    assert secret not in repr(files.read())
    (tmp_path / "server-key.pem").write_text(secret)
    with pytest.raises(CertificateError) as refusal:
        files.read()
    assert secret not in f"{refusal.value} {refusal.value!r} {refusal.value.__cause__}"


def test_the_mark_changes_with_any_of_them(files, tmp_path):
    marks = {files.mark}
    for name in ("server.pem", "server-key.pem", "clients.pem"):
        path = tmp_path / name
        path.write_bytes(path.read_bytes() + b"\n")
        marks.add(files.mark)
    (tmp_path / "clients.pem").unlink()
    marks.add(files.mark)
    assert 5 == len(marks)
