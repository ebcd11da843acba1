"""Which hand wins, and how the pot is divided."""

from collections.abc import Iterator

from engine.hand_value import CATEGORIES
from engine.knobs import FiveOfAKind, LowQualifier, LowScale, OddUnit, Split, WildInLow
from engine.rules import Rules
from service.words.hands import category_name
from service.words.language import Language
from service.words.wilds import has_wilds


def showdown(language: Language, rules: Rules) -> Iterator[str]:
    """Yield what is to be said on the end of a hand."""
    say = language.say
    if rules.rolls:
        yield say("The best open hand wins the pot: at most five of its cards count.")
    elif rules.split == Split.HIGH_LOW:
        yield say(
            "The best high hand wins half of each pot, the best low hand the other half. For each you choose five of "
            "all your cards, bonus cards included, and you may win both."
        )
    else:
        yield say("The best five of all your cards, bonus cards included, win the pot.")
    categories = _categories(rules)
    yield say("Hands, the best first: {hands}.", hands=", ".join(category_name(language, name) for name in categories))
    if rules.split == Split.HIGH_LOW:
        yield from _low(language, rules)
    if not rules.rolls:
        yield say(
            "Whoever bet or raised last shows first, or the best open hand if nobody bet; "
            "everybody still in shows. If all others have folded, nothing is shown."
        )
    yield _odd_unit(language, rules)
    if rules.split == Split.HIGH_LOW:
        yield say("A unit that is left over between the halves goes to the high half.")


def _categories(rules: Rules) -> list[str]:
    best_first = list(reversed(CATEGORIES))
    if not has_wilds(rules):
        best_first.remove("five_of_a_kind")
    elif rules.five_of_a_kind == FiveOfAKind.BELOW_ROYAL_FLUSH:
        best_first[:2] = ["straight_flush", "five_of_a_kind"]
    return best_first


def _low(language: Language, rules: Rules) -> Iterator[str]:
    say = language.say
    if rules.low_scale == LowScale.A5:
        yield say("For low the ace is low, straights and flushes do not matter, and 5-4-3-2-A is best.")
    else:
        yield say("For low the ace is low, straights and flushes count against you, and 6-4-3-2-A is best.")
    if rules.low_qualifier == LowQualifier.EIGHT:
        yield say("A low needs five different ranks, none above eight; if nobody has one, the high hand wins it all.")
    else:
        yield say("Any five cards are a low: the weakest hand wins.")
    if not has_wilds(rules):
        return
    if rules.wild_in_low == WildInLow.WILD:
        yield say(
            "In a low a wild card stands for whatever makes the low best; it may be another card than in the high."
        )
    elif rules.wild_in_low == WildInLow.NATURAL:
        yield say("In a low a wild card counts only as the card that is printed on it.")
    else:
        yield say("A wild card may not be used in a low.")


def _odd_unit(language: Language, rules: Rules) -> str:
    say = language.say
    if rules.odd_unit == OddUnit.EXACT:
        return say("Equal hands share a pot exactly; there is nothing left over.")
    if rules.odd_unit == OddUnit.FIRST_LEFT_OF_DEALER:
        return say("Equal hands share a pot; what is left over goes to the first of them on the dealer's left.")
    if rules.odd_unit == OddUnit.HIGH_CARD_BEST_FIVE:
        return say(
            "Equal hands share a pot; what is left over goes to the one with the highest card, by rank, then suit, "
            "among the five that count."
        )
    return say(
        "Equal hands share a pot; what is left over goes to the one with the highest card, by rank, then suit, "
        "among all its cards."
    )
