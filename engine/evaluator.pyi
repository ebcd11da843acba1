from engine.ranking import Ranking

def evaluate(cards: int, wild: int = 0, *, ranking: Ranking = ...) -> int:
    """Return the value of the best five cards of a hand: higher is better, equal is a tie."""

def evaluate_showing(cards: int, wild: int = 0, *, ranking: Ranking = ...) -> int:
    """Return the value of the visible cards of a hand; no wild mask: by printed rank."""

def evaluate_low(
    cards: int,
    wild: int = 0,
    *,
    scale: str = "A5",
    mode: str = "wild",
    qualifier: int | None = 8,
) -> int | None:
    """Return the value of the best low hand: lower is better, None when there is none."""
