"""Dealer's choice at a table: which game a hand is, and who names it."""

from collections.abc import Mapping
from typing import Any

import msgspec

from engine import PROFILES, Rules, RulesError, Violation
from engine.dealers_choice import game_of_deal, too_high
from service.errors import Reason, ServiceError, rules_contradictory
from service.table import Table
from service.table_events import AnyTableEvent, GameNamed


class NamedGame(msgspec.Struct, frozen=True):
    """What is named before a deal under dealer's choice.

    ``profile`` is one of ``PROFILES``, empty for the table's own game; ``knobs`` replace its own; ``unreadable`` is
    what is wrong with further ones that could not be read. ``seat`` names it, 0 is the operator.
    """

    profile: str = ""
    knobs: Mapping[str, Any] = {}
    unreadable: tuple[Violation, ...] = ()
    seat: int = 0


def game_of_hand(table: Table, players: int, button: int, named: NamedGame | None) -> tuple[str, Rules]:
    """Return the game of the next hand, by name and as rules; ``button`` is its dealer.

    Raises:
        ServiceError: if the game that is named cannot be played by so many, is not this caller's to name, or is for
            amounts that no player may name here.
    """
    own = (table.hand_profile, table.next_rules) if table.redeal else (table.profile, table.rules)
    if named is None:
        return own
    if named.seat not in (0, button):
        raise ServiceError(
            Reason.NOT_THE_DEALER,
            f"seat {button} deals the next hand and names its game",
            metadata={"button_seat": button},
        )
    game = (named.profile or table.profile, _named_rules(table, players, named))
    if game == own:
        return own
    if table.redeal:
        raise ServiceError(
            Reason.REDEAL_KEEPS_GAME,
            f"the hand was rained out: {own[0]} is dealt again",
            metadata={"profile": own[0]},
        )
    # An operator chose the stakes of the table and may choose others; a player plays for those that are there.
    if named.seat and (wrong := too_high(table.rules, game[1])):
        raise rules_contradictory(RulesError(wrong))
    return game


def _named_rules(table: Table, players: int, named: NamedGame) -> Rules:
    base = PROFILES[named.profile] if named.profile else table.rules
    try:
        rules = game_of_deal(table.rules, base, players, **named.knobs)
    except RulesError as error:
        raise rules_contradictory(RulesError((*named.unreadable, *error.violations))) from None
    if named.unreadable:
        raise rules_contradictory(RulesError(named.unreadable))
    return rules


def game_named(table: Table, profile: str, rules: Rules) -> tuple[AnyTableEvent, ...]:
    """Return the event that tells of another game than the table's."""
    if (profile, rules) == (table.profile, table.rules):
        return ()
    try:
        plain = game_of_deal(table.rules, PROFILES[profile], 2) if profile in PROFILES else None
    except RulesError:
        plain = None  # it could only be played with some rules replaced
    return (GameNamed(profile, rules_changed=rules != plain),)


def with_room(table: Table, stacks: dict[int, int], most: int) -> dict[int, int]:
    """Return who is dealt in where a game that is dealt again after rain has no room for all: newcomers wait."""

    def newcomer(seat: int) -> bool:
        seated = table.seating(seat)
        return seated is None or seated.since_hand >= table.hand_number or not table.in_hand(seat)

    first = sorted(stacks, key=lambda seat: (newcomer(seat), seat))[:most]
    return {seat: stacks[seat] for seat in sorted(first)}
