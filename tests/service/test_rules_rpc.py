import pytest

import engine
from proto.stud.v1 import stud_pb2
from service.codec_rules import changed_rules, rules_message
from service.words import LANGUAGES, explanation_text


async def validated(wire, profile="", **fields):
    request = stud_pb2.ValidateRulesRequest(profile=profile, rules=stud_pb2.Rules(**fields))
    return await wire.rules.ValidateRules(request, **wire.options(None))


def reasons(answer):
    return {violation.field: violation.description for violation in answer.violations}


async def test_every_profile_is_listed_in_the_order_of_the_names(wire):
    listed = (await wire.rules.ListProfiles(stud_pb2.ListProfilesRequest(), **wire.options(None))).profiles
    assert sorted(engine.PROFILES) == [profile.profile for profile in listed]
    home = next(profile for profile in listed if profile.profile == "baseball-home")
    assert (2, 6) == (home.min_players, home.max_players)


async def test_the_whole_record_of_each(wire):
    for name, rules in engine.PROFILES.items():
        found = await wire.rules.GetProfile(stud_pb2.GetProfileRequest(profile=name), **wire.options(None))
        assert name == found.profile
        assert rules == changed_rules(None, found.rules)


async def test_bad_credentials_are_refused_even_where_none_are_needed(wire, refused):
    with refused("UNAUTHENTICATED", "CREDENTIALS_INVALID"):
        await wire.rules.ListProfiles(stud_pb2.ListProfilesRequest(), **wire.options("wrong"))


@pytest.mark.parametrize("language", LANGUAGES)
async def test_a_game_is_explained_in_the_language_asked_for(wire, language):
    for name in ("baseball", "no-peek", "baseball-match-pot-hi-lo"):
        request = stud_pb2.GetProfileRequest(profile=name, language=language)
        found = await wire.rules.GetProfile(request, **wire.options(None))
        assert explanation_text(engine.PROFILES[name], language) == found.explanation


async def test_english_is_spoken_where_no_language_is_named(wire):
    found = await wire.rules.GetProfile(stud_pb2.GetProfileRequest(profile="baseball"), **wire.options(None))
    assert "- Always wild: threes and nines.\n" in found.explanation


@pytest.mark.parametrize("language", ["fr", "EN", "../it", "it "])
async def test_another_language_is_refused_with_those_there_are(wire, refused, language):
    with refused("INVALID_ARGUMENT", "INVALID_FIELD") as refusal:
        request = stud_pb2.GetProfileRequest(profile="baseball", language=language)
        await wire.rules.GetProfile(request, **wire.options(None))
    assert {"language": f"{language}: must be one of en, it, de, es, id, or empty"} == refusal.fields


async def test_every_game_is_valid_as_it_is(wire):
    for name, rules in engine.PROFILES.items():
        answer = await validated(wire, name)
        assert (True, []) == (answer.valid, list(answer.violations))
        assert rules == changed_rules(None, answer.rules)
        whole = stud_pb2.ValidateRulesRequest(rules=rules_message(rules))
        assert answer == await wire.rules.ValidateRules(whole, **wire.options(None))


async def test_without_a_game_the_defaults_are_built_on(wire):
    answer = await validated(wire)
    assert engine.Rules() == changed_rules(None, answer.rules)


async def test_a_change_is_filled_up_to_a_whole_record(wire):
    answer = await validated(wire, "seven-card-stud", pay_rank="3")
    assert answer.valid
    assert ("match_pot", stud_pb2.PAY_SCOPE_EVERY) == (
        answer.rules.pay_price.WhichOneof("price"),
        answer.rules.pay_scope,
    )


async def test_every_violation_is_named_with_its_value(wire):
    answer = await validated(
        wire,
        "baseball",
        max_players=8,
        bonus_rank="9",
        wild_cards=stud_pb2.CardSet(cards=["Jh", "Xx"]),
        bring_in=3,
        odd_unit=stud_pb2.ODD_UNIT_EXACT,
        rain_ante=True,
    )
    assert not answer.valid
    assert not answer.HasField("rules")
    fields = [violation.field for violation in answer.violations]
    assert {"max_players", "bonus_rank", "wild_cards", "bring_in", "odd_unit", "minor_units", "rain_ante"} == {
        field.removeprefix("rules.") for field in fields
    }
    assert all(field.startswith("rules.") for field in fields)
    values = {violation.field: violation.value for violation in answer.violations}
    assert ("9", "3") == (values["rules.bonus_rank"], values["rules.bring_in"])


async def test_values_that_cannot_be_read_are_named_beside_the_contradictions_of_the_others(wire):
    unreadable = stud_pb2.Rules(ante=-1, raise_cap=stud_pb2.Limit())
    unreadable.burn = 77
    request = stud_pb2.ValidateRulesRequest(profile="baseball", rules=unreadable)
    answer = await wire.rules.ValidateRules(request, **wire.options(None))
    assert {"rules.ante", "rules.raise_cap", "rules.burn"} == set(reasons(answer))
    assert "BURN_NONE" in reasons(answer)["rules.burn"]
    alone = await validated(wire, "baseball", raise_cap=stud_pb2.Limit())
    assert (False, {"rules.raise_cap"}) == (alone.valid, set(reasons(alone)))


@pytest.mark.parametrize("text", ["", "9", "Ks"])
async def test_endless_lists_are_refused_without_being_read(wire, text):
    """A refusal that repeated them for each of them that is wrong would take hours."""
    texts = [text] * 100_000
    rules = {"wild_ranks": stud_pb2.RankSet(ranks=texts), "wild_cards": stud_pb2.CardSet(cards=texts)}
    answer = await validated(wire, "baseball", **rules)
    assert {"rules.wild_ranks", "rules.wild_cards"} == set(reasons(answer))
    assert {"100000 entries"} == {violation.value for violation in answer.violations}
    assert "must be at most 52, each once" == reasons(answer)["rules.wild_cards"]


async def test_a_table_is_made_again_from_its_rules(wire):
    """Whatever was switched off stays off."""
    off = stud_pb2.Rules(bonus_rank="", wild_ranks=stud_pb2.RankSet(), session_pots=stud_pb2.Limit(none=True))
    table_id, _ = await wire.table(0, rules=off)
    made = (await wire.get(table_id)).rules
    again, _ = await wire.table(0, rules=made)
    assert made == (await wire.get(again)).rules
    assert "" == made.bonus_rank
    assert not made.HasField("bonus_price")


async def test_an_unknown_game_cannot_be_built_on(wire, refused):
    with refused("INVALID_ARGUMENT", "UNKNOWN_PROFILE"):
        await validated(wire, "cricket")


async def test_what_is_valid_makes_a_table_and_what_is_not_does_not(wire, refused):
    good, bad = stud_pb2.Rules(ante=3), stud_pb2.Rules(bring_in=3)
    assert (await validated(wire, "baseball", ante=3)).valid
    created = await wire.tables.CreateTable(
        stud_pb2.CreateTableRequest(profile="baseball", rules=good), **wire.options()
    )
    assert 3 == created.table.rules.ante
    invalid = await validated(wire, "baseball", bring_in=3)
    with refused("INVALID_ARGUMENT", "RULES_CONTRADICTORY") as refusal:
        await wire.tables.CreateTable(stud_pb2.CreateTableRequest(profile="baseball", rules=bad), **wire.options())
    assert {it.field: f"{it.value}: {it.description}" for it in invalid.violations} == refusal.fields
