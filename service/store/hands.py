"""Kept hands in Redis or Valkey: what ``commit.lua`` is told of one that ends, and how they are read.

The record of a hand lies in one stream and its events in another one, under the same id: ``<number>-<ended ms>``. So
records are listed without their events, and number and age are there without reading either. The events blobs of a
hand's commits are one string of netstrings: ``<length>:<blob>``, one after the other.
"""

from typing import Any

from redis.asyncio import Redis

from service.store import keys
from service.store.base import HAND_COMMITS_MOST, Commit, FinishedHand, HandPage, KeptHand
from service.store.failures import readable


def script_arguments(hand: FinishedHand, hands_kept: int, keep_ms: int) -> list[Any]:
    """Return what the commit script needs to keep a hand."""
    return [hand.number, hand.first_version, hand.ended_ms, hand.record, hands_kept, keep_ms]


def oldest_kept(commit: Commit, events_kept: int) -> int:
    """Return the oldest version whose events stay: those of the last commits, and of the hand that is played."""
    oldest = commit.version - events_kept + 1
    hand_from = commit.events_from if commit.finished is None else commit.finished.first_version
    if hand_from is not None:
        oldest = min(oldest, max(hand_from, commit.version - HAND_COMMITS_MOST + 1))
    return max(oldest, 0)


async def read_hand(client: Redis, table_id: str, number: int, ended_since_ms: int) -> KeptHand | None:
    """Return a hand, None if it is not kept or ended before an instant."""
    async with client.pipeline(transaction=True) as pipe:
        for key in (keys.hands_key(table_id), keys.played_key(table_id)):
            pipe.xrange(key, min=str(number), max=str(number))
        records, played = await pipe.execute()
    if not records or not played or _ended_ms(records[0][0]) < ended_since_ms:
        return None
    with readable(f"hand {number} of table {table_id}"):
        return KeptHand(records[0][1][b"r"], _split(played[0][1][b"p"]))


async def read_page(client: Redis, table_id: str, page_size: int, page_token: str, ended_since_ms: int) -> HandPage:
    """Return a page of records, the newest first; ValueError on a token that was not given out for this table."""
    # Numbers count from 1, so nothing comes before the first one.
    before = keys.hands_token_number(table_id, page_token) if page_token else None
    newest = "+" if before is None else str(max(before - 1, 0))
    found: Any = await client.xrevrange(keys.hands_key(table_id), max=newest, count=page_size + 1)
    with readable(f"the hands of table {table_id}"):
        young = [(entry_id, fields[b"r"]) for entry_id, fields in found if _ended_ms(entry_id) >= ended_since_ms]
    page = young[:page_size]
    more = len(young) > page_size
    return HandPage([record for _, record in page], keys.hands_token(table_id, _number(page[-1][0])) if more else "")


def _number(entry_id: bytes) -> int:
    return int(entry_id.partition(b"-")[0])


def _ended_ms(entry_id: bytes) -> int:
    return int(entry_id.partition(b"-")[2])


def _split(netstrings: bytes) -> list[bytes]:
    blobs = []
    at = 0
    while at < len(netstrings):
        colon = netstrings.find(b":", at)
        length = netstrings[at:colon]
        end = colon + 1 + int(length) if length.isdigit() else -1
        if colon < 0 or not colon < end <= len(netstrings):
            raise ValueError("the events of a kept hand cannot be told apart")
        blobs.append(netstrings[colon + 1 : end])
        at = end
    return blobs
