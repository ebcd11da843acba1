"""What play comes to, as numbers that change only when play changes: ``make golden ARGS='--reason "…"'`` records them.

A signature is a digest of every action, stack and share of many random hands of a game. An action tree is everything
that can be done from a fixed deck, counted: how many ways there are of playing so many actions, how many hands are over
by then, and how often each kind of action is among the choices.

The transcripts, one hand of each game as everybody sees it, are written along with them.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import engine
from engine import PROFILES, Action, State
from engine.cards import FULL_DECK, parse_cards
from engine.events import RainedOut
from service.cli.simulate import Simulation
from tests import transcript

FILE = Path(__file__).parent / "data" / "signatures.json"
SEED = 2024
SAMPLE_HANDS = 200
HANDS = 10_000
DEPTH = 9

# What each deck brings is decided soon: the third, sixth and ninth cards are the doors of three players.
DECKS = {
    "baseball": "Ks 7h 4c  Jd 2s 3h  4d 8c Td  9s",
    "baseball-hi-lo": "As 2d 4h  6c 3c 7s  9h Kd 5d  4s",
    "baseball-home": "2c 8d 3s  Kh Jc 9d  4s 4h Qd  7c",
    "night-baseball": "5c Td 2h  4s 9c Kd  Js 6h 3d  8s",
    "baseball-match-pot": "2s 5h Kc  9s 8c 4h  3d 3h Td  7c",
    "baseball-match-pot-replace-fours": "2s 5h Kc  9s 8c Ah  7d 4h Td  4c Js",
    "rainy-day-baseball": "2s 5h Kc  9s 8c 4h  7d Jh Td  Ah 6c Qs",
    "seven-card-stud": "2s 5h Kc  9s 8c 4h  7d Jh Td  Ah Qs",
}
"""The first cards that leave the deck in each tree, burns included; the rest follow in the order of their numbers."""
STACK_CHIPS = (4, 9, 30)


class _Unchecked(Simulation):
    """The same hands without the invariants, which are the business of ``dugout simulate``."""

    def _check(self, state: State) -> None:
        pass


def signatures(profile: str, counts: Iterable[int]) -> dict[str, str]:
    """Return the signature after each of some rising numbers of hands, as six or the most players play them."""
    rules = PROFILES[profile]
    simulation = _Unchecked(rules, min(6, rules.max_players), SEED)
    found = {}
    for hands in counts:
        simulation.run(hands - simulation.hands)
        found[str(hands)] = simulation.signature
    return found


def action_tree(profile: str, depth: int = DEPTH) -> dict[str, Any]:
    """Return the counts of the action tree of a profile: three players, one of them nearly out of chips."""
    rules = PROFILES[profile]
    first = parse_cards(DECKS[profile])
    deck = (*first, *(card for card in FULL_DECK if card not in first))
    stacks = [chips * rules.minor_units for chips in STACK_CHIPS]
    states = [engine.start(rules, stacks, len(stacks), deck).state]
    ways, over, rained = [], 0, 0
    kinds: Counter[str] = Counter()
    for _ in range(depth):
        following = []
        for state in states:
            for choice in engine.legal_actions(state).choices:
                for amount in {choice.min, choice.max}:
                    kinds[choice.kind.value] += 1
                    step = engine.step(state, Action(choice.kind, amount))
                    rained += any(isinstance(event, RainedOut) for event in step.events)
                    following.append(step.state)
        ways.append(len(following))
        states = [state for state in following if not state.finished]
        over += len(following) - len(states)
    return {"ways": ways, "over": over, "rained_out": rained, "kinds": dict(sorted(kinds.items()))}


def recorded() -> dict[str, Any]:
    """Return what the file says."""
    content: dict[str, Any] = json.loads(FILE.read_text())
    return content


def _differ(old: dict[str, str], new: dict[str, str]) -> bool:
    """Whether a game plays otherwise, as far as both recordings count the same hands."""
    shared = old.keys() & new.keys()
    return not shared or any(old[hands] != new[hands] for hands in shared)


def main() -> None:
    """Record everything, and why it is recorded anew."""
    parser = argparse.ArgumentParser(prog="python -m tests.golden")
    parser.add_argument("--reason", required=True, help="why play has changed; it stays in the file")
    parser.add_argument("--hands", type=int, default=HANDS, help="hands of each game, %(default)s unless said")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    before = recorded() if FILE.exists() else {"reasons": []}
    with ProcessPoolExecutor(options.workers) as pool:
        both = partial(signatures, counts=(SAMPLE_HANDS, options.hands))
        signed = dict(zip(PROFILES, pool.map(both, PROFILES), strict=True))
    content = {
        "reasons": [*before["reasons"], options.reason],
        "seed": SEED,
        "hands": options.hands,
        "signatures": signed,
        "action_trees": {profile: action_tree(profile) for profile in DECKS},
    }
    old = before.get("signatures", {})
    changed = [name for name in PROFILES if _differ(old.get(name, {}), signed[name])]
    FILE.write_text(json.dumps(content, indent=1) + "\n")
    print(f"{FILE.name}: {len(changed)} of {len(PROFILES)} games play otherwise: {', '.join(changed) or 'none'}")
    rewritten = transcript.record()
    print(f"{transcript.FOLDER.name}: {len(rewritten)} of {len(PROFILES)} are new: {', '.join(rewritten) or 'none'}")


if __name__ == "__main__":
    main()
