"""The referee of worked hands: plays them line by line and compares.

Nothing in a hand is skipped: a word that is not known, an expectation that does not hold and a hand that neither ends
nor says that it goes on are all a ``HandFileError``, which names the file and the line.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import msgspec

import engine
from engine import PROFILES, Action, ActionKind, EngineError, IllegalAction, Rules, knobs
from engine import events as ev
from engine.cards import RANKS, card_text
from engine.draft import Draft
from engine.hand_value import describe, describe_low
from engine.worth import worth_of
from tests.engine.hand_file import HandFileError, WorkedHand
from tests.engine.play import Hand, stacked_deck

_GAP = re.compile(r"\s{2,}")
_SEAT = re.compile(r"seat ([1-7])\s+(-?\d\S*)\s+(\S.*)")
_SHAPES = {
    re.sub(r"(?<!^)(?=[A-Z])", "_", shape.__name__).lower(): shape
    for shape in (
        *(knobs.FixedLimit, knobs.OneUnit, knobs.Doubling, knobs.Spread, knobs.PotLimit, knobs.NoLimit),
        *(knobs.Free, knobs.Fixed, knobs.MatchPot, knobs.MatchPotCapped, knobs.MinBet),
    )
}
_HEADERS = ("game", "with", "button", "carry", "burns", "rest")
_ENDS = ("stacks", "wins", "unfinished")


def check_hand(hand: WorkedHand) -> None:
    """Play a worked hand and check everything it says.

    Raises:
        HandFileError: with file and line, if a line cannot be read or something else happens.
    """
    referee = Referee()
    line = hand.title
    try:
        for line in hand.lines:
            referee.read(line.text)
        referee.end()
    except (AssertionError, EngineError, ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise HandFileError(f"{hand.path.name}:{line.number}: {line.text.strip()!r}: {error}") from error


def _fail(message: str) -> Any:
    raise HandFileError(message)


def _equal(expected: object, actual: object, what: str) -> None:
    if expected != actual:
        _fail(f"{what}: the file says {expected}, the engine {actual}")


class Referee:
    """Reads a hand line by line, plays it and compares."""

    def __init__(self) -> None:
        self._headers: dict[str, str] = {}
        self._seats: dict[int, tuple[str, str]] = {}
        self._rules = Rules()
        self._hand: Hand | None = None
        self._since = 0
        self._actor = 0
        self._ended: set[str] = set()
        self._refused = False

    # Reading

    def read(self, text: str) -> None:
        """Read one line: a header, a seat, an action with its expectations, more expectations, or an ending."""
        word, _, rest = text.partition(" ")
        if not word:
            self._expect_all(text.strip())
        elif self._ended or word in _ENDS:
            self._read_ending(word, rest.strip())
        elif word in _HEADERS and self._hand is None:
            if word in self._headers:
                _fail(f"{word} stands there twice")
            self._headers[word] = rest.strip()
        elif word == "seat":
            self._read_seat(text)
        else:
            self._play_line(*_GAP.split(text, maxsplit=1))

    def end(self) -> None:
        """Check that the hand was read to its end."""
        if "unfinished" in self._ended:
            return
        if self._ended != {"stacks", "wins"}:
            _fail("a hand ends with 'stacks' and 'wins', or with 'unfinished'")

    def _read_seat(self, text: str) -> None:
        match = _SEAT.fullmatch(text)
        if match is None or self._hand is not None or int(match[1]) in self._seats:
            _fail("a seat is written once, before 'deal': seat 1  100  (As Kd) 2c")
        else:
            self._seats[int(match[1])] = (match[2], match[3])

    def _read_ending(self, word: str, rest: str) -> None:
        if word not in _ENDS or word in self._ended:
            _fail(f"{word!r} cannot follow {sorted(self._ended)}")
        self._ended.add(word)
        state = self.hand.state
        _equal(word != "unfinished", state.finished, "is the hand over")
        if word == "stacks":
            expected = [self._amount(stack) for stack in rest.split()]
            _equal(self._chips(*expected), self._chips(*state.stacks), "stacks")
        elif word == "wins":
            taken: Counter[int] = Counter()
            for award in state.awards:
                taken[award.seat] += award.amount
            actual = ", ".join(f"seat {seat} {self._chips(taken[seat])}" for seat in sorted(taken)) or "nobody"
            _equal(rest, actual, "wins")
        elif rest:
            _fail("nothing follows 'unfinished'")

    # Amounts: chips in the file, minor units in the engine

    def _amount(self, text: str) -> int:
        units = Fraction(text) * self._rules.minor_units
        if units.denominator != 1:
            _fail(f"{text} chips are no whole number of minor units")
        return int(units)

    def _chips(self, *units: int) -> str:
        return " ".join(str(Fraction(unit, self._rules.minor_units)) for unit in units)

    # Playing

    @property
    def hand(self) -> Hand:
        """The hand in play."""
        if self._hand is None:
            raise HandFileError("the cards are not dealt yet: write 'deal' first")
        return self._hand

    def _play_line(self, action: str, expectations: str = "") -> None:
        self._refused = False
        self._actor = 0
        words = action.split()
        if action == "deal":
            self._deal()
        elif action == "show":
            self._mark()
            self.hand.show()
        elif action == "all check":
            self._check_round()
        elif len(words) == 2 and words[1] == "timeout":
            self._run_out_of_time(int(words[0]))
        elif len(words) in (2, 3) and words[0] in "1234567":
            if expectations.startswith("refused"):
                self._refuse(*words)
            else:
                self._act(*words)
        else:
            _fail(
                f"{action!r} is no action: write deal, show, all check, or a seat and what it does (timeout: nothing)"
            )
        self._expect_all(expectations)

    def _mark(self) -> None:
        self._since = len(self.hand.events)

    def _deal(self) -> None:
        if self._hand is not None or not self._seats:
            _fail("the cards are dealt once, to seats that were named before")
        rules = self._rules = self._read_rules()
        button = int(self._headers["button"]) if "button" in self._headers else max(self._seats)
        cards = {seat: cards for seat, (_, cards) in self._seats.items()}
        burns, rest = self._headers.get("burns", ""), self._headers.get("rest", "")
        deck = stacked_deck(rules, cards, button, burns=burns, rest=rest)
        stacks = {seat: self._amount(stack) for seat, (stack, _) in self._seats.items()}
        carry = self._amount(self._headers.get("carry", "0"))
        self._hand = Hand(engine.start(rules, stacks, button, deck, carry=carry, spare=deck), cards)

    def _read_rules(self) -> Rules:
        name = self._headers.get("game", "")
        if name not in PROFILES:
            _fail(f"game {name!r} is no profile")
        record = {}
        for setting in filter(None, self._headers.get("with", "").split(";")):
            knob, *value = setting.split()
            record[knob] = _knob_value(knob, value)
        return PROFILES[name].replace(**record)

    def _act(self, seat: str, kind: str, amount: str = "") -> None:
        self._mark()
        self._actor = int(seat)
        self.hand.play(f"{seat} {kind} {self._amount(amount)}" if amount else f"{seat} {kind}")

    def _run_out_of_time(self, seat: int) -> None:
        _equal(seat, self.hand.actor, "whose time runs out")
        self._mark()
        self._actor = seat
        self.hand.run_out_of_time()

    def _refuse(self, seat: str, kind: str, amount: str = "0") -> None:
        before = self.hand.state
        try:
            engine.step(before, Action(ActionKind(kind), self._amount(amount), int(seat)))
        except IllegalAction:
            self._refused = True
            self._mark()
            return
        _fail("the engine does not refuse it")

    def _check_round(self) -> None:
        self._mark()
        checked = False
        while (seat := self.hand.actor) and "check" in self._choices():
            self._actor = seat
            self.hand.play(f"{seat} check")
            checked = True
            if any(isinstance(event, ev.BettingClosed) for event in self._new):
                return
        if not checked or self.hand.legal != "showdown":
            _fail(f"seat {seat} cannot check: {self.hand.legal}")

    # Expectations

    @property
    def _new(self) -> list[ev.AnyEvent]:
        """What has happened since the last line with an action."""
        return self.hand.events[self._since :]

    def _of(self, kind: type[ev.AnyEvent]) -> Iterator[Any]:
        return (event for event in self._new if isinstance(event, kind))

    def _expect_all(self, text: str) -> None:
        for expectation in filter(None, map(str.strip, text.split(";"))):
            self._expect(" ".join(expectation.split()))

    def _expect(self, text: str) -> None:
        for pattern, check in _EXPECTATIONS:
            match = pattern.fullmatch(text)
            if match:
                check(self, *match.groups())
                return
        _fail(f"{text!r} is no expectation")

    def _choices(self) -> str:
        words = []
        for choice in engine.legal_actions(self.hand.state).choices:
            sizes = [choice.min, choice.max] if choice.min != choice.max else [choice.min] * bool(choice.min)
            size = "-".join(map(self._chips, sizes))
            price = f"for {self._chips(choice.price)}" if choice.price else ""
            words.append(" ".join(filter(None, (choice.kind, size, price))))
        return ", ".join(words)

    def _legal(self, seat: str, choices: str) -> None:
        _equal((int(seat), choices), (self.hand.actor, self._choices()), "who may do what")

    def _turn(self, seat: str) -> None:
        _equal(int(seat), self.hand.actor, f"turn ({self._choices()})")

    def _pays(self, amount: str) -> None:
        paid = sum(getattr(event, "paid", 0) for event in self._new if getattr(event, "seat", 0) == self._actor)
        _equal(self._chips(self._amount(amount)), self._chips(paid), f"seat {self._actor} pays")

    def _in_front(self, amount: str) -> None:
        fronts = [event.to for event in self._new if getattr(event, "seat", 0) == self._actor and hasattr(event, "to")]
        _equal([self._chips(self._amount(amount))], [self._chips(front) for front in fronts], "in front")

    def _pot(self, amount: str) -> None:
        _equal(self._chips(self._amount(amount)), self._chips(self.hand.ledger.middle), "pot")

    def _pots(self, text: str) -> None:
        pots = [(pot.amount, pot.seats) for pot in self.hand.state.pots]
        if self.hand.state.finished:
            pots = [pot for event in self._of(ev.BettingClosed) for pot in event.pots]
        _equal(text, ", ".join(f"{self._chips(pot)} ({_seats(seats)})" for pot, seats in pots), "pots")

    def _refusal(self) -> None:
        _equal(True, self._refused, "refused")

    def _holds(self, seat: str, side: str, cards: str) -> None:
        held = self.hand.up(int(seat)) if side == "up" else self.hand.down(int(seat))
        _equal(cards, held or "nothing", f"seat {seat} {side}")

    def _shows(self, seat: str, words: str) -> None:
        shown = [describe(event.value) for event in self._of(ev.HandShown) if event.seat == int(seat)]
        actual = [f"{value.category.replace('_', ' ')} {_ranks(value.ranks)}" for value in shown]
        _equal([words], actual, f"seat {seat} shows")

    def _order(self, seats: str) -> None:
        _equal(seats, _seats(event.seat for event in self._of(ev.HandShown)) or "none", "order of showing")

    def _low(self, seat: str, words: str) -> None:
        draft = Draft(self.hand.state)
        low = worth_of(draft, draft.player(int(seat))).low
        _equal(words, "none" if low is None else _ranks(describe_low(low).ranks), f"low of seat {seat}")

    def _award(self, place: str, half: str | None, amount: str, shares: str) -> None:
        pot = 0 if place == "main" else int(place.removeprefix("side").strip() or 1)
        expected = f"{amount} to {shares}"
        actual = [
            f"{self._chips(event.amount)} to "
            + " + ".join(
                f"seat {seat}" + f" {self._chips(share)}" * (len(event.shares) > 1) for seat, share in event.shares
            )
            for event in self._of(ev.PotAwarded)
            if event.pot == pot and event.half == (half or "whole").strip()
        ]
        _equal([expected], actual, f"{place} pot, {half or 'whole'}")

    def _happens(self, kind: type[ev.AnyEvent], words: str, *expected: Any) -> None:
        """Check that an event happened exactly once with these first fields, text as the file writes it."""
        seen = [
            tuple(map(self._as_written, event.__struct_fields__, msgspec.structs.astuple(event)))
            for event in self._of(kind)
        ]
        found = [fields for fields in seen if fields[: len(expected)] == expected]
        if len(found) != 1:
            _fail(f"{words}: {expected} happened {len(found)} times, the engine has {seen}")

    def _as_written(self, field: str, value: Any) -> str:
        if field == "card":
            return card_text(value)
        if field == "rank":
            return "none" if value is None else RANKS[value]
        if field in ("amount", "carry", "paid"):
            return self._chips(value)
        return str(value)

    def _dealt(self, seat: str, card: str, face: str) -> None:
        self._happens(ev.CardDealt, "dealt", seat, card, face)

    def _nothing_dealt(self) -> None:
        _equal([], [card_text(event.card) for event in self._of(ev.CardDealt)], "cards dealt")


def _seats(seats: Any) -> str:
    return " ".join(map(str, seats))


def _ranks(ranks: Any) -> str:
    return "-".join(RANKS[rank] for rank in ranks)


def _knob_value(knob: str, words: list[str]) -> Any:
    """Return a knob as a plain value: ``none``, ``on``, a number, a list of cards, a shape with its amounts, a name."""
    if knob in ("wild_ranks", "wild_cards"):
        return [] if words == ["none"] else words
    name, *amounts = words
    if name in _SHAPES:
        fields = [field.name for field in msgspec.structs.fields(_SHAPES[name])]
        return {"kind": name, **dict(zip(fields, map(int, amounts), strict=True))}
    if amounts:
        _fail(f"{knob} has one value, not {words}")
    plain = {"none": None, "on": True, "off": False} if knob != "low_qualifier" and knob != "burn" else {}
    if name in plain:
        return plain[name]
    return int(name) if name.isdigit() and not knob.endswith("_rank") else name


def _event(kind: type[ev.AnyEvent], words: str) -> Callable[..., None]:
    return lambda referee, *fields: referee._happens(kind, words, *fields)


_EXPECTATIONS: list[tuple[re.Pattern[str], Callable[..., None]]] = [
    (re.compile(pattern), check)
    for pattern, check in (
        (r"refused", Referee._refusal),
        (r"seat (\d) to act", Referee._turn),
        (r"seat (\d) may ([a-z].*)", Referee._legal),
        (r"pays (\S+)", Referee._pays),
        (r"(\S+) in front", Referee._in_front),
        (r"pot (\S+)", Referee._pot),
        (r"pots (.+)", Referee._pots),
        (r"seat (\d) (up|down): (.+)", Referee._holds),
        (r"seat (\d) gets (\S\S) (up|down|unseen)", Referee._dealt),
        (r"no card is dealt", Referee._nothing_dealt),
        (r"seat (\d) shows ([a-z].+)", Referee._shows),
        (r"shown in order (.+)", Referee._order),
        (r"low of seat (\d) (\S+)", Referee._low),
        (r"(main|side(?: \d)?) pot:( high| low)? (\S+) to (.+)", Referee._award),
        (r"seat (\d) folds", _event(ev.Folded, "folds")),
        (r"seat (\d) gets back (\d\S*)", _event(ev.BetReturned, "returned")),
        (r"seat (\d) rolls (\S\S)", _event(ev.CardRolled, "rolls")),
        (r"seat (\d) leads", _event(ev.LeaderNamed, "leads")),
        (r"seat (\d) is out", _event(ev.PlayerOut, "out")),
        (r"seat (\d) antes (\S+)", _event(ev.AntePosted, "antes")),
        (r"seat (\d) exposes (\S\S)", _event(ev.CardExposed, "exposes")),
        (r"seat (\d)'s (\S\S) dies", _event(ev.CardReplaced, "dies")),
        (r"rain by seat (\d): (\S\S), (\S+) carried", _event(ev.RainedOut, "rain")),
        (r"wild: (\S+)", _event(ev.WildNamed, "wild")),
        (r"street (\d)", _event(ev.StreetStarted, "street")),
        (r"community card (\S\S)", _event(ev.CommunityCardDealt, "community")),
        (r"(\d+) burns return", _event(ev.BurnsReturned, "burns")),
    )
]
