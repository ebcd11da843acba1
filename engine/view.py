"""What somebody may see of a hand: the only way anything leaves the engine's full state (rules, section 5.8).

Hiding is one pure function over the state and one over the events. A viewer is a seat number, or None for somebody who
holds no cards here: a spectator, an operator, a player of another table. Down cards are known to their holder until the
hand is shown; the deck, the burns and the folded down cards of others to nobody.
"""

import msgspec
from msgspec.structs import replace

from engine.actions import ActionKind, LegalActions
from engine.cards import HIDDEN
from engine.draft import twin_of
from engine.events import (
    AnyEvent,
    Burned,
    CardDealt,
    Face,
    PurchaseDeclined,
    PurchaseKind,
    PurchaseMade,
    PurchaseOffered,
)
from engine.legal import legal_actions
from engine.pots import Pot
from engine.state import NO_RANK, Award, Offer, Phase, Player, State
from engine.worth import Worth, worth_of


class SeatView(msgspec.Struct, frozen=True):
    """One seat as the viewer sees it; a hidden card is ``HIDDEN``. Amounts are minor units."""

    seat: int
    stack: int
    down: tuple[int, ...]
    up: tuple[int, ...]
    dead: tuple[int, ...]
    bet: int
    contributed: int
    folded: bool
    all_in: bool
    shown: bool
    out: bool
    """Rolled everything without taking the lead (roll your own)."""
    worth: Worth | None
    """What the hand is worth, once it was shown."""


class View(msgspec.Struct, frozen=True):
    """A hand as one viewer sees it. ``seats`` are in dealing order; amounts are minor units."""

    viewer: int | None
    phase: Phase
    street: int
    button: int
    seats: tuple[SeatView, ...]
    community: tuple[int, ...]
    pots: tuple[Pot, ...]
    level: int
    """What a player must have in front to have called."""
    cards_left: int
    """How many cards the deck still holds."""
    offer: Offer | None
    legal: LegalActions
    awards: tuple[Award, ...]
    named_wild: int | None
    """The rank that an up card has named wild."""
    leader: int
    rained: bool
    carry: int


def view(state: State, viewer: int | None) -> View:
    """Return what a seat, or nobody (None), may see of the hand."""
    return View(
        viewer=viewer,
        phase=state.phase,
        street=state.street,
        button=state.button,
        seats=tuple(_seat_view(state, player, viewer) for player in state.players),
        community=state.community,
        pots=state.pots,
        level=state.betting.level,
        cards_left=len(state.deck),
        offer=_offer_view(state, viewer),
        legal=_legal_view(state, viewer),
        awards=state.awards,
        named_wild=None if state.named_wild == NO_RANK else state.named_wild,
        leader=state.leader,
        rained=state.rained,
        carry=state.carry,
    )


def visible(event: AnyEvent, viewer: int | None) -> AnyEvent:
    """Return an event as a seat, or nobody (None), may see it."""
    match event:
        case Burned():
            return replace(event, card=HIDDEN)
        case CardDealt(seat=seat, face=face) if face == Face.UNSEEN or (face == Face.DOWN and seat != viewer):
            return replace(event, card=HIDDEN)
        case (
            PurchaseOffered(seat=seat, purchase=PurchaseKind.HOLE_BONUS)
            | PurchaseMade(seat=seat, purchase=PurchaseKind.HOLE_BONUS)
            | PurchaseDeclined(seat=seat, purchase=PurchaseKind.HOLE_BONUS)
        ) if seat != viewer:
            return replace(event, card=HIDDEN)
    return event


def _seat_view(state: State, player: Player, viewer: int | None) -> SeatView:
    open_hand = player.seat == viewer or player.shown
    return SeatView(
        seat=player.seat,
        stack=player.stack,
        down=(player.down if open_hand else (HIDDEN,) * len(player.down)) + (HIDDEN,) * len(player.unseen),
        up=player.up,
        dead=player.dead,
        bet=player.bet,
        contributed=player.contributed,
        folded=player.folded,
        all_in=state.all_in(player),
        shown=player.shown,
        out=player.out,
        worth=_worth(state, player) if player.shown else None,
    )


def _worth(state: State, player: Player) -> Worth:
    twin = twin_of(state)
    return worth_of(twin, twin.player(player.seat))


def _offer_view(state: State, viewer: int | None) -> Offer | None:
    offer = state.offer
    if offer is not None and offer.purchase == PurchaseKind.HOLE_BONUS and offer.seat != viewer:
        return replace(offer, card=HIDDEN)
    return offer


def _legal_view(state: State, viewer: int | None) -> LegalActions:
    """Whose turn it is and what may be done is public, except that being able to claim shows a down card."""
    legal = legal_actions(state)
    if legal.seat == viewer:
        return legal
    public = tuple(choice for choice in legal.choices if choice.kind != ActionKind.CLAIM)
    return LegalActions(legal.seat, public)
