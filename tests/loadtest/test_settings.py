from dataclasses import replace

from loadtest.settings import ACTIONS_PER_SECOND, CALLS_TO_OPEN, Settings, paced_think_time_s

SETTINGS = Settings(
    target="127.0.0.1:50051",
    operator_key="id:secret",
    tables=200,
    duration_s=30.0,
    players=None,
    think_time_s=0.5,
    profile="baseball",
    seed=7,
)


def test_settings_survive_the_way_to_the_child() -> None:
    assert SETTINGS == Settings.from_json(SETTINGS.to_json())
    with_players = replace(SETTINGS, players=4)
    assert with_players == Settings.from_json(with_players.to_json())


def test_all_tables_together_keep_the_pace() -> None:
    for tables in (1, 5, 200, 10_000):
        assert ACTIONS_PER_SECOND == tables / paced_think_time_s(tables)


def test_opening_tables_is_no_heavier_than_playing_them() -> None:
    assert SETTINGS.spawn_rate * CALLS_TO_OPEN <= ACTIONS_PER_SECOND


def test_the_ramp_takes_a_third_of_the_run_at_most() -> None:
    for tables, duration_s in ((1, 1.0), (10_000, 30.0), (200, 3.0)):
        settings = replace(SETTINGS, tables=tables, duration_s=duration_s)
        assert settings.tables / settings.spawn_rate <= duration_s / 3 + 1e-9
