"""The store over TLS, with certificates made here. The embedded store needs none: it listens on a socket of its own."""

import asyncio
import os
import signal

import pytest

from service.store import keys
from service.store.base import Notice, RequestKey, StoreUnavailable
from tests.service.certificate_authority import DAY, Authority
from tests.service.store.topology import (
    SHARD_SLOTS,
    Cluster,
    Watched,
    persistently,
    replicas_of,
    served_port,
    wait_until,
)

pytestmark = pytest.mark.parametrize("server_program", ["redis-server"], indirect=True)


@pytest.fixture(scope="module")
def authority():
    return Authority()


@pytest.fixture
def trusted(authority, tmp_path):
    """The option of an address that names the authority."""
    (tmp_path / "authority.pem").write_bytes(authority.certificate)
    return f"ssl_ca_certs={tmp_path / 'authority.pem'}"


@pytest.fixture
def tls_settings(free_port, authority, trusted, tmp_path):
    """Make the settings of a server that listens with TLS too, on a port of its own."""

    def make(signed=None, clients="no"):
        cert, key = (signed or authority.sign()).write(tmp_path, "store")
        return {
            "tls-port": str(free_port()),
            "tls-cert-file": cert,
            "tls-key-file": key,
            "tls-ca-cert-file": trusted.partition("=")[2],
            "tls-auth-clients": clients,
        }

    return make


@pytest.fixture
def spawn_tls(spawn_server, tls_settings, trusted):
    """Start servers that listen with TLS too; returns an address with the authority in it."""

    def spawn(signed=None, clients="no"):
        settings = tls_settings(signed, clients)
        spawn_server(**settings)
        return f"rediss://127.0.0.1:{settings['tls-port']}?{trusted}"

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


class TestSentinel:
    @pytest.fixture
    def watched(self, spawn_server, tls_settings):
        return Watched(spawn_server, lambda: tls_settings() | {"tls-replication": "yes"})

    async def test_a_replaced_primary_is_left(self, watched, open_store, trusted, table):
        store = await open_store(f"rediss+sentinel://127.0.0.1:{watched.sentinel_port}/poker?{trusted}")
        notices = store.notices()
        notices.watch(table.table_id)
        assert Notice(table.table_id, None) == await anext(notices)
        await table.write(store)
        assert Notice(table.table_id, 1) == await anext(notices)
        wait_until(lambda: all(each.exists(keys.table_key(table.table_id)) for each in watched.replicas))
        wait_until(watched.failover_begins)
        wait_until(lambda: watched.named_port() != served_port(watched.primary))
        (successor,) = (each for each in watched.replicas if served_port(each) == watched.named_port())
        wait_until(lambda: "master" == successor.info("replication")["role"])
        await store.ping()
        await table.write(store)
        assert b"2" == successor.hget(keys.table_key(table.table_id), "version")
        async with asyncio.timeout(20):
            while (await anext(notices)).version is not None:
                pass  # once the subscription holds there it says so
            await table.write(store)
            assert Notice(table.table_id, 3) == await anext(notices)

    async def test_sentinels_that_cannot_prove_who_they_are(self, watched, open_store, trusted, tmp_path):
        (tmp_path / "stranger.pem").write_bytes(Authority().certificate)
        url = f"rediss+sentinel://127.0.0.1:{watched.sentinel_port}/poker"
        for wrong in (url, f"{url}?ssl_ca_certs={tmp_path / 'stranger.pem'}", f"{url[:5]}{url[6:]}"):
            with pytest.raises(StoreUnavailable):
                await open_store(wrong)


class TestCluster:
    @pytest.fixture
    def cluster(self, spawn_server, tls_settings):
        return Cluster(spawn_server, lambda: tls_settings() | {"tls-cluster": "yes", "tls-replication": "yes"})

    async def test_every_node_is_reached_and_followed(self, cluster, open_store, new_table, trusted):
        store = await open_store(f"rediss+cluster://{cluster.seeds}?{trusted}", timeout_ms=5000)
        tables = [new_table(cluster.table_id_at(node)) for node in range(3)]
        notices = store.notices()
        for table in tables:
            notices.watch(table.table_id)
            assert Notice(table.table_id, None) == await anext(notices)
            await table.write(store, summary=b"s", deadline_ms=1000)
            assert Notice(table.table_id, 1) == await anext(notices)
        assert 3 == await store.count_tables()
        assert 3 == len((await store.deadlines().claim(2000, 10)).table_ids)
        moved = new_table(cluster.table_id_at(0))
        while keys.shard_of(moved.table_id) == keys.shard_of(tables[0].table_id):
            moved = new_table(cluster.table_id_at(0))
        for at in (2, 0, 1):
            slot = SHARD_SLOTS[keys.shard_of(moved.table_id)]
            cluster.nodes[at].execute_command("CLUSTER SETSLOT", slot, "NODE", cluster.ids[2])
        # Where it went is told by the port for TLS, too.
        await moved.write(store)
        assert 1 == cluster.nodes[2].exists(keys.table_key(moved.table_id))
        assert cluster.moved_count(0) >= 1
        with pytest.raises(StoreUnavailable):
            await open_store(f"redis+cluster://{cluster.seeds}")

    async def test_a_replica_that_takes_over(self, cluster, open_store, new_table, trusted):
        cluster.replicate(0)
        wait_until(lambda: 1 == replicas_of(cluster.nodes[0]))
        store = await open_store(f"rediss+cluster://{cluster.seeds}?{trusted}", timeout_ms=5000)
        table = new_table(cluster.table_id_at(0))
        await table.write(store)
        wait_until(lambda: 1 == cluster.nodes[0].wait(1, 100))
        os.kill(cluster.pids[0], signal.SIGKILL)
        commit = table.change(request=RequestKey("5c09e0", b"body"))
        assert commit.etag == (await persistently(store, commit)).etag
