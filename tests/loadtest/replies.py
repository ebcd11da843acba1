"""A short hand of three seats as the replies of a server, built by hand."""

from proto.stud.v1 import stud_pb2 as pb

DEALT = {
    1: (["As", "Kd"], ["7c"]),
    2: (["Qh", "Jh"], ["2d"]),
    3: (["9s", "9d"], ["4c"]),
}
BUY_IN = 100
ANTE = 1


def created(**rules: int) -> pb.CreateTableResponse:
    table = pb.Table(table_id="t1", version=1, etag="e1", status=pb.TABLE_STATUS_WAITING, rules=pb.Rules(**rules))
    return pb.CreateTableResponse(version=1, etag="e1", table=table, events=[pb.Event(table_created={})])


def seated(number: int) -> pb.TakeSeatResponse:
    version = number + 1
    seats = [pb.Seat(seat=seat, player_id=f"p{seat}", stack=BUY_IN) for seat in range(1, number + 1)]
    taken = pb.SeatTaken(seat=number, player_id=f"p{number}", stack=BUY_IN)
    table = pb.Table(table_id="t1", version=version, etag=f"e{version}", status=pb.TABLE_STATUS_WAITING, seats=seats)
    return pb.TakeSeatResponse(
        version=version, etag=f"e{version}", table=table, seat=number, events=[pb.Event(seat_taken=taken)]
    )


def down_cards(seat: int, viewer: int) -> list[str]:
    return DEALT[seat][0] if seat == viewer else ["??", "??"]


def hand_seat(seat: int, viewer: int) -> pb.Seat:
    return pb.Seat(
        seat=seat,
        player_id=f"p{seat}",
        stack=BUY_IN - ANTE,
        in_hand=True,
        down_cards=down_cards(seat, viewer),
        up_cards=DEALT[seat][1],
        contributed=ANTE,
    )


def dealt_events(viewer: int) -> list[pb.Event]:
    events = [
        pb.Event(hand_started=pb.HandStarted(button_seat=3)),
        *(pb.Event(ante_posted=pb.AntePosted(seat=seat, paid=ANTE)) for seat in DEALT),
        pb.Event(burned=pb.Burned(card="??")),
    ]
    for seat, (_, up) in DEALT.items():
        events += [
            pb.Event(card_dealt=pb.CardDealt(seat=seat, card=card, face=pb.FACE_DOWN))
            for card in down_cards(seat, viewer)
        ]
        events.append(pb.Event(card_dealt=pb.CardDealt(seat=seat, card=up[0], face=pb.FACE_UP)))
    return events


def dealt(viewer: int = 1) -> pb.DealResponse:
    table = pb.Table(
        table_id="t1",
        version=5,
        etag="e5",
        viewer_seat=viewer,
        status=pb.TABLE_STATUS_PLAYING,
        seats=[hand_seat(seat, viewer) for seat in DEALT],
        hand_number=1,
        button_seat=3,
        pots=[pb.Pot(amount=3 * ANTE, seats=[1, 2, 3])],
        to_act_seat=2,
        legal_actions=[pb.LegalAction(kind=pb.ACTION_KIND_BRING_IN, min_to=1, max_to=1)],
    )
    return pb.DealResponse(version=5, etag="e5", table=table, events=dealt_events(viewer))


def folded_out(viewer: int = 1) -> pb.ActResponse:
    """Everybody gives up against seat 1 (told in one commit, as the checks read commits and not rules)."""
    seats = [hand_seat(seat, viewer) for seat in DEALT]
    seats[0].stack += 3 * ANTE
    for seat in seats[1:]:
        seat.folded = True
    table = pb.Table(
        table_id="t1",
        version=6,
        etag="e6",
        viewer_seat=viewer,
        status=pb.TABLE_STATUS_FINISHED,
        seats=seats,
        hand_number=1,
    )
    events = [
        pb.Event(folded=pb.Folded(seat=2)),
        pb.Event(folded=pb.Folded(seat=3)),
        pb.Event(pot_awarded=pb.PotAwarded(amount=3, shares=[pb.SeatAmount(seat=1, amount=3)])),
    ]
    return pb.ActResponse(version=6, etag="e6", table=table, events=events)


def shown_down(viewer: int = 0) -> pb.ShowdownResponse:
    reply = pb.ShowdownResponse.FromString(folded_out(viewer).SerializeToString())
    del reply.events[:]
    for seat in reply.table.seats:
        seat.folded = False
        seat.shown = True
        del seat.down_cards[:]
        seat.down_cards.extend(DEALT[seat.seat][0])
        seat.hand.value = 1
        shown = pb.HandShown(seat=seat.seat, cards=[*DEALT[seat.seat][0], *DEALT[seat.seat][1]])
        reply.events.append(pb.Event(hand_shown=shown))
    award = pb.PotAwarded(amount=3, shares=[pb.SeatAmount(seat=1, amount=3)])
    reply.events.append(pb.Event(pot_awarded=award))
    return reply
