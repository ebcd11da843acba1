"""The chips of a hand, counted from its events alone and layered the slow way: one share of a chip after the other."""

from engine import Rules, State
from engine.events import (
    AntePosted,
    AnyEvent,
    BetMade,
    BetReturned,
    BettingClosed,
    BringInPosted,
    Called,
    Completed,
    Folded,
    HandEnded,
    HandStarted,
    PotAwarded,
    PurchaseKind,
    PurchaseMade,
    RainedOut,
    Raised,
)
from engine.knobs import PurchaseTo

_CHOSEN_FOR_NOTHING = (PurchaseKind.REPLACEMENT, PurchaseKind.HOLE_BONUS)
"""What is decided even where it is free; everything else that is free comes without a question."""

Pots = list[tuple[int, set[int]]]


class Ledger:
    """Keeps stacks, bets and pots while events come in, and checks the books after each of them."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.stacks: dict[int, int] = {}
        self.bets: dict[int, int] = {}
        self.collected: dict[int, int] = {}
        self.dead_money: list[tuple[int, int]] = []
        self.folded: set[int] = set()
        self.total = 0
        self.paid_out = 0
        self.carry = 0
        """What a rained-out hand leaves for the next one."""

    @property
    def middle(self) -> int:
        """What lies in the middle, bets in front of players included."""
        paid_in = sum(self.bets.values()) + sum(self.collected.values()) + sum(amount for _, amount in self.dead_money)
        return paid_in - self.paid_out

    def record(self, event: AnyEvent) -> None:
        """Book one event."""
        match event:
            case HandStarted(stacks=stacks, carry=carry):
                self.stacks = dict(stacks)
                self.bets = dict.fromkeys(self.stacks, 0)
                self.collected = dict.fromkeys(self.stacks, 0)
                self.dead_money = [(0, carry)]
                self.total = sum(self.stacks.values()) + carry
            case AntePosted(seat=seat, paid=paid):
                assert paid > 0
                self.stacks[seat] -= paid
                self.collected[seat] += paid
            case Raised(seat=seat, from_=from_, to=to, paid=paid):
                assert self.bets[seat] == from_ < to
                self._bet(seat, to, paid)
            case BringInPosted() | Completed() | Called() | BetMade():
                self._bet(event.seat, event.to, event.paid)
            case BetReturned(seat=seat, amount=amount):
                assert 0 < amount <= self.bets[seat]
                self.bets[seat] -= amount
                self.stacks[seat] += amount
            case BettingClosed(pots=pots):
                self._collect()
                assert self.pots() == [(amount, set(seats)) for amount, seats in pots if amount]
            case PurchaseMade(seat=seat, paid=paid):
                assert paid > 0 or (paid == 0 and event.purchase in _CHOSEN_FOR_NOTHING)
                self.stacks[seat] -= paid
                to_current_pot = self.rules.purchase_to == PurchaseTo.CURRENT_POT
                self.dead_money.append((self.collected[seat] if to_current_pot else 0, paid))
            case Folded(seat=seat):
                self.folded.add(seat)
            case PotAwarded(amount=amount, shares=shares):
                assert amount == sum(share for _, share in shares)
                assert all(share > 0 and seat not in self.folded for seat, share in shares)
                self.paid_out += amount
                for seat, share in shares:
                    self.stacks[seat] += share
            case RainedOut() | HandEnded():
                self._end(event)
        assert self.total == sum(self.stacks.values()) + self.middle + self.carry
        assert self.rules.credit or min(self.stacks.values()) >= 0

    def _end(self, event: RainedOut | HandEnded) -> None:
        if isinstance(event, RainedOut):
            assert self.middle == event.carry
            self.carry = event.carry
            self.paid_out += event.carry
        else:
            assert self.middle == 0
            assert self.stacks == dict(event.stacks)

    def _bet(self, seat: int, to: int, paid: int) -> None:
        assert paid > 0
        assert to == self.bets[seat] + paid
        self.stacks[seat] -= paid
        self.bets[seat] = to

    def _collect(self) -> None:
        for seat, bet in self.bets.items():
            self.collected[seat] += bet
            self.bets[seat] = 0

    def pots(self) -> Pots:
        """Layer what is collected; chips that no player still in has reached fall into the pot below."""
        live = set(self.stacks) - self.folded
        layers: list[tuple[int, int, set[int]]] = [(0, 0, live)]
        for top in sorted(set(self.collected.values()) - {0}):
            bottom = layers[-1][0]
            amount = (top - bottom) * sum(paid >= top for paid in self.collected.values())
            layers.append((top, amount, {seat for seat in live if self.collected[seat] >= top}))
        for level, dead in self.dead_money:
            at = next((at for at, (top, _, _) in enumerate(layers) if top >= level), len(layers) - 1)
            top, amount, seats = layers[at]
            layers[at] = (top, amount + dead, seats)
        pots: Pots = []
        for _, amount, seats in layers:
            if pots and (seats == pots[-1][1] or not seats):
                pots[-1] = (pots[-1][0] + amount, pots[-1][1])
            else:
                pots.append((amount, seats))
        return [pot for pot in pots if pot[0]]

    def compare(self, state: State) -> None:
        """Check the engine's own account of the hand."""
        assert self.stacks == {player.seat: player.stack for player in state.players}
        assert self.middle == sum(pot.amount for pot in state.pots)
        assert self.carry == state.carry
        if not any(self.bets.values()) and not state.finished:
            assert self.pots() == [(pot.amount, set(pot.seats)) for pot in state.pots if pot.amount]
