"""What is to come for hands that are not dealt to their end, from what is known of them.

Cards that nobody is known to have are alike, whether they lie in the deck, among the burns or under somebody's hand.
So what a folded player was not seen to hold may still come; too short a deck is settled as in rules, section 6, for
the hands that are asked about. Dead cards never come back.
"""

from collections.abc import Sequence
from functools import cache
from math import comb

import msgspec

from engine.cards import DECK_SIZE, card_text, mask_of, parse_rank, rank_mask
from engine.errors import OddsError
from engine.knobs import (
    BonusFace,
    BonusMode,
    BonusStreets,
    Burn,
    Exhaustion,
    LowQualifier,
    LowScale,
    RevealMode,
    Split,
    WildInLow,
)
from engine.ranking import Ranking
from engine.rule_checks import MAX_SEATS
from engine.rules import Rules

_DECK = (1 << DECK_SIZE) - 1
_CARDS = ("down", "up")


class KnownHand(msgspec.Struct, frozen=True):
    """What is known of a hand.

    ``up`` are all its up cards, in the order dealt, and ``down`` the down cards that are known, as numbers. ``unseen``
    is how many down cards it holds beside them; it may be left out, for they are as good as cards still to come.
    ``declined`` is how many of its open cards of the bonus rank have brought no card and will bring none.
    """

    up: Sequence[int] = ()
    down: Sequence[int] = ()
    unseen: int = 0
    declined: int = 0


class Low(msgspec.Struct, frozen=True):
    """How the low half of the pot is won. Cards are 52-bit masks."""

    straights_count: bool
    top: int
    """The highest rank that qualifies (ace 1); 0: any."""
    wild: int
    usable: int


class Outlook(msgspec.Struct, frozen=True):
    """What is to come, and what decides at the end. Cards are 52-bit masks, tuples have a value for each seat."""

    held: tuple[int, ...]
    """The cards that are known."""
    open: tuple[int, ...]
    """How many cards come that may earn a bonus card."""
    closed: tuple[int, ...]
    """How many other cards come; bonus cards for those that are still to come count nowhere."""
    unseen: int
    """The cards that may come."""
    bonus: int
    """The cards that earn a bonus card."""
    bonus_up: bool
    """Whether a bonus card may earn another."""
    reserve: int
    """How many of the unseen cards were or will be burned for good."""
    slack: int
    """How many more bonus cards leave enough cards for the last round."""
    wild: int
    ranking: Ranking
    low: Low | None

    @property
    def bonuses_most(self) -> int:
        """How many bonus cards may come."""
        return (self.bonus & self.unseen).bit_count() if any(self.open) else 0

    @property
    def draws_most(self) -> int:
        """How many cards may be drawn at most."""
        return min(self.unseen.bit_count(), sum(self.open) + sum(self.closed) + self.bonuses_most)

    def ways(self) -> int:
        """Return how many different ways to deal on the kernel tells apart."""
        seats = len(self.held)

        @cache
        def open_ways(seat: int, due: int, left: int, triggers: int, extra: tuple[int, ...]) -> int:
            if seat == seats:
                return closed_ways(left, extra)
            ways = 0
            for hits in range(min(due, triggers) + 1):
                sets = comb(triggers, hits) * comb(left - triggers, due - hits)
                if not sets:
                    continue
                rest = (left - due, triggers - hits)
                so_far = (*extra[:-1], extra[-1] + hits)
                if hits and self.bonus_up:
                    ways += sets * open_ways(seat, hits, *rest, so_far)
                else:
                    following = self.open[seat + 1] if seat + 1 < seats else 0
                    ways += sets * open_ways(seat + 1, following, *rest, (*so_far, 0))
            return ways

        def closed_ways(left: int, extra: tuple[int, ...]) -> int:
            short = sum(extra) > self.slack
            ways = 1
            for seat in range(seats):
                cards = self.closed[seat] - short + (0 if self.bonus_up else extra[seat])
                ways *= comb(left, cards)
                left -= cards
            return ways * left if short and left > self.reserve else ways

        return open_ways(0, self.open[0], self.unseen.bit_count(), (self.bonus & self.unseen).bit_count(), (0,))


def outlook_of(rules: Rules, hands: Sequence[KnownHand], dead: Sequence[int]) -> Outlook:
    """Return what is to come.

    Raises:
        OddsError: if a card is there twice, a hand has more cards than the game gives it, the deck cannot supply those
            to come, or the game leaves choices that nobody can foresee here.
        TypeError: if an argument is of another type.
    """
    _check_rules(rules)
    _check_hands(hands)
    _check_cards(dead, "dead")
    return _outlook(rules, hands, dead)


def check_number(name: str, value: int, least: int, most: int) -> None:
    """Refuse a whole number that is out of its range; the error names the argument.

    Raises:
        OddsError: if it is out of its range.
        TypeError: if it is no whole number.
    """
    if type(value) is not int:
        raise TypeError(f"{name}: a whole number is needed, not {type(value).__name__}")
    if not least <= value <= most:
        shown = value if value.bit_length() <= 128 else f"an int of {value.bit_length()} bits"
        raise OddsError(name, f"{shown} is not from {least} to {most}")


def _check_rules(rules: Rules) -> None:
    if not isinstance(rules, Rules):
        raise TypeError(f"rules: Rules are needed, not {type(rules).__name__}")
    unforeseen = {
        "reveal_mode": rules.reveal_mode == RevealMode.ROLL_YOUR_OWN,
        "bonus_mode": rules.bonus_mode == BonusMode.REPLACE,
        "hole_bonus": rules.hole_bonus is not None,
        "wild_next_after": rules.wild_next_after is not None,
        "rain_card": rules.rain_card is not None,
    }
    for knob, is_set in unforeseen.items():
        if is_set:
            value = msgspec.to_builtins(getattr(rules, knob))
            raise OddsError("rules", f"odds cannot be foretold with {knob} = {value}")


def _check_hands(hands: Sequence[KnownHand]) -> None:
    if not isinstance(hands, Sequence) or not all(isinstance(hand, KnownHand) for hand in hands):
        raise TypeError("hands: a sequence of KnownHand is needed")
    if not 2 <= len(hands) <= MAX_SEATS:
        raise OddsError("hands", f"{len(hands)} hands are not from 2 to {MAX_SEATS}")
    for place, hand in enumerate(hands):
        _check_cards(hand.up, f"hands[{place}].up")
        _check_cards(hand.down, f"hands[{place}].down")
        check_number(f"hands[{place}].unseen", hand.unseen, 0, DECK_SIZE)
        check_number(f"hands[{place}].declined", hand.declined, 0, DECK_SIZE)


def _check_cards(cards: Sequence[int], name: str) -> None:
    if not isinstance(cards, Sequence) or any(type(card) is not int for card in cards):
        raise TypeError(f"{name}: a sequence of card numbers is needed")
    if any(not 0 <= card < DECK_SIZE for card in cards):
        raise OddsError(name, f"a card is a number from 0 to {DECK_SIZE - 1}")


def _outlook(rules: Rules, hands: Sequence[KnownHand], dead: Sequence[int]) -> Outlook:
    known = _known(hands, dead)
    waiting = [_waiting(rules, hand, f"hands[{place}]") for place, hand in enumerate(hands)]
    unseen = _DECK & ~known
    wild = rules.wild_mask | (0 if rules.pay_rank is None else rank_mask(parse_rank(rules.pay_rank)))
    outlook = Outlook(
        held=tuple(mask_of((*hand.up, *hand.down)) for hand in hands),
        open=tuple(open_ for open_, _, _ in waiting),
        closed=tuple(closed for _, closed, _ in waiting),
        unseen=unseen,
        bonus=rules.bonus_mask,
        bonus_up=rules.bonus_face != BonusFace.DOWN,
        reserve=_never_returned(rules),
        slack=DECK_SIZE,
        wild=wild,
        ranking=rules.ranking,
        low=_low_of(rules, wild),
    )
    supply = unseen.bit_count() - outlook.reserve
    to_come = sum(outlook.open) + sum(outlook.closed)
    if all(waits_for_last for _, _, waits_for_last in waiting):
        outlook = msgspec.structs.replace(outlook, slack=supply - to_come)
        to_come -= len(hands)
    if to_come + outlook.bonuses_most > supply:
        coming = f"{to_come} and up to {outlook.bonuses_most} bonus cards"
        raise OddsError("dead", f"only {supply} cards are left, and {coming} are to come")
    if rules.exhaustion == Exhaustion.RECYCLE_FOLDED and dead and outlook.bonuses_most > outlook.slack:
        raise OddsError("dead", "in this game dead cards may come back where the last round is short of cards")
    return outlook


def _known(hands: Sequence[KnownHand], dead: Sequence[int]) -> int:
    """Return the cards that can no longer come."""
    known = 0
    lists = [(f"hands[{place}].{name}", getattr(hand, name)) for place, hand in enumerate(hands) for name in _CARDS]
    for name, cards in (*lists, ("dead", dead)):
        for card in cards:
            if known >> card & 1:
                raise OddsError(name, f"{card_text(card)} is there twice")
            known |= 1 << card
    return known


def _waiting(rules: Rules, hand: KnownHand, name: str) -> tuple[int, int, bool]:
    """Return how many open and closed cards a hand waits for, and whether the last round's is among them.

    A door card that is to come and brings no bonus card counts as closed: that is all the difference it makes.
    """
    faces = "".join(rules.rounds)
    no_door = rules.bonus_streets == BonusStreets.NOT_DOOR
    triggers = mask_of(hand.up[no_door:]) & rules.bonus_mask
    bonuses = triggers.bit_count() - hand.declined
    if bonuses < 0:
        raise OddsError(f"{name}.declined", f"{hand.declined} is more than its open cards of the bonus rank")
    bonus_up = rules.bonus_face != BonusFace.DOWN
    up = faces.count("u") + (bonuses if bonus_up else 0) - len(hand.up)
    down = faces.count("d") + (0 if bonus_up else bonuses) - len(hand.down)
    if up < 0:
        raise OddsError(f"{name}.up", f"{len(hand.up)} up cards are {-up} more than the game gives")
    if down < hand.unseen:
        held = len(hand.down) + hand.unseen
        raise OddsError(f"{name}.down", f"{held} down cards are {hand.unseen - down} more than the game gives")
    waits_for_last = down - hand.unseen >= len(rules.rounds[-1])
    if no_door and not hand.up:
        return up - 1, down + 1, waits_for_last
    return up, down, waits_for_last


def _never_returned(rules: Rules) -> int:
    """Return how many cards are burned before the last round and do not come back for it."""
    if rules.exhaustion != Exhaustion.COMMUNITY:
        return 0
    rounds_before = len(rules.rounds) - 1
    return {Burn.NONE: 0, Burn.EVERY_ROUND: rounds_before, Burn.NOT_FIRST: rounds_before - 1}[rules.burn]


def _low_of(rules: Rules, wild: int) -> Low | None:
    if rules.split != Split.HIGH_LOW:
        return None
    return Low(
        straights_count=rules.low_scale == LowScale.A6,
        top=8 if rules.low_qualifier == LowQualifier.EIGHT else 0,
        wild=wild if rules.wild_in_low == WildInLow.WILD else 0,
        usable=_DECK & ~wild if rules.wild_in_low == WildInLow.EXCLUDED else _DECK,
    )
