"""The record of every house rule.

A game is a value: one immutable ``Rules`` holds every choice, and a profile is a named ``Rules``. Nothing in the engine
asks which profile is played. Amounts are int64 minor units; ranks and cards are text (``"9"``, ``"Qs"``).

A knob that only makes sense beside another one (a price needs its rank, a low needs high-low) is None while that other
one is off, and takes the first value listed for it when the other one is on. ``Rules`` checks itself and refuses a
contradictory record with every violation named.
"""

from collections.abc import Mapping
from functools import cached_property
from typing import Any, TypedDict

import msgspec
from msgspec.structs import asdict, force_setattr

from engine.cards import RANKS, mask_of, parse_card, parse_rank, rank_mask
from engine.errors import RulesError, Violation
from engine.knobs import (
    BonusDecline,
    BonusFace,
    BonusMode,
    BonusPrice,
    BonusStreets,
    Burn,
    Exhaustion,
    FirstOpener,
    FiveOfAKind,
    FixedLimit,
    Free,
    HoleBonusClaim,
    LowQualifier,
    LowScale,
    MatchBasis,
    MatchPot,
    NoLimit,
    OddUnit,
    PayDecline,
    PayPrice,
    PayScope,
    PotLimit,
    PurchaseTiming,
    PurchaseTo,
    RevealMode,
    ShortBringIn,
    ShortPurchase,
    ShortRaise,
    ShowingTie,
    Split,
    Spread,
    Stakes,
    Structure,
    WildBringIn,
    WildInLow,
)
from engine.ranking import Ranking
from engine.rule_checks import DEPENDENTS, LOW_KNOBS, deal_rounds, violations_of


class LowTerms(TypedDict):
    """The arguments of ``evaluate_low`` that rules decide."""

    scale: str
    mode: str
    qualifier: int | None


class Rules(msgspec.Struct, frozen=True, kw_only=True, array_like=True, dict=True):
    """Every choice of one game (rules, section 4). Refuses a bad record with ``RulesError``."""

    min_players: int = 2
    max_players: int = 7
    stakes: Stakes = Stakes.TABLE_STAKES
    minor_units: int = 1
    """Minor units per chip; every amount below is in minor units."""
    session_pots: int | None = None
    dealers_choice: bool = False

    deal_pattern: str = "2d1u,1u,1u,1u,1d"
    burn: Burn = Burn.NONE
    exhaustion: Exhaustion = Exhaustion.BURNS_THEN_COMMUNITY
    reveal_mode: RevealMode = RevealMode.STUD

    wild_ranks: tuple[str, ...] = ()
    wild_cards: tuple[str, ...] = ()
    wild_next_after: str | None = None
    wild_bring_in: WildBringIn = WildBringIn.PRINTED
    double_ace_flush: bool = False
    five_of_a_kind: FiveOfAKind = FiveOfAKind.ABOVE_STRAIGHT_FLUSH
    natural_beats_wild: bool = False
    wild_in_showing: bool = True
    showing_tie: ShowingTie = ShowingTie.POSITION
    low_scale: LowScale | None = None
    low_qualifier: LowQualifier | None = None
    wild_in_low: WildInLow | None = None

    pay_rank: str | None = None
    pay_price: PayPrice | None = None
    pay_scope: PayScope | None = None
    pay_decline: PayDecline | None = None

    bonus_rank: str | None = None
    bonus_streets: BonusStreets | None = None
    bonus_mode: BonusMode | None = None
    bonus_face: BonusFace | None = None
    bonus_price: BonusPrice | None = None
    bonus_decline: BonusDecline | None = None
    hole_bonus: BonusPrice | None = None
    hole_bonus_claim: HoleBonusClaim | None = None
    hole_bonus_expose: bool | None = None

    short_purchase: ShortPurchase = ShortPurchase.ALL_IN
    purchase_timing: PurchaseTiming = PurchaseTiming.AS_DEALT
    purchase_to: PurchaseTo = PurchaseTo.MAIN_POT
    match_basis: MatchBasis = MatchBasis.ALL_POTS

    ante: int = 0
    bring_in: int = 0
    short_bring_in: ShortBringIn = ShortBringIn.FULL_AMOUNT
    first_opener: FirstOpener | None = None

    structure: Structure = FixedLimit(2, 4)
    high_from_round: int = 3
    raise_cap: int | None = 3
    """Raises after the opening bet; None is no cap, and pot and no limit never have one."""
    heads_up_uncapped: bool = False
    open_pair_high_bet: bool = False
    short_raise: ShortRaise | None = None

    split: Split = Split.HIGH
    odd_unit: OddUnit = OddUnit.HIGH_CARD_ALL_CARDS

    rain_card: str | None = None
    rain_ante: bool | None = None
    rain_returns: bool | None = None

    def __post_init__(self) -> None:
        """Fill in the knobs that follow from others and refuse a record that contradicts itself."""
        _read_plain_values(self)
        _fill(self)
        try:
            record = msgspec.msgpack.encode(self)
        except (TypeError, OverflowError):
            record = b""  # no value of a knob looks like that: the checks will name it
        if record in _INTACT:
            return
        violations = violations_of(self)
        if violations:
            raise RulesError(violations)
        if len(_INTACT) < _INTACT_AT_MOST:
            _INTACT.add(record)

    def replace(self, **knobs: Any) -> "Rules":
        """Return these rules with some knobs changed, validated again.

        Knobs that follow from a changed one and are not named follow it: without a bonus rank there is no bonus price.

        Raises:
            RulesError: with every violation of the combined record.
        """
        unknown = sorted(knobs.keys() - set(self.__struct_fields__))
        if unknown:
            raise RulesError(tuple(Violation(name, str(knobs[name]), "there is no such knob") for name in unknown))
        knobs = {name: _read(name, value) for name, value in knobs.items()}
        return Rules(**{**asdict(self), **_released(self, knobs), **knobs})

    def as_record(self) -> dict[str, Any]:
        """Return the record as plain values by knob name, ready for JSON."""
        return {knob: msgspec.to_builtins(value) for knob, value in asdict(self).items()}

    @cached_property
    def rounds(self) -> tuple[str, ...]:
        """The dealing rounds, each the faces of one player's cards: ``("ddu", "u", "u", "u", "d")``."""
        return deal_rounds(self.deal_pattern)

    @cached_property
    def wild_mask(self) -> int:
        """The cards that are wild wherever they lie."""
        mask = mask_of(map(parse_card, self.wild_cards))
        for rank in self.wild_ranks:
            mask |= rank_mask(parse_rank(rank))
        return mask

    @cached_property
    def bonus_mask(self) -> int:
        """The cards of the bonus rank."""
        return 0 if self.bonus_rank is None else rank_mask(parse_rank(self.bonus_rank))

    @cached_property
    def pay_mask(self) -> int:
        """The cards of the pay rank."""
        return 0 if self.pay_rank is None else rank_mask(parse_rank(self.pay_rank))

    @cached_property
    def naming_rank(self) -> int | None:
        """The rank after which the next up card names the wild rank."""
        return None if self.wild_next_after is None else parse_rank(self.wild_next_after)

    @cached_property
    def rain_mask(self) -> int:
        """The card that rains the hand out."""
        return 0 if self.rain_card is None else mask_of([parse_card(self.rain_card)])

    @cached_property
    def trigger_mask(self) -> int:
        """The cards that raise something when they come up."""
        return self.pay_mask | self.bonus_mask | self.rain_mask

    @cached_property
    def rolls(self) -> bool:
        """Whether the cards are rolled instead of dealt up."""
        return self.reveal_mode == RevealMode.ROLL_YOUR_OWN

    @cached_property
    def ranking(self) -> Ranking:
        """How high hands rank."""
        return Ranking(
            double_ace_flush=self.double_ace_flush,
            five_of_a_kind=self.five_of_a_kind,
            natural_beats_wild=self.natural_beats_wild,
        )

    @cached_property
    def low(self) -> LowTerms | None:
        """How low hands rank, as arguments of ``evaluate_low``; None where there is no low."""
        if self.low_scale is None or self.wild_in_low is None:
            return None
        qualifier = None if self.low_qualifier == LowQualifier.NONE else 8
        return LowTerms(scale=self.low_scale, mode=self.wild_in_low, qualifier=qualifier)

    @cached_property
    def credit(self) -> bool:
        """Whether balances may go below zero, so that nobody is ever all-in."""
        return self.stakes == Stakes.CREDIT

    @cached_property
    def bet_unit(self) -> int:
        """What every bet is a multiple of, in minor units: exact shares want whole chips in the pots."""
        return self.minor_units if self.odd_unit == OddUnit.EXACT else 1

    @cached_property
    def low_bet(self) -> int:
        """The structure's smallest bet: what a completion goes to."""
        match self.structure:
            case FixedLimit(low=bet) | Spread(min=bet) | PotLimit(min=bet) | NoLimit(min=bet):
                return bet
            case other:
                return other.bet


_KNOB_TYPES = {field.name: field.type for field in msgspec.structs.fields(Rules)}


_NAMED_KNOBS = tuple(
    field.name for field in msgspec.structs.fields(Rules) if field.type not in (int, bool, str, tuple[str, ...])
)

_UNLIMITED = (PotLimit, NoLimit)

_INTACT: set[bytes] = set()
"""Encoded records that passed the checks: the same games are built again and again, from snapshots above all."""
_INTACT_AT_MOST = 4096


def _read_plain_values(rules: Rules) -> None:
    """Turn names and plain records into the knobs' own values; what cannot be read is left for the checks to name."""
    for name in _NAMED_KNOBS:
        value = getattr(rules, name)
        if type(value) in (str, dict):
            force_setattr(rules, name, _read(name, value))


def _read(knob: str, value: object) -> object:
    """Return the knob's own value for a name or a plain record, or the value itself where it cannot be read."""
    try:
        return msgspec.convert(value, _KNOB_TYPES[knob]) if type(value) in (str, dict) else value
    except msgspec.ValidationError:
        return value


def _fill(rules: Rules) -> None:
    """Give a knob that was not named the value that follows from the knobs it depends on."""
    for name in ("wild_ranks", "wild_cards"):
        listed = getattr(rules, name)
        if isinstance(listed, list | set | frozenset | tuple):
            force_setattr(rules, name, tuple(sorted(listed, key=_rank_order)))
    unlimited = isinstance(rules.structure, _UNLIMITED)
    if unlimited:
        force_setattr(rules, "raise_cap", None)
    _default(rules, "first_opener", FirstOpener.BRING_IN if rules.bring_in else FirstOpener.BEST_SHOWING)
    _default(rules, "short_raise", ShortRaise.FULL_RAISE if unlimited else ShortRaise.HALF_BET)
    if rules.pay_rank is not None:
        _default(rules, "pay_price", MatchPot())
        _default(rules, "pay_scope", PayScope.EVERY)
        _default(rules, "pay_decline", PayDecline.FOLD)
    if rules.bonus_rank is not None:
        _default(rules, "bonus_streets", BonusStreets.ALL)
        _default(rules, "bonus_mode", BonusMode.EXTRA)
        _default(rules, "bonus_face", BonusFace.UP)
        _default(rules, "bonus_price", Free())
        _default(rules, "bonus_decline", BonusDecline.FOLD)
    if rules.hole_bonus is not None:
        _default(rules, "hole_bonus_claim", HoleBonusClaim.OWN_STREET)
        _default(rules, "hole_bonus_expose", False)
    if rules.split == Split.HIGH_LOW:
        _default(rules, "low_scale", LowScale.A5)
        _default(rules, "low_qualifier", LowQualifier.EIGHT)
        _default(rules, "wild_in_low", WildInLow.WILD)
    if rules.rain_card is not None:
        _default(rules, "rain_ante", True)
        _default(rules, "rain_returns", True)


def _released(rules: Rules, knobs: Mapping[str, Any]) -> dict[str, None]:
    """Return the knobs that no longer have a basis when some are changed, as None so that they follow anew."""
    released: set[str] = set()
    off = [name for name, value in knobs.items() if value is None]
    while off:
        dependents = DEPENDENTS.get(off.pop(), ())
        released.update(dependents)
        off += dependents
    if knobs.get("split") == Split.HIGH:
        released.update(LOW_KNOBS)
    if bool(knobs.get("bring_in", rules.bring_in)) != bool(rules.bring_in):
        released.add("first_opener")
    if isinstance(knobs.get("structure", rules.structure), _UNLIMITED) != isinstance(rules.structure, _UNLIMITED):
        released.add("short_raise")
    return dict.fromkeys(released)


def _default(rules: Rules, knob: str, value: object) -> None:
    if getattr(rules, knob) is None:
        force_setattr(rules, knob, value)


def _rank_order(text: object) -> tuple[int, str]:
    shown = str(text)
    return (RANKS.find(shown[:1]), shown)
