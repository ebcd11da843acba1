"""Running ``dugout`` as a shell would, in this process."""

from collections.abc import Callable
from typing import NamedTuple

import pytest

from service.cli import main


class Outcome(NamedTuple):
    """What a command left behind."""

    status: int
    out: str
    err: str


Dugout = Callable[..., Outcome]


@pytest.fixture
def dugout(capsys: pytest.CaptureFixture[str]) -> Dugout:
    """Return a function that runs ``dugout`` with some arguments."""

    def run(*arguments: str) -> Outcome:
        with pytest.raises(SystemExit) as exit_:
            main(arguments)
        status = exit_.value.code
        return Outcome(status if isinstance(status, int) else 0, *capsys.readouterr())

    return run
