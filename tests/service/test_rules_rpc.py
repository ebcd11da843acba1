import engine
from proto.stud.v1 import stud_pb2
from service.codec_rules import knobs


async def test_every_profile_is_listed_in_the_order_of_the_names(wire):
    listed = (await wire.rules.ListProfiles(stud_pb2.ListProfilesRequest(), **wire.options(None))).profiles
    assert sorted(engine.PROFILES) == [profile.profile for profile in listed]
    home = next(profile for profile in listed if profile.profile == "baseball-home")
    assert (2, 6) == (home.min_players, home.max_players)


async def test_the_whole_record_of_each(wire):
    for name, rules in engine.PROFILES.items():
        found = await wire.rules.GetProfile(stud_pb2.GetProfileRequest(profile=name), **wire.options(None))
        assert name == found.profile
        assert rules == engine.Rules(**knobs(found.rules))


async def test_bad_credentials_are_refused_even_where_none_are_needed(wire, refused):
    with refused("UNAUTHENTICATED", "CREDENTIALS_INVALID"):
        await wire.rules.ListProfiles(stud_pb2.ListProfilesRequest(), **wire.options("wrong"))
