"""The game that a command is about, by the name given on the command line."""

from typing import Annotated

import typer

from engine.profiles import PROFILES
from engine.rules import Rules

ProfileOption = Annotated[str, typer.Option("--profile", metavar="PROFILE", help="The game's profile.")]


def profile_named(name: str, parameter: str = "--profile") -> Rules:
    """Return the rules of a profile.

    Raises:
        typer.BadParameter: if there is no such profile; it lists those that exist.
    """
    try:
        return PROFILES[name]
    except KeyError:
        raise typer.BadParameter(
            f"there is no profile {name!r}; the profiles are {', '.join(PROFILES)}", param_hint=parameter
        ) from None
