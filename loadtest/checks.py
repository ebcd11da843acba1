"""What must hold of every reply while loading.

Each check is a function of one reply and of what earlier replies of the table said; it yields what it found wrong.
Findings name seats, amounts and versions, and never a card.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

from loadtest.measurements import Violation
from loadtest.memory import HIDDEN, Memory
from proto.stud.v1 import stud_pb2 as pb

_OVER = frozenset({pb.TABLE_STATUS_FINISHED, pb.TABLE_STATUS_SESSION_OVER})


class _Reply(Protocol):
    """What the replies to changes have in common; that of GetTable has no events."""

    @property
    def version(self) -> int: ...
    @property
    def etag(self) -> str: ...
    @property
    def table(self) -> pb.Table: ...


class Finding(NamedTuple):
    """Something a reply should not say: the name of the check, and in words what it should say and what it says."""

    check: str
    expected: str
    seen: str


class TableChecks:
    """The checks of one table, reply by reply."""

    def __init__(self) -> None:
        self.memory = Memory()

    def read(self, reply: pb.GetTableResponse, viewer: int) -> list[Violation]:
        """Check a reply that changed nothing, as seen from a seat (0: by somebody without one)."""
        return self._named("GetTable", self._findings(reply, viewer, commits=0, deals=0))

    def changed(
        self, rpc: str, reply: _Reply, events: Sequence[pb.Event], viewer: int, brought: int = 0
    ) -> list[Violation]:
        """Check the reply to a change that this client made.

        ``brought`` is what the change brought to the table, negative for what was taken away, in minor units.
        """
        memory = self.memory
        if not memory.table_id:
            memory.table_id = reply.table.table_id
            memory.learn_rules(reply.table.rules)
        memory.ledger += brought
        hidden = list(hidden_in_events(memory, events, viewer))
        memory.learn_events(events)
        findings = self._findings(reply, viewer, commits=1, deals=int(rpc == "Deal"))
        return self._named(rpc, [*hidden, *findings])

    def _findings(self, reply: _Reply, viewer: int, commits: int, deals: int) -> list[Finding]:
        memory, table = self.memory, reply.table
        findings = [
            *identity(memory, reply, viewer),
            *versions(memory, reply, commits),
            *hand_numbers(memory, table, deals),
            *chips(memory, table),
            *stacks(memory, table),
            *hidden_cards(memory, table, viewer),
            *own_cards(memory, table, viewer),
            *distinct_cards(memory, table),
            *turn(table, viewer),
        ]
        _settle(memory, reply)
        return findings

    def _named(self, rpc: str, findings: Iterable[Finding]) -> list[Violation]:
        return [Violation(self.memory.table_id, rpc, *finding) for finding in findings]


def _settle(memory: Memory, reply: _Reply) -> None:
    """Take the reply as it is for the truth, so that what is wrong once is counted once."""
    table = reply.table
    memory.version, memory.etag, memory.hand_number = reply.version, reply.etag, table.hand_number
    memory.stacks = {seat.seat: seat.stack for seat in table.seats if seat.player_id}
    memory.ledger = _on_the_table(memory, table)


def identity(memory: Memory, reply: _Reply, viewer: int) -> Iterator[Finding]:
    """The reply is about the table that was asked about, as the caller sees it."""
    table = reply.table
    if memory.table_id != table.table_id:
        yield Finding("table", memory.table_id, table.table_id or "none")
    if viewer != table.viewer_seat:
        yield Finding("viewer", f"the view of seat {viewer}", f"the view of seat {table.viewer_seat}")


def versions(memory: Memory, reply: _Reply, commits: int) -> Iterator[Finding]:
    """The version rises by one with each commit, the etag is new then, and reply and table agree on both."""
    expected = memory.version + commits
    if expected != reply.version:
        yield Finding("version", f"version {expected}", f"version {reply.version}")
    if reply.version != reply.table.version:
        yield Finding("table version", f"version {reply.version} as in the reply", f"version {reply.table.version}")
    if reply.etag != reply.table.etag:
        yield Finding("table etag", "the etag of the reply", "another one")
    if not reply.etag or (reply.etag == memory.etag) != (commits == 0):
        yield Finding("etag", "a new etag" if commits else "the same etag", "the same" if commits else "another one")


def hand_numbers(memory: Memory, table: pb.Table, deals: int) -> Iterator[Finding]:
    """Hands are counted one by one, and only a deal counts."""
    expected = memory.hand_number + deals
    if expected != table.hand_number:
        yield Finding("hand number", f"hand {expected}", f"hand {table.hand_number}")


def chips(memory: Memory, table: pb.Table) -> Iterator[Finding]:
    """Stacks, pots and a rained-out pot are together what was brought less what was taken away."""
    seen = _on_the_table(memory, table)
    if memory.ledger != seen:
        yield Finding("chips", f"{memory.ledger} on the table", f"{seen}")
    if table.status in _OVER and table.pots:
        yield Finding("pots after the hand", "none", f"{len(table.pots)}")
    for number, pot in enumerate(table.pots):
        if pot.amount < 0:
            yield Finding("pot", f"at least 0 in pot {number}", f"{pot.amount}")


def _on_the_table(memory: Memory, table: pb.Table) -> int:
    in_stacks = sum(seat.stack for seat in table.seats if seat.player_id)
    return in_stacks + sum(pot.amount for pot in table.pots) + memory.carry


def stacks(memory: Memory, table: pb.Table) -> Iterator[Finding]:
    """Each stack is what the events made of it: chips move only where an event says so."""
    for seat in table.seats:
        expected = memory.stacks.get(seat.seat, 0)
        if seat.player_id and expected != seat.stack:
            yield Finding("stack", f"{expected} in seat {seat.seat}", f"{seat.stack}")
    occupied = {seat.seat for seat in table.seats if seat.player_id}
    for number, stack in memory.stacks.items():
        if number not in occupied and stack:
            yield Finding("stack", f"all chips of seat {number} to leave with its player", f"{stack} left")


def hidden_cards(memory: Memory, table: pb.Table, viewer: int) -> Iterator[Finding]:
    """Nobody sees another seat's down cards before that hand is shown, and hands are shown by an event only."""
    for seat in table.seats:
        open_cards = sum(card != HIDDEN for card in seat.down_cards)
        if seat.shown and (seat.seat not in memory.shown or seat.folded):
            yield Finding("shown hand", f"the hand of seat {seat.seat} never shown", "it as shown")
        if seat.seat != viewer and seat.seat not in memory.shown and open_cards:
            yield Finding("hidden cards", f"no down card of seat {seat.seat}", f"{open_cards}")
        if seat.seat not in memory.shown and seat.HasField("hand"):
            yield Finding("hidden cards", f"nothing about the hand of seat {seat.seat}", "what it is worth")
    offer = table.offer
    if offer.purchase == pb.PURCHASE_KIND_HOLE_BONUS and offer.seat != viewer and offer.card != HIDDEN:
        yield Finding("hidden cards", f"no card in the offer to seat {offer.seat}", "a card")
    if table.to_act_seat != viewer and any(a.kind == pb.ACTION_KIND_CLAIM for a in table.legal_actions):
        yield Finding("hidden cards", f"no claim of seat {table.to_act_seat}", "a claim")


def own_cards(memory: Memory, table: pb.Table, viewer: int) -> Iterator[Finding]:
    """A player sees all the own cards, except where nobody sees them."""
    for seat in table.seats:
        hidden = sum(card == HIDDEN for card in seat.down_cards)
        if seat.seat == viewer and not memory.unseen and hidden:
            yield Finding("own cards", f"all down cards of seat {viewer} visible to it", f"{hidden} hidden")
        if seat.seat == viewer and memory.unseen and hidden != len(seat.down_cards) and not seat.shown:
            yield Finding("own cards", f"no unrolled card of seat {viewer} visible", f"{len(seat.down_cards) - hidden}")
        if HIDDEN in seat.up_cards or HIDDEN in seat.dead_cards:
            yield Finding("up cards", f"all up cards of seat {seat.seat} visible", "hidden ones")


def distinct_cards(memory: Memory, table: pb.Table) -> Iterator[Finding]:
    """No card is in two places, in this reply or in two replies of the same hand."""
    held: set[str] = set()
    for owner, card in _cards_in_sight(memory, table):
        if card in held:
            yield Finding("one deck", "every card once", f"one of seat {owner} twice in one reply")
        held.add(card)
        before = memory.owners.setdefault(card, owner)
        if before != owner and not memory.recycled:
            yield Finding("one deck", f"a card of seat {before} to stay there", f"it in seat {owner}")


def _cards_in_sight(memory: Memory, table: pb.Table) -> Iterator[tuple[int, str]]:
    """Yield owner and card of everything that lies open; 0 owns what is everybody's."""
    for seat in table.seats:
        if seat.folded and memory.recycled:
            continue
        for card in (*seat.down_cards, *seat.up_cards, *seat.dead_cards):
            if card != HIDDEN:
                yield seat.seat, card
    for card in table.community_cards:
        yield 0, card


def turn(table: pb.Table, viewer: int) -> Iterator[Finding]:
    """While a hand is played exactly one seat is to act, one that is in the hand and has something to choose."""
    if table.status != pb.TABLE_STATUS_PLAYING:
        if table.to_act_seat or table.legal_actions:
            yield Finding("turn", "nobody to act when nothing is played", f"seat {table.to_act_seat}")
        return
    acting = [seat for seat in table.seats if seat.seat == table.to_act_seat and seat.in_hand and not seat.folded]
    if len(acting) != 1:
        yield Finding("turn", "a seat of the hand to act", f"seat {table.to_act_seat}")
    if not table.legal_actions:
        yield Finding("turn", "something that the seat to act may do", "nothing")


def hidden_in_events(memory: Memory, events: Iterable[pb.Event], viewer: int) -> Iterator[Finding]:
    """Events carry no card that the viewer may not see, and each one that the viewer may."""
    for event in events:
        kind = event.WhichOneof("kind")
        if kind == "burned" and event.burned.card != HIDDEN:
            yield Finding("hidden cards", "no burned card in an event", "one")
        elif kind == "card_dealt":
            yield from _hidden_in_deal(memory, event.card_dealt, viewer)
        elif kind in ("purchase_offered", "purchase_declined"):
            purchase = getattr(event, kind)
            dealt_down = purchase.purchase == pb.PURCHASE_KIND_HOLE_BONUS
            if dealt_down and purchase.seat != viewer and purchase.card != HIDDEN:
                yield Finding("hidden cards", f"no down card of seat {purchase.seat} in an event", "one")


def _hidden_in_deal(memory: Memory, dealt: pb.CardDealt, viewer: int) -> Iterator[Finding]:
    own = dealt.seat == viewer and not memory.unseen
    seen = dealt.card != HIDDEN
    if dealt.face == pb.FACE_UP and not seen:
        yield Finding("up cards", f"the up card of seat {dealt.seat} in the event", "a hidden one")
    if dealt.face == pb.FACE_UNSEEN and seen:
        yield Finding("hidden cards", f"no unseen card of seat {dealt.seat} in an event", "one")
    if dealt.face == pb.FACE_DOWN and seen and not own:
        yield Finding("hidden cards", f"no down card of seat {dealt.seat} in an event", "one")
    if dealt.face == pb.FACE_DOWN and not seen and own:
        yield Finding("own cards", f"the down card of seat {dealt.seat} visible to it", "a hidden one")
