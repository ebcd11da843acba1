"""The catalogues are complete, right in form, and what the source says; the reader of them reads nothing else."""

import re
import tomllib
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from service.words.catalogue import LANGUAGES, CatalogueError, read_catalogue, translations

ROOT = Path(__file__).parents[3]
LOCALE = ROOT / "service/words/locale"
TRANSLATED = [language for language in LANGUAGES if language != "en"]
PLACEHOLDER = re.compile(r"\{(\w*)\}")
TERMS = {"straight flush", "full house", "limit {low}/{high}"}
PLURAL_FORMS = {"it": 3, "de": 2, "es": 3, "id": 1}


def messages(path):
    with path.open("rb") as file:
        return {(it.context, it.id): it for it in read_po(file, abort_invalid=True) if it.id}


def forms(message):
    return message.string if isinstance(message.string, tuple | list) else (message.string,)


def english(message):
    """Return the English that a translation must agree with: of two forms the one for many."""
    return message.id if isinstance(message.id, str) else message.id[1]


TEMPLATE = messages(LOCALE / "messages.pot")


def test_there_is_a_catalogue_for_each_language_and_no_other():
    assert sorted(TRANSLATED) == sorted(path.stem for path in LOCALE.glob("*.po"))
    assert ["en", "it", "de", "es", "id"] == list(LANGUAGES)


@pytest.mark.parametrize("language", TRANSLATED)
def test_a_catalogue_has_every_message_of_the_source_and_no_other(language):
    assert len(TEMPLATE) > 200
    assert list(TEMPLATE) == list(messages(LOCALE / f"{language}.po"))
    assert "#~" not in (LOCALE / f"{language}.po").read_text()


def faults(language, message):
    """Yield what is wrong with the translation of a message."""
    source, translated = english(message), forms(message)
    if message.fuzzy:
        yield "fuzzy"
    if (PLURAL_FORMS[language] if message.pluralizable else 1) != len(translated):
        yield "number of forms"
    for form in translated:
        if not form or form != form.strip():
            yield "empty, or space around it"
        if set(PLACEHOLDER.findall(source)) != set(PLACEHOLDER.findall(form)):
            yield "placeholders"
        if source.endswith(".") != form.endswith("."):
            yield "full stop"
        if form == source and len(PLACEHOLDER.sub("", source).split()) > 1 and source not in TERMS:
            yield "not translated"


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_translation_is_there_in_every_form_with_the_same_placeholders(language):
    catalogue = messages(LOCALE / f"{language}.po").values()
    assert {} == {english(message): found for message in catalogue if (found := [*faults(language, message)])}


@pytest.mark.parametrize("language", TRANSLATED)
def test_the_reader_reads_what_babel_reads(language):
    read = read_catalogue((LOCALE / f"{language}.po").read_text(encoding="utf-8"))
    expected = {
        (f"{it.context}\x04" if it.context else "")
        + "\x00".join([it.id] if isinstance(it.id, str) else it.id): "\x00".join(forms(it))
        for it in messages(LOCALE / f"{language}.po").values()
    }
    assert "Content-Type: text/plain; charset=utf-8" in read.pop("")
    assert expected == read


@pytest.mark.parametrize(
    ("language", "number", "expected"),
    [
        ("it", 1, "1 carta coperta"),
        ("it", 2, "2 carte coperte"),
        ("it", 0, "0 carte coperte"),
        ("it", 1_000_000, "1000000 di carte coperte"),
        ("de", 1, "1 verdeckte Karte"),
        ("de", 0, "0 verdeckte Karten"),
        ("es", 1, "1 carta boca abajo"),
        ("es", 1_000_000, "1000000 de cartas boca abajo"),
        ("es", 21, "21 cartas boca abajo"),
        ("id", 1, "1 kartu tertutup"),
        ("id", 7, "7 kartu tertutup"),
        ("en", 1, "1 card face down"),
        ("en", 21, "21 cards face down"),
    ],
)
def test_each_language_has_its_own_plural_rule(language, number, expected):
    one, many = "{count} card face down", "{count} cards face down"
    assert expected == translations(language).ngettext(one, many, number).format(count=number)


def test_a_language_that_is_not_there_is_refused_by_name():
    with pytest.raises(ValueError, match=r"'fr'.*allowed: en, it, de, es, id"):
        translations("fr")
    with pytest.raises(ValueError, match="allowed"):
        translations("../locale/it")


def test_escapes_continued_lines_contexts_and_plurals_are_read():
    text = (
        'msgid ""\nmsgstr ""\n"Language: xx\\n"\n\n'
        '#: somewhere\n#, python-brace-format\nmsgctxt "c"\nmsgid "a \\"b\\"\\n"\n"\\\\"\nmsgstr ""\n"ä\\t"\n\n'
        'msgid "one"\nmsgid_plural "many"\nmsgstr[0] "x"\nmsgstr[1] "y"\n'
    )
    assert {"": "Language: xx\n", 'c\x04a "b"\n\\': "ä\t", "one\x00many": "x\x00y"} == read_catalogue(text)


def test_fuzzy_missing_and_half_missing_translations_are_left_out():
    text = (
        '#, fuzzy\nmsgid "a"\nmsgstr "x"\n\nmsgid "b"\nmsgstr ""\n\n'
        'msgid "c"\nmsgid_plural "d"\nmsgstr[0] "x"\nmsgstr[1] ""\n\nmsgid "e"\nmsgstr "y"\n'
    )
    assert {"e": "y"} == read_catalogue(text)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('msgid "a"\nmsgstr x\n', 2),
        ('msgid "a"\nmsgid "b"\n', 2),
        ('msgid "a"\nmsgwhat "b"\n', 2),
        ('"astray"\n', 1),
        ('msgid "a"\nmsgstr "b\n', 2),
        ('msgid "a"\nmsgstr 7\n', 2),
    ],
)
def test_a_line_that_cannot_be_read_is_named(text, line):
    with pytest.raises(CatalogueError, match=f"line {line}: "):
        read_catalogue(text)


def test_the_catalogues_are_part_of_the_package():
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    packaged = {path for pattern in tool["package-data"]["service"] for path in (ROOT / "service").glob(pattern)}
    assert set(LOCALE.glob("*.po")) <= packaged
