"""The named games (rules, section 7): each a ``Rules`` value, its amounts in chips times the minor units of a chip."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from engine.knobs import (
    BonusDecline,
    BonusFace,
    BonusMode,
    Burn,
    Doubling,
    Fixed,
    FixedLimit,
    Free,
    HoleBonusClaim,
    LowQualifier,
    LowScale,
    MatchPot,
    MatchPotCapped,
    MinBet,
    OddUnit,
    OneUnit,
    PayScope,
    RevealMode,
    Split,
    Stakes,
    WildInLow,
)
from engine.rules import Rules

_NO_PAY: dict[str, Any] = dict.fromkeys(("pay_rank", "pay_price", "pay_scope", "pay_decline"))
_NO_BONUS: dict[str, Any] = dict.fromkeys(
    ("bonus_rank", "bonus_streets", "bonus_mode", "bonus_face", "bonus_price", "bonus_decline")
)

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
NIGHT_BASEBALL = BASEBALL_HOME.replace(
    reveal_mode=RevealMode.ROLL_YOUR_OWN, deal_pattern="7d", bonus_face=BonusFace.DOWN
)

BASEBALL_MATCH_POT = BASEBALL.replace(
    max_players=6,
    wild_ranks=("9",),
    pay_rank="3",
    pay_price=MatchPot(),
    bonus_price=Free(),
    burn=Burn.EVERY_ROUND,
)

SEVEN_CARD_STUD = Rules(ante=1, bring_in=1, structure=FixedLimit(2, 4))

PROFILES: Mapping[str, Rules] = MappingProxyType(
    {
        "baseball": BASEBALL,
        "baseball-free-fours": BASEBALL.replace(bonus_price=Free()),
        "baseball-match-pot-fours": BASEBALL.replace(bonus_price=MatchPot()),
        "baseball-hi-lo": BASEBALL.replace(split=Split.HIGH_LOW),
        "baseball-wild-twos": BASEBALL.replace(wild_ranks=("2", "3", "9")),
        "baseball-one-eyed-jacks": BASEBALL.replace(wild_cards=("Jh", "Js")),
        "baseball-home": BASEBALL_HOME,
        "baseball-home-pay-fours": BASEBALL_HOME.replace(bonus_price=Fixed(_CHIP), bonus_decline=BonusDecline.NO_CARD),
        "baseball-home-pay-threes": BASEBALL_HOME.replace(wild_ranks=("9",), pay_rank="3", pay_price=Fixed(_CHIP)),
        "night-baseball": NIGHT_BASEBALL,
        "no-peek": NIGHT_BASEBALL.replace(**_NO_BONUS),
        "baseball-simple": BASEBALL.replace(
            max_players=6,
            bonus_price=Free(),
            bonus_face=BonusFace.UP,
            bring_in=2,
            structure=Doubling(2),
            burn=Burn.EVERY_ROUND,
        ),
        "baseball-match-pot": BASEBALL_MATCH_POT,
        "baseball-match-pot-capped": BASEBALL_MATCH_POT.replace(pay_price=MatchPotCapped(20)),
        "baseball-match-pot-first-three": BASEBALL_MATCH_POT.replace(pay_scope=PayScope.FIRST_ONLY),
        "baseball-match-pot-free-threes": BASEBALL_MATCH_POT.replace(wild_ranks=("3", "9"), **_NO_PAY),
        "baseball-match-pot-fours-up": BASEBALL_MATCH_POT.replace(bonus_face=BonusFace.UP),
        "baseball-match-pot-replace-fours": BASEBALL_MATCH_POT.replace(bonus_mode=BonusMode.REPLACE),
        "baseball-match-pot-hole-fours": BASEBALL_MATCH_POT.replace(
            hole_bonus=Free(), hole_bonus_claim=HoleBonusClaim.OWN_STREET
        ),
        "baseball-match-pot-hole-fours-buy": BASEBALL_MATCH_POT.replace(hole_bonus=MinBet(2)),
        "baseball-match-pot-hi-lo": BASEBALL_MATCH_POT.replace(
            split=Split.HIGH_LOW,
            low_scale=LowScale.A6,
            low_qualifier=LowQualifier.NONE,
            wild_in_low=WildInLow.WILD,
        ),
        "football": BASEBALL_MATCH_POT.replace(wild_ranks=("6",), bonus_rank="2"),
        "woolworth": BASEBALL_MATCH_POT.replace(wild_ranks=("5", "T"), bonus_rank="2", **_NO_PAY),
        "blind-baseball": BASEBALL_MATCH_POT.replace(max_players=5, deal_pattern="2d1u,1u,1u,1u,1u,1u,1d"),
        "rainy-day-baseball": BASEBALL_MATCH_POT.replace(rain_card="Qs"),
        "seven-card-stud": SEVEN_CARD_STUD,
        "seven-card-stud-hi-lo": SEVEN_CARD_STUD.replace(split=Split.HIGH_LOW),
        "follow-the-queen": SEVEN_CARD_STUD.replace(wild_ranks=("Q",), wild_next_after="Q"),
    }
)
"""Every game that is played, by name."""
