"""A hand while one step changes it.

A step copies the frozen state into a draft, the rules of dealing, purchases, betting and showdown change the draft and
say what they did as events, and ``freeze`` makes a state of it again. A draft never outlives its step.
"""

from typing import Any

from msgspec.structs import replace

from engine.events import AnyEvent, Folded
from engine.pots import Contribution, Pot, layered
from engine.state import Award, Betting, Offer, Phase, Player, State, Trigger


class Draft:
    """The mutable twin of ``State``, with the events of the step so far."""

    def __init__(self, state: State) -> None:
        self._before = state
        self.rules = state.rules
        self.phase = state.phase
        self.players: list[Player] = list(state.players)
        self.deck: tuple[int, ...] = state.deck
        self.burns: tuple[int, ...] = state.burns
        self.community: tuple[int, ...] = state.community
        self.round = state.round
        self.cursor = state.cursor
        self.triggers: tuple[Trigger, ...] = state.triggers
        self.offer: Offer | None = state.offer
        self.actor = state.actor
        self.betting: Betting = state.betting
        self.dead_money: tuple[tuple[int, int], ...] = state.dead_money
        self.awards: tuple[Award, ...] = state.awards
        self.betting_round = state.betting_round
        self.named_wild = state.named_wild
        self.naming = state.naming
        self.pay_bought = state.pay_bought
        self.asked = state.asked
        self.down_dealt = state.down_dealt
        self.leader = state.leader
        self.roller = state.roller
        self.rolled = state.rolled
        self.rained = state.rained
        self.carry = state.carry
        self.events: list[AnyEvent] = []

    @property
    def spare(self) -> tuple[int, ...]:
        """The order in which recycled cards would come back."""
        return self._before.spare

    def freeze(self) -> State:
        """Return the state that the draft has come to."""
        return replace(
            self._before,
            phase=self.phase,
            players=tuple(self.players),
            deck=self.deck,
            burns=self.burns,
            community=self.community,
            round=self.round,
            cursor=self.cursor,
            triggers=self.triggers,
            offer=self.offer,
            actor=self.actor,
            betting=self.betting,
            dead_money=self.dead_money,
            awards=self.awards,
            betting_round=self.betting_round,
            named_wild=self.named_wild,
            naming=self.naming,
            pay_bought=self.pay_bought,
            asked=self.asked,
            down_dealt=self.down_dealt,
            leader=self.leader,
            roller=self.roller,
            rolled=self.rolled,
            rained=self.rained,
            carry=self.carry,
        )

    def emit(self, event: AnyEvent) -> None:
        """Say what has just happened."""
        self.events.append(event)

    @property
    def live(self) -> tuple[Player, ...]:
        """The players still in, in dealing order."""
        return tuple(player for player in self.players if not player.folded)

    @property
    def street(self) -> int:
        """The street that is dealt or bet on."""
        return sum(map(len, self.rules.rounds[: self.round + 1]))

    def place(self, seat: int) -> int:
        """Return a seat's place in dealing order, 0 for the dealer's left."""
        for place, player in enumerate(self.players):
            if player.seat == seat:
                return place
        raise KeyError(seat)

    def player(self, seat: int) -> Player:
        """Return the player of a seat."""
        return self.players[self.place(seat)]

    def update(self, seat: int, **changes: Any) -> Player:
        """Change some fields of a player."""
        place = self.place(seat)
        player = replace(self.players[place], **changes)
        self.players[place] = player
        return player

    def clockwise_from(self, seat: int) -> list[Player]:
        """Return all players in turn, beginning with the one after a seat and ending with it."""
        start = self.place(seat) + 1
        return self.players[start:] + self.players[:start]

    def affordable(self, player: Player, amount: int) -> int:
        """Return what a player puts in when ``amount`` is asked for."""
        return amount if self.rules.credit else min(amount, player.stack)

    def fold(self, seat: int) -> None:
        """Take a player out of the hand; the last one left wins at once."""
        self.update(seat, folded=True)
        self.triggers = tuple(trigger for trigger in self.triggers if trigger.seat != seat or trigger.purchase is None)
        self.emit(Folded(seat))
        if len(self.live) == 1:
            self.phase = Phase.WALKOVER

    def pots(self) -> tuple[Pot, ...]:
        """Return the pots of the closed rounds, the main pot first."""
        return layered(
            [Contribution(player.seat, player.collected, not player.folded) for player in self.players],
            self.dead_money,
        )


Hand = State | Draft
"""A hand to look at: a state, or the draft of one."""
