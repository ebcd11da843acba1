import pytest

from service.store.address import check_url


@pytest.mark.parametrize(
    "url",
    [
        "redis://localhost",
        "redis://localhost:6379/3",
        "redis://user:secret@[::1]:6379/0?db=1",
        "rediss://store.example:6380?ssl_ca_certs=/etc/ca.pem&ssl_cert_reqs=required",
        "unix:///run/valkey.sock",
        "unix://user:secret@/run/valkey.sock?db=2",
    ],
)
def test_addresses_of_stores(url):
    check_url(url)


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("", "begins with ''"),
        ("localhost:6379", "begins with"),
        ("http://user:secret@localhost", "begins with 'http', allowed are redis://, rediss://, unix://"),
        ("redis://:secret@", "names no host"),
        ("redis://user:secret@localhost/lobby", "database 'lobby'"),
        ("redis://user:secret@localhost:70000", "[Pp]ort"),
        ("redis://user:secret@localhost:x", "[Pp]ort"),
        ("unix://", "names no socket"),
        # It would turn bytes into text, or the retries on again.
        ("redis://user:secret@localhost?decode_responses=true", "decode_responses"),
        ("redis://user:secret@localhost?protocol=3&retry_on_timeout=1", "protocol.*retry_on_timeout"),
    ],
)
def test_other_addresses_are_refused_without_showing_the_password(url, message):
    with pytest.raises(ValueError, match=message) as caught:
        check_url(url)
    assert "secret" not in str(caught.value)
