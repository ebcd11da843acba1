"""Write the tables of ``docs/rules.md`` anew: every knob, and every game with what sets it apart.

What a knob means is taken from the comments of the API definition, its values and its default from the record, the
games from the profiles. Run by ``make docs``.

    python docs/tables.py [FILE]     FILE instead of docs/rules.md
"""

import re
import sys
from collections.abc import Iterator, Mapping
from enum import EnumMeta
from pathlib import Path
from types import NoneType
from typing import Any, get_args

import msgspec

from engine import PROFILES, Rules
from engine.knobs import Free
from engine.rule_checks import _PATTERNS, DEPENDENTS, LOW_KNOBS
from service.cli.rules import differences, knob_text

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "rules.md"
PROTO = ROOT / "proto" / "stud" / "v1" / "stud.proto"
EVERYTHING_ON = Rules(pay_rank="3", bonus_rank="4", hole_bonus=Free(), split="high_low", rain_card="Qs")
"""Rules under which every knob has a meaning, to read the defaults of those that depend on others."""
FOLLOWING = {
    "first_opener": "follows `bring_in`",
    "short_raise": "`half_bet`; pot and no limit `full_raise`",
    "raise_cap": "3; pot and no limit none",
}
"""The defaults that follow from another knob and not only from its being on."""


def with_tables(page: str) -> str:
    """Return the page with its tables made anew.

    Raises:
        ValueError: if it lacks the place for one.
    """
    for name, lines in (("knobs", knob_table()), ("games", game_table())):
        begin, end = f"<!-- {name}: written by make docs -->", f"<!-- end of {name} -->"
        before, found, rest = page.partition(begin)
        _, found_end, after = rest.partition(end)
        if not found or not found_end:
            raise ValueError(f"the page has no place for the table of {name}: {begin} ... {end}")
        page = "\n".join([before + begin, "", *lines, "", end]) + after
    return page


def knob_table() -> Iterator[str]:
    """Yield the lines of the table of knobs."""
    meanings = _meanings()
    yield "| knob | values | default | meaning |"
    yield "|---|---|---|---|"
    for field in msgspec.structs.fields(Rules):
        name = field.name
        yield f"| `{name}` | {_values(name, field.type)} | {_default(name)} | {meanings[name]} |"


def game_table() -> Iterator[str]:
    """Yield the lines of the table of games: each beside the earlier one that it is most like."""
    yield "| game | is | with |"
    yield "|---|---|---|"
    earlier: dict[str, Rules] = {}
    for name, rules in PROFILES.items():
        parent, changed = _nearest(rules, earlier)
        yield f"| `{name}` | {parent} | {', '.join(changed) or 'nothing else'} |"
        earlier[name] = rules


def _meanings() -> dict[str, str]:
    """Return the comment of each field of the message ``Rules``."""
    message = PROTO.read_text().partition("\nmessage Rules {\n")[2].partition("\n}\n")[0]
    fields = re.findall(r"((?:^  // .*\n)+)^  (?:optional )?\w+ (\w+) = \d+;", message, re.MULTILINE)
    return {name: " ".join(re.findall(r"// (.*)", comment)).rstrip(".") for comment, name in fields}


def _values(name: str, kind: Any) -> str:
    kinds = get_args(kind) or (kind,)
    shapes = [_shape(it) for it in kinds if isinstance(it, type) and issubclass(it, msgspec.Struct)]
    choices = [f"`{value}`" for it in kinds if isinstance(it, EnumMeta) for value in it]
    if name == "deal_pattern":
        choices = [f"`{pattern}`" for pattern in _PATTERNS]
    if bool in kinds:
        choices = ["off", "on"]
    if not shapes and not choices:
        choices = ["a number"]
        if str in kinds:
            choices = [
                f"a set of {name.split('_')[1]}" if Ellipsis in kinds else "a card" if name == "rain_card" else "a rank"
            ]
    none = ["none"] if NoneType in kinds and name in ("session_pots", "raise_cap", *_governors()) else []
    return ", ".join([*none, *shapes, *choices])


def _shape(kind: type[msgspec.Struct]) -> str:
    parts = ", ".join(kind.__struct_fields__)
    return f"`{kind.__struct_config__.tag}({parts})`" if parts else f"`{kind.__struct_config__.tag}`"


def _governors() -> tuple[str, ...]:
    return (*DEPENDENTS, "wild_next_after")


def _default(name: str) -> str:
    if name in FOLLOWING:
        return FOLLOWING[name]
    rules = EVERYTHING_ON if name in _dependents() else Rules()
    return _text(name, rules.as_record()[name], rules) if getattr(rules, name) not in (None, ()) else "none"


def _dependents() -> Mapping[str, str]:
    governed = {knob: governor for governor, knobs in DEPENDENTS.items() for knob in knobs if knob not in DEPENDENTS}
    return governed | dict.fromkeys(LOW_KNOBS, "split")


def _nearest(rules: Rules, earlier: Mapping[str, Rules]) -> tuple[str, list[str]]:
    """Return the earlier game with the fewest different knobs, and those knobs; without one, the defaults."""
    others = {f"`{name}`": other for name, other in earlier.items()} or {"the defaults": Rules()}
    named = {name: list(_changes(other, rules)) for name, other in others.items()}
    nearest = min(named, key=lambda name: len(named[name]))
    return nearest, named[nearest]


def _changes(other: Rules, rules: Rules) -> Iterator[str]:
    """Yield each knob that differs, but for those that come with their governor, or go with it."""
    defaults = EVERYTHING_ON.as_record()
    for knob, (before, value) in differences(other, rules).items():
        comes_or_goes = knob in _dependents() and (value is None or (before is None and value == defaults[knob]))
        if not comes_or_goes and _text(knob, before, other) != (text := _text(knob, value, rules)):
            yield f"`{knob}` {text}"


def _text(knob: str, value: Any, rules: Rules) -> str:
    shown = knob_text(knob, value, rules.minor_units)
    if shown in ("-", "on", "off") or shown.isdigit():
        return {"-": "none"}.get(shown, shown)
    return f"`{shown}`"


def main(file: Path) -> None:
    """Write the tables of a page anew."""
    file.write_text(with_tables(file.read_text()))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else PAGE)
