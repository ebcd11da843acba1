# cython: annotation_typing=False, binding=False
"""Dealing, card by card (rules, sections 5.2 and 6).

A card that raises a purchase is settled before the next one leaves the deck, unless the rules settle a round's
purchases after its cards.
"""

from engine.cards import HIDDEN, cards_in
from engine.draft import Draft, DraftPlayer
from engine.events import (
    Burned,
    BurnsReturned,
    CardDealt,
    CommunityCardDealt,
    DealCause,
    Face,
    PurchaseKind,
    StreetStarted,
)
from engine.knobs import Burn, Exhaustion
from engine.purchases import ask_for_claims, bonus_face, note_triggers, settle, take_ready
from engine.rain import rain_out
from engine.state import Phase, Trigger
from engine.wilds import follow

# CPython 3.11 takes long to read a member off its enum; these are read for every card.
_UP, _DOWN, _UNSEEN, _STREET = Face.UP, Face.DOWN, Face.UNSEEN, DealCause.STREET
_DEALING, _ASKING_AFTER, _ROLLING, _OPENING = Phase.DEALING, Phase.ASKING_AFTER, Phase.ROLLING, Phase.OPENING
_EVERY_ROUND, _NOT_FIRST = Burn.EVERY_ROUND, Burn.NOT_FIRST


def deal(draft: Draft) -> None:
    """Do the next thing of a dealing round: settle what a card raised, begin the round, deal cards, or end it."""
    if settle_next(draft):
        return
    if draft.cursor < 0:
        _begin_round(draft)
    elif draft.cursor < len(draft.rules.rounds[draft.round]) * len(draft.players):
        _deal_on(draft)
    else:
        draft.phase = _ASKING_AFTER


def _deal_on(draft: Draft) -> None:
    """Deal the round's cards one by one until one of them raises something, or all are out."""
    faces, count = draft.rules.rounds[draft.round], len(draft.players)
    down = _UNSEEN if draft.rules.rolls else _DOWN
    for at in range(draft.cursor, len(faces) * count):
        draft.cursor = at + 1
        player = draft.players[at % count]
        if not player.folded:
            _give_card(draft, player, _UP if faces[at // count] == "u" else down, _STREET)
            if draft.triggers:
                return


def ask_before_round(draft: Draft) -> None:
    """Ask for hole bonuses before a round is dealt."""
    if not settle_next(draft):
        ask_for_claims(draft, _DEALING)


def ask_after_round(draft: Draft) -> None:
    """Ask for hole bonuses when a round is out; the betting, or the rolling, comes next."""
    if not settle_next(draft):
        ask_for_claims(draft, _ROLLING if draft.rules.rolls else _OPENING)


def settle_next(draft: Draft) -> bool:
    """Settle one thing that a card has raised; return whether there was any."""
    trigger = take_ready(draft)
    if trigger is None:
        return False
    if trigger.purchase is None:
        rain_out(draft, trigger)
    elif trigger.settled:
        _give_bonus(draft, trigger)
    else:
        settle(draft, trigger)
    return True


def show_card(draft: Draft, seat: int, card: int, is_door: bool) -> None:
    """Note what a card that has just come up raises."""
    follow(draft, card)
    note_triggers(draft, seat, card, is_door)


def _give_bonus(draft: Draft, trigger: Trigger) -> None:
    player = draft.player(trigger.seat)
    if trigger.purchase == PurchaseKind.REPLACEMENT:
        _give_card(draft, player, _UP, DealCause.REPLACEMENT, trigger.card)
    else:
        _give_card(draft, player, bonus_face(draft, trigger), DealCause.BONUS)


def _give_card(draft: Draft, player: DraftPlayer, face: Face, cause: DealCause, in_place_of: int = HIDDEN) -> None:
    """Deal the next card of the deck to a player, maybe in place of an open one, and note what it raises."""
    card = _draw(draft)
    is_door = False
    if face is _UNSEEN:
        player.unseen = (*player.unseen, card)
    elif face is _DOWN:
        draft.down_dealt = True
        player.down = (*player.down, card)
        if draft.rules.hole_bonus is not None and draft.rules.bonus_mask >> card & 1:
            player.claimable = (*player.claimable, card)
    elif in_place_of != HIDDEN:
        place = player.up.index(in_place_of)
        is_door = place == 0
        player.up = (*player.up[:place], card, *player.up[place + 1 :])
        player.dead = (*player.dead, in_place_of)
        player.paid = tuple([paid for paid in player.paid if paid != in_place_of])
    else:
        is_door = not player.up
        player.up = (*player.up, card)
    draft.emit(CardDealt(player.seat, card, face, cause))
    if face is _UP:
        show_card(draft, player.seat, card, is_door)


def _draw(draft: Draft) -> int:
    card = draft.deck[0]
    draft.deck = draft.deck[1:]
    return card


def _begin_round(draft: Draft) -> None:
    rules = draft.rules
    draft.cursor = 0
    draft.down_dealt = False
    draft.emit(StreetStarted(draft.street()))
    burns = rules.burn is _EVERY_ROUND or (rules.burn is _NOT_FIRST and draft.round > 0)
    needed = draft.live_count() * len(rules.rounds[draft.round])
    is_last = draft.round == len(rules.rounds) - 1
    if not is_last or len(draft.deck) - burns >= needed:
        if burns:
            card = _draw(draft)
            draft.burns = (*draft.burns, card)
            draft.emit(Burned(card))
        return
    _refill(draft)
    if len(draft.deck) < needed:
        _deal_community(draft)


def _refill(draft: Draft) -> None:
    """Put burns, and where the rules say so folded cards, back under a deck that is too short for the last round."""
    exhaustion = draft.rules.exhaustion
    if exhaustion == Exhaustion.COMMUNITY:
        return
    returned = draft.burns
    if exhaustion == Exhaustion.RECYCLE_FOLDED:
        pool = set(draft.burns)
        for player in draft.players:
            if player.folded:
                pool.update(cards_in(player.cards), player.dead)
                player.down = player.up = player.dead = player.paid = player.claimable = ()
        returned = tuple(card for card in draft.spare if card in pool)
    if returned:
        draft.deck = (*draft.deck, *returned)
        draft.burns = ()
        draft.emit(BurnsReturned(len(returned)))


def _deal_community(draft: Draft) -> None:
    """Turn up one card for everybody in place of the round's cards; it is never a purchase."""
    draft.cursor = len(draft.rules.rounds[draft.round]) * len(draft.players)
    if draft.deck:
        card = _draw(draft)
        draft.community = (*draft.community, card)
        draft.emit(CommunityCardDealt(card))
