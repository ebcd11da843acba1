"""How the cards are dealt, and how they are rolled."""

from collections.abc import Iterator

from engine.cards import DECK_SIZE
from engine.knobs import Burn, Exhaustion
from engine.rule_checks import MAX_BONUS_CARDS
from engine.rules import Rules
from service.words.language import Language


def dealing(language: Language, rules: Rules) -> Iterator[str]:
    """Yield what is to be said on the deal."""
    if rules.rolls:
        yield language.say_count(
            "Everybody gets {count} card face down, and nobody may look at it, not even its holder.",
            "Everybody gets {count} cards face down, and nobody may look at them, not even their holder.",
            len(rules.rounds[0]),
        )
    else:
        yield from _rounds(language, rules)
    yield _burns(language, rules)
    if _may_run_short(rules):
        yield _exhaustion(language, rules)


def rolling(language: Language, rules: Rules) -> Iterator[str]:
    """Yield what is to be said on rolling the cards, in a game that has it."""
    if not rules.rolls:
        return
    say = language.say
    yield say("The first player on the dealer's left turns one card face up, or folds; nobody bets before that.")
    yield say("Whoever takes the lead opens a round of betting.")
    yield say(
        "Then the next player turns up card by card until strictly ahead of the best open hand; a tie is not ahead. "
        "Only before the first of these cards may that player fold instead."
    )
    yield say("A player without a card left to turn who is not ahead bets no more, but the open hand still counts.")
    yield say("If the leader folds, the best open hand leads without another round of betting.")
    yield say("When only the leader is left, the best open hand among those who did not fold wins each pot.")


def _rounds(language: Language, rules: Rules) -> Iterator[str]:
    first, *others, last = rules.rounds
    down = language.say_count("{count} card face down", "{count} cards face down", first.count("d"))
    up = language.say_count("{count} card face up", "{count} cards face up", first.count("u"))
    yield language.say("First everybody gets {down} and {up}.", down=down, up=up)
    assert set(others) == {"u"}, "every pattern that is dealt goes on with single up cards"
    assert last == "d", "every pattern that is dealt ends with a down card"
    yield language.say_count(
        "Then comes {count} round of one card face up each, and a last one of one card face down.",
        "Then come {count} rounds of one card face up each, and a last one of one card face down.",
        len(others),
    )
    yield language.say(
        "That makes {cards} cards each, bonus cards not counted. After each of the {rounds} rounds there is betting.",
        cards=sum(map(len, rules.rounds)),
        rounds=len(rules.rounds),
    )


def _burns(language: Language, rules: Rules) -> str:
    if rules.burn == Burn.NONE:
        return language.say("No card is burned.")
    if rules.burn == Burn.EVERY_ROUND:
        return language.say("Before each round of dealing the top card is burned, unseen.")
    return language.say("Before each round of dealing but the first the top card is burned, unseen.")


def _burn_count(rules: Rules) -> int:
    rounds = len(rules.rounds)
    return {Burn.NONE: 0, Burn.EVERY_ROUND: rounds, Burn.NOT_FIRST: rounds - 1}[rules.burn]


def _may_run_short(rules: Rules) -> bool:
    if rules.rolls:
        return False
    bonus = MAX_BONUS_CARDS if rules.bonus_rank is not None else 0
    return rules.max_players * sum(map(len, rules.rounds)) + bonus + _burn_count(rules) > DECK_SIZE


def _exhaustion(language: Language, rules: Rules) -> str:
    if rules.exhaustion == Exhaustion.RECYCLE_FOLDED:
        return language.say(
            "If the deck is too short for the last round, the burned cards and those of folded players are shuffled "
            "and come back; if that is still too few, one card face up in the middle counts for everybody."
        )
    if rules.exhaustion == Exhaustion.BURNS_THEN_COMMUNITY and rules.burn != Burn.NONE:
        return language.say(
            "If the deck is too short for the last round, the burned cards come back; if that is still too few, "
            "one card face up in the middle counts for everybody."
        )
    return language.say(
        "If the deck is too short for the last round, one card face up in the middle counts for everybody instead."
    )
