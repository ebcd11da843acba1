"""What the engine refuses.

EngineError
├── RulesError       a ``Rules`` record contradicts itself; carries every violation
├── StartError       a hand cannot be started from these arguments
├── OddsError        chances that cannot be told from these arguments
└── IllegalAction    an action that is not allowed now; carries a reason and changes nothing
"""

import msgspec


class Violation(msgspec.Struct, frozen=True):
    """One thing that is wrong with a record: the field, the value it has, and why that cannot be."""

    field: str
    value: str
    reason: str

    def __str__(self) -> str:
        return f"{self.field} = {self.value}: {self.reason}"


class EngineError(Exception):
    """The root of everything the engine refuses."""


class RulesError(EngineError, ValueError):
    """A contradictory or impossible ``Rules`` record, with every violation named."""

    def __init__(self, violations: tuple[Violation, ...]) -> None:
        super().__init__("; ".join(map(str, violations)))
        self.violations = violations


class StartError(EngineError, ValueError):
    """A hand that cannot start; ``field`` names the argument of ``start`` that is at fault."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}")
        self.field = field


class OddsError(EngineError, ValueError):
    """Chances that cannot be told; ``argument`` of ``odds`` is at fault (``hands[0].up``), ``reason`` says why."""

    def __init__(self, argument: str, reason: str) -> None:
        super().__init__(f"{argument}: {reason}")
        self.argument = argument
        self.reason = reason


class IllegalAction(EngineError):
    """An action that is not allowed in this state; ``reason`` says why and what is allowed."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
