"""One deal as a value: everything that is so at this moment, and what follows from it directly. No rules live here."""

from enum import StrEnum

import msgspec

from engine.cards import mask_of
from engine.events import PurchaseKind
from engine.pots import Pot, layered
from engine.rules import Rules


class Phase(StrEnum):
    """Where the hand stands: what it waits for, or what it is about to do by itself."""

    __hash__ = str.__hash__  # that of an enum takes much longer, and tables are read by phase in every step

    PURCHASE = "purchase"
    CLAIM = "claim"
    """A seat is asked whether it claims a bonus card for a hole card."""
    ROLL = "roll"
    BRING_IN = "bring_in"
    BETTING = "betting"
    SHOWDOWN = "showdown"
    FINISHED = "finished"
    DEALING = "dealing"
    """The next card leaves the deck. A hand never rests in this phase, nor in those below."""
    ASKING_BEFORE = "asking_before"
    """Hole bonuses are asked for before a dealing round, and after its cards."""
    ASKING_AFTER = "asking_after"
    ROLLING = "rolling"
    OPENING = "opening"
    CLOSING = "closing"
    WALKOVER = "walkover"


_FINISHED = Phase.FINISHED  # CPython 3.11 takes long to read a member off its enum
NO_RANK = -1


class Player(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One seat's part in the deal. Cards stand in the order they were dealt; the first up card is the door card."""

    seat: int
    stack: int
    down: tuple[int, ...] = ()
    up: tuple[int, ...] = ()
    dead: tuple[int, ...] = ()
    """Replaced cards, face up and out of play."""
    collected: int = 0
    """Antes and bets of the earlier rounds; purchases are dead money and not in it."""
    bet: int = 0
    """What lies in front of the player on this round."""
    folded: bool = False
    acted: bool = False
    """Whether the player has acted since the last full bet or raise."""
    shown: bool = False
    paid: tuple[int, ...] = ()
    """Open cards of the pay rank that were bought, or came free, and so are wild."""
    claimable: tuple[int, ...] = ()
    """Down cards of the bonus rank for which a bonus card can still be claimed."""
    unseen: tuple[int, ...] = ()
    """Cards that not even the player has seen (roll your own), the next one to roll first."""
    out: bool = False
    """Rolled everything without taking the lead: no more bets, but the hand stays shown."""

    @property
    def cards(self) -> int:
        """The mask of all cards the player holds."""
        return mask_of(self.down) | mask_of(self.up)

    @property
    def contributed(self) -> int:
        """Antes and bets of the whole hand: what layers the pots."""
        return self.collected + self.bet


class Trigger(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A dealt card that still has to be settled before the next one leaves the deck."""

    seat: int
    card: int
    purchase: PurchaseKind | None
    """What it buys; None is the rain card, which buys nothing."""
    settled: bool = False
    """Paid for, or free: the card it earned comes next."""


class Offer(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The purchase a seat is deciding on; ``price`` is what it would pay, in minor units."""

    seat: int
    card: int
    purchase: PurchaseKind
    price: int
    """For a hole bonus everybody is asked, and ``card`` is the one that could be claimed for, or hidden."""


class Betting(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Where the betting of the running round stands, in minor units."""

    level: int = 0
    """What a player must have in front to have called."""
    full_level: int = 0
    """The last full bet or raise: the next full one is measured from here."""
    step: int = 0
    """The size of the last full bet or raise of the round, 0 before one."""
    raises: int = 0
    opened: bool = False
    """Whether a full opening bet stands; a partial bring-in or a short all-in bet can still be completed."""
    open_pair: bool = False
    """Whether a pair shows on fourth street, so that low and high bets are both allowed."""
    high: bool = False
    """Whether a high bet was made where both are allowed: all raises are high then."""
    heads_up: bool = False
    """Whether the round began with two players."""
    aggressor: int = 0
    """The seat of the last bet or raise of this round, 0 if none."""


class Award(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What a seat took out of the hand, in minor units."""

    seat: int
    amount: int


class State(msgspec.Struct, frozen=True, array_like=True, dict=True):
    """One deal. ``players`` are in dealing order: clockwise from the dealer's left.

    Beside its fields a state keeps its draft (``engine.draft.twin_of``), which is neither encoded nor compared.
    """

    rules: Rules
    phase: Phase
    seat_count: int
    """The highest seat number at the table, so that ``stacks`` can be read by seat."""
    button: int
    chips: int
    """All stacks and pots together: what no step may change."""
    players: tuple[Player, ...]
    deck: tuple[int, ...]
    """The cards that are left, the next one first."""
    spare: tuple[int, ...] = ()
    """The order in which recycled cards would come back."""
    burns: tuple[int, ...] = ()
    community: tuple[int, ...] = ()
    round: int = 0
    """The index of the dealing round and of the betting round that follows it."""
    cursor: int = -1
    """How many places the round's cards have been dealt to, -1 before the round begins."""
    triggers: tuple[Trigger, ...] = ()
    offer: Offer | None = None
    actor: int = 0
    """The seat to act, 0 when nobody acts."""
    betting: Betting = Betting()
    dead_money: tuple[tuple[int, int], ...] = ()
    """Purchases and carried pots as (level, amount): the amount lies in the pot that holds that contribution level."""
    awards: tuple[Award, ...] = ()
    betting_round: int = 0
    """How many betting rounds there were before this one."""
    named_wild: int = NO_RANK
    """The rank that an up card named wild, besides the printed ones."""
    naming: bool = False
    """Whether the next up card names the wild rank."""
    pay_bought: bool = False
    """Whether an open card of the pay rank has been bought in this deal."""
    asked: int = 0
    """How many places have answered whether they claim a hole bonus."""
    down_dealt: bool = False
    """Whether a card went down in this round, so that somebody may have a hole bonus to claim."""
    leader: int = 0
    """The seat to beat in roll your own, 0 before the first card is rolled."""
    roller: int = 0
    """The seat that rolls, or rolled last."""
    rolled: int = -1
    """How many cards the roller has rolled on this turn; negative between turns."""
    rained: bool = False
    """Whether the hand was rained out: it is over and not resolved."""
    carry: int = 0
    """What a rained-out hand leaves for the next one."""

    @property
    def finished(self) -> bool:
        """Whether the hand is over and every chip is back in a stack."""
        return self.phase == _FINISHED

    @property
    def street(self) -> int:
        """The street: how many cards a player without bonus cards holds once it is dealt."""
        return sum(map(len, self.rules.rounds[: self.round + 1]))

    @property
    def pots(self) -> tuple[Pot, ...]:
        """What is in the middle, the main pot first; none once the hand is finished.

        The bets of the running round count in the newest pot until the round closes and layers them.
        """
        if self.finished:
            return ()
        pots = layered([(p.seat, p.collected, not p.folded) for p in self.players], self.dead_money)
        in_front = sum([player.bet for player in self.players])
        return (*pots[:-1], Pot(pots[-1].amount + in_front, pots[-1].seats))

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats that took something out of the middle, lowest first."""
        return tuple(sorted({award.seat for award in self.awards}))

    @property
    def live(self) -> tuple[Player, ...]:
        """The players still in, in dealing order."""
        return tuple([player for player in self.players if not player.folded])

    def player(self, seat: int) -> Player:
        """Return the player of a seat; KeyError where nobody was dealt in."""
        for player in self.players:
            if player.seat == seat:
                return player
        raise KeyError(seat)

    def undecided(self, player: Player) -> bool:
        """Whether a player still has something to decide in this hand."""
        over = self.phase in (Phase.SHOWDOWN, Phase.FINISHED)
        return not (over or player.folded or player.out or self.all_in(player))

    def all_in(self, player: Player) -> bool:
        """Whether a player is in the hand with nothing left to bet."""
        return not player.folded and player.stack == 0 and not self.rules.credit

    @property
    def stacks(self) -> tuple[int, ...]:
        """The stacks by seat number, seat 1 first, 0 where nobody was dealt in."""
        stacks = [0] * self.seat_count
        for player in self.players:
            stacks[player.seat - 1] = player.stack
        return tuple(stacks)
