"""The RPCs of ``RulesService``."""

from engine import PROFILES
from proto.stud.v1 import stud_pb2
from service.codec_rules import profile_rules, rules_message
from service.rpc import Call


class RulesRpc:
    """``RulesService``: the games that can be played. Anybody may ask."""

    async def list_profiles(self, request: stud_pb2.ListProfilesRequest, call: Call) -> stud_pb2.ListProfilesResponse:
        """List the named games."""
        return stud_pb2.ListProfilesResponse(
            profiles=[
                stud_pb2.ProfileSummary(profile=name, min_players=rules.min_players, max_players=rules.max_players)
                for name, rules in sorted(PROFILES.items())
            ]
        )

    async def get_profile(self, request: stud_pb2.GetProfileRequest, call: Call) -> stud_pb2.GetProfileResponse:
        """Return every rule of a named game."""
        rules = profile_rules(request.profile)
        return stud_pb2.GetProfileResponse(profile=request.profile, rules=rules_message(rules))
