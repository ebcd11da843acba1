"""``dugout bench engine``: how fast hands are played in-process, with PokerKit beside it in the same run.

Both play six-handed seven-card stud with limits of 2 and 4, and both choose at random, evenly among the legal actions;
nobody folds who owes nothing, because PokerKit does not offer that. Times are processor time of this thread, medians
over rounds in which the two take turns, so that a busy machine disturbs both alike.
"""

import random
import time
from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

import engine
from engine.actions import Action, ActionKind
from engine.cards import FULL_DECK
from engine.profiles import PROFILES
from engine.rules import Rules
from engine.state import Phase, State
from service.cli.output import fail
from service.snapshot import decode_table, encode_table
from service.table import Seating, Settings, Table

_PLAYERS = 6
_STACK_CHIPS = 200
_SEED = 1
_ROUNDS = 5
_OUR_HANDS = 400
_THEIR_HANDS = 80
_STEPS = 1500
_SNAPSHOT_REPEATS = 300

_CHECK = ActionKind.CHECK

Recorded = list[tuple[State, Action]]


def measure_engine() -> dict[str, Any]:
    """Measure everything; return ``rows`` of name, value and unit, and ``ratios``."""
    ours, theirs = _hands_per_second()
    rows = [
        _row("dugout, six-handed seven-card stud", ours, "hands/s"),
        _row("pokerkit, six-handed seven-card stud", theirs, "hands/s"),
    ]
    rows += [_row(f"step, {name}", _step_us(rules), "us") for name, rules in PROFILES.items()]
    late = {name: _late_table(name, rules) for name, rules in PROFILES.items()}
    data = encode_table(late["baseball"])
    rows += [
        _row("snapshot encode", _us(lambda: encode_table(late["baseball"]), _SNAPSHOT_REPEATS), "us"),
        _row("snapshot decode", _us(lambda: decode_table(data), _SNAPSHOT_REPEATS), "us"),
        _row("snapshot, six players late in a hand", len(data), "bytes"),
        _row("snapshot, largest of all profiles", max(len(encode_table(table)) for table in late.values()), "bytes"),
    ]
    return {"rows": rows, "ratios": {"dugout/pokerkit hands per second": round(ours / theirs, 1)}}


def _row(name: str, value: float, unit: str) -> dict[str, Any]:
    return {"name": name, "value": round(value, 1), "unit": unit}


def _us(work: Callable[[], object], repeats: int) -> float:
    """Return the microseconds of one call: the median of some rounds."""
    rounds = []
    for _ in range(_ROUNDS):
        started = time.thread_time()
        for _ in range(repeats):
            work()
        rounds.append((time.thread_time() - started) / repeats * 1e6)
    return median(rounds)


def _hands_per_second() -> tuple[float, float]:
    """Return the hands a second of this engine and of PokerKit."""
    play_theirs = _pokerkit_player()
    rng = random.Random(_SEED)  # noqa: S311 - a benchmark, nothing is kept secret
    ours, theirs = [], []
    for _ in range(_ROUNDS):
        ours.append(_rate(_play_ours, _OUR_HANDS, rng))
        theirs.append(_rate(play_theirs, _THEIR_HANDS, rng))
    return median(ours), median(theirs)


def _rate(play: Callable[[random.Random], None], hands: int, rng: random.Random) -> float:
    started = time.thread_time()
    for _ in range(hands):
        play(rng)
    return hands / (time.thread_time() - started)


def _play_ours(rng: random.Random) -> None:
    rules = PROFILES["seven-card-stud"]
    state = engine.start(rules, [_STACK_CHIPS] * _PLAYERS, _PLAYERS, rng.sample(FULL_DECK, len(FULL_DECK))).state
    while not state.finished:
        state = engine.step(state, _choose(state, rng)).state


def _choose(state: State, rng: random.Random) -> Action:
    choices = engine.legal_actions(state).choices
    if len(choices) > 1 and choices[1].kind == _CHECK:
        choices = choices[1:]  # folding comes first
    choice = rng.choice(choices)
    return Action(choice.kind, choice.min)


def _pokerkit_player() -> Callable[[random.Random], None]:
    """Return a function that plays one hand in PokerKit, which deals and settles by itself."""
    try:
        from pokerkit import Automation, FixedLimitSevenCardStud
    except ModuleNotFoundError:
        fail("dugout bench engine needs the Python module pokerkit: install dugout[bench]")
    rules = PROFILES["seven-card-stud"]
    stakes = (rules.ante, rules.bring_in, rules.low_bet, 2 * rules.low_bet)
    automations = tuple(Automation)

    def play(rng: random.Random) -> None:
        state: Any = FixedLimitSevenCardStud.create_state(
            automations, True, *stakes, (_STACK_CHIPS,) * _PLAYERS, _PLAYERS
        )
        while state.status:
            ways = [state.post_bring_in] if state.can_post_bring_in() else []
            if state.can_fold():
                ways.append(state.fold)
            if state.can_check_or_call():
                ways.append(state.check_or_call)
            if state.can_complete_bet_or_raise_to():
                ways.append(state.complete_bet_or_raise_to)
            rng.choice(ways)()

    return play


def _step_us(rules: Rules) -> float:
    """Return the microseconds of a step in a game, averaged over what happens in random hands."""
    rng = random.Random(_SEED)  # noqa: S311
    recorded: Recorded = []
    while len(recorded) < _STEPS:
        state = _start(rules, rng)
        while not state.finished:
            action = _choose(state, rng)
            recorded.append((state, action))
            state = engine.step(state, action).state
    return _us(lambda: _play_again(recorded), 1) / len(recorded)


def _play_again(recorded: Recorded) -> None:
    for state, action in recorded:
        engine.step(state, action)


def _start(rules: Rules, rng: random.Random) -> State:
    players = min(_PLAYERS, rules.max_players)
    stack = _STACK_CHIPS * rules.minor_units
    return engine.start(rules, [stack] * players, players, rng.sample(FULL_DECK, len(FULL_DECK))).state


def _late_table(profile: str, rules: Rules) -> Table:
    """Return a table of players who all stay to the last betting round, or as near to it as the game comes."""
    rng = random.Random(_SEED)  # noqa: S311
    latest = state = _start(rules, rng)
    while state.phase not in (Phase.SHOWDOWN, Phase.FINISHED):
        latest = state
        state = engine.step(state, _stay(state)).state
    seats = tuple(
        Seating(player.seat, f"player-{player.seat}", player.stack, player.seat)
        for player in sorted(latest.players, key=lambda player: player.seat)
    )
    return Table(
        table_id="t" * 22,
        tenant="",
        profile=profile,
        rules=rules,
        settings=Settings(),
        version=60,
        etag="e" * 22,
        created_ms=1_800_000_000_000,
        changed_ms=1_800_000_060_000,
        seats=seats,
        seatings=len(seats),
        button=latest.button,
        hand_number=1,
        hand=latest,
        deadline_ms=1_800_000_090_000,
        brought=latest.chips,
    )


_STAYING: Sequence[ActionKind] = (
    ActionKind.BUY,
    ActionKind.CLAIM,
    ActionKind.REPLACE,
    ActionKind.ROLL,
    ActionKind.BRING_IN,
    ActionKind.CHECK,
    ActionKind.CALL,
    ActionKind.DECLINE,
)


def _stay(state: State) -> Action:
    kinds = {choice.kind for choice in engine.legal_actions(state).choices}
    return Action(next(kind for kind in _STAYING if kind in kinds))
