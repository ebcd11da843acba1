"""What happens when it rains."""

from collections.abc import Iterator

from engine.cards import card_symbol, parse_card
from engine.rules import Rules
from service.words.language import Language


def rain(language: Language, rules: Rules) -> Iterator[str]:
    """Yield what is to be said on rain, in a game where it can rain."""
    if rules.rain_card is None:
        return
    say = language.say
    yield say(
        "When {card} comes face up, it rains: the hand is over at once, all cards go back, and the same dealer deals "
        "again. Face down it does nothing.",
        card=card_symbol(parse_card(rules.rain_card)),
    )
    yield say("The whole pot waits and goes to the winner of the first hand that ends without rain.")
    if rules.rain_ante:
        yield say("Everybody antes again.")
    else:
        yield say("Nobody antes again while a pot is waiting.")
    if rules.rain_returns:
        yield say("Players who had folded are dealt in again.")
    else:
        yield say("Players who had folded stay out until the waiting pot is won.")
