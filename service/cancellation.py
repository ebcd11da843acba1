"""Cancelling tasks so that they end.

Until Python 3.12 ``asyncio.wait_for``, which redis-py writes with, may swallow a cancellation that comes in the moment
its work is done: the task goes on as if nothing had been, and whoever waits for its end waits for ever.
"""

import asyncio
from typing import Any

_AGAIN_S = 0.1


async def cancelled(*tasks: "asyncio.Task[Any]") -> None:
    """Cancel tasks, once more whenever one goes on, and return when all have ended, whatever they ended with."""
    running = {task for task in tasks if not task.done()}
    while running:
        for task in running:
            task.cancel()
        _, running = await asyncio.wait(running, timeout=_AGAIN_S)
