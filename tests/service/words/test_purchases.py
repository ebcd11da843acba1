"""What is said on paid cards, bonus cards and how they are paid for."""

import pytest

from engine import PROFILES
from engine.knobs import BonusDecline, BonusMode, Fixed, Free, MatchPot, MatchPotCapped, MinBet, PayDecline

WHOEVER = "Whoever is dealt a four face up"


@pytest.mark.parametrize(
    ("knobs", "expected"),
    [
        ({}, "pays 2 chips and gets one more card, face down, or folds."),
        ({"bonus_price": Free(), "bonus_face": "up"}, "gets one more card for nothing, face up."),
        ({"bonus_price": Free(), "bonus_face": "as_trigger"}, "gets one more card for nothing, face up."),
        ({"bonus_price": Fixed(1)}, "pays 1 chip and gets one more card, face down, or folds."),
        (
            {"bonus_price": MatchPot()},
            "pays as much as there is in the pot and gets one more card, face down, or folds.",
        ),
        (
            {"bonus_price": MatchPotCapped(9), "bonus_decline": BonusDecline.NO_CARD},
            "may pay as much as there is in the pot (at most 9 chips) for one more card, face down.",
        ),
        (
            {"bonus_price": MinBet(3)},
            "pays 6 chips (3 × the smallest bet) and gets one more card, face down, or folds.",
        ),
        (
            {"bonus_mode": BonusMode.REPLACE, "bonus_price": Free()},
            "may exchange that card for a new one, for nothing.",
        ),
        ({"bonus_mode": BonusMode.REPLACE}, "pays 2 chips and exchanges that card for a new one, or folds."),
        (
            {"bonus_mode": BonusMode.REPLACE, "bonus_decline": BonusDecline.NO_CARD},
            "may pay 2 chips to exchange that card for a new one.",
        ),
    ],
)
def test_a_bonus_card(said, knobs, expected):
    assert f"{WHOEVER} {expected}" == said(PROFILES["baseball"].replace(**knobs), "Bonus cards")[0]


def test_a_price_in_chips_where_a_chip_divides(said):
    assert (
        f"{WHOEVER} may pay 1 chip for one more card, face up."
        == (said(PROFILES["baseball-home-pay-fours"], "Bonus cards")[0])
    )


def test_a_rolled_bonus_card_goes_under_the_unseen_ones(said):
    assert ["Whoever turns up a four gets one more card for nothing, unseen, under the others."] == (
        said(PROFILES["night-baseball"], "Bonus cards")
    )


@pytest.mark.parametrize(
    ("decline", "expected"),
    [
        (PayDecline.FOLD, "pays as much as there is in the pot to have a wild card, or folds."),
        (
            PayDecline.NATURAL,
            "may pay as much as there is in the pot to have a wild card; unpaid it is an ordinary card.",
        ),
    ],
)
def test_a_paid_card(said, decline, expected):
    paid = said(PROFILES["baseball-match-pot"].replace(pay_decline=decline), "Cards to be paid for")
    assert "Whoever is dealt a three face down has a wild card, free of charge." == paid[0]
    assert f"Whoever is dealt a three face up {expected}" == paid[1]


def test_a_rolled_card_of_the_pay_rank_is_always_paid_for(said):
    rolled = PROFILES["night-baseball"].replace(wild_ranks=("9",), pay_rank="3", pay_price=Fixed(840))
    assert (
        "Whoever turns up a three pays 1 chip to have a wild card, or folds."
        == (said(rolled, "Cards to be paid for")[0])
    )


def test_a_claimed_card(said):
    free = said(PROFILES["baseball-match-pot-hole-fours"], "Bonus cards")
    assert "Whoever is dealt a four face down may claim one more card for nothing, face down." in free
    bought = said(PROFILES["baseball-match-pot-hole-fours-buy"], "Bonus cards")
    expected = (
        "Whoever is dealt a four face down may claim one more card for 4 chips (2 × the smallest bet), face down."
    )
    assert expected in bought


@pytest.mark.parametrize("profile", ["baseball-free-fours", "seven-card-stud", "no-peek", "woolworth"])
def test_where_nothing_is_paid_or_chosen_nothing_is_said_on_paying(said, profile):
    assert [] == said(PROFILES[profile], "Paying for cards")
    assert [] == said(PROFILES[profile], "Cards to be paid for")


def test_a_free_choice_holds_up_the_deal_but_costs_nothing(said):
    chosen = PROFILES["baseball"].replace(bonus_mode=BonusMode.REPLACE, bonus_price=Free())
    assert 1 == len(said(chosen, "Paying for cards"))


def test_forced_and_optional_prices_are_told_apart(said):
    forced = "Whoever has to pay more than is left"
    optional = "Where you may decline and stay in"

    def heard(**knobs):
        text = " ".join(said(PROFILES["baseball"].replace(**knobs), "Paying for cards"))
        return forced in text, optional in text

    assert (True, False) == heard()
    assert (False, True) == heard(bonus_decline=BonusDecline.NO_CARD)
    assert (True, True) == heard(hole_bonus=Fixed(1))
    assert (True, False) == heard(hole_bonus=Free())
    assert (False, False) == heard(stakes="credit")
