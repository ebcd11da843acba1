"""Plays many random hands in PokerKit and in the engine: ``python -m tests.differential --hands 20000 --seed 1``."""

import argparse
import random
import time
from collections import Counter

from tests.differential.pokerkit_table import play, random_game


def main() -> None:
    """Play, and print what was compared and how often the two differ as they are meant to."""
    parser = argparse.ArgumentParser(prog="python -m tests.differential")
    parser.add_argument("--hands", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    differences: Counter[str] = Counter()
    splits: Counter[str] = Counter()
    decisions = 0
    started = time.perf_counter()
    for hand in range(options.hands):
        rng = random.Random(f"{options.seed} {hand}")
        game = random_game(rng)
        try:
            table = play(game, rng)
        except Exception as error:
            error.add_note(f"seed {options.seed}, hand {hand}")
            raise
        differences += table.differences
        splits[game.rules.split.value] += 1
        decisions += table.decisions
    seconds = time.perf_counter() - started
    print(f"{options.hands:,} hands ({dict(splits)}), {decisions:,} decisions, in {seconds:,.0f} s: all as expected")
    for name, count in differences.most_common():
        print(f"  {count:>8,}  {name}")


if __name__ == "__main__":
    main()
