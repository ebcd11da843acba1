"""Cards that are paid for, cards that earn another one, and how both are bought."""

from collections.abc import Iterator

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
from engine.rules import Rules
from service.words.language import Language


def paid_cards(language: Language, rules: Rules) -> Iterator[str]:
    """Yield what is to be said on the pay rank, in a game that has one."""
    if rules.pay_rank is None or rules.pay_price is None:
        return
    say = language.say
    if not rules.rolls:
        yield say("{whoever} has a wild card, free of charge.", whoever=_whoever_hides(language, rules.pay_rank))
    whoever, price = _whoever_shows(language, rules, rules.pay_rank), _price(language, rules, rules.pay_price)
    if rules.pay_decline == PayDecline.FOLD:
        yield say("{whoever} pays {price} to have a wild card, or folds.", whoever=whoever, price=price)
    else:
        yield say(
            "{whoever} may pay {price} to have a wild card; unpaid it is an ordinary card.",
            whoever=whoever,
            price=price,
        )
    if rules.pay_scope == PayScope.FIRST_ONLY:
        yield say("Only the first one of a deal costs: once it has been bought, every later one is wild for nothing.")
    else:
        yield say("Each of these cards has its price, one after the other.")


def bonus_cards(language: Language, rules: Rules) -> Iterator[str]:
    """Yield what is to be said on bonus cards, in a game that has them."""
    if rules.bonus_rank is None or rules.bonus_price is None:
        return
    say = language.say
    if rules.bonus_mode == BonusMode.REPLACE:
        yield _replacement(language, rules, rules.bonus_rank, rules.bonus_price)
        yield say(
            "The card given away lies dead, for all to see; the new one takes its place face up, "
            "and if it is {one} too, the choice comes again.",
            one=language.a_rank(rules.bonus_rank),
        )
    else:
        yield _extra(language, rules, rules.bonus_rank, rules.bonus_price)
        if rules.bonus_face != BonusFace.DOWN and not rules.rolls:
            yield say("If the new card is {one} too, it counts again.", one=language.a_rank(rules.bonus_rank))
    if rules.bonus_streets == BonusStreets.NOT_DOOR:
        yield say("The first open card of a hand earns nothing.")
    if rules.hole_bonus is not None:
        yield from _hole_bonus(language, rules, rules.bonus_rank, rules.hole_bonus)


def buying(language: Language, rules: Rules) -> Iterator[str]:
    """Yield how a card is paid for, in a game that asks for it."""
    prices = [
        price
        for price in (rules.pay_price, rules.bonus_price, rules.hole_bonus)
        if price is not None and not isinstance(price, Free)
    ]
    choices = prices or rules.bonus_mode == BonusMode.REPLACE
    if choices and not rules.rolls:
        yield _timing(language, rules)
    if not prices:
        return
    say = language.say
    if rules.purchase_to == PurchaseTo.MAIN_POT or rules.credit:
        yield say("What is paid for a card goes into the main pot. It is no bet: nobody has to match it.")
    else:
        yield say(
            "What is paid for a card goes into the newest pot its buyer is in. It is no bet: nobody has to match it."
        )
    if any(isinstance(price, MatchPot | MatchPotCapped) for price in prices):
        if rules.match_basis == MatchBasis.ALL_POTS or rules.credit:
            yield say("The pot is matched as it stands at that moment: all pots together, earlier purchases included.")
        else:
            yield say("Of the pots only those are matched that the buyer can win, as they stand at that moment.")
    if rules.credit:
        return
    forced, optional = _forced_and_optional(rules)
    if forced:
        yield _short(language, rules)
    if optional:
        yield say("Where you may decline and stay in, a card is offered only if you can pay for it in full.")


def _whoever_shows(language: Language, rules: Rules, rank: str) -> str:
    one = language.a_rank(rank)
    if rules.rolls:
        return language.say("whoever turns up {one}", one=one)
    return language.say("whoever is dealt {one} face up", one=one)


def _whoever_hides(language: Language, rank: str) -> str:
    return language.say("whoever is dealt {one} face down", one=language.a_rank(rank))


def _price(language: Language, rules: Rules, price: BonusPrice) -> str:
    match price:
        case Fixed(amount=amount):
            return language.chips(amount)
        case MatchPot():
            return language.say("as much as there is in the pot")
        case MatchPotCapped(cap=cap):
            return language.say("as much as there is in the pot (at most {chips})", chips=language.chips(cap))
        case MinBet(multiple=multiple):
            chips = language.chips(multiple * rules.low_bet)
            return language.say("{chips} ({times} × the smallest bet)", chips=chips, times=multiple)
        case Free():
            return language.say("nothing")


def _face(language: Language, rules: Rules, face: BonusFace | None, *, trigger_up: bool) -> str:
    if rules.rolls:
        return language.say("unseen, under the others")
    if face == BonusFace.UP or (face == BonusFace.AS_TRIGGER and trigger_up):
        return language.say("face up")
    return language.say("face down")


def _extra(language: Language, rules: Rules, rank: str, price: BonusPrice) -> str:
    values = {
        "whoever": _whoever_shows(language, rules, rank),
        "face": _face(language, rules, rules.bonus_face, trigger_up=True),
    }
    if isinstance(price, Free):
        return language.say("{whoever} gets one more card for nothing, {face}.", **values)
    values["price"] = _price(language, rules, price)
    if rules.bonus_decline == BonusDecline.FOLD:
        return language.say("{whoever} pays {price} and gets one more card, {face}, or folds.", **values)
    return language.say("{whoever} may pay {price} for one more card, {face}.", **values)


def _replacement(language: Language, rules: Rules, rank: str, price: BonusPrice) -> str:
    whoever = _whoever_shows(language, rules, rank)
    if isinstance(price, Free):
        return language.say("{whoever} may exchange that card for a new one, for nothing.", whoever=whoever)
    cost = _price(language, rules, price)
    if rules.bonus_decline == BonusDecline.FOLD:
        return language.say(
            "{whoever} pays {price} and exchanges that card for a new one, or folds.", whoever=whoever, price=cost
        )
    return language.say("{whoever} may pay {price} to exchange that card for a new one.", whoever=whoever, price=cost)


def _hole_bonus(language: Language, rules: Rules, rank: str, price: BonusPrice) -> Iterator[str]:
    say = language.say
    whoever = _whoever_hides(language, rank)
    face = _face(language, rules, rules.bonus_face, trigger_up=False)
    if isinstance(price, Free):
        yield say("{whoever} may claim one more card for nothing, {face}.", whoever=whoever, face=face)
    else:
        cost = _price(language, rules, price)
        yield say("{whoever} may claim one more card for {price}, {face}.", whoever=whoever, price=cost, face=face)
    if rules.hole_bonus_claim == HoleBonusClaim.OWN_STREET:
        yield say(
            "It can be claimed only after the cards of the round that brought the hidden card, before the betting."
        )
    else:
        yield say(
            "It can be claimed after the cards of the round that brought the hidden card, "
            "and again before each later round of dealing."
        )
    yield say("So that the question gives nothing away, everybody still in is asked, with or without such a card.")
    if rules.hole_bonus_expose:
        yield say("The hidden card is then turned face up and belongs to the open hand.")
    else:
        yield say("The hidden card stays hidden.")


def _timing(language: Language, rules: Rules) -> str:
    if rules.purchase_timing == PurchaseTiming.AS_DEALT:
        return language.say("The deal waits for each of these decisions: no other card is dealt before.")
    return language.say(
        "All cards of a round are dealt first; then the players decide one after the other, from the dealer's left. "
        "Bonus cards that cost nothing come at once."
    )


def _forced_and_optional(rules: Rules) -> tuple[bool, bool]:
    """Whether a game has prices that must be paid to stay in, and prices that may be refused."""
    pays = rules.pay_rank is not None
    bonus = rules.bonus_price is not None and not isinstance(rules.bonus_price, Free)
    hole = rules.hole_bonus is not None and not isinstance(rules.hole_bonus, Free)
    forced = (pays and rules.pay_decline == PayDecline.FOLD) or (bonus and rules.bonus_decline == BonusDecline.FOLD)
    optional = (pays and rules.pay_decline != PayDecline.FOLD) or (bonus and rules.bonus_decline != BonusDecline.FOLD)
    return forced, optional or hole


def _short(language: Language, rules: Rules) -> str:
    if rules.short_purchase == ShortPurchase.ALL_IN:
        return language.say(
            "Whoever has to pay more than is left pays what is left and gets the card; an all-in player pays nothing."
        )
    return language.say("Whoever has to pay more than is left folds, an all-in player too.")
