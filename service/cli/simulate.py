"""``dugout simulate``: random hands in the engine alone, every step checked.

Whoever is to act chooses among the legal actions at random. Seats, stacks (tiny ones too), deck and choices all come
from the seed, so a seed is a full report of what went wrong, and the signature of a seed is one number that changes
only when play changes.
"""

import hashlib
import os
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from multiprocessing import active_children, get_context, parent_process
from typing import Annotated, Any

import typer

import engine
from engine.actions import Action, ActionKind, Choice
from engine.cards import FULL_DECK
from engine.events import AnyEvent, HandShown
from engine.hand_value import CATEGORIES
from engine.profiles import PROFILES
from engine.rules import Rules
from engine.state import State
from service.cli.output import print_json, print_table
from service.cli.profiles import ProfileOption, profile_named

Game = tuple[Rules, int]
"""Rules, and how many play."""

_TABLE_SEATS = 7
_SHOWN_BROKEN = 20


@dataclass
class Simulation:
    """Random hands of one game, and what was counted on the way. Amounts are minor units."""

    rules: Rules
    players: int
    seed: int
    hands: int = 0
    actions: int = 0
    showdowns: int = 0
    seconds: float = 0.0
    chip_delta: int = 0
    """Chips that appeared (or, negative, got lost) over all hands."""
    broken: list[str] = field(default_factory=list)
    categories: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)  # noqa: S311 - play is repeated, nothing is kept secret
        self._outcomes = hashlib.sha256()
        self._button = 0

    def run(self, hands: int) -> None:
        """Play some hands to their end."""
        started = time.perf_counter()
        for _ in range(hands):
            self._play_hand()
        self.seconds += time.perf_counter() - started

    @property
    def signature(self) -> str:
        """A digest of every action, stack and share so far, the same wherever and whenever the seed is played."""
        return self._outcomes.hexdigest()[:16]

    def as_record(self) -> dict[str, Any]:
        """Return what was counted as plain values."""
        return {
            "hands": self.hands,
            "actions": self.actions,
            "showdowns": self.showdowns,
            "seconds": round(self.seconds, 3),
            "hands_per_second": round(self.hands / self.seconds, 1) if self.seconds else 0.0,
            "chip_delta": self.chip_delta,
            "broken": self.broken,
            "categories": {category: self.categories[category] for category in CATEGORIES},
            "signature": self.signature,
        }

    def _play_hand(self) -> None:
        self.hands += 1
        stacks = self._stacks()
        self._button = next((seat for seat in stacks if seat > self._button), min(stacks))
        played = [f"{self._button} {stacks}"]
        step = engine.start(self.rules, stacks, self._button, self._random.sample(FULL_DECK, len(FULL_DECK)))
        self._check(step.state)
        while not step.state.finished:
            action = self._choose(engine.legal_actions(step.state).choices)
            played.append(f"{step.state.actor} {action.kind.value} {action.amount}")
            step = engine.step(step.state, action)
            self.actions += 1
            self._count(step.events)
            self._check(step.state)
        self.chip_delta += sum(step.state.stacks) + step.state.carry - sum(stacks.values())
        played.append(f"{step.state.stacks} {[(award.seat, award.amount) for award in step.state.awards]}\n")
        self._outcomes.update("; ".join(played).encode())

    def _choose(self, choices: tuple[Choice, ...]) -> Action:
        """Return a random action; folds are rare enough that many hands reach the showdown."""
        weights = [1 if choice.kind == ActionKind.FOLD else 4 for choice in choices]
        choice = self._random.choices(choices, weights)[0]
        if choice.min == choice.max:
            return Action(choice.kind, choice.max)
        amount = self._random.choice((choice.min, choice.max, self._random.randint(choice.min, choice.max)))
        return Action(choice.kind, amount)

    def _stacks(self) -> dict[int, int]:
        """Return a stack for each of some random seats, one in four so small that it is soon all-in."""
        rules, chip = self.rules, self.rules.minor_units
        seats = sorted(self._random.sample(range(1, _TABLE_SEATS + 1), self.players))
        if rules.credit:
            return {seat: chip * self._random.randint(-100, 100) for seat in seats}
        small = (1, rules.ante, rules.ante + 1, rules.ante + rules.bring_in, rules.ante + rules.low_bet + 1)
        return {
            seat: max(1, self._random.choice(small))
            if self._random.random() < 0.25
            else rules.low_bet * self._random.randint(5, 100)
            for seat in seats
        }

    def _count(self, events: tuple[AnyEvent, ...]) -> None:
        shown = [event for event in events if isinstance(event, HandShown)]
        self.showdowns += bool(shown)
        self.categories.update(engine.describe(event.value).category for event in shown)

    def _check(self, state: State) -> None:
        self.broken.extend(f"seed {self.seed}, hand {self.hands}: {what}" for what in engine.broken(state))


def simulate(
    profile: ProfileOption = "baseball",
    players: Annotated[
        int | None,
        typer.Option("--players", min=2, help="Players dealt in; without it, six or as many as the game seats."),
    ] = None,
    hands: Annotated[int, typer.Option("--hands", min=1, help="Hands to play.")] = 1000,
    seed: Annotated[int, typer.Option("--seed", help="The same seed plays the same hands.")] = 1,
    every_profile: Annotated[bool, typer.Option("--all", help="Every profile in turn.")] = False,
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", min=1, help="Games played at the same time under --all; without it, one for each core."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Play random hands in the engine and check every step; status 1 if anything was broken.

    Example: dugout simulate --profile baseball --players 6 --hands 5000 --seed 1
    """
    names = list(PROFILES) if every_profile else [profile]
    games = {name: _game(name, players) for name in names}
    played = _play_all(games, seed, hands, jobs or _cores(), _tell if len(games) > 1 else None)
    if as_json:
        records = [{"profile": name, **record} for name, record in played.items()]
        print_json(records if every_profile else played[profile])
    else:
        _print_for_people(played)
    if any(record["broken"] or record["chip_delta"] for record in played.values()):
        raise typer.Exit(1)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _play_all(
    games: dict[str, Game], seed: int, hands: int, jobs: int, done: Callable[[str, dict[str, Any]], None] | None
) -> dict[str, dict[str, Any]]:
    """Play games of rules and players, so many at a time, each in a process of its own; return their records by name.

    Every game draws from a generator of its own, so that the number of jobs makes no difference to any of them.
    ``done`` hears of each game when it is over.
    """
    done = done or (lambda name, record: None)
    played: dict[str, dict[str, Any]] = {}
    if min(jobs, len(games)) == 1:
        for name, game in games.items():
            played[name] = _play(game, seed, hands)
            done(name, played[name])
        return played
    with ProcessPoolExecutor(min(jobs, len(games)), get_context("spawn"), _follow_parent) as processes:
        waiting = {processes.submit(_play, game, seed, hands): name for name, game in games.items()}
        try:
            for record in as_completed(waiting):
                played[waiting[record]] = record.result()
                done(waiting[record], record.result())
        except KeyboardInterrupt:
            for process in active_children():
                process.terminate()
            processes.shutdown(cancel_futures=True)
            raise
    return {name: played[name] for name in games}


def _follow_parent() -> None:
    """Have this process end as soon as its parent has, however that ended, rather than with the game it plays."""
    # An interrupt from the terminal reaches every process; what it means is for the parent to say.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()
    if parent is None:
        return

    def wait() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=wait, name="end-with-parent", daemon=True).start()


def _tell(name: str, record: dict[str, Any]) -> None:
    broken = len(record["broken"]) + bool(record["chip_delta"])
    typer.echo(f"{name}: {record['hands']:,} hands in {record['seconds']:,.1f} s, {broken} broken", err=True)


def _play(game: Game, seed: int, hands: int) -> dict[str, Any]:
    simulation = Simulation(*game, seed)
    simulation.run(hands)
    return simulation.as_record()


def _game(profile: str, players: int | None) -> Game:
    """Return the rules of a profile and the number of players, refusing one that the game does not seat."""
    rules = profile_named(profile)
    number = min(6, rules.max_players) if players is None else players
    if not rules.min_players <= number <= rules.max_players:
        raise typer.BadParameter(
            f"{number} players: {profile} seats {rules.min_players} to {rules.max_players}", param_hint="--players"
        )
    return rules, number


def _print_for_people(games: dict[str, dict[str, Any]]) -> None:
    header = ("PROFILE", "HANDS", "ACTIONS", "SHOWDOWNS", "HANDS/S", "CHIP DELTA", "BROKEN", "SIGNATURE")
    rows = [
        (
            name,
            f"{played['hands']:,}",
            f"{played['actions']:,}",
            f"{played['showdowns']:,}",
            f"{played['hands_per_second']:,.0f}",
            str(played["chip_delta"]),
            str(len(played["broken"])),
            played["signature"],
        )
        for name, played in games.items()
    ]
    print_table([header, *rows])
    broken = [what for played in games.values() for what in played["broken"]]
    for what in broken[:_SHOWN_BROKEN]:
        typer.echo(what, err=True)
    if len(broken) > _SHOWN_BROKEN:
        typer.echo(f"and {len(broken) - _SHOWN_BROKEN} more", err=True)
    shown = sum((Counter(played["categories"]) for played in games.values()), Counter[str]())
    if shown:
        typer.echo("\nHands shown:")
        print_table([(name.replace("_", " "), f"{shown[name]:,}") for name in CATEGORIES if shown[name]], indent="  ")
