"""What is said on rain."""

from engine import PROFILES


def test_rain_is_spoken_of_only_where_it_can_rain(said):
    assert [] == said(PROFILES["baseball"], "Rain")
    rainy = said(PROFILES["rainy-day-baseball"], "Rain")
    assert rainy[0].startswith("When Q♠ comes face up, it rains: ")
    assert ["Everybody antes again.", "Players who had folded are dealt in again."] == rainy[-2:]


def test_the_other_ways(said):
    other = PROFILES["rainy-day-baseball"].replace(rain_card="Kh", rain_ante=False, rain_returns=False)
    dry = said(other, "Rain")
    assert "K♥" in dry[0]
    assert [
        "Nobody antes again while a pot is waiting.",
        "Players who had folded stay out until the waiting pot is won.",
    ] == dry[-2:]
