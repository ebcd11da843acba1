# cython: annotation_typing=False, binding=False
"""What the visible cards say: who opens a round, who shows first (rules, sections 2 and 5.4)."""

from engine.cards import DECK_SIZE, mask_of, rank_of, suit_of
from engine.draft import Draft, DraftPlayer
from engine.evaluator import evaluate_showing
from engine.hand_value import describe
from engine.knobs import ShowingTie, WildBringIn
from engine.wilds import wild_mask

# CPython 3.11 takes long to read a member off its enum.
_BY_SUIT, _WILDS_HIGH = ShowingTie.SUIT, WildBringIn.HIGH
_ABOVE_ALL = 2 * DECK_SIZE


def showing_value(draft: Draft, player: DraftPlayer) -> int:
    """Return the value of a player's visible cards; higher is better."""
    visible = player.up + draft.community
    if not visible:
        return 0  # nothing rolled yet: below every card
    rules = draft.rules
    wild = wild_mask(draft, player) if rules.wild_in_showing else 0
    return evaluate_showing(mask_of(visible), wild, ranking=rules.ranking)


def best_showing(draft: Draft) -> DraftPlayer:
    """Return the live player whose visible cards are best; ties go by position, or by suit where the rules say so."""
    return best_showing_of(draft, draft.live())


def best_showing_of(draft: Draft, players: list[DraftPlayer]) -> DraftPlayer:
    """Return the one of some players, given in dealing order, whose visible cards are best."""
    by_suit = draft.rules.showing_tie is _BY_SUIT
    best, best_value = players[0], -1
    for player in players:
        value = showing_value(draft, player)
        is_better = value > best_value
        if value == best_value and by_suit:
            is_better = _highest_up_card(player) > _highest_up_card(best)
        if is_better:
            best, best_value = player, value
    return best


def _highest_up_card(player: DraftPlayer) -> int:
    """Return the height of the highest up card, suits breaking ties; -1 for nobody's."""
    return max([_height(card) for card in player.up], default=-1)


def _height(card: int) -> int:
    """Return a number that is higher for the higher rank, and among equal ranks for the higher suit."""
    return 4 * rank_of(card) + suit_of(card)


def lowest_door(draft: Draft) -> DraftPlayer:
    """Return the live player with the lowest door card: ace high, ties by suit, clubs lowest."""
    wilds_high = draft.rules.wild_bring_in is _WILDS_HIGH
    lowest, lowest_height = draft.players[0], _ABOVE_ALL
    for player in draft.players:
        if player.folded:
            continue
        height = _height(player.up[0])
        if wilds_high and wild_mask(draft, player) >> player.up[0] & 1:
            height += DECK_SIZE  # above the ace
        if height < lowest_height:
            lowest, lowest_height = player, height
    return lowest


def shows_pair(draft: Draft) -> bool:
    """Whether any live player's visible cards hold a pair or better."""
    return any(describe(showing_value(draft, player)).category != "high_card" for player in draft.live() if player.up)
