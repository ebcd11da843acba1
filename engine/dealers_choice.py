"""Dealer's choice (rules, section 4): a game as one deal at a table plays it."""

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec.structs import astuple

from engine.errors import RulesError, Violation
from engine.knobs import Fixed, MatchPotCapped, MinBet, OddUnit
from engine.rules import Rules

TABLE_KNOBS = ("stakes", "minor_units", "session_pots", "dealers_choice")
"""The knobs that belong to the table and not to the game of a deal."""

TIMES_THE_TABLE = 10
"""No amount of a game that a player names may be more than so many times the largest one of the table's own game."""

_PRICES = ("pay_price", "bonus_price", "hole_bonus")


def game_of_deal(table: Rules, game: Rules, players: int, **knobs: Any) -> Rules:
    """Return a game with some knobs changed, played for the table's stakes and counted in the table's minor units.

    Args:
        table: the rules of the table.
        game: the named game; its amounts are converted chip for chip.
        players: how many take part.
        knobs: what replaces the game's own, amounts in the table's minor units.

    Raises:
        RulesError: with everything that is wrong: a knob that belongs to the table and differs from its own, amounts
            that do not come out in the table's minor units, too little room for the players, and every violation of
            the combined record.
    """
    wrong = [
        Violation(knob, str(knobs[knob]), f"must be the table's: {msgspec.to_builtins(getattr(table, knob))}")
        for knob in TABLE_KNOBS
        if knob in knobs and knobs[knob] != getattr(table, knob)
    ]
    own = {knob: value for knob, value in knobs.items() if knob not in TABLE_KNOBS}
    room = own.get("max_players", game.max_players)
    if isinstance(room, int) and room < players:
        wrong.append(
            Violation("max_players", str(room), f"{players} players take part: the game must have room for them")
        )
    own = {"odd_unit": game.odd_unit, **own, **{knob: getattr(table, knob) for knob in TABLE_KNOBS}}
    try:
        rules = _converted(game, table.minor_units).replace(**own)
    except RulesError as error:
        raise RulesError((*wrong, *error.violations)) from None
    if wrong:
        raise RulesError(tuple(wrong))
    return rules


def too_high(table: Rules, game: Rules) -> tuple[Violation, ...]:
    """Return the amounts of a game, in the table's minor units, that no player may name at this table.

    They are the ante, the bring-in, the bets, and the prices that do not follow the pot: who named them without a bound
    could have everybody ante more than anybody has, or, on credit, than anybody will ever win back.
    """
    largest = max(amount for _, amounts in _named_amounts(table) for amount in amounts)
    most = TIMES_THE_TABLE * largest
    reason = (
        f"comes to more than {most}: a player may name {TIMES_THE_TABLE} times the table's largest amount, {largest}"
    )
    return tuple(
        Violation(knob, str(msgspec.to_builtins(getattr(game, knob))), reason)
        for knob, amounts in _named_amounts(game)
        if max(amounts) > most
    )


def _named_amounts(game: Rules) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield the knobs that make somebody pay a certain amount; a cap does not: the price below it follows the pot."""
    for knob, amounts in _amounts(game):
        if not isinstance(getattr(game, knob), MatchPotCapped):
            yield knob, amounts
    for knob in _PRICES:
        price = getattr(game, knob)
        if isinstance(price, MinBet):
            yield knob, (price.multiple * game.low_bet,)


def _converted(game: Rules, minor_units: int) -> Rules:
    """Return a game with as many chips everywhere in other minor units."""
    if game.minor_units == minor_units:
        return game
    amounts: dict[str, Any] = {}
    wrong: list[Violation] = []
    for knob, parts in _amounts(game):
        counted = [part * minor_units for part in parts]
        if any(amount % game.minor_units for amount in counted):
            value = str(msgspec.to_builtins(getattr(game, knob)))
            wrong.append(Violation(knob, value, f"does not come out in chips of {minor_units} minor units"))
            continue
        units = [amount // game.minor_units for amount in counted]
        shape = getattr(game, knob)
        amounts[knob] = units[0] if isinstance(shape, int) else type(shape)(*units)
    if wrong:
        raise RulesError(tuple(wrong))
    # Shares that were exact need not be so in these units: that is checked with the rest of the combined record.
    return game.replace(minor_units=minor_units, odd_unit=OddUnit.HIGH_CARD_ALL_CARDS, **amounts)


def _amounts(game: Rules) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield the knobs that hold amounts, each with its amounts in minor units."""
    yield "ante", (game.ante,)
    yield "bring_in", (game.bring_in,)
    yield "structure", astuple(game.structure)
    for knob in _PRICES:
        price = getattr(game, knob)
        if isinstance(price, Fixed | MatchPotCapped):
            yield knob, astuple(price)
