"""Purchases that interrupt the deal (rules, section 5.3).

What is paid is dead money: it goes whole into one pot, is no bet, and nobody has to call it.
"""

from msgspec.structs import replace

from engine.draft import Draft
from engine.events import Face, PurchaseDeclined, PurchaseKind, PurchaseMade, PurchaseOffered
from engine.knobs import (
    BonusDecline,
    BonusFace,
    BonusPrice,
    BonusStreets,
    Fixed,
    MatchBasis,
    MatchPot,
    MatchPotCapped,
    MinBet,
    PurchaseTo,
    ShortPurchase,
)
from engine.rule_checks import MAX_AMOUNT
from engine.state import Offer, Phase, Trigger


def raise_triggers(draft: Draft, seat: int, card: int, *, is_door: bool) -> None:
    """Note what a card that was just dealt up has to be settled for."""
    rules = draft.rules
    if rules.bonus_mask >> card & 1 and not (is_door and rules.bonus_streets == BonusStreets.NOT_DOOR):
        draft.triggers = (Trigger(seat, card, PurchaseKind.BONUS), *draft.triggers)


def bonus_face(draft: Draft) -> Face:
    """Return how a bonus card for an open card is dealt; ``as_trigger`` is up, as the card that earned it."""
    return Face.DOWN if draft.rules.bonus_face == BonusFace.DOWN else Face.UP


def settle_trigger(draft: Draft) -> None:
    """Settle the first trigger: give a free card at once, or ask the player."""
    trigger, *rest = draft.triggers
    draft.triggers = tuple(rest)
    if not draft.deck:
        return  # no card is left to buy, so nothing is paid either
    price = _price(draft, trigger)
    player = draft.player(trigger.seat)
    due = draft.affordable(player, price)
    if due < price and not _forced(draft):
        return
    if due < price and draft.rules.short_purchase == ShortPurchase.FOLD:
        draft.emit(PurchaseDeclined(trigger.seat, trigger.purchase, trigger.card))
        draft.fold(trigger.seat)
    elif due == 0:
        _owe_card(draft, trigger)
    else:
        draft.offer = Offer(trigger.seat, trigger.card, trigger.purchase, due)
        draft.actor = trigger.seat
        draft.phase = Phase.PURCHASE
        draft.emit(PurchaseOffered(trigger.seat, trigger.purchase, trigger.card, due))


def buy(draft: Draft, amount: int) -> None:
    """Pay for what is offered and get it."""
    offer = _close_offer(draft)
    player = draft.player(offer.seat)
    draft.update(offer.seat, stack=player.stack - offer.price)
    level = player.collected if draft.rules.purchase_to == PurchaseTo.CURRENT_POT else 0
    _add_dead_money(draft, level, offer.price)
    draft.emit(PurchaseMade(offer.seat, offer.purchase, offer.card, offer.price))
    _owe_card(draft, Trigger(offer.seat, offer.card, offer.purchase))


def decline(draft: Draft, amount: int) -> None:
    """Turn an offer down, which folds the hand where the purchase is forced."""
    offer = _close_offer(draft)
    draft.emit(PurchaseDeclined(offer.seat, offer.purchase, offer.card))
    if _forced(draft):
        draft.fold(offer.seat)


def _close_offer(draft: Draft) -> Offer:
    offer = draft.offer
    assert offer is not None, "only the purchase phase reaches this, and it has an offer"
    draft.offer = None
    draft.actor = 0
    draft.phase = Phase.DEALING
    return offer


def _forced(draft: Draft) -> bool:
    return draft.rules.bonus_decline == BonusDecline.FOLD


def _owe_card(draft: Draft, trigger: Trigger) -> None:
    """Put the card that is now due in front of everything else that waits."""
    draft.triggers = (replace(trigger, settled=True), *draft.triggers)


def _price(draft: Draft, trigger: Trigger) -> int:
    price: BonusPrice | None = draft.rules.bonus_price
    match price:
        case Fixed(amount=amount):
            return amount
        case MatchPot():
            return _matched(draft, trigger.seat)
        case MatchPotCapped(cap=cap):
            return min(_matched(draft, trigger.seat), cap)
        case MinBet(multiple=multiple):
            return multiple * draft.rules.low_bet
    return 0


def _matched(draft: Draft, seat: int) -> int:
    """Return what lies in the pots that count for a match-pot price, earlier purchases included."""
    everything = draft.rules.match_basis == MatchBasis.ALL_POTS
    return min(MAX_AMOUNT, sum(pot.amount for pot in draft.pots() if everything or seat in pot.seats))


def _add_dead_money(draft: Draft, level: int, amount: int) -> None:
    sums = dict(draft.dead_money)
    sums[level] = sums.get(level, 0) + amount
    draft.dead_money = tuple(sorted(sums.items()))
