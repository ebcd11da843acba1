import random
import zlib
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import engine
from engine.cards import FULL_DECK
from service import seating
from service.snapshot import (
    SnapshotError,
    decode_happening,
    decode_record,
    decode_summary,
    decode_table,
    encode_happening,
    encode_record,
    encode_summary,
    encode_table,
)
from service.table import Settings, Table
from service.table_events import Happening, SeatTaken, Shuffled, TableCreated
from tests.service.played_hands import a_table as a_seated_table
from tests.service.played_hands import play_hand, two_decks

OLD = Path(__file__).parents[1] / "data" / "snapshot-schema-1.hex"
PROFILES = sorted(engine.PROFILES)


def a_table(profile: str, seed: int) -> tuple[Table, list]:
    """Return a table in the middle of a random hand, and what happened in that hand."""
    rng = random.Random(seed)
    rules = engine.PROFILES[profile]
    table = Table("table-1", "acme", profile, rules, Settings(name="Ünder ♠"), 7, "7-abc", 1_000, 2_000)
    for number in range(rng.randint(2, rules.max_players)):
        table = seating.take_seat(table, f"player{number}", 0, rng.choice((1, 30, 500))).table
    deck = list(FULL_DECK)
    rng.shuffle(deck)
    stacks = {each.seat: each.stack for each in table.seats}
    step = engine.start(rules, stacks, max(stacks), deck)
    events = list(step.events)
    for _ in range(rng.randint(0, 25)):
        if step.state.finished:
            break
        choice = rng.choice(engine.legal_actions(step.state).choices)
        step = engine.step(step.state, engine.Action(choice.kind, choice.max))
        events += step.events
    deadline_ms = None if step.state.finished else 9_000
    table, _ = seating.settle(replace(table, hand_number=1, button=max(stacks), deadline_ms=deadline_ms), step.state)
    return table, events


@settings(max_examples=60)
@given(st.sampled_from(PROFILES), st.integers(0, 10**6))
def test_a_table_comes_back_as_it_was(profile, seed):
    table, events = a_table(profile, seed)
    assert table == decode_table(encode_table(table))
    shuffled = Shuffled(bytes(FULL_DECK), bytes(reversed(FULL_DECK)))
    happening = Happening(7, "7-abc", 1, 5, (TableCreated(), SeatTaken(1, "ann", 3), *events), shuffled)
    assert happening == decode_happening(encode_happening(happening))
    assert table.summary() == decode_summary(encode_summary(table.summary()))


@settings(max_examples=80)
@given(st.integers(0, 10**6), st.data())
def test_a_flipped_bit_is_noticed(seed, data):
    table, _ = a_table("baseball", seed)
    encoded = bytearray(encode_table(table))
    place = data.draw(st.integers(0, len(encoded) * 8 - 1))
    encoded[place // 8] ^= 1 << place % 8
    with pytest.raises(SnapshotError):
        decode_table(bytes(encoded))


@pytest.mark.parametrize("length", [0, 1, 4, 5, 100])
def test_what_is_cut_off_is_noticed(length):
    encoded = encode_table(a_table("baseball", 1)[0])
    with pytest.raises(SnapshotError, match="head alone needs 5" if length < 5 else "does not match"):
        decode_table(encoded[:length])


@given(st.sampled_from(PROFILES), st.integers(0, 10**6), st.booleans())
def test_the_record_of_a_hand_comes_back_as_it_was(profile, seed, own_game):
    rng = random.Random(seed)
    record = play_hand(rng, a_seated_table(rng, profile), two_decks(rng)).hand.record
    record = replace(record, rules=engine.PROFILES[profile] if own_game else None)
    assert record == decode_record(encode_record(record))


def test_what_was_written_before_hands_were_kept_is_read():
    """Records end where they did then: the fields that have come since have their defaults."""
    table, events = a_table("baseball", 5)
    shorter = msgspec.to_builtins(table)[:-2]
    old_table = headed(msgspec.msgpack.encode(shorter))
    assert replace(table, dealt_version=0, dealt_ms=0) == decode_table(old_table)
    happening = Happening(7, "7-abc", 1, 5, tuple(events))
    old_happening = headed(msgspec.msgpack.encode(msgspec.to_builtins(happening)[:-1]))
    assert happening == decode_happening(old_happening)
    assert happening.shuffled is None


def headed(payload):
    return b"\x01" + zlib.crc32(payload).to_bytes(4, "big") + payload


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"\xc1",
        b"\x93\x01",
        msgspec.msgpack.encode(["table-1", 5]),
        msgspec.msgpack.encode({"table_id": "table-1"}),
    ],
    ids=["nothing", "no MessagePack", "cut off", "wrong types", "another shape"],
)
@pytest.mark.parametrize("decode", [decode_table, decode_happening, decode_summary, decode_record])
def test_what_matches_its_checksum_and_is_no_record(decode, payload):
    with pytest.raises(SnapshotError, match="cannot be read"):
        decode(headed(payload))


def test_an_unknown_schema_says_so():
    encoded = encode_table(a_table("baseball", 1)[0])
    with pytest.raises(SnapshotError, match="schema 9, this version reads 1"):
        decode_table(b"\x09" + encoded[1:])


def test_snapshots_of_the_first_schema_stay_readable():
    """Bytes that an earlier version has written; a change that breaks them needs a new schema and the old reader."""
    table = decode_table(bytes.fromhex(OLD.read_text()))
    assert ("old-table", "acme", "baseball", 42) == (table.table_id, table.tenant, table.profile, table.version)
    assert table.playing
    assert [] == table.broken() + engine.broken(table.hand)


def broken_tables():
    table, _ = a_table("baseball", 3)
    hand = table.hand
    first, second, *others = table.seats
    poorer = replace(hand.players[0], stack=hand.players[0].stack + 1)
    return [
        replace(table, brought=table.brought + 1),
        replace(table, taken=1),
        replace(table, seats=(second, first, *others)),
        replace(table, seats=(replace(first, player_id=second.player_id), second, *others)),
        replace(table, seats=(replace(first, seat=0), second, *others)),
        replace(table, deadline_ms=None if table.playing else 1),
        replace(table, paused=True, deadline_ms=1),
        replace(table, seats=(replace(first, adding=-1), second, *others)),
        replace(table, hand=replace(hand, players=(poorer, *hand.players[1:]))),
        replace(table, hand=replace(hand, deck=(*hand.deck[:-1], hand.deck[0]))),
    ]


@pytest.mark.parametrize("broken", range(len(broken_tables())))
def test_a_table_that_cannot_be_is_neither_written_nor_read(broken, monkeypatch):
    table = broken_tables()[broken]
    with pytest.raises(SnapshotError, match="table-1"):
        encode_table(table)
    with monkeypatch.context() as unchecked:
        unchecked.setattr("service.snapshot._check", lambda _: None)
        encoded = encode_table(table)
    with pytest.raises(SnapshotError, match="table-1"):
        decode_table(encoded)
