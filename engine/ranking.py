"""The knobs of the hand ranking (rules, section 1)."""

import msgspec

from engine.knobs import FiveOfAKind


class Ranking(msgspec.Struct, frozen=True):
    """How hands compare where house rules differ; ``STANDARD`` is the ordinary way.

    double_ace_flush: each wild card in a flush is an ace, even beside a natural ace.
    five_of_a_kind: whether it beats every straight flush, or every straight flush but a royal one.
    natural_beats_wild: among otherwise equal hands those that need no wild card win.

    Raises:
        ValueError: if a knob has a value that does not exist.
    """

    double_ace_flush: bool = False
    five_of_a_kind: FiveOfAKind = FiveOfAKind.ABOVE_STRAIGHT_FLUSH
    natural_beats_wild: bool = False

    def __post_init__(self) -> None:
        for name in ("double_ace_flush", "natural_beats_wild"):
            if not isinstance(getattr(self, name), bool):
                raise ValueError(f"{name}: {getattr(self, name)!r} is neither True nor False")
        if self.five_of_a_kind not in tuple(FiveOfAKind):
            raise ValueError(f"five_of_a_kind: {self.five_of_a_kind!r} is none of {', '.join(FiveOfAKind)}")


STANDARD = Ranking()
