# cython: annotation_typing=False, binding=False
"""How much a bet, a completion or a raise may be under each betting structure (rules, section 4)."""

from engine.draft import Draft, DraftPlayer
from engine.knobs import Doubling, FixedLimit, OneUnit, PotLimit, Spread


def can_act(draft: Draft, player: DraftPlayer) -> bool:
    """Whether a player is in and has something to bet with."""
    return not player.folded and not player.out and (player.stack > 0 or draft.credit)


def able_count(draft: Draft) -> int:
    """Return how many players are in and have something to bet with."""
    count = 0
    for player in draft.players:
        if can_act(draft, player):
            count += 1
    return count


def raises_left(draft: Draft) -> bool:
    """Whether the cap allows another bet or raise; opening and completing do not count towards it."""
    betting = draft.betting
    cap = draft.rules.raise_cap
    if cap is None or not betting.opened or betting.raises < cap:
        return True
    return betting.heads_up and draft.rules.heads_up_uncapped


def full_sizes(draft: Draft, player: DraftPlayer) -> tuple[tuple[int, int], ...]:
    """Return the allowed full sizes as (least, most) *to* amounts, smallest first, whatever the player can pay."""
    betting = draft.betting
    base = betting.full_level if betting.opened else 0
    structure = draft.rules.structure
    if isinstance(structure, FixedLimit):
        return tuple([(base + unit, base + unit) for unit in limit_units(draft, structure)])
    if isinstance(structure, OneUnit):
        return ((base + structure.bet, base + structure.bet),)
    if isinstance(structure, Doubling):
        to = 2 * base if base else structure.bet
        return ((to, to),)
    low = base + max(betting.step, structure.min)
    if isinstance(structure, Spread):
        return ((low, base + structure.max),)
    if isinstance(structure, PotLimit):
        pot_after_calling = _middle(draft) + betting.level - player.bet
        return ((low, max(low, betting.level + pot_after_calling)),)
    return ((low, player.bet + player.stack),)  # no limit


def limit_units(draft: Draft, limit: FixedLimit) -> tuple[int, ...]:
    """Return the bet sizes of this round under fixed limit: one, or low and high where an open pair allows both."""
    betting = draft.betting
    if betting.high or draft.betting_round + 1 >= draft.rules.high_from_round:
        return (limit.high,)
    if betting.open_pair and limit.low < limit.high:
        return (limit.low, limit.high)
    return (limit.low,)


def _middle(draft: Draft) -> int:
    """Return everything that is not in a stack: antes, purchases, carried pots and all bets."""
    dead = sum([amount for _, amount in draft.dead_money])
    return dead + sum([player.contributed for player in draft.players])
