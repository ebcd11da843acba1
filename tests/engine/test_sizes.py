"""How much a bet, a completion or a raise may be, structure by structure."""

import pytest

from engine import PROFILES, Rules
from engine.knobs import Doubling, Fixed, FixedLimit, NoLimit, OneUnit, PotLimit, ShortRaise, Spread, Stakes
from tests.engine.play import STUD, deal

THREE = {1: "(-- --) Ks Kd 5c 5d", 2: "(-- --) Js 8d 6c 6d", 3: "(-- --) 2c 7d 8c 8s"}
"""Seat 3 brings it in, seat 1 opens every later round."""

TWO = {1: "(-- --) Ks Kd 5c 5d", 2: "(-- --) 2c 8d 6c 7d"}


def escalate(hand, rounds=20):
    """Let everybody raise as high as possible and return the level after each opening bet or raise."""
    levels = []
    for _ in range(rounds):
        kind, _, to = hand.legal.split(", ")[-1].partition(" ")
        if kind not in ("bring_in", "complete", "bet", "raise"):
            break
        hand.play(f"{hand.actor} {kind} {to.split('-')[-1]}")
        levels.append(hand.state.betting.level)
    return levels


def to_round(hand, number):
    """Check or call until betting round ``number``, counted from 1, opens."""
    while hand.state.round + 1 < number:
        kind = next(word for word in ("bring_in", "check", "call") if word in hand.legal)
        hand.play(f"{hand.actor} {kind}")
    return hand


def sizes(hand):
    """The bets, completions and raises on offer."""
    return [choice for choice in hand.legal.split(", ") if choice.split()[0] in ("bet", "complete", "raise")]


# Fixed limit


def test_limit_with_a_partial_bring_in_counts_the_completion_as_the_opening_bet():
    """2/4 with a bring-in of 1: third street 1, 2, 4, 6, 8."""
    hand = deal(PROFILES["seven-card-stud"], THREE).play("3 bring_in")
    assert [2, 4, 6, 8] == escalate(hand)
    assert "fold, call 8" == hand.legal


def test_limit_doubles_the_bet_from_the_third_betting_round():
    """2/4: third and fourth street in twos, from fifth street 4, 8, 12, 16."""
    assert [2, 4, 6, 8] == escalate(to_round(deal(PROFILES["seven-card-stud"], THREE), 2))
    for number in (3, 4, 5):
        assert [4, 8, 12, 16] == escalate(to_round(deal(PROFILES["seven-card-stud"], THREE), number))


def test_the_first_high_round_is_a_knob():
    early = STUD.replace(high_from_round=2)
    assert ["bet 10"] == sizes(to_round(deal(early, THREE), 2))
    assert ["complete 10"] == sizes(deal(STUD.replace(high_from_round=1), THREE))
    assert ["bet 5"] == sizes(to_round(deal(STUD.replace(high_from_round=6), THREE), 5))


def test_a_full_bring_in_is_the_opening_bet_and_is_not_completed():
    """Limit 5/10 with a bring-in of 5: 5, 10, 15, 20."""
    full = STUD.replace(bring_in=5)
    hand = deal(full, THREE)
    assert "bring_in 5" == hand.legal
    assert [5, 10, 15, 20] == escalate(hand)


# Other structures


def test_one_unit_has_one_size_on_every_round():
    """Unit 1, three raises: 1, 2, 3, 4."""
    rules = Rules(ante=1, structure=OneUnit(1))
    assert [1, 2, 3, 4] == escalate(deal(rules, THREE))
    assert [1, 2, 3, 4] == escalate(to_round(deal(rules, THREE), 5))


def test_the_home_game_counts_in_whole_chips():
    assert [840, 1680, 2520, 3360] == escalate(deal(PROFILES["baseball-home"], TWO, 0))


def test_doubling_doubles_the_level_and_opens_every_round_alike():
    """From 2: 2, 4, 8, 16."""
    rules = PROFILES["baseball-simple"].replace(bonus_rank=None)
    assert [2, 4, 8, 16] == escalate(deal(rules, THREE))
    for number in (2, 3, 4, 5):
        assert [2, 4, 8, 16] == escalate(to_round(deal(rules, THREE), number))


def test_spread_goes_from_the_least_to_the_most_and_a_raise_is_at_least_the_last_one():
    rules = Rules(ante=1, bring_in=1, structure=Spread(2, 10))
    hand = deal(rules, THREE)
    assert "bring_in 1, complete 2-10" == hand.legal
    hand.play("3 bring_in; 1 complete 4")
    assert ["raise 8-14"] == sizes(hand)
    hand.play("2 raise 11")
    assert ["raise 18-21"] == sizes(hand)
    hand.play("3 raise 21")
    assert ["raise 31"] == sizes(hand)


def test_spread_starts_afresh_on_the_next_round():
    hand = deal(Rules(ante=1, bring_in=1, structure=Spread(2, 10)), THREE)
    hand.play("3 bring_in; 1 complete 10; 2 raise 20; 3 call; 1 call |")
    assert ["bet 2-10"] == sizes(hand)


def test_pot_limit_allows_the_pot_after_calling():
    """800 carried, bring-in 150: a raise to at most 1250."""
    rules = Rules(bring_in=150, structure=PotLimit(300))
    hand = deal(rules, THREE, 10_000, carry=800).play("3 bring_in")
    assert ["complete 300-1250"] == sizes(hand)
    hand.play("1 complete 1250")
    assert ["raise 2500-4700"] == sizes(hand)


def test_antes_count_for_the_pot_limit_as_a_carried_pot_does():
    """Seven antes of 100 and 100 carried."""
    rules = Rules(ante=100, bring_in=150, structure=PotLimit(300))
    doors = {seat: f"(-- --) {door}" for seat, door in enumerate(("Ks", "Qs", "Js", "Ts", "9s", "8s", "2c"), start=1)}
    assert ["complete 300-1250"] == sizes(deal(rules, doors, 10_000, carry=100).play("7 bring_in"))


def test_purchases_count_for_the_pot_limit():
    rules = Rules(ante=10, bonus_rank="4", bonus_price=Fixed(30), bonus_decline="no_card", structure=PotLimit(5))
    hands = {1: "(-- --) Ks", 2: "(-- --) 4s+8d"}
    assert ["bet 5-50"] == sizes(deal(rules, hands).play("2 buy"))
    assert ["bet 5-20"] == sizes(deal(rules, {1: "(-- --) Ks", 2: "(-- --) 4s"}).play("2 decline"))


def test_a_pot_limit_raise_is_at_least_the_last_one():
    hand = deal(Rules(ante=1, structure=PotLimit(2)), THREE)
    assert ["bet 2-3"] == sizes(hand)
    hand.play("1 bet 3")
    assert ["raise 6-12"] == sizes(hand)
    hand.play("2 raise 10")
    assert ["raise 17-36"] == sizes(hand)
    hand.play("3 call")
    assert ["raise 17-43"] == sizes(hand), "26 in the pot, 7 to call: 33 more than 10"


def test_an_opening_bet_may_always_be_the_least_one_even_if_the_pot_is_smaller():
    hand = deal(Rules(structure=PotLimit(5)), TWO, carry=1)
    assert ["bet 5"] == sizes(hand)


def test_no_limit_goes_up_to_the_stack():
    hand = deal(Rules(ante=1, bring_in=2, structure=NoLimit(5)), THREE, {1: 500, 2: 90, 3: 40})
    assert "bring_in 2, complete 5-39" == hand.legal
    hand.play("3 bring_in")
    assert ["complete 5-499"] == sizes(hand)
    hand.play("1 complete 30")
    assert ["raise 60-89"] == sizes(hand)
    hand.play("2 raise 60; 3 fold")
    assert ["raise 90-499"] == sizes(hand)


def test_pot_and_no_limit_never_have_a_cap():
    hand = deal(Rules(ante=1, structure=NoLimit(1)), TWO, 1000)
    assert list(range(1, 11)) == [
        hand.play(f"{hand.actor} {'raise' if to > 1 else 'bet'} {to}").state.betting.level for to in range(1, 11)
    ]


# The cap


def test_the_raise_disappears_at_the_cap():
    hand = deal(STUD, THREE).play("3 bring_in; 1 complete 5; 2 raise 10; 3 raise 15; 1 raise 20")
    assert "fold, call 20" == hand.legal
    hand.refuses("raise 25; raise 20; raise 0; complete 25; bet 25")


def test_the_cap_is_a_knob():
    assert [5] == escalate(deal(STUD.replace(raise_cap=0), THREE).play("3 bring_in"))
    assert [5, 10, 15, 20, 25] == escalate(deal(STUD.replace(raise_cap=4), THREE).play("3 bring_in"))
    assert 20 == len(escalate(deal(STUD.replace(raise_cap=None), THREE, 1000).play("3 bring_in")))


def test_the_cap_holds_heads_up_unless_the_rules_lift_it():
    assert [10, 20, 30, 40] == escalate(to_round(deal(STUD, TWO, 1000), 3))
    free = STUD.replace(heads_up_uncapped=True)
    assert [10 * n for n in range(1, 21)] == escalate(to_round(deal(free, TWO, 1000), 3))


def test_a_round_that_becomes_heads_up_keeps_its_cap():
    free = STUD.replace(heads_up_uncapped=True)
    hands = {**THREE, 3: "(-- --) 2c 7d 8c"}
    hand = to_round(deal(free, hands, 1000), 3).play("1 bet 10; 2 raise 20; 3 fold")
    assert [30, 40] == escalate(hand)
    hand.play("1 call |")
    assert 20 == len(escalate(hand))


# An open pair on fourth street


PAIRED = STUD.replace(open_pair_high_bet=True)


OPEN_PAIR = {1: "(-- --) Ks Kd", 2: "(-- --) Js 8d", 3: "(-- --) 2c 7d"}


def fourth_street(rules=PAIRED, up="Ks Kd"):
    hands = {1: f"(-- --) {up}", 2: "(-- --) Js 8d", 3: "(-- --) 2c 7d"}
    return deal(rules, hands).play("3 bring_in; 1 call; 2 call |")


def test_an_open_pair_lets_anybody_bet_low_or_high():
    assert "fold, check, bet 5, bet 10" == fourth_street().legal
    assert ["bet 5", "bet 10"] == sizes(fourth_street().play("1 check; 2 check"))


def test_without_the_rule_or_the_pair_there_is_one_size():
    assert ["bet 5"] == sizes(fourth_street(STUD))
    assert ["bet 5"] == sizes(fourth_street(up="Ks Qd"))


def test_after_a_high_bet_all_raises_are_high():
    hand = fourth_street().play("1 bet 10")
    assert "fold, call 10, raise 20" == hand.legal
    hand.refuses("raise 15")
    assert ["raise 30"] == sizes(hand.play("2 raise 20"))
    assert [30, 40] == escalate(hand)


def test_after_a_low_bet_a_raise_may_be_low_or_high():
    hand = fourth_street().play("1 bet 5")
    assert ["raise 10", "raise 15"] == sizes(hand)
    hand.play("2 raise 15")
    assert ["raise 25"] == sizes(hand)


def test_low_raises_keep_the_choice():
    assert ["raise 15", "raise 20"] == sizes(fourth_street().play("1 bet 5; 2 raise 10"))


@pytest.mark.parametrize(
    ("left", "offered"),
    [
        (4, ["bet 4"]),
        (5, ["bet 5"]),
        (6, ["bet 5", "bet 6"]),
        (9, ["bet 5", "bet 9"]),
        (10, ["bet 5", "bet 10"]),
        (11, ["bet 5", "bet 10"]),
    ],
)
def test_who_has_less_than_the_high_bet_may_bet_it_all_in(left, offered):
    hand = deal(PAIRED, OPEN_PAIR, {1: 3 + left, 2: 100, 3: 100}).play("3 bring_in; 1 call; 2 call |")
    assert offered == sizes(hand)


@pytest.mark.parametrize(
    ("rules", "after"),
    [
        (PAIRED, ["raise 17"]),
        (PAIRED.replace(short_raise="full_raise"), ["raise 12", "raise 17"]),
        (PAIRED.replace(structure=FixedLimit(5, 20)), ["raise 12", "raise 27"]),
    ],
)
def test_an_all_in_short_of_the_high_bet_is_one_as_a_short_raise_is_a_raise(rules, after):
    hand = deal(rules, OPEN_PAIR, {1: 10, 2: 100, 3: 100}).play("3 bring_in; 1 call; 2 call | 1 bet 7")
    assert after == sizes(hand)


def test_a_raise_short_of_the_high_one_is_all_in_too():
    hand = deal(PAIRED, OPEN_PAIR, {1: 100, 2: 16, 3: 100}).play("3 bring_in; 1 call; 2 call | 1 bet 5")
    assert ["raise 10", "raise 13"] == sizes(hand)
    assert ["raise 23"] == sizes(hand.play("2 raise 13"))


def test_an_open_pair_offers_no_size_twice():
    assert ["bet 5"] == sizes(fourth_street(PAIRED.replace(structure=FixedLimit(5, 5))))


def test_the_pair_counts_for_the_whole_round_even_if_its_holder_folds():
    hand = fourth_street().play("1 check; 2 check; 3 bet 5; 1 fold")
    assert ["raise 10", "raise 15"] == sizes(hand)


def test_the_open_pair_matters_on_fourth_street_only():
    hands = {1: "(-- --) Ks Qd Kd", 2: "(-- --) Js 8d 6c"}
    hand = deal(PAIRED.replace(high_from_round=4), hands).play("2 bring_in; 1 call | 1 check; 2 check |")
    assert ["bet 5"] == sizes(hand)


def test_fourth_street_is_the_first_round_where_three_cards_lie_down():
    """A pair can show there by a bonus card only; on the next street one is worth no high bet."""
    rules = PAIRED.replace(deal_pattern="3d1u,1u,1u,1u,1u,1d", max_players=5, bonus_rank="4", bring_in=0)
    hands = {1: "(-- -- --) 4s+4d+Kd 8c", 2: "(-- -- --) Js 7d"}
    hand = deal(rules, hands)
    assert (4, ["bet 5", "bet 10"]) == (hand.state.street, sizes(hand))
    hand.play("1 check; 2 check |")
    assert (5, ["bet 5"]) == (hand.state.street, sizes(hand))


def test_a_wild_card_makes_an_open_pair():
    assert ["bet 5", "bet 10"] == sizes(fourth_street(PAIRED.replace(wild_ranks=("Q",)), up="Ks Qd"))


# All-in for less than a full bet or raise


def test_no_full_raise_left_means_all_in():
    """Facing 10 with 13 left: call 10, or all-in to 13. Facing 10 with 6 left: call 6."""
    hands = {1: "(-- --) Ks Kd Qh", 2: "(-- --) Js Jd Th", 3: "(-- --) 2c 7d 8c"}
    hand = to_round(deal(STUD, hands, {1: 100, 2: 16, 3: 9}), 3).play("1 bet 10")
    assert "fold, call 10, raise 13" == hand.legal
    hand.play("2 call")
    assert "fold, call 6" == hand.legal


def test_an_all_in_that_only_calls_is_no_raise():
    hand = to_round(deal(STUD, TWO, {1: 100, 2: 13}), 3).play("1 bet 10")
    assert "fold, call 10" == hand.legal


@pytest.mark.parametrize(
    ("short", "after"),
    [
        (6, "fold, call 6, raise 10"),
        (7, "fold, call 7, raise 10"),
        (8, "fold, call 8, raise 13"),
        (9, "fold, call 9, raise 14"),
    ],
)
def test_half_of_the_missing_raise_counts_as_a_full_one(short, after):
    """A bet of 5 raised all-in: 6 and 7 are no raise and leave the 10; from 8 the next level is one unit above."""
    hand = deal(STUD, {1: THREE[1], 2: "(-- --) Js 8d", 3: THREE[3]}, {1: 100, 2: 3 + short, 3: 100})
    hand.play("3 bring_in; 1 call; 2 call | 1 bet 5; 2 raise " + str(short))
    assert after == hand.legal


def test_a_short_opening_bet_is_measured_the_same_way():
    """A bet of 20, all-in 15: the next level is 35; all-in 9: call 9 or bet the whole 20."""
    rules = Rules(ante=1, structure=FixedLimit(20, 20))
    assert "fold, call 15, raise 35" == deal(rules, THREE, {1: 16, 2: 100, 3: 100}).play("1 bet 15").legal
    assert "fold, call 9, complete 20" == deal(rules, THREE, {1: 10, 2: 100, 3: 100}).play("1 bet 9").legal


@pytest.mark.parametrize(("bring_in", "stack", "after"), [(1, 2, "call 2, complete 5"), (2, 4, "call 4, raise 9")])
def test_a_completion_is_measured_against_the_low_bet(bring_in, stack, after):
    rules = Rules(bring_in=bring_in, structure=FixedLimit(5, 10))
    hand = deal(rules, THREE, {1: stack, 2: 100, 3: 100}).play(f"3 bring_in; 1 complete {stack}")
    assert f"fold, {after}" == hand.legal


def test_under_the_full_raise_rule_only_the_whole_step_counts():
    rules = STUD.replace(short_raise=ShortRaise.FULL_RAISE)
    hand = deal(rules, {1: THREE[1], 2: "(-- --) Js 8d", 3: THREE[3]}, {1: 100, 2: 12, 3: 100})
    hand.play("3 bring_in; 1 call; 2 call | 1 bet 5; 2 raise 9")
    assert "fold, call 9, raise 10" == hand.legal


def test_pot_and_no_limit_take_the_full_raise_rule():
    hand = deal(Rules(ante=1, structure=NoLimit(5)), THREE, {1: 100, 2: 20, 3: 100})
    hand.play("1 bet 10; 2 raise 19")
    assert "fold, call 19, raise 20-99" == hand.legal


def test_a_short_all_in_that_counts_uses_up_a_raise():
    hands = {1: "(-- --) Ks Kd", 2: "(-- --) Js 8d", 3: "(-- --) 2c 7d"}
    hand = deal(STUD.replace(raise_cap=1), hands, {1: 100, 2: 11, 3: 100})
    hand.play("3 bring_in; 1 call; 2 call | 1 bet 5; 2 raise 8")
    assert "fold, call 8" == hand.legal


def test_a_short_all_in_that_does_not_count_uses_up_none():
    hands = {1: "(-- --) Ks Kd", 2: "(-- --) Js 8d", 3: "(-- --) 2c 7d"}
    hand = deal(STUD.replace(raise_cap=1), hands, {1: 100, 2: 10, 3: 100})
    hand.play("3 bring_in; 1 call; 2 call | 1 bet 5; 2 raise 7; 3 raise 10")
    assert "fold, call 10" == hand.legal


# Credit


def test_on_credit_a_stack_is_no_limit():
    rules = Rules(stakes=Stakes.CREDIT, ante=1, bring_in=2, structure=FixedLimit(5, 10))
    hand = deal(rules, THREE, {1: 0, 2: -50, 3: 1})
    assert "bring_in 2, complete 5" == hand.legal
    assert [5, 10, 15, 20] == escalate(hand.play("3 bring_in"))


def test_doubling_by_name():
    assert [3, 6, 12, 24] == escalate(deal(Rules(structure=Doubling(3)), TWO))
