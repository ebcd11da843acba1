"""Which cards are wild, and what that means."""

from collections.abc import Iterator

from engine.cards import RANKS, card_symbol, mask_of, parse_card
from engine.evaluator import evaluate
from engine.hand_value import describe
from engine.knobs import FiveOfAKind
from engine.rules import Rules
from service.words.hands import hand_name
from service.words.language import Language


def has_wilds(rules: Rules) -> bool:
    """Whether any card of a game can be wild."""
    return bool(rules.wild_mask) or rules.wild_next_after is not None or rules.pay_rank is not None


def wilds(language: Language, rules: Rules) -> Iterator[str]:
    """Yield what is to be said on wild cards."""
    say = language.say
    if not has_wilds(rules):
        yield say("No card is wild.")
        return
    if rules.wild_mask:
        yield say("Always wild: {cards}.", cards=language.cards(rules.wild_ranks, rules.wild_cards))
    if rules.wild_next_after is not None:
        yield from _follow(language, rules.wild_next_after)
    yield from _meaning(language, rules)
    example = _example(language, rules)
    if example:
        yield example


def _follow(language: Language, rank: str) -> Iterator[str]:
    yield language.say(
        "When {one} is dealt face up, the next card dealt face up to anybody names one more wild rank: all cards of "
        "its rank are wild, for everybody. If it is {one} too, the card after it names the rank.",
        one=language.a_rank(rank),
    )
    yield language.say(
        "When {one} is dealt face up later on, the named rank is wild no more and the next card names a new one; "
        "if none follows, there is none.",
        one=language.a_rank(rank),
    )


def _meaning(language: Language, rules: Rules) -> Iterator[str]:
    say = language.say
    yield say(
        "A wild card stands for the card that makes its holder's hand best: any that the five cards do not hold yet, "
        "or a fifth one of a rank. Nobody has to name it: the cards speak for themselves."
    )
    if rules.double_ace_flush:
        yield say("In a flush each wild card is an ace, even beside an ace that is there already.")
    else:
        yield say("In a flush a wild card is the highest rank that is missing, so no flush has two aces.")
    if rules.five_of_a_kind == FiveOfAKind.ABOVE_STRAIGHT_FLUSH:
        yield say("Five of a kind beats everything, a royal flush included.")
    else:
        yield say("Five of a kind beats everything but a royal flush.")
    if rules.natural_beats_wild:
        yield say("Of two equal hands the one that needs no wild card wins.")
    else:
        yield say("A hand without wild cards does not beat an equal one that has some: they share.")
    if rules.wild_in_showing:
        yield say("Wild cards count as wild in open hands too: one wild card alone is an ace, beside a king a king.")
    else:
        yield say("In open hands a wild card counts as the rank that is printed on it.")


def _example(language: Language, rules: Rules) -> str:
    """Return what one wild card makes of a pair of kings; nothing where no card is always wild."""
    if not rules.wild_mask:
        return ""
    wild = next(card for suit in "cdhs" for rank in RANKS if rules.wild_mask >> (card := parse_card(rank + suit)) & 1)
    plain = [card for rank in "KQTJ8765432A" for card in [parse_card(rank + "s")] if not rules.wild_mask >> card & 1]
    pair = [card for card in (parse_card("Ks"), parse_card("Kh")) if not rules.wild_mask >> card & 1]
    cards = [*pair, wild, *[card for card in plain if card not in pair and card != wild]][:5]
    value = evaluate(mask_of(cards), rules.wild_mask, ranking=rules.ranking)
    return language.say(
        "For example, {cards} is: {hand}.",
        cards=" ".join(map(card_symbol, cards)),
        hand=hand_name(language, describe(value)),
    )
