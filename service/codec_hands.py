"""Hands that are over, as the API's messages, for one viewer.

The events go through ``engine.visible`` as those of a stream do; deck and seatings of a kept hand have no place in the
API.
"""

from proto.stud.v1 import stud_pb2
from service.codec import timestamp
from service.codec_events import event_messages
from service.codec_rules import rules_message
from service.hands import HandRecord, PlayedHand
from service.table import Table


def hand_message(table: Table, played: PlayedHand, viewer: int | None) -> stud_pb2.HandRecord:
    """Return a hand of a table as the holder of a seat's cards, or nobody (None), may see it."""
    record, start_stacks = played.record, played.start_stacks
    message = stud_pb2.HandRecord(
        table_id=table.table_id,
        hand_number=record.number,
        profile=record.profile,
        rules=rules_message(record.rules or table.rules),
        start_time=timestamp(record.started_ms),
        end_time=timestamp(record.ended_ms),
        button_seat=record.button,
    )
    for player in record.players:
        message.players.add(
            seat=player.seat,
            player_id=player.player_id,
            start_stack=start_stacks[player.seat],
            end_stack=player.end_stack,
        )
    for happening in played.happenings:
        message.steps.add(
            version=happening.version,
            time=timestamp(happening.time_ms),
            events=event_messages(happening.events, viewer),
        )
    return message


def hand_summary_message(record: HandRecord) -> stud_pb2.HandSummary:
    """Return a hand in one line."""
    return stud_pb2.HandSummary(
        hand_number=record.number,
        profile=record.profile,
        start_time=timestamp(record.started_ms),
        end_time=timestamp(record.ended_ms),
        players=len(record.players),
        pot=record.pot,
        winner_seats=record.winners,
        showdown=record.showdown,
        rained_out=record.rained,
    )
