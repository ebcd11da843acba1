"""Games side by side: a row for each, and what tells two of them apart."""

from collections.abc import Mapping

from engine.knobs import BonusPrice, Fixed, Free, MatchPot, MatchPotCapped, MinBet, Split
from engine.rules import Rules
from service.words.betting import structure_name
from service.words.explanation import differences
from service.words.language import ENGLISH, Language, marked

_NONE = "-"
_COLUMNS = (
    marked("column", "Game"),
    marked("column", "Players"),
    marked("column", "Cards"),
    marked("column", "Wild"),
    marked("column", "To be paid"),
    marked("column", "Bonus"),
    marked("column", "Betting"),
    marked("column", "Pot"),
)


def overview(games: Mapping[str, Rules], code: str = ENGLISH) -> list[tuple[str, ...]]:
    """Return a heading row and a row for each game, amounts in chips.

    Raises:
        ValueError: if the language is none of ``LANGUAGES``.
    """
    language = Language(code)
    header = tuple(language.named("column", column).upper() for column in _COLUMNS)
    return [header, *(_row(name, rules, code) for name, rules in games.items())]


def difference_text(one: tuple[str, Rules], other: tuple[str, Rules], code: str = ENGLISH) -> str:
    """Return what tells two games, each given with its name, apart; that they are the same where nothing does.

    Raises:
        ValueError: if the language is none of ``LANGUAGES``.
    """
    parts = []
    for difference in differences(one[1], other[1], code):
        lines = [difference.title]
        lines += [f"- {one[0]}: {sentence}" for sentence in difference.one]
        lines += [f"- {other[0]}: {sentence}" for sentence in difference.other]
        parts.append("\n".join(lines))
    same = Language(code).say("{one} and {other} are the same game.", one=one[0], other=other[0])
    return "\n\n".join(parts) or same


def _row(name: str, rules: Rules, code: str) -> tuple[str, ...]:
    language = Language(code, minor_units=rules.minor_units)
    wild = [*map(_short_rank, rules.wild_ranks), *rules.wild_cards]
    if rules.wild_next_after is not None:
        wild.append(language.say("after {rank}", rank=_short_rank(rules.wild_next_after)))
    return (
        name,
        f"{rules.min_players}-{rules.max_players}",
        str(sum(map(len, rules.rounds))),
        " ".join(wild) or _NONE,
        _priced(language, rules, rules.pay_rank, rules.pay_price),
        _priced(language, rules, rules.bonus_rank, rules.bonus_price),
        structure_name(language, rules),
        language.say("high-low") if rules.split == Split.HIGH_LOW else language.say("high"),
    )


def _short_rank(rank: str) -> str:
    return "10" if rank == "T" else rank


def _priced(language: Language, rules: Rules, rank: str | None, price: BonusPrice | None) -> str:
    if rank is None or price is None:
        return _NONE
    return f"{_short_rank(rank)} ({_short_price(language, rules, price)})"


def _short_price(language: Language, rules: Rules, price: BonusPrice) -> str:
    match price:
        case Free():
            return language.say("free")
        case Fixed(amount=amount):
            return language.amount(amount)
        case MatchPot():
            return language.say("the pot")
        case MatchPotCapped(cap=cap):
            return language.say("the pot, at most {cap}", cap=language.amount(cap))
        case MinBet(multiple=multiple):
            return language.amount(multiple * rules.low_bet)
