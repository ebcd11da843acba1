"""What a server has to be like before tables are put there: it keeps what it is given, and its user may do all that is
needed. Found out at the start, as it would show in the middle of a commit otherwise, or when tables are gone.
"""

import logging
from importlib.resources import files
from typing import Any

from redis.asyncio import Redis
from redis.exceptions import NoPermissionError

from service.store import keys
from service.store.base import StoreUnfit

_SCRIPT = files(__package__).joinpath("permissions.lua").read_text()
_KEEPS_EVERYTHING = "noeviction"

_log = logging.getLogger(__name__)


async def check_server(client: Redis, shard: int) -> None:
    """Raise StoreUnfit if the server of a shard may forget what it is given, or does not allow what is needed."""
    await _check_permissions(client, shard)
    await _check_policy(client)


async def _check_permissions(client: Redis, shard: int) -> None:
    allow = 'allow it the keys "~dugout:*", the channels "&dugout:*" and the commands'
    try:
        refused: Any = await client.eval(_SCRIPT, 1, keys.lobby_key(shard), keys.notices_channel(shard))
    except NoPermissionError as error:
        raise StoreUnfit(f"the user of the store may not even find out what it may do ({error}): {allow}") from error
    if refused:
        names = ", ".join(name.decode() for name in refused)
        raise StoreUnfit(f"the user of the store may not run {names} as needed: {allow}")


async def _check_policy(client: Redis) -> None:
    try:
        policy = (await client.info("memory")).get("maxmemory_policy", _KEEPS_EVERYTHING)
    except NoPermissionError:
        _log.warning("the user of the store may not run INFO: make sure that maxmemory-policy is %s", _KEEPS_EVERYTHING)
        return
    if policy != _KEEPS_EVERYTHING:
        raise StoreUnfit(
            f"the store has maxmemory-policy {policy}: when its memory is full it would drop tables, or forget "
            f"requests that are repeated; set it to {_KEEPS_EVERYTHING}"
        )
