"""``dugout rules``: the games that are played, and every choice of one of them."""

from typing import Annotated, Any

import typer

from engine.profiles import PROFILES
from engine.rules import Rules
from service.cli.output import print_json, print_table
from service.cli.profiles import profile_named

LANGUAGES = ("en",)


def show_rules(
    profile: Annotated[str | None, typer.Argument(metavar="PROFILE", help="The game; without it, all of them.")] = None,
    diff: Annotated[
        str | None, typer.Option("--diff", metavar="OTHER", help="Only the knobs in which two games differ.")
    ] = None,
    lang: Annotated[str, typer.Option("--lang", help=f"The language: {', '.join(LANGUAGES)}.")] = "en",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the games, show every knob of one, or compare two. Amounts are minor units.

    Example: dugout rules baseball --diff baseball-home
    """
    if lang not in LANGUAGES:
        raise typer.BadParameter(f"{lang!r} is not available; allowed: {', '.join(LANGUAGES)}", param_hint="--lang")
    if profile is None:
        if diff is not None:
            raise typer.BadParameter("name the game to compare with it", param_hint="PROFILE")
        _list_games(as_json)
    elif diff is None:
        _show_game(profile_named(profile, "PROFILE"), as_json)
    else:
        _compare_games(profile, diff, as_json)


def differences(one: Rules, other: Rules) -> dict[str, tuple[Any, Any]]:
    """Return the knobs in which two games differ, each with its value in the one and in the other."""
    first, second = one.as_record(), other.as_record()
    return {knob: (first[knob], second[knob]) for knob in first if first[knob] != second[knob]}


def _list_games(as_json: bool) -> None:
    if as_json:
        print_json([{"profile": name, **rules.as_record()} for name, rules in PROFILES.items()])
        return
    header = ("PROFILE", "PLAYERS", "WILD", "BONUS CARD", "BETTING", "SPLIT")
    print_table([header, *(_summary(name, rules) for name, rules in PROFILES.items())])


def _summary(name: str, rules: Rules) -> tuple[str, ...]:
    bonus = f"{rules.bonus_rank} ({_text_of(rules.as_record()['bonus_price'])})" if rules.bonus_rank else "-"
    return (
        name,
        f"{rules.min_players}-{rules.max_players}",
        " ".join((*rules.wild_ranks, *rules.wild_cards)) or "-",
        bonus,
        _text_of(rules.as_record()["structure"]),
        rules.split.value,
    )


def _show_game(rules: Rules, as_json: bool) -> None:
    if as_json:
        print_json(rules.as_record())
        return
    print_table([(knob, _text_of(value)) for knob, value in rules.as_record().items()])


def _compare_games(profile: str, other: str, as_json: bool) -> None:
    changed = differences(profile_named(profile, "PROFILE"), profile_named(other, "--diff"))
    if as_json:
        print_json({knob: {profile: mine, other: theirs} for knob, (mine, theirs) in changed.items()})
    elif changed:
        rows = [(knob, _text_of(mine), _text_of(theirs)) for knob, (mine, theirs) in changed.items()]
        print_table([("KNOB", profile.upper(), other.upper()), *rows])
    else:
        typer.echo(f"{profile} and {other} are the same game.")


def _text_of(value: Any) -> str:
    """Return the value of a knob for people: ``fixed_limit low 2 high 4``, ``3 9``, ``on``, ``-``."""
    if value is None or value in ([], ()):
        return "-"
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, list | tuple):
        return " ".join(map(str, value))
    if isinstance(value, dict):
        return " ".join([str(value["kind"]), *(f"{k} {v}" for k, v in value.items() if k != "kind")])
    return str(value)
