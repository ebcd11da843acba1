import asyncio
import re

from service.call_tag import CallTag, current_tag, new_tag


async def test_every_call_has_its_own():
    async def call() -> CallTag:
        tag = new_tag()
        await asyncio.sleep(0)
        assert tag is current_tag()
        return tag

    tags = await asyncio.gather(*(asyncio.create_task(call()) for _ in range(50)))
    assert 50 == len({tag.call_id for tag in tags})
    assert all(re.fullmatch("[0-9a-f]{16}", tag.call_id) for tag in tags)


def test_what_is_not_known_is_not_said():
    assert {"call_id": "a"} == CallTag("a").said()
    assert {"call_id": "a", "request_id": "b", "tenant": "c"} == CallTag("a", "b", "c").said()
