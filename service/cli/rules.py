"""``dugout rules``: the games that are played, each explained in plain words, and how two of them differ."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from engine.profiles import PROFILES
from engine.rules import Rules
from service.cli.output import print_json, print_table
from service.cli.profiles import profile_named
from service.words import ENGLISH, LANGUAGES, difference_text, explanation_text, overview
from service.words.language import chips_text


def show_rules(
    profile: Annotated[str | None, typer.Argument(metavar="PROFILE", help="The game; without it, all of them.")] = None,
    diff: Annotated[
        str | None, typer.Option("--diff", metavar="OTHER", help="Only that in which two games differ.")
    ] = None,
    lang: Annotated[str, typer.Option("--lang", help=f"The language: {', '.join(LANGUAGES)}.")] = ENGLISH,
    as_json: Annotated[bool, typer.Option("--json", help="Print the record as JSON, amounts in minor units.")] = False,
) -> None:
    """List the games, explain one to a player, or compare two. Amounts are in chips.

    Example: dugout rules baseball --diff baseball-home --lang de
    """
    if lang not in LANGUAGES:
        raise typer.BadParameter(f"{lang!r} is not available; allowed: {', '.join(LANGUAGES)}", param_hint="--lang")
    if profile is None:
        if diff is not None:
            raise typer.BadParameter("name the game to compare with it", param_hint="PROFILE")
        _list_games(lang, as_json)
    elif diff is None:
        _explain_game(profile_named(profile, "PROFILE"), lang, as_json)
    else:
        _compare_games(profile, diff, lang, as_json)


def differences(one: Rules, other: Rules) -> dict[str, tuple[Any, Any]]:
    """Return the knobs in which two games differ, each with its value in the one and in the other."""
    first, second = one.as_record(), other.as_record()
    return {knob: (first[knob], second[knob]) for knob in first if first[knob] != second[knob]}


def knob_text(knob: str, value: Any, minor_units: int) -> str:
    """Return the value of a knob of a record for people, amounts in chips: ``fixed_limit low 2 high 4``, ``on``, ``-``.

    Raises:
        KeyError: if there is no such knob.
    """
    if value is None or value in ([], ()):
        return "-"
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, list | tuple):
        return " ".join(map(str, value))
    if isinstance(value, dict):
        parts = (f"{part} {_number(part, number, minor_units)}" for part, number in value.items() if part != "kind")
        return " ".join([str(value["kind"]), *parts])
    return _number(knob, value, minor_units)


_AMOUNTS = frozenset({"ante", "bring_in", "low", "high", "bet", "min", "max", "amount", "cap"})
"""The knobs, and the parts of structures and prices, that are amounts."""


def _number(name: str, value: Any, minor_units: int) -> str:
    return chips_text(value, minor_units) if name in _AMOUNTS else str(value)


def _list_games(lang: str, as_json: bool) -> None:
    if as_json:
        print_json([{"profile": name, **rules.as_record()} for name, rules in PROFILES.items()])
    else:
        print_table(overview(PROFILES, lang))


def _explain_game(rules: Rules, lang: str, as_json: bool) -> None:
    if as_json:
        print_json(rules.as_record())
    else:
        typer.echo(explanation_text(rules, lang))


def _compare_games(profile: str, other: str, lang: str, as_json: bool) -> None:
    mine, theirs = profile_named(profile, "PROFILE"), profile_named(other, "--diff")
    changed = differences(mine, theirs)
    if as_json:
        print_json({knob: {profile: one, other: another} for knob, (one, another) in changed.items()})
        return
    typer.echo(difference_text((profile, mine), (other, theirs), lang))
    if changed:
        typer.echo()
        print_table([("KNOB", profile.upper(), other.upper()), *_knob_rows(changed, mine, theirs)])


def _knob_rows(changed: Mapping[str, tuple[Any, Any]], mine: Rules, theirs: Rules) -> list[tuple[str, ...]]:
    """Return a row for each knob, but for those that only differ in how many minor units their chips have."""
    rows = [
        (knob, knob_text(knob, one, mine.minor_units), knob_text(knob, other, theirs.minor_units))
        for knob, (one, other) in changed.items()
    ]
    return [row for row in rows if row[1] != row[2]]
