from engine.outlook import Outlook

BLOCK: int
SHARES: int
THREADS_MOST: int

def deal_some(
    outlook: Outlook, *, seed: int, first_block: int, deals: int, threads: int
) -> list[tuple[int, int, int, int]]:
    """Return (pots won alone, pots shared, units of the shared ones, their squares) for each seat."""

def deal_all(outlook: Outlook) -> tuple[int, dict[int, tuple[int, list[tuple[int, int, int]]]]]:
    """Deal every way there is, and add up by the number of cards that were drawn."""
