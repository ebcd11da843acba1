"""Whose turn it is, worked out from the events alone, without the engine's notion of who may still raise."""

from engine import State, Step
from engine.events import (
    BetMade,
    BringInPosted,
    Called,
    Checked,
    Completed,
    Folded,
    Raised,
    StreetStarted,
)
from engine.knobs import ShortBringIn
from engine.state import Phase

_MOVES = Checked | Called | BetMade | Raised | Completed | BringInPosted | Folded


class Referee:
    """Watches the steps of one hand and knows who must act next within a betting round."""

    def __init__(self) -> None:
        self.acted: set[int] = set()
        self.bring_in = 0
        self.actor = 0
        """Who was to bet before the step."""

    def watch(self, step: Step) -> None:
        """Take note of a step and check the turn it leads to."""
        moved = 0
        round_began = False
        for event in step.events:
            if isinstance(event, StreetStarted):
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

    def _waiting(self, state: State) -> set[int]:
        level = max(self.bring_in, *(player.bet for player in state.players))
        able = [p for p in state.live if p.stack > 0 or state.rules.credit]
        waiting = {p.seat for p in able if p.bet < level or p.seat not in self.acted}
        return set() if len(able) == 1 and able[0].bet == level else waiting

    def _next_after(self, state: State, seat: int) -> int | None:
        seats = [player.seat for player in state.players]
        clockwise = seats[seats.index(seat) + 1 :] + seats[: seats.index(seat)]
        waiting = self._waiting(state)
        return next((other for other in clockwise if other in waiting), None)
