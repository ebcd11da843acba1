"""The translations of one language, read from its catalogue ``locale/<language>.po``.

The catalogues are the only thing that translators touch: nothing is compiled beforehand, so an edit is in force at the
next start, in a tree as in an installed wheel. The file is turned in memory into the binary form that ``gettext``
reads, which brings the language's plural rule with it. What a catalogue lacks is said in English.
"""

import json
import struct
from collections.abc import Iterator
from functools import lru_cache
from gettext import GNUTranslations, NullTranslations
from importlib.resources import files
from io import BytesIO

ENGLISH = "en"
LANGUAGES = (ENGLISH, "it", "de", "es", "id")
"""The languages there are, by their ISO 639 codes; the source is English."""


class CatalogueError(ValueError):
    """A catalogue that cannot be read; the message names its line."""


@lru_cache
def translations(language: str) -> NullTranslations:
    """Return the translations into one of ``LANGUAGES``.

    Raises:
        ValueError: if the language is none of them.
    """
    if language not in LANGUAGES:
        raise ValueError(f"{language!r} is no language that is spoken here; allowed: {', '.join(LANGUAGES)}")
    if language == ENGLISH:
        return NullTranslations()
    text = files(__package__).joinpath("locale", f"{language}.po").read_text(encoding="utf-8")
    return GNUTranslations(BytesIO(_binary(read_catalogue(text))))


def read_catalogue(text: str) -> dict[str, str]:
    """Return the translations of a catalogue under the keys of ``gettext``'s binary form; fuzzy ones are left out.

    A context stands before its message with ``\\x04`` in between, plural forms are separated by ``\\x00``.

    Raises:
        CatalogueError: if a line is none that a catalogue may have.
    """
    found: dict[str, str] = {}
    for entry in _entries(text):
        forms = [entry[f"msgstr[{at}]"] for at in range(len(entry)) if f"msgstr[{at}]" in entry]
        translated = forms or [entry.get("msgstr", "")]
        if "#fuzzy" in entry or not all(translated):
            continue
        context = f"{entry['msgctxt']}\x04" if "msgctxt" in entry else ""
        plural = f"\x00{entry['msgid_plural']}" if "msgid_plural" in entry else ""
        found[context + entry["msgid"] + plural] = "\x00".join(translated)
    return found


def _entries(text: str) -> Iterator[dict[str, str]]:
    """Yield the entries of a catalogue: keyword and text, and ``#fuzzy`` where an entry is marked so."""
    entry: dict[str, str] = {}
    keyword = ""
    for number, line in enumerate([*text.splitlines(), ""], start=1):
        if not line.strip():
            if "msgid" in entry:
                yield entry
            entry, keyword = {}, ""
        elif line.startswith("#"):
            if line.startswith("#,") and "fuzzy" in line:
                entry["#fuzzy"] = ""
        elif line.startswith('"') and keyword:
            entry[keyword] += _quoted(line, number)
        else:
            keyword, _, quoted = line.partition(" ")
            if keyword.partition("[")[0] not in ("msgctxt", "msgid", "msgid_plural", "msgstr") or keyword in entry:
                raise CatalogueError(f"line {number}: {line!r} does not belong here")
            entry[keyword] = _quoted(quoted, number)


def _quoted(text: str, number: int) -> str:
    try:
        read = json.loads(text)  # the escapes of a catalogue are among those of JSON
    except json.JSONDecodeError:
        read = None
    if not isinstance(read, str):
        raise CatalogueError(f"line {number}: {text!r} is not a text in quotation marks")
    return read


def _binary(catalogue: dict[str, str]) -> bytes:
    """Return a catalogue in the binary form: a header, two tables of (length, offset), the texts."""
    pairs = sorted((key.encode(), value.encode()) for key, value in catalogue.items())
    texts = [key for key, _ in pairs] + [value for _, value in pairs]
    start = 28 + 8 * len(texts)
    table, body = b"", b""
    for text in texts:
        table += struct.pack("<II", len(text), start + len(body))
        body += text + b"\x00"
    header = struct.pack("<7I", 0x950412DE, 0, len(pairs), 28, 28 + 8 * len(pairs), 0, start)
    return header + table + body
