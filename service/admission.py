"""Who is let in, and how often.

A caller with credentials is counted by them, wherever the calls come from; a caller without any by the address they
come from. A failed attempt to prove who one is weighs more than a request and is counted by address too, so guessing
soon ends in refusals. Valid credentials are never refused for what others at the same address have done.

Each worker counts for itself.
"""

import ipaddress
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import lru_cache
from urllib.parse import unquote

from service.clock import Clock
from service.credentials import Anonymous, Caller, CredentialError, Keyring, Operator
from service.errors import Reason, ServiceError
from service.limits import Buckets

FAILED_ATTEMPT_COST = 5
"""What an attempt with bad credentials costs, in requests."""

COSTS: Mapping[str, int] = {
    "stud.v1.EvaluatorService/EvaluateBatch": 10,
    "stud.v1.EvaluatorService/Odds": 25,
}
"""What the RPCs cost that keep a processor busy, in requests; all others cost one."""

_IPV6_NETWORK_BITS = 64


class Gate:
    """Says who sends a call, or refuses it.

    The rates are requests a second of one operator key, one seat token, one address without credentials; 0: no limit.
    ``on_limited`` hears of each refusal whether it was a ``caller``'s or a ``peer``'s.
    """

    def __init__(
        self,
        keyring: Keyring,
        clock: Clock,
        *,
        operator_rate: int = 0,
        seat_rate: int = 0,
        peer_rate: int = 0,
        on_limited: Callable[[str], None] = lambda limit: None,
    ) -> None:
        self._keyring = keyring
        self._clock = clock
        self._operators = Buckets(operator_rate)
        self._seats = Buckets(seat_rate)
        self._peers = Buckets(peer_rate)
        self._on_limited = on_limited

    def admit(self, authorizations: Sequence[str], peer: str, method: str) -> Caller:
        """Return who calls a method such as ``stud.v1.TableService/Act``.

        ``authorizations`` are the values of that metadata, ``peer`` is the address as grpc writes it.

        Raises:
            CredentialError: if something was sent and it is no valid credential.
            ServiceError: RATE_LIMITED with the time until the same call would be let in.
        """
        now_ms = self._clock.now_ms()
        cost = COSTS.get(method, 1)
        try:
            caller = self._identify(authorizations, now_ms)
        except CredentialError:
            self._take(self._peers, host_of(peer), FAILED_ATTEMPT_COST, now_ms)
            raise
        match caller:
            case Anonymous():
                self._take(self._peers, host_of(peer), cost, now_ms)
            case Operator():
                self._take(self._operators, caller.key_id, cost, now_ms)
            case _:
                self._take(self._seats, (caller.table_id, caller.number), cost, now_ms)
        return caller

    def _take(self, buckets: Buckets, owner: Hashable, cost: int, now_ms: int) -> None:
        wait_ms = buckets.take(owner, cost, now_ms)
        if wait_ms:
            self._on_limited("peer" if buckets is self._peers else "caller")
            raise ServiceError(
                Reason.RATE_LIMITED,
                f"too many requests: {buckets.per_second} a second are let in, the next one in {wait_ms} ms",
                retry_after_ms=wait_ms,
            )

    def _identify(self, authorizations: Sequence[str], now_ms: int) -> Caller:
        if len(authorizations) > 1:
            raise CredentialError("authorization must stand there once")
        return self._keyring.identify(authorizations[0] if authorizations else None, now_ms)


@lru_cache(maxsize=4096)  # the peer is the same for all calls of a connection
def host_of(peer: str) -> str:
    """Return what calls from one place have in common: the address without the port, the network of an IPv6 address.

    Whoever has one IPv6 address usually has all of its network.
    """
    kind, _, rest = unquote(peer).partition(":")
    if kind not in ("ipv4", "ipv6"):
        return peer
    try:
        address = ipaddress.ip_address(rest.rpartition(":")[0].strip("[]").partition("%")[0])
    except ValueError:
        return peer
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_network((address, _IPV6_NETWORK_BITS), strict=False))
