"""The store over TLS, with certificates made here. The embedded store needs none: it listens on a socket of its own."""

import pytest

from service.store.base import Notice, StoreUnavailable
from tests.service.certificate_authority import DAY, Authority

pytestmark = pytest.mark.parametrize("server_program", ["redis-server"], indirect=True)


@pytest.fixture(scope="module")
def authority():
    return Authority()


@pytest.fixture
def spawn_tls(spawn_server, free_port, authority, tmp_path):
    """Start servers that listen with TLS too; returns an address with the authority in it."""
    (tmp_path / "authority.pem").write_bytes(authority.certificate)

    def spawn(signed=None, clients="no"):
        cert, key = (signed or authority.sign()).write(tmp_path, "store")
        port = free_port()
        settings = {
            "tls-port": str(port),
            "tls-cert-file": cert,
            "tls-key-file": key,
            "tls-ca-cert-file": str(tmp_path / "authority.pem"),
            "tls-auth-clients": clients,
        }
        spawn_server(**settings)
        return f"rediss://127.0.0.1:{port}?ssl_ca_certs={tmp_path / 'authority.pem'}"

    return spawn


async def test_tables_are_written_and_watched(spawn_tls, open_store, table):
    store = await open_store(spawn_tls())
    commit = await table.write(store)
    assert commit.snapshot == (await store.load(table.table_id)).snapshot
    notices = store.notices()
    notices.watch(table.table_id)
    assert Notice(table.table_id, None) == await anext(notices)
    await table.write(store)
    assert Notice(table.table_id, 2) == await anext(notices)


@pytest.mark.parametrize(
    "signed", [Authority().sign(), "expired", "elsewhere"], ids=["another authority", "expired", "another host"]
)
async def test_a_server_that_cannot_prove_who_it_is(spawn_tls, open_store, authority, signed):
    if signed == "expired":
        signed = authority.sign(older=2 * DAY)
    elif signed == "elsewhere":
        signed = authority.sign("elsewhere.example", loopback=False)
    url = spawn_tls(signed)
    with pytest.raises(StoreUnavailable):
        await open_store(url)


async def test_client_certificates(spawn_tls, open_store, authority, table, tmp_path):
    url = spawn_tls(clients="yes")
    with pytest.raises(StoreUnavailable):
        await open_store(url)
    for signer, name in ((Authority(), "stranger"), (authority, "dugout")):
        cert, key = signer.sign("dugout").write(tmp_path, name)
        with_own = f"{url}&ssl_certfile={cert}&ssl_keyfile={key}"
        if name == "stranger":
            with pytest.raises(StoreUnavailable):
                await open_store(with_own)
    store = await open_store(with_own)
    assert 1 == (await table.write(store)).version


async def test_plain_and_tls_do_not_mix(spawn_tls, open_store):
    url = spawn_tls().partition("?")[0]
    with pytest.raises(StoreUnavailable):
        await open_store(url.replace("rediss://", "redis://"))
    # The machine's own authorities do not know ours.
    with pytest.raises(StoreUnavailable):
        await open_store(url)
