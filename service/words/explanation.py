"""A game explained to a player: what its knobs say, in sections of sentences.

Nothing is written for a particular profile; every sentence follows from the record, and a knob that can make no
difference in a game is not mentioned.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache

import msgspec

from engine.rules import Rules
from service.words.betting import betting
from service.words.dealing import dealing, rolling
from service.words.language import ENGLISH, Language, marked
from service.words.purchases import bonus_cards, buying, paid_cards
from service.words.rain import rain
from service.words.showdown import showdown
from service.words.stakes import stakes
from service.words.wilds import wilds


class Section(msgspec.Struct, frozen=True):
    """A heading and the sentences under it."""

    title: str
    sentences: tuple[str, ...]


class Difference(msgspec.Struct, frozen=True):
    """A heading, and what only the one and only the other of two games says under it."""

    title: str
    one: tuple[str, ...]
    other: tuple[str, ...]


_Speaker = Callable[[Language, Rules], Iterator[str]]
_SECTIONS: tuple[tuple[str, _Speaker], ...] = (
    (marked("section", "Players and stakes"), stakes),
    (marked("section", "The deal"), dealing),
    (marked("section", "Wild cards"), wilds),
    (marked("section", "Cards to be paid for"), paid_cards),
    (marked("section", "Bonus cards"), bonus_cards),
    (marked("section", "Paying for cards"), buying),
    (marked("section", "Rolling the cards"), rolling),
    (marked("section", "Betting"), betting),
    (marked("section", "Showdown"), showdown),
    (marked("section", "Rain"), rain),
)


def explanation(rules: Rules, code: str = ENGLISH) -> tuple[Section, ...]:
    """Return the sections that a game has something to say under.

    Raises:
        ValueError: if the language is none of ``LANGUAGES``.
    """
    return tuple(section for section in _all_sections(rules, code) if section.sentences)


@lru_cache(maxsize=256)
def explanation_text(rules: Rules, code: str = ENGLISH) -> str:
    """Return a game explained as text: headings, and a line for each sentence under them.

    Raises:
        ValueError: if the language is none of ``LANGUAGES``.
    """
    parts = ["\n".join([section.title, *map(_line, section.sentences)]) for section in explanation(rules, code)]
    return "\n\n".join(parts)


def differences(one: Rules, other: Rules, code: str = ENGLISH) -> tuple[Difference, ...]:
    """Return what two games say differently, by sections.

    Raises:
        ValueError: if the language is none of ``LANGUAGES``.
    """
    found = []
    for mine, theirs in zip(_all_sections(one, code), _all_sections(other, code), strict=True):
        only_mine = tuple(sentence for sentence in mine.sentences if sentence not in theirs.sentences)
        only_theirs = tuple(sentence for sentence in theirs.sentences if sentence not in mine.sentences)
        if only_mine or only_theirs:
            found.append(Difference(mine.title, only_mine, only_theirs))
    return tuple(found)


def _all_sections(rules: Rules, code: str) -> Iterator[Section]:
    language = Language(code, minor_units=rules.minor_units)
    for title, speaker in _SECTIONS:
        sentences = tuple(map(_sentence, speaker(language, rules)))
        yield Section(language.named("section", title), sentences)


def _sentence(text: str) -> str:
    """Return a sentence with a capital at its beginning, whatever was put there."""
    return text[:1].upper() + text[1:]


def _line(sentence: str) -> str:
    return f"- {sentence}"
