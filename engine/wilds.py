# cython: annotation_typing=False, binding=False
"""Which cards are wild for whom (rules, section 4)."""

from engine.cards import mask_of, rank_mask, rank_of
from engine.draft import Draft, DraftPlayer
from engine.events import WildNamed
from engine.knobs import PayScope
from engine.state import NO_RANK


def wild_mask(draft: Draft, player: DraftPlayer) -> int:
    """Return the cards that are wild for a player, held or not.

    A card of the pay rank is wild where it was dealt down or paid for; on the community card it is wild only where
    one purchase has freed all later ones.
    """
    rules = draft.rules
    mask = rules.wild_mask
    if draft.named_wild != NO_RANK:
        mask |= rank_mask(draft.named_wild)
    if rules.pay_mask:
        mask |= rules.pay_mask & mask_of(player.down) | mask_of(player.paid)
        if draft.pay_bought and rules.pay_scope == PayScope.FIRST_ONLY:
            mask |= rules.pay_mask & mask_of(draft.community)
    return mask


def follow(draft: Draft, card: int) -> None:
    """Let an up card name the wild rank, or cancel it until the next one does (Follow the Queen)."""
    trigger = draft.rules.naming_rank
    if trigger is None:
        return
    rank = rank_of(card)
    if rank == trigger:
        draft.naming = True
        if draft.named_wild != NO_RANK:
            draft.named_wild = NO_RANK
            draft.emit(WildNamed(None))
    elif draft.naming:
        draft.naming = False
        draft.named_wild = rank
        draft.emit(WildNamed(rank))
