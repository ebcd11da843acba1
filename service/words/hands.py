"""The names of hands: what ``engine.describe`` says, in every language."""

from collections.abc import Mapping, Sequence

from engine.cards import RANKS
from engine.hand_value import Description
from service.words.language import Language, marked

CATEGORY_NAMES: Mapping[str, str] = {
    "high_card": marked("hand", "high card"),
    "one_pair": marked("hand", "one pair"),
    "two_pair": marked("hand", "two pair"),
    "three_of_a_kind": marked("hand", "three of a kind"),
    "straight": marked("hand", "straight"),
    "flush": marked("hand", "flush"),
    "full_house": marked("hand", "full house"),
    "four_of_a_kind": marked("hand", "four of a kind"),
    "straight_flush": marked("hand", "straight flush"),
    "five_of_a_kind": marked("hand", "five of a kind"),
}


def category_name(language: Language, category: str) -> str:
    """Return the name of a category of ``engine.hand_value.CATEGORIES``."""
    return language.named("hand", CATEGORY_NAMES[category])


def hand_name(language: Language, description: Description) -> str:
    """Return a hand as ``three kings, queen and ten kickers``; in English the words of ``engine.describe``."""
    ranks = [RANKS[rank] for rank in description.ranks]
    groups = len(ranks)
    match description.category:
        case "five_of_a_kind":
            hand, groups = language.say("five {ranks}", ranks=language.ranks(ranks[0])), 1
        case "straight_flush":
            hand = language.say("straight flush to the {rank}", rank=language.rank(ranks[0]))
        case "four_of_a_kind":
            hand, groups = language.say("four {ranks}", ranks=language.ranks(ranks[0])), 1
        case "full_house":
            three, two = map(language.ranks, ranks)
            hand = language.say("full house, {three} over {two}", three=three, two=two)
        case "flush":
            hand = language.say("flush, {ranks}", ranks=" ".join(map(language.rank, ranks)))
        case "straight":
            hand = language.say("straight to the {rank}", rank=language.rank(ranks[0]))
        case "three_of_a_kind":
            hand, groups = language.say("three {ranks}", ranks=language.ranks(ranks[0])), 1
        case "two_pair":
            high, low = map(language.ranks, ranks[:2])
            hand, groups = language.say("two pair, {high} and {low}", high=high, low=low), 2
        case "one_pair":
            hand, groups = language.say("pair of {ranks}", ranks=language.ranks(ranks[0])), 1
        case _:
            return _high_card(language, ranks)
    return _with_kickers(language, hand, ranks[groups:])


def low_name(language: Language, description: Description) -> str:
    """Return a low as ``6-4-3-2-A low``; in English the words of ``engine.hand_value.describe_low``."""
    if description.category == "high_card":
        return language.say("{ranks} low", ranks="-".join(RANKS[rank] for rank in description.ranks))
    return language.say("{hand}, as a low", hand=hand_name(language, description))


def _high_card(language: Language, ranks: Sequence[str]) -> str:
    high, *rest = map(language.rank, ranks)
    if not rest:
        return language.say("{rank} high", rank=high)
    return language.say("{rank} high, {rest}", rank=high, rest=" ".join(rest))


def _with_kickers(language: Language, hand: str, kickers: Sequence[str]) -> str:
    if not kickers:
        return hand
    named = language.listed(map(language.rank, kickers))
    return language.say_count(
        "{hand}, {kickers} kicker", "{hand}, {kickers} kickers", len(kickers), hand=hand, kickers=named
    )
