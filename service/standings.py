"""Who stands where: the players of a table ranked by what they have won or lost (rules, section 4).

Everybody counts who has ever sat at the table, as far as it remembers those who left; a player's seatings count
together. Chips that a player added are no gain: the net change is what is there less what was brought.
"""

from collections.abc import Iterator

import msgspec

from service.table import Table


class Standing(msgspec.Struct, frozen=True):
    """How one player stands; amounts in minor units. ``seat`` is 0 after leaving."""

    place: int
    player_id: str
    seat: int
    stack: int
    bought_in: int

    @property
    def net(self) -> int:
        """What the player has won or lost."""
        return self.stack - self.bought_in


def standings(table: Table) -> list[Standing]:
    """Return the players, the best first; players with the same net change share a place, as in 1, 2, 2, 4.

    While a hand is being played the chips count that were brought into it: it has not been won or lost yet.
    """
    players = sorted(_players(table), key=lambda player: -player.net)
    ranked: list[Standing] = []
    for number, player in enumerate(players, start=1):
        shared = ranked and ranked[-1].net == player.net
        ranked.append(msgspec.structs.replace(player, place=ranked[-1].place if shared else number))
    return ranked


def _players(table: Table) -> Iterator[Standing]:
    """Yield the players that sit here, by seat, then those who have left, the last one first."""
    departed = {player.player_id: player for player in table.departed}
    for seating in table.seats:
        if seating.paid_out:
            continue
        before = departed.pop(seating.player_id, None)
        stack, bought_in = seating.stack, seating.bought_in
        if before is not None:
            stack, bought_in = stack + before.taken, bought_in + before.bought_in
        yield Standing(0, seating.player_id, seating.seat, stack, bought_in)
    for player in reversed(departed.values()):
        yield Standing(0, player.player_id, 0, player.taken, player.bought_in)
