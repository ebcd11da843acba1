"""What one connection may ask of a server, and who gets one: TLS, client certificates, limits."""

import asyncio
from contextlib import asynccontextmanager

import grpc
import pytest
import structlog
from grpc_health.v1 import health_pb2, health_pb2_grpc
from msgspec.structs import replace

from proto.stud.v1 import stud_pb2, stud_pb2_grpc
from service.address import Address
from service.certificates import CertificateError
from service.server import Server
from service.transport import METADATA_BYTES_MOST, PortError
from tests.service.certificate_authority import DAY, Authority

SERVING = health_pb2.HealthCheckResponse.SERVING


@pytest.fixture(scope="module")
def authority():
    return Authority()


@pytest.fixture(scope="module")
def stranger():
    """An authority of the same name that nobody trusts."""
    return Authority()


@asynccontextmanager
async def serving(store, config):
    server = Server(config, store)
    port = await server.start(Address("127.0.0.1", 0))
    try:
        yield port
    finally:
        await server.stop()


@pytest.fixture
def with_tls(store, config, authority, tmp_path):
    """Run servers with a certificate, and with client certificates if an authority is named."""

    def run(signed=None, clients=None):
        cert, key = (signed or authority.sign()).write(tmp_path)
        client_ca = None
        if clients is not None:
            (tmp_path / "clients.pem").write_bytes(clients.certificate)
            client_ca = str(tmp_path / "clients.pem")
        return serving(store, replace(config, tls_cert=cert, tls_key=key, tls_client_ca=client_ca))

    return run


async def health(port, roots=None, shown=None, host="127.0.0.1"):
    """Ask for the server's health on a connection of its own; return the answer or the status of the refusal."""
    options = [("grpc.use_local_subchannel_pool", 1), ("grpc.enable_http_proxy", 0)]
    if roots is None:
        channel = grpc.aio.insecure_channel(f"{host}:{port}", options)
    else:
        own = (shown.key, shown.certificate) if shown is not None else (None, None)
        credentials = grpc.ssl_channel_credentials(roots.certificate, *own)
        channel = grpc.aio.secure_channel(f"{host}:{port}", credentials, options)
    async with channel:
        try:
            answer = await health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest(), timeout=20)
        except grpc.aio.AioRpcError as error:
            return error.code()
    return answer.status


async def to_the_end(stream):
    async for _ in stream:
        pass


class TestTls:
    async def test_whoever_trusts_the_authority_gets_in(self, with_tls, authority, stranger):
        async with with_tls() as port:
            assert [SERVING, SERVING] == [
                await health(port, authority, host=host) for host in ("127.0.0.1", "localhost")
            ]
            assert grpc.StatusCode.UNAVAILABLE == await health(port, stranger)

    async def test_plain_bytes_on_the_port_end_cleanly(self, with_tls, authority):
        async with with_tls() as port:
            assert grpc.StatusCode.UNAVAILABLE == await health(port)
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"GET / HTTP/1.1\r\nHost: dugout\r\n\r\n")
            await asyncio.wait_for(reader.read(), 20)
            writer.close()
            assert SERVING == await health(port, authority)

    async def test_tls_on_a_plain_port_ends_cleanly(self, store, config, authority):
        async with serving(store, config) as port:
            assert grpc.StatusCode.UNAVAILABLE == await health(port, authority)
            assert SERVING == await health(port)

    async def test_a_certificate_that_has_expired_or_is_not_good_yet(self, with_tls, authority):
        for older in (2 * DAY, -2 * DAY):
            async with with_tls(authority.sign(older=older)) as port:
                assert grpc.StatusCode.UNAVAILABLE == await health(port, authority)

    async def test_a_certificate_for_another_name(self, with_tls, authority):
        async with with_tls(authority.sign("elsewhere.example")) as port:
            assert grpc.StatusCode.UNAVAILABLE == await health(port, authority, host="localhost")

    async def test_the_game_is_played_over_it(self, with_tls, authority, wire):
        async with with_tls() as port:
            credentials = grpc.ssl_channel_credentials(authority.certificate)
            async with grpc.aio.secure_channel(f"127.0.0.1:{port}", credentials) as channel:
                wire.tables = stud_pb2_grpc.TableServiceStub(channel)
                table_id, (token, *_) = await wire.table()
                await wire.deal(table_id)
                assert 1 == (await wire.get(table_id, token)).viewer_seat

    async def test_a_key_of_another_certificate_does_not_start(self, with_tls, authority, tmp_path):
        running = with_tls()
        (tmp_path / "server-key.pem").write_bytes(authority.sign().key)
        with pytest.raises(CertificateError):
            async with running:
                pass

    async def test_a_port_that_cannot_be_had(self, store, config):
        with pytest.raises(PortError, match=r"192\.0\.2\.1:4"):
            await Server(config, store).start(Address("192.0.2.1", 4))


class TestClientCertificates:
    async def test_only_those_of_the_authority_get_in(self, with_tls, authority, stranger):
        async with with_tls(clients=authority) as port:
            assert SERVING == await health(port, authority, authority.sign("frontend"))
            for shown in (None, stranger.sign("frontend"), authority.sign("frontend", older=2 * DAY)):
                assert grpc.StatusCode.UNAVAILABLE == await health(port, authority, shown)
            assert grpc.StatusCode.UNAVAILABLE == await health(port)

    async def test_the_authority_of_the_clients_may_be_another_one(self, with_tls, authority, stranger):
        async with with_tls(clients=stranger) as port:
            assert SERVING == await health(port, authority, stranger.sign("frontend"))
            assert grpc.StatusCode.UNAVAILABLE == await health(port, authority, authority.sign("frontend"))

    async def test_a_certificate_is_no_operator_key(self, with_tls, authority, refused):
        async with with_tls(clients=authority) as port:
            shown = authority.sign("frontend")
            credentials = grpc.ssl_channel_credentials(authority.certificate, shown.key, shown.certificate)
            async with grpc.aio.secure_channel(f"127.0.0.1:{port}", credentials) as channel:
                tables = stud_pb2_grpc.TableServiceStub(channel)
                with refused("UNAUTHENTICATED", "CREDENTIALS_MISSING"):
                    await tables.ListTables(stud_pb2.ListTablesRequest(), timeout=20)


class TestRenewal:
    async def test_new_connections_get_the_new_certificate_and_old_ones_stay(
        self, with_tls, authority, stranger, tmp_path
    ):
        async with with_tls() as port:
            old = grpc.ssl_channel_credentials(authority.certificate)
            async with grpc.aio.secure_channel(f"127.0.0.1:{port}", old) as channel:
                check = health_pb2_grpc.HealthStub(channel).Check
                await check(health_pb2.HealthCheckRequest(), timeout=20)
                stranger.sign().write(tmp_path)
                assert SERVING == await health(port, stranger)
                assert grpc.StatusCode.UNAVAILABLE == await health(port, authority)
                assert SERVING == (await check(health_pb2.HealthCheckRequest(), timeout=20)).status

    async def test_a_renewal_half_done_changes_nothing_and_is_told_once(self, with_tls, authority, stranger, tmp_path):
        async with with_tls() as port:
            renewed = stranger.sign()
            (tmp_path / "server.pem").write_bytes(renewed.certificate)
            with structlog.testing.capture_logs() as logs:
                assert [SERVING] * 3 == [await health(port, authority) for _ in range(3)]
            assert [("certificate not renewed", "tls_key")] == [
                (log["event"], log["setting"]) for log in logs if log["event"].startswith("certificate")
            ]
            (tmp_path / "server-key.pem").unlink()
            assert SERVING == await health(port, authority)
            (tmp_path / "server-key.pem").write_bytes(renewed.key)
            assert SERVING == await health(port, stranger)

    async def test_the_authority_of_the_clients_is_renewed_too(self, with_tls, authority, stranger, tmp_path):
        async with with_tls(clients=authority) as port:
            assert SERVING == await health(port, authority, authority.sign("frontend"))
            (tmp_path / "clients.pem").write_bytes(stranger.certificate)
            assert SERVING == await health(port, authority, stranger.sign("frontend"))
            assert grpc.StatusCode.UNAVAILABLE == await health(port, authority, authority.sign("frontend"))


class TestLimits:
    @staticmethod
    async def evaluate(wire, cards, **options):
        return await wire.evaluator.Evaluate(stud_pb2.EvaluateRequest(cards=cards), timeout=20, **options)

    async def test_a_message_that_is_too_large(self, wire, config, refused):
        largest = config.max_message_bytes - len(stud_pb2.EvaluateRequest(cards="x" * 100_000).SerializeToString())
        with refused("INVALID_ARGUMENT", "INVALID_FIELD"):
            await self.evaluate(wire, "x" * (largest + 100_000 - 1))
        with refused("RESOURCE_EXHAUSTED", ""):
            await self.evaluate(wire, "x" * (config.max_message_bytes + 1))

    async def test_a_compressed_message_is_not_unpacked(self, wire, refused):
        """Otherwise one of half a megabyte, with half a gigabyte of nothing in it, costs that much memory."""
        for compression in (grpc.Compression.Gzip, grpc.Compression.Deflate):
            with refused("UNIMPLEMENTED", ""):
                await self.evaluate(wire, "Ks Kh", compression=compression)
        assert "pair of kings" in (await self.evaluate(wire, "Ks Kh")).words

    @pytest.mark.parametrize("name", ["authorization", "x-anything", "x-anything-bin"])
    async def test_metadata_that_is_too_large(self, wire, refused, name):
        value = b"x" * (2 * METADATA_BYTES_MOST) if name.endswith("-bin") else "x" * (2 * METADATA_BYTES_MOST)
        with refused("RESOURCE_EXHAUSTED", ""):
            await self.evaluate(wire, "Ks Kh", metadata=[(name, value)])

    async def test_metadata_up_to_the_limit_is_read_every_time(self, wire):
        metadata = [("x-anything", "x" * (METADATA_BYTES_MOST - 1024))]
        for _ in range(50):
            await self.evaluate(wire, "Ks Kh", metadata=metadata)

    async def test_calls_beyond_the_streams_of_a_connection_wait_for_their_turn(self, store, config, wire):
        table_id, _ = await wire.table()
        async with (
            serving(store, replace(config, max_streams=2)) as port,
            grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel,
        ):
            tables = stud_pb2_grpc.TableServiceStub(channel)
            watch = stud_pb2.WatchTableRequest(table_id=table_id)
            streams = [tables.WatchTable(watch, **wire.options()) for _ in range(2)]
            for stream in streams:
                await stream.read()
            late = asyncio.ensure_future(tables.GetTable(stud_pb2.GetTableRequest(table_id=table_id), **wire.options()))
            assert 4 == (await wire.get(table_id)).version
            assert not late.done()
            streams[0].cancel()
            assert 4 == (await late).version

    async def test_an_old_connection_is_closed_and_its_streams_end_resumably(self, store, config, wire):
        table_id, _ = await wire.table()
        old = replace(config, max_connection_age_s=1, drain_ms=100)
        async with (
            serving(store, old) as port,
            grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel,
        ):
            tables = stud_pb2_grpc.TableServiceStub(channel)
            stream = tables.WatchTable(stud_pb2.WatchTableRequest(table_id=table_id), **wire.options())
            with pytest.raises(grpc.aio.AioRpcError) as error:
                await to_the_end(stream)
            assert grpc.StatusCode.UNAVAILABLE == error.value.code()
            assert 4 == (await tables.GetTable(stud_pb2.GetTableRequest(table_id=table_id), **wire.options())).version

    async def test_connections_beyond_the_limit_are_closed(self, store, config):
        async with serving(store, replace(config, max_connections=2)) as port:
            opened = [await asyncio.open_connection("127.0.0.1", port) for _ in range(2)]
            for reader, _ in opened:
                assert b"\0" in await asyncio.wait_for(reader.read(1), 20)
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            assert b"" == await asyncio.wait_for(reader.read(), 20)
            for _, other in (*opened, (reader, writer)):
                other.close()

    async def test_pings_without_end_close_the_connection(self, store, config):
        """Frames of HTTP/2 by hand: no client of grpc would do this."""
        ping, go_away = 6, 7
        settings = bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])
        async with serving(store, config) as port:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + settings)
            writer.write(bytes([0, 0, 8, ping, 0, 0, 0, 0, 0, *b"pingpong"]) * 20)
            said = await asyncio.wait_for(reader.read(), 20)
            writer.close()
        assert b"too_many_pings" in said
        assert bytes([go_away, 0, 0, 0, 0, 0]) in said

    async def test_channelz_is_off(self, wire):
        for method in ("GetServers", "GetTopChannels"):
            with pytest.raises(grpc.aio.AioRpcError) as error:
                await wire.channel.unary_unary(f"/grpc.channelz.v1.Channelz/{method}")(b"", timeout=20)
            assert grpc.StatusCode.UNIMPLEMENTED == error.value.code()
