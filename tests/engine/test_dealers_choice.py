"""The game of one deal: another game, played for the table's stakes."""

from itertools import product

import pytest

from engine import PROFILES, Rules, RulesError
from engine.dealers_choice import game_of_deal, too_high
from engine.knobs import Fixed, FixedLimit, Free, MatchPot, MatchPotCapped, MinBet, OddUnit, OneUnit, Spread, Stakes

TABLE = PROFILES["baseball"].replace(dealers_choice=True, session_pots=5)
CENTS = PROFILES["baseball"].replace(
    dealers_choice=True, minor_units=100, ante=100, bring_in=100, structure=FixedLimit(200, 400), bonus_price=Fixed(200)
)
HOME = PROFILES["baseball-home"].replace(dealers_choice=True)


def faults(*arguments, **knobs) -> dict[str, str]:
    with pytest.raises(RulesError) as refusal:
        game_of_deal(*arguments, **knobs)
    return {violation.field: violation.reason for violation in refusal.value.violations}


def test_the_tables_own_game_stays_what_it_is():
    assert TABLE == game_of_deal(TABLE, TABLE, 7)


def test_a_named_game_takes_stakes_units_and_session_from_the_table():
    played = game_of_deal(TABLE, PROFILES["football"], 6)
    assert ("6",) == played.wild_ranks
    assert (Stakes.TABLE_STAKES, 1, 5, True) == (
        played.stakes,
        played.minor_units,
        played.session_pots,
        played.dealers_choice,
    )


def test_amounts_are_the_same_chips_in_the_tables_units():
    capped = game_of_deal(CENTS, PROFILES["baseball-match-pot-capped"], 6)
    assert (100, 100, FixedLimit(200, 400), MatchPotCapped(2000), Free()) == (
        capped.ante,
        capped.bring_in,
        capped.structure,
        capped.pay_price,
        capped.bonus_price,
    )
    assert MinBet(2) == game_of_deal(CENTS, PROFILES["baseball-match-pot-hole-fours-buy"], 6).hole_bonus
    simple = game_of_deal(HOME, PROFILES["baseball-simple"], 6)
    assert (840, 1680, 1680) == (simple.ante, simple.bring_in, simple.structure.bet)


def test_from_large_units_to_small_ones():
    played = game_of_deal(TABLE, PROFILES["baseball-home"], 6, odd_unit="first_left_of_dealer")
    assert (1, OneUnit(1), OddUnit.FIRST_LEFT_OF_DEALER) == (played.ante, played.structure, played.odd_unit)


def test_exact_shares_need_their_table():
    assert {"odd_unit", "minor_units"} == faults(TABLE, PROFILES["baseball-home"], 6).keys()
    assert OddUnit.EXACT == game_of_deal(HOME, PROFILES["night-baseball"], 6).odd_unit


def test_what_belongs_to_the_table_cannot_be_named_differently():
    knobs = {"stakes": Stakes.CREDIT, "minor_units": 2, "session_pots": None, "dealers_choice": False}
    assert knobs.keys() == faults(TABLE, PROFILES["football"], 6, **knobs).keys()
    same = {"stakes": Stakes.TABLE_STAKES, "minor_units": 1, "session_pots": 5, "dealers_choice": True}
    assert game_of_deal(TABLE, PROFILES["football"], 6) == game_of_deal(TABLE, PROFILES["football"], 6, **same)


def test_the_game_needs_room_for_the_players():
    assert {"max_players": "6 players take part: the game must have room for them"} == faults(
        TABLE, PROFILES["blind-baseball"], 6
    )
    assert 5 == game_of_deal(TABLE, PROFILES["blind-baseball"], 5).max_players
    assert 6 == game_of_deal(TABLE, PROFILES["football"], 6, max_players=6).max_players
    for too_few in (5, 2):
        assert {"max_players"} == faults(TABLE, PROFILES["football"], 6, max_players=too_few).keys()


@pytest.mark.parametrize("room", [None, "7", 7.0, [7]])
def test_a_room_that_is_no_number_is_refused_like_any_other_knob(room):
    assert {"max_players"} == faults(TABLE, PROFILES["football"], 6, max_players=room).keys()


def test_everything_that_is_wrong_is_named_together():
    wrong = faults(TABLE, PROFILES["football"], 7, minor_units=3, bring_in=9, session_pots=None, pay_rank=None)
    assert {"max_players", "minor_units", "bring_in", "session_pots"} == wrong.keys()


def test_half_chips_that_the_table_cannot_count():
    halves = PROFILES["seven-card-stud"].replace(
        minor_units=2, ante=1, bring_in=3, structure=FixedLimit(4, 8), bonus_rank="4", bonus_price=Fixed(5)
    )
    assert {"ante", "bring_in", "bonus_price"} == faults(TABLE, halves, 2).keys()
    assert 50 == game_of_deal(CENTS, halves, 2).ante
    # One bet in whole chips does not make up for the other one.
    assert {"structure"} < faults(TABLE, halves.replace(structure=FixedLimit(4, 9)), 2).keys()


def test_a_price_may_go_with_its_rank():
    played = game_of_deal(CENTS, PROFILES["baseball"], 7, bonus_rank=None)
    assert (None, None) == (played.bonus_rank, played.bonus_price)


@pytest.mark.parametrize("table", [TABLE, CENTS, HOME], ids=["chips", "cents", "home"])
def test_every_game_is_played_at_every_table_or_only_exact_shares_keep_it_from_it(table):
    for game, players in product(PROFILES.values(), (2, 5)):
        exact = game.odd_unit == OddUnit.EXACT and table.odd_unit != OddUnit.EXACT
        if exact:
            assert {"odd_unit", "minor_units"} >= faults(table, game, players).keys()
        odd_unit = OddUnit.HIGH_CARD_ALL_CARDS if exact else game.odd_unit
        played = game_of_deal(table, game, players, odd_unit=odd_unit)
        assert (table.stakes, table.minor_units) == (played.stakes, played.minor_units)
        assert game.ante * played.minor_units == played.ante * game.minor_units
        assert isinstance(played, Rules)


class TestTooHigh:
    """The table's largest amount is the high bet of 4."""

    @pytest.mark.parametrize(
        ("knob", "most", "more"),
        [
            ("ante", 40, 41),
            ("structure", FixedLimit(2, 40), FixedLimit(2, 41)),
            ("structure", Spread(1, 40), Spread(1, 41)),
            ("bonus_price", Fixed(40), Fixed(41)),
            ("bonus_price", MinBet(20), MinBet(21)),
            ("hole_bonus", MinBet(20), MinBet(21)),
        ],
    )
    def test_ten_times_the_tables_largest_amount_and_no_more(self, knob, most, more):
        extra = {"hole_bonus_claim": "own_street", "hole_bonus_expose": False} if knob == "hole_bonus" else {}
        assert () == too_high(TABLE, TABLE.replace(**{knob: most}, **extra))
        [violation] = too_high(TABLE, TABLE.replace(**{knob: more}, **extra))
        assert knob == violation.field
        assert "comes to more than 40: a player may name 10 times the table's largest amount, 4" == violation.reason

    def test_every_amount_that_is_too_high_is_named_with_its_value(self):
        wild = TABLE.replace(ante=10**15, bring_in=41, structure=OneUnit(10**15), bonus_price=Fixed(10**15))
        assert {
            "ante": "1000000000000000",
            "bring_in": "41",
            "structure": "{'kind': 'one_unit', 'bet': 1000000000000000}",
            "bonus_price": "{'kind': 'fixed', 'amount': 1000000000000000}",
        } == {violation.field: violation.value for violation in too_high(TABLE, wild)}

    @pytest.mark.parametrize("price", [MatchPot(), MatchPotCapped(10**15), Free(), MinBet(0)])
    def test_prices_that_follow_the_pot_have_no_bound_and_make_none(self, price):
        follows = TABLE.replace(bonus_price=price)
        assert () == too_high(TABLE, follows)
        assert ["ante"] == [violation.field for violation in too_high(follows, TABLE.replace(ante=41))]

    @pytest.mark.parametrize(("table", "name"), list(product([TABLE, CENTS, HOME], PROFILES)))
    def test_every_named_game_is_within_it_at_an_ordinary_table(self, table, name):
        played = game_of_deal(table, PROFILES[name], 2, odd_unit="first_left_of_dealer")
        assert () == too_high(table, played)

    def test_a_table_of_small_stakes_is_not_raised_to_whole_chips(self):
        cheap = CENTS.replace(ante=1, bring_in=1, structure=FixedLimit(2, 4), bonus_price=Fixed(2))
        football = game_of_deal(cheap, PROFILES["football"], 6)
        assert ["ante", "bring_in", "structure"] == [violation.field for violation in too_high(cheap, football)]
