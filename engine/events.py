"""What happened, in the words of a stud table.

Every transition yields events; streams, histories and tests read the same records. They are complete: put each
through ``engine.visible`` before anybody sees it. Amounts are minor units, ``to`` is the player's bet on this round
after the action, ``paid`` is what left the stack. Seats are 1-based; a card is hidden as ``HIDDEN``.
"""

from enum import StrEnum

import msgspec


class Face(StrEnum):
    """How a card lies."""

    UP = "up"
    DOWN = "down"
    UNSEEN = "unseen"
    """Face down and unknown even to its holder (roll your own)."""


class DealCause(StrEnum):
    """Why a card was dealt."""

    STREET = "street"
    BONUS = "bonus"
    REPLACEMENT = "replacement"


class PurchaseKind(StrEnum):
    """What a purchase buys."""

    PAY_RANK = "pay_rank"
    """The right to count an open card of the pay rank as wild."""
    BONUS = "bonus"
    """One more card for an open card of the bonus rank."""
    REPLACEMENT = "replacement"
    """A new card in place of the open card of the bonus rank."""
    HOLE_BONUS = "hole_bonus"
    """One more card for a card of the bonus rank dealt down."""


class PotHalf(StrEnum):
    """Which part of a pot is awarded."""

    WHOLE = "whole"
    HIGH = "high"
    LOW = "low"


def _snake(name: str) -> str:
    return "".join("_" + c.lower() if c.isupper() else c for c in name).lstrip("_")


class Event(msgspec.Struct, frozen=True, array_like=True, tag=_snake, gc=False):
    """The root of all events."""


class HandStarted(Event, frozen=True):
    """A hand begins. ``stacks`` are (seat, stack) before the antes, in dealing order; ``carry`` is a rained-out pot."""

    button: int
    stacks: tuple[tuple[int, int], ...]
    carry: int = 0


class AntePosted(Event, frozen=True):
    """A seat put in its ante, or what it had."""

    seat: int
    paid: int


class Burned(Event, frozen=True):
    """A card was burned; nobody ever sees it."""

    card: int


class BurnsReturned(Event, frozen=True):
    """The deck ran short: ``count`` burned (or folded) cards went back to be dealt."""

    count: int


class StreetStarted(Event, frozen=True):
    """The dealing of a street begins; a player without bonus cards will then hold ``street`` cards."""

    street: int


class CardDealt(Event, frozen=True):
    """A seat got a card."""

    seat: int
    card: int
    face: Face
    cause: DealCause = DealCause.STREET


class CommunityCardDealt(Event, frozen=True):
    """One card was turned up for everybody, in place of the last card that the deck had no more for each."""

    card: int


class CardRolled(Event, frozen=True):
    """A seat turned up one of its unseen cards."""

    seat: int
    card: int


class WildNamed(Event, frozen=True):
    """The rank that is wild from now on besides the printed ones, or None: only those."""

    rank: int | None


class PurchaseOffered(Event, frozen=True):
    """A seat must decide on a purchase before the deal goes on; ``card`` is the one that raised it."""

    seat: int
    purchase: PurchaseKind
    card: int
    price: int


class PurchaseMade(Event, frozen=True):
    """A seat bought, for ``paid`` (less than the price if all-in)."""

    seat: int
    purchase: PurchaseKind
    card: int
    paid: int


class PurchaseDeclined(Event, frozen=True):
    """A seat did not buy."""

    seat: int
    purchase: PurchaseKind
    card: int


class CardReplaced(Event, frozen=True):
    """An open card of the bonus rank died face up; its replacement follows."""

    seat: int
    card: int


class CardExposed(Event, frozen=True):
    """A seat turned up the down card that it claimed a bonus card for."""

    seat: int
    card: int


class BringInPosted(Event, frozen=True):
    """A seat opened with the bring-in."""

    seat: int
    to: int
    paid: int


class Completed(Event, frozen=True):
    """A seat raised a partial opening bet to the full one."""

    seat: int
    to: int
    paid: int


class Checked(Event, frozen=True):
    """A seat passed with nothing to call."""

    seat: int


class Called(Event, frozen=True):
    """A seat matched the level, or put in what it had."""

    seat: int
    to: int
    paid: int


class BetMade(Event, frozen=True):
    """A seat opened the betting of a round."""

    seat: int
    to: int
    paid: int


class Raised(Event, frozen=True):
    """A seat went above the level: its own bet rose ``from_`` … ``to``."""

    seat: int
    from_: int
    to: int
    paid: int


class Folded(Event, frozen=True):
    """A seat is out of the hand."""

    seat: int


class LeaderNamed(Event, frozen=True):
    """A seat leads the roll: the others must beat its shown hand."""

    seat: int


class PlayerOut(Event, frozen=True):
    """A seat rolled its last card without beating the leader: no more bets, the hand stays shown."""

    seat: int


class BetReturned(Event, frozen=True):
    """The part of a bet that nobody called went back to its owner."""

    seat: int
    amount: int


class BettingClosed(Event, frozen=True):
    """A betting round is over; ``pots`` are (amount, seats that can win it), the main pot first."""

    pots: tuple[tuple[int, tuple[int, ...]], ...]


class HandShown(Event, frozen=True):
    """A seat showed its hand.

    ``best`` are the five cards that play, ``wild_as`` pairs each wild among them with the card it stands for;
    ``low`` are the five cards of the low, empty where there is none.
    """

    seat: int
    cards: tuple[int, ...]
    value: int
    best: tuple[int, ...]
    wild_as: tuple[tuple[int, int], ...] = ()
    low: tuple[int, ...] = ()


class PotAwarded(Event, frozen=True):
    """A pot, or half of it, was paid: ``shares`` are (seat, amount). Pot 0 is the main pot."""

    pot: int
    half: PotHalf
    amount: int
    shares: tuple[tuple[int, int], ...]


class RainedOut(Event, frozen=True):
    """The rain card came up: the hand is void and ``carry`` goes into the next one."""

    seat: int
    card: int
    carry: int


class HandEnded(Event, frozen=True):
    """The hand is over; ``stacks`` are (seat, stack) in dealing order."""

    stacks: tuple[tuple[int, int], ...]


AnyEvent = (
    HandStarted
    | AntePosted
    | Burned
    | BurnsReturned
    | StreetStarted
    | CardDealt
    | CommunityCardDealt
    | CardRolled
    | WildNamed
    | PurchaseOffered
    | PurchaseMade
    | PurchaseDeclined
    | CardReplaced
    | CardExposed
    | BringInPosted
    | Completed
    | Checked
    | Called
    | BetMade
    | Raised
    | Folded
    | LeaderNamed
    | PlayerOut
    | BetReturned
    | BettingClosed
    | HandShown
    | PotAwarded
    | RainedOut
    | HandEnded
)
"""The union of all events, for decoding."""
