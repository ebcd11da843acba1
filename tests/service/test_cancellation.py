"""Tasks that are cancelled end, even if they miss it once."""

import asyncio

from service.cancellation import cancelled


async def nothing():
    """Work that is done at once."""


async def test_a_cancellation_that_is_swallowed_is_repeated():
    begun = asyncio.Event()
    rounds = []

    async def write_for_ever():
        task = asyncio.current_task()

        async def work():
            if not rounds:
                # In the moment the work is done: until Python 3.12 wait_for then returns as if nothing had been.
                task.cancel()
            rounds.append(1)

        await asyncio.wait_for(work(), 60)
        begun.set()
        await asyncio.sleep(3600)

    task = asyncio.create_task(write_for_ever())
    await asyncio.wait((task, asyncio.create_task(begun.wait())), return_when=asyncio.FIRST_COMPLETED)
    async with asyncio.timeout(30):
        await cancelled(task)
    assert task.done()


async def test_a_task_that_swallows_several_ends_too():
    swallowed = []

    async def stubborn():
        while len(swallowed) < 3:
            try:
                await asyncio.sleep(3600)
            except asyncio.CancelledError:
                swallowed.append(1)

    task, easy, failing = (asyncio.create_task(each) for each in (stubborn(), asyncio.sleep(3600), fail()))
    await asyncio.sleep(0)
    async with asyncio.timeout(30):
        await cancelled(task, easy, failing)
    assert (True, True, True, 3) == (task.done(), easy.cancelled(), failing.done(), len(swallowed))
    assert isinstance(failing.exception(), ValueError)


async def fail():
    raise ValueError("on its own")


async def test_tasks_that_have_ended_are_left_alone():
    done = asyncio.create_task(nothing())
    await done
    await cancelled(done)
    await cancelled()
    assert done.result() is None
