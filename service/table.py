"""A table as a value: its settings, who sits where with how much, and the hand that is being played.

The hand (``engine.State``) knows one deal; the table knows what lies between deals. A player's chips are in
the hand while one is being played and in the seating otherwise. Amounts are int64 minor units, instants are
milliseconds since the epoch. Tables are frozen: a use case returns a new one, and only a commit makes it so.
"""

from collections.abc import Sequence
from enum import StrEnum

import msgspec

from engine.events import AnyEvent
from engine.rules import Rules
from engine.state import Phase, State
from service.hands import HandRecord
from service.table_events import AnyTableEvent, Shuffled

MAX_BUY_IN = 10**12
# Neither may be shorter than what a worker takes to notice a new deadline (``LOOK_MS``).
ACTION_TIME_MS = (1000, 86_400_000)
DEAL_PAUSE_MS = (1000, 3_600_000)
TIME_BANK_MS = (0, 86_400_000)
SIT_OUT_AFTER_MOST = 1000
"""The bounds of ``Settings``: shortest and longest, or most."""

DEPARTED_KEPT = 256
"""A table remembers so many players who have left: hostile coming and going costs no more than that."""


class Status(StrEnum):
    """What a table waits for."""

    WAITING = "waiting"
    """The first hand."""
    PLAYING = "playing"
    SHOWDOWN = "showdown"
    FINISHED = "finished"
    """The last hand is over, the next one may be dealt."""
    SESSION_OVER = "session_over"


class Seating(msgspec.Struct, frozen=True, array_like=True):
    """One player in one seat, from taking it to leaving it."""

    seat: int
    player_id: str
    stack: int
    """Chips between hands; while the player is in a hand the hand holds them, and this is what was brought into it."""
    number: int
    """Counts the seatings of the table: a seat token is bound to one of them."""
    bought_in: int = 0
    """What the player has brought to the table in all."""
    sitting_out: bool = False
    leaving: bool = False
    """The player has left in mid-hand; the seat is free again when the hand ends."""
    paid_out: bool = False
    """A leaving player has all chips back that were not bet: the hand's stack of the seat is nobody's."""
    since_hand: int = 0
    """The hand that was the last one when the player sat down: cards up to it are none of the player's."""
    adding: int = 0
    """Chips that come when the running hand ends; neither the player nor the table has them yet."""
    time_bank_ms: int = 0
    """What is left of the time bank: drawn on when the action time has run out, and not refilled."""
    timeouts: int = 0
    """How many times in a row the player has run out of time."""

    def viewer(self, hand_number: int) -> int | None:
        """Return as which seat this player sees a hand: none where the cards of the seat were another player's."""
        return self.seat if hand_number > self.since_hand else None


class Departed(msgspec.Struct, frozen=True, array_like=True):
    """A player who has left, for the standings: all seatings of that player that are over."""

    player_id: str
    taken: int
    bought_in: int


class Settings(msgspec.Struct, frozen=True, array_like=True):
    """What the creator of a table chose beside its rules."""

    name: str = ""
    min_buy_in: int = 1
    max_buy_in: int = MAX_BUY_IN
    spectators: bool = True
    """Whether somebody without credentials may watch."""
    action_time_ms: int = 30_000
    """How long a seat may think before its time bank is drawn on."""
    auto_deal: bool = False
    time_bank_ms: int = 0
    """What every player gets on top of the action times, once for each seating."""
    sit_out_after: int = 2
    """After how many timeouts in a row a player sits out; 0: never."""
    deal_pause_ms: int = 5000
    """How long after a hand, or since enough players are there, the next one is dealt by itself."""


class Table(msgspec.Struct, frozen=True, array_like=True):
    """Everything that is stored of a table."""

    table_id: str
    tenant: str
    profile: str
    rules: Rules
    settings: Settings
    version: int
    etag: str
    created_ms: int
    changed_ms: int
    seats: tuple[Seating, ...] = ()
    """The occupied seats, lowest first."""
    seatings: int = 0
    """How many seatings there have been."""
    button: int = 0
    """The dealer's seat of the running or last hand, 0 before the first."""
    hand_number: int = 0
    pots_played: int = 0
    """Resolved hands, for tables whose session ends after a number of pots."""
    hand: State | None = None
    """The running hand, or the last one until the next is dealt."""
    deadline_ms: int | None = None
    """When whoever has to act runs out of time, the time bank included."""
    settled_version: int = 0
    """The version in which the last finished hand ended, 0 before."""
    brought: int = 0
    """All that players ever brought to the table."""
    taken: int = 0
    """All that players ever took away, less than nothing if they left with debts (credit)."""
    carry: int = 0
    """What a rained-out hand has left in the middle for the next one."""
    kept_out: tuple[int, ...] = ()
    """The seatings that folded before the rain and stay out until the carried pot is won."""
    dealt_version: int = 0
    """The version in which the running or last hand was dealt; 0 before, and for one that was dealt before this was
    noted."""
    dealt_ms: int = 0
    """When that was."""
    paused: bool = False
    """Whether the clock stands still, so that nothing is dealt, played or shown."""
    hand_profile: str = ""
    """The game of the running or last hand, empty before the first; its rules are the hand's."""
    carry_owners: tuple[int, ...] = ()
    """The seatings that were in when it last rained, until the carried pot is won or split."""
    departed: tuple[Departed, ...] = ()
    """The players who have left, the last one at the end; at most ``DEPARTED_KEPT``."""
    deal_ms: int | None = None
    """When the next hand is dealt by itself; None: it is not."""
    idle_ms: int | None = None
    """When the table is deleted unless somebody does something before; None: it stays."""

    @property
    def due_ms(self) -> int | None:
        """When something has to happen here by itself; None: never. A hand whose clock runs is played out first."""
        if self.playing and not self.paused:
            return self.deadline_ms
        return min((ms for ms in (self.deal_ms, self.idle_ms) if ms is not None), default=None)

    @property
    def playing(self) -> bool:
        """Whether a hand is being played."""
        return self.hand is not None and not self.hand.finished

    @property
    def redeal(self) -> bool:
        """Whether the last hand was rained out and its pot waits, so that the same dealer deals the same game again."""
        return self.rained_out and bool(self.carry or self.carry_owners)

    @property
    def rained_out(self) -> bool:
        """Whether the last hand was rained out, so that the button stays, even if its pot has been split."""
        return self.hand is not None and self.hand.rained

    @property
    def next_rules(self) -> Rules:
        """The rules of the next hand, as long as no dealer names another game."""
        return self.hand.rules if self.hand is not None and self.redeal else self.rules

    @property
    def showdown_due(self) -> bool:
        """Whether the betting of the running hand is over."""
        return self.hand is not None and self.hand.phase == Phase.SHOWDOWN

    def seating(self, seat: int) -> Seating | None:
        """Return who sits in a seat."""
        return next((seating for seating in self.seats if seating.seat == seat), None)

    def seating_of(self, player_id: str) -> Seating | None:
        """Return where a player sits."""
        return next((seating for seating in self.seats if seating.player_id == player_id), None)

    def seated(self, seating: Seating) -> "Table":
        """Return the table with a seating added, or changed where it is there already."""
        others = [other for other in self.seats if other.seat != seating.seat]
        return msgspec.structs.replace(self, seats=tuple(sorted([*others, seating], key=lambda each: each.seat)))

    def without(self, seat: int) -> "Table":
        """Return the table with a seat free."""
        return msgspec.structs.replace(self, seats=tuple(each for each in self.seats if each.seat != seat))

    def departing(self, seating: Seating, taken: int) -> "Table":
        """Return the table with ``taken`` gone and the player among those who have left; the seat is not freed."""
        before = next((one for one in self.departed if one.player_id == seating.player_id), None)
        gone = Departed(
            seating.player_id,
            taken + (before.taken if before else 0),
            seating.bought_in + (before.bought_in if before else 0),
        )
        others = tuple(one for one in self.departed if one is not before)
        departed = (*others, gone)[-DEPARTED_KEPT:]
        return msgspec.structs.replace(self, taken=self.taken + taken, departed=departed)

    def stack_of(self, seating: Seating) -> int:
        """Return the chips in front of a player now, the bets of the running hand not among them."""
        if seating.paid_out:
            return 0
        if self.playing and self.hand is not None and self.in_hand(seating.seat):
            return self.hand.player(seating.seat).stack
        return seating.stack

    def in_hand(self, seat: int) -> bool:
        """Say whether a seat was dealt into the running or last hand."""
        return self.hand is not None and any(player.seat == seat for player in self.hand.players)

    @property
    def session_over(self) -> bool:
        """Whether the last pot of the session has been played."""
        pots = self.rules.session_pots
        return pots is not None and self.pots_played >= pots

    @property
    def status(self) -> Status:
        """What the table waits for."""
        return _status(self.playing, self.showdown_due, self.session_over, self.hand_number)

    @property
    def chips(self) -> int:
        """All chips at the table, in stacks and in the middle."""
        stacks = sum(map(self.stack_of, self.seats))
        in_the_middle = sum(pot.amount for pot in self.hand.pots) if self.hand is not None else 0
        return stacks + in_the_middle + self.carry

    def summary(self) -> "Summary":
        """Return the table as the lobby shows it."""
        return Summary(
            table_id=self.table_id,
            name=self.settings.name,
            profile=self.profile,
            seats_taken=len(self.seats),
            seats=self.rules.max_players,
            hand_number=self.hand_number,
            version=self.version,
            min_buy_in=self.settings.min_buy_in,
            max_buy_in=self.settings.max_buy_in,
            playing=self.playing,
            showdown_due=self.showdown_due,
            session_over=self.session_over,
            paused=self.paused,
        )

    def broken(self) -> list[str]:
        """Return everything that can never be so at a table, outside its hand."""
        numbers = [seating.seat for seating in self.seats]
        players = {seating.player_id for seating in self.seats}
        last = self.rules.max_players
        wrong: list[str] = []
        if numbers != sorted(set(numbers)) or not all(1 <= number <= last for number in numbers):
            wrong.append(f"seats {numbers} are not distinct, in order and within 1 to {last}")
        if len(players) != len(numbers):
            wrong.append("a player sits in two seats")
        if self.chips != self.brought - self.taken:
            wrong.append(f"{self.chips} chips are here, {self.brought} came and {self.taken} went")
        if (self.deadline_ms is not None) != (self.playing and not self.paused):
            wrong.append(f"deadline {self.deadline_ms} while playing is {self.playing} and paused is {self.paused}")
        if self.deal_ms is not None and (self.playing or self.paused):
            wrong.append("the next hand is to be dealt while one is being played, or the table is paused")
        wrong += [
            f"seat {seating.seat} waits for {seating.adding} chips without being in a running hand"
            for seating in self.seats
            if seating.adding and not (seating.adding > 0 and self.playing and self.in_hand(seating.seat))
        ]
        return wrong


class Summary(msgspec.Struct, frozen=True, array_like=True):
    """A table as its tenant's lobby shows it."""

    table_id: str
    name: str
    profile: str
    seats_taken: int
    seats: int
    hand_number: int
    version: int
    min_buy_in: int
    max_buy_in: int
    playing: bool = False
    showdown_due: bool = False
    session_over: bool = False
    paused: bool = False

    @property
    def status(self) -> Status:
        """What the table waits for."""
        return _status(self.playing, self.showdown_due, self.session_over, self.hand_number)

    @property
    def has_free_seat(self) -> bool:
        """Whether a seat is free."""
        return self.seats_taken < self.seats


def _status(playing: bool, showdown_due: bool, session_over: bool, hand_number: int) -> Status:
    if showdown_due:
        return Status.SHOWDOWN
    if playing:
        return Status.PLAYING
    if session_over:
        return Status.SESSION_OVER
    return Status.FINISHED if hand_number else Status.WAITING


class Change(msgspec.Struct, frozen=True):
    """What a table becomes, what happened on the way, and a few bytes to answer a repetition with.

    ``shuffled`` is what a hand was dealt from that begins with the change, ``finished`` the record of one that ends
    with it.
    ``deleted`` says that this is its end: nothing of it is stored but the events.
    """

    table: Table
    events: Sequence[AnyEvent | AnyTableEvent]
    result: bytes = b""
    shuffled: Shuffled | None = None
    finished: HandRecord | None = None
    deleted: bool = False
