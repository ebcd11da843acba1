"""What is installed with Dugout: the pins cover it all, and nothing else is called ``proto``."""

import re
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.metadata import Distribution, distribution, distributions
from pathlib import Path

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[1]
PLATFORMS = [
    {"sys_platform": sys_platform, "platform_system": system, "platform_machine": machine}
    for sys_platform, system, machine in (
        ("linux", "Linux", "x86_64"),
        ("linux", "Linux", "aarch64"),
        ("darwin", "Darwin", "arm64"),
    )
]
PYTHONS = ("3.11.0", "3.11.9", "3.12.5", "3.13.1", "3.14.0")
ENVIRONMENTS = [
    {
        **default_environment(),
        **platform,
        "python_full_version": python,
        "python_version": python.rpartition(".")[0],
        "implementation_version": python,
    }
    for platform in PLATFORMS
    for python in PYTHONS
]


@cache
def pins() -> dict[str, str]:
    lines = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
    return {canonicalize_name(name): version for name, _, version in (line.partition("==") for line in lines)}


def project() -> dict[str, object]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def asked_for() -> list[Requirement]:
    """Return what is installed for work and tests; ``bench`` is not: what others offer is measured in any release."""
    wanted = project()
    extras = [texts for extra, texts in wanted["optional-dependencies"].items() if extra != "bench"]
    return [Requirement(text) for text in (*wanted["dependencies"], *(text for texts in extras for text in texts))]


def needed(environment: dict[str, str]) -> Iterator[str]:
    """Yield the name of every distribution that Dugout and its extras need there, directly or not."""
    waiting = [wish for wish in asked_for() if wish.marker is None or wish.marker.evaluate(environment)]
    seen: set[tuple[str, frozenset[str]]] = set()
    while waiting:
        wish = waiting.pop()
        key = (canonicalize_name(wish.name), frozenset(wish.extras))
        if key in seen:
            continue
        seen.add(key)
        yield key[0]
        if key[0] not in installed():
            continue  # needed elsewhere only, so what it needs in turn cannot be read here
        for text in installed()[key[0]].requires or ():
            deeper = Requirement(text)
            if deeper.marker is None or any(
                deeper.marker.evaluate({**environment, "extra": extra}) for extra in ("", *wish.extras)
            ):
                waiting.append(deeper)


@cache
def installed() -> dict[str, Distribution]:
    return {canonicalize_name(found.metadata["Name"]): found for found in distributions()}


def test_pins_are_exact_and_name_no_place_to_install_from():
    for line in (ROOT / "constraints.txt").read_text().splitlines():
        assert line.startswith("# ") or re.fullmatch(r"[A-Za-z0-9._-]+==[0-9][A-Za-z0-9.]*", line), line


@pytest.mark.parametrize(
    "environment",
    ENVIRONMENTS,
    ids=lambda it: f"{it['sys_platform']}-{it['platform_machine']}-{it['python_full_version']}",
)
def test_everything_that_is_needed_is_pinned(environment):
    assert set() == set(needed(environment)) - set(pins())


def test_nothing_is_pinned_that_nothing_needs():
    assert set() == set(pins()) - {name for environment in ENVIRONMENTS for name in needed(environment)}


def test_the_pins_are_what_is_tested():
    here = {name: found.version for name, found in installed().items()}
    assert {} == {name: (pin, here[name]) for name, pin in pins().items() if here.get(name, pin) != pin}


def test_the_pins_are_within_what_the_project_asks_for():
    wrong = [str(wish) for wish in asked_for() if not wish.specifier.contains(pins()[canonicalize_name(wish.name)])]
    assert [] == wrong


def test_no_runtime_may_be_older_than_the_generator_was():
    folder = ROOT / "proto/stud/v1"
    grpc_made_by = re.search(r"GRPC_GENERATED_VERSION = '([\d.]+)'", (folder / "stud_pb2_grpc.py").read_text())
    major, minor, patch = re.search(
        r"Domain.PUBLIC,\s+(\d+),\s+(\d+),\s+(\d+),", (folder / "stud_pb2.py").read_text()
    ).groups()
    floors = {
        wish.name: min(Version(bound.version) for bound in wish.specifier if bound.operator == ">=")
        for wish in asked_for()
        if wish.name in ("grpcio", "protobuf")
    }
    assert floors["grpcio"] >= Version(grpc_made_by[1])
    assert floors["protobuf"] >= Version(f"{major}.{minor}.{patch}")


def test_nothing_we_depend_on_is_called_proto():
    ours = canonicalize_name(str(project()["name"]))
    wanted = set(needed(dict(default_environment()))) - {ours}
    rivals = [
        name
        for name in sorted(wanted)
        for file in installed()[name].files or ()
        if file.parts[0] in ("proto", "proto.py", "engine", "service", "loadtest")
    ]
    assert [] == rivals


def test_the_package_called_proto_is_ours():
    import proto.stud.v1.stud_pb2 as generated

    assert ROOT / "proto/stud/v1/stud_pb2.py" == Path(generated.__file__)
    assert "proto.stud.v1.stud_pb2" in sys.modules


def test_the_command_and_the_entry_points_lead_to_what_exists():
    for entry in distribution("dugout").entry_points:
        assert callable(entry.load()), entry
