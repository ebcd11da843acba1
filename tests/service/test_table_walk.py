"""Tables on which everything happens in any order: after every change all that must hold holds, and no chip is lost.

A walk changes a table as the use cases do, without a store: what it commits goes through the snapshot, the clock is
turned, and what the table's time has come for is done by itself, now and then late.
"""

import os
import random
from collections import Counter
from collections.abc import Callable

import pytest
from msgspec.structs import replace

import engine
from engine import PROFILES, Action, ActionKind
from engine.cards import DECK_SIZE, parse_card
from service import dealer, seating, timetable
from service.errors import ServiceError
from service.hands import PlayedHand, replay
from service.named_game import NamedGame
from service.snapshot import (
    decode_happening,
    decode_record,
    decode_table,
    encode_happening,
    encode_record,
    encode_table,
)
from service.standings import standings
from service.table import Change, Settings, Table
from service.table_events import ChipsAdded, Happening, SeatLeft, SeatTaken, SessionEnded, TableDeleted
from tests.engine.random_hands import random_action

LONG = bool(os.environ.get("DUGOUT_LONG"))
PARTS = 100 if LONG else 4
WALKS = 10
"""In each part, so that the long run is many tests and none of them takes long."""
STEPS = 150
START_MS = 1_900_000_000_000
IDLE_MS = 3_600_000
BEDTIME = 2_000
"""So many things at most happen by themselves to a table that is left alone, until it is deleted."""

GAMES = [
    ("baseball", {"dealers_choice": True}),
    ("baseball", {"session_pots": 3}),
    ("baseball-match-pot", {"dealers_choice": True, "rain_card": "Qs", "max_players": 7}),
    ("baseball-home", {"dealers_choice": True, "session_pots": None}),
    ("baseball-home", {}),
    ("baseball-home", {"rain_card": "Qs", "session_pots": None, "ante": 0}),
    ("baseball-hi-lo", {"exhaustion": "recycle_folded"}),
    ("baseball-match-pot-hole-fours", {"hole_bonus_claim": "between_rounds"}),
    ("blind-baseball", {"rain_card": "Qs", "dealers_choice": True}),
    ("follow-the-queen", {}),
    ("night-baseball", {"rain_card": "Qs", "rain_returns": False}),
    ("rainy-day-baseball", {"dealers_choice": True}),
    ("rainy-day-baseball", {"rain_returns": False, "rain_ante": False}),
    ("rainy-day-baseball", {"ante": 0, "min_players": 3}),
    ("seven-card-stud", {"structure": engine.knobs.PotLimit(2), "short_raise": "full_raise", "raise_cap": None}),
]
NAMED_KNOBS: list[dict[str, object]] = [
    {},
    {},
    {"odd_unit": "first_left_of_dealer"},
    {"rain_card": "Qs", "odd_unit": "first_left_of_dealer"},
    {"rain_card": "Qs", "max_players": 5},
    {"rain_card": "Qs", "max_players": 3, "odd_unit": "first_left_of_dealer"},
    {"min_players": 3},
    {"ante": 10**15},
    {"minor_units": 7},
]


EVERYWHERE = {
    "ActionTimedOut", "CarrySplit", "ChipsAdded", "ChipsQueued", "GameNamed", "HandShown", "RainedOut", "SatIn",
    "SatOut", "SeatLeft", "SessionEnded", "TableDeleted", "TablePaused", "TableResumed",
    "DEALERS_CHOICE_OFF", "HAND_IN_PROGRESS", "NOT_THE_DEALER", "REDEAL_KEEPS_GAME", "RULES_CONTRADICTORY",
    "SESSION_OVER", "STACK_TOO_LARGE", "TABLE_PAUSED",
}  # fmt: skip
"""Events and refusals that the walks must have met."""


class Walk:
    """One table and a ledger of its own, kept by what the events say of chips that come and go."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        pick = self.chance.choice
        profile, knobs = pick(GAMES)
        rules = PROFILES[profile].replace(**knobs)
        settings = Settings(
            max_buy_in=pick((100, 10**12)) * rules.minor_units,
            action_time_ms=pick((1000, 30_000)),
            auto_deal=pick((False, True)),
            time_bank_ms=pick((0, 5000)),
            sit_out_after=pick((0, 1, 2)),
            deal_pause_ms=pick((1000, 5000)),
        )
        self.now_ms = START_MS
        self.table = Table("t", "acme", profile, rules, settings, 1, "1-x", START_MS, START_MS)
        self.chips: Counter[str] = Counter()
        self.deleted = False
        self.hand: list[Happening] = []
        self.dealt: dict[int, int] = {}
        self.seen: Counter[str] = Counter()

    # What may happen

    def walk(self, steps: int) -> None:
        doings: list[tuple[int, Callable[[], Change | None]]] = [
            (5, self.take), (2, self.leave), (1, self.sit_out), (5, self.sit_in), (3, self.add_chips), (1, self.pause),
            (8, self.resume), (8, self.deal), (6, self.deal_named), (70, self.act), (10, self.show_down),
        ]  # fmt: skip
        weights = [weight for weight, _ in doings]
        for _ in range(self.chance.randint(2, 7)):
            self.do(self.take)
        for _ in range(steps):
            if self.deleted:
                return
            idle = self.table.due_ms == self.table.idle_ms
            if self.chance.random() < (0.002 if idle else 0.1):
                self.wait()
                continue
            self.now_ms += self.chance.choice((0, 0, 1, 900, 4000))
            [(_, doing)] = self.chance.choices(doings, weights)
            self.do(self.sensible(doing))

    def do(self, doing: Callable[[], Change | None]) -> None:
        """Do something as a caller: it is refused, or done already, or committed."""
        try:
            change = doing()
        except ServiceError as error:
            if error.status.name not in ("FAILED_PRECONDITION", "ALREADY_EXISTS", "INVALID_ARGUMENT"):
                raise
            self.seen[error.reason.name] += 1
            return
        self.seen[doing.__name__] += change is not None
        if change is not None:
            self.commit(change)

    def sensible(self, doing: Callable[[], Change | None]) -> Callable[[], Change | None]:
        """Return what gets a hand on, mostly, where it is no action that does."""
        if doing != self.act or self.chance.random() < 0.1:
            return doing
        if self.table.paused:
            return self.resume
        if not self.table.playing:
            named = self.table.rules.dealers_choice and self.chance.random() < 0.6
            return self.deal_named if named else self.deal
        return self.show_down if self.table.showdown_due else doing

    def wait(self) -> None:
        """Let time pass until something is due, perhaps too long, and have it done."""
        if self.table.due_ms is None:
            return
        late_ms = self.chance.choice((0, 0, 20, 60_000))
        self.now_ms = max(self.now_ms, self.table.due_ms - 1)
        if self.now_ms < self.table.due_ms:
            assert dealer.expire(self.table, self.deck, self.now_ms) is None
        self.now_ms = max(self.now_ms, self.table.due_ms) + late_ms
        change = dealer.expire(self.table, self.deck, self.now_ms)
        assert change is not None, "what is due is done"
        self.seen["by itself"] += 1
        self.commit(change, by_itself=True)

    def take(self) -> Change:
        stack = self.chance.choice((0, 1, 5, 20, 40, 100, 100)) * self.table.rules.minor_units
        seated = seating.take_seat(
            self.table, f"player{self.chance.randint(1, 9)}", self.chance.choice((0, self.chance.randint(1, 7))), stack
        )
        return Change(seated.table, seated.events)

    def leave(self) -> Change | None:
        leaver = self.anybody()
        if leaver is None:
            return None
        if self.table.playing and self.table.in_hand(leaver.seat):
            return dealer.leave_hand(self.table, leaver, self.now_ms)
        left = seating.leave(self.table, leaver)
        return Change(left.table, left.events)

    def sit_out(self) -> Change | None:
        return self.seat_change(seating.sit_out)

    def sit_in(self) -> Change | None:
        return self.seat_change(seating.sit_in)

    def add_chips(self) -> Change | None:
        amount = self.chance.choice((1, 50)) * self.table.rules.minor_units
        return self.seat_change(lambda table, seated: seating.add_chips(table, seated, amount))

    def seat_change(self, work_out) -> Change | None:
        who = self.anybody()
        seated = work_out(self.table, who) if who is not None else None
        return Change(seated.table, seated.events) if seated is not None else None

    def pause(self) -> Change:
        return dealer.pause(self.table, self.now_ms)

    def resume(self) -> Change:
        return dealer.resume(self.table, self.now_ms)

    def deal(self) -> Change:
        return dealer.deal(self.table, self.deck, self.now_ms)

    def deal_named(self) -> Change:
        pick = self.chance.choice
        profile = pick(("", "rainy-day-baseball", pick(list(PROFILES))))
        named = NamedGame(profile, pick(NAMED_KNOBS), (), pick((0, 0, 0, self.chance.randint(1, 7))))
        return dealer.deal(self.table, self.deck, self.now_ms, named)

    def act(self) -> Change | None:
        hand = self.table.hand
        if hand is None or not self.table.seats:
            return None
        if not self.table.playing or hand.phase == "showdown" or self.chance.random() < 0.05:
            who = self.chance.choice(self.table.seats)
            return dealer.act(
                self.table, who, Action(self.chance.choice((ActionKind.FOLD, ActionKind.CHECK))), self.now_ms
            )
        actor = self.table.seating(hand.actor)
        assert actor is not None
        assert not actor.leaving
        return dealer.act(self.table, actor, random_action(self.chance, hand), self.now_ms)

    def show_down(self) -> Change | None:
        return dealer.show_down(self.table, self.now_ms)

    def anybody(self):
        return self.chance.choice([each for each in self.table.seats if not each.leaving] or [None])

    def deck(self) -> tuple[int, ...]:
        deck = self.chance.sample(range(DECK_SIZE), DECK_SIZE)
        if self.chance.random() < 0.4:  # rain is likely
            card = parse_card("Qs")
            deck.remove(card)
            deck.insert(self.chance.randint(2, 25), card)
        return tuple(deck)

    # What must hold

    def commit(self, change: Change, *, by_itself: bool = False) -> None:
        """Make a change real as the writer does, and check it."""
        before, version = self.table, self.table.version + 1
        table = timetable.scheduled(change.table, self.now_ms)
        idle_ms = table.idle_ms if by_itself else self.now_ms + IDLE_MS
        table = replace(table, idle_ms=idle_ms, version=version, etag=f"{version}-x", changed_ms=self.now_ms)
        happening = Happening(
            version, table.etag, table.hand_number, self.now_ms, tuple(change.events), change.shuffled
        )
        assert table == decode_table(encode_table(table))
        assert happening == decode_happening(encode_happening(happening))
        self.table, self.deleted = table, change.deleted
        self.note_chips(change)
        self.seen.update(type(event).__name__ for event in change.events)
        self.check_intact()
        self.check_clock(before)
        self.check_standings()
        self.check_history(change, happening)
        assert (TableDeleted() in change.events) == change.deleted
        ended = [event for event in change.events if isinstance(event, SessionEnded)]
        assert len(ended) == (table.session_over and not before.session_over)

    def note_chips(self, change: Change) -> None:
        for event in change.events:
            if isinstance(event, SeatTaken):
                self.chips[event.player_id] += event.stack
            elif isinstance(event, ChipsAdded):
                # They may come in the change in which the player's hand ends.
                player = self.table.seating(event.seat)
                assert player is not None
                self.chips[player.player_id] += event.amount
            elif isinstance(event, SeatLeft):
                self.chips[event.player_id] -= event.stack

    def check_intact(self) -> None:
        table = self.table
        assert [] == table.broken()
        assert table.hand is None or [] == engine.broken(table.hand)
        total = sum(self.chips.values())
        in_hand = {player.seat for player in table.hand.players} if table.playing else set()
        here = sum(each.stack for each in table.seats if each.seat not in in_hand) + table.carry
        if table.playing:
            gone = [each.seat for each in table.seats if each.paid_out]
            here += table.hand.chips - sum(table.hand.player(seat).stack for seat in gone)
        assert total == here == table.chips
        if not table.playing:
            assert not [each for each in table.seats if each.leaving or each.paid_out or each.adding]
        if not table.rules.credit:
            assert all(each.stack >= 0 for each in table.seats)

    def check_clock(self, before: Table) -> None:
        table = self.table
        if table.playing:
            assert table.paused == (table.deadline_ms is None), "exactly one: the clock runs, or stands still"
            assert table.deal_ms is None
        else:
            assert table.deadline_ms is None
        if table.deadline_ms is not None and table.deadline_ms != before.deadline_ms:
            assert table.deadline_ms >= self.now_ms + table.settings.action_time_ms
        if table.deal_ms is not None and table.deal_ms != before.deal_ms:
            assert table.deal_ms == self.now_ms + table.settings.deal_pause_ms
        for each in table.seats:
            assert 0 <= each.time_bank_ms <= table.settings.time_bank_ms
        assert self.deleted or table.due_ms is not None, "a table that nobody touches ends some time"

    def check_standings(self) -> None:
        if self.table.playing:
            return
        # What lies in the middle after rain is nobody's yet.
        assert 0 == sum(player.net for player in standings(self.table)) + self.table.carry
        taken = {player.player_id: player for player in standings(self.table)}
        for player, outstanding in self.chips.items():
            seated = self.table.seating_of(player)
            here = seated.stack if seated is not None else 0
            assert taken[player].net == here - outstanding

    def check_history(self, change: Change, happening: Happening) -> None:
        """A hand that ends can be played again from what its commits published."""
        table = self.table
        if happening.shuffled is not None:
            self.hand = []
            assert table.dealt_version == table.version
            dealt_in = [each for each in table.seats if table.in_hand(each.seat)]
            self.dealt = {each.seat: each.number for each in dealt_in}
        self.hand.append(happening)
        for each in table.seats:
            if each.seat in self.dealt and each.viewer(table.hand_number) is not None:
                assert each.number == self.dealt[each.seat], "nobody sees another player's cards"
        over = any(type(event).__name__ == "HandEnded" for event in change.events)
        assert over == (change.finished is not None)
        if change.finished is None:
            return
        record = decode_record(encode_record(change.finished))
        assert (table.hand_number, table.dealt_version) == (record.number, self.hand[0].version)
        assert [each.version for each in self.hand] == list(range(table.dealt_version, table.version + 1))
        assert self.dealt == {each.seat: each.seating for each in record.players}
        again = replay(PlayedHand(record, tuple(self.hand)), table.rules)
        assert replace(table.hand, rolled=0) == replace(again, rolled=0)
        assert {each.seat: each.end_stack for each in record.players} == {
            each.seat: each.stack for each in again.players
        }


def left_alone(walk: Walk) -> None:
    """Let only time pass: whatever is going on ends, and so does the table, with everybody paid out."""
    for _ in range(BEDTIME):
        if walk.deleted:
            break
        walk.wait()
    assert walk.deleted
    assert 0 == walk.table.chips == sum(walk.chips.values())


@pytest.mark.parametrize("part", range(PARTS))
def test_whatever_happens_at_a_table_no_chip_is_lost_and_no_hand_hangs(part):
    for seed in range(part * WALKS, (part + 1) * WALKS):
        walk = Walk(seed)
        try:
            walk.walk(STEPS)
            if seed % 3 == 0:
                walk.commit(seating.close(walk.table))
            else:
                left_alone(walk)
        except Exception as error:
            raise AssertionError(f"walk {seed} at version {walk.table.version}") from error


def test_the_walks_get_everywhere():
    """Else what is tested above might never happen."""
    seen: Counter[str] = Counter()
    for seed in range(PARTS * WALKS):
        walk = Walk(seed)
        walk.walk(STEPS)
        seen += walk.seen
        if seen.keys() >= EVERYWHERE:
            return
    assert set() == EVERYWHERE - seen.keys()
