# cython: annotation_typing=False, binding=False
"""A hand while one step changes it.

A step copies the frozen state into a draft, the rules of dealing, purchases, betting and showdown change the draft and
say what they did as events, and ``freeze`` makes a state of it again. The draft is that state's twin from then on: the
next step copies it, which is faster than reading the state, and what follows from the state is kept in it.
"""

from msgspec.structs import astuple

from engine.actions import LegalActions
from engine.cards import mask_of
from engine.events import AnyEvent, Folded
from engine.pots import Pot, layered
from engine.rules import Rules
from engine.state import Award, Betting, Offer, Phase, Player, State, Trigger

# CPython 3.11 takes long to read a member off its enum.
_WALKOVER = Phase.WALKOVER


_TWIN = "twin"


def twin_of(state: State) -> "Draft":
    """Return the draft that says what a state says; it is there to be looked at and copied, not to be changed.

    A state has one, made when it is first asked for, and keeps it beside its fields, neither encoded nor compared.
    """
    beside: dict[str, Draft] = state.__dict__
    twin = beside.get(_TWIN)
    if twin is None:
        twin = beside[_TWIN] = Draft(state)
    return twin


class DraftPlayer:
    """The mutable twin of ``Player``: the same fields in the same order."""

    __slots__ = (
        *("seat", "stack", "down", "up", "dead", "collected", "bet", "folded", "acted", "shown"),
        *("paid", "claimable", "unseen", "out", "frozen", "origin"),
    )
    seat: int
    stack: int
    down: tuple[int, ...]
    up: tuple[int, ...]
    dead: tuple[int, ...]
    collected: int
    bet: int
    folded: bool
    acted: bool
    shown: bool
    paid: tuple[int, ...]
    claimable: tuple[int, ...]
    unseen: tuple[int, ...]
    out: bool
    frozen: Player
    """The player that this was last the twin of."""
    origin: "DraftPlayer | None"
    """What this was copied from, until it is frozen."""

    def __init__(self, player: Player) -> None:
        # All at once, which is much faster than one by one.
        (
            self.seat,
            self.stack,
            self.down,
            self.up,
            self.dead,
            self.collected,
            self.bet,
            self.folded,
            self.acted,
            self.shown,
            self.paid,
            self.claimable,
            self.unseen,
            self.out,
        ) = astuple(player)
        self.frozen = player
        self.origin = None

    @property
    def cards(self) -> int:
        """The mask of all cards the player holds."""
        return mask_of(self.down) | mask_of(self.up)

    @property
    def contributed(self) -> int:
        """Antes and bets of the whole hand: what layers the pots."""
        return self.collected + self.bet

    def copy(self) -> "DraftPlayer":
        """Return another one that can be changed."""
        twin = DraftPlayer.__new__(DraftPlayer)
        twin.frozen = self.frozen
        twin.origin = self
        twin.seat = self.seat
        twin.stack = self.stack
        twin.down = self.down
        twin.up = self.up
        twin.dead = self.dead
        twin.collected = self.collected
        twin.bet = self.bet
        twin.folded = self.folded
        twin.acted = self.acted
        twin.shown = self.shown
        twin.paid = self.paid
        twin.claimable = self.claimable
        twin.unseen = self.unseen
        twin.out = self.out
        return twin

    def _is_unchanged(self, origin: "DraftPlayer") -> bool:
        """Whether this still says what it was copied from; cards are compared by identity: they are never put back."""
        return (
            self.stack == origin.stack
            and self.bet == origin.bet
            and self.acted == origin.acted
            and self.folded == origin.folded
            and self.collected == origin.collected
            and self.up is origin.up
            and self.down is origin.down
            and self.shown == origin.shown
            and self.out == origin.out
            and self.dead is origin.dead
            and self.paid is origin.paid
            and self.claimable is origin.claimable
            and self.unseen is origin.unseen
        )

    def freeze(self) -> Player:
        """Return the player that this has come to."""
        origin, self.origin = self.origin, None
        if origin is None or not self._is_unchanged(origin):
            self.frozen = self._freeze()
        return self.frozen

    def _freeze(self) -> Player:
        return Player(
            self.seat,
            self.stack,
            self.down,
            self.up,
            self.dead,
            self.collected,
            self.bet,
            self.folded,
            self.acted,
            self.shown,
            self.paid,
            self.claimable,
            self.unseen,
            self.out,
        )


class DraftBetting:
    """The mutable twin of ``Betting``: the same fields in the same order."""

    __slots__ = ("aggressor", "full_level", "heads_up", "high", "level", "open_pair", "opened", "raises", "step")
    level: int
    full_level: int
    step: int
    raises: int
    opened: bool
    open_pair: bool
    high: bool
    heads_up: bool
    aggressor: int

    def __init__(self, betting: Betting) -> None:
        (
            self.level,
            self.full_level,
            self.step,
            self.raises,
            self.opened,
            self.open_pair,
            self.high,
            self.heads_up,
            self.aggressor,
        ) = astuple(betting)

    def copy(self) -> "DraftBetting":
        """Return another one that can be changed."""
        twin = DraftBetting.__new__(DraftBetting)
        twin.level = self.level
        twin.full_level = self.full_level
        twin.step = self.step
        twin.raises = self.raises
        twin.opened = self.opened
        twin.open_pair = self.open_pair
        twin.high = self.high
        twin.heads_up = self.heads_up
        twin.aggressor = self.aggressor
        return twin

    def begin(self) -> None:
        """Begin a round in which nobody has bet."""
        self.level = self.full_level = self.step = self.raises = self.aggressor = 0
        self.opened = self.open_pair = self.high = self.heads_up = False

    def freeze(self) -> Betting:
        """Return the betting that this has come to."""
        return Betting(
            self.level,
            self.full_level,
            self.step,
            self.raises,
            self.opened,
            self.open_pair,
            self.high,
            self.heads_up,
            self.aggressor,
        )


class Draft:
    """The mutable twin of ``State``, with the events of the step so far."""

    rules: Rules
    phase: Phase
    seat_count: int
    button: int
    chips: int
    players: list[DraftPlayer]
    deck: tuple[int, ...]
    spare: tuple[int, ...]
    burns: tuple[int, ...]
    community: tuple[int, ...]
    round: int
    cursor: int
    triggers: tuple[Trigger, ...]
    offer: Offer | None
    actor: int
    betting: DraftBetting
    dead_money: tuple[tuple[int, int], ...]
    awards: tuple[Award, ...]
    betting_round: int
    named_wild: int
    naming: bool
    pay_bought: bool
    asked: int
    down_dealt: bool
    leader: int
    roller: int
    rolled: int
    rained: bool
    carry: int
    credit: bool
    """Whether the rules let balances go below zero."""
    events: list[AnyEvent]
    legal: LegalActions | None
    """What the seat to act may do, once ``engine.legal`` has worked it out for the state."""

    def __init__(self, state: State) -> None:
        (
            self.rules,
            self.phase,
            self.seat_count,
            self.button,
            self.chips,
            players,
            self.deck,
            self.spare,
            self.burns,
            self.community,
            self.round,
            self.cursor,
            self.triggers,
            self.offer,
            self.actor,
            betting,
            self.dead_money,
            self.awards,
            self.betting_round,
            self.named_wild,
            self.naming,
            self.pay_bought,
            self.asked,
            self.down_dealt,
            self.leader,
            self.roller,
            self.rolled,
            self.rained,
            self.carry,
        ) = astuple(state)
        self.players = [DraftPlayer(player) for player in players]
        self.betting = DraftBetting(betting)
        self.credit = self.rules.credit
        self.events = []
        self.legal = None

    def copy(self) -> "Draft":
        """Return another one that can be changed, without events."""
        twin = Draft.__new__(Draft)
        twin.rules = self.rules
        twin.phase = self.phase
        twin.seat_count = self.seat_count
        twin.button = self.button
        twin.chips = self.chips
        twin.deck = self.deck
        twin.spare = self.spare
        twin.burns = self.burns
        twin.community = self.community
        twin.round = self.round
        twin.cursor = self.cursor
        twin.triggers = self.triggers
        twin.offer = self.offer
        twin.actor = self.actor
        twin.dead_money = self.dead_money
        twin.awards = self.awards
        twin.betting_round = self.betting_round
        twin.named_wild = self.named_wild
        twin.naming = self.naming
        twin.pay_bought = self.pay_bought
        twin.asked = self.asked
        twin.down_dealt = self.down_dealt
        twin.leader = self.leader
        twin.roller = self.roller
        twin.rolled = self.rolled
        twin.rained = self.rained
        twin.carry = self.carry
        twin.credit = self.credit
        twin.players = [player.copy() for player in self.players]
        twin.betting = self.betting.copy()
        twin.events = []
        twin.legal = None
        return twin

    def freeze(self) -> State:
        """Return the state that the draft has come to, as its twin: from now on the draft must stay as it is."""
        state = self._freeze()
        state.__dict__[_TWIN] = self
        return state

    def _freeze(self) -> State:
        # By position, which is much faster than by name: the order is that of the fields of State.
        return State(
            self.rules,
            self.phase,
            self.seat_count,
            self.button,
            self.chips,
            tuple([player.freeze() for player in self.players]),
            self.deck,
            self.spare,
            self.burns,
            self.community,
            self.round,
            self.cursor,
            self.triggers,
            self.offer,
            self.actor,
            self.betting.freeze(),
            self.dead_money,
            self.awards,
            self.betting_round,
            self.named_wild,
            self.naming,
            self.pay_bought,
            self.asked,
            self.down_dealt,
            self.leader,
            self.roller,
            self.rolled,
            self.rained,
            self.carry,
        )

    def emit(self, event: AnyEvent) -> None:
        """Say what has just happened."""
        self.events.append(event)

    def live(self) -> list[DraftPlayer]:
        """Return the players still in, in dealing order."""
        return [player for player in self.players if not player.folded]

    def live_count(self) -> int:
        """Return how many players are still in."""
        count = 0
        for player in self.players:
            if not player.folded:
                count += 1
        return count

    def street(self) -> int:
        """Return the street that is dealt or bet on."""
        return sum(map(len, self.rules.rounds[: self.round + 1]))

    def place(self, seat: int) -> int:
        """Return a seat's place in dealing order, 0 for the dealer's left."""
        for place, player in enumerate(self.players):
            if player.seat == seat:
                return place
        raise KeyError(seat)

    def player(self, seat: int) -> DraftPlayer:
        """Return the player of a seat."""
        return self.players[self.place(seat)]

    def clockwise_from(self, seat: int) -> list[DraftPlayer]:
        """Return all players in turn, beginning with the one after a seat and ending with it."""
        start = self.place(seat) + 1
        return self.players[start:] + self.players[:start]

    def affordable(self, player: DraftPlayer, amount: int) -> int:
        """Return what a player puts in when ``amount`` is asked for."""
        return amount if self.credit else min(amount, player.stack)

    def fold(self, player: DraftPlayer) -> None:
        """Take a player out of the hand; the last one left wins at once."""
        player.folded = True
        if self.triggers:
            self.triggers = tuple(
                [trigger for trigger in self.triggers if trigger.seat != player.seat or trigger.purchase is None]
            )
        self.emit(Folded(player.seat))
        if self.live_count() == 1:
            self.phase = _WALKOVER

    def pots(self) -> tuple[Pot, ...]:
        """Return the pots of the closed rounds, the main pot first."""
        return layered([(player.seat, player.collected, not player.folded) for player in self.players], self.dead_money)
