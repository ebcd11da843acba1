"""Who opens, how much may be bet, and how often it may be raised."""

from collections.abc import Iterator

from engine.knobs import (
    Doubling,
    FirstOpener,
    FixedLimit,
    NoLimit,
    OneUnit,
    PotLimit,
    ShortBringIn,
    ShortRaise,
    ShowingTie,
    Spread,
    WildBringIn,
)
from engine.rules import Rules
from service.words.actions import action_name, actions_of
from service.words.language import Language
from service.words.wilds import has_wilds


def betting(language: Language, rules: Rules) -> Iterator[str]:
    """Yield what is to be said on betting."""
    yield from _opening(language, rules)
    yield from _sizes(language, rules)
    yield from _raises(language, rules)
    if not rules.credit:
        yield _short_raise(language, rules)
    yield language.say(
        "Whoever has checked may raise later in the same round. You may fold on any turn, even with nothing to call."
    )
    names = [action_name(language, kind) for kind in actions_of(rules)]
    yield language.say("Moves of this game: {actions}.", actions=", ".join(names))


def structure_name(language: Language, rules: Rules) -> str:
    """Return the betting structure in short, as in ``limit 2/4``."""
    chips = language.amount
    match rules.structure:
        case FixedLimit(low=low, high=high):
            return language.say("limit {low}/{high}", low=chips(low), high=chips(high))
        case OneUnit(bet=bet):
            return language.say("{bet} a bet", bet=chips(bet))
        case Doubling(bet=bet):
            return language.say("doubling from {bet}", bet=chips(bet))
        case Spread(min=least, max=most):
            return language.say("spread {least} to {most}", least=chips(least), most=chips(most))
        case PotLimit(min=least):
            return language.say("pot limit from {least}", least=chips(least))
        case NoLimit(min=least):
            return language.say("no limit from {least}", least=chips(least))


def _opening(language: Language, rules: Rules) -> Iterator[str]:
    say = language.say
    if rules.first_opener == FirstOpener.BRING_IN:
        yield say(
            "The lowest first open card has to open the first round with the bring-in of {chips} and may not fold. "
            "The ace is high; of equal ranks clubs are lowest, then diamonds, hearts, spades.",
            chips=language.chips(rules.bring_in),
        )
        if rules.bring_in == rules.low_bet:
            yield say("The bring-in is a full bet: whoever goes on raises.")
        else:
            full = language.chips(rules.low_bet)
            yield say("That player, or a later one, may complete it to the full bet of {chips}.", chips=full)
        yield from _bring_in_details(language, rules)
        yield say("In every later round the best open hand speaks first.")
    elif rules.rolls:
        yield say("The leader speaks first.")
    else:
        yield say("In every round the best open hand speaks first.")
    if rules.showing_tie == ShowingTie.POSITION:
        yield say("Of equal open hands the one nearest to the dealer's left comes first.")
    else:
        yield say(
            "Of equal open hands the one with the highest open card comes first, by its printed rank, "
            "then by suit: spades, hearts, diamonds, clubs."
        )


def _bring_in_details(language: Language, rules: Rules) -> Iterator[str]:
    say = language.say
    if has_wilds(rules):
        if rules.wild_bring_in == WildBringIn.PRINTED:
            yield say("For the bring-in a wild card counts as the rank that is printed on it.")
        else:
            yield say("For the bring-in a wild card counts above the ace.")
    if rules.credit:
        return
    if rules.short_bring_in == ShortBringIn.FULL_AMOUNT:
        yield say("If the bring-in is posted short, the others still owe all of it.")
    else:
        yield say("If the bring-in is posted short, the others owe only what was posted.")


def _sizes(language: Language, rules: Rules) -> Iterator[str]:
    say, chips = language.say, language.chips
    match rules.structure:
        case FixedLimit():
            yield from _fixed_limit(language, rules, rules.structure)
        case OneUnit(bet=bet):
            yield say("Every bet and every raise is {chips}.", chips=chips(bet))
        case Doubling(bet=bet):
            yield say("Every round opens at {chips}, and every raise doubles the bet.", chips=chips(bet))
        case Spread(min=least, max=most):
            yield say(
                "A bet is anything from {least} to {most}; a raise is at least the last bet or raise, "
                "and at most {most}.",
                least=chips(least),
                most=chips(most),
            )
        case PotLimit(min=least):
            yield say(
                "A bet is at least {least}, a raise at least the last bet or raise; both at most what is in the pot "
                "after calling, antes and paid cards included.",
                least=chips(least),
            )
        case NoLimit(min=least):
            yield say(
                "A bet is at least {least}, a raise at least the last bet or raise; both at most all your chips.",
                least=chips(least),
            )


def _fixed_limit(language: Language, rules: Rules, limit: FixedLimit) -> Iterator[str]:
    say, low, high = language.say, language.chips(limit.low), language.chips(limit.high)
    never = not rules.rolls and rules.high_from_round > len(rules.rounds)
    if limit.low == limit.high or never:
        yield say("Every bet and every raise is {chips}.", chips=low)
    elif rules.high_from_round == 1:
        yield say("Every bet and every raise is {chips}.", chips=high)
    else:
        yield say(
            "Bets and raises are {low}, and {high} from betting round {round} on.",
            low=low,
            high=high,
            round=rules.high_from_round,
        )
    if rules.open_pair_high_bet and not rules.rolls:
        yield say(
            "Once anybody shows a pair on fourth street, a bet there may be {low} or {high}; "
            "after one of {high} all raises are {high}.",
            low=low,
            high=high,
        )


def _raises(language: Language, rules: Rules) -> Iterator[str]:
    say = language.say
    if rules.raise_cap is None:
        yield say("There may be any number of raises.")
        return
    if rules.raise_cap == 0:
        yield say("Nobody may raise.")
    else:
        yield language.say_count(
            "After the opening bet of a round there may be {count} raise.",
            "After the opening bet of a round there may be {count} raises.",
            rules.raise_cap,
        )
    if rules.heads_up_uncapped:
        yield say("If only two players are in when a round begins, they may raise as often as they like.")


def _short_raise(language: Language, rules: Rules) -> str:
    if rules.short_raise == ShortRaise.HALF_BET:
        return language.say(
            "An all-in of at least half of what a bet or raise would need counts as a full one. A smaller one is no "
            "raise: whoever has acted already may only call or fold."
        )
    return language.say(
        "An all-in counts as a bet or raise only if it is a full one. A smaller one is no raise: "
        "whoever has acted already may only call or fold."
    )
