"""Dealing: the order of the cards, burns, bonus cards that interrupt, and a deck that runs short."""

import pytest

import engine
from engine import PROFILES, Rules
from engine.cards import FULL_DECK, card_text, cards_text, parse_card, parse_cards
from engine.dealing import deal as deal_on
from engine.draft import Draft
from engine.events import (
    AntePosted,
    Burned,
    BurnsReturned,
    CardDealt,
    CommunityCardDealt,
    DealCause,
    Face,
    HandEnded,
    HandShown,
    HandStarted,
    PurchaseOffered,
    StreetStarted,
)
from engine.knobs import BonusFace, BonusStreets, Burn, Exhaustion, Fixed, Free, OneUnit
from engine.state import Phase, Trigger
from tests.engine.play import STUD, deal, stacked_deck

FREE_UP = Rules(bonus_rank="4", bonus_price=Free(), bonus_face=BonusFace.UP, structure=OneUnit(1))


def dealt(hand):
    """The cards in the order in which they left the deck, as ``1 As down``."""
    return [f"{e.seat} {card_text(e.card)} {e.face}" for e in hand.all(CardDealt)]


# Order


def test_cards_go_one_by_one_clockwise_from_the_dealers_left():
    hands = {1: "(As Ks) Qs Js", 2: "(Ad Kd) Qd Jd", 5: "(Ah Kh) Qh Jh"}
    hand = deal(Rules(structure=OneUnit(1)), hands, button=2)
    assert [
        "5 Ah down", "1 As down", "2 Ad down",
        "5 Kh down", "1 Ks down", "2 Kd down",
        "5 Qh up", "1 Qs up", "2 Qd up",
    ] == dealt(hand)  # fmt: skip


def test_antes_are_posted_in_dealing_order_before_the_first_card():
    hand = deal(STUD, {1: "(-- --) Ks", 2: "(-- --) Qs", 3: "(-- --) Js"}, {1: 50, 2: 60, 3: 70}, button=1)
    assert [
        HandStarted(1, ((2, 60), (3, 70), (1, 50))),
        AntePosted(2, 1),
        AntePosted(3, 1),
        AntePosted(1, 1),
        StreetStarted(3),
    ] == hand.events[:5]


def test_each_round_begins_with_its_street():
    hand = deal(Rules(structure=OneUnit(1)), {1: "(-- --) Ks", 2: "(-- --) Qs"}).check_down()
    assert [3, 4, 5, 6, 7] == [event.street for event in hand.all(StreetStarted)]


@pytest.mark.parametrize(
    ("pattern", "down", "up"),
    [("2d1u,1u,1u,1u,1d", 3, 4), ("2d1u,1u,1u,1u,1u,1u,1d", 3, 6), ("3d1u,1u,1u,1u,1u,1d", 4, 5)],
)
def test_each_pattern_deals_its_cards(pattern, down, up):
    hand = deal(Rules(max_players=5, structure=OneUnit(1), deal_pattern=pattern), {1: "", 2: ""}).check_down()
    for player in hand.state.players:
        assert (down, up) == (len(player.down), len(player.up))
    assert pattern.count(",") + 1 == len(hand.all(StreetStarted))


def test_folded_players_get_no_more_cards_and_all_in_players_do():
    hands = {1: "(-- --) Ks Kd", 2: "(-- --) Js", 3: "(-- --) 2c 7d"}
    hand = deal(STUD, hands, {1: 3, 2: 100, 3: 100}).play("3 bring_in; 1 call; 2 fold |")
    assert [7, 3, 7] == [len(player.up + player.down) for player in hand.state.players]


# Burns


TO_THE_END = {1: "(-- --) Ks Kd -- -- (--)", 2: "(-- --) Js Jd -- -- (--)"}


def test_a_card_is_burned_before_every_round():
    hand = deal(PROFILES["baseball-simple"], TO_THE_END, burns="2c 2d 2h 2s 5c")
    hand.play("2 bring_in; 1 call").check_down()
    assert "2c 2d 2h 2s 5c" == cards_text(event.card for event in hand.all(Burned))
    assert parse_cards("2c 2d 2h 2s 5c") == hand.state.burns
    streets = [type(event) for event in hand.events if isinstance(event, StreetStarted | Burned)]
    assert [StreetStarted, Burned] * 5 == streets


def test_a_burn_may_begin_with_the_second_round():
    rules = Rules(structure=OneUnit(1), burn=Burn.NOT_FIRST)
    hand = deal(rules, TO_THE_END, burns="2c 2d 2h 2s")
    assert [] == hand.all(Burned)
    assert 4 == len(hand.check_down().all(Burned))


def test_no_burn_by_default():
    assert [] == deal(STUD, {1: "(-- --) Ks", 2: "(-- --) 2s"}).all(Burned)


# Bonus cards come before the next card


def test_a_bonus_card_comes_before_the_next_players_card():
    """Seat 2 is dealt 4h, the next cards are 4s Kd 7c: seat 2 has 4h 4s Kd, the 7c goes to seat 3."""
    hand = deal(PROFILES["baseball-home"], {1: "(-- --) Qc", 2: "(-- --) 4h+4s+Kd", 3: "(-- --) 7c"})
    assert ["1 Qc up", "2 4h up", "2 4s up", "2 Kd up", "3 7c up"] == dealt(hand)[-5:]
    assert [DealCause.STREET, DealCause.STREET, DealCause.BONUS, DealCause.BONUS, DealCause.STREET] == [
        event.cause for event in hand.all(CardDealt)[-5:]
    ]


def test_a_four_dealt_down_earns_nothing():
    assert 6 == len(dealt(deal(FREE_UP, {1: "(4s 4d) Ks", 2: "(4h 4c) Qs"})))


def test_a_four_on_the_last_street_lies_down_and_earns_nothing():
    hand = deal(FREE_UP, {1: "(-- --) Ks Kd Kh Qd (4s)", 2: "(-- --) Qs 6d 5s 8d (4d)"}).check_down()
    assert 14 == len(dealt(hand))


def test_a_bonus_card_dealt_down_that_is_a_four_earns_nothing():
    down = FREE_UP.replace(bonus_face=BonusFace.DOWN)
    hand = deal(down, {1: "(-- --) 4h+(4s)", 2: "(-- --) Qs"})
    assert ("4h", 7) == (hand.up(1), len(dealt(hand)))


def test_a_bonus_card_like_its_trigger_lies_face_up():
    hand = deal(FREE_UP.replace(bonus_face=BonusFace.AS_TRIGGER), {1: "(-- --) 4h+8s", 2: "(-- --) Qs"})
    assert "4h 8s" == hand.up(1)


def test_door_cards_may_earn_nothing():
    rules = FREE_UP.replace(bonus_streets=BonusStreets.NOT_DOOR)
    hand = deal(rules, {1: "(-- --) 4h 4s+8s", 2: "(-- --) Qs Jd"}).play("2 check; 1 check |")
    assert "4h 4s 8s" == hand.up(1)


def test_all_four_bonus_cards_may_go_to_one_player():
    hand = deal(FREE_UP, {1: "(-- --) 4h+4s+4d+4c+8s", 2: "(-- --) Qs"})
    assert "4h 4s 4d 4c 8s" == hand.up(1)


def test_a_second_four_of_a_round_finds_its_own_place():
    hand = deal(FREE_UP, {1: "(-- --) 4h+8s", 2: "(-- --) 4s+9s", 3: "(-- --) Qs"})
    assert ["1 4h up", "1 8s up", "2 4s up", "2 9s up", "3 Qs up"] == dealt(hand)[-5:]


# The deck runs short


def full_table(fours, *, players=7):
    """Deal everybody up to sixth street.

    The first ``fours`` seats are dealt a 4 and its bonus card at the door, the others hold the rest of the 4s.
    """
    earning = [f"(-- --) 4{suit}+-- -- -- --" for suit in "cdhs"[:fours]]
    holding = [f"(4{suit} --) -- -- -- --" for suit in "cdhs"[fours:]]
    neither = ["(-- --) -- -- -- --"] * players
    return dict(enumerate([*earning, *holding, *neither][:players], start=1))


def last_cards(hand):
    """The cards of the last round, by seat."""
    start = hand.events.index(StreetStarted(7))
    return {event.seat: card_text(event.card) for event in hand.events[start:] if isinstance(event, CardDealt)}


def by_seat(cards):
    return dict(enumerate(cards.split(), start=1))


BURNING = FREE_UP.replace(burn=Burn.EVERY_ROUND)
FOUR_BURNS = "5c 5d 5h 5s"


def test_seven_players_and_four_bonus_cards_leave_one_card_for_all():
    """46 of 52 cards are out, six are left for seven: one card is turned up for everybody."""
    hand = deal(FREE_UP, full_table(4), rest="As").check_down()
    assert [CommunityCardDealt(parse_card("As"))] == hand.all(CommunityCardDealt)
    assert {} == last_cards(hand)
    assert parse_cards("As") == hand.state.community


def test_three_bonus_cards_leave_just_enough():
    hand = deal(FREE_UP, full_table(3), rest="As Ks Qs Js Ad Kd Qd").check_down()
    assert by_seat("As Ks Qs Js Ad Kd Qd") == last_cards(hand)
    assert [] == hand.all(CommunityCardDealt)


def test_burns_return_in_the_order_in_which_they_were_burned():
    """Four burns and three bonus cards: three cards are left, the fifth burn is not made, and the burns follow."""
    hand = deal(BURNING, full_table(3), burns=FOUR_BURNS, rest="As Ks Qs").check_down()
    assert [BurnsReturned(4)] == hand.all(BurnsReturned)
    assert by_seat(f"As Ks Qs {FOUR_BURNS}") == last_cards(hand)
    assert [4, ()] == [len(hand.all(Burned)), hand.state.burns]


def test_only_as_many_burns_are_dealt_as_are_needed():
    hand = deal(BURNING, full_table(1), burns=FOUR_BURNS, rest="As Ks Qs Js Ad").check_down()
    assert by_seat("As Ks Qs Js Ad 5c 5d") == last_cards(hand)
    assert parse_cards("5h 5s") == hand.state.deck


def test_burns_that_do_not_suffice_leave_one_card_for_all_even_if_one_is_missing():
    """Two cards and four burns are six, for seven players."""
    hand = deal(BURNING, full_table(4), burns=FOUR_BURNS, rest="As Ks").check_down()
    assert [BurnsReturned(4)] == hand.all(BurnsReturned)
    assert [CommunityCardDealt(parse_card("As"))] == hand.all(CommunityCardDealt)
    assert {} == last_cards(hand)


def test_a_burn_that_leaves_enough_is_made():
    """Six players still in, seven cards left: one is burned, six are dealt."""
    hands = full_table(2) | {7: "(-- --) --"}
    hand = deal(BURNING, hands, burns=FOUR_BURNS, rest="8s As Ks Qs Js Ad Kd")
    fold_seven(hand)
    assert 5 == len(hand.all(Burned))
    assert by_seat("As Ks Qs Js Ad Kd") == last_cards(hand)


def fold_seven(hand):
    """Seat 7 folds on third street, everybody else checks to the end."""
    while not hand.folded(7):
        hand.play(f"{hand.actor} {'fold' if hand.actor == 7 else 'check'}")
    hand.check_down()


def test_a_burn_that_would_leave_too_few_is_undone():
    """Six players still in, six cards left: no burn, and the six are dealt."""
    hands = full_table(3) | {7: "(-- --) --"}
    hand = deal(BURNING, hands, burns=FOUR_BURNS, rest="As Ks Qs Js Ad Kd")
    fold_seven(hand)
    assert 4 == len(hand.all(Burned))
    assert by_seat("As Ks Qs Js Ad Kd") == last_cards(hand)


def test_burns_may_stay_burned():
    rules = BURNING.replace(exhaustion=Exhaustion.COMMUNITY)
    hand = deal(rules, full_table(1), burns=FOUR_BURNS, rest="As Ks Qs Js Ad").check_down()
    assert [CommunityCardDealt(parse_card("As"))] == hand.all(CommunityCardDealt)
    assert [] == hand.all(BurnsReturned)
    assert parse_cards(FOUR_BURNS) == hand.state.burns


def test_folded_cards_may_be_recycled_in_the_order_of_a_second_permutation():
    """Two cards are left for six; four burns and the seven cards of seat 1 come back, spades first."""
    rules = BURNING.replace(exhaustion=Exhaustion.RECYCLE_FOLDED)
    hands = full_table(4) | {1: "(Ks Kh) 4c+Qh Js 7d 7h"}
    hand = deal(rules, hands, burns=FOUR_BURNS, rest="As Ad", spare=FULL_DECK[::-1])
    while hand.state.street < 6:
        hand.play(f"{hand.actor} check")
    while not hand.folded(1):
        hand.play(f"{hand.actor} {'fold' if hand.actor == 1 else 'check'}")
    hand.check_down()
    assert [BurnsReturned(11)] == hand.all(BurnsReturned)
    assert {2: "As", 3: "Ad", 4: "Ks", 5: "Js", 6: "5s", 7: "Kh"} == last_cards(hand)
    assert "Qh 7h 5h 7d 5d 5c 4c" == cards_text(hand.state.deck)
    assert ((), ()) == (hand.state.player(1).down, hand.state.player(1).up)


def test_six_players_at_seven_cards_always_fit_even_with_five_burns():
    hand = deal(BURNING, full_table(4, players=6)).check_down()
    assert [] == hand.all(BurnsReturned)
    assert 6 == len(last_cards(hand))
    assert 5 == len(hand.all(Burned))


def test_five_players_at_nine_cards_get_their_last_card():
    """40 cards, four bonus cards and six burns leave two; with the burns there are eight for five."""
    rules = BURNING.replace(max_players=5, deal_pattern="2d1u,1u,1u,1u,1u,1u,1d")
    hands = {seat: f"{hand} -- --" for seat, hand in full_table(4, players=5).items()}
    hand = deal(rules, hands, burns="5c 5d 5h 5s 8c 8d", rest="As Ks").check_down()
    assert [BurnsReturned(6)] == hand.all(BurnsReturned)
    assert [10, 10, 10, 10, 9] == [len(player.down + player.up) for player in hand.state.players]


def test_a_community_card_counts_in_everybodys_hand_and_is_wild_if_its_rank_is():
    rules = FREE_UP.replace(wild_ranks=("9",))
    hand = deal(rules, full_table(4), rest="9s").check_down()
    assert len(full_table(4)) == len(hand.all(HandShown))
    for shown in hand.all(HandShown):
        assert parse_card("9s") not in shown.cards
        cards = engine.cards.mask_of((*shown.cards, parse_card("9s")))
        assert engine.evaluate(cards, rules.wild_mask) == shown.value
        assert parse_card("9s") in shown.best
        assert parse_card("9s") in dict(shown.wild_as)


def test_a_community_card_counts_for_who_opens():
    """A pair of aces with the community card opens before a pair of kings."""
    boards = {
        1: "4c+5c 7s 8h 9d",
        2: "4d+Kd 6s 7d Ks",
        3: "4h+5d 9s Ts Jh",
        4: "4s+5h 6d 8c Qd",
        5: "2c 7h 8d Ad",
        6: "2d 6h 9c Jc",
        7: "2h 5s 9h Qh",
    }
    hand = deal(FREE_UP, {seat: f"(-- --) {board}" for seat, board in boards.items()}, rest="As")
    assert 2 == opener_of(hand, 6)
    assert 5 == opener_of(hand, 7)


def opener_of(hand, street):
    """Check until a street opens and say with whom."""
    while hand.state.street < street:
        hand.play(f"{hand.actor} check")
    return hand.actor


def test_a_community_card_is_no_bonus_and_no_purchase():
    rules = BURNING.replace(exhaustion=Exhaustion.COMMUNITY, bonus_price=Fixed(1), bonus_decline="no_card", ante=1)
    hand = deal(rules, full_table(3) | {4: "(-- --) -- -- -- --"}, burns=FOUR_BURNS, rest="4s")
    for seat in (1, 2, 3):
        hand.play(f"{seat} buy")
    hand.check_down()
    assert parse_cards("4s") == hand.state.community
    assert 3 == len(hand.all(PurchaseOffered))


@pytest.mark.parametrize("price", [Free(), Fixed(2)])
def test_a_bonus_card_that_the_deck_no_longer_holds_is_skipped_before_payment(price):
    hand = deal(FREE_UP.replace(bonus_price=price), {1: "(-- --) Ks", 2: "(-- --) Qs"})
    draft = Draft(hand.state)
    draft.phase, draft.deck = Phase.DEALING, ()
    draft.triggers = (Trigger(1, parse_card("4s"), "bonus"),)
    deal_on(draft)
    assert ((), None, []) == (draft.triggers, draft.offer, draft.events)
    assert hand.stacks[0] == draft.player(1).stack


def test_the_hand_ends_after_the_last_card_without_a_further_round():
    hand = deal(FREE_UP, full_table(4), rest="As").check_down()
    assert isinstance(hand.events[-1], HandEnded)
    assert 7 == len(hand.all(HandShown))
    assert [] == hand.all(PurchaseOffered)
    assert {Face.UP, Face.DOWN} == {event.face for event in hand.all(CardDealt)}
    assert stacked_deck(FREE_UP, full_table(4), 7, rest="As")[-6] == hand.state.community[0]


# Nine cards


NINE = ("2d1u,1u,1u,1u,1u,1u,1d", "3d1u,1u,1u,1u,1u,1d")


@pytest.mark.parametrize("pattern", NINE)
@pytest.mark.parametrize("players", range(2, 6))
def test_nine_card_games_get_every_card_to_everybody(pattern, players):
    """Five players, four bonus cards and every burn: the burns come back and suffice."""
    rules = BURNING.replace(max_players=5, deal_pattern=pattern)
    down = "-- -- --" if pattern[0] == "3" else "-- --"
    hands = {seat: f"({down}) 4{suit}+--" for seat, suit in zip(range(1, players + 1), "cdhs", strict=False)}
    hand = deal(rules, {5: f"({down}) Ks", **hands} if players == 5 else hands).check_down()
    assert players == len(hand.all(HandShown))
    assert [] == hand.all(CommunityCardDealt)
    assert {9, 10} >= {len(player.up + player.down) for player in hand.state.players}


@pytest.mark.parametrize(("pattern", "rounds"), [(NINE[0], 7), (NINE[1], 6)])
def test_nine_card_games_have_more_betting_rounds(pattern, rounds):
    hand = deal(Rules(max_players=5, structure=OneUnit(1), deal_pattern=pattern), {1: "", 2: ""})
    opened = set()
    while hand.legal != "showdown":
        opened.add(hand.state.street)
        hand.play(f"{hand.actor} check")
    assert rounds == len(opened)


def test_the_blind_game_brings_in_by_the_first_up_card():
    hand = deal(PROFILES["blind-baseball"], {1: "(-- --) Ks", 2: "(-- --) 5c", 3: "(-- --) 6d"})
    assert (2, 3) == (hand.actor, hand.state.street)


def test_four_cards_are_dealt_before_the_first_bet_where_three_lie_down():
    rules = Rules(max_players=5, deal_pattern=NINE[1], bring_in=1, structure=OneUnit(2))
    hand = deal(rules, {1: "(-- -- --) Ks", 2: "(-- -- --) 5c"})
    assert (2, 4, 8) == (hand.actor, hand.state.street, len(hand.all(CardDealt)))


def test_recycled_cards_take_their_purchases_with_them():
    """Seat 1 has paid for its 3 and may claim for its 4, folds, and its cards go back into the deck."""
    rules = BURNING.replace(
        exhaustion=Exhaustion.RECYCLE_FOLDED, pay_rank="3", hole_bonus=Free(), hole_bonus_claim="between_rounds", ante=1
    )
    hands = full_table(4) | {1: "(Ks 4s) 4c+Qh 3d 7d 7h", 4: "(-- --) -- -- -- --", 5: "(3h 3s) -- -- -- --"}
    hand = deal(rules, hands | {6: "(3c --) -- -- -- --"}, 10_000, burns=FOUR_BURNS, spare=FULL_DECK[::-1])
    while hand.state.street < 6 or hand.state.phase != Phase.BETTING:
        hand.play(f"{hand.actor} {next(word for word in ('buy', 'decline', 'check') if word in hand.legal)}")
    assert (parse_card("3d"),) == hand.state.player(1).paid
    assert (parse_card("4s"),) == hand.state.player(1).claimable
    while not hand.folded(1):
        hand.play(f"{hand.actor} {'fold' if hand.actor == 1 else 'check'}")
    while not hand.state.finished:
        hand.play(f"{hand.actor} {next(word for word in ('decline', 'check', 'showdown') if word in hand.legal)}")
    assert 1 == len(hand.all(BurnsReturned))
    player = hand.state.player(1)
    assert ((), (), (), ()) == (player.up, player.down, player.paid, player.claimable)
