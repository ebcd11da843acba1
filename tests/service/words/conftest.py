"""Saying what a game says."""

from collections.abc import Callable
from itertools import chain

import pytest

from engine import Rules
from service.words import explanation


@pytest.fixture
def said() -> Callable[..., list[str]]:
    """Return a function that lists the sentences of a game, of one section or of all."""

    def sentences(rules: Rules, title: str = "", code: str = "en") -> list[str]:
        sections = explanation(rules, code)
        return list(chain.from_iterable(it.sentences for it in sections if title in ("", it.title)))

    return sentences
