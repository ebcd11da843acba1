"""What is to come for hands that are known in part, and which knowledge contradicts itself."""

import pytest
from msgspec.structs import force_setattr

from engine import PROFILES, KnownHand, OddsError, Rules, odds
from engine.cards import FULL_DECK, parse_cards
from engine.knobs import BonusFace, BonusMode, BonusStreets, Burn, Exhaustion, Free, RevealMode
from engine.odds_kernel import deal_all
from engine.outlook import outlook_of

STUD = PROFILES["seven-card-stud"]
BASEBALL = PROFILES["baseball"]


def known(up: str = "", down: str = "", **others: int) -> KnownHand:
    return KnownHand(parse_cards(up), parse_cards(down), **others)


def with_knobs(rules: Rules, **knobs: object) -> Rules:
    """Return rules with knobs that tables may not have yet: the odds ask for their values only."""
    changed = rules.replace()
    for name, value in knobs.items():
        force_setattr(changed, name, value)
    return changed


@pytest.mark.parametrize(
    ("rules", "hand", "open_", "closed"),
    [
        (STUD, known(), 4, 3),
        (STUD, known("Ks 4d", "2c"), 2, 2),
        (STUD, known("Ks 4d", "2c", unseen=1), 2, 2),
        (BASEBALL, known("Ks 4d", "2c"), 2, 3),
        (BASEBALL, known("4s 4d", "2c 2d 2h"), 2, 2),
        (BASEBALL, known("4s 4d", "2c 2d 2h", declined=1), 2, 1),
        (BASEBALL, known("Ks", "4s 4d"), 3, 1),
        (BASEBALL.replace(bonus_face=BonusFace.UP), known("Ks 4d", "2c"), 3, 2),
        (BASEBALL.replace(bonus_face=BonusFace.UP), known("Ks 4d 4h 7c 7d", "2c"), 1, 2),
        (BASEBALL.replace(bonus_streets=BonusStreets.NOT_DOOR), known("4s Ks"), 2, 3),
        (BASEBALL.replace(bonus_streets=BonusStreets.NOT_DOOR), known("Ks 4s"), 2, 4),
        (BASEBALL.replace(bonus_streets=BonusStreets.NOT_DOOR), known(), 3, 4),
        (STUD.replace(max_players=5, deal_pattern="2d1u,1u,1u,1u,1u,1u,1d"), known("Ks"), 5, 3),
        (STUD.replace(max_players=5, deal_pattern="3d1u,1u,1u,1u,1u,1d"), known("Ks"), 4, 4),
    ],
)
def test_what_a_hand_waits_for(rules, hand, open_, closed):
    outlook = outlook_of(rules, [hand, known()], ())
    assert (open_, closed) == (outlook.open[0], outlook.closed[0])


@pytest.mark.parametrize(
    ("rules", "hands"),
    [
        (STUD, [known("Ks Kh 7c 2d", "Kd"), known("As Ah 2h 7d", "Ad 5h")]),
        (BASEBALL, [known("Ks Kh 7c", "Kd 2c 5d"), known("As Ah 2h", "Ad 5h Td")]),
        (BASEBALL.replace(bonus_face=BonusFace.UP), [known("Ks Kh 7c", "Kd 2c 5d"), known("As Ah 2h", "Ad 5h Td")]),
        (
            BASEBALL.replace(bonus_streets=BonusStreets.NOT_DOOR),
            [known("Ks Kh 7c 8c", "Kd 2c"), known("As Ah 2h", "Ad 5h Td"), known("Qs 8d 8h 8s", "Qd Qc 2d")],
        ),
        (
            STUD.replace(burn=Burn.EVERY_ROUND, exhaustion=Exhaustion.COMMUNITY),
            [known("Ks Kh 7c 2d", "Kd 2c"), known("As Ah 2h 7d", "Ad 5h")],
        ),
    ],
)
@pytest.mark.parametrize("dead", [0, 20, 24])
def test_the_ways_to_deal_on_are_counted_before_they_are_dealt(rules, hands, dead):
    fours_stay = [card for card in FULL_DECK if card % 13 != 2]
    held = {card for hand in hands for card in (*hand.up, *hand.down)}
    outlook = outlook_of(rules, hands, [card for card in fours_stay if card not in held][:dead])
    assert outlook.ways() == deal_all(outlook)[0]


def test_seven_hands_may_run_short_and_six_may_not():
    """Seven take 49 cards, so that three bonus cards are one too many; six take 42."""
    assert 3 == outlook_of(BASEBALL, [known()] * 7, ()).slack
    assert 10 == outlook_of(BASEBALL, [known()] * 6, ()).slack
    nobody_waits = outlook_of(BASEBALL, [known("Ks Kh 7c 8c", "Kd 2c 2d"), *[known()] * 5], ())
    assert nobody_waits.slack > 4
    with pytest.raises(OddsError, match="dead: only 45 cards are left, and 42 and up to 4 bonus cards"):
        outlook_of(BASEBALL, [known("Ks Kh 7c 8c", "Kd 2c 2d"), *[known()] * 6], ())


TWO = [known("Ks"), known("Kd")]


@pytest.mark.parametrize(
    ("hands", "others", "named"),
    [
        ([], {}, "hands: 0 hands"),
        ([known()], {}, "hands: 1 hands"),
        ([known()] * 8, {}, "hands: 8 hands"),
        ([known("Ks"), known("Ks")], {}, r"hands\[1\]\.up: Ks is there twice"),
        ([known("Ks", "Ks"), known()], {}, "Ks is there twice"),
        ([KnownHand((5, 5)), known()], {}, "7c is there twice"),
        (TWO, {"dead": parse_cards("2c Kd")}, "dead: Kd is there twice"),
        ([known("Ks Kd Kh Kc Qs"), known()], {}, r"hands\[0\]\.up: 5 up cards are 1 more"),
        ([known(), known("", "Ks Kd Kh Kc")], {}, r"hands\[1\]\.down: 4 down cards are 1 more"),
        ([known("", "Ks Kd", unseen=2), known()], {}, r"hands\[0\]\.down: 4 down cards are 1 more"),
        ([known("", "", unseen=-1), known()], {}, r"hands\[0\]\.unseen"),
        ([known("", "", unseen=10**50), known()], {}, r"hands\[0\]\.unseen"),
        ([known("Ks", declined=1), known()], {}, r"hands\[0\]\.declined: 1 is more"),
        ([KnownHand((52,)), known()], {}, r"hands\[0\]\.up: a card is a number from 0 to 51"),
        ([KnownHand((), (-1,)), known()], {}, r"hands\[0\]\.down: a card"),
        (TWO, {"dead": (2**70,)}, "dead: a card"),
        (TWO, {"dead": FULL_DECK}, "Kd is there twice"),
        (TWO, {"dead": (0,) * 10_000}, "2c is there twice"),
        (
            TWO,
            {"dead": [card for card in FULL_DECK if card % 13 != 11][:42]},
            "dead: only 8 cards are left, and 10 and",
        ),
    ],
)
def test_what_cannot_be_is_refused_by_name(hands, others, named):
    with pytest.raises(ValueError, match=named) as refused:
        outlook_of(STUD, hands, **{"dead": (), **others})
    assert isinstance(refused.value, OddsError)
    assert f"{refused.value.argument}: {refused.value.reason}" == str(refused.value)


@pytest.mark.parametrize(
    ("arguments", "others", "named"),
    [
        (("baseball", TWO), {}, "rules"),
        ((STUD, None), {}, "hands"),
        ((STUD, 7), {}, "hands"),
        ((STUD, ["Ks", "Kd"]), {}, "hands"),
        ((STUD, [KnownHand("Ks"), known()]), {}, r"hands\[0\]\.up"),
        ((STUD, [KnownHand((1.0,)), known()]), {}, r"hands\[0\]\.up"),
        ((STUD, [KnownHand((), (True,)), known()]), {}, r"hands\[0\]\.down"),
        ((STUD, [KnownHand((), {1: 2}), known()]), {}, r"hands\[0\]\.down"),
        ((STUD, [known("", "", unseen="1"), known()]), {}, r"hands\[0\]\.unseen"),
        ((STUD, TWO, 5), {}, "dead"),
        ((STUD, TWO, "2c"), {}, "dead"),
    ],
)
def test_what_is_of_another_type_is_refused_by_name(arguments, others, named):
    with pytest.raises(TypeError, match=named):
        odds(*arguments, **others)


@pytest.mark.parametrize(
    ("knob", "value"),
    [
        ("reveal_mode", RevealMode.ROLL_YOUR_OWN),
        ("bonus_mode", BonusMode.REPLACE),
        ("hole_bonus", Free()),
        ("wild_next_after", "Q"),
        ("rain_card", "Qs"),
    ],
)
def test_games_with_choices_that_nobody_can_foresee_are_refused(knob, value):
    with pytest.raises(ValueError, match=f"rules: .*{knob}"):
        odds(with_knobs(BASEBALL, **{knob: value}), TWO)
