"""Who plays, and for what."""

from collections.abc import Iterator

from engine.rules import Rules
from service.words.language import Language


def stakes(language: Language, rules: Rules) -> Iterator[str]:
    """Yield what is to be said on players, chips and sessions."""
    say = language.say
    if rules.min_players == rules.max_players:
        yield language.say_count("{count} player.", "{count} players.", rules.max_players)
    else:
        yield say("{least} to {most} players.", least=rules.min_players, most=rules.max_players)
    if rules.credit:
        yield say("Everybody plays on credit: a balance may go below zero, so nobody is ever all-in.")
    else:
        yield say(
            "Everybody plays with the chips in front of them: whoever runs out is all-in, stays in the hand "
            "and can win the pots reached so far; others may go on betting for a side pot."
        )
    if rules.minor_units > 1:
        yield language.say_count(
            "A chip divides into {count} unit.", "A chip divides into {count} units.", rules.minor_units
        )
    if rules.ante:
        yield say("Before the deal everybody puts an ante of {chips} into the pot.", chips=language.chips(rules.ante))
    else:
        yield say("There is no ante.")
    if rules.session_pots is not None:
        yield language.say_count(
            "A session is over after {count} pot.", "A session is over after {count} pots.", rules.session_pots
        )
        yield say(
            "A hand that everybody but one has folded counts as a pot, one that was rained out does not. "
            "In the end players rank by what they have won or lost; equal results share a place."
        )
    if rules.dealers_choice:
        yield say("Before each deal the dealer may name another game that is played for the same stakes.")
