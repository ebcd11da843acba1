"""What "stored" promises before a commit is acknowledged."""

from typing import Literal, Self, cast

from msgspec import Struct

_MODES = ("memory", "aof", "always")
_ALLOWED = "memory, aof, always or replicas:N with N from 1 on"


class Durability(Struct, frozen=True):
    """How safe an acknowledged commit is.

    ``memory``: as long as the store lives; ``aof``: up to a second may go with a killed store; ``always``: on
    disk; ``replicas``: in the memory of ``replicas`` copies besides the primary.
    The first three are settings of the store itself: an embedded one is started with them, an external one
    has its own. Only ``replicas`` changes what a commit waits for.
    """

    mode: Literal["memory", "aof", "always", "replicas"]
    replicas: int = 0

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``memory``, ``aof``, ``always`` or ``replicas:N``; ValueError on anything else."""
        if text in _MODES:
            return cls(cast(Literal["memory", "aof", "always"], text))
        mode, _, count = text.partition(":")
        if mode == "replicas" and count.isascii() and count.isdigit() and int(count) > 0:
            return cls("replicas", int(count))
        raise ValueError(f"durability {text!r} is not one of {_ALLOWED}")

    def __str__(self) -> str:
        return f"replicas:{self.replicas}" if self.mode == "replicas" else self.mode
