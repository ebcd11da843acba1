"""Hands played at a table without a store: what each of their commits would have published."""

import random
from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from engine import PROFILES, Action, ActionKind
from service import dealer, seating
from service.hands import PlayedHand
from service.table import Change, Settings, Table
from service.table_events import Happening
from tests.engine.random_hands import EDGES, random_action, shuffled

START_MS = 1_700_000_000_000


class Played(NamedTuple):
    """A hand that was played out: the table before the deal and after the end, what is kept, and the actions."""

    before: Table
    table: Table
    hand: PlayedHand
    actions: list[Action]


def a_table(rng: random.Random, profile: str) -> Table:
    """Return a table with players whose stacks hurt, in any seats."""
    rules = PROFILES[profile]
    table = Table("table-1", "acme", profile, rules, Settings(), 1, "1-a", START_MS, START_MS)
    for number in range(rng.randint(rules.min_players, rules.max_players)):
        free = [seat for seat in range(1, rules.max_players + 1) if table.seating(seat) is None]
        stack = rng.choice(EDGES) * rules.minor_units
        table = seating.take_seat(table, f"player{number + 1}", rng.choice(free), stack).table
    return table


class Recorder:
    """Plays one hand of a table and notes what happens in it, as commits would."""

    def __init__(self, table: Table) -> None:
        self.before = self.table = table
        self.actions: list[Action] = []
        self.happenings: list[Happening] = []
        self.record = None

    def take(self, change: Change | None) -> None:
        assert change is not None
        version = self.table.version + 1
        table = replace(change.table, version=version, etag=f"{version}-a")
        self.happenings.append(
            Happening(version, table.etag, table.hand_number, self.now_ms, tuple(change.events), change.shuffled)
        )
        self.table = table
        self.record = change.finished

    @property
    def now_ms(self) -> int:
        return START_MS + 1000 * len(self.happenings)

    def play(self, action: Action) -> None:
        self.actions.append(action)
        if action.kind == ActionKind.LEAVE:
            self.take(dealer.leave_hand(self.table, self.table.seating(action.seat), self.now_ms))
        elif action.kind == ActionKind.SHOWDOWN:
            self.take(dealer.show_down(self.table, self.now_ms))
        else:
            actor = self.table.seating(self.table.hand.actor)
            self.take(dealer.act(self.table, actor, action, self.now_ms))

    def played(self) -> Played:
        return Played(self.before, self.table, PlayedHand(self.record, tuple(self.happenings)), self.actions)


def play_hand(rng: random.Random, table: Table, decks: Sequence[tuple[int, ...]], *, leave: float = 0.0) -> Played:
    """Play a hand at random; with probability ``leave`` somebody leaves instead of the next action."""
    recorder = Recorder(table)
    recorder.take(dealer.deal(table, iter(decks).__next__, recorder.now_ms))
    while recorder.table.playing:
        hand = recorder.table.hand
        staying = [each.seat for each in recorder.table.seats if not each.leaving and recorder.table.in_hand(each.seat)]
        if staying and rng.random() < leave:
            recorder.play(Action(ActionKind.LEAVE, seat=rng.choice(staying)))
        else:
            recorder.play(random_action(rng, hand))
    return recorder.played()


def play_again(played: Played, decks: Sequence[tuple[int, ...]]) -> Played:
    """Play the same actions over other cards; IllegalAction or ServiceError where those do not allow them."""
    recorder = Recorder(played.before)
    recorder.take(dealer.deal(played.before, iter(decks).__next__, recorder.now_ms))
    for action in played.actions:
        recorder.play(action)
    return recorder.played()


def two_decks(rng: random.Random) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return two decks in random order."""
    return shuffled(rng), shuffled(rng)
