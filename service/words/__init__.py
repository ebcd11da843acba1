"""The rules in plain words, in every language: games, differences between games, actions and hands.

    explanation_text(PROFILES["baseball"], "it")
    hand_name(Language("de"), describe(value))

The texts are messages of ``gettext``: English in the source, translations in ``locale/<language>.po``.
"""

from service.words.actions import action_name
from service.words.explanation import Difference, Section, differences, explanation, explanation_text
from service.words.hands import category_name, hand_name, low_name
from service.words.language import ENGLISH, LANGUAGES, Language
from service.words.overview import difference_text, overview

__all__ = [
    "ENGLISH",
    "LANGUAGES",
    "Difference",
    "Language",
    "Section",
    "action_name",
    "category_name",
    "difference_text",
    "differences",
    "explanation",
    "explanation_text",
    "hand_name",
    "low_name",
    "overview",
]
