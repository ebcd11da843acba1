"""The RPCs of ``RulesService``."""

from engine import PROFILES, RulesError
from proto.stud.v1 import stud_pb2
from service.codec_rules import changed_rules, profile_rules, rules_message, violation_messages
from service.errors import invalid_field
from service.rpc import Call
from service.words import ENGLISH, LANGUAGES, explanation_text


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
        """Return every rule of a named game, and the game explained in plain words."""
        language = request.language or ENGLISH
        if language not in LANGUAGES:
            raise invalid_field("language", language, f"must be one of {', '.join(LANGUAGES)}, or empty")
        rules = profile_rules(request.profile)
        return stud_pb2.GetProfileResponse(
            profile=request.profile, rules=rules_message(rules), explanation=explanation_text(rules, language)
        )

    async def validate_rules(
        self, request: stud_pb2.ValidateRulesRequest, call: Call
    ) -> stud_pb2.ValidateRulesResponse:
        """Say whether rules can be played, with everything that is wrong with them."""
        base = profile_rules(request.profile) if request.profile else None
        try:
            rules = changed_rules(base, request.rules)
        except RulesError as error:
            return stud_pb2.ValidateRulesResponse(valid=False, violations=violation_messages(error))
        return stud_pb2.ValidateRulesResponse(valid=True, rules=rules_message(rules))
