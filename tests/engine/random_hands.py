"""Hands played at random, by any rules that are played, with stacks that hurt."""

import random
from collections.abc import Iterator
from typing import Any, NamedTuple

from hypothesis import strategies as st

import engine
from engine import PROFILES, Action, ActionKind, Rules, RulesError, State, Step
from engine.cards import DECK_SIZE
from engine.knobs import (
    BonusDecline,
    BonusFace,
    BonusMode,
    BonusStreets,
    Burn,
    Doubling,
    Exhaustion,
    FiveOfAKind,
    Fixed,
    FixedLimit,
    Free,
    HoleBonusClaim,
    LowQualifier,
    LowScale,
    MatchBasis,
    MatchPot,
    MatchPotCapped,
    MinBet,
    NoLimit,
    OddUnit,
    OneUnit,
    PayDecline,
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
    WildBringIn,
    WildInLow,
)

EDGES = (1, 2, 3, 4, 5, 6, 7, 9, 12, 20, 45, 100, 1000)
"""Stacks in chips: one chip, the ante only, just a price, about a bet, plenty."""

STRUCTURES = (FixedLimit(2, 4), FixedLimit(5, 5), OneUnit(3), Doubling(2), Spread(2, 6), PotLimit(2), NoLimit(3))
PRICES = (Free(), Fixed(2), MatchPot(), MatchPotCapped(5), MinBet(2))


class Setting(NamedTuple):
    """Everything that a hand starts from."""

    rules: Rules
    seats: dict[int, int]
    button: int
    deck: tuple[int, ...]
    spare: tuple[int, ...]
    carry: int = 0

    def start(self) -> Step:
        """Start the hand."""
        return engine.start(self.rules, self.seats, self.button, self.deck, carry=self.carry, spare=self.spare)


def random_rules(rng: random.Random) -> Rules:
    """Return any rules that are played; combinations that are refused are drawn again."""
    while True:
        try:
            return Rules(**_knobs(rng))
        except RulesError:
            continue


def _knobs(rng: random.Random) -> dict[str, Any]:
    pick = rng.choice
    knobs = {
        "deal_pattern": pick(("2d1u,1u,1u,1u,1d",) * 3 + ("2d1u,1u,1u,1u,1u,1u,1d", "3d1u,1u,1u,1u,1u,1d")),
        "max_players": pick((5, 7)),
        "stakes": pick((Stakes.TABLE_STAKES,) * 3 + (Stakes.CREDIT,)),
        "burn": pick(tuple(Burn)),
        "exhaustion": pick(tuple(Exhaustion)),
        "wild_ranks": pick(((), ("3", "9"), ("2",))),
        "wild_cards": pick(((), ("Jh", "Js"))),
        "wild_next_after": pick((None, None, "Q", "9")),
        "wild_bring_in": pick(tuple(WildBringIn)),
        "wild_in_showing": pick((True, False)),
        "double_ace_flush": pick((True, False)),
        "five_of_a_kind": pick(tuple(FiveOfAKind)),
        "natural_beats_wild": pick((True, False)),
        "showing_tie": pick(tuple(ShowingTie)),
        "short_purchase": pick(tuple(ShortPurchase)),
        "purchase_timing": pick(tuple(PurchaseTiming)),
        "purchase_to": pick(tuple(PurchaseTo)),
        "match_basis": pick(tuple(MatchBasis)),
        "ante": pick((0, 1, 1, 3)),
        "bring_in": pick((0, 1, 2)),
        "short_bring_in": pick(tuple(ShortBringIn)),
        "structure": pick(STRUCTURES),
        "high_from_round": pick((1, 3, 4)),
        "raise_cap": pick((None, 0, 1, 3, 3)),
        "heads_up_uncapped": pick((True, False)),
        "open_pair_high_bet": pick((True, False)),
        "short_raise": pick((None, *ShortRaise)),
        "odd_unit": pick(tuple(OddUnit)[:3]),
    }
    for group in (_pay_knobs, _bonus_knobs, _low_knobs, _rain_knobs):
        knobs |= group(rng)
    return knobs | _rolling_knobs(rng)


def _pay_knobs(rng: random.Random) -> dict[str, Any]:
    rank = rng.choice((None, "3", "5", "4"))
    if rank is None:
        return {}
    return {
        "pay_rank": rank,
        "pay_price": rng.choice((Fixed(2), Fixed(0), MatchPot(), MatchPotCapped(5))),
        "pay_scope": rng.choice(tuple(PayScope)),
        "pay_decline": rng.choice(tuple(PayDecline)),
    }


def _bonus_knobs(rng: random.Random) -> dict[str, Any]:
    pick = rng.choice
    rank = pick((None, "4", "4", "7", "9"))
    if rank is None:
        return {}
    knobs = {
        "bonus_rank": rank,
        "bonus_price": pick(PRICES),
        "bonus_streets": pick(tuple(BonusStreets)),
        "bonus_mode": pick(tuple(BonusMode)),
        "bonus_face": pick(tuple(BonusFace)),
        "bonus_decline": pick(tuple(BonusDecline)),
    }
    hole = {
        "hole_bonus": pick(PRICES),
        "hole_bonus_claim": pick(tuple(HoleBonusClaim)),
        "hole_bonus_expose": pick((True, False)),
    }
    return knobs | pick(({}, hole))


def _low_knobs(rng: random.Random) -> dict[str, Any]:
    low = {
        "split": Split.HIGH_LOW,
        "low_scale": rng.choice(tuple(LowScale)),
        "low_qualifier": rng.choice(tuple(LowQualifier)),
        "wild_in_low": rng.choice(tuple(WildInLow)),
    }
    return rng.choice(({}, {}, low))


def _rain_knobs(rng: random.Random) -> dict[str, Any]:
    rain = {"rain_ante": rng.choice((True, False)), "rain_returns": rng.choice((True, False))}
    card = rng.choice((None, None, "Qs", "4d", "3c"))
    return rain | {"rain_card": card} if card else {}


def _rolling_knobs(rng: random.Random) -> dict[str, Any]:
    """Roll your own in one game out of five, without what does not go with it."""
    if rng.random() < 0.8:
        return {}
    off = dict.fromkeys(("low_scale", "low_qualifier", "wild_in_low"))
    off |= dict.fromkeys(("hole_bonus", "hole_bonus_claim", "hole_bonus_expose", "bonus_mode"))
    stud = {"bring_in": 0, "split": Split.HIGH, "purchase_timing": PurchaseTiming.AS_DEALT}
    return off | stud | {"reveal_mode": RevealMode.ROLL_YOUR_OWN, "deal_pattern": "7d"}


def random_setting(rng: random.Random, rules: Rules) -> Setting:
    """Return seats with awkward stacks at a table with gaps, a button and two shuffled decks."""
    seats = sorted(rng.sample(range(1, 9), rng.randint(rules.min_players, rules.max_players)))
    low = -5 if rules.credit else 0
    stacks = {seat: max(low, rng.choice(EDGES) * rules.minor_units + rng.choice((0, 0, -1, 1))) or 1 for seat in seats}
    carry = rng.choice((0, 0, 0, 7, 100)) * rules.minor_units
    return Setting(rules, stacks, rng.choice(seats), shuffled(rng), shuffled(rng), carry)


def shuffled(rng: random.Random) -> tuple[int, ...]:
    """Return the 52 cards in some order."""
    return tuple(rng.sample(range(DECK_SIZE), DECK_SIZE))


def random_action(rng: random.Random, state: State) -> Action:
    """Choose among the legal actions; folding is rarer, so that hands get somewhere."""
    legal = engine.legal_actions(state)
    choices = [choice for choice in legal.choices if choice.kind != ActionKind.FOLD or rng.random() < 0.3]
    choice = rng.choice(choices or legal.choices)
    return Action(choice.kind, rng.choice((choice.min, choice.max, rng.randint(choice.min, choice.max))))


def play_out(
    rng: random.Random, step: Step, *, leave: float = 0.0, played: list[Action] | None = None
) -> Iterator[Step]:
    """Play a hand to its end; with probability ``leave`` somebody leaves instead of the next action.

    The actions are added to ``played``.
    """
    yield step
    while not step.state.finished:
        if rng.random() < leave:
            action = Action(ActionKind.LEAVE, seat=rng.choice(step.state.players).seat)
        else:
            action = random_action(rng, step.state)
        if played is not None:
            played.append(action)
        step = engine.step(step.state, action)
        yield step


def randoms() -> st.SearchStrategy[random.Random]:
    """Seeds of everything above."""
    return st.builds(random.Random, st.integers(0, 2**32))


def settings_of(name: str, rng: random.Random) -> Setting:
    """Return a random setting of a profile."""
    return random_setting(rng, PROFILES[name])
