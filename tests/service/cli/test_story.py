import io

import pytest
from rich.console import Console

from proto.stud.v1 import stud_pb2
from service.cli.story import Story

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
        ({"purchase_offered": {"seat": 1, "card": "4h", "price": 2}}, "Ada has an open 4♥: another card for 2?"),
        ({"purchase_made": {"seat": 1, "card": "4h", "paid": 2}}, "Ada buys for 2"),
        ({"purchase_declined": {"seat": 1, "card": "4h"}}, "Ada does not buy"),
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
    line = told.tell(card_dealt={"seat": 1, "card": "7c", "face": "FACE_DOWN", "cause": "DEAL_CAUSE_BONUS"})
    assert "  Ada gets 7♣ face down: (7♣)\n" == line


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
