"""Hand histories in the PHH format: seven-card stud and its eight-or-better high-low.

PHH (Poker Hand History, arXiv 2312.11753) is TOML: the game, the stacks, and the actions as short texts. ``d dh p1
Td3c4d`` deals cards to the first player, ``p1 pb`` posts the bring-in, ``f`` folds, ``cc`` checks or calls, ``cbr 400``
completes, bets or raises to an amount, ``sm`` shows or mucks. Players count from the dealer's left, so the last one
deals. A card that the file does not know is ``??``.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from engine.actions import Action, ActionKind
from engine.cards import FULL_DECK, HIDDEN, CardError, card_text, cards_text, parse_card, rank_of
from engine.errors import EngineError
from engine.events import AnyEvent, CardDealt
from engine.knobs import FixedLimit
from engine.legal import legal_actions
from engine.profiles import PROFILES
from engine.rules import Rules
from engine.state import Phase, State
from engine.step import start, step

VARIANTS: Mapping[str, str] = {
    "F7S": "seven-card-stud",
    "F7S8": "seven-card-stud-hi-lo",
    "F7S/8": "seven-card-stud-hi-lo",
}
"""The profile that plays each PHH variant; the high-low is written both ways."""


class HistoryError(EngineError, ValueError):
    """A history that cannot be read, or cannot have happened; the message names the field or the action."""


class Move(msgspec.Struct, frozen=True):
    """One entry of a history's actions, in order; ``text`` is the entry as it stands in the file."""

    text: str
    seat: int
    word: str
    """``dh`` deals, ``pb`` posts the bring-in, ``f``, ``cc``, ``cbr`` act, ``sm`` shows or mucks."""
    amount: int = 0
    cards: tuple[int, ...] = ()
    """What was dealt or shown; HIDDEN is a card that the file does not know."""


class History(msgspec.Struct, frozen=True):
    """One hand as recorded. Amounts are the file's, seat 1 is the dealer's left and the last seat deals."""

    profile: str
    rules: Rules
    stacks: tuple[int, ...]
    """Before the antes, seat 1 first."""
    deck: tuple[int, ...]
    """A deck that deals the recorded cards."""
    filled_in: frozenset[int]
    """The cards that the deck deals in place of those that the file does not know."""
    moves: tuple[Move, ...]
    names: tuple[str, ...] = ()
    finishing_stacks: tuple[int, ...] = ()
    title: str = ""
    """What the file says about the event and the number of the hand."""


class Replayed(msgspec.Struct, frozen=True):
    """What one move led to; the first one of a replay has no move: the antes and the deal."""

    move: Move | None
    state: State
    events: tuple[AnyEvent, ...]


class _File(msgspec.Struct):
    """The fields of a PHH file that matter here."""

    variant: str
    antes: list[int]
    bring_in: int
    small_bet: int
    big_bet: int
    starting_stacks: list[int]
    actions: list[str]
    ante_trimming_status: bool = False
    finishing_stacks: list[int] | None = None
    players: list[str] | None = None
    event: str = ""
    hand: int | str = ""


def read_phh(text: str) -> History:
    """Read one hand.

    Raises:
        HistoryError: if the text is not PHH, or records a game that is not played here.
    """
    file = _parsed(text)
    rules = _rules(file)
    moves = tuple(_move(entry, len(file.starting_stacks)) for entry in file.actions)
    for field in ("players", "finishing_stacks"):
        listed = getattr(file, field)
        if listed is not None and len(listed) != len(file.starting_stacks):
            raise HistoryError(f"{field} names {len(listed)} players, starting_stacks {len(file.starting_stacks)}")
    deck, filled_in = _deck(rules, moves, len(file.starting_stacks))
    return History(
        profile=VARIANTS[file.variant],
        rules=rules,
        stacks=tuple(file.starting_stacks),
        deck=deck,
        filled_in=filled_in,
        moves=moves,
        names=tuple(file.players or ()),
        finishing_stacks=tuple(file.finishing_stacks or ()),
        title=", ".join(filter(None, (file.event, f"hand {file.hand}" if file.hand else ""))),
    )


def replay(history: History) -> Iterator[Replayed]:
    """Play a history: first the deal, then move by move. The last move settles a showdown.

    Raises:
        HistoryError: at the first move that the rules do not allow, naming it and what they allow.
    """
    try:
        played = start(history.rules, history.stacks, len(history.stacks), history.deck)
    except EngineError as error:
        raise HistoryError(str(error)) from error
    dealt = _Dealt(history)
    dealt.compare(played.events)
    yield Replayed(None, played.state, played.events)
    state = played.state
    for at, move in enumerate(history.moves):
        events: tuple[AnyEvent, ...] = ()
        actions = [] if move.word in ("dh", "sm") else [_action(state, move)]
        if at == len(history.moves) - 1:
            actions.append(Action(ActionKind.SHOWDOWN))
        for action in actions:
            if action.kind == ActionKind.SHOWDOWN and state.phase != Phase.SHOWDOWN:
                continue
            if action.kind == ActionKind.SHOWDOWN:
                dealt.require_known(state)
            try:
                played = step(state, action)
            except EngineError as error:
                raise HistoryError(f"{move.text!r}: {error}") from error
            dealt.compare(played.events)
            state, events = played.state, (*events, *played.events)
        yield Replayed(move, state, events)


def _parsed(text: str) -> _File:
    try:
        fields: dict[str, Any] = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise HistoryError(f"this is not TOML: {error}") from error
    variant = fields.get("variant")
    if variant not in VARIANTS:
        raise HistoryError(f"variant is {variant!r}; only {', '.join(VARIANTS)} are played here")
    try:
        return msgspec.convert(fields, _File)
    except msgspec.ValidationError as error:
        raise HistoryError(str(error)) from error


def _rules(file: _File) -> Rules:
    antes = set(file.antes)
    if len(file.antes) != len(file.starting_stacks) or len(antes) != 1:
        raise HistoryError(f"antes are {file.antes}: one of the same size is needed for each player")
    (ante,) = antes
    if not file.ante_trimming_status and min(file.starting_stacks) < ante:
        raise HistoryError("ante_trimming_status must be true where a player cannot pay the ante")
    try:
        return PROFILES[VARIANTS[file.variant]].replace(
            ante=ante, bring_in=file.bring_in, structure=FixedLimit(file.small_bet, file.big_bet)
        )
    except EngineError as error:
        raise HistoryError(str(error)) from error


_DEAL = re.compile(r"d dh p(\d+) (\S+)")
_PLAY = re.compile(r"p(\d+) (?:(pb|f|cc)|(cbr) (\d+)|(sm)(?: (\S+))?)")


def _move(entry: str, players: int) -> Move:
    text = entry.partition("#")[0].strip()
    if dealt := _DEAL.fullmatch(text):
        move = Move(text, int(dealt[1]), "dh", cards=_cards(text, dealt[2]))
    elif played := _PLAY.fullmatch(text):
        word = played[2] or played[3] or played[5]
        cards = _cards(text, played[6]) if played[6] and played[6] != "-" else ()
        move = Move(text, int(played[1]), word, int(played[4] or 0), cards)
    else:
        raise HistoryError(f"{text!r} is no action of seven-card stud: they are d dh, and pb f cc cbr sm of a player")
    if not 1 <= move.seat <= players:
        raise HistoryError(f"{text!r}: there is no player {move.seat} of {players}")
    return move


def _cards(entry: str, text: str) -> tuple[int, ...]:
    try:
        pairs = [text[at : at + 2] for at in range(0, len(text), 2)]
        return tuple(HIDDEN if pair == "??" else parse_card(pair) for pair in pairs)
    except CardError as error:
        raise HistoryError(f"{entry!r}: {error}") from error


def _recorded(moves: Sequence[Move], players: int) -> dict[int, list[int]]:
    """Return the cards dealt to each seat, in order; what is shown later tells cards that were unknown before."""
    held: dict[int, list[int]] = {seat: [] for seat in range(1, players + 1)}
    for move in moves:
        if move.word == "dh":
            held[move.seat] += move.cards
    for move in moves:
        if move.word == "sm" and len(move.cards) == len(held[move.seat]):
            both = zip(held[move.seat], move.cards, strict=True)
            held[move.seat] = [shown if card == HIDDEN else card for card, shown in both]
    known = [card for cards in held.values() for card in cards if card != HIDDEN]
    twice = {card for card in known if known.count(card) > 1}
    if twice:
        raise HistoryError(f"{cards_text(sorted(twice))} dealt twice")
    return held


def _deck(rules: Rules, moves: Sequence[Move], players: int) -> tuple[tuple[int, ...], frozenset[int]]:
    """Return a deck that deals the recorded cards, and which of its cards stand in for unknown ones.

    Unknown cards are those of players who fold. Face up they are as high as can be, so that they do not take the
    bring-in from the player who posted it; face down as low as can be.
    """
    held = _recorded(moves, players)
    order: list[tuple[int, str]] = []
    dealt = 0
    for faces in rules.rounds:
        for at, face in enumerate(faces, start=dealt):
            order += [(cards[at], face) for cards in held.values() if at < len(cards)]
        dealt += len(faces)
    if any(len(cards) > dealt for cards in held.values()):
        raise HistoryError(f"a player gets more than {dealt} cards")
    known = {card for card, _ in order}
    spare = sorted((card for card in FULL_DECK if card not in known), key=rank_of)
    deck = [card if card != HIDDEN else spare.pop(-1 if face == "u" else 0) for card, face in order]
    return (*deck, *spare), frozenset(deck) - known


def _action(state: State, move: Move) -> Action:
    """Return the action that a move stands for in this state."""
    legal = legal_actions(state)
    if state.phase not in (Phase.BRING_IN, Phase.BETTING):
        raise HistoryError(f"{move.text!r}: nobody is to act any more")
    if legal.seat != move.seat:
        raise HistoryError(f"{move.text!r}: it is the turn of player {legal.seat}")
    kinds = [choice.kind for choice in legal.choices]
    wanted = next((kind for kind in _WORDS[move.word] if kind in kinds), None)
    if wanted is None:
        raise HistoryError(f"{move.text!r} is not allowed; player {move.seat} may {', '.join(kinds)}")
    return Action(wanted, move.amount)


_WORDS: Mapping[str, tuple[ActionKind, ...]] = {
    "pb": (ActionKind.BRING_IN,),
    "f": (ActionKind.FOLD,),
    "cc": (ActionKind.CHECK, ActionKind.CALL),
    "cbr": (ActionKind.COMPLETE, ActionKind.BET, ActionKind.RAISE),
}
"""What each word stands for; at most one of them is legal at a time."""


class _Dealt:
    """Checks that the cards fall as the file says, and that those it does not say do not matter."""

    def __init__(self, history: History) -> None:
        self._left = _recorded(history.moves, len(history.stacks))
        self._filled_in = history.filled_in

    def compare(self, events: Sequence[AnyEvent]) -> None:
        for event in events:
            if not isinstance(event, CardDealt):
                continue
            left = self._left[event.seat]
            if not left:
                raise HistoryError(f"the file lacks a card of player {event.seat}, who is still in")
            card = left.pop(0)
            if card not in (HIDDEN, event.card):
                recorded, actual = card_text(card), card_text(event.card)
                raise HistoryError(f"player {event.seat} gets {actual} by the rules, and {recorded} in the file")

    def require_known(self, state: State) -> None:
        unknown = [player.seat for player in state.live if self._filled_in & {*player.down, *player.up}]
        if unknown:
            listed = ", ".join(map(str, unknown))
            raise HistoryError(f"the hand goes to a showdown, and cards of player {listed} are unknown")
