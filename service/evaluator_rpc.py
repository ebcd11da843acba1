"""The RPCs of ``EvaluatorService``."""

import asyncio
from array import array
from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Any, TypeVar

import msgspec
from google.protobuf.descriptor import EnumDescriptor

from engine import PROFILES, Ranking, best_five, describe, evaluate, evaluate_low, evaluate_many, evaluate_showing
from engine.cards import (
    DECK_SIZE,
    FULL_DECK,
    CardError,
    cards_in,
    cards_text,
    mask_of,
    parse_card,
    parse_cards,
    parse_rank,
    rank_mask,
)
from engine.hand_value import describe_low
from engine.knobs import FiveOfAKind, LowQualifier, LowScale, WildInLow
from engine.low_hand import best_low
from engine.rules import Rules
from proto.stud.v1 import stud_pb2
from service.codec_cards import card_texts, category_number, wild_as_messages
from service.codec_enums import names_of, numbers_by_choice
from service.codec_requests import RequestFields
from service.codec_rules import profile_rules
from service.errors import Reason, ServiceError
from service.odds_rpc import OddsRpc
from service.rpc import Call

_CARDS_MOST = 13
_COMPARED_MOST = 7
_BATCH_MOST = 100_000
_NAMED_MOST = 20
"""How many wrong hands of a batch a refusal names."""
_TEXTS_AT_ONCE = 500
"""How many hands are read before others get their turn: some milliseconds."""

_Choice = TypeVar("_Choice", bound=StrEnum)


class Game(msgspec.Struct, frozen=True):
    """Which cards are wild and how hands compare; ``showing_wild`` are those that are wild in showing hands too."""

    wild: int = 0
    showing_wild: int = 0
    ranking: Ranking = Ranking()
    low_scale: LowScale = LowScale.A5
    low_qualifier: LowQualifier = LowQualifier.EIGHT
    wild_in_low: WildInLow = WildInLow.WILD


class EvaluatorRpc:
    """``EvaluatorService``: what hands are worth. Anybody may ask."""

    def __init__(self) -> None:
        self._odds = OddsRpc()

    async def evaluate(self, request: stud_pb2.EvaluateRequest, call: Call) -> stud_pb2.EvaluateResponse:
        """Say what a hand is worth."""
        game = _game_of_profile(request)
        with RequestFields(request) as fields:
            cards = _cards(fields, "cards", request.cards)
            if request.low and request.showing:
                fields.refuse("showing", request.showing, "must be false with low: a low is not compared by what shows")
            if game is None:
                game = _game(fields, request.ranking)
        return _worth(cards, game, low=request.low, showing=request.showing)

    async def compare(self, request: stud_pb2.CompareRequest, call: Call) -> stud_pb2.CompareResponse:
        """Rank hands against each other."""
        game = _game_of_profile(request)
        with RequestFields(request) as fields:
            if not 2 <= len(request.hands) <= _COMPARED_MOST:
                fields.refuse("hands", len(request.hands), f"must be 2 to {_COMPARED_MOST} hands")
            hands = _different_hands(fields, request.hands[:_COMPARED_MOST])
            if game is None:
                game = _game(fields, request.ranking)
        worth = [_worth(cards, game, low=request.low) for cards in hands]
        values = [each.value for each in worth]
        lows = [each.low.value if each.HasField("low") else None for each in worth]
        lowest = min((low for low in lows if low is not None), default=None)
        return stud_pb2.CompareResponse(
            hands=[
                stud_pb2.ComparedHand(place=1 + sum(other > each.value for other in values), evaluation=each)
                for each in worth
            ],
            winners=[place for place, value in enumerate(values) if value == max(values)],
            low_winners=[place for place, low in enumerate(lows) if low is not None and low == lowest],
        )

    async def evaluate_batch(
        self, request: stud_pb2.EvaluateBatchRequest, call: Call
    ) -> stud_pb2.EvaluateBatchResponse:
        """Value many hands at once."""
        hands = max(len(request.packed.cards), len(request.packed.wild), len(request.text.hands))
        if hands > _BATCH_MOST:
            message = f"{hands} hands: at most {_BATCH_MOST} can be valued at once"
            raise ServiceError(Reason.TOO_LARGE, message, metadata={"limit": _BATCH_MOST, "unit": "hands"})
        game = _game_of_profile(request)
        with RequestFields(request) as fields:
            if game is None:
                game = _game(fields, request.ranking)
            if request.HasField("text"):
                cards = await _masks_of_texts(fields, request.text.hands)
                wild: int | array[int] = game.wild
            else:
                if not request.HasField("packed"):
                    fields.refuse("packed", "unset", "must be set, or text")
                cards, wild = _packed(fields, request.packed, game.wild)
        return stud_pb2.EvaluateBatchResponse(values=evaluate_many(cards, wild, ranking=game.ranking))

    async def odds(self, request: stud_pb2.OddsRequest, call: Call) -> stud_pb2.OddsResponse:
        """Say how likely each hand is to win."""
        if request.HasField("profile"):
            return await self._odds.answer(request, profile_rules(request.profile), call)
        with RequestFields(request) as fields:
            game = _game(fields, request.ranking)
        rules = PROFILES["seven-card-stud"].replace(
            wild_cards=card_texts(cards_in(game.wild)), **msgspec.structs.asdict(game.ranking)
        )
        return await self._odds.answer(request, rules, call)


def _worth(cards: int, game: Game, *, low: bool, showing: bool = False) -> stud_pb2.EvaluateResponse:
    wild = game.showing_wild if showing else game.wild
    value = (evaluate_showing if showing else evaluate)(cards, wild, ranking=game.ranking)
    description = describe(value)
    five = best_five(cards, wild, ranking=game.ranking)
    return stud_pb2.EvaluateResponse(
        value=value,
        category=category_number(description.category),
        words=description.words,
        best_five=card_texts(five.cards),
        wild_as=wild_as_messages(five.wild_as),
        low=_low_message(cards, game) if low else None,
    )


def _low_message(cards: int, game: Game) -> stud_pb2.LowHand | None:
    scale, mode = game.low_scale, game.wild_in_low
    qualifier = 8 if game.low_qualifier == LowQualifier.EIGHT else None
    value = evaluate_low(cards, game.wild, scale=scale, mode=mode, qualifier=qualifier)
    best = best_low(cards, game.wild, scale=scale, mode=mode, qualifier=qualifier)
    if value is None or best is None:
        return None
    return stud_pb2.LowHand(
        value=value,
        words=describe_low(value).words,
        best_five=card_texts(best.cards),
        wild_as=wild_as_messages(best.wild_as),
    )


def _cards(fields: RequestFields, field: str, text: str) -> int:
    try:
        cards = parse_cards(text)
    except CardError as error:
        fields.refuse(field, text, str(error))
        return 0
    if not 1 <= len(cards) <= _CARDS_MOST:
        fields.refuse(field, text, f"must be 1 to {_CARDS_MOST} cards, not {len(cards)}")
    return mask_of(cards)


def _different_hands(fields: RequestFields, texts: Sequence[str]) -> list[int]:
    """Read hands that have no card in common."""
    hands: list[int] = []
    dealt = 0
    for place, text in enumerate(texts):
        hand = _cards(fields, f"hands[{place}]", text)
        if hand & dealt:
            twice = cards_text(cards_in(hand & dealt))
            fields.refuse(f"hands[{place}]", text, f"must have no card of the hands before it, such as {twice}")
        dealt |= hand
        hands.append(hand)
    return hands


async def _masks_of_texts(fields: RequestFields, texts: Sequence[str]) -> "array[int]":
    masks = array("Q")
    wrong = 0
    for place, text in enumerate(texts):
        if place % _TEXTS_AT_ONCE == _TEXTS_AT_ONCE - 1:
            await asyncio.sleep(0)
        try:
            cards = parse_cards(text)
        except CardError:
            cards = ()
        if not 1 <= len(cards) <= _CARDS_MOST:
            _cards(fields, f"text.hands[{place}]", text)
            wrong += 1
        if wrong == _NAMED_MOST:
            break
        masks.append(mask_of(cards))
    return masks


def _packed(
    fields: RequestFields, packed: stud_pb2.PackedHands, wild_of_game: int
) -> "tuple[array[int], int | array[int]]":
    """Read packed hands and which cards are wild in each."""
    cards = array("Q", packed.cards)
    wild = array("Q", packed.wild)
    if wild and len(wild) != len(cards):
        fields.refuse("packed.wild", len(wild), f"must be none or as many as the hands, {len(cards)}")
    wrong = [
        (f"packed.cards[{place}]", mask, f"must be a mask of 1 to {_CARDS_MOST} of the 52 cards")
        for place, mask in enumerate(cards)
        if mask >> len(FULL_DECK) or not 1 <= mask.bit_count() <= _CARDS_MOST
    ]
    wrong += [
        (f"packed.wild[{place}]", mask, "must be a mask of the 52 cards")
        for place, mask in enumerate(wild)
        if mask >> len(FULL_DECK)
    ]
    for field, mask, allowed in wrong[:_NAMED_MOST]:
        fields.refuse(field, hex(mask), allowed)
    return cards, wild or wild_of_game


def _game_of_profile(
    request: stud_pb2.EvaluateRequest | stud_pb2.CompareRequest | stud_pb2.EvaluateBatchRequest,
) -> Game | None:
    """Return the game that a request names, None if it names none."""
    return _game_of_rules(profile_rules(request.profile)) if request.HasField("profile") else None


def _game_of_rules(rules: Rules) -> Game:
    return Game(
        wild=rules.wild_mask,
        showing_wild=rules.wild_mask if rules.wild_in_showing else 0,
        ranking=rules.ranking,
        low_scale=rules.low_scale or LowScale.A5,
        low_qualifier=rules.low_qualifier or LowQualifier.EIGHT,
        wild_in_low=rules.wild_in_low or WildInLow.WILD,
    )


def _game(fields: RequestFields, asked: stud_pb2.Ranking) -> Game:
    """Read the wild cards and the ranking that a request spells out."""

    def masks(field: str, texts: Sequence[str], mask_of_text: Callable[[str], int]) -> int:
        mask = 0
        if len(texts) > DECK_SIZE:
            fields.refuse(f"ranking.{field}", len(texts), f"must be at most {DECK_SIZE}")
            return mask
        for place, text in enumerate(texts):
            try:
                mask |= mask_of_text(text)
            except CardError as error:
                fields.refuse(f"ranking.{field}[{place}]", text, str(error))
        return mask

    wild = masks("wild_ranks", asked.wild_ranks, lambda text: rank_mask(parse_rank(text)))
    wild |= masks("wild_cards", asked.wild_cards, lambda text: 1 << parse_card(text))
    return Game(
        wild=wild,
        showing_wild=wild,
        ranking=Ranking(
            double_ace_flush=asked.double_ace_flush,
            five_of_a_kind=_choice(fields, asked, "five_of_a_kind", stud_pb2.FiveOfAKind.DESCRIPTOR, FiveOfAKind),
            natural_beats_wild=asked.natural_beats_wild,
        ),
        low_scale=_choice(fields, asked, "low_scale", stud_pb2.LowScale.DESCRIPTOR, LowScale),
        low_qualifier=_choice(fields, asked, "low_qualifier", stud_pb2.LowQualifier.DESCRIPTOR, LowQualifier),
        wild_in_low=_choice(fields, asked, "wild_in_low", stud_pb2.WildInLow.DESCRIPTOR, WildInLow),
    )


def _choice(
    fields: RequestFields, asked: stud_pb2.Ranking, field: str, api: EnumDescriptor, choices: type[_Choice]
) -> _Choice:
    """Read an enum, whose unspecified value means the first choice."""
    number: Any = getattr(asked, field)
    found = {its_number: choice for choice, its_number in numbers_by_choice(api, choices).items()}
    if number and number not in found:
        fields.refuse(f"ranking.{field}", number, f"must be one of {names_of(api)}")
    return choices(found.get(number, next(iter(choices))))
