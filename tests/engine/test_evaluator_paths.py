"""The paths that this processor may lack, compiled for it all the same: NEON under an emulator, AVX-512 in plain C."""

import platform
import shutil
import subprocess
from array import array
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest

from engine import evaluator_twin
from engine.knobs import FiveOfAKind
from engine.ranking import Ranking
from tests.engine.test_evaluator_batch import RANKINGS, random_hands

ROOT = Path(__file__).resolve().parents[2]
# The drivers take seconds of processor time to compile; on a busy machine that is minutes.
pytestmark = pytest.mark.timeout(600)

NO_LOW = 2**32 - 1

# SIMDe says AVX-512 in terms of any processor; what is not for this one must not be compiled for another.
STAND_IN = """
#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx2.h>
#include <simde/x86/avx512/and.h>
#include <simde/x86/avx512/add.h>
#include <simde/x86/avx512/maddubs.h>
#include <simde/x86/avx512/or.h>
#include <simde/x86/avx512/set.h>
#include <simde/x86/avx512/set1.h>
#include <simde/x86/avx512/set4.h>
#include <simde/x86/avx512/shuffle.h>
#include <simde/x86/avx512/srli.h>
#include <simde/x86/avx512/ternarylogic.h>
#include <simde/x86/avx512/test.h>
#include <simde/x86/avx512/unpacklo.h>
#include <simde/x86/avx512/unpackhi.h>
#define target(...) unused
"""

Values = Callable[["array[int]", int], "array[int]"]
"""Takes hands and wild masks by turns, and flags; returns what the driver writes."""


class Build(NamedTuple):
    """How to compile the driver and to run it: programs, each with the Debian package that has it."""

    compiler: str
    package: str
    options: tuple[str, ...]
    runner: tuple[str, ...] = ()
    needs: tuple[tuple[str, str], ...] = ()


BUILDS = {
    "aarch64": Build(
        "aarch64-linux-gnu-gcc",
        "gcc-aarch64-linux-gnu",
        ("-O3", "-static", "-DPATH=dugout_batch_portable"),
        ("qemu-aarch64",),
        (("qemu-aarch64", "qemu-user"),),
    ),
    "avx512": Build("gcc", "gcc", ("-Og", "-Wno-psabi", "-DPATH=dugout_batch_avx512")),
}


def compiled(build: Build, folder: Path) -> Path:
    """Compile the driver; skip the test where something for it is missing."""
    for program, package in ((build.compiler, build.package), *build.needs):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is missing (Debian: {package})")
    (folder / "immintrin.h").write_text(STAND_IN)
    driver = folder / "driver"
    source = ROOT / "tests/engine/evaluator_driver.c"
    command = [build.compiler, *build.options, "-I", folder, "-I", ROOT / "engine", source, "-o", driver]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert 0 == done.returncode, done.stderr
    return driver


@pytest.fixture(scope="module", params=BUILDS)
def values(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Values:
    """Return what values hands on a path."""
    build = BUILDS[request.param]
    if request.param == "avx512" and platform.machine() != "x86_64":
        pytest.skip("the path for AVX-512 is compiled on x86-64 only")
    if request.param == "avx512" and not Path("/usr/include/simde").is_dir():
        pytest.skip("the headers of SIMDe are missing (Debian: libsimde-dev)")
    driver = compiled(build, tmp_path_factory.mktemp(request.param))

    def run(pairs: "array[int]", flags: int) -> "array[int]":
        command = [*build.runner, driver, str(flags)]
        return array("Q", subprocess.run(command, input=pairs.tobytes(), capture_output=True, check=True).stdout)

    return run


def by_turns(hands: "array[int]", wilds: "array[int]") -> "array[int]":
    return array("Q", [mask for pair in zip(hands, wilds, strict=True) for mask in pair])


def flags_of(ranking: Ranking) -> int:
    """Return the flags of evaluator.h."""
    is_below = ranking.five_of_a_kind == FiveOfAKind.BELOW_ROYAL_FLUSH
    return 1 * ranking.double_ace_flush + 2 * is_below + 4 * ranking.natural_beats_wild


@pytest.mark.parametrize("ranking", RANKINGS, ids=str)
def test_the_values_are_those_of_the_twin(values: Values, ranking: Ranking) -> None:
    hands, wilds = random_hands(Random(31), 500)
    done, *found = values(by_turns(hands, wilds), flags_of(ranking))
    assert len(hands) == done
    for at, (hand, wild) in enumerate(zip(hands, wilds, strict=True)):
        high = evaluator_twin.evaluate(hand, wild, ranking=ranking)
        lows = [
            evaluator_twin.evaluate_low(hand, wild, scale=scale, qualifier=qualifier)
            for scale in ("A5", "A6")
            for qualifier in (None, 8)
        ]
        expected = [high, high, *(NO_LOW if low is None else low for low in lows)]
        assert expected == found[6 * at : 6 * at + 6], (hex(hand), hex(wild))


@pytest.mark.parametrize("place", [0, 7, 31, 64, 99])
def test_a_block_with_a_hand_that_is_none_is_found(values: Values, place: int) -> None:
    for hand, wild in ((0, 0), ((1 << 14) - 1, 0), (1 << 52 | 1, 0), (1, 1 << 52), (2**64 - 1, 2**64 - 1)):
        hands, wilds = array("Q", [1] * 100), array("Q", [0] * 100)
        hands[place], wilds[place] = hand, wild
        done = values(by_turns(hands, wilds), 0)[0]
        assert done <= place < done + 32
