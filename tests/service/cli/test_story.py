import io

import pytest
from rich.console import Console

import engine
from proto.stud.v1 import stud_pb2
from service.cli.story import Story
from service.codec_rules import rules_message

NAMES = {1: "Ada", 2: "Babe", 3: "Casey"}


class Told:
    """A story and what it has told so far."""

    def __init__(self, **options) -> None:
        self._text = io.StringIO()
        self.story = Story(Console(file=self._text, highlight=False, width=200, **options))

    def begin(self, **rules) -> None:
        self.story.begin("baseball", stud_pb2.Rules(**{"minor_units": 1, **rules}), NAMES)
        self.text()

    def tell(self, **event) -> str:
        self.story.tell(stud_pb2.Event(**event))
        return self.text()

    def text(self) -> str:
        text = self._text.getvalue()
        self._text.seek(0)
        self._text.truncate()
        return text


@pytest.fixture
def told():
    told = Told()
    told.begin()
    return told


@pytest.mark.parametrize(
    ("event", "line"),
    [
        ({"bring_in_posted": {"seat": 1, "to": 1, "paid": 1}}, "Ada brings it in for 1"),
        ({"completed": {"seat": 2, "to": 2, "paid": 2}}, "Babe completes to 2"),
        ({"checked": {"seat": 3}}, "Casey checks"),
        ({"called": {"seat": 1, "to": 4, "paid": 3}}, "Ada calls 3"),
        ({"bet_made": {"seat": 1, "to": 4, "paid": 4}}, "Ada bets 4"),
        ({"raised": {"seat": 1, "from_bet": 4, "to": 8, "paid": 4}}, "Ada raises to 8"),
        ({"folded": {"seat": 1}}, "Ada folds"),
        ({"bet_returned": {"seat": 1, "amount": 4}}, "Ada takes back 4 that nobody called"),
        (
            {"purchase_offered": {"seat": 1, "purchase": "PURCHASE_KIND_BONUS", "card": "4h", "price": 2}},
            "Ada has an open 4♥: another card for 2?",
        ),
        ({"purchase_made": {"seat": 1, "purchase": "PURCHASE_KIND_BONUS", "card": "4h", "paid": 2}}, "Ada buys for 2"),
        (
            {"purchase_declined": {"seat": 1, "purchase": "PURCHASE_KIND_BONUS", "card": "4h"}},
            "Ada does not buy",
        ),
        (
            {"purchase_offered": {"seat": 1, "purchase": "PURCHASE_KIND_PAY_RANK", "card": "3h", "price": 9}},
            "Ada has an open 3♥: wild for 9?",
        ),
        (
            {"purchase_made": {"seat": 1, "purchase": "PURCHASE_KIND_PAY_RANK", "card": "3h", "paid": 9}},
            "Ada has 3♥ as a wild card for 9",
        ),
        (
            {"purchase_made": {"seat": 1, "purchase": "PURCHASE_KIND_PAY_RANK", "card": "3h"}},
            "Ada has 3♥ as a wild card for nothing",
        ),
        (
            {"purchase_declined": {"seat": 1, "purchase": "PURCHASE_KIND_PAY_RANK", "card": "3h"}},
            "Ada does not pay",
        ),
        (
            {"purchase_offered": {"seat": 1, "purchase": "PURCHASE_KIND_REPLACEMENT", "card": "4h"}},
            "Ada has an open 4♥: exchange it for nothing?",
        ),
        (
            {"purchase_made": {"seat": 1, "purchase": "PURCHASE_KIND_REPLACEMENT", "card": "4h", "paid": 2}},
            "Ada exchanges 4♥ for 2",
        ),
        (
            {"purchase_declined": {"seat": 1, "purchase": "PURCHASE_KIND_REPLACEMENT", "card": "4h"}},
            "Ada keeps 4♥",
        ),
        (
            {"purchase_offered": {"seat": 1, "purchase": "PURCHASE_KIND_HOLE_BONUS", "card": "4h", "price": 4}},
            "Ada has 4♥ face down: another card for 4?",
        ),
        (
            {"purchase_offered": {"seat": 1, "purchase": "PURCHASE_KIND_HOLE_BONUS", "card": "??", "price": 4}},
            "Ada is asked as well, to give nothing away",
        ),
        (
            {"purchase_made": {"seat": 1, "purchase": "PURCHASE_KIND_HOLE_BONUS", "card": "4h", "paid": 4}},
            "Ada claims another card for 4",
        ),
        (
            {"purchase_declined": {"seat": 1, "purchase": "PURCHASE_KIND_HOLE_BONUS", "card": "??"}},
            "Ada claims nothing",
        ),
        ({"leader_named": {"seat": 1}}, "Ada leads"),
        ({"player_out": {"seat": 1}}, "Ada has no card left to turn up and is not ahead: no more bets"),
        ({"wild_named": {"rank": "7"}}, "7s are wild now"),
        ({"wild_named": {}}, "No rank is wild now but the printed ones"),
        ({"betting_closed": {"pots": [{"amount": 9}, {"amount": 4}]}}, "Pot: 9, side pot 4"),
        ({"community_card_dealt": {"card": "Ts"}}, "The deck is short: T♠ lies in the middle for everybody"),
        ({"rained_out": {"seat": 1, "card": "Qs", "carry": 7}}, "Q♠: it rains. 7 go into the next hand"),
        ({"street_started": {"street": 4}}, "── Fourth street ─"),
    ],
)
def test_what_happens_in_words(told, event, line):
    assert line in told.tell(**event)


def test_the_cards_of_a_street_come_together_with_the_hands_they_join(told):
    for seat, cards in ((1, ("Ks", "4d")), (2, ("2c", "??"))):
        for card in cards:
            assert "" == told.tell(
                card_dealt={"seat": seat, "card": card, "face": "FACE_DOWN", "cause": "DEAL_CAUSE_STREET"}
            )
    assert "" == told.tell(card_dealt={"seat": 1, "card": "9h", "face": "FACE_UP", "cause": "DEAL_CAUSE_STREET"})
    lines = told.tell(checked={"seat": 1}).splitlines()
    assert ["  Babe    (2♣ ??)", "  Ada     (K♠ 4♦) 9♥", "  Ada checks"] == lines


def test_a_bonus_card_is_told_at_once(told):
    told.tell(card_dealt={"seat": 1, "card": "4h", "face": "FACE_UP", "cause": "DEAL_CAUSE_STREET"})
    lines = told.tell(card_dealt={"seat": 1, "card": "7c", "face": "FACE_DOWN", "cause": "DEAL_CAUSE_BONUS"})
    assert ["  Ada     () 4♥", "  Ada gets 7♣ face down: (7♣) 4♥"] == lines.splitlines()


def test_a_replacement_lies_where_the_dead_card_lay(told):
    for card in ("4d", "Ks"):
        told.tell(card_dealt={"seat": 1, "card": card, "face": "FACE_UP", "cause": "DEAL_CAUSE_STREET"})
    told.tell(card_replaced={"seat": 1, "card": "4d"})
    line = told.tell(card_dealt={"seat": 1, "card": "7c", "face": "FACE_UP", "cause": "DEAL_CAUSE_REPLACEMENT"})
    assert line.endswith("  Ada gets 7♣ face up: () 7♣ K♠\n")


def test_cards_that_are_turned_up_lie_open(told):
    for card in ("??", "??", "4d"):
        told.tell(card_dealt={"seat": 1, "card": card, "face": "FACE_DOWN", "cause": "DEAL_CAUSE_STREET"})
    assert "Ada turns up K♠: (?? 4♦) K♠" in told.tell(card_rolled={"seat": 1, "card": "Ks"})
    assert "Ada turns up 4♦: (??) K♠ 4♦" in told.tell(card_exposed={"seat": 1, "card": "4d"})


def test_whose_turn_it_was_stands_before_what_was_done(told):
    told.story.turn(
        stud_pb2.Table(
            to_act_seat=2,
            legal_actions=[
                {"kind": "ACTION_KIND_FOLD"},
                {"kind": "ACTION_KIND_CALL", "min_to": 4, "max_to": 4},
                {"kind": "ACTION_KIND_RAISE", "min_to": 8, "max_to": 20},
                {"kind": "ACTION_KIND_BRING_IN", "min_to": 1, "max_to": 1},
                {"kind": "ACTION_KIND_BUY", "price": 2},
            ],
        )
    )
    assert "  Babe's turn (fold, call 4, raise 8 to 20, bring in 1, buy for 2): folds\n" == told.tell(
        folded={"seat": 2}
    )
    assert "  Babe folds\n" == told.tell(folded={"seat": 2})


def test_equal_antes_are_one_line(told):
    for seat in NAMES:
        told.tell(ante_posted={"seat": seat, "paid": 1})
    assert "Everybody antes 1." in told.tell(street_started={"street": 3})
    told.tell(ante_posted={"seat": 1, "paid": 2})
    told.tell(ante_posted={"seat": 2, "paid": 2})
    assert "Ada and Babe ante 2." in told.tell(street_started={"street": 3})


def test_amounts_are_chips():
    told = Told()
    told.begin(minor_units=840)
    assert "bets 2\n" in told.tell(bet_made={"seat": 1, "to": 1680})
    assert "bets 3.33\n" in told.tell(bet_made={"seat": 1, "to": 2800})


HAND = {
    "words": "four queens, seven kicker",
    "best_five": ["Qs", "Qh", "Qd", "9c", "7s"],
    "wild_as": [{"card": "9c", "stands_for": "Qc"}],
}


def test_the_showdown_and_the_end(told):
    shown = told.tell(hand_shown={"seat": 1, "cards": ["Qs", "Qh", "Qd", "9c", "7s", "2c", "5h"], "hand": HAND})
    assert "── Showdown" in shown
    assert "Ada shows Q♠ Q♥ Q♦ 9♣ 7♠ 2♣ 5♥" in shown
    assert "four queens, seven kicker: Q♠ Q♥ Q♦ 9♣ (as Q♣) 7♠" in shown
    told.tell(pot_awarded={"amount": 9, "half": "POT_HALF_WHOLE", "shares": [{"seat": 1, "amount": 9}]})
    told.story.end(stud_pb2.Table(seats=[{"seat": 1, "player_id": "Ada", "stack": 109}]))
    ended = told.text()
    assert "Stacks: Ada 109" in ended
    assert ended.endswith("Ada wins the pot of 9 with four queens, seven kicker: Q♠ Q♥ Q♦ 9♣ (as Q♣) 7♠\n")


def test_a_pot_that_is_split_and_one_that_nobody_contested(told):
    for seat in (1, 2):
        told.tell(hand_shown={"seat": seat, "cards": HAND["best_five"], "hand": HAND})
    told.tell(pot_awarded={"pot": 0, "amount": 9, "shares": [{"seat": 1, "amount": 5}, {"seat": 2, "amount": 4}]})
    told.tell(pot_awarded={"pot": 1, "amount": 6, "shares": [{"seat": 3, "amount": 6}]})
    told.story.end(stud_pb2.Table())
    lines = told.text().splitlines()
    assert "Ada and Babe split the pot of 9." in lines
    assert "Babe splits the pot, 4 with four queens, seven kicker: Q♠ Q♥ Q♦ 9♣ (as Q♣) 7♠" in lines
    assert "Casey wins the side pot 1 of 6: everybody else folded." == lines[-1]


def test_half_a_pot_goes_to_the_low_that_won_it(told):
    low = HAND | {"low_five": ["7s", "5h", "4c", "2c", "As"]}
    shown = told.tell(hand_shown={"seat": 1, "cards": HAND["best_five"], "hand": low})
    assert "          the low 7♠ 5♥ 4♣ 2♣ A♠\n" in shown
    told.tell(pot_awarded={"amount": 9, "half": "POT_HALF_LOW", "shares": [{"seat": 1, "amount": 9}]})
    told.story.end(stud_pb2.Table())
    assert told.text().endswith("Ada wins the low half of the pot of 9 with the low 7♠ 5♥ 4♣ 2♣ A♠\n")


def test_red_suits_are_red_where_there_are_colours():
    told = Told(force_terminal=True, color_system="standard")
    told.begin()
    text = told.tell(purchase_offered={"seat": 1, "card": "4h", "price": 2})
    assert "\x1b[31m4♥\x1b[0m" in text


def test_the_game_is_introduced():
    told = Told()
    rules = stud_pb2.Rules(
        minor_units=1,
        wild_ranks={"ranks": ["3", "9"]},
        wild_cards={"cards": ["Jh"]},
        bonus_rank="4",
        bonus_face="BONUS_FACE_UP",
        bonus_price={"match_pot": {}},
    )
    told.story.begin("baseball", rules, NAMES)
    text = told.text()
    assert "A hand of baseball\n" in text
    assert "Wild: 3s, 9s and J♥.\n" in text
    assert "An open 4 earns another card, face up, for the size of the pot.\n" in text
    assert "At the table, in order: Ada, Babe and Casey.\n" in text


@pytest.mark.parametrize(
    ("profile", "line"),
    [
        (
            "baseball-match-pot",
            "An open 3 is wild for the size of the pot; one that is dealt face down is wild for nothing.",
        ),
        ("baseball-match-pot-replace-fours", "An open 4 may be exchanged for another card for nothing."),
        (
            "baseball-match-pot-hole-fours-buy",
            "For a 4 dealt face down another card may be claimed for 2 times the smallest bet.",
        ),
        ("no-peek", "Nobody looks at the cards: they are turned up one by one, until ahead of the best open hand."),
        ("follow-the-queen", "The open card after an open Q names one more wild rank."),
        ("rainy-day-baseball", "An open Q♠ is rain: the hand is void, and its pot goes into the next one."),
    ],
)
def test_what_is_special_about_a_game(profile, line):
    told = Told()
    told.story.begin(profile, rules_message(engine.PROFILES[profile]), NAMES)
    assert f"{line}\n" in told.text()


def test_every_event_of_a_hand_can_be_told(told):
    """Whatever the API sends, the story goes on."""
    for field in stud_pb2.Event.DESCRIPTOR.fields:
        event = stud_pb2.Event()
        message = getattr(event, field.name)
        message.SetInParent()
        for inner in message.DESCRIPTOR.fields:
            if inner.name == "card":
                message.card = "Ks"
        if field.name == "pot_awarded":
            message.shares.add(seat=1, amount=1)
        told.story.tell(event)
