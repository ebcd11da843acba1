"""The server that streams are compared with: everybody gets every message, and it ends with its client."""

import os
import sys

import pytest

from loadtest import bare_server as module
from loadtest.bare_server import LISTEN, SEND, bare_server
from loadtest.crowd import Crowd, own_channel
from loadtest.server import ServerFailed


async def test_everybody_gets_every_message_and_then_it_ends():
    with bare_server() as server:
        channel = own_channel(server.address)

        async def send():
            await channel.unary_unary(SEND)(b"")

        crowd = Crowd(server.address, LISTEN)
        await crowd.come(60, b"")
        heard = await crowd.hear(send, 30)
        await crowd.go()
        await crowd.close()
        await channel.close()
    assert (30 * 60, 30) == (len(heard.delays_s), len(heard.slowest_s))
    with pytest.raises(ProcessLookupError):
        os.kill(server.pid, 0)


def test_one_that_does_not_start_says_so(monkeypatch):
    monkeypatch.setattr(module, "_PROGRAM", (sys.executable, "-c", ""))
    with pytest.raises(ServerFailed, match="did not start"), bare_server():
        pass
