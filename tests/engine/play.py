"""Hands set up and played in the words of a stud table.

``deal`` takes each seat's cards as a reporter writes them, ``(As Kd) 2c 5h 6d 8s (Td)``: down cards in brackets, bonus
cards behind the card that earned them with a ``+``, as in ``4s+(9h)``. ``Hand.play`` takes the actions, each with the
seat that must be its turn: ``1 bring_in; 2 call; 3 complete 5 | 1 check``; a bar says that a betting round ends there.
Cards to be rolled stand in brackets too. Cards that do not come with the one that earned them (for a hole card, after
the round, under unseen cards) are named by ``rest``, which follows the reported cards.
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple, Self, TypeVar

import pytest

import engine
from engine import Action, ActionKind, IllegalAction, Rules, State
from engine.cards import DECK_SIZE, card_text, parse_card, rank_of
from engine.draft import Draft
from engine.events import AnyEvent, CardDealt, DealCause, Face, PurchaseKind, PurchaseMade
from engine.knobs import Burn, FixedLimit, PurchaseTiming
from engine.wilds import wild_mask
from tests.engine.ledger import Ledger

STUD = Rules(ante=1, bring_in=2, structure=FixedLimit(5, 10))
"""Plain stud: ante 1, bring-in 2, bets of 5 and 10."""

_Event = TypeVar("_Event", bound=AnyEvent)


class DealtCard(NamedTuple):
    """A card of a reported hand: how it lies, and the bonus cards that came for it, each with how it lies."""

    text: str
    down: bool
    bonus: tuple[tuple[str, bool], ...] = ()

    @property
    def all(self) -> tuple[str, ...]:
        """The card and its bonus cards, in the order in which they leave the deck."""
        return (self.text, *(text for text, _ in self.bonus))


_WORD = re.compile(r"[()]|[^\s()+]+(?:\+(?:\([^)]*\)|[^\s()+]+))*")


def reported(hand: str) -> list[DealtCard]:
    """Read ``(As Kd) 2c 4h+(9h) (Td)``."""
    cards = []
    down = False
    for word in _WORD.findall(hand):
        if word in "()":
            down = word == "("
        else:
            text, *bonus = word.split("+")
            cards.append(DealtCard(text, down, tuple((card.strip("()"), card[0] == "(") for card in bonus)))
    return cards


def stacked_deck(
    rules: Rules, hands: Mapping[int, str], button: int, *, burns: str = "", rest: str = ""
) -> tuple[int, ...]:
    """Return the deck that deals these hands under these rules; a card written ``--`` may be anything harmless.

    A seat that is out of cards is taken to have folded; ``rest`` follows when all reported cards are dealt. Burns that
    are not named are harmless cards too.
    """
    spelled = {seat: reported(hand) for seat, hand in hands.items()}
    named = [text for cards in spelled.values() for card in cards for text in card.all if text != "--"]
    named += [*burns.split(), *rest.split()]
    assert len(set(named)) == len(named), f"a card stands twice in {named}"
    spare = sorted(set(range(DECK_SIZE)) - set(map(parse_card, named)), key=_interest)
    to_burn = [parse_card(text) for text in burns.split()]

    def one(text: str) -> int:
        return spare.pop(0) if text == "--" else parse_card(text)

    order = sorted(hands, key=lambda seat: (seat <= button, seat))
    deck: list[int] = []
    for at, faces in enumerate(rules.rounds):
        if at and not any(spelled.values()):
            break
        if rules.burn == Burn.EVERY_ROUND or (rules.burn == Burn.NOT_FIRST and at):
            deck.append(to_burn.pop(0) if to_burn else spare.pop(0))
        for face in faces:
            for seat in order:
                if not spelled[seat]:
                    continue
                card = spelled[seat].pop(0)
                assert card.down == (face == "d"), f"seat {seat}: {card.text} on the wrong street in {hands[seat]}"
                deck += [one(text) for text in card.all]
    left_over = [*to_burn, *filter(None, spelled.values())]
    assert not left_over, f"more cards than are dealt: {hands}"
    return (*deck, *map(parse_card, rest.split()), *spare)


def _interest(card: int) -> tuple[bool, bool, int]:
    """Order unnamed cards: those that mean something in Baseball come last."""
    rank = card_text(card)[0]
    return rank == "4", rank in "239AJQK", -rank_of(card)


class Hand:
    """A hand in play: the state, everything that has happened, and the report it must agree with."""

    def __init__(self, step: engine.Step, hands: Mapping[int, str]) -> None:
        self.events: list[AnyEvent] = []
        self._reports = {seat: reported(hand) for seat, hand in hands.items()}
        self._bonus: list[tuple[str, bool]] = []
        rules = step.state.rules
        self._comes_later = rules.rolls or rules.purchase_timing == PurchaseTiming.AFTER_ROUND
        self.ledger = Ledger(step.state.rules)
        self._take(step)

    def _take(self, step: engine.Step) -> None:
        self.state: State = step.state
        self.events += step.events
        for event in step.events:
            self.ledger.record(event)
            if isinstance(event, CardDealt):
                self._compare(event)
            elif isinstance(event, PurchaseMade) and event.purchase == PurchaseKind.HOLE_BONUS:
                self._comes_later = True
        self.ledger.compare(self.state)
        assert [] == engine.broken(self.state)

    def _compare(self, event: CardDealt) -> None:
        report = self._reports[event.seat]
        if event.cause == DealCause.STREET:
            if not report:
                return
            self._bonus = list(report[0].bonus)
            text, down, _ = report.pop(0)
        elif self._comes_later:
            return
        else:
            assert self._bonus, f"seat {event.seat} was dealt an unexpected bonus card {card_text(event.card)}"
            text, down = self._bonus.pop(0)
        dealt = card_text(event.card)
        assert (dealt if text == "--" else text, down) == (dealt, event.face != Face.UP), f"seat {event.seat}"

    def play(self, actions: str) -> Self:
        """Play ``seat kind [amount]``, separated by semicolons; a bar marks the end of a betting round."""
        for betting_round in re.split(r"(?<=\|)", actions):
            street = self.state.street
            for action in filter(None, map(str.strip, betting_round.rstrip("|").split(";"))):
                self._act(action)
            if betting_round.endswith("|"):
                over = self.state.street > street or self.state.phase in ("showdown", "roll")
                assert over, f"the round goes on after {betting_round!r}: seat {self.actor} may {self.legal}"
        return self

    def _act(self, text: str) -> None:
        seat, kind, *amount = text.split()
        if kind != ActionKind.LEAVE:
            assert int(seat) == self.actor, f"{text!r}: it is the turn of seat {self.actor} ({self.legal})"
        action = Action(ActionKind(kind), int(amount[0]) if amount else 0, int(seat) if kind == "leave" else 0)
        self._take(engine.step(self.state, action))

    def refuses(self, actions: str) -> Self:
        """Check that none of these actions is allowed now and that trying changes nothing."""
        before = self.state
        for text in filter(None, map(str.strip, actions.split(";"))):
            kind, *amount = text.split()
            with pytest.raises(IllegalAction) as refusal:
                engine.step(self.state, Action(ActionKind(kind), *map(int, amount)))
            assert refusal.value.reason
        assert before == self.state
        return self

    def show(self) -> Self:
        """Show the hands, whoever shows first."""
        assert self.legal == "showdown", f"seat {self.actor} may {self.legal}"
        self._take(engine.step(self.state, Action(ActionKind.SHOWDOWN)))
        return self

    def run_out_of_time(self) -> Self:
        """Play what is played for a seat whose time has run out."""
        self._take(engine.step(self.state, engine.default_action(self.state)))
        return self

    def check_down(self) -> Self:
        """Check every remaining round and show the hands."""
        while not self.state.finished:
            kinds = {choice.kind for choice in engine.legal_actions(self.state).choices}
            assert kinds & {ActionKind.CHECK, ActionKind.SHOWDOWN}, f"seat {self.actor} cannot check: {self.legal}"
            self._take(engine.step(self.state, engine.default_action(self.state)))
        return self

    @property
    def actor(self) -> int | None:
        """The seat to act."""
        return engine.legal_actions(self.state).seat

    @property
    def legal(self) -> str:
        """What the seat to act may do, as in ``fold, call 5, raise 10``."""
        words = []
        for choice in engine.legal_actions(self.state).choices:
            size = f" {choice.min}" if choice.min else ""
            size += f"-{choice.max}" if choice.max != choice.min else ""
            words.append(f"{choice.kind}{size}" + (f" for {choice.price}" if choice.price else ""))
        return ", ".join(words)

    @property
    def stacks(self) -> list[int]:
        """The stacks, seat 1 first."""
        return list(self.state.stacks)

    @property
    def pots(self) -> list[tuple[int, set[int]]]:
        """The pots, each with the seats that can win it."""
        return [(pot.amount, set(pot.seats)) for pot in self.state.pots]

    @property
    def pot(self) -> int:
        """Everything in the middle."""
        return sum(pot.amount for pot in self.state.pots)

    def up(self, seat: int) -> str:
        """The up cards of a seat."""
        return " ".join(map(card_text, self.state.player(seat).up))

    def down(self, seat: int) -> str:
        """The down cards of a seat."""
        return " ".join(map(card_text, self.state.player(seat).down))

    def folded(self, seat: int) -> bool:
        """Whether a seat is out of the hand."""
        return self.state.player(seat).folded

    def all(self, kind: type[_Event]) -> list[_Event]:
        """All events of a kind, in order."""
        return [event for event in self.events if isinstance(event, kind)]

    def last(self, kind: type[_Event]) -> _Event:
        """The latest event of a kind."""
        return self.all(kind)[-1]


def deal(
    rules: Rules,
    hands: Mapping[int, str],
    stacks: int | Mapping[int, int] = 100,
    *,
    button: int | None = None,
    burns: str = "",
    rest: str = "",
    **more: Any,
) -> Hand:
    """Start a hand in which each seat gets the reported cards; the dealer is the highest seat unless said."""
    button = button or max(hands)
    seats = {seat: stacks if isinstance(stacks, int) else stacks[seat] for seat in hands}
    deck = stacked_deck(rules, hands, button, burns=burns, rest=rest)
    return Hand(engine.start(rules, seats, button, deck, **more), hands)


def wild_cards(state: State, seat: int) -> int:
    """Return the mask of what is wild for a seat, held or not."""
    draft = Draft(state)
    return wild_mask(draft, draft.player(seat))
