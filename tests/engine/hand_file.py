"""Worked hands as text: the files ``hands/*.txt``, read; ``hands/README.txt`` explains the notation."""

import re
from pathlib import Path
from typing import NamedTuple

_TITLE = re.compile(r"== (\S.*)")


class HandFileError(AssertionError):
    """What is wrong with a worked hand, or with the engine that does not play it so."""


class Line(NamedTuple):
    """A line of a file, with its number."""

    number: int
    text: str


class WorkedHand(NamedTuple):
    """One hand of a file: its title and its lines."""

    path: Path
    title: Line
    lines: tuple[Line, ...]


def read_hands(path: Path) -> list[WorkedHand]:
    """Return the hands of a file; lines that begin with ``#`` are remarks."""
    hands: list[tuple[Line, list[Line]]] = []
    for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if not text.strip() or text.startswith("#"):
            continue
        title = _TITLE.fullmatch(text)
        if title:
            hands.append((Line(number, " ".join(title[1].split())), []))
        elif not hands:
            raise HandFileError(f"{path.name}:{number}: a hand begins with '== title', not with {text!r}")
        else:
            hands[-1][1].append(Line(number, text.rstrip()))
    return [WorkedHand(path, title, tuple(lines)) for title, lines in hands]
