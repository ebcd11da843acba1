"""What is known of a table from its replies so far: the state that the checks compare the next reply with."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from proto.stud.v1 import stud_pb2 as pb

HIDDEN = "??"


@dataclass(slots=True)
class Memory:
    """One table, as far as its only client knows it. Amounts are minor units."""

    table_id: str = ""
    version: int = 0
    etag: str = ""
    hand_number: int = 0
    unseen: bool = False
    """Whether down cards are unknown even to their holders (roll your own)."""
    recycled: bool = False
    """Whether cards of folded players may be dealt again."""
    ledger: int = 0
    """What was brought to the table less what was taken away."""
    carry: int = 0
    """What a rained-out hand left for the next one."""
    stacks: dict[int, int] = field(default_factory=dict)
    """The stacks by seat, moved by the events alone."""
    owners: dict[str, int] = field(default_factory=dict)
    """Whose each card of the hand is that anybody was shown; 0: everybody's."""
    shown: set[int] = field(default_factory=set)
    """The seats that showed their hands."""

    def learn_rules(self, rules: pb.Rules) -> None:
        """Keep what the checks need of the rules of the table."""
        self.unseen = rules.reveal_mode == pb.REVEAL_MODE_ROLL_YOUR_OWN
        self.recycled = rules.exhaustion == pb.EXHAUSTION_RECYCLE_FOLDED

    def learn_events(self, events: Iterable[pb.Event]) -> None:
        """Move chips and turn hands up as the events say."""
        for event in events:
            match event.WhichOneof("kind"):
                case "hand_started":
                    self.owners.clear()
                    self.shown.clear()
                    self.carry = 0
                case "hand_shown":
                    self.shown.add(event.hand_shown.seat)
                case "rained_out":
                    self.carry = event.rained_out.carry
                case _:
                    if event.HasField("carry_split"):
                        self.carry = 0
                    for seat, change in chip_moves(event).items():
                        self.stacks[seat] = self.stacks.get(seat, 0) + change


def chip_moves(event: pb.Event) -> dict[int, int]:
    """Return by how much an event changes the stacks of seats, in minor units."""
    kind = event.WhichOneof("kind")
    moves: defaultdict[int, int] = defaultdict(int)
    match kind:
        case "ante_posted" | "purchase_made" | "bring_in_posted" | "completed" | "called" | "bet_made" | "raised":
            payment = getattr(event, kind)
            moves[payment.seat] = -payment.paid
        case "bet_returned":
            moves[event.bet_returned.seat] = event.bet_returned.amount
        case "pot_awarded":
            for share in event.pot_awarded.shares:
                moves[share.seat] += share.amount
        case "carry_split":
            for share in event.carry_split.shares:
                moves[share.seat] += share.amount
        case "hand_voided":
            for share in event.hand_voided.returned:
                moves[share.seat] += share.amount
        case "seat_taken":
            moves[event.seat_taken.seat] = event.seat_taken.stack
        case "seat_left":
            moves[event.seat_left.seat] = -event.seat_left.stack
        case "chips_added":
            moves[event.chips_added.seat] = event.chips_added.amount
    return dict(moves)
