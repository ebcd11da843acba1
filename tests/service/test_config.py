import pytest

from service.config import ConfigError, read_config

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


def test_a_refusal_holds_no_secret():
    for environment in (
        {**KEYS, "REDIS_URL": "redis://user:store-secret@:x/0"},
        {**KEYS, "DUGOUT_OPERATOR_KEYS": "acme store-secret"},
        {**KEYS, "DUGOUT_TOKEN_KEYS": "k1:store-secret,k1:store-secret"},
    ):
        with pytest.raises(ConfigError) as refusal:
            read_config(environment, {})
        assert "store-secret" not in str(refusal.value)


def test_settings_that_exclude_each_other():
    with pytest.raises(ConfigError, match="embedded"):
        read_config({**KEYS, "DUGOUT_DURABILITY": "replicas:1"}, {})
    with pytest.raises(ConfigError, match="--data-dir"):
        read_config({**KEYS, "REDIS_URL": "redis://localhost"}, {"data_dir": "somewhere"})
