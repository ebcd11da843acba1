"""The RPCs of ``EvaluatorService``."""

from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import Any, TypeVar

import msgspec
from google.protobuf.descriptor import EnumDescriptor

from engine import Ranking, best_five, describe, evaluate, evaluate_low, evaluate_showing
from engine.cards import CardError, mask_of, parse_card, parse_cards, parse_rank, rank_mask
from engine.hand_value import describe_low
from engine.knobs import FiveOfAKind, LowQualifier, LowScale, WildInLow
from engine.low_hand import best_low
from engine.rules import Rules
from proto.stud.v1 import stud_pb2
from service.codec_cards import card_texts, category_number, wild_as_messages
from service.codec_enums import names_of, numbers_by_choice
from service.codec_requests import RequestFields
from service.codec_rules import profile_rules
from service.rpc import Call

_CARDS_MOST = 13

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

    async def evaluate(self, request: stud_pb2.EvaluateRequest, call: Call) -> stud_pb2.EvaluateResponse:
        """Say what a hand is worth."""
        game = _game_of_rules(profile_rules(request.profile)) if request.HasField("profile") else None
        with RequestFields(request) as fields:
            cards = _cards(fields, request.cards)
            if request.low and request.showing:
                fields.refuse("showing", request.showing, "must be false with low: a low is not compared by what shows")
            if game is None:
                game = _game(fields, request.ranking)
        wild = game.showing_wild if request.showing else game.wild
        value = (evaluate_showing if request.showing else evaluate)(cards, wild, ranking=game.ranking)
        description = describe(value)
        five = best_five(cards, wild, ranking=game.ranking)
        return stud_pb2.EvaluateResponse(
            value=value,
            category=category_number(description.category),
            words=description.words,
            best_five=card_texts(five.cards),
            wild_as=wild_as_messages(five.wild_as),
            low=_low_message(cards, game) if request.low else None,
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


def _cards(fields: RequestFields, text: str) -> int:
    try:
        cards = parse_cards(text)
    except CardError as error:
        fields.refuse("cards", text, str(error))
        return 0
    if not 1 <= len(cards) <= _CARDS_MOST:
        fields.refuse("cards", text, f"must be 1 to {_CARDS_MOST} cards, not {len(cards)}")
    return mask_of(cards)


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

    def masks(field: str, texts: Iterable[str], mask_of_text: Callable[[str], int]) -> int:
        mask = 0
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
