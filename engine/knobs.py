"""The values that the knobs of a game may take.

Choices by name are string enums; choices that carry amounts (a betting structure, a price) are small records told apart
by ``kind``. Amounts are int64 minor units.
"""

from enum import StrEnum

import msgspec


class Stakes(StrEnum):
    """Where chips come from: what lies on the table, or a balance that may go below zero."""

    TABLE_STAKES = "table_stakes"
    CREDIT = "credit"


class Burn(StrEnum):
    """Before which dealing rounds a card is burned."""

    NONE = "none"
    EVERY_ROUND = "every_round"
    NOT_FIRST = "every_round_but_the_first"


class Exhaustion(StrEnum):
    """What happens when the deck is too short for the last round."""

    BURNS_THEN_COMMUNITY = "burns_then_community"
    COMMUNITY = "community"
    RECYCLE_FOLDED = "recycle_folded"


class RevealMode(StrEnum):
    """Whether cards are dealt face up street by street or rolled by their holders."""

    STUD = "stud"
    ROLL_YOUR_OWN = "roll_your_own"


class WildBringIn(StrEnum):
    """How a wild door card counts for the bring-in."""

    PRINTED = "printed"
    HIGH = "high"


class FiveOfAKind(StrEnum):
    """Where five of a kind ranks."""

    ABOVE_STRAIGHT_FLUSH = "above_straight_flush"
    BELOW_ROYAL_FLUSH = "below_royal_flush"


class ShowingTie(StrEnum):
    """Who goes first when the best showing hands are equal."""

    POSITION = "position"
    SUIT = "suit"


class LowScale(StrEnum):
    """How low hands rank: ace to five, or ace to six where straights and flushes count."""

    A5 = "A5"
    A6 = "A6"


class LowQualifier(StrEnum):
    """What a low must be to count."""

    EIGHT = "eight"
    NONE = "none"


class WildInLow(StrEnum):
    """What a wild card may be in a low hand."""

    WILD = "wild"
    NATURAL = "natural"
    EXCLUDED = "excluded"


class PayScope(StrEnum):
    """Whether every open card of the pay rank is paid for, or only the first."""

    EVERY = "every"
    FIRST_ONLY = "first_only"


class PayDecline(StrEnum):
    """What refusing to pay for a pay-rank card means."""

    FOLD = "fold"
    NATURAL = "natural"


class BonusStreets(StrEnum):
    """Which up cards of the bonus rank earn a card."""

    ALL = "all"
    NOT_DOOR = "not_door"


class BonusMode(StrEnum):
    """Whether the bonus card comes besides the bonus-rank card or in its place."""

    EXTRA = "extra"
    REPLACE = "replace"


class BonusFace(StrEnum):
    """How a bonus card is dealt."""

    UP = "up"
    DOWN = "down"
    AS_TRIGGER = "as_trigger"


class BonusDecline(StrEnum):
    """What refusing to pay for a bonus card means."""

    FOLD = "fold"
    NO_CARD = "no_card"


class HoleBonusClaim(StrEnum):
    """When a bonus-rank card dealt down may be claimed."""

    OWN_STREET = "own_street"
    BETWEEN_ROUNDS = "between_rounds"


class ShortPurchase(StrEnum):
    """What a player does who cannot pay a forced purchase in full."""

    ALL_IN = "all_in"
    FOLD = "fold"


class PurchaseTiming(StrEnum):
    """Whether purchases interrupt the deal or follow the round's cards."""

    AS_DEALT = "as_dealt"
    AFTER_ROUND = "after_round"


class PurchaseTo(StrEnum):
    """Which pot a purchase goes into."""

    MAIN_POT = "main_pot"
    CURRENT_POT = "current_pot"


class MatchBasis(StrEnum):
    """Which pots a match-pot price counts."""

    ALL_POTS = "all_pots"
    ELIGIBLE_POTS = "eligible_pots"


class ShortBringIn(StrEnum):
    """What others owe when the bring-in is posted short."""

    FULL_AMOUNT = "full_amount"
    AS_POSTED = "as_posted"


class FirstOpener(StrEnum):
    """Who opens the first betting round."""

    BRING_IN = "bring_in"
    BEST_SHOWING = "best_showing"


class ShortRaise(StrEnum):
    """From which size an all-in bet or raise counts as a full one."""

    HALF_BET = "half_bet"
    FULL_RAISE = "full_raise"


class Split(StrEnum):
    """Who takes the pot: the high hand, or the high and the low hand half each."""

    HIGH = "high"
    HIGH_LOW = "high_low"


class OddUnit(StrEnum):
    """Who gets the units that do not divide."""

    HIGH_CARD_ALL_CARDS = "high_card_all_cards"
    HIGH_CARD_BEST_FIVE = "high_card_best_five"
    FIRST_LEFT_OF_DEALER = "first_left_of_dealer"
    EXACT = "exact"


def _snake(name: str) -> str:
    return "".join("_" + c.lower() if c.isupper() else c for c in name).lstrip("_")


class _Choice(msgspec.Struct, frozen=True, tag_field="kind", tag=_snake):
    """A choice among several shapes, told apart by ``kind``."""


class FixedLimit(_Choice, frozen=True):
    """Bets and raises of ``low`` in the early betting rounds and ``high`` in the later ones."""

    low: int
    high: int


class OneUnit(_Choice, frozen=True):
    """Bets and raises of one size on every round."""

    bet: int


class Doubling(_Choice, frozen=True):
    """Every raise doubles the level; each round opens at ``bet``."""

    bet: int


class Spread(_Choice, frozen=True):
    """Any bet from ``min`` to ``max``; a raise is at least the last one."""

    min: int
    max: int


class PotLimit(_Choice, frozen=True):
    """Any bet from ``min`` up to what the pot holds after calling."""

    min: int


class NoLimit(_Choice, frozen=True):
    """Any bet from ``min`` up to the stack."""

    min: int


class Free(_Choice, frozen=True):
    """Costs nothing."""


class Fixed(_Choice, frozen=True):
    """Costs a fixed amount."""

    amount: int


class MatchPot(_Choice, frozen=True):
    """Costs what is in the pots at that moment."""


class MatchPotCapped(_Choice, frozen=True):
    """Costs what is in the pots, but at most ``cap``."""

    cap: int


class MinBet(_Choice, frozen=True):
    """Costs a multiple of the structure's smallest bet, on every street."""

    multiple: int


Structure = FixedLimit | OneUnit | Doubling | Spread | PotLimit | NoLimit
PayPrice = Fixed | MatchPot | MatchPotCapped
BonusPrice = Free | Fixed | MatchPot | MatchPotCapped | MinBet
