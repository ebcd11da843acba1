import pytest
from hypothesis import given
from hypothesis import strategies as st
from redis.crc import key_slot

from service.store import keys

table_ids = st.text(st.characters(codec="utf-8"), min_size=1)


@given(table_ids)
def test_all_keys_of_a_table_and_its_shard_share_a_slot(table_id):
    shard = keys.shard_of(table_id)
    names = [
        keys.table_key(table_id),
        keys.events_key(table_id),
        keys.hands_key(table_id),
        keys.played_key(table_id),
        keys.request_key(table_id, "d1ge57"),
        keys.deadlines_key(shard),
        keys.lobby_key(shard),
        keys.summaries_key(shard),
        keys.notices_channel(shard),
    ]
    assert len(set(names)) == len(names)
    assert 1 == len({key_slot(name.encode()) for name in names})


def test_shards_spread_over_tables_and_slots():
    counts = [0] * keys.SHARDS
    for n in range(25_600):
        counts[keys.shard_of(f"table-{n}")] += 1
    assert 50 < min(counts)
    assert 200 > max(counts)
    slots = {key_slot(keys.lobby_key(shard).encode()) for shard in range(keys.SHARDS)}
    assert 240 < len(slots)


@pytest.mark.parametrize(("table_id", "shard"), [("t1", 55), ("table-7", 4), ("tisch ä", 183)])
def test_the_shard_of_a_table_never_changes(table_id, shard):
    # Data of old stores lies where these numbers say.
    assert shard == keys.shard_of(table_id)


@given(table_ids)
def test_page_tokens_are_read_back(table_id):
    assert table_id == keys.page_token_table(keys.page_token(table_id))


@given(st.text())
def test_other_tokens_are_refused(token):
    with pytest.raises(ValueError, match="page_token"):
        keys.page_token_table(token)


@given(table_ids, st.data())
def test_a_changed_token_is_refused(table_id, data):
    token = keys.page_token(table_id)
    position = data.draw(st.integers(0, len(token) - 1))
    replacement = data.draw(st.sampled_from("ABCxyz019-_=").filter(lambda c: c != token[position]))
    with pytest.raises(ValueError, match="page_token"):
        keys.page_token_table(token[:position] + replacement + token[position + 1 :])


@given(table_ids, st.integers(1, 10**15))
def test_tokens_of_hands_are_read_back_for_their_table_alone(table_id, number):
    token = keys.hands_token(table_id, number)
    assert number == keys.hands_token_number(table_id, token)
    with pytest.raises(ValueError, match="page_token"):
        keys.hands_token_number(table_id + "x", token)


@given(table_ids, st.text() | st.integers(-(10**30), 10**30).map(lambda number: keys.hands_token("t1", number)))
def test_other_tokens_of_hands_are_refused(table_id, token):
    with pytest.raises(ValueError, match="page_token"):
        keys.hands_token_number(f"{table_id}t2", token)


@pytest.mark.parametrize("number", [-1, 10**18, 2**64])
def test_a_token_of_a_hand_that_cannot_be_is_refused(number):
    with pytest.raises(ValueError, match="page_token"):
        keys.hands_token_number("t1", keys.hands_token("t1", number))


def test_a_token_of_the_lobby_is_none_of_hands():
    with pytest.raises(ValueError, match="page_token"):
        keys.hands_token_number("t1", keys.page_token("t1"))
