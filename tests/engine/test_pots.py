"""Main and side pots: worked by hand, and against the chip-by-chip count of the ledger."""

from hypothesis import given
from hypothesis import strategies as st

from engine import Rules
from engine.events import BetReturned, BettingClosed, PotAwarded
from engine.knobs import Fixed, FixedLimit, NoLimit, PurchaseTo
from engine.pots import Contribution, Pot, layered
from tests.engine.ledger import Ledger
from tests.engine.play import STUD, deal

NO_LIMIT = Rules(ante=0, bring_in=2, structure=NoLimit(5))


def pots_of(*put_in: str | int, dead=()):
    """Layer ``20`` or, of a folded player, ``"50 folded"``; players are numbered from 1."""
    contributions = [
        Contribution(seat, int(str(amount).split()[0]), "folded" not in str(amount))
        for seat, amount in enumerate(put_in, start=1)
    ]
    return [(pot.amount, pot.seats) for pot in layered(contributions, dead)]


def test_equal_contributions_are_one_pot():
    assert [(30, (1, 2, 3))] == pots_of(10, 10, 10)


def test_each_all_in_closes_a_pot():
    assert [(80, (1, 2, 3, 4)), (90, (2, 3, 4)), (100, (3, 4))] == pots_of(20, 50, 100, 100)


def test_chips_of_a_folded_player_stay_in_every_pot_they_reached():
    assert [(80, (1, 2, 3)), (90, (2, 3))] == pots_of(20, 50, 50, "50 folded")
    assert [(150, (1, 3)), (100, (3,))] == pots_of(50, "100 folded", 100)


def test_a_layer_that_no_live_player_reached_falls_into_the_pot_below():
    assert [(30, (1, 2)), (50, (2,))] == pots_of(10, 30, "40 folded", "0 folded")
    assert [(10, (1, 2))] == pots_of(0, 0, "10 folded")


def test_a_short_ante_is_layered_like_a_bet():
    assert [(9, (1, 2, 3)), (4, (1, 3))] == pots_of(5, 3, 5)


def test_players_who_put_in_nothing_share_the_carried_pot():
    assert [(12, (1, 2))] == pots_of(0, 0, dead=[(0, 12)])
    assert [(12, (1, 2, 3)), (10, (2, 3))] == pots_of(0, 5, 5, dead=[(0, 12)])


def test_dead_money_goes_whole_into_the_pot_of_its_level():
    assert [(67, (1, 2, 3)), (20, (2, 3))] == pots_of(10, 20, 20, dead=[(0, 30), (5, 7)])
    assert [(30, (1, 2, 3)), (27, (2, 3))] == pots_of(10, 20, 20, dead=[(20, 7)])


def test_dead_money_of_a_level_that_nobody_live_reaches_stays_in_the_last_pot():
    assert [(30, (1, 2)), (27, (2,))] == pots_of(10, 20, "20 folded", dead=[(20, 7)])
    assert [(37, (1, 2))] == pots_of(10, 10, "10 folded", dead=[(99, 7)])


def test_seats_stand_in_dealing_order():
    assert (Pot(30, (3, 1, 2)),) == layered(
        [Contribution(3, 10, True), Contribution(1, 10, True), Contribution(2, 10, True)]
    )


@given(
    st.lists(st.tuples(st.integers(0, 12), st.booleans()), min_size=1, max_size=8),
    st.lists(st.tuples(st.integers(0, 14), st.integers(1, 50)), max_size=3),
)
def test_layers_agree_with_a_count_share_by_share(put_in, dead):
    put_in = [*put_in, (5, True)]
    ledger = Ledger(STUD)
    ledger.stacks = dict.fromkeys(range(len(put_in)), 0)
    ledger.collected = {seat: amount for seat, (amount, _) in enumerate(put_in)}
    ledger.folded = {seat for seat, (_, live) in enumerate(put_in) if not live}
    ledger.dead_money = sorted(dead)
    pots = layered([Contribution(seat, amount, live) for seat, (amount, live) in enumerate(put_in)], sorted(dead))
    assert ledger.pots() == [(pot.amount, set(pot.seats)) for pot in pots if pot.amount]
    assert sum(pot.amount for pot in pots) == sum(amount for amount, _ in put_in) + sum(amount for _, amount in dead)


# In play


ACES_OVER_KINGS_OVER_QUEENS = {
    1: "(As Ad) Kc 5s 8d Jd (6c)",
    2: "(Ks Kh) Qc 7d 9d 6h (3d)",
    3: "(Qs Qd) Jc 7h 8c 2s (3c)",
    4: "(Ts 9h) 2c",
}


def test_the_uncalled_bet_is_returned_before_the_pots_are_layered():
    hand = deal(NO_LIMIT, ACES_OVER_KINGS_OVER_QUEENS, {1: 20, 2: 50, 3: 100, 4: 200})
    hand.play("4 complete 50; 1 call; 2 call; 3 raise 100; 4 fold")
    assert [BetReturned(3, 50)] == hand.all(BetReturned)
    assert BettingClosed(((80, (1, 2, 3)), (90, (2, 3)))) == hand.last(BettingClosed)
    hand.show()
    assert [(0, 80, ((1, 80),)), (1, 90, ((2, 90),))] == [(e.pot, e.amount, e.shares) for e in hand.all(PotAwarded)]
    assert [80, 90, 50, 150] == hand.stacks


def test_three_pots_go_to_three_winners():
    hands = {**ACES_OVER_KINGS_OVER_QUEENS, 4: "(Ts 9h) 2c 7c 8h 5h (4d)"}
    hand = deal(NO_LIMIT, hands, {1: 20, 2: 50, 3: 100, 4: 100})
    hand.play("4 complete 100; 1 call; 2 call; 3 call")
    assert [(80, {1, 2, 3, 4}), (90, {2, 3, 4}), (100, {3, 4})] == hand.pots
    hand.show()
    assert [80, 90, 100, 0] == hand.stacks
    assert (1, 2, 3) == hand.state.winners


def test_bets_of_a_player_who_folds_later_stay_in_the_side_pot():
    """A all in for 50; B puts 100 and folds; C puts 100 and is alone in the side pot."""
    hand = deal(
        NO_LIMIT,
        {1: "(As Ad) Kc 5s 8d Jd (6c)", 2: "(Ks Kh) 2c 7d", 3: "(Qs Qd) Jc 7h 8c 2s (3c)"},
        {1: 50, 2: 200, 3: 200},
    )
    hand.play("2 complete 100; 3 call; 1 call | 2 check; 3 bet 20; 2 fold")
    assert [BetReturned(3, 20)] == hand.all(BetReturned)
    assert [(150, {1, 3}), (100, {3})] == hand.pots
    hand.show()
    assert [150, 100, 200] == hand.stacks


def test_a_lost_side_pot_is_not_lost_with_the_main_pot():
    """Two equal straights, one of them all in for less: the main pot is split, the side pot is the bigger stack's."""
    hand = deal(
        NO_LIMIT,
        {1: "(Ts 9s) 8h 7d 6c Kd (2d)", 2: "(Th 9h) 8c 7s 6d Kh (2h)", 3: "(Qs Qd) 2c 3h 3d Jc (4d)"},
        {1: 30, 2: 100, 3: 100},
    )
    hand.play("3 complete 100; 1 call; 2 call")
    assert [(90, {1, 2, 3}), (140, {2, 3})] == hand.pots
    hand.show()
    assert [((1, 45), (2, 45)), ((2, 140),)] == [event.shares for event in hand.all(PotAwarded)]
    assert [45, 185, 0] == hand.stacks


def test_several_all_ins_cancel_out():
    """1204 covers 898 twice; somebody folds after 2: the excess over 898 comes back first."""
    hand = deal(
        NO_LIMIT,
        {1: "(As Ad) 8h 5s 8d Jd (6c)", 2: "(Ts 7s) 2c", 3: "(Ks Kh) Qc 7d 9d 6h (3d)", 4: "(Qs Qd) Jc 7h 8c 2s (3c)"},
        {1: 1204, 2: 1000, 3: 898, 4: 898},
    )
    hand.play("2 bring_in; 3 complete 898; 4 call; 1 raise 1204; 2 fold")
    assert [BetReturned(1, 306)] == hand.all(BetReturned)
    assert [(2696, {1, 3, 4})] == hand.pots
    hand.show()
    assert [3002, 998, 0, 0] == hand.stacks


def test_the_bets_of_a_running_round_count_in_the_newest_pot():
    hand = deal(STUD, {1: "(As Ad) Kc", 2: "(Ks Kh) Qc", 3: "(Ts Td) 2c"}, {1: 3, 2: 100, 3: 100})
    hand.play("3 bring_in; 1 call; 2 complete 5")
    assert [(3 + 2 + 2 + 5, {1, 2, 3})] == hand.pots
    hand.play("3 call")
    assert [(9, {1, 2, 3}), (6, {2, 3})] == hand.pots


def test_a_purchase_goes_into_the_pot_that_the_rules_name():
    """One pot for three, then a side pot for two: the fifth-street 4 of one of these costs 10."""
    rules = Rules(bonus_rank="4", bonus_price=Fixed(10), bring_in=2, structure=FixedLimit(5, 10))
    hands = {1: "(Ks Kh) Qc Js 4s+6d", 2: "(Ts Td) Jc 7h 7d", 3: "(As Ad) 2c 5h 8d"}
    before = "3 bring_in; 1 complete 5; 2 call; 3 call | 1 bet 5; 2 call"
    main = deal(rules, hands, {1: 100, 2: 100, 3: 5}).play(before)
    assert [(15, {1, 2, 3}), (10, {1, 2})] == main.pots
    main.play("1 buy")
    assert [(25, {1, 2, 3}), (10, {1, 2})] == main.pots
    current = deal(rules.replace(purchase_to=PurchaseTo.CURRENT_POT), hands, {1: 100, 2: 100, 3: 5}).play(before)
    current.play("1 buy")
    assert [(15, {1, 2, 3}), (20, {1, 2})] == current.pots
