"""What the visible cards say: who opens a round, who shows first (rules, sections 2 and 5.4)."""

from collections.abc import Sequence

from engine.cards import mask_of, rank_of, suit_of
from engine.draft import Hand
from engine.evaluator import evaluate_showing
from engine.hand_value import describe
from engine.knobs import ShowingTie, WildBringIn
from engine.state import Player
from engine.wilds import wild_mask


def showing_value(hand: Hand, player: Player) -> int:
    """Return the value of a player's visible cards; higher is better."""
    visible = mask_of(player.up) | mask_of(hand.community)
    if not visible:
        return 0  # nothing rolled yet: below every card
    wild = wild_mask(hand, player) if hand.rules.wild_in_showing else 0
    return evaluate_showing(visible, wild, ranking=hand.rules.ranking)


def best_showing(hand: Hand) -> Player:
    """Return the live player whose visible cards are best; ties go by position, or by suit where the rules say so."""
    return best_showing_of(hand, hand.live)


def best_showing_of(hand: Hand, players: Sequence[Player]) -> Player:
    """Return the one of some players, given in dealing order, whose visible cards are best."""
    values = [(showing_value(hand, player), player) for player in players]
    best = max(value for value, _ in values)
    tied = [player for value, player in values if value == best]
    if hand.rules.showing_tie == ShowingTie.SUIT:
        return max(
            tied, key=lambda player: max(((rank_of(card), suit_of(card)) for card in player.up), default=(-1, 0))
        )
    return tied[0]


def _highest_up_card(player: Player) -> tuple[int, int]:
    return max(((rank_of(card), suit_of(card)) for card in player.up), default=(-1, 0))


def lowest_door(hand: Hand) -> Player:
    """Return the live player with the lowest door card: ace high, ties by suit, clubs lowest."""
    wilds_high = hand.rules.wild_bring_in == WildBringIn.HIGH

    def height(player: Player) -> tuple[int, int, int]:
        door = player.up[0]
        above_the_ace = wild_mask(hand, player) >> door & 1 if wilds_high else 0
        return (above_the_ace, rank_of(door), suit_of(door))

    return min(hand.live, key=height)


def shows_pair(hand: Hand) -> bool:
    """Whether any live player's visible cards hold a pair or better."""
    return any(describe(showing_value(hand, player)).category != "high_card" for player in hand.live if player.up)
