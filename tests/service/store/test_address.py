import pytest

from service.store.address import StoreAddress, check_url


@pytest.mark.parametrize(
    "url",
    [
        "redis://localhost",
        "redis://localhost:6379/3",
        "redis://user:secret@[::1]:6379/0?db=1",
        "rediss://store.example:6380?ssl_ca_certs=/etc/ca.pem&ssl_cert_reqs=required",
        "unix:///run/valkey.sock",
        "unix://user:secret@/run/valkey.sock?db=2",
        "redis+sentinel://one/poker",
        "redis+sentinel://user:secret@one:26379,two,[::1]:5/poker?db=3&sentinel_password=secret",
        "rediss+sentinel://one,two/poker?ssl_ca_certs=/etc/ca.pem",
        "redis+cluster://:secret@one:7000,two:7001",
        "rediss+cluster://one?ssl_cert_reqs=none&db=0",
    ],
)
def test_addresses_of_stores(url):
    check_url(url)


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("", "begins with ''"),
        ("localhost:6379", "begins with"),
        (
            "http://user:secret@localhost",
            "begins with 'http', allowed are redis://, rediss://, unix://, redis.sentinel://",
        ),
        ("redis://:secret@", "names no host"),
        ("redis://user:secret@localhost/lobby", "database 'lobby'"),
        ("redis://user:secret@localhost:70000", "[Pp]ort"),
        ("redis://user:secret@localhost:x", "[Pp]ort"),
        ("unix://", "names no socket"),
        ("redis://user:secret@localhost?db=lobby", "database 'lobby'"),
        ("redis+sentinel://user:secret@one,two", "service ''"),
        ("redis+sentinel://user:secret@one/poker/2", "service 'poker/2'"),
        ("redis+sentinel://user:secret@one,,two/poker", "no host, or an empty one"),
        ("redis+sentinel://user:secret@/poker", "no host"),
        ("redis+sentinel://user:secret@one:x/poker", "[Pp]ort"),
        ("redis+sentinel://user:secret@one/poker?password=secret", "password"),
        ("redis+cluster://user:secret@one:70000", "[Pp]ort"),
        ("redis+cluster://user:secret@one/2", "a cluster has none but 0"),
        ("redis+cluster://user:secret@one?db=1", "a cluster has none but 0"),
        ("redis+cluster://user:secret@one?sentinel_password=secret", "sentinel_password"),
        ("redis+unix://user:secret@one", "begins with 'redis.unix'"),
        # It would turn bytes into text, or the retries on again.
        ("redis://user:secret@localhost?decode_responses=true", "decode_responses"),
        ("redis://user:secret@localhost?protocol=3&retry_on_timeout=1", "protocol.*retry_on_timeout"),
    ],
)
def test_other_addresses_are_refused_without_showing_the_password(url, message):
    with pytest.raises(ValueError, match=message) as caught:
        check_url(url)
    assert "secret" not in str(caught.value)


def test_sentinels_and_what_they_watch():
    address = StoreAddress.parse(
        "rediss+sentinel://me:p%40ss@one,[::1]:5/poker?db=3&sentinel_password=s%26&ssl_ca_certs=/ca"
    )
    assert (
        StoreAddress(
            "sentinel",
            "rediss://me:p%40ss@one:26379?db=3&ssl_ca_certs=/ca",
            (("one", 26379), ("::1", 5)),
            "poker",
            None,
            "s&",
        )
        == address
    )


def test_nodes_of_a_cluster():
    address = StoreAddress.parse("redis+cluster://:secret@one,two:7001")
    assert StoreAddress("cluster", "redis://:secret@one:6379?", (("one", 6379), ("two", 7001))) == address
