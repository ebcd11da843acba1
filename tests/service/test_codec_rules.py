"""Rules as messages and back: every knob, every choice, and what is refused by name."""

from enum import StrEnum
from types import NoneType
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import PROFILES, Rules, RulesError, Violation
from engine.knobs import (
    BonusFace,
    Burn,
    Doubling,
    Exhaustion,
    Fixed,
    FixedLimit,
    Free,
    LowQualifier,
    MatchPot,
    MatchPotCapped,
    MinBet,
    NoLimit,
    OneUnit,
    PotLimit,
    PurchaseTo,
    ShowingTie,
    Spread,
    Stakes,
)
from proto.stud.v1 import stud_pb2
from service.codec_rules import changed_rules, profile_rules, read_knobs, rules_message, violation_messages
from service.errors import Reason, ServiceError

KNOBS = {field.name: field.type for field in msgspec.structs.fields(Rules)}
API_KNOBS = stud_pb2.Rules.DESCRIPTOR.fields_by_name


def knobs(message: stud_pb2.Rules) -> dict[str, Any]:
    values, wrong = read_knobs(message)
    assert () == wrong
    return values


def refused(message: stud_pb2.Rules) -> dict[str, tuple[str, str]]:
    _, wrong = read_knobs(message)
    assert wrong
    return {violation.field: (violation.value, violation.reason) for violation in wrong}


def test_the_api_has_every_knob_and_no_other() -> None:
    assert set(KNOBS) == set(API_KNOBS.keys())


@pytest.mark.parametrize("name", [name for name, field in API_KNOBS.items() if field.enum_type is not None])
def test_a_knob_has_the_same_choices_on_both_sides(name) -> None:
    [choices] = [kind for kind in get_args(KNOBS[name]) or (KNOBS[name],) if kind is not NoneType]
    assert issubclass(choices, StrEnum)
    values = API_KNOBS[name].enum_type.values

    prefix = values[0].name.removesuffix("UNSPECIFIED")

    assert {prefix + choice.upper() for choice in choices} == {value.name for value in values if value.number}


@pytest.mark.parametrize("profile", PROFILES)
def test_a_profile_survives_the_way_there_and_back(profile) -> None:
    message = stud_pb2.Rules.FromString(rules_message(PROFILES[profile]).SerializeToString())

    assert PROFILES[profile] == Rules(**knobs(message))


@pytest.mark.parametrize("profile", PROFILES)
def test_a_whole_record_replaces_every_knob_of_another_game(profile) -> None:
    changed = Rules(
        max_players=5, session_pots=3, raise_cap=7, wild_cards=("Jh",), burn=Burn.EVERY_ROUND, structure=OneUnit(9)
    )
    record = knobs(rules_message(PROFILES[profile]))

    combined = changed.replace(**record)

    assert (combined.session_pots, combined.raise_cap) == (
        PROFILES[profile].session_pots,
        PROFILES[profile].raise_cap,
    )
    assert (combined.wild_cards, combined.structure) == (PROFILES[profile].wild_cards, PROFILES[profile].structure)


@pytest.mark.parametrize("profile", PROFILES)
def test_a_whole_record_makes_the_same_game_of_every_other_one(profile) -> None:
    """Also where the other one has a bonus rank, a price or a rain card, and this one has none."""
    record = rules_message(PROFILES[profile])
    for other in (*PROFILES.values(), Rules(), PROFILES["baseball"].replace(wild_next_after="Q", pay_rank="5")):
        assert PROFILES[profile] == changed_rules(other, record)


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "min_players": st.integers(2, 3),
            "max_players": st.integers(3, 6),
            "stakes": st.sampled_from(Stakes),
            "session_pots": st.none() | st.integers(1, 10_000),
            "exhaustion": st.sampled_from(Exhaustion),
            "wild_ranks": st.sets(st.sampled_from("23569TJQKA")).map(tuple),
            "wild_cards": st.sets(st.sampled_from(["Jh", "Js", "7c"])).map(tuple),
            "bonus_rank": st.sampled_from([None, "4"]),
            "wild_in_showing": st.booleans(),
            "showing_tie": st.sampled_from(ShowingTie),
            "purchase_to": st.sampled_from(PurchaseTo),
            "ante": st.integers(0, 10**15),
            "structure": st.sampled_from([OneUnit(5), FixedLimit(5, 10**15), Spread(5, 9), PotLimit(7)]),
            "raise_cap": st.none() | st.integers(0, 1000),
        },
    )
)
def test_rules_survive_the_way_there_and_back(changed) -> None:
    rules = Rules(**changed)

    assert rules == Rules(**knobs(stud_pb2.Rules.FromString(rules_message(rules).SerializeToString())))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("structure", FixedLimit(2, 4)),
        ("structure", OneUnit(2**62)),
        ("structure", Doubling(3)),
        ("structure", Spread(1, 9)),
        ("structure", PotLimit(4)),
        ("structure", NoLimit(4)),
        ("pay_price", MatchPot()),
        ("pay_price", Fixed(2**53 + 1)),
        ("bonus_price", Free()),
        ("bonus_price", MatchPotCapped(20)),
        ("hole_bonus", MinBet(2)),
    ],
)
def test_a_shape_with_amounts_goes_across(name, value) -> None:
    message = stud_pb2.Rules()
    shape = getattr(getattr(message, name), value.__struct_config__.tag)
    shape.SetInParent()
    for field, amount in msgspec.structs.asdict(value).items():
        setattr(shape, field, amount)

    assert {name: value} == knobs(message)


def test_only_the_knobs_that_are_set_are_changed() -> None:
    assert {} == knobs(stud_pb2.Rules())
    assert {"ante": 0} == knobs(stud_pb2.Rules(ante=0))
    assert {"bonus_face": BonusFace.AS_TRIGGER, "low_qualifier": LowQualifier.NONE} == knobs(
        stud_pb2.Rules(bonus_face=stud_pb2.BONUS_FACE_AS_TRIGGER, low_qualifier=stud_pb2.LOW_QUALIFIER_NONE)
    )


def test_knobs_can_be_switched_off() -> None:
    message = stud_pb2.Rules(
        session_pots=stud_pb2.Limit(none=True),
        raise_cap=stud_pb2.Limit(none=True),
        bonus_rank="",
        rain_card="",
        wild_ranks=stud_pb2.RankSet(),
        bonus_price=stud_pb2.Price(),
        bonus_mode=stud_pb2.BONUS_MODE_UNSPECIFIED,
        low_scale=stud_pb2.LOW_SCALE_UNSPECIFIED,
    )

    assert {
        "session_pots": None,
        "raise_cap": None,
        "bonus_rank": None,
        "rain_card": None,
        "wild_ranks": (),
        "bonus_price": None,
        "bonus_mode": None,
        "low_scale": None,
    } == knobs(message)


def test_every_unreadable_knob_is_named_with_what_is_allowed() -> None:
    message = stud_pb2.Rules(
        burn=stud_pb2.BURN_UNSPECIFIED,
        session_pots=stud_pb2.Limit(),
        raise_cap=stud_pb2.Limit(none=False),
        structure=stud_pb2.Structure(),
        pay_price=stud_pb2.Price(free=stud_pb2.Price.Free()),
        ante=5,
    )
    message.split = 99

    wrong = refused(message)

    assert {"burn", "session_pots", "raise_cap", "structure", "pay_price", "split"} == wrong.keys()
    assert ("0", "must be one of BURN_NONE, BURN_EVERY_ROUND, BURN_EVERY_ROUND_BUT_THE_FIRST") == wrong["burn"]
    assert ("99", "must be one of SPLIT_HIGH, SPLIT_HIGH_LOW") == wrong["split"]
    assert "must be one of fixed, match_pot, match_pot_capped" == wrong["pay_price"][1]
    assert "must be one of fixed_limit, one_unit, doubling, spread, pot_limit, no_limit" == wrong["structure"][1]


def test_a_readable_knob_may_still_contradict_the_others() -> None:
    values = knobs(stud_pb2.Rules(bring_in=100, wild_ranks=stud_pb2.RankSet(ranks=["1", "4", "4"])))

    with pytest.raises(RulesError) as caught:
        PROFILES["baseball"].replace(**values)

    assert {"bring_in", "wild_ranks", "bonus_rank"} == {violation.field for violation in caught.value.violations}


def test_a_game_is_found_by_its_name() -> None:
    assert PROFILES["baseball"] is profile_rules("baseball")


@pytest.mark.parametrize("name", ["", "Baseball", "baseball ", "x" * 1000])
def test_an_unknown_game_is_told_the_known_ones(name) -> None:
    with pytest.raises(ServiceError) as caught:
        profile_rules(name)

    assert Reason.UNKNOWN_PROFILE == caught.value.reason
    assert {"profile": name, "allowed": ", ".join(PROFILES)} == caught.value.metadata
    assert ["profile"] == [violation.field for violation in caught.value.fields]


def test_violations_are_told_by_the_hundred() -> None:
    error = RulesError(tuple(Violation("ante", "x" * 1000, "y" * 1000) for _ in range(1000)))

    told = violation_messages(error)

    assert 100 == len(told)
    assert {("rules.ante", 100, 500)} == {(v.field, len(v.value), len(v.description)) for v in told}
