"""Tables as the API's messages, for one viewer.

A viewer is the seat whose holder looks, or None for somebody who holds no cards here; whose credentials make whom is
decided elsewhere. What a viewer may see of a hand is ``engine.view``'s to say and of an event ``engine.visible``'s:
nothing here reads a card from anywhere else.
"""

from collections.abc import Mapping

from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp

from engine import ActionKind, LegalActions, State, View, legal_actions, view
from engine.cards import card_text
from engine.state import Offer, Phase
from engine.view import SeatView
from proto.stud.v1 import stud_pb2
from service.codec_cards import card_texts, rank_text, shown_hand
from service.codec_enums import numbers_by_choice
from service.codec_events import event_messages, purchase_number
from service.codec_rules import rules_message
from service.standings import Standing
from service.table import Seating, Settings, Status, Summary, Table
from service.table_events import Happening

NOT_SENT = frozenset({ActionKind.SHOWDOWN, ActionKind.LEAVE})
"""The engine's actions that have RPCs of their own."""

ACTION_NUMBERS = numbers_by_choice(
    stud_pb2.ActionKind.DESCRIPTOR, (kind for kind in ActionKind if kind not in NOT_SENT)
)

STATUS_NUMBERS = numbers_by_choice(stud_pb2.TableStatus.DESCRIPTOR, Status)


def table_message(table: Table, viewer: int | None, *, with_rules: bool = False) -> stud_pb2.Table:
    """Return a table as the player in a seat, or nobody (None), may see it.

    Rules and settings do not change while a table lives; only the replies that begin with a table carry them.
    """
    seating = None if viewer is None else table.seating(viewer)
    holder = None if seating is None else seating.viewer(table.hand_number)
    seen = None if table.hand is None else view(table.hand, holder)
    message = stud_pb2.Table(
        table_id=table.table_id,
        version=table.version,
        etag=table.etag,
        name=table.settings.name,
        profile=table.profile,
        viewer_seat=seating.seat if seating is not None else 0,
        status=STATUS_NUMBERS[table.status],
        paused=table.paused,
        hand_number=table.hand_number,
        pots_played=table.pots_played,
        button_seat=table.button,
        create_time=timestamp(table.created_ms),
        update_time=timestamp(table.changed_ms),
    )
    if with_rules:
        message.rules.CopyFrom(rules_message(table.rules))
        message.settings.CopyFrom(_settings_message(table.settings))
        if table.hand is not None and table.hand.rules != table.rules:
            message.hand_rules.CopyFrom(rules_message(table.hand.rules))
    if table.deadline_ms is not None:
        message.deadline.CopyFrom(timestamp(table.deadline_ms))
    if table.deal_ms is not None:
        message.deal_time.CopyFrom(timestamp(table.deal_ms))
    _write_seats(message, table, seen)
    if seen is not None:
        _write_hand(message, table, seen)
    return message


def happening_message(happening: Happening, viewer: int | None) -> stud_pb2.WatchTableResponse:
    """Return the events of one commit for a watcher; ``viewer`` is whose cards of that hand the watcher holds."""
    return stud_pb2.WatchTableResponse(
        version=happening.version,
        etag=happening.etag,
        hand_number=happening.hand_number,
        time=timestamp(happening.time_ms),
        events=event_messages(happening.events, viewer),
    )


def recorded_message(hand: State, names: Mapping[int, str]) -> stud_pb2.Table:
    """Return a hand that was recorded elsewhere as a table: who sits there with what, whose turn it is."""
    message = stud_pb2.Table()
    for player in sorted(hand.players, key=lambda player: player.seat):
        message.seats.add(seat=player.seat, player_id=names[player.seat], stack=player.stack)
    if hand.phase != Phase.SHOWDOWN:
        _write_turn(message, legal_actions(hand))
    return message


def checkpoint_message(version: int, etag: str, hand_number: int, time_ms: int) -> stud_pb2.WatchTableResponse:
    """Return the message that nothing has happened up to a version that was not sent."""
    return stud_pb2.WatchTableResponse(
        version=version, etag=etag, hand_number=hand_number, time=timestamp(time_ms), checkpoint=True
    )


def summary_message(summary: Summary) -> stud_pb2.TableSummary:
    """Return a table as the lobby shows it."""
    return stud_pb2.TableSummary(
        table_id=summary.table_id,
        name=summary.name,
        profile=summary.profile,
        seats_taken=summary.seats_taken,
        seats=summary.seats,
        status=STATUS_NUMBERS[summary.status],
        hand_number=summary.hand_number,
        version=summary.version,
        min_buy_in=summary.min_buy_in,
        max_buy_in=summary.max_buy_in,
        paused=summary.paused,
    )


def standing_message(standing: Standing) -> stud_pb2.Standing:
    """Return how one player stands."""
    return stud_pb2.Standing(
        place=standing.place,
        player_id=standing.player_id,
        seat=standing.seat,
        stack=standing.stack,
        bought_in=standing.bought_in,
        net=standing.net,
    )


def timestamp(ms: int) -> Timestamp:
    """Return an instant, given in milliseconds since the epoch."""
    return Timestamp(seconds=ms // 1000, nanos=ms % 1000 * 1_000_000)


def duration(ms: int) -> Duration:
    """Return a length of time, given in milliseconds."""
    return Duration(seconds=ms // 1000, nanos=ms % 1000 * 1_000_000)


def _settings_message(settings: Settings) -> stud_pb2.TableSettings:
    return stud_pb2.TableSettings(
        min_buy_in=settings.min_buy_in,
        max_buy_in=settings.max_buy_in,
        spectators=settings.spectators,
        action_time=duration(settings.action_time_ms),
        auto_deal=settings.auto_deal,
        time_bank=duration(settings.time_bank_ms),
        sit_out_after=settings.sit_out_after,
        deal_pause=duration(settings.deal_pause_ms),
    )


def _write_hand(message: stud_pb2.Table, table: Table, seen: View) -> None:
    message.hand_profile = table.hand_profile or table.profile
    message.street = seen.street
    for pot in seen.pots:
        message.pots.add(amount=pot.amount, seats=pot.seats)
    message.community_cards.extend(card_texts(seen.community))
    message.cards_left = seen.cards_left
    message.level = seen.level
    message.named_wild_rank = rank_text(seen.named_wild)
    message.leader_seat = seen.leader
    message.rained_out = seen.rained
    message.carry = table.carry
    if seen.offer is not None:
        message.offer.CopyFrom(_offer_message(seen.offer))
    if seen.phase != Phase.SHOWDOWN:
        _write_turn(message, seen.legal)
    won: dict[int, int] = {}
    for award in seen.awards:
        won[award.seat] = won.get(award.seat, 0) + award.amount
    for seat, amount in sorted(won.items()):
        message.awards.add(seat=seat, amount=amount)
    message.winner_seats.extend(sorted(won))


def _write_turn(message: stud_pb2.Table, legal: LegalActions) -> None:
    if legal.seat is None:
        return
    message.to_act_seat = legal.seat
    for choice in legal.choices:
        message.legal_actions.add(
            kind=ACTION_NUMBERS[choice.kind], min_to=choice.min, max_to=choice.max, price=choice.price
        )


def _offer_message(offer: Offer) -> stud_pb2.Offer:
    return stud_pb2.Offer(
        seat=offer.seat, purchase=purchase_number(offer.purchase), card=card_text(offer.card), price=offer.price
    )


def _write_seats(message: stud_pb2.Table, table: Table, seen: View | None) -> None:
    """Write who sits where, and the hands of those who were dealt in, whether they still sit there or not."""
    dealt = {seat.seat: seat for seat in seen.seats} if seen is not None else {}
    seated = {seating.seat: seating for seating in table.seats}
    for number in sorted({*dealt, *seated}):
        seat = message.seats.add()
        seat.seat = number
        seating = seated.get(number)
        if seating is not None:
            _write_seating(seat, table, seating)
        newcomer = seating is not None and seating.viewer(table.hand_number) is None
        if seen is not None and number in dealt and not newcomer:
            _write_part(seat, table, dealt[number], seen)


def _write_seating(message: stud_pb2.Seat, table: Table, seating: Seating) -> None:
    message.player_id = seating.player_id
    message.stack = table.stack_of(seating)
    message.bought_in = seating.bought_in
    message.adding = seating.adding
    message.sitting_out = seating.sitting_out
    message.leaving = seating.leaving
    if table.settings.time_bank_ms:
        message.time_bank.CopyFrom(duration(seating.time_bank_ms))


def _write_part(message: stud_pb2.Seat, table: Table, seat: SeatView, seen: View) -> None:
    message.in_hand = True
    message.down_cards.extend(card_texts(seat.down))
    message.up_cards.extend(card_texts(seat.up))
    message.dead_cards.extend(card_texts(seat.dead))
    message.bet = seat.bet
    message.contributed = seat.contributed
    message.folded = seat.folded
    message.all_in = seat.all_in
    message.shown = seat.shown
    message.out = seat.out
    if seat.worth is not None:
        worth = seat.worth
        message.hand.CopyFrom(shown_hand(worth.high, worth.best, worth.wild_as, worth.low_five))
