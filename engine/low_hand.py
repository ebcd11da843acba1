"""Which five cards make a low hand, and what each wild card among them stands for (rules, section 3)."""

from itertools import combinations

from engine.cards import cards_in, mask_of, rank_of, suit_of
from engine.evaluator import evaluate_low
from engine.hand_value import BestFive, describe_low


def best_low(
    cards: int,
    wild: int = 0,
    *,
    scale: str = "A5",
    mode: str = "wild",
    qualifier: int | None = 8,
) -> BestFive | None:
    """Return the five cards of the best low, naturals from the top and then wilds; None where there is no low.

    The arguments are those of ``evaluate_low``.
    """

    def value_of(hand: int) -> int | None:
        return evaluate_low(hand, wild, scale=scale, mode=mode, qualifier=qualifier)

    value = value_of(cards)
    if value is None:
        return None
    usable = cards & ~wild if mode == "excluded" else cards
    five = next(five for five in combinations(cards_in(usable), 5) if value_of(mask_of(five)) == value)
    wilds = [card for card in five if wild >> card & 1] if mode == "wild" else []
    naturals = sorted((card for card in five if card not in wilds), key=_low_rank, reverse=True)
    return BestFive((*naturals, *wilds), _wild_as(describe_low(value).ranks, naturals, wilds))


def _wild_as(ranks: tuple[int, ...], naturals: list[int], wilds: list[int]) -> tuple[tuple[int, int], ...]:
    """Return what each wild card stands for: a rank that is missing, in a suit that makes no flush.

    A wild card is never a second card of a rank in a low: some lower one is always free.
    """
    missing = [rank for rank in ranks if rank not in map(rank_of, naturals)]
    stands_for: dict[int, int] = {}
    for card in wilds:
        if rank_of(card) in missing:
            missing.remove(rank_of(card))
            stands_for[card] = card
    for card, rank in zip((card for card in wilds if card not in stands_for), missing, strict=True):
        stands_for[card] = _card(rank, 0)
    suits = {suit_of(card) for card in (*naturals, *stands_for.values())}
    if wilds and len(suits) == 1:
        stands_for[wilds[-1]] = _card(rank_of(stands_for[wilds[-1]]), (suits.pop() + 1) % 4)
    return tuple((card, stands_for[card]) for card in wilds)


def _card(rank: int, suit: int) -> int:
    return 13 * suit + rank


def _low_rank(card: int) -> int:
    """Return the rank with the ace lowest."""
    return (rank_of(card) + 1) % 13
