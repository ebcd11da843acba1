"""The game a command is about."""

import pytest
import typer

from engine import PROFILES
from service.cli.profiles import profile_named


@pytest.mark.parametrize("name", PROFILES)
def test_every_game_is_found_by_its_name(name):
    assert PROFILES[name] is profile_named(name)


@pytest.mark.parametrize("name", ["", "Baseball", "baseball ", "cricket"])
def test_another_name_is_bad_usage_that_lists_the_games(name):
    with pytest.raises(typer.BadParameter) as refused:
        profile_named(name, "--diff")
    assert all(known in refused.value.message for known in (repr(name), *PROFILES))
    assert "--diff" == refused.value.param_hint
