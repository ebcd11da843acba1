"""Tables, happenings and kept hands as bytes.

A snapshot is one byte that names the schema, four bytes of CRC-32 (big-endian) over the rest, and
MessagePack. What is read is checked: a table that breaks an invariant is refused rather than played on. A
new schema gets a new number and the old numbers stay readable; fields are only ever added at the end of a
record, with a default, which needs no new number.
"""

import zlib
from typing import Generic, TypeVar

import msgspec

import engine
from service.hands import HandRecord
from service.table import Summary, Table
from service.table_events import Happening

_SCHEMA = 1
_HEAD_BYTES = 5

_T = TypeVar("_T")


class SnapshotError(Exception):
    """Bytes that cannot be read as what they should be, or that describe something impossible."""


class _Format(Generic[_T]):
    """One kind of record, its encoder and a decoder for every schema there has been."""

    def __init__(self, name: str, kind: type[_T]) -> None:
        self._name = name
        self._encoder = msgspec.msgpack.Encoder()
        self._decoders = {1: msgspec.msgpack.Decoder(kind)}

    def encode(self, record: _T) -> bytes:
        payload = self._encoder.encode(record)
        return b"%c%b%b" % (_SCHEMA, zlib.crc32(payload).to_bytes(4, "big"), payload)

    def decode(self, data: bytes) -> _T:
        if len(data) < _HEAD_BYTES:
            raise SnapshotError(f"the {self._name} has {len(data)} bytes, its head alone needs {_HEAD_BYTES}")
        decoder = self._decoders.get(data[0])
        if decoder is None:
            known = ", ".join(map(str, self._decoders))
            raise SnapshotError(f"the {self._name} has schema {data[0]}, this version reads {known}")
        payload = data[_HEAD_BYTES:]
        if zlib.crc32(payload) != int.from_bytes(data[1:_HEAD_BYTES], "big"):
            raise SnapshotError(f"the {self._name} does not match its checksum")
        try:
            return decoder.decode(payload)
        except msgspec.MsgspecError as error:
            raise SnapshotError(f"the {self._name} cannot be read: {error}") from error


_TABLE = _Format("snapshot", Table)
_HAPPENING = _Format("happening", Happening)
_SUMMARY = _Format("lobby entry", Summary)
_RECORD = _Format("record of a hand", HandRecord)


def encode_table(table: Table) -> bytes:
    """Return a table as bytes.

    Raises:
        SnapshotError: if the table breaks an invariant; it must not be stored.
    """
    _check(table)
    return _TABLE.encode(table)


def decode_table(data: bytes) -> Table:
    """Return the table that bytes describe.

    Raises:
        SnapshotError: if they are damaged, of an unknown schema, or describe an impossible table.
    """
    table = _TABLE.decode(data)
    _check(table)
    return table


def encode_happening(happening: Happening) -> bytes:
    """Return what a commit published as bytes; they hold every card and never leave the service as they
    are."""
    return _HAPPENING.encode(happening)


def decode_happening(data: bytes) -> Happening:
    """Return what a commit published.

    Raises:
        SnapshotError: if the bytes are damaged or of an unknown schema.
    """
    return _HAPPENING.decode(data)


def encode_summary(summary: Summary) -> bytes:
    """Return a lobby entry as bytes."""
    return _SUMMARY.encode(summary)


def decode_summary(data: bytes) -> Summary:
    """Return a lobby entry.

    Raises:
        SnapshotError: if the bytes are damaged or of an unknown schema.
    """
    return _SUMMARY.decode(data)


def encode_record(record: HandRecord) -> bytes:
    """Return the record of a finished hand as bytes."""
    return _RECORD.encode(record)


def decode_record(data: bytes) -> HandRecord:
    """Return the record of a finished hand.

    Raises:
        SnapshotError: if the bytes are damaged or of an unknown schema.
    """
    return _RECORD.decode(data)


def _check(table: Table) -> None:
    wrong = table.broken() + (engine.broken(table.hand) if table.hand is not None else [])
    if wrong:
        raise SnapshotError(f"table {table.table_id} at version {table.version}: {'; '.join(wrong)}")
