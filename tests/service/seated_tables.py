"""Tables with players in their seats, in a hand or after one that was rained out."""

from msgspec.structs import replace

import engine
from engine.cards import FULL_DECK
from service import seating
from service.table import Settings, Table


def empty(profile: str = "seven-card-stud", settings: Settings | None = None) -> Table:
    return Table("t", "acme", profile, engine.PROFILES[profile], settings or Settings(), 1, "1-x", 0, 0)


def rained_out(stacks: dict[int, int], folded: tuple[int, ...] = (), **knobs) -> Table:
    """Return a table whose last hand was rained out with these stacks left and 12 in the middle."""
    rules = engine.PROFILES["rainy-day-baseball"].replace(**knobs)
    table = replace(empty("rainy-day-baseball"), rules=rules)
    for seat in stacks:
        table = seating.take_seat(table, f"player {seat}", seat, 20).table
    # Without an action the first hand of this deck waits for the bring-in; what rain leaves of it is set by hand.
    hand = engine.start(rules, dict.fromkeys(stacks, 20), min(stacks), FULL_DECK).state
    players = tuple(
        replace(player, stack=stacks[player.seat], collected=0, bet=0, folded=player.seat in folded)
        for player in hand.players
    )
    over = replace(hand, phase="finished", actor=0, players=players, dead_money=(), rained=True, carry=12)
    table = replace(table, hand_number=1, button=min(stacks), brought=sum(stacks.values()) + 12)
    return seating.settle(table, over)[0]


def seated(*stacks: int, profile: str = "seven-card-stud", **knobs) -> Table:
    table = empty(profile)
    table = replace(table, rules=table.rules.replace(**knobs))
    for number, stack in enumerate(stacks, start=1):
        table = seating.take_seat(table, f"player{number}", 0, stack).table
    return table


def in_a_hand(table: Table, deck=FULL_DECK) -> Table:
    stacks = seating.next_stacks(table)
    hand = engine.start(table.rules, stacks, max(stacks), deck).state
    return seating.settle(replace(table, hand_number=1, button=max(stacks), deadline_ms=5), hand)[0]
