"""Choices and numbers: complete or an error."""

from enum import StrEnum

import pytest

from engine.knobs import Burn
from proto.stud.v1 import stud_pb2
from service.codec_enums import names_of, numbers_by_choice, prefix_of


class Unheard(StrEnum):
    TWICE = "twice"


def test_a_choice_has_the_number_of_its_name() -> None:
    numbers = numbers_by_choice(stud_pb2.Burn.DESCRIPTOR, Burn)

    assert {"none": 1, "every_round": 2, "every_round_but_the_first": 3} == dict(numbers)


def test_a_choice_that_the_api_lacks_is_an_error() -> None:
    with pytest.raises(KeyError, match="BURN_TWICE"):
        numbers_by_choice(stud_pb2.Burn.DESCRIPTOR, Unheard)


def test_the_unspecified_value_is_not_among_the_names_that_may_be_sent() -> None:
    assert "SPLIT_HIGH, SPLIT_HIGH_LOW" == names_of(stud_pb2.Split.DESCRIPTOR)
    assert "SPLIT_" == prefix_of(stud_pb2.Split.DESCRIPTOR)
