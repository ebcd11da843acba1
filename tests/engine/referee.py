"""Whose turn it is, worked out from the events alone, without the engine's notion of who may still raise or roll."""

import engine
from engine import State, Step
from engine.cards import mask_of, rank_mask
from engine.events import (
    BetMade,
    BettingClosed,
    BringInPosted,
    Called,
    CardRolled,
    Checked,
    Completed,
    Folded,
    LeaderNamed,
    PlayerOut,
    Raised,
    StreetStarted,
)
from engine.knobs import ShortBringIn
from engine.state import Phase, Player

_MOVES = Checked | Called | BetMade | Raised | Completed | BringInPosted | Folded


class Referee:
    """Watches the steps of one hand and knows who must act next within a betting round, and who rolls."""

    def __init__(self) -> None:
        self.acted: set[int] = set()
        self.bring_in = 0
        self.actor = 0
        """Who was to bet before the step."""
        self.leader = 0
        self.roller = 0
        """Who had the last turn to roll."""
        self.turn_is_over = True

    def watch(self, step: Step) -> None:
        """Take note of a step and check the turn it leads to."""
        moved = 0
        round_began = False
        for event in step.events:
            if isinstance(event, StreetStarted | CardRolled | BettingClosed):
                self.acted, self.bring_in, round_began = set(), 0, True
            elif isinstance(event, _MOVES):
                self.acted.add(event.seat)
                if event.seat == self.actor:
                    moved = event.seat
                if isinstance(event, BringInPosted):
                    rules = step.state.rules
                    self.bring_in = rules.bring_in if rules.short_bring_in == ShortBringIn.FULL_AMOUNT else event.to
        if step.state.phase == Phase.BETTING and moved and not round_began:
            assert self._next_after(step.state, moved) == step.state.actor
        if step.state.phase == Phase.BETTING:
            assert step.state.actor in self._waiting(step.state)
        self.actor = step.state.actor if step.state.phase in (Phase.BRING_IN, Phase.BETTING) else 0
        if step.state.rules.rolls:
            self._watch_rolls(step)

    def _waiting(self, state: State) -> set[int]:
        level = max(self.bring_in, *(player.bet for player in state.players))
        able = [p for p in state.live if not p.out and (p.stack > 0 or state.rules.credit)]
        waiting = {p.seat for p in able if p.bet < level or p.seat not in self.acted}
        return set() if len(able) == 1 and able[0].bet == level else waiting

    def _next_after(self, state: State, seat: int) -> int | None:
        waiting = self._waiting(state)
        return next((other for other in _clockwise(state, seat) if other in waiting), None)

    # Roll your own

    def _watch_rolls(self, step: Step) -> None:
        state = step.state
        for event in step.events:
            if isinstance(event, CardRolled):
                assert event.seat != self.leader
                self.roller, self.turn_is_over = event.seat, False
            elif isinstance(event, LeaderNamed):
                self.leader = event.seat
                self.turn_is_over |= event.seat == self.roller
            elif isinstance(event, PlayerOut):
                assert not state.player(event.seat).unseen
                assert event.seat != self.leader
                self.roller, self.turn_is_over = event.seat, True
            elif isinstance(event, Folded) and event.seat == self.roller:
                self.turn_is_over = True
        if state.phase == Phase.ROLL:
            self._check_roller(state)
        elif state.phase == Phase.SHOWDOWN:
            still_in = {player.seat for player in state.live if not player.out}
            assert still_in <= {self.leader}

    def _check_roller(self, state: State) -> None:
        may_roll = {player.seat for player in state.live if not player.out and player.seat != self.leader}
        assert state.actor in may_roll
        assert state.player(state.actor).unseen
        if not self.turn_is_over:
            assert state.actor == self.roller
            others = [showing(state, player) for player in state.live if player.seat != state.actor]
            assert showing(state, state.player(state.actor)) <= max(others)
        else:
            last = self.roller or state.players[-1].seat
            assert state.actor == next(seat for seat in _clockwise(state, last) if seat in may_roll)
        self.roller, self.turn_is_over = state.actor, False


def _clockwise(state: State, seat: int) -> list[int]:
    seats = [player.seat for player in state.players]
    return seats[seats.index(seat) + 1 :] + seats[: seats.index(seat) + 1]


def showing(state: State, player: Player) -> int:
    """The value of what a player shows, 0 for nothing."""
    visible = mask_of((*player.up, *state.community))
    wild = wild_for(state, player) if state.rules.wild_in_showing else 0
    return engine.evaluate_showing(visible, wild, ranking=state.rules.ranking) if visible else 0


def wild_for(state: State, player: Player) -> int:
    """The cards that are wild for a player: printed, named, of the pay rank if dealt down or paid for."""
    rules = state.rules
    wild = rules.wild_mask
    if state.named_wild >= 0:
        wild |= rank_mask(state.named_wild)
    free_for_all = state.community if rules.pay_scope == "first_only" and state.pay_bought else ()
    return wild | rules.pay_mask & mask_of((*player.down, *player.paid, *free_for_all))
