from operator import attrgetter
from pathlib import Path

import pytest

from service.certificates import CertificateFiles
from service.config import ConfigError, read_config, reread_keys
from tests.service.certificate_authority import Authority

KEYS = {"DUGOUT_OPERATOR_KEYS": "acme:operator-secret", "DUGOUT_TOKEN_KEYS": "k1:" + "t" * 32}


def test_defaults():
    config = read_config(KEYS, {})
    assert (50_051, 1, 600, "aof") == (config.port, config.workers, config.request_ttl_s, config.durability)
    assert config.redis_url is None
    assert not config.dev
    assert (100, 86_400) == (config.hands_kept, config.hands_ttl_s)


def test_how_many_hands_are_kept_and_for_how_long():
    config = read_config({**KEYS, "DUGOUT_HANDS_KEPT": "25", "DUGOUT_HANDS_TTL": "90m"}, {})
    assert (25, 5400) == (config.hands_kept, config.hands_ttl_s)


def test_a_flag_wins_over_its_variable():
    config = read_config({**KEYS, "DUGOUT_PORT": "4000", "DUGOUT_WORKERS": "3"}, {"port": 0, "workers": None})
    assert (0, 3) == (config.port, config.workers)


@pytest.mark.parametrize(("text", "seconds"), [("10m", 600), ("90", 90), ("90s", 90), ("2h", 7200), ("3000ms", 3)])
def test_durations_name_their_unit(text, seconds):
    assert seconds == read_config({**KEYS, "DUGOUT_REQUEST_TTL": text}, {}).request_ttl_s


@pytest.mark.parametrize(("text", "ms"), [("", 86_400_000), ("0", 0), ("90m", 5_400_000)])
def test_tables_stay_a_day_or_as_long_as_it_says(text, ms):
    assert ms == read_config({**KEYS, "DUGOUT_TABLE_TTL": text}, {}).table_ttl_ms


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("DUGOUT_PORT", "70000"),
        ("DUGOUT_PORT", "-1"),
        ("DUGOUT_PORT", "٣"),
        ("DUGOUT_WORKERS", "0"),
        ("DUGOUT_WORKERS", "many"),
        ("DUGOUT_REQUEST_TTL", "1500ms"),
        ("DUGOUT_REQUEST_TTL", "1 day"),
        ("DUGOUT_HANDS_KEPT", "0"),
        ("DUGOUT_HANDS_TTL", "0s"),
        ("DUGOUT_HANDS_TTL", "721h"),
        ("DUGOUT_DURABILITY", "replicas:0"),
        ("DUGOUT_DURABILITY", "sometimes"),
        ("DUGOUT_TABLE_TTL", "8761h"),
        ("DUGOUT_TABLE_TTL", "-1h"),
        ("DUGOUT_LOG_LEVEL", "loud"),
        ("DUGOUT_OPERATOR_STREAMS", "0"),
        ("DUGOUT_CALLER_STREAMS", "-1"),
        ("DUGOUT_WATCHER_PATIENCE", "99ms"),
        ("DUGOUT_WATCHER_PATIENCE", "11m"),
        ("DUGOUT_DEV", "perhaps"),
        ("DUGOUT_HOST", "a host"),
        ("REDIS_URL", "http://localhost"),
        ("DUGOUT_MAX_STREAMS", "0"),
        ("DUGOUT_MAX_CONNECTION_AGE", "500ms"),
        ("DUGOUT_OPERATOR_RATE_LIMIT", "-1"),
        ("DUGOUT_SEAT_RATE_LIMIT", "2.5"),
        ("DUGOUT_PEER_RATE_LIMIT", "1000001"),
        ("DUGOUT_OTEL_ENDPOINT", "collector:4317"),
        ("DUGOUT_OTEL_ENDPOINT", "http://"),
        ("DUGOUT_OTEL_ENDPOINT", "http://collector:port"),
    ],
)
def test_a_bad_value_is_named_with_its_variable_and_what_is_allowed(variable, value):
    with pytest.raises(ConfigError) as refusal:
        read_config({**KEYS, variable: value}, {})
    assert variable == refusal.value.name
    assert repr(value) in str(refusal.value)
    assert "allowed: " in str(refusal.value)


def test_a_bad_flag_is_named_as_a_flag():
    with pytest.raises(ConfigError, match="--metrics-port is '99999'"):
        read_config(KEYS, {"metrics_port": 99_999})


@pytest.mark.parametrize("missing", KEYS)
def test_without_keys_it_refuses_unless_dev(missing):
    some = {name: value for name, value in KEYS.items() if name != missing}
    with pytest.raises(ConfigError, match=missing):
        read_config(some, {})
    config = read_config(some, {"dev": True})
    assert config.operator_keys
    assert config.token_keys


def test_dev_makes_another_key_every_time():
    first, second = (read_config({}, {"dev": True}).operator_keys[0].bearer for _ in range(2))
    assert first != second


def test_keys_from_files(tmp_path):
    (tmp_path / "operators").write_text("acme/1:operator-secret\nacme/2:another-secret\n")
    (tmp_path / "tokens").write_text(KEYS["DUGOUT_TOKEN_KEYS"])
    environment = {f"{name}_FILE": str(tmp_path / path)
                   for name, path in zip(KEYS, ("operators", "tokens"), strict=True)}  # fmt: skip
    config = read_config(environment, {})
    assert ["acme/1", "acme/2"] == [key.key_id for key in config.operator_keys]
    with pytest.raises(ConfigError, match="one of"):
        read_config({**KEYS, **environment}, {})
    with pytest.raises(ConfigError, match="DUGOUT_TOKEN_KEYS_FILE"):
        read_config({**environment, "DUGOUT_TOKEN_KEYS_FILE": str(tmp_path / "missing")}, {})


def test_nothing_printed_holds_a_secret():
    config = read_config({**KEYS, "REDIS_URL": "redis://user:store-secret@localhost:6379/0"}, {})
    printed = f"{config.public()} {config!r}"
    for secret in ("operator-secret", "t" * 32, "user:"):
        assert secret not in str(config.public())
    assert "operator-secret" not in printed
    assert "redis://***@localhost:6379/0" == config.public()["redis_url"]


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("redis://user:store-secret@localhost:6379/0", "redis://***@localhost:6379/0"),
        ("redis://:a@store-secret@localhost", "redis://***@localhost"),
        ("unix://user:store-secret@/run/store.sock", "unix://***@/run/store.sock"),
        ("rediss://localhost:6379", "rediss://localhost:6379"),
        (
            "redis+sentinel://user:store-secret@one:1,two:2/poker?sentinel_password=store-secret",
            "redis+sentinel://***@one:1,two:2/poker?***",
        ),
        ("redis+cluster://:store-secret@one:1,two:2", "redis+cluster://***@one:1,two:2"),
    ],
)
def test_an_address_is_printed_without_its_password(url, shown):
    assert shown == read_config({**KEYS, "REDIS_URL": url}, {}).public()["redis_url"]


def test_traces_are_off_until_an_endpoint_is_named():
    assert not read_config(KEYS, {}).traced
    config = read_config({**KEYS, "DUGOUT_OTEL_ENDPOINT": "http://user:otel-secret@collector:4317"}, {})
    assert (True, "http://***@collector:4317") == (config.traced, config.public()["otel_endpoint"])
    for name in ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"):
        standard = {**KEYS, name: "http://collector:4317"}
        assert (True, None) == (read_config(standard, {}).traced, read_config(standard, {}).otel_endpoint)
        assert not read_config({**standard, "OTEL_SDK_DISABLED": "true"}, {}).traced


def test_traces_need_the_extra(monkeypatch):
    monkeypatch.setattr("service.config._installed", lambda module: module != "opentelemetry.sdk")
    for name in ("DUGOUT_OTEL_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"):
        with pytest.raises(ConfigError, match=r"dugout\[otel\]") as refusal:
            read_config({**KEYS, name: "http://user:otel-secret@collector:4317"}, {})
        assert name == refusal.value.name
        assert "otel-secret" not in str(refusal.value)
    assert not read_config(KEYS, {}).traced


def test_a_refusal_holds_no_secret():
    for environment in (
        {**KEYS, "REDIS_URL": "redis://user:store-secret@:x/0"},
        {**KEYS, "REDIS_URL": "redis://user:half/store-secret@localhost"},
        {**KEYS, "REDIS_URL": "redis://localhost/0?password=store-secret"},
        {**KEYS, "REDIS_URL": "redis+sentinel://one,two?sentinel_password=store-secret"},
        {**KEYS, "DUGOUT_OPERATOR_KEYS": "acme store-secret"},
        {**KEYS, "DUGOUT_TOKEN_KEYS": "k1:store-secret,k1:store-secret"},
    ):
        with pytest.raises(ConfigError) as refusal:
            read_config(environment, {})
        assert "store-secret" not in str(refusal.value)


@pytest.mark.parametrize("name", ["DUGOUT_DATA_DIR", "DUGOUT_TLS_CERT", "DUGOUT_HOST", "REDIS_URL", *KEYS])
def test_what_is_no_utf8_is_refused_and_not_repeated_where_it_is_secret(name):
    value = "redis://h/\udcff" if name == "REDIS_URL" else "acme:long-secret\udcff"  # as os.environ has such bytes
    with pytest.raises(ConfigError) as refusal:
        read_config({**KEYS, name: value}, {})
    assert name == refusal.value.name
    assert name not in KEYS or "long-secret" not in str(refusal.value)


def test_rates_are_limited_except_where_one_only_tries_things():
    rates = attrgetter("operator_rate", "seat_rate", "peer_rate")
    assert (0, 200, 50) == rates(read_config(KEYS, {}))
    assert (0, 0, 0) == rates(read_config({}, {"dev": True}))
    asked = {"DUGOUT_OPERATOR_RATE_LIMIT": "1000", "DUGOUT_PEER_RATE_LIMIT": "7"}
    assert (1000, 200, 7) == rates(read_config({**KEYS, **asked}, {}))
    assert (1000, 0, 7) == rates(read_config(asked, {"dev": True}))


class TestCertificates:
    @pytest.fixture
    def files(self, tmp_path):
        authority = Authority()
        (tmp_path / "clients.pem").write_bytes(authority.certificate)
        cert, key = authority.sign().write(tmp_path)
        return {
            "DUGOUT_TLS_CERT": cert,
            "DUGOUT_TLS_KEY": key,
            "DUGOUT_TLS_CLIENT_CA": str(tmp_path / "clients.pem"),
        }

    def test_from_variables_or_flags(self, files):
        cert, key, client_ca = files.values()
        flags = {"tls_cert": cert, "tls_key": key, "tls_client_ca": client_ca}
        for config in (read_config({**KEYS, **files}, {}), read_config(KEYS, flags)):
            assert CertificateFiles(cert, key, client_ca) == config.certificate_files
        only = {"DUGOUT_TLS_CERT": cert, "DUGOUT_TLS_KEY": key}
        assert CertificateFiles(cert, key) == read_config({**KEYS, **only}, {}).certificate_files
        assert read_config(KEYS, {}).certificate_files is None

    @pytest.mark.parametrize(
        ("given", "named"),
        [
            (["DUGOUT_TLS_CERT"], "DUGOUT_TLS_KEY"),
            (["DUGOUT_TLS_KEY"], "DUGOUT_TLS_CERT"),
            (["DUGOUT_TLS_CLIENT_CA"], "DUGOUT_TLS_CLIENT_CA"),
            (["DUGOUT_TLS_KEY", "DUGOUT_TLS_CLIENT_CA"], "DUGOUT_TLS_CERT"),
        ],
    )
    def test_one_without_the_other(self, files, given, named):
        with pytest.raises(ConfigError) as refusal:
            read_config({**KEYS, **{name: files[name] for name in given}}, {})
        assert named == refusal.value.name

    @pytest.mark.parametrize("variable", ["DUGOUT_TLS_CERT", "DUGOUT_TLS_KEY", "DUGOUT_TLS_CLIENT_CA"])
    def test_a_file_that_cannot_be_used_is_named_with_its_setting(self, files, variable, tmp_path):
        (tmp_path / "rubbish.pem").write_text("rubbish")
        for path in ("/nowhere.pem", str(tmp_path), str(tmp_path / "rubbish.pem")):
            with pytest.raises(ConfigError) as refusal:
                read_config({**KEYS, **files, variable: path}, {})
            assert variable == refusal.value.name
            assert repr(path) in str(refusal.value)

    def test_the_key_is_nowhere_in_the_settings(self, files):
        config = read_config({**KEYS, **files}, {})
        secret = Path(files["DUGOUT_TLS_KEY"]).read_text().splitlines()[1]
        assert secret not in f"{config!r} {config.public()}"
        assert files["DUGOUT_TLS_KEY"] == config.public()["tls_key"]


class TestReadingKeysAgain:
    @pytest.fixture
    def environment(self, tmp_path):
        (tmp_path / "operators").write_text("acme/1:operator-secret")
        (tmp_path / "tokens").write_text("k1:" + "t" * 32)
        return {"DUGOUT_OPERATOR_KEYS_FILE": str(tmp_path / "operators"),
                "DUGOUT_TOKEN_KEYS_FILE": str(tmp_path / "tokens")}  # fmt: skip

    def test_files_that_have_changed(self, environment, tmp_path):
        config = read_config({**environment, "DUGOUT_PORT": "4000"}, {"workers": 3})
        assert config == reread_keys(config, environment)
        (tmp_path / "operators").write_text("acme/2:another-secret acme/1:operator-secret")
        (tmp_path / "tokens").write_text("k2:" + "u" * 32)
        again = reread_keys(config, environment)
        assert ["acme/2", "acme/1"] == [key.key_id for key in again.operator_keys]
        assert ["k2"] == [key.key_id for key in again.token_keys]
        assert (4000, 3) == (again.port, again.workers)

    def test_files_that_cannot_be_used(self, environment, tmp_path):
        config = read_config(environment, {})
        for text in ("", "acme/1:short", "rubbish"):
            (tmp_path / "operators").write_text(text)
            with pytest.raises(ConfigError, match="DUGOUT_OPERATOR_KEYS"):
                reread_keys(config, environment)

    def test_the_keys_of_a_trial_stay(self, environment):
        config = read_config({}, {"dev": True})
        assert config == reread_keys(config, {})
        config = read_config(environment, {"dev": True})
        assert config == reread_keys(config, environment)


def test_settings_that_exclude_each_other():
    with pytest.raises(ConfigError, match="embedded"):
        read_config({**KEYS, "DUGOUT_DURABILITY": "replicas:1"}, {})
    with pytest.raises(ConfigError, match="--data-dir"):
        read_config({**KEYS, "REDIS_URL": "redis://localhost"}, {"data_dir": "somewhere"})
