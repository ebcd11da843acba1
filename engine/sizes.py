"""How much a bet, a completion or a raise may be under each betting structure (rules, section 4)."""

from engine.draft import Hand
from engine.knobs import Doubling, FixedLimit, NoLimit, OneUnit, PotLimit, Spread
from engine.state import Player


def can_act(hand: Hand, player: Player) -> bool:
    """Whether a player is in and has something to bet with."""
    return not player.folded and not player.out and (player.stack > 0 or hand.rules.credit)


def raises_left(hand: Hand) -> bool:
    """Whether the cap allows another bet or raise; opening and completing do not count towards it."""
    cap = hand.rules.raise_cap
    betting = hand.betting
    uncapped = hand.rules.heads_up_uncapped and betting.heads_up
    return cap is None or uncapped or not betting.opened or betting.raises < cap


def full_sizes(hand: Hand, player: Player) -> tuple[tuple[int, int], ...]:
    """Return the allowed full sizes as (least, most) *to* amounts, smallest first, whatever the player can pay."""
    betting = hand.betting
    base = betting.full_level if betting.opened else 0
    match hand.rules.structure:
        case FixedLimit():
            return tuple([(base + unit, base + unit) for unit in limit_units(hand)])
        case OneUnit(bet=unit):
            return ((base + unit, base + unit),)
        case Doubling(bet=unit):
            return ((2 * base, 2 * base),) if base else ((unit, unit),)
        case Spread(min=least, max=most):
            return ((base + max(betting.step, least), base + most),)
        case PotLimit(min=least):
            low = base + max(betting.step, least)
            pot_after_calling = _middle(hand) + betting.level - player.bet
            return ((low, max(low, betting.level + pot_after_calling)),)
        case NoLimit(min=least):
            return ((base + max(betting.step, least), player.bet + player.stack),)


def limit_units(hand: Hand) -> tuple[int, ...]:
    """Return the bet sizes of this round under fixed limit: one, or low and high where an open pair allows both."""
    structure = hand.rules.structure
    assert isinstance(structure, FixedLimit), "only fixed limit has two levels"
    if hand.betting_round + 1 >= hand.rules.high_from_round or hand.betting.high:
        return (structure.high,)
    if hand.betting.open_pair and structure.low < structure.high:
        return (structure.low, structure.high)
    return (structure.low,)


def _middle(hand: Hand) -> int:
    """Return everything that is not in a stack: antes, purchases, carried pots and all bets."""
    dead = sum(amount for _, amount in hand.dead_money)
    return dead + sum(player.contributed for player in hand.players)
