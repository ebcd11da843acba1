"""The modules that are compiled from Python: they are in use, up to date, and play as their Python does."""

import importlib
import json
import os
import subprocess
import sys
import tomllib
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

import engine
from engine import PROFILES
from service.cli.simulate import Simulation

ROOT = Path(__file__).parents[2]
ENGINE = Path(engine.__file__).parent
EXTENSIONS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["ext-modules"]
COMPILED = {it["name"]: [*it["sources"], *it["depends"]] for it in EXTENSIONS if it["sources"][0].endswith(".py")}
GAMES = ("baseball", "baseball-hi-lo", "night-baseball", "baseball-match-pot-hole-fours-buy", "rainy-day-baseball")
HANDS = 12

PLAIN = """
import json, sys
from importlib.util import spec_from_file_location

compiled, folder, games, hands = json.loads(sys.argv[1])

class Plain:
    def find_spec(self, name, path, target=None):
        if name in compiled:
            return spec_from_file_location(name, f"{folder}/{name.rpartition('.')[2]}.py")

sys.meta_path.insert(0, Plain())
import engine
from service.cli.simulate import Simulation

files = [sys.modules[name].__file__ for name in compiled]
assert all(file.endswith(".py") for file in files), files
played = [Simulation(engine.PROFILES[game], 5, seed=11) for game in games]
for simulation in played:
    simulation.run(hands)
print(json.dumps([[it.signature, it.broken] for it in played]))
"""


def stale(built: Path, sources: list[Path]) -> list[str]:
    """Return the sources that were changed after a module was built from them."""
    return [source.name for source in sources if source.stat().st_mtime > built.stat().st_mtime]


@pytest.mark.parametrize("name", COMPILED)
def test_a_compiled_module_is_in_use_and_up_to_date(name):
    built = Path(importlib.import_module(name).__file__)
    assert built.name.endswith(tuple(EXTENSION_SUFFIXES)), f"{name} is not compiled: run make"
    sources = [ENGINE / Path(source).name for source in COMPILED[name]]
    assert [] == stale(built, sources), f"{name} was compiled from something older: run make"


def test_a_later_edit_is_noticed(tmp_path):
    source, built = tmp_path / "betting.py", tmp_path / "betting.so"
    source.touch()
    built.touch()
    os.utime(source, (1_000, 1_000))
    os.utime(built, (1_001, 1_001))
    assert [] == stale(built, [source])
    os.utime(source, (1_002, 1_002))
    assert ["betting.py"] == stale(built, [source])


def test_every_module_with_c_types_is_compiled_and_depends_on_them():
    typed = {f"engine.{path.stem}" for path in (ROOT / "engine").glob("*.pxd") if path.with_suffix(".py").exists()}
    assert typed == set(COMPILED)
    for name, sources in COMPILED.items():
        own = (ROOT / sources[0]).with_suffix(".pxd")
        cimported = {line.split()[1] for line in own.read_text().splitlines() if line.startswith("from engine.")}
        needed = {f"engine/{own.name}", *(f"{module.replace('.', '/')}.pxd" for module in cimported)}
        assert needed <= set(sources), name


def test_the_python_plays_as_what_was_compiled_from_it():
    arguments = json.dumps([list(COMPILED), str(ROOT / "engine"), GAMES, HANDS])
    plain = subprocess.run(
        [sys.executable, "-c", PLAIN, arguments], cwd=ROOT, capture_output=True, text=True, timeout=100, check=False
    )
    assert 0 == plain.returncode, plain.stderr
    compiled = [Simulation(PROFILES[game], 5, seed=11) for game in GAMES]
    for simulation in compiled:
        simulation.run(HANDS)
    assert [[it.signature, it.broken] for it in compiled] == json.loads(plain.stdout)
