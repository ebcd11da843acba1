"""``dugout eval``: what a hand is worth."""

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import typer

import engine
from engine.cards import CardError, card_symbol, card_text, mask_of, parse_cards
from engine.hand_value import describe_low
from engine.knobs import LowQualifier, LowScale, WildInLow
from engine.low_hand import best_low
from engine.rules import Rules
from service.cli.output import print_json
from service.cli.profiles import ProfileOption, profile_named


class Worth(NamedTuple):
    """What a hand is worth, the cards that play, and which card each wild one among them stands for.

    ``value`` and ``category`` are None where no low qualifies.
    """

    value: int | None
    category: str | None
    words: str
    best_five: tuple[int, ...]
    wild_as: tuple[tuple[int, int], ...]

    def as_record(self) -> dict[str, Any]:
        """Return the worth as plain values, cards as text."""
        return {
            "value": self.value,
            "category": self.category,
            "words": self.words,
            "best_five": [card_text(card) for card in self.best_five],
            "wild_as": [{"card": card_text(card), "as": card_text(as_)} for card, as_ in self.wild_as],
        }

    def as_text(self) -> str:
        """Return the worth as one line for people."""
        stands_for = dict(self.wild_as)
        cards = [
            card_symbol(card) + (f" as {card_symbol(stands_for[card])}" if card in stands_for else "")
            for card in self.best_five
        ]
        return self.words + (f"  ({', '.join(cards)})" if cards else "")


_MOST_CARDS = 13
NO_LOW = Worth(None, None, "no low", (), ())


def evaluate_hand(
    cards: Annotated[str, typer.Argument(metavar="CARDS", help='1 to 13 cards, such as "Ks Kh Kd 9c 7s".')],
    profile: ProfileOption = "baseball",
    low: Annotated[bool, typer.Option("--low", help="The best low hand instead of the best high one.")] = False,
    showing: Annotated[
        bool, typer.Option("--showing", help="As visible cards are compared to see who acts first.")
    ] = False,
    vs: Annotated[str | None, typer.Option("--vs", metavar="CARDS", help="A second hand to compare with.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Say what a hand is worth: its value, its best five cards, and what each wild card among them stands for.

    Example: dugout eval "Ks Kh Kd 9c 7s" --vs "As Ah Ad Ac 2d"
    """
    if low and showing:
        raise typer.BadParameter("a low hand is never compared by what it shows", param_hint="--showing")
    rules = profile_named(profile)
    worth_of = low_worth if low else showing_worth if showing else high_worth
    first = _worth_of_text(worth_of, cards, rules, "CARDS")
    second = None if vs is None else _worth_of_text(worth_of, vs, rules, "--vs")
    if as_json:
        compared = {} if second is None else {"vs": second.as_record(), "winner": _winner(first, second, low)}
        print_json({**first.as_record(), **compared})
        return
    typer.echo(first.as_text())
    if second is not None:
        typer.echo(second.as_text())
        typer.echo(
            {"hand": "The first hand wins.", "vs": "The second hand wins.", "tie": "The hands are equal."}[
                _winner(first, second, low)
            ]
        )


def high_worth(cards: int, rules: Rules) -> Worth:
    """Return what a hand is worth at the showdown."""
    return _described(engine.evaluate(cards, rules.wild_mask, ranking=rules.ranking), cards, rules.wild_mask, rules)


def showing_worth(cards: int, rules: Rules) -> Worth:
    """Return what visible cards are worth (rules, section 2)."""
    wild = rules.wild_mask if rules.wild_in_showing else 0
    return _described(engine.evaluate_showing(cards, wild, ranking=rules.ranking), cards, wild, rules)


def low_worth(cards: int, rules: Rules) -> Worth:
    """Return what a hand is worth as a low, by the game's scale or, where it has none, ace to five, eight or better."""
    scale, mode = rules.low_scale or LowScale.A5, rules.wild_in_low or WildInLow.WILD
    qualifier = None if rules.low_qualifier == LowQualifier.NONE else 8
    value = engine.evaluate_low(cards, rules.wild_mask, scale=scale, mode=mode, qualifier=qualifier)
    best = best_low(cards, rules.wild_mask, scale=scale, mode=mode, qualifier=qualifier)
    if value is None or best is None:
        return NO_LOW
    description = describe_low(value)
    return Worth(value, description.category, description.words, best.cards, best.wild_as)


def _described(value: int, cards: int, wild: int, rules: Rules) -> Worth:
    description = engine.describe(value)
    best = engine.best_five(cards, wild, ranking=rules.ranking)
    return Worth(value, description.category, description.words, best.cards, best.wild_as)


def _worth_of_text(worth_of: Callable[[int, Rules], Worth], text: str, rules: Rules, parameter: str) -> Worth:
    try:
        cards = parse_cards(text)
    except CardError as error:
        raise typer.BadParameter(str(error), param_hint=parameter) from None
    if not 1 <= len(cards) <= _MOST_CARDS:
        raise typer.BadParameter(f"{len(cards)} cards; a hand has 1 to {_MOST_CARDS}", param_hint=parameter)
    return worth_of(mask_of(cards), rules)


def _winner(first: Worth, second: Worth, low: bool) -> str:
    """Return which hand wins: ``hand``, ``vs`` or ``tie``; a low that does not qualify wins nothing."""
    if first.value == second.value:
        return "tie"
    if first.value is None or second.value is None:
        return "vs" if first.value is None else "hand"
    return "hand" if (first.value < second.value) == low else "vs"
