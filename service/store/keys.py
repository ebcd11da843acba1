"""Where the bytes of a table lie in Redis or Valkey.

A table belongs to one of 256 shards. Every key of a table and its shard's indexes carry the shard's hash tag,
so that one script may touch them all, on a cluster too:

    dugout:shards                       the count of shards, for the whole store
    dugout:{s042}:table:<table id>      hash: version, etag, snapshot
    dugout:{s042}:events:<table id>     stream: the events of a version under the id <version>-0
    dugout:{s042}:hands:<table id>      stream: the record of a kept hand under the id <number>-<ended ms>; expires
    dugout:{s042}:played:<table id>     stream: the events of its versions under the same id; expires
    dugout:{s042}:request:<digest>      what a request id was answered with; expires
    dugout:{s042}:deadlines             sorted set: table id by its deadline in milliseconds
    dugout:{s042}:lobby                 sorted set: tenant NUL table id, in lexicographic order
    dugout:{s042}:summaries             hash: lobby entry by table id
    dugout:{s042}:notices               channel: "<version> <table id>" of every commit
"""

import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode
from zlib import crc32

SHARDS = 256
SHARDS_KEY = "dugout:shards"

_CHECKSUM_BYTES = 4
_DIGITS_MOST = 18


def shard_of(table_id: str) -> int:
    """Return the shard of a table, 0 to 255. The same everywhere and for ever: data lies where it says."""
    return crc32(table_id.encode()) % SHARDS


def shard_prefix(shard: int) -> str:
    """Return what every key of a shard begins with; the part in braces decides the slot on a cluster."""
    return f"dugout:{{s{shard:03d}}}:"


def table_key(table_id: str) -> str:
    """Return the key of a table's version, etag and snapshot."""
    return f"{shard_prefix(shard_of(table_id))}table:{table_id}"


def events_key(table_id: str) -> str:
    """Return the key of a table's events."""
    return f"{shard_prefix(shard_of(table_id))}events:{table_id}"


def hands_key(table_id: str) -> str:
    """Return the key of the records of a table's kept hands."""
    return f"{shard_prefix(shard_of(table_id))}hands:{table_id}"


def played_key(table_id: str) -> str:
    """Return the key of the events of a table's kept hands."""
    return f"{shard_prefix(shard_of(table_id))}played:{table_id}"


def request_key(table_id: str, scope: str) -> str:
    """Return the key under which the answer to a request for a table is remembered."""
    return f"{shard_prefix(shard_of(table_id))}request:{scope}"


def deadlines_key(shard: int) -> str:
    """Return the key of a shard's deadlines."""
    return shard_prefix(shard) + "deadlines"


def lobby_key(shard: int) -> str:
    """Return the key of a shard's lobby index."""
    return shard_prefix(shard) + "lobby"


def summaries_key(shard: int) -> str:
    """Return the key of a shard's lobby entries."""
    return shard_prefix(shard) + "summaries"


def notices_channel(shard: int) -> str:
    """Return the channel on which a shard's commits are announced."""
    return shard_prefix(shard) + "notices"


def lobby_member(tenant: str, table_id: str) -> bytes:
    """Return a table's member of the lobby index. A tenant's name must not hold a NUL."""
    return f"{tenant}\0{table_id}".encode()


def lobby_range(tenant: str, after_table_id: str) -> tuple[bytes, bytes]:
    """Return the lexicographic bounds of a tenant's tables that follow a table id (empty: of all)."""
    return b"(" + lobby_member(tenant, after_table_id), f"({tenant}\1".encode()


def page_token(table_id: str) -> str:
    """Return the token of the page that follows a table; its shard follows from its id."""
    return _token(table_id)


def page_token_table(token: str) -> str:
    """Return the table id of a page token; ValueError on anything ``page_token`` did not make."""
    return _token_text(token)


def hands_token(table_id: str, number: int) -> str:
    """Return the token of the page that follows a hand of a table, towards the older ones."""
    return _token(f"{table_id}#{number}")


def hands_token_number(table_id: str, token: str) -> int:
    """Return the hand of a page token; ValueError on anything ``hands_token`` did not make for this table."""
    of_table, _, number = _token_text(token).rpartition("#")
    if of_table != table_id or len(number) > _DIGITS_MOST or not number.isdecimal():
        raise _not_given_out(token)
    if hands_token(table_id, int(number)) != token:
        raise _not_given_out(token)
    return int(number)


def _token(text: str) -> str:
    encoded = text.encode()
    checksum = crc32(encoded).to_bytes(_CHECKSUM_BYTES, "big")
    return urlsafe_b64encode(checksum + encoded).decode()


def _token_text(token: str) -> str:
    try:
        raw = urlsafe_b64decode(token.encode("ascii"))
        text = raw[_CHECKSUM_BYTES:].decode()
    except (binascii.Error, UnicodeError) as error:
        raise _not_given_out(token) from error
    if not text or _token(text) != token:
        raise _not_given_out(token)
    return text


def _not_given_out(token: str) -> ValueError:
    return ValueError(f"page_token {token!r} is not one that was given out")
