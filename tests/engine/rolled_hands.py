"""Hands of roll your own: dealt in the order in which they will be rolled."""

from engine import PROFILES, Rules
from engine.knobs import OneUnit
from engine.state import Phase
from tests.engine.play import deal

ROLLED = Rules(reveal_mode="roll_your_own", deal_pattern="7d", ante=1, structure=OneUnit(1))
NIGHT = PROFILES["night-baseball"]
NO_PEEK = PROFILES["no-peek"]


def rolled(hands, stacks=100, rules=ROLLED, **more):
    """Deal cards to be rolled in this order; what is not named is harmless."""
    full = {seat: f"({cards}{' --' * (7 - len(cards.split()))})" for seat, cards in hands.items()}
    return deal(rules, full, stacks, **more)


def checks(hand):
    """Check a betting round through."""
    while hand.state.phase == Phase.BETTING:
        hand.play(f"{hand.actor} check")
    return hand


def seats(hand, kind):
    return [event.seat for event in hand.all(kind)]
