"""The odds against an oracle that deals every order of a small deck, positions worked out by hand, and random deals."""

import random
import sys
from fractions import Fraction

import pytest
from msgspec.structs import force_setattr

from engine import PROFILES, KnownHand, Odds, OddsError, Rules, odds
from engine.cards import FULL_DECK, parse_cards
from engine.knobs import (
    BonusDecline,
    BonusFace,
    BonusStreets,
    Burn,
    Exhaustion,
    Fixed,
    LowQualifier,
    LowScale,
    Split,
    WildInLow,
)
from engine.odds_kernel import SHARES
from tests.engine.evaluation_oracle import Knobs
from tests.engine.odds_oracle import Game, Seat, Table, chances

ODDS = sys.modules["engine.odds"]  # the function of that name hides it
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


def found(answer: Odds) -> list[tuple[Fraction, Fraction, Fraction]]:
    return [
        (Fraction(seat.win, seat.deals), Fraction(seat.tie, seat.deals), Fraction(seat.share, seat.deals * SHARES))
        for seat in answer.seats
    ]


# ---- Small endgames -------------------------------------------------------------------------------------------------


PLAIN = Game()
FOURS = frozenset(parse_cards("4c 4d 4h 4s"))
THREES_NINES = frozenset(parse_cards("3c 3d 3h 3s 9c 9d 9h 9s"))
BALL = Game(wild=THREES_NINES, bonus=FOURS)
HI_LO = {"split": Split.HIGH_LOW, "low_scale": LowScale.A5, "low_qualifier": LowQualifier.EIGHT}
GAMES = {
    "stud": (STUD, PLAIN),
    "bonus down": (BASEBALL, BALL),
    "bonus up": (PROFILES["baseball-simple"], BALL._replace(bonus_up=True)),
    "bonus as trigger": (BASEBALL.replace(bonus_face=BonusFace.AS_TRIGGER), BALL._replace(bonus_up=True)),
    "not for the door": (BASEBALL.replace(bonus_streets=BonusStreets.NOT_DOOR), BALL._replace(door_counts=False)),
    "not for the door, up": (
        BASEBALL.replace(bonus_streets=BonusStreets.NOT_DOOR, bonus_face=BonusFace.UP),
        BALL._replace(door_counts=False, bonus_up=True),
    ),
    "royal above five": (
        BASEBALL.replace(five_of_a_kind="below_royal_flush", double_ace_flush=True),
        BALL._replace(knobs=Knobs(aces_double=True, crown=True)),
    ),
    "natural first": (BASEBALL.replace(natural_beats_wild=True), BALL._replace(knobs=Knobs(natural_first=True))),
    "pay rank": (
        with_knobs(BASEBALL.replace(wild_ranks=("9",)), pay_rank="3", pay_price=Fixed(1)),
        BALL,
    ),
    "hi-lo": (with_knobs(BASEBALL, **HI_LO, wild_in_low=WildInLow.WILD), BALL._replace(low=(False, 8, "wild"))),
    "hi-lo, wild excluded": (
        with_knobs(BASEBALL, **HI_LO, wild_in_low=WildInLow.EXCLUDED),
        BALL._replace(low=(False, 8, "excluded")),
    ),
    "hi-lo, wild as printed": (
        with_knobs(BASEBALL, **HI_LO, wild_in_low=WildInLow.NATURAL),
        BALL._replace(low=(False, 8, "natural")),
    ),
    "hi-lo to the six, no qualifier": (
        with_knobs(
            BASEBALL,
            split=Split.HIGH_LOW,
            low_scale=LowScale.A6,
            low_qualifier=LowQualifier.NONE,
            wild_in_low=WildInLow.WILD,
        ),
        BALL._replace(low=(True, None, "wild")),
    ),
}
SEEDS = range(8)
STREETS = ("ddu", "u", "u", "u", "d")


def endgame(seed: int, game: Game) -> tuple[list[KnownHand], Table, frozenset[int], list[int]]:
    """Make up a late position of two or three hands with a few cards left, some of them of the bonus rank."""
    chance = random.Random(seed)
    cards = list(FULL_DECK)
    chance.shuffle(cards)
    seats = chance.choice((2, 2, 3))
    come = chance.choice((3, 3, 4)) if seats == 2 else 4  # streets that have been dealt to everybody
    table, hands, back = [], [], []
    for _ in range(seats):
        up: list[int] = []
        down: list[int] = []
        coming = [face for street in STREETS[:come] for face in street]
        while coming:
            face, card = coming.pop(0), cards.pop()
            if face == "u" and card in game.bonus and (up or game.door_counts):
                coming.insert(0, "u" if game.bonus_up else "d")
            (up if face == "u" else down).append(card)
        hidden = chance.choice((0, 0, 1)) if come == 4 and seats == 2 else 0
        back += down[:hidden]
        unseen = hidden * chance.choice((0, 1))
        hands.append(KnownHand(tuple(up), tuple(down[hidden:]), unseen))
        table.append(Seat(tuple(up), tuple(down[hidden:]), ("d" * hidden, *STREETS[come:])))
    to_come = sum(len(street) for seat in table for street in seat.streets)
    fours = [card for card in cards if card in game.bonus][: chance.choice((0, 1, 2, 2)) if come < 4 else 0]
    others = [card for card in cards if card not in game.bonus]
    left = frozenset([*back, *fours, *others][: max(to_come + len(fours), 4) + 2])
    return hands, tuple(table), left, [card for card in (*cards, *back) if card not in left]


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("seed", SEEDS)
def test_every_small_endgame_comes_out_exactly(name, seed):
    rules, game = GAMES[name]
    hands, table, deck, dead = endgame(seed, game)
    answer = odds(rules, hands, dead)
    assert answer.exact
    assert chances(game, table, deck) == found(answer)
    assert answer.deals * SHARES == sum(seat.share for seat in answer.seats)
    assert {0.0} == {seat.standard_error for seat in answer.seats}


@pytest.mark.parametrize("name", GAMES)
def test_random_deals_come_close_to_the_exact_odds(name, monkeypatch):
    rules, game = GAMES[name]
    positions = [endgame(seed, game) for seed in SEEDS]
    exact = [odds(rules, hands, dead) for hands, _, _, dead in positions]
    monkeypatch.setattr(ODDS, "EXACT_MOST", 0)
    for (hands, _, _, dead), right in zip(positions, exact, strict=True):
        drawn = odds(rules, hands, dead, samples=30_000, seed=5)
        assert not drawn.exact
        for estimate, truth in zip(drawn.seats, right.seats, strict=True):
            assert abs(estimate.equity - truth.equity) <= 5 * estimate.standard_error + 1e-3 * (truth.equity in (0, 1))
            for chance, true in (
                (estimate.win_chance, truth.win_chance),
                (estimate.tie_chance, truth.tie_chance),
            ):
                assert abs(chance - true) <= 5 * (true * (1 - true) / 30_000) ** 0.5


def test_the_endgames_have_something_to_decide():
    undecided = ties = bonuses = 0
    for rules, game in GAMES.values():
        for seed in SEEDS:
            hands, _, deck, dead = endgame(seed, game)
            answer = odds(rules, hands, dead)
            undecided += any(0 < seat.win < seat.deals for seat in answer.seats)
            ties += any(seat.tie for seat in answer.seats)
            bonuses += bool(deck & game.bonus) and any(len(hand.up) < 4 for hand in hands)
    assert undecided > 50
    assert ties > 10
    assert bonuses > 15


# ---- Positions worked out by hand -----------------------------------------------------------------------------------


def test_hands_that_are_complete_are_certain():
    won = odds(STUD, [known("Ks Kh 2c 3d", "Kd Kc 7h"), known("As Ah 2d 3c", "Ad 5h 7d")])
    assert [(1, 0, SHARES), (0, 0, 0)] == [(seat.win, seat.tie, seat.share) for seat in won.seats]
    assert (1, 1, True) == (won.deals, won.tried, won.exact)


def test_equal_hands_share():
    royal = [known(f"A{suit} K{suit} Q{suit} J{suit}", f"T{suit} 2{suit} 3{suit}") for suit in "cdh"]
    shared = odds(STUD, [*royal, known("5s 6s 8s 9s", "2s 3s 7s")])
    assert [(0, 1, SHARES // 3)] * 3 + [(0, 0, 0)] == [(seat.win, seat.tie, seat.share) for seat in shared.seats]
    assert [1 / 3] * 3 + [0] == [seat.equity for seat in shared.seats]


def test_outs_are_counted():
    drawing, made = known("2h 7h Kh 9c", "8h 4s"), known("Ac Ad 5c 6d", "Qs Jc", unseen=0)
    # Nine hearts make the flush; the aces improve to nothing that beats one.
    flush = odds(STUD, [drawing, known("Ac Ad 5c 6d", "Qs Jc 3d")])
    hearts, unseen = 13 - 4, 52 - 6 - 7
    assert Fraction(hearts, unseen) == found(flush)[0][0]
    dead = odds(STUD, [drawing, known("Ac Ad 5c 6d", "Qs Jc 3d")], parse_cards("Th Jh Qh 2c"))
    assert Fraction(hearts - 3, unseen - 4) == found(dead)[0][0]
    assert odds(STUD, [drawing, made]).tried == 40 * 39


def test_a_four_to_come_brings_another_card():
    """Each waits for one card, three are left: the kings win with the fourth one only."""
    kings, aces = known("Ks Kh 7c", "Kd 2c 5d"), known("As Ah 2d", "Ad 5h Td")
    left = parse_cards("4c Kc 6s")
    held = (*kings.up, *kings.down, *aces.up, *aces.down)
    dead = [card for card in FULL_DECK if card not in left and card not in held]
    assert Fraction(1, 3) == found(odds(STUD, [kings, aces], dead))[0][0]
    # The four comes one time in three, and then the king comes behind it every other time.
    for face in BonusFace:
        bonus = odds(STUD.replace(bonus_rank="4", bonus_face=face), [kings, aces], dead)
        assert Fraction(1, 3) + Fraction(1, 3) * Fraction(1, 2) == found(bonus)[0][0]
        assert (2, True) == (bonus.deals, bonus.exact)


def test_seven_hands_and_all_four_bonus_cards_leave_one_card_for_everybody():
    """Six cards are left for seven seats: each of them as likely as the other to be everybody's."""
    order = [card for card in FULL_DECK if card not in FOURS]
    random.Random(3).shuffle(order)
    fours = sorted(FOURS)
    hands = []
    for place in range(7):
        up = [fours[place]] if place < 4 else []
        up += [order.pop() for _ in range(4 - len(up))]
        down = [order.pop() for _ in range(3 if place < 4 else 2)]
        hands.append(KnownHand(tuple(up), tuple(down)))
    assert 6 == len(order)
    table = tuple(Seat(hand.up, hand.down, ("d",)) for hand in hands)
    answer = odds(BASEBALL, hands)
    assert chances(BALL, table, frozenset(order)) == found(answer)
    assert (True, 6) == (answer.exact, answer.tried)
    one_less = odds(BASEBALL, hands, order[:1])
    assert chances(BALL, table, frozenset(order[1:])) == found(one_less)


def test_burns_that_stay_away_can_leave_no_card_at_all():
    hands = [known("Ks Kh 7c 2d", "Kd 2c"), known("As Ah 2h 7d", "Ad 5h")]
    rules = STUD.replace(burn=Burn.EVERY_ROUND, exhaustion=Exhaustion.COMMUNITY)
    held = [card for hand in hands for card in (*hand.up, *hand.down)]
    left = parse_cards("Kc 3c 3d 6s 9s 9c 9d")
    for burned_but_for, ways in ((0, 1), (1, 5), (2, 6 * 5), (3, 7 * 6)):
        deck = left[: 4 + burned_but_for]
        dead = [card for card in FULL_DECK if card not in deck and card not in held]
        answer = odds(rules, hands, dead)
        assert ways == answer.tried, burned_but_for
    came_back = odds(STUD.replace(burn=Burn.EVERY_ROUND), hands, dead)
    assert 7 * 6 == came_back.tried


def test_a_declined_bonus_card_is_not_dealt():
    took, went_without = known("4s 7c 2d 8d", "Kd 2c 5d"), known("4s 7c 2d 8d", "Kd 2c 5d", declined=1)
    other = known("As Ah 2h 7d", "Ad 5h Td")
    assert 38 == odds(BASEBALL, [took, other]).tried
    assert 1 == odds(BASEBALL, [went_without, other]).tried


# ---- At random ------------------------------------------------------------------------------------------------------


def test_the_same_seed_deals_the_same_on_any_number_of_threads():
    hands = [known("Ks 4c", "Kh"), known("8h"), known(), known("3d 3c", "7s 7d")]
    one = odds(BASEBALL, hands, samples=300_001, seed=2**64 - 1)
    for threads in (2, 3, 7, 64):
        assert one == odds(BASEBALL, hands, samples=300_001, seed=2**64 - 1, threads=threads)
    assert one != odds(BASEBALL, hands, samples=300_001, seed=0)
    assert 300_001 == one.deals == one.tried


@pytest.mark.parametrize("samples", [2, 3, 4095, 4096, 4097, 600_000])
def test_every_sample_is_counted_once(samples):
    answer = odds(BASEBALL, [known(), known(), known()], samples=samples)
    assert samples * SHARES == sum(seat.share for seat in answer.seats)
    assert samples == answer.deals


def test_more_samples_begin_with_the_fewer():
    hands = [known("Ks"), known("2d"), known()]
    few, many = (odds(STUD, hands, samples=samples) for samples in (5000, 9000))
    assert all(a.win <= b.win <= a.win + 4000 for a, b in zip(few.seats, many.seats, strict=True))


def test_hands_that_nobody_has_seen_are_equal():
    answer = odds(BASEBALL, [known()] * 6, samples=200_000, seed=11)
    for seat in answer.seats:
        assert abs(seat.equity - 1 / 6) <= 5 * seat.standard_error
        assert 0 < seat.standard_error < 1e-3


def test_seats_may_be_turned_about():
    hands = [known("Kc 9c 2c 5c", "Ks Kh"), known("4h 5d 7c 8c", "2h 2d 2s"), known("Ah 6d 7d 8d", "Ac Ad As")]
    whole = odds(STUD, hands)
    turned = odds(STUD, hands[1:] + hands[:1])
    assert whole.seats == turned.seats[-1:] + turned.seats[:-1]


def test_what_is_dealt_is_what_was_asked_for(monkeypatch):
    """Every card comes about equally often: a hand that lacks one card wins with it alone."""
    monkeypatch.setattr(ODDS, "EXACT_MOST", 0)
    nuts = known("Ah Kh Qh Jh", "2c 7d")
    quads = known("8c 8d 8h 8s", "3c 5s Ts")
    answer = odds(STUD, [nuts, quads], samples=400_000, seed=9)
    true = 1 / (52 - 13)
    assert abs(answer.seats[0].win_chance - true) <= 5 * (true * (1 - true) / 400_000) ** 0.5


def test_the_standard_error_is_that_of_the_mean(monkeypatch):
    monkeypatch.setattr(ODDS, "EXACT_MOST", 0)
    hands = [known("2h 7h Kh 9c", "8h 4s"), known("Ac Ad 5c 6d", "Qs Jc 3d")]
    seat = odds(STUD, hands, samples=10_000, seed=1).seats[0]
    chance = seat.win_chance
    assert (chance * (1 - chance) / 9_999) ** 0.5 == pytest.approx(seat.standard_error)


def test_progress_is_told_and_may_stop_the_work():
    told = []
    odds(STUD, [known(), known()], samples=600_000, on_progress=lambda done, of: told.append((done, of)))
    assert (600_000, 600_000) == told[-1]
    assert sorted(told) == told
    assert len(told) > 1

    class Enough(Exception):
        pass

    def stop(done: int, of: int) -> None:
        raise Enough

    with pytest.raises(Enough):
        odds(STUD, [known(), known()], samples=10**12, on_progress=stop)


def test_recycled_cards_are_refused_only_where_they_could_come_back():
    rules = STUD.replace(exhaustion=Exhaustion.RECYCLE_FOLDED)
    assert 2 <= odds(rules, [known()] * 7, samples=2).deals
    with pytest.raises(ValueError, match="dead"):
        odds(rules, [known()] * 7, [0, 1, 2, 3], samples=2)


def test_a_bonus_card_that_may_be_declined_is_taken():
    rules = BASEBALL.replace(bonus_decline=BonusDecline.NO_CARD)
    hands = [known("4s 7c 2d 8d", "Kd 2c 5d"), known("As Ah 2h 7d", "Ad 5h Td")]
    assert odds(BASEBALL, hands) == odds(rules, hands)


def test_nine_card_games_are_dealt_to_nine_cards():
    rules = BASEBALL.replace(max_players=5, deal_pattern="2d1u,1u,1u,1u,1u,1u,1d")
    hands = [known("Ks Kh 2c 5d 6d 7h", "Kd 2d"), known("As Ah 2h 7d 8d Td", "Ad 5h")]
    assert 36 * 35 == odds(rules, hands).tried
    with pytest.raises(ValueError, match="up: 6 up cards"):
        odds(BASEBALL, hands)


@pytest.mark.parametrize(
    ("others", "named"),
    [
        ({"samples": 1}, "samples: 1 is not from 2"),
        ({"samples": 10**12 + 1}, "samples"),
        ({"seed": -1}, "seed: -1"),
        ({"seed": 2**64}, "seed"),
        ({"seed": 1 << 100_000}, "seed: an int of 100001 bits"),
        ({"threads": 0}, "threads"),
        ({"threads": 65}, "threads"),
        ({"dead": (0, 0)}, "dead: 2c is there twice"),
    ],
)
def test_what_is_out_of_its_range_is_refused_by_name(others, named):
    with pytest.raises(OddsError, match=named):
        odds(STUD, [known(), known()], **others)


@pytest.mark.parametrize(
    ("others", "named"), [({"samples": 1e6}, "samples"), ({"seed": None}, "seed"), ({"threads": True}, "threads")]
)
def test_what_is_no_whole_number_is_refused_by_name(others, named):
    with pytest.raises(TypeError, match=named):
        odds(STUD, [known(), known()], **others)
