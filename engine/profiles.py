"""The named games (rules, section 7): each a ``Rules`` value, its amounts in chips times the minor units of a chip."""

from collections.abc import Mapping
from types import MappingProxyType

from engine.knobs import (
    BonusDecline,
    BonusFace,
    Burn,
    Doubling,
    Fixed,
    FixedLimit,
    Free,
    MatchPot,
    OddUnit,
    OneUnit,
    Stakes,
)
from engine.rules import Rules

BASEBALL = Rules(
    wild_ranks=("3", "9"),
    bonus_rank="4",
    bonus_price=Fixed(2),
    bonus_face=BonusFace.DOWN,
    ante=1,
    bring_in=1,
    structure=FixedLimit(2, 4),
)

_CHIP = 840
BASEBALL_HOME = Rules(
    max_players=6,
    stakes=Stakes.CREDIT,
    minor_units=_CHIP,
    session_pots=8,
    wild_ranks=("3", "9"),
    bonus_rank="4",
    bonus_price=Free(),
    bonus_face=BonusFace.UP,
    ante=_CHIP,
    structure=OneUnit(_CHIP),
    odd_unit=OddUnit.EXACT,
)

PROFILES: Mapping[str, Rules] = MappingProxyType(
    {
        "baseball": BASEBALL,
        "baseball-free-fours": BASEBALL.replace(bonus_price=Free()),
        "baseball-match-pot-fours": BASEBALL.replace(bonus_price=MatchPot()),
        "baseball-wild-twos": BASEBALL.replace(wild_ranks=("2", "3", "9")),
        "baseball-one-eyed-jacks": BASEBALL.replace(wild_cards=("Jh", "Js")),
        "baseball-home": BASEBALL_HOME,
        "baseball-home-pay-fours": BASEBALL_HOME.replace(bonus_price=Fixed(_CHIP), bonus_decline=BonusDecline.NO_CARD),
        "baseball-simple": BASEBALL.replace(
            max_players=6,
            bonus_price=Free(),
            bonus_face=BonusFace.UP,
            bring_in=2,
            structure=Doubling(2),
            burn=Burn.EVERY_ROUND,
        ),
        "seven-card-stud": Rules(ante=1, bring_in=1, structure=FixedLimit(2, 4)),
    }
)
"""Every game that is played, by name."""
