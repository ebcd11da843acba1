"""What names the running call wherever something is said about it: in the log, in a trace, to the caller.

A call gets its id from the server, a random start for each process and a number, and the caller reads it in the
trailing metadata: who reports a call that went wrong reports the id, and the operator finds the call in the log.
"""

import secrets
from contextvars import ContextVar
from itertools import count

import msgspec

CALL_ID_KEY = "dugout-call-id"
"""The trailing metadata that carries the id."""


class CallTag(msgspec.Struct):
    """The names of one call. ``request_id`` and ``tenant`` are filled in once they are known to be good."""

    call_id: str
    request_id: str = ""
    tenant: str = ""

    def said(self) -> dict[str, str]:
        """Return what a log line says of the call."""
        said = {"call_id": self.call_id}
        if self.request_id:
            said["request_id"] = self.request_id
        if self.tenant:
            said["tenant"] = self.tenant
        return said


_START = secrets.token_hex(4)
_numbers = count(1)

_current: ContextVar[CallTag | None] = ContextVar("call_tag", default=None)


def new_tag() -> CallTag:
    """Return the tag of the call that begins here, the current one from now on."""
    tag = CallTag(f"{_START}{next(_numbers) & 0xFFFFFFFF:08x}")
    _current.set(tag)
    return tag


def current_tag() -> CallTag | None:
    """Return the tag of the running call; None outside one."""
    return _current.get()
