import os
import subprocess
import sys
from collections import Counter
from inspect import signature

from engine.cards import FULL_DECK
from service.shuffle import SystemShuffle


def test_a_deck_has_every_card_once():
    assert set(FULL_DECK) == set(SystemShuffle().deck())
    assert len(FULL_DECK) == len(SystemShuffle().deck())


def test_every_card_is_as_likely_at_every_place():
    """Chi-square over 52 places; each is below its 1 - 1e-6 quantile for 51 degrees of freedom, 115.8."""
    deals = 100_000 if os.environ.get("DUGOUT_LONG") else 20_000
    shuffle = SystemShuffle()
    expected = deals / len(FULL_DECK)
    for cards in zip(*(shuffle.deck() for _ in range(deals)), strict=True):
        at_place = Counter(cards)
        assert 115.8 > sum((at_place[card] - expected) ** 2 / expected for card in FULL_DECK)


def test_it_cannot_be_seeded():
    assert not signature(SystemShuffle).parameters
    assert not signature(SystemShuffle.deck).parameters.keys() - {"self"}


def test_two_processes_started_together_deal_differently():
    command = [sys.executable, "-c", "from service.shuffle import SystemShuffle as S; print(S().deck())"]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(2)]
    first, second = (process.communicate()[0] for process in both)
    assert first.startswith(b"(")
    assert first != second
