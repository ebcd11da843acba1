# cython: annotation_typing=False, binding=False
"""Purchases that interrupt the deal (rules, section 5.3).

What is paid is dead money: it goes whole into one pot, is no bet, and nobody has to call it.
"""

from msgspec.structs import replace

from engine.cards import HIDDEN
from engine.draft import Draft
from engine.events import CardExposed, CardReplaced, Face, PurchaseDeclined, PurchaseKind, PurchaseMade, PurchaseOffered
from engine.knobs import (
    BonusDecline,
    BonusFace,
    BonusMode,
    BonusPrice,
    BonusStreets,
    Fixed,
    Free,
    HoleBonusClaim,
    MatchBasis,
    MatchPot,
    MatchPotCapped,
    MinBet,
    PayDecline,
    PayScope,
    PurchaseTiming,
    PurchaseTo,
    ShortPurchase,
)
from engine.rule_checks import MAX_AMOUNT
from engine.state import Offer, Phase, Trigger

# CPython 3.11 takes long to read a member off its enum; this is read in every round.
_DEALING = Phase.DEALING


def note_triggers(draft: Draft, seat: int, card: int, is_door: bool) -> None:
    """Note what a card that has just come up has to be settled for: pay rank first, then bonus, then rain."""
    rules = draft.rules
    if not rules.trigger_mask >> card & 1:
        return
    raised: list[Trigger] = []
    if rules.pay_mask >> card & 1:
        raised.append(Trigger(seat, card, PurchaseKind.PAY_RANK))
    if rules.bonus_mask >> card & 1 and not (is_door and rules.bonus_streets == BonusStreets.NOT_DOOR):
        replaces = rules.bonus_mode == BonusMode.REPLACE
        raised.append(Trigger(seat, card, PurchaseKind.REPLACEMENT if replaces else PurchaseKind.BONUS))
    if rules.rain_mask >> card & 1:
        raised.append(Trigger(seat, card, None))
    if _waits_for_the_round(draft):
        at_once = [trigger for trigger in raised if _comes_at_once(draft, trigger)]
        later = [trigger for trigger in raised if not _comes_at_once(draft, trigger)]
        draft.triggers = (*at_once, *draft.triggers, *later)
    else:
        draft.triggers = (*raised, *draft.triggers)


def take_ready(draft: Draft) -> Trigger | None:
    """Take the next trigger that is to be settled now off the list; None if the deal goes on first."""
    if not draft.triggers:
        return None
    first = draft.triggers[0]
    if draft.rules.purchase_timing == PurchaseTiming.AFTER_ROUND and not first.settled:
        if not _waits_for_the_round(draft):
            first = draft.triggers[_nearest_to_dealer(draft)]
        elif not _comes_at_once(draft, first):
            return None
    at = draft.triggers.index(first)
    draft.triggers = draft.triggers[:at] + draft.triggers[at + 1 :]
    return first


def _nearest_to_dealer(draft: Draft) -> int:
    """Return the index of the first trigger of the player who was dealt to first."""
    places = [draft.place(trigger.seat) for trigger in draft.triggers]
    return places.index(min(places))


def settle(draft: Draft, trigger: Trigger) -> None:
    """Give what is free at once, or ask the player."""
    kind = trigger.purchase
    assert kind is not None, "the rain card is not bought"
    if kind != PurchaseKind.PAY_RANK and not draft.deck:
        return  # no card is left to buy, so nothing is paid either
    price = _price(draft, trigger.seat, kind)
    due = draft.affordable(draft.player(trigger.seat), price)
    if due < price and not _is_forced(draft, kind):
        return
    if due < price and draft.rules.short_purchase == ShortPurchase.FOLD:
        draft.emit(PurchaseDeclined(trigger.seat, kind, trigger.card))
        draft.fold(draft.player(trigger.seat))
    elif due == 0 and kind != PurchaseKind.REPLACEMENT:
        if kind == PurchaseKind.PAY_RANK:  # or nobody could tell that the card is wild
            draft.emit(PurchaseMade(trigger.seat, kind, trigger.card, 0))
        _deliver(draft, trigger)
    else:
        _offer(draft, Offer(trigger.seat, trigger.card, kind, due), Phase.PURCHASE)
        draft.emit(PurchaseOffered(trigger.seat, kind, trigger.card, due))


def buy(draft: Draft, amount: int) -> None:
    """Pay for what is offered and get it."""
    offer = _close_offer(draft)
    _pay(draft, offer)
    draft.emit(PurchaseMade(offer.seat, offer.purchase, offer.card, offer.price))
    _deliver(draft, Trigger(offer.seat, offer.card, offer.purchase))


def decline(draft: Draft, amount: int) -> None:
    """Turn an offer down, which folds the hand where the purchase is forced."""
    offer = _close_offer(draft)
    draft.emit(PurchaseDeclined(offer.seat, offer.purchase, offer.card))
    if offer.price and _is_forced(draft, offer.purchase):
        draft.fold(draft.player(offer.seat))


def ask_for_claims(draft: Draft, then: Phase) -> None:
    """Ask the next player whether a bonus card is claimed for a hole card; go on when all have answered.

    Everybody still in is asked, holder or not, so that being asked betrays nothing.
    """
    rules = draft.rules
    if rules.hole_bonus is None:
        draft.phase = then
        return
    own_street = rules.hole_bonus_claim == HoleBonusClaim.OWN_STREET
    before_round = then is _DEALING
    nothing_new = own_street if before_round else not draft.down_dealt
    if nothing_new or draft.asked >= len(draft.players):
        draft.asked = 0
        draft.phase = then
        if own_street:
            for player in draft.players:
                player.claimable = ()
        return
    player = draft.players[draft.asked]
    if player.folded:
        draft.asked += 1
        return
    price = _price(draft, player.seat, PurchaseKind.HOLE_BONUS)
    can_pay = bool(draft.deck) and draft.affordable(player, price) == price
    card = player.claimable[0] if player.claimable and can_pay else HIDDEN
    _offer(draft, Offer(player.seat, card, PurchaseKind.HOLE_BONUS, price), Phase.CLAIM)
    draft.emit(PurchaseOffered(player.seat, PurchaseKind.HOLE_BONUS, card, price))


def claim(draft: Draft, amount: int) -> None:
    """Take the bonus card for a hole card; the player is asked again, for another one."""
    offer = _close_offer(draft)
    _pay(draft, offer)
    player = draft.player(offer.seat)
    player.claimable = player.claimable[1:]
    draft.emit(PurchaseMade(offer.seat, offer.purchase, offer.card, offer.price))
    if draft.rules.hole_bonus_expose:
        _expose(draft, offer)
    _owe_card(draft, Trigger(offer.seat, offer.card, offer.purchase))


def pass_claim(draft: Draft, amount: int) -> None:
    """Claim nothing."""
    offer = _close_offer(draft)
    draft.asked += 1
    draft.emit(PurchaseDeclined(offer.seat, offer.purchase, offer.card))


def _expose(draft: Draft, offer: Offer) -> None:
    """Turn up the card that was claimed for; dealt down, it stays wild if it is of the pay rank."""
    player = draft.player(offer.seat)
    player.down = tuple(card for card in player.down if card != offer.card)
    player.up = (*player.up, offer.card)
    if draft.rules.pay_mask >> offer.card & 1:
        player.paid = (*player.paid, offer.card)
    draft.emit(CardExposed(offer.seat, offer.card))


def bonus_face(draft: Draft, trigger: Trigger) -> Face:
    """Return how a bonus card is dealt; ``as_trigger`` is as the card that earned it lies."""
    if draft.rules.rolls:
        return Face.UNSEEN
    if draft.rules.bonus_face == BonusFace.AS_TRIGGER:
        return Face.DOWN if trigger.purchase == PurchaseKind.HOLE_BONUS else Face.UP
    return Face.DOWN if draft.rules.bonus_face == BonusFace.DOWN else Face.UP


def _waits_for_the_round(draft: Draft) -> bool:
    """Whether purchases wait because cards of the round are still to come."""
    if draft.rules.purchase_timing != PurchaseTiming.AFTER_ROUND:
        return False
    return draft.cursor < len(draft.rules.rounds[draft.round]) * len(draft.players)


def _comes_at_once(draft: Draft, trigger: Trigger) -> bool:
    """Whether a trigger is settled in mid-round even where purchases wait: rain, and a card that is free."""
    if trigger.settled or trigger.purchase is None:
        return True
    return trigger.purchase == PurchaseKind.BONUS and isinstance(draft.rules.bonus_price, Free)


def _offer(draft: Draft, offer: Offer, phase: Phase) -> None:
    draft.offer = offer
    draft.actor = offer.seat
    draft.phase = phase


def _close_offer(draft: Draft) -> Offer:
    offer = draft.offer
    assert offer is not None, "only a phase with an offer reaches this"
    draft.offer = None
    draft.actor = 0
    draft.phase = phase_of_deal(draft)
    return offer


def phase_of_deal(draft: Draft) -> Phase:
    """Return the phase in which the deal goes on after a purchase."""
    if draft.cursor < 0:
        return Phase.ASKING_BEFORE
    if _round_is_out(draft):
        return Phase.ROLLING if draft.rules.rolls else Phase.ASKING_AFTER
    return Phase.DEALING


def _round_is_out(draft: Draft) -> bool:
    return draft.cursor >= len(draft.rules.rounds[draft.round]) * len(draft.players)


def _pay(draft: Draft, offer: Offer) -> None:
    player = draft.player(offer.seat)
    player.stack -= offer.price
    level = player.collected if draft.rules.purchase_to == PurchaseTo.CURRENT_POT else 0
    sums = dict(draft.dead_money)
    sums[level] = sums.get(level, 0) + offer.price
    draft.dead_money = tuple(sorted((level, amount) for level, amount in sums.items() if amount))


def _is_forced(draft: Draft, kind: PurchaseKind) -> bool:
    """Whether turning a price down folds the hand."""
    if kind == PurchaseKind.PAY_RANK:
        return draft.rules.pay_decline == PayDecline.FOLD
    return kind != PurchaseKind.HOLE_BONUS and draft.rules.bonus_decline == BonusDecline.FOLD


def _deliver(draft: Draft, trigger: Trigger) -> None:
    """Give what was bought: the card counts as wild, or another one is owed."""
    if trigger.purchase == PurchaseKind.PAY_RANK:
        player = draft.player(trigger.seat)
        player.paid = (*player.paid, trigger.card)
        draft.pay_bought = True
        return
    if trigger.purchase == PurchaseKind.REPLACEMENT:
        draft.emit(CardReplaced(trigger.seat, trigger.card))
    _owe_card(draft, trigger)


def _owe_card(draft: Draft, trigger: Trigger) -> None:
    """Put the card that is now due in front of everything else that waits."""
    draft.triggers = (replace(trigger, settled=True), *draft.triggers)


def _price(draft: Draft, seat: int, kind: PurchaseKind) -> int:
    rules = draft.rules
    price: BonusPrice | None = rules.bonus_price
    if kind == PurchaseKind.PAY_RANK:
        if draft.pay_bought and rules.pay_scope == PayScope.FIRST_ONLY:
            return 0
        price = rules.pay_price
    elif kind == PurchaseKind.HOLE_BONUS:
        price = rules.hole_bonus
    match price:
        case Fixed(amount=amount):
            return amount
        case MatchPot():
            return _matched(draft, seat)
        case MatchPotCapped(cap=cap):
            return min(_matched(draft, seat), cap)
        case MinBet(multiple=multiple):
            return multiple * rules.low_bet
    return 0


def _matched(draft: Draft, seat: int) -> int:
    """Return what lies in the pots that count for a match-pot price, earlier purchases included."""
    everything = draft.rules.match_basis == MatchBasis.ALL_POTS
    return min(MAX_AMOUNT, sum(pot.amount for pot in draft.pots() if everything or seat in pot.seats))
