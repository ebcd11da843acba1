"""What a server of the store holds."""

import redis

from service.store.base import RequestKey

REQUEST = RequestKey("5c09e0", b"body")


def contents(client: redis.Redis) -> dict[bytes, bytes]:
    """Everything a server holds."""
    return {key: client.dump(key) for key in client.scan_iter()}
