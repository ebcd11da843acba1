"""The lobby's filters: which tables somebody wants to see."""

import msgspec

from service.table import Status, Summary


class LobbyFilter(msgspec.Struct, frozen=True):
    """What a table must be like; empty values let every table through."""

    profile: str = ""
    free_seats_only: bool = False
    joinable_only: bool = False
    """Whether a player must be able to sit down: a free seat, and a session that is not over."""
    status: Status | None = None

    def passes(self, table: Summary) -> bool:
        """Say whether a table is wanted."""
        seats_wanted = self.free_seats_only or self.joinable_only
        return (
            self.profile in ("", table.profile)
            and (table.has_free_seat or not seats_wanted)
            and not (self.joinable_only and table.session_over)
            and self.status in (None, table.status)
        )


NO_FILTER = LobbyFilter()
