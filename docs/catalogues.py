"""Bring the catalogues of ``service/words/locale`` up to date with the messages in the source (needs Babel).

``messages.pot`` holds every message; ``<language>.po`` its translations. New messages come in untranslated, those that
are gone go. Run by ``make words``; nothing in the files tells when or where that was, so that they are the same
everywhere.

    python docs/catalogues.py [FOLDER]     the catalogues go to FOLDER instead, made of those that are committed
"""

import sys
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

SOURCE = Path(__file__).resolve().parents[1] / "service" / "words"
LOCALE = SOURCE / "locale"
LANGUAGES = ("it", "de", "es", "id")
KEYWORDS = {"say": None, "say_count": (1, 2), "named": ((1, "c"), 2), "marked": ((1, "c"), 2)}
_HEADER = "# What Dugout says about rules, actions and hands."


def messages() -> Catalog:
    """Return every message of the source."""
    template = Catalog(project="dugout", header_comment=_HEADER, fuzzy=False)
    found = extract_from_dir(SOURCE, method_map=[("**.py", "python")], keywords=KEYWORDS, strip_comment_tags=True)
    for file, _, message, comments, context in sorted(found, key=lambda it: (it[0], it[1])):
        template.add(message, locations=[(f"service/words/{file}", None)], auto_comments=comments, context=context)
    return template


def updated(language: str, template: Catalog) -> Catalog:
    """Return the catalogue of a language with the template's messages and the translations that it has."""
    committed = LOCALE / f"{language}.po"
    old = read_po(BytesIO(committed.read_bytes() if committed.exists() else b""), locale=language)
    catalogue = Catalog(locale=language, project="dugout", header_comment=_HEADER, fuzzy=False)
    for message in template:
        if not message.id:
            continue
        known = old.get(message.id, message.context)
        kept = known.string if known is not None and not known.fuzzy else ""
        catalogue.add(
            message.id,
            kept,
            locations=message.locations,
            auto_comments=message.auto_comments,
            user_comments=known.user_comments if known is not None else (),
            context=message.context,
        )
    return catalogue


def written(catalogue: Catalog) -> bytes:
    """Return a catalogue as a file; its header keeps what a reader of it needs."""
    target = BytesIO()
    write_po(target, catalogue, width=100, omit_header=True)
    header = ["Content-Type: text/plain; charset=utf-8"]
    if catalogue.locale is not None:
        header = [f"Language: {catalogue.locale}", *header, f"Plural-Forms: {catalogue.plural_forms}"]
    lines = [_HEADER, 'msgid ""', 'msgstr ""', *(f'"{line}\\n"' for line in header), "", ""]
    return "\n".join(lines).encode() + target.getvalue().rstrip(b"\n") + b"\n"


def main(folder: Path) -> None:
    """Write all catalogues into a folder."""
    template = messages()
    (folder / "messages.pot").write_bytes(written(template))
    for language in LANGUAGES:
        (folder / f"{language}.po").write_bytes(written(updated(language, template)))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else LOCALE)
