"""Choices by name as the numbers of the API, and back: ``every_round`` is ``BURN_EVERY_ROUND``."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any

from google.protobuf.descriptor import EnumDescriptor


def numbers_by_choice(api: EnumDescriptor, choices: Iterable[StrEnum]) -> Mapping[str, Any]:
    """Return the API's number of each choice.

    Raises:
        KeyError: if the API does not know one of them.
    """
    prefix = prefix_of(api)
    return {choice: api.values_by_name[prefix + choice.upper()].number for choice in choices}


def names_of(api: EnumDescriptor) -> str:
    """Return the names that may be sent, for people."""
    return ", ".join(value.name for value in api.values if value.number)


def prefix_of(api: EnumDescriptor) -> str:
    """Return what the names of all values begin with."""
    return str(api.values_by_number[0].name).removesuffix("UNSPECIFIED")
