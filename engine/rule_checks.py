"""What makes a ``Rules`` record impossible (rules, sections 4 and 6).

Each check yields every violation it finds, so that a refusal names them all and not only the first.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec

from engine.cards import DECK_SIZE, CardError, mask_of, parse_card, parse_rank, rank_mask
from engine.errors import Violation
from engine.knobs import (
    BonusMode,
    Burn,
    Doubling,
    FirstOpener,
    Fixed,
    FixedLimit,
    MatchPotCapped,
    MinBet,
    NoLimit,
    OddUnit,
    PotLimit,
    PurchaseTiming,
    RevealMode,
    ShortRaise,
    Split,
    Spread,
    Stakes,
)

if TYPE_CHECKING:
    from engine.rules import Rules

MAX_AMOUNT = 10**15
"""No single amount may be larger: sums over a table stay far inside an int64 and exact in a JSON number."""

MAX_SEATS = 7
MAX_BONUS_CARDS = 4
EXACT_UNITS = 840
"""The smallest number of minor units that every half of up to seven shares divides."""

_ROUND = re.compile(r"(?:[1-9]\d*[du])+\Z")
_GROUP = re.compile(r"([1-9]\d*)([du])")
_PATTERNS = ("2d1u,1u,1u,1u,1d", "2d1u,1u,1u,1u,1u,1u,1d", "3d1u,1u,1u,1u,1u,1d", "7d")


@lru_cache(maxsize=16)  # asked anew for every record that is read, and there are few patterns
def deal_rounds(pattern: str) -> tuple[str, ...]:
    """Spell out a deal pattern, one string of faces a round: ``2d1u,1u`` is ``("ddu", "u")``.

    Raises:
        ValueError: if the text is not rounds of counts and faces, such as ``2d1u,1u,1u,1u,1d``.
    """
    rounds = pattern.split(",")
    if not all(map(_ROUND.match, rounds)):
        raise ValueError(f"{pattern!r} is not a deal pattern: write rounds such as 2d1u,1u,1u,1u,1d")
    return tuple("".join(face * int(count) for count, face in _GROUP.findall(one_round)) for one_round in rounds)


def violations_of(rules: "Rules") -> tuple[Violation, ...]:
    """Return everything that is wrong with a record; values of a wrong type are named before anything else."""
    mistyped = tuple(_mistyped(rules))
    if mistyped:
        return mistyped
    checks = (_players, _deal, _ranks, _dependents, _forced_bets, _structure, _exact, _rolling)
    return tuple(violation for check in checks for violation in check(rules))


def _violation(rules: "Rules", knob: str, reason: str) -> Violation:
    value = msgspec.to_builtins(getattr(rules, knob))
    return Violation(knob, str(value), reason)


def _mistyped(rules: "Rules") -> Iterator[Violation]:
    for field in msgspec.structs.fields(rules):
        value: Any = getattr(rules, field.name)
        if isinstance(value, dict):
            yield Violation(field.name, str(value), "is none of the shapes allowed")
            continue
        try:
            msgspec.convert(value, field.type)
            msgspec.convert(msgspec.to_builtins(value), field.type)  # looks inside structures and prices too
        except (msgspec.ValidationError, TypeError, OverflowError) as error:
            yield Violation(field.name, str(value), str(error))


def _players(rules: "Rules") -> Iterator[Violation]:
    if not 2 <= rules.min_players <= MAX_SEATS:
        yield _violation(rules, "min_players", f"must be from 2 to {MAX_SEATS}")
    if not rules.min_players <= rules.max_players <= MAX_SEATS:
        yield _violation(rules, "max_players", f"must be from min_players to {MAX_SEATS}")
    if not 1 <= rules.minor_units <= 10**6:
        yield _violation(rules, "minor_units", "must be from 1 to 1000000")
    if rules.session_pots is not None and not 1 <= rules.session_pots <= 10_000:
        yield _violation(rules, "session_pots", "must be from 1 to 10000, or none")


def _deal(rules: "Rules") -> Iterator[Violation]:
    if rules.deal_pattern not in _PATTERNS:  # and is not even spelled out: it may ask for a billion cards
        yield _violation(rules, "deal_pattern", f"must be one of {'; '.join(_PATTERNS)}")
        return
    rounds = deal_rounds(rules.deal_pattern)
    cards = sum(map(len, rounds))
    burns = {Burn.NONE: 0, Burn.EVERY_ROUND: len(rounds) - 1, Burn.NOT_FIRST: len(rounds) - 2}[rules.burn]
    before_last = rules.max_players * (cards - len(rounds[-1])) + MAX_BONUS_CARDS + max(burns, 0)
    if rules.max_players * cards > DECK_SIZE or before_last > DECK_SIZE:
        yield _violation(rules, "max_players", f"{cards} cards each, bonus cards and burns do not come out of 52 cards")


def _ranks(rules: "Rules") -> Iterator[Violation]:
    wild = 0
    for knob, read in (("wild_ranks", _rank_cards), ("wild_cards", _one_card)):
        listed = getattr(rules, knob)
        if len(listed) > DECK_SIZE:  # and they are not even read: each one that is wrong would repeat them all
            yield Violation(knob, f"{len(listed)} entries", f"must be at most {DECK_SIZE}, each once")
            continue
        if len(set(listed)) != len(listed):
            yield _violation(rules, knob, "names a rank or card twice")
        for text in listed:
            cards, fault = read(text)
            wild |= cards
            if fault:
                yield _violation(rules, knob, fault)
    for knob, read in (
        ("pay_rank", _rank_cards),
        ("bonus_rank", _rank_cards),
        ("wild_next_after", _rank_cards),
        ("rain_card", _one_card),
    ):
        text = getattr(rules, knob)
        cards, fault = read(text) if text is not None else (0, "")
        if fault:
            yield _violation(rules, knob, fault)
        elif cards & wild and knob in ("pay_rank", "bonus_rank"):
            yield _violation(rules, knob, "is wild already")


def _rank_cards(text: str) -> tuple[int, str]:
    """Return the cards of a rank, or no cards and what is wrong with the text."""
    try:
        return rank_mask(parse_rank(text)), ""
    except CardError as error:
        return 0, str(error)


def _one_card(text: str) -> tuple[int, str]:
    """Return the mask of a card, or no cards and what is wrong with the text."""
    try:
        return mask_of([parse_card(text)]), ""
    except CardError as error:
        return 0, str(error)


DEPENDENTS = {
    "pay_rank": ("pay_price", "pay_scope", "pay_decline"),
    "bonus_rank": ("bonus_streets", "bonus_mode", "bonus_face", "bonus_price", "bonus_decline", "hole_bonus"),
    "hole_bonus": ("hole_bonus_claim", "hole_bonus_expose"),
    "rain_card": ("rain_ante", "rain_returns"),
}
"""The knobs that have no meaning where another one, their governor, is off."""
LOW_KNOBS = ("low_scale", "low_qualifier", "wild_in_low")
"""The knobs that have no meaning without a high-low split."""


def _dependents(rules: "Rules") -> Iterator[Violation]:
    for governor, knobs in DEPENDENTS.items():
        if getattr(rules, governor) is None:
            for knob in knobs:
                if getattr(rules, knob) is not None:
                    yield _violation(rules, knob, f"has no meaning without {governor}")
    if rules.split != Split.HIGH_LOW:
        for knob in LOW_KNOBS:
            if getattr(rules, knob) is not None:
                yield _violation(rules, knob, "has no meaning without split = high_low")


def _forced_bets(rules: "Rules") -> Iterator[Violation]:
    for knob in ("ante", "bring_in"):
        if not 0 <= getattr(rules, knob) <= MAX_AMOUNT:
            yield _violation(rules, knob, f"must be from 0 to {MAX_AMOUNT}")
    if rules.bring_in > rules.low_bet:
        yield _violation(rules, "bring_in", f"must not exceed the low bet of {rules.low_bet}")
    if rules.first_opener == FirstOpener.BRING_IN and rules.bring_in == 0:
        yield _violation(rules, "first_opener", "needs a bring-in above 0")
    if rules.first_opener == FirstOpener.BEST_SHOWING and rules.bring_in > 0:
        yield _violation(rules, "first_opener", "allows no bring-in")
    if isinstance(rules.structure, Doubling) and 0 < rules.bring_in < rules.structure.bet:
        yield _violation(rules, "bring_in", "must be the full bet where raises double")


def _structure(rules: "Rules") -> Iterator[Violation]:
    structure = rules.structure
    amounts = msgspec.structs.astuple(structure)
    if not all(0 < amount <= MAX_AMOUNT for amount in amounts):
        yield _violation(rules, "structure", f"its bets must be from 1 to {MAX_AMOUNT}")
    if isinstance(structure, FixedLimit) and structure.high < structure.low:
        yield _violation(rules, "structure", "high must not be below low")
    if isinstance(structure, Spread) and structure.max < structure.min:
        yield _violation(rules, "structure", "max must not be below min")
    if isinstance(structure, NoLimit) and rules.stakes == Stakes.CREDIT:
        yield _violation(rules, "structure", "no limit needs table stakes")
    if isinstance(structure, PotLimit | NoLimit) and rules.short_raise == ShortRaise.HALF_BET:
        yield _violation(rules, "short_raise", "half_bet belongs to limit betting")
    # Rolled cards have no fixed number of betting rounds; in the others one more than there are means never.
    most = 100 if rules.deal_pattern == "7d" else rules.deal_pattern.count(",") + 2
    if rules.deal_pattern in _PATTERNS and not 1 <= rules.high_from_round <= most:
        yield _violation(rules, "high_from_round", f"must be from 1 to {most}")
    if rules.raise_cap is not None and not 0 <= rules.raise_cap <= 1000:
        yield _violation(rules, "raise_cap", "must be from 0 to 1000, or none")
    if rules.open_pair_high_bet and not isinstance(structure, FixedLimit):
        yield _violation(rules, "open_pair_high_bet", "belongs to fixed limit")
    for knob in ("pay_price", "bonus_price", "hole_bonus"):
        price = getattr(rules, knob)
        if price is not None and not all(0 <= part <= MAX_AMOUNT for part in msgspec.structs.astuple(price)):
            yield _violation(rules, knob, f"must be from 0 to {MAX_AMOUNT}")
        if isinstance(price, MinBet) and price.multiple * rules.low_bet > MAX_AMOUNT:
            yield _violation(rules, knob, f"comes to more than {MAX_AMOUNT}")


def _exact(rules: "Rules") -> Iterator[Violation]:
    if rules.odd_unit != OddUnit.EXACT:
        return
    if rules.stakes != Stakes.CREDIT:
        yield _violation(rules, "odd_unit", "exact shares need credit")
    if rules.minor_units % EXACT_UNITS:
        yield _violation(rules, "minor_units", f"exact shares need a multiple of {EXACT_UNITS} minor units a chip")
    amounts: dict[str, tuple[int, ...]] = {
        "ante": (rules.ante,),
        "bring_in": (rules.bring_in,),
        "structure": msgspec.structs.astuple(rules.structure),
    }
    for knob in ("pay_price", "bonus_price", "hole_bonus"):
        price = getattr(rules, knob)
        if isinstance(price, Fixed | MatchPotCapped):
            amounts[knob] = msgspec.structs.astuple(price)
    for knob, parts in amounts.items():
        if any(part % max(rules.minor_units, 1) for part in parts):
            yield _violation(rules, knob, f"exact shares need whole chips of {rules.minor_units} minor units")


def _rolling(rules: "Rules") -> Iterator[Violation]:
    rolled = rules.reveal_mode == RevealMode.ROLL_YOUR_OWN
    if rolled != (rules.deal_pattern == "7d"):
        yield _violation(rules, "deal_pattern", "7d and roll_your_own go together")
    if not rolled:
        return
    clashes = {
        "bring_in": rules.bring_in > 0,
        "split": rules.split == Split.HIGH_LOW,
        "hole_bonus": rules.hole_bonus is not None,
        "bonus_mode": rules.bonus_mode == BonusMode.REPLACE,
        "purchase_timing": rules.purchase_timing == PurchaseTiming.AFTER_ROUND,
    }
    for knob, clash in clashes.items():
        if clash:
            yield _violation(rules, knob, "does not go with roll_your_own")
