"""Dealing, card by card (rules, sections 5.2 and 6).

A card that raises a purchase is settled before the next one leaves the deck, so no card can be dealt too early.
"""

from engine.cards import cards_in
from engine.draft import Draft
from engine.events import (
    Burned,
    BurnsReturned,
    CardDealt,
    CommunityCardDealt,
    DealCause,
    Face,
    StreetStarted,
)
from engine.knobs import Burn, Exhaustion
from engine.purchases import bonus_face, raise_triggers, settle_trigger
from engine.state import Phase

_FACES = {"u": Face.UP, "d": Face.DOWN}


def deal(draft: Draft) -> None:
    """Do the next thing of a dealing round: settle a trigger, begin the round, deal a card, or end it."""
    faces = draft.rules.rounds[draft.round]
    if draft.triggers and draft.triggers[0].settled:
        trigger, *rest = draft.triggers
        draft.triggers = tuple(rest)
        _give_card(draft, trigger.seat, bonus_face(draft), DealCause.BONUS)
    elif draft.triggers:
        settle_trigger(draft)
    elif draft.cursor < 0:
        _begin_round(draft)
    elif draft.cursor < len(faces) * len(draft.players):
        turn, place = divmod(draft.cursor, len(draft.players))
        draft.cursor += 1
        player = draft.players[place]
        if not player.folded:
            _give_card(draft, player.seat, _FACES[faces[turn]], DealCause.STREET)
    else:
        draft.phase = Phase.OPENING


def _give_card(draft: Draft, seat: int, face: Face, cause: DealCause) -> None:
    """Deal the next card of the deck to a seat and note what it raises."""
    card, *rest = draft.deck
    draft.deck = tuple(rest)
    player = draft.player(seat)
    is_door = face == Face.UP and not player.up
    if face == Face.UP:
        draft.update(seat, up=(*player.up, card))
    else:
        draft.update(seat, down=(*player.down, card))
    draft.emit(CardDealt(seat, card, face, cause))
    if face == Face.UP:
        raise_triggers(draft, seat, card, is_door=is_door)


def _begin_round(draft: Draft) -> None:
    rules = draft.rules
    draft.cursor = 0
    street = sum(map(len, rules.rounds[: draft.round + 1]))
    draft.emit(StreetStarted(street))
    burns = rules.burn == Burn.EVERY_ROUND or (rules.burn == Burn.NOT_FIRST and draft.round > 0)
    needed = len(draft.live) * len(rules.rounds[draft.round])
    is_last = draft.round == len(rules.rounds) - 1
    if not is_last or len(draft.deck) - burns >= needed:
        if burns:
            _burn(draft)
        return
    _refill(draft)
    if len(draft.deck) < needed:
        _deal_community(draft)


def _burn(draft: Draft) -> None:
    card, *rest = draft.deck
    draft.deck = tuple(rest)
    draft.burns = (*draft.burns, card)
    draft.emit(Burned(card))


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
                draft.update(player.seat, down=(), up=(), dead=())
        returned = tuple(card for card in draft.spare if card in pool)
    if returned:
        draft.deck = (*draft.deck, *returned)
        draft.burns = ()
        draft.emit(BurnsReturned(len(returned)))


def _deal_community(draft: Draft) -> None:
    """Turn up one card for everybody in place of the round's cards; it is never a purchase."""
    draft.cursor = len(draft.rules.rounds[draft.round]) * len(draft.players)
    if not draft.deck:
        return
    card, *rest = draft.deck
    draft.deck = tuple(rest)
    draft.community = (*draft.community, card)
    draft.emit(CommunityCardDealt(card))
