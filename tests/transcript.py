"""One hand of each game as text: what everybody sees at every step, and what each seat sees besides.

A transcript begins with everything that decides the hand: the game, the button, the stacks and the deck. Then follows
each action with what came of it. An indented line is what a spectator gets; a line that begins with ``seat 2>`` takes
its place for seat 2. So a reader sees at a glance who knows what. Amounts are minor units.
"""

import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

import engine
from engine import PROFILES, Action, LegalActions, State, View
from engine.actions import ActionKind, Choice
from engine.cards import FULL_DECK, RANKS, card_text, cards_text, parse_cards
from engine.events import AnyEvent, CardDealt, HandShown, PotAwarded, PurchaseMade, PurchaseOffered
from engine.worth import Worth

FOLDER = Path(__file__).parent / "data" / "transcripts"

SEEDS: Mapping[str, int] = {
    "baseball": 23,
    "baseball-free-fours": 5,
    "baseball-match-pot-fours": 37,
    "baseball-hi-lo": 23,
    "baseball-wild-twos": 23,
    "baseball-one-eyed-jacks": 5,
    "baseball-home": 11,
    "baseball-home-pay-fours": 36,
    "baseball-home-pay-threes": 25,
    "night-baseball": 6,
    "no-peek": 6,
    "baseball-simple": 2,
    "baseball-match-pot": 11,
    "baseball-match-pot-capped": 23,
    "baseball-match-pot-first-three": 15,
    "baseball-match-pot-free-threes": 2,
    "baseball-match-pot-fours-up": 11,
    "baseball-match-pot-replace-fours": 11,
    "baseball-match-pot-hole-fours": 18,
    "baseball-match-pot-hole-fours-buy": 18,
    "baseball-match-pot-hi-lo": 11,
    "football": 11,
    "woolworth": 3,
    "blind-baseball": 8,
    "rainy-day-baseball": 54,
    "seven-card-stud": 2,
    "seven-card-stud-hi-lo": 2,
    "follow-the-queen": 3,
}
"""The hand of each game: chosen so that what is special about the game happens in it."""

_STACK_CHIPS = (40, 25, 60, 33)
_CARDS = frozenset({"card", "cards", "best", "low"})


@dataclass(frozen=True)
class Hand:
    """All that decides a hand. Stacks are minor units, by seat from 1."""

    profile: str
    button: int
    stacks: tuple[int, ...]
    deck: tuple[int, ...]
    actions: tuple[Action, ...]


@dataclass(frozen=True)
class Played:
    """One step of a hand: the action (None: the start), what happened in full, and the state after it."""

    action: Action | None
    actor: int
    events: tuple[AnyEvent, ...]
    state: State


def random_hand(profile: str, seed: int) -> Hand:
    """Return the hand of a seed: three or four players who choose at random, folding seldom."""
    rules, dice = PROFILES[profile], random.Random(seed)
    stacks = tuple(chips * rules.minor_units for chips in _STACK_CHIPS[: 3 + seed % 2])
    deck = tuple(dice.sample(FULL_DECK, len(FULL_DECK)))
    button = dice.randint(1, len(stacks))
    state, actions = engine.start(rules, stacks, button, deck).state, []
    while not state.finished:
        actions.append(_chosen(engine.legal_actions(state).choices, dice))
        state = engine.step(state, actions[-1]).state
    return Hand(profile, button, stacks, deck, tuple(actions))


def _chosen(choices: tuple[Choice, ...], dice: random.Random) -> Action:
    weights = [1 if choice.kind == ActionKind.FOLD else 6 for choice in choices]
    choice = dice.choices(choices, weights)[0]
    return Action(choice.kind, dice.choice((choice.min, choice.max)))


def play(hand: Hand) -> Iterator[Played]:
    """Yield the start of a hand and each of its actions with what comes of it."""
    start = engine.start(PROFILES[hand.profile], hand.stacks, hand.button, hand.deck)
    yield Played(None, 0, start.events, start.state)
    state = start.state
    for action in hand.actions:
        step = engine.step(state, action)
        yield Played(action, state.actor, step.events, step.state)
        state = step.state


def transcript(hand: Hand) -> str:
    """Return the text of a hand."""
    lines = [
        f"game    {hand.profile}",
        f"button  {hand.button}",
        f"stacks  {' '.join(map(str, hand.stacks))}",
    ]
    for at in range(0, len(hand.deck), 13):
        lines.append(f"deck    {cards_text(hand.deck[at : at + 13])}")
    for played in play(hand):
        lines += ["", "start" if played.action is None else _action_text(played.actor, played.action)]
        lines += _step_lines(played, range(1, len(hand.stacks) + 1))
    return "\n".join(lines) + "\n"


def read(text: str) -> Hand:
    """Return the hand of a transcript, from its head and its actions alone."""
    head, *steps = text.split("\n\n")
    fields: dict[str, str] = {}
    for line in head.splitlines():
        name, value = line.split(maxsplit=1)
        fields[name] = f"{fields.get(name, '')} {value}"
    stacks = tuple(map(int, fields["stacks"].split()))
    actions = tuple(_action(step.splitlines()[0]) for step in steps[1:])
    return Hand(fields["game"].strip(), int(fields["button"]), stacks, parse_cards(fields["deck"]), actions)


def recorded(profile: str) -> str:
    """Return the transcript in the file of a game."""
    return (FOLDER / f"{profile}.txt").read_text(encoding="utf-8")


def record() -> list[str]:
    """Write the transcript of every game; return the games whose file is new or another one now."""
    FOLDER.mkdir(exist_ok=True)
    changed = []
    for profile, seed in SEEDS.items():
        file, text = FOLDER / f"{profile}.txt", transcript(random_hand(profile, seed))
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8", newline="\n")
            changed.append(profile)
    return changed


def marks(events: Iterable[AnyEvent]) -> set[str]:
    """Return what happened in a hand, in words: the events' names, and of some what kind they were."""
    found = set()
    for event in events:
        name = event.__struct_config__.tag
        found.add(str(name))
        match event:
            case CardDealt(face=face, cause=cause):
                found.add(f"{cause} card {face}")
            case PurchaseOffered(purchase=purchase, price=price):
                found |= {f"{purchase} offered", f"{purchase} offered for {price}"}
            case PurchaseMade(purchase=purchase, paid=paid):
                found.add(f"{purchase} bought" if paid else f"{purchase} free")
            case HandShown(wild_as=wild_as):
                for wild, _ in wild_as:
                    found |= {f"wild {card_text(wild)}", f"wild {card_text(wild)[0]}"}
            case PotAwarded(half=half):
                found.add(f"{half} awarded")
    return found


def _action_text(seat: int, action: Action) -> str:
    return f"{seat} {action.kind}" + (f" {action.amount}" if action.amount else "")


def _action(line: str) -> Action:
    _, kind, *amount = line.split()
    return Action(ActionKind(kind), int(amount[0]) if amount else 0)


def _step_lines(played: Played, seats: Iterable[int]) -> Iterator[str]:
    """Yield the lines of a step: its events, a rule, and the view after it."""
    public = _seen_by(played, None)
    seen = {seat: _seen_by(played, seat) for seat in seats}
    for at, line in enumerate(public):
        yield f"    {line}"
        for seat, lines in seen.items():
            if lines[at] != line:
                yield f"seat {seat}> {lines[at]}"


def _seen_by(played: Played, viewer: int | None) -> list[str]:
    events = [event_text(engine.visible(event, viewer)) for event in played.events]
    return [*events, "--", *_view_lines(engine.view(played.state, viewer))]


def event_text(event: AnyEvent) -> str:
    """Return an event in one line: its name and its fields by name, in their order."""
    fields = [f"{name}={_value(name, getattr(event, name))}" for name in event.__struct_fields__]
    return " ".join([str(event.__struct_config__.tag), *fields])


def _value(name: str, value: Any) -> str:
    if name == "card":
        return card_text(value)
    if name in _CARDS:
        return cards_text(value).replace(" ", ",") or "-"
    if name == "wild_as":
        return ",".join(f"{card_text(wild)}:as:{card_text(other)}" for wild, other in value) or "-"
    if name == "rank":
        return "-" if value is None else RANKS[value]
    if name in ("stacks", "shares"):
        return ",".join(f"{seat}:{amount}" for seat, amount in value) or "-"
    if name == "pots":
        return _pots((amount, seats) for amount, seats in value)
    return str(value)


def _pots(pots: Iterable[tuple[int, Iterable[int]]]) -> str:
    return ",".join(f"{amount}:for:{'+'.join(map(str, seats))}" for amount, seats in pots) or "-"


def _view_lines(view: View) -> list[str]:
    """Return everything of a view but the viewer, always in the same number of lines for the same state."""
    lines = [
        f"phase={view.phase} street={view.street} button={view.button} level={view.level} left={view.cards_left}"
        f" leader={view.leader} wild={_value('rank', view.named_wild)} rained={view.rained} carry={view.carry}"
    ]
    for seat in view.seats:
        flags = " ".join(name for name in ("folded", "all_in", "shown", "out") if getattr(seat, name))
        cards = " ".join(f"{name}={_value('cards', getattr(seat, name))}" for name in ("down", "up", "dead"))
        worth = "" if seat.worth is None else _worth(seat.worth)
        money = f"stack={seat.stack} bet={seat.bet} in={seat.contributed}"
        lines.append(f"seat={seat.seat} {cards} {money} {flags} {worth}".rstrip())
    offer = "-" if view.offer is None else _plain(view.offer)
    awards = "; ".join(_plain(award) for award in view.awards) or "-"
    return [
        *lines,
        f"community={_value('cards', view.community)} pots={_pots((pot.amount, pot.seats) for pot in view.pots)}",
        f"offer={offer} awards={awards}",
        f"legal {_legal(view.legal)}",
    ]


def _worth(worth: Worth) -> str:
    low = f" low={_value('low', worth.low_five)}" if worth.low_five else ""
    category = engine.describe(worth.high).category
    return f"{category} best={_value('best', worth.best)} wild_as={_value('wild_as', worth.wild_as)}{low}"


def _plain(record: msgspec.Struct) -> str:
    return " ".join(f"{name}={_value(name, getattr(record, name))}" for name in record.__struct_fields__)


def _legal(legal: LegalActions) -> str:
    if legal.seat is None:
        return "-"
    return f"seat={legal.seat} " + ", ".join(map(_choice, legal.choices))


def _choice(choice: Choice) -> str:
    if choice.price:
        return f"{choice.kind} for {choice.price}"
    if choice.max == 0:
        return str(choice.kind)
    return f"{choice.kind} {choice.min}" + (f"..{choice.max}" if choice.max != choice.min else "")
