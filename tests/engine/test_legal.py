"""What the seat to act may do, what it is refused, and what running out of time plays."""

import pytest

import engine
from engine import PROFILES, Action, ActionKind, Choice, IllegalAction, LegalActions, Rules
from engine.knobs import BonusDecline, OneUnit, PotLimit, Spread, Stakes
from engine.legal import amount_of
from engine.rule_checks import MAX_AMOUNT
from tests.engine.play import STUD, deal

THREE = {1: "(-- --) Ks Kd", 2: "(-- --) Js 8d", 3: "(-- --) 2c 7d"}


def reason(hand, *action):
    with pytest.raises(IllegalAction) as refusal:
        engine.step(hand.state, Action(*action))
    return refusal.value.reason


# What is offered


def test_the_choices_are_values_with_bounds_and_prices():
    hand = deal(STUD, THREE)
    assert LegalActions(
        3, (Choice(ActionKind.BRING_IN, 2, 2), Choice(ActionKind.COMPLETE, 5, 5))
    ) == engine.legal_actions(hand.state)
    hand = deal(PROFILES["baseball"], {1: "(-- --) 4s", 2: "(-- --) 6c"})
    assert LegalActions(1, (Choice(ActionKind.BUY, price=2), Choice(ActionKind.DECLINE))) == engine.legal_actions(
        hand.state
    )


def test_choices_are_found_by_kind():
    legal = engine.legal_actions(deal(STUD, THREE).state)
    assert (Choice(ActionKind.BRING_IN, 2, 2),) == legal.find(ActionKind.BRING_IN)
    assert () == legal.find(ActionKind.FOLD)


def test_nobody_acts_when_the_hand_is_over():
    hand = deal(STUD, THREE).play("3 bring_in; 1 fold; 2 fold")
    assert LegalActions(None, ()) == engine.legal_actions(hand.state)
    assert "the hand is finished" == reason(hand, ActionKind.CHECK)


def test_nobody_may_raise_what_no_opponent_can_answer():
    """Seat 6 could only raise itself: nobody else can put in more than the 3 that are bet."""
    doors = ("2c", "Kd", "Qs", "Js", "Ts", "9s")
    hands = {seat: f"(-- --) {door}" for seat, door in enumerate(doors, start=1)}
    hand = deal(Rules(bring_in=1, structure=STUD.structure), hands, {1: 1, 2: 2, 3: 3, 4: 3, 5: 3, 6: 12})
    hand.play("1 bring_in; 2 call; 3 complete 3; 4 fold; 5 call")
    assert "fold, call 3" == hand.legal
    hand.refuses("raise 8")


# What is refused


def test_a_refusal_names_what_is_allowed():
    hand = deal(STUD, THREE)
    assert "seat 3 may not fold; allowed: bring_in to 2, complete to 5" == reason(hand, ActionKind.FOLD)
    assert "seat 3 may not complete to 7; allowed: bring_in to 2, complete to 5" == reason(hand, ActionKind.COMPLETE, 7)
    hand = deal(PROFILES["baseball"], {1: "(-- --) 4s", 2: "(-- --) 6c"})
    assert "seat 1 may not call; allowed: buy for 2, decline" == reason(hand, ActionKind.CALL)
    hand = deal(Rules(ante=1, structure=PotLimit(2)), THREE)
    assert "seat 1 may not bet to 9; allowed: fold, check, bet to 2..3" == reason(hand, ActionKind.BET, 9)


def test_it_is_somebody_elses_turn():
    assert "it is the turn of seat 3, not of seat 1" == reason(deal(STUD, THREE), ActionKind.BRING_IN, 0, 1)


@pytest.mark.parametrize("amount", [-5, -1, 0, 1, 4, 6, 99, 100, 2**31, 2**53 + 1, 2**63 - 1, 2**64, -(2**63)])
def test_an_amount_that_is_not_on_offer_is_refused(amount):
    hand = deal(STUD, THREE).play("3 bring_in")
    assert f"{amount}" in reason(hand, ActionKind.COMPLETE, amount) or amount == 0
    for kind in (ActionKind.FOLD, ActionKind.CALL, ActionKind.CHECK):
        if amount != 0:
            assert reason(hand, kind, amount)
    hand.refuses(f"complete {amount}")


@pytest.mark.parametrize("amount", [5.0, True, "5", None, 5.5, float("nan"), [5]])
def test_an_amount_is_a_whole_number(amount):
    hand = deal(STUD, THREE).play("3 bring_in")
    assert "whole number of minor units" in reason(hand, ActionKind.COMPLETE, amount)


def test_an_unknown_kind_is_refused():
    assert "may not juggle" in reason(deal(STUD, THREE), "juggle")


def test_a_size_must_be_named_and_the_only_amount_may_be():
    hand = deal(STUD, THREE)
    hand.refuses("complete; complete 0")
    assert 2 == amount_of(hand.state, Action(ActionKind.BRING_IN))
    assert 2 == amount_of(hand.state, Action(ActionKind.BRING_IN, 2))
    hand.play("3 bring_in")
    assert 2 == amount_of(hand.state, Action(ActionKind.CALL))
    assert 5 == amount_of(hand.state, Action(ActionKind.COMPLETE, 5, seat=1))


@pytest.mark.parametrize("structure", [Spread(840, 2520), PotLimit(840)])
def test_where_shares_are_exact_only_whole_chips_are_bet(structure):
    """Or two who tie for five chips and a bit could not be paid alike."""
    rules = Rules(stakes="credit", minor_units=840, ante=840, structure=structure, odd_unit="exact")
    hand = deal(rules, THREE, 0)
    assert "fold, check, bet 840-2520" == hand.legal
    assert "multiple of 840" in reason(hand, ActionKind.BET, 841)
    hand.refuses("bet 1679").play("1 bet 1680")
    hand.refuses("raise 3361")
    free = deal(rules.replace(odd_unit="high_card_all_cards"), THREE, 0).play("1 bet 841")
    assert 3361 == free.pot


def test_where_shares_are_exact_the_largest_bet_is_whole_chips_too():
    rules = Rules(stakes="credit", minor_units=840, structure=PotLimit(840), odd_unit="exact")
    hand = deal(rules, THREE, 0, carry=MAX_AMOUNT - MAX_AMOUNT % 840).play("1 bet 840")
    most = MAX_AMOUNT - MAX_AMOUNT % 840
    assert f"fold, call 840, raise 1680-{most}" == hand.legal
    hand.play(f"2 raise {most}")


def test_a_refused_action_changes_nothing():
    hand = deal(STUD, THREE)
    before = hand.state
    hand.refuses("fold; raise 10; complete 99; check; showdown; roll; claim; keep; replace; buy; decline; bet 5; call")
    assert before is hand.state
    hand.play("3 bring_in; 1 complete 5")


# Running out of time


@pytest.mark.parametrize(
    ("rules", "play", "default"),
    [
        (STUD, "", ActionKind.BRING_IN),
        (STUD, "3 bring_in", ActionKind.FOLD),
        (STUD, "3 bring_in; 1 call; 2 call |", ActionKind.CHECK),
        (STUD, "3 bring_in; 1 call; 2 call | 1 bet 5", ActionKind.FOLD),
    ],
)
def test_nothing_owed_is_checked_the_bring_in_posted_a_bet_folded(rules, play, default):
    hand = deal(rules, THREE).play(play)
    assert Action(default) == engine.default_action(hand.state)


def test_a_substitute_opener_posts_the_bring_in():
    hand = deal(STUD, THREE, {1: 100, 2: 100, 3: 1})
    assert (1, Action(ActionKind.BRING_IN)) == (hand.actor, engine.default_action(hand.state))


@pytest.mark.parametrize("decline", BonusDecline)
def test_a_purchase_is_declined(decline):
    hand = deal(PROFILES["baseball"].replace(bonus_decline=decline), {1: "(-- --) 4s", 2: "(-- --) 6c"})
    assert Action(ActionKind.DECLINE) == engine.default_action(hand.state)


def test_the_showdown_is_played():
    hand = deal(STUD, {1: "(-- --) Ks", 2: "(-- --) 2c"}, 1)
    assert Action(ActionKind.SHOWDOWN) == engine.default_action(hand.state)
    hand.show()
    with pytest.raises(IllegalAction, match="finished"):
        engine.default_action(hand.state)


def test_a_bet_is_folded_even_if_it_costs_little():
    hand = deal(Rules(ante=1, structure=OneUnit(1)), THREE).play("1 bet 1")
    assert Action(ActionKind.FOLD) == engine.default_action(hand.state)


# Credit


def test_on_credit_no_size_leaves_the_range_of_money():
    """Pot limit without a stack: raising goes on until the next *to* would be too large."""
    rules = Rules(stakes=Stakes.CREDIT, ante=1, structure=PotLimit(2))
    hand = deal(rules, {1: "(-- --) Ks", 2: "(-- --) 2c"}, 0)
    for _ in range(80):
        wager = engine.legal_actions(hand.state).choices[-1]
        if wager.kind not in (ActionKind.BET, ActionKind.RAISE):
            break
        assert wager.max <= MAX_AMOUNT
        hand.play(f"{hand.actor} {wager.kind} {wager.max}")
    assert "call" in hand.legal
    assert "raise" not in hand.legal


@pytest.mark.parametrize(("profile", "kind"), [("baseball", "buy"), ("baseball-match-pot-hole-fours-buy", "claim")])
def test_a_purchase_may_name_its_price_and_no_other_amount(profile, kind):
    hands = {"buy": {1: "(As Ad) 4s", 2: "(Qs Qd) 2c"}, "claim": {1: "(4s Ad) Ks", 2: "(Qs Qd) 2c"}}[kind]
    hand = deal(PROFILES[profile], hands)
    (price,) = (choice.price for choice in engine.legal_actions(hand.state).find(ActionKind(kind)))
    assert [0, 0] == [amount_of(hand.state, Action(ActionKind(kind), amount)) for amount in (0, price)]
    for amount in (-price, 1, price - 1, price + 1, MAX_AMOUNT):
        with pytest.raises(IllegalAction, match=f"{kind} for {price}"):
            amount_of(hand.state, Action(ActionKind(kind), amount))
