import asyncio

import pytest

from service.credentials import Anonymous, Operator, SeatHolder
from service.errors import Reason, ServiceError
from service.streams import Streams

OPERATOR = Operator("acme", "acme/1")
PEER = "ipv4:10.0.0.1:4001"


def holder(table_id="t", seat=1, number=1):
    return SeatHolder("acme", table_id, seat, "ann", number, 2_000_000_000)


def test_a_caller_has_as_many_as_allowed_and_gets_another_when_one_ends():
    streams = Streams(operator_limit=3, caller_limit=2)
    for caller, limit in ((OPERATOR, 3), (holder(), 2), (Anonymous(), 2)):
        closes = [streams.open(caller, PEER) for _ in range(limit)]
        with pytest.raises(ServiceError) as refusal:
            streams.open(caller, PEER)
        assert (Reason.TOO_MANY_STREAMS, {"limit": str(limit)}) == (refusal.value.reason, refusal.value.metadata)
        assert limit == streams.count
        closes.pop()()
        closes.append(streams.open(caller, PEER))
        for close in closes:
            close()
        assert 0 == streams.count


@pytest.mark.parametrize(
    ("caller", "peer"),
    [
        (Operator("acme", "acme/2"), PEER),
        (holder("u"), PEER),
        (holder(seat=2), PEER),
        (holder(number=2), PEER),
        (Anonymous(), "ipv4:10.0.0.2:4001"),
        (Anonymous(), "ipv6:%5B::1%5D:4001"),
        (Anonymous(), "ipv6:%5B2001:db8:0:2::1%5D:4001"),
        (Anonymous(), "unix:"),
    ],
)
def test_others_have_limits_of_their_own(caller, peer):
    streams = Streams(operator_limit=1, caller_limit=1)
    for other in (OPERATOR, holder(), Anonymous()):
        streams.open(other, PEER)
    streams.open(caller, peer)
    with pytest.raises(ServiceError):
        streams.open(caller, peer)


@pytest.mark.parametrize(
    "peer", ["ipv4:10.0.0.1:{}", "ipv6:%5B::1%5D:{}", "ipv6:%5B::ffff:10.0.0.1%5D:{}", "ipv6:%5B2001:db8::{}%5D:1"]
)
def test_more_connections_and_more_addresses_of_one_network_do_not_help(peer):
    streams = Streams(caller_limit=2)
    streams.open(Anonymous(), peer.format(4001))
    streams.open(Anonymous(), peer.format(4002))
    with pytest.raises(ServiceError):
        streams.open(Anonymous(), peer.format(4003))


async def test_a_message_that_is_not_taken_ends_the_stream():
    with pytest.raises(ServiceError) as refusal:
        await Streams(patience_s=0.01).send(asyncio.sleep(60))
    assert Reason.WATCHER_TOO_SLOW == refusal.value.reason
    assert refusal.value.retry_after_ms


async def test_other_errors_of_a_write_are_not_slowness():
    async def write():
        raise TimeoutError("of somebody else")

    with pytest.raises(TimeoutError, match="somebody else"):
        await Streams(patience_s=60).send(write())
