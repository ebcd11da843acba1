"""Kept hands against real servers: complete, bounded, and gone with their table."""

import asyncio
import time

import pytest
from msgspec.structs import replace
from redis.crc import key_slot

from service.store import keys
from service.store.base import Conflict, FinishedHand, KeptHand, OutcomeUnknown, RequestKey, StoreError
from service.store.hands import oldest_kept

START_MS = 1_700_000_000_000
HOUR_MS = 3_600_000


async def begin(table, store):
    if not table.version:
        await table.write(store)


async def play(store, table, number, *, commits=3, ended_ms=None, **fields):
    """Write the commits of a hand and return what should be kept of it."""
    await begin(table, store)
    first = table.version + 1
    for _ in range(commits - 1):
        await table.write(store, events_from=first)
    ended_ms = START_MS + number * 1000 if ended_ms is None else ended_ms
    record = f"hand {number}".encode()
    await table.write(store, finished=FinishedHand(number, first, ended_ms, record), **fields)
    return KeptHand(record, [f"events {version}".encode() for version in range(first, first + commits)])


async def numbers(store, table, since_ms=0):
    """The numbers of all hands that are listed."""
    page = await store.list_hands(table.table_id, 1000, "", since_ms)
    assert "" == page.next_page_token
    return [int(record.split()[1]) for record in page.records]


def keys_of_hands(table):
    return [keys.hands_key(table.table_id), keys.played_key(table.table_id)]


class TestAFinishedHand:
    async def test_it_is_kept_with_the_events_of_its_commits_and_no_others(self, store, table):
        first = await play(store, table, 1)
        await table.write(store)
        second = await play(store, table, 2, commits=5)
        await table.write(store)
        assert [first, second] == [await store.hand(table.table_id, number, 0) for number in (1, 2)]
        assert [2, 1] == await numbers(store, table)

    async def test_one_that_begins_and_ends_in_one_commit(self, store, table):
        kept = await play(store, table, 1, commits=1)
        assert 1 == len(kept.events)
        assert kept == await store.hand(table.table_id, 1, 0)

    async def test_any_bytes_come_back(self, store, table):
        blobs = [b"", b":", b"3:abc", b"\x00\xff\r\n" * 5000, b"12"]
        await begin(table, store)
        first = table.version + 1
        for blob in blobs[:-1]:
            await table.write(store, events_from=first, events=blob)
        await table.write(store, events=blobs[-1], finished=FinishedHand(1, first, START_MS, b"\x00\xfe"))
        assert KeptHand(b"\x00\xfe", blobs) == await store.hand(table.table_id, 1, 0)

    async def test_what_was_not_played_is_not_there(self, store, table, new_table):
        await play(store, table, 1)
        for number in (0, 2, 2**63 - 1):
            assert await store.hand(table.table_id, number, 0) is None
        assert await store.hand(new_table().table_id, 1, 0) is None
        assert [] == await numbers(store, new_table())

    async def test_one_that_is_refused_is_not_kept(self, store, table):
        await begin(table, store)
        hand = FinishedHand(1, 2, START_MS, b"never")
        assert isinstance(await store.commit(table.change(expected_etag="1-x", finished=hand)), Conflict)
        assert await store.hand(table.table_id, 1, 0) is None

    async def test_a_repeated_commit_keeps_it_once(self, store, table):
        request = RequestKey("ab12", b"body")
        kept = await play(store, table, 1, request=request)
        again = table.change(request=request, finished=FinishedHand(1, 2, START_MS, b"again"))
        await store.commit(again)
        assert kept == await store.hand(table.table_id, 1, 0)

    async def test_its_end_survives_a_lost_answer_with_the_hand(self, link, open_store, table):
        store = await open_store(link.url)
        await begin(table, store)
        commit = table.change(request=RequestKey("ab12", b"b"), finished=FinishedHand(1, 2, START_MS, b"hand 1"))
        link.mode = "cut_reply"
        with pytest.raises(OutcomeUnknown):
            await store.commit(commit)
        await store.commit(commit)
        assert KeptHand(b"hand 1", [b"events 2"]) == await store.hand(table.table_id, 1, 0)
        assert [1] == await numbers(store, table)

    @pytest.mark.parametrize(
        "hand",
        [
            FinishedHand(0, 1, START_MS, b""),
            FinishedHand(1, 0, START_MS, b""),
            FinishedHand(1, 9, START_MS, b""),
            FinishedHand(1, 1, -1, b""),
        ],
    )
    async def test_one_that_cannot_be_is_refused(self, store, table, hand):
        await begin(table, store)
        with pytest.raises(ValueError, match=f"hand {hand.number} from version {hand.first_version}"):
            await store.commit(table.change(finished=hand))

    async def test_damaged_events_are_no_hand(self, store, table, admin):
        await play(store, table, 1)
        played = keys.played_key(table.table_id)
        for damaged in (b"5:abc", b"x:abc", b"abc", b"-1:", b":", b"3:abc7"):
            admin.delete(played)
            admin.xadd(played, {"p": damaged}, id=f"1-{START_MS}")
            with pytest.raises(StoreError, match="hand 1 of table"):
                await store.hand(table.table_id, 1, 0)


class TestTheEventsOfARunningHand:
    async def test_they_stay_however_few_events_are_kept(self, server, open_store, table):
        store = await open_store(server.url, events_kept=1)
        kept = await play(store, table, 1, commits=700)
        assert kept == await store.hand(table.table_id, 1, 0)

    async def test_they_go_when_it_is_over(self, server, open_store, table):
        store = await open_store(server.url, events_kept=1)
        for number in range(1, 4):
            await play(store, table, number, commits=300)
        page = await store.events(table.table_id, 0, 1)
        assert page.oldest_version > 300

    async def test_a_hand_without_end_takes_up_no_more_than_the_bound(self, server, open_store, table, monkeypatch):
        monkeypatch.setattr("service.store.hands.HAND_COMMITS_MOST", 150)
        store = await open_store(server.url, events_kept=1)
        first = await play(store, table, 1, commits=150)
        assert first == await store.hand(table.table_id, 1, 0)
        await play(store, table, 2, commits=600)
        assert await store.hand(table.table_id, 2, 0) is None
        assert (await store.events(table.table_id, 0, 1)).oldest_version > 200
        third = await play(store, table, 3)
        assert third == await store.hand(table.table_id, 3, 0)
        assert [3, 1] == await numbers(store, table)

    @pytest.mark.parametrize(
        ("version", "events_from", "finished_from", "oldest"),
        [
            (100, None, None, 91),
            (100, 50, None, 50),
            (100, 91, None, 91),
            (100, 95, None, 91),
            (100, None, 50, 50),
            (100, None, 95, 91),
            (3, None, None, 0),
            (3, 1, None, 0),
            (10_000, 1, None, 1),
            (10_001, 1, None, 2),
            (20_000, None, 1, 10_001),
        ],
    )
    def test_the_last_ten_stay_and_those_of_the_hand_up_to_ten_thousand(
        self, new_table, version, events_from, finished_from, oldest
    ):
        """The store trims by whole blocks and keeps some more: what it is told is exact."""
        finished = None if finished_from is None else FinishedHand(1, finished_from, START_MS, b"")
        commit = replace(new_table().change(), version=version, events_from=events_from, finished=finished)
        assert oldest == oldest_kept(commit, 10)


class TestBounds:
    async def test_the_last_ones_are_kept(self, server, open_store, table, admin):
        store = await open_store(server.url, hands_kept=3)
        for number in range(1, 8):
            await play(store, table, number)
            assert list(range(number, max(number - 3, 0), -1)) == await numbers(store, table)
        assert [3, 3] == [admin.xlen(key) for key in keys_of_hands(table)]
        assert await store.hand(table.table_id, 4, 0) is None
        assert await store.hand(table.table_id, 5, 0) is not None

    async def test_gaps_in_the_numbers_do_no_harm(self, server, open_store, table):
        store = await open_store(server.url, hands_kept=3)
        for number in (1, 2, 4, 9):
            await play(store, table, number)
        assert [9] == await numbers(store, table)

    async def test_old_ones_go_when_a_hand_ends(self, server, open_store, table, admin):
        store = await open_store(server.url, hands_ttl_s=3600)
        for number, minutes in ((1, 0), (2, 1), (3, 30), (4, 61)):
            await play(store, table, number, ended_ms=START_MS + minutes * 60_000)
        assert [4, 3, 2] == await numbers(store, table)
        assert [3, 3] == [admin.xlen(key) for key in keys_of_hands(table)]
        await play(store, table, 5, ended_ms=START_MS + 100 * HOUR_MS)
        assert [5] == await numbers(store, table)

    async def test_old_ones_are_not_shown_before_they_go(self, store, table):
        for number in (1, 2, 3):
            await play(store, table, number, ended_ms=START_MS + number)
        assert [3, 2] == await numbers(store, table, START_MS + 2)
        assert await store.hand(table.table_id, 1, START_MS + 2) is None
        assert await store.hand(table.table_id, 2, START_MS + 2) is not None

    async def test_all_of_them_expire_after_the_last(self, server, open_store, table, admin):
        store = await open_store(server.url, hands_ttl_s=50)
        await play(store, table, 1)
        for key in keys_of_hands(table):
            admin.pexpire(key, 1000)
        await play(store, table, 2)
        assert all(40 < admin.ttl(key) <= 50 for key in keys_of_hands(table))

    async def test_nothing_is_written_while_a_hand_runs(self, store, table, admin):
        await play(store, table, 1)
        before = [admin.dump(key) for key in keys_of_hands(table)]
        first = table.version + 1
        for _ in range(3):
            await table.write(store, events_from=first)
        assert before == [admin.dump(key) for key in keys_of_hands(table)]


class TestDeletedTables:
    async def test_their_hands_are_gone_at_once(self, store, table, new_table, admin):
        await play(store, table, 1)
        await table.write(store, delete=True, request=RequestKey("ab12", b"b"))
        assert await store.hand(table.table_id, 1, 0) is None
        assert [0, 0] == [admin.exists(key) for key in keys_of_hands(table)]
        again = new_table(table.table_id)
        kept = await play(store, again, 1)
        assert kept == await store.hand(table.table_id, 1, 0)

    async def test_a_deleting_commit_ends_no_hand(self, store, table):
        await begin(table, store)
        with pytest.raises(ValueError, match="keeps no hand"):
            await store.commit(table.change(delete=True, finished=FinishedHand(1, 1, START_MS, b"")))

    @pytest.mark.parametrize(("again", "later_ms"), [(2, 0), (3, 1), (3, 0), (3, -1)])
    async def test_hands_of_a_future_that_was_lost_make_room(self, store, table, again, later_ms):
        for number in (1, 2, 3):
            await play(store, table, number)
        kept = await play(store, table, again, ended_ms=START_MS + again * 1000 + later_ms)
        assert kept == await store.hand(table.table_id, again, 0)
        assert [again] == await numbers(store, table)


class TestPages:
    async def test_they_hold_every_hand_once_the_newest_first(self, store, table):
        for number in range(1, 8):
            await play(store, table, number, commits=1)
        for size in (1, 2, 3, 7, 100):
            found, token = [], ""
            while True:
                page = await store.list_hands(table.table_id, size, token, 0)
                assert len(page.records) <= size
                found += page.records
                token = page.next_page_token
                if not token:
                    break
            assert [f"hand {number}".encode() for number in range(7, 0, -1)] == found

    async def test_a_hand_that_ends_meanwhile_moves_nothing(self, store, table):
        for number in (1, 2, 3):
            await play(store, table, number)
        page = await store.list_hands(table.table_id, 2, "", 0)
        await play(store, table, 4)
        rest = await store.list_hands(table.table_id, 2, page.next_page_token, 0)
        assert [b"hand 1"] == rest.records

    async def test_the_last_page_ends_where_age_does(self, store, table):
        for number in range(1, 6):
            await play(store, table, number, ended_ms=START_MS + number)
        page = await store.list_hands(table.table_id, 2, "", START_MS + 4)
        assert ([b"hand 5", b"hand 4"], "") == (page.records, page.next_page_token)

    async def test_a_token_of_another_table_is_refused(self, store, table, new_table):
        for number in (1, 2):
            await play(store, table, number)
        token = (await store.list_hands(table.table_id, 1, "", 0)).next_page_token
        assert token
        for table_id, wrong in ((new_table().table_id, token), (table.table_id, token + "x"), (table.table_id, "x")):
            with pytest.raises(ValueError, match="page_token"):
                await store.list_hands(table_id, 1, wrong, 0)

    async def test_a_page_holds_something(self, store, table):
        with pytest.raises(ValueError, match="page_size is 0"):
            await store.list_hands(table.table_id, 0, "", 0)


async def test_a_hand_ends_on_a_cluster(spawn_server, open_store, new_table):
    node, _ = spawn_server(**{"cluster-enabled": "yes"})
    node.execute_command("CLUSTER ADDSLOTSRANGE", 0, 16383)
    give_up = time.monotonic() + 15
    while node.execute_command("CLUSTER INFO")["cluster_state"] != "ok":
        assert time.monotonic() < give_up
        await asyncio.sleep(0.02)
    store = await open_store(f"redis://127.0.0.1:{node.get_connection_kwargs()['port']}")
    table = new_table()
    for request in (None, RequestKey("ab12", b"b")):
        kept = await play(store, table, table.version + 1, request=request)
        assert kept == await store.hand(table.table_id, int(kept.record.split()[1]), 0)
    await table.write(store, delete=True)
    assert 1 == len({key_slot(key.encode()) for key in [*keys_of_hands(table), keys.table_key(table.table_id)]})
