"""Who may know what: the import rules that import-linter's contracts cannot say."""

import ast
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TRANSITIONS = {"step", "start"}
MAY_KNOW_ENGINE_AND_PROTO = re.compile(r"service\.(codec(_[a-z]+)?|errors|[a-z]+_rpc)")
MAY_PLAY = ("service.dealer",)
BANNED_IN_ENGINE = {
    *("random", "secrets", "time", "datetime", "asyncio", "threading", "concurrent", "multiprocessing"),
    *("logging", "socket", "subprocess", "os", "pathlib", "io", "sys"),
}


def modules(package: str) -> dict[str, Path]:
    paths = sorted((ROOT / package).rglob("*.py"))
    return {".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in paths}


def imported(path: Path) -> set[str]:
    """Return the dotted names that a module imports, with each name taken from a module after that module."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path}: relative import"
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return names


def packages(path: Path) -> set[str]:
    return {name.partition(".")[0] for name in imported(path)}


def plays(path: Path) -> bool:
    """Whether a module can start or step a hand: it imports one of the two, or reads one off the engine."""
    if imported(path) & {f"engine{module}.{name}" for module in ("", ".step") for name in TRANSITIONS}:
        return True
    return any(
        isinstance(node, ast.Attribute)
        and node.attr in TRANSITIONS
        and isinstance(node.value, ast.Name)
        and node.value.id == "engine"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    )


def test_the_rules_look_at_the_whole_house():
    found = {package: len(modules(package)) for package in ("engine", "service", "loadtest", "proto")}
    assert all(count > 3 for count in found.values()), found


@pytest.mark.parametrize("module", modules("engine"))
def test_the_engine_imports_nothing_that_could_make_a_hand_depend_on_when_or_where_it_is_played(module):
    allowed = (set(sys.stdlib_module_names) - BANNED_IN_ENGINE) | {"engine", "msgspec"}
    assert set() == packages(modules("engine")[module]) - allowed


def test_only_codec_errors_and_rpc_modules_know_the_engine_and_the_wire():
    both = [name for name, path in modules("service").items() if {"engine", "proto"} <= packages(path)]
    assert [] == [name for name in both if not MAY_KNOW_ENGINE_AND_PROTO.fullmatch(name)]


def test_only_the_dealer_and_the_commands_play():
    players = [name for name, path in modules("service").items() if plays(path)]
    assert [] == [name for name in players if name not in MAY_PLAY and not name.startswith("service.cli.")]
    assert set(MAY_PLAY) <= set(players)


def test_the_rule_on_who_plays_sees_every_way_of_reaching_the_engine(tmp_path):
    for code in (
        "import engine\nengine.step(1, 2)",
        "from engine import step",
        "from engine import start as begin",
        "from engine.step import step",
    ):
        module = tmp_path / "module.py"
        module.write_text(code)
        assert plays(module), code


def test_modules_are_short_enough_to_be_read():
    lengths = {
        name: len(path.read_text(encoding="utf-8").splitlines())
        for package in ("engine", "service", "loadtest")
        for name, path in modules(package).items()
    }
    assert {} == {name: length for name, length in lengths.items() if length > 450}
