"""Games in rows, and two of them side by side."""

import pytest

from engine import PROFILES
from engine.knobs import MatchPotCapped, MinBet
from service.words import LANGUAGES, difference_text, overview


def row(name, rules, code="en"):
    return overview({name: rules}, code)[1]


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_game_has_a_row_under_headings(code):
    header, *rows = overview(PROFILES, code)
    assert list(PROFILES) == [name for name, *_ in rows]
    assert {len(header)} == {len(it) for it in rows}
    assert len(header) == len(set(header))


def test_a_row_is_in_chips_and_in_the_language():
    assert ("baseball", "2-7", "7", "3 9", "-", "4 (2)", "limit 2/4", "high") == row("baseball", PROFILES["baseball"])
    home = PROFILES["baseball-home-pay-threes"]
    assert ("x", "2-6", "7", "9", "3 (1)", "4 (gratis)", "1 a puntata", "alta") == row("x", home, "it")
    assert "5 10" == row("woolworth", PROFILES["woolworth"])[3]
    assert "Q nach Q" == row("follow-the-queen", PROFILES["follow-the-queen"], "de")[3]
    assert "9" == row("blind-baseball", PROFILES["blind-baseball"])[2]


def test_prices_in_short():
    capped = PROFILES["baseball"].replace(bonus_price=MatchPotCapped(9))
    assert ["4 (the pot, at most 9)", "4 (6)"] == [
        row("x", game)[5] for game in (capped, PROFILES["baseball"].replace(bonus_price=MinBet(3)))
    ]


def test_a_difference_names_the_game_before_each_sentence():
    text = difference_text(("one", PROFILES["baseball"]), ("other", PROFILES["football"]), "de")
    assert "Joker\n- one: Immer Joker: Dreien und Neunen.\n" in text
    assert "\n- other: Immer Joker: Sechsen.\n" in text


def test_the_same_game_has_no_differences():
    same = PROFILES["baseball"]
    assert "a und b sind dasselbe Spiel." == difference_text(("a", same), ("b", same), "de")
