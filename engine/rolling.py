"""Roll your own (rules, section 5.6): cards nobody has seen are turned up until their holder takes the lead."""

from engine.dealing import settle_next, show_card
from engine.draft import Draft, DraftPlayer
from engine.events import CardRolled, LeaderNamed, PlayerOut
from engine.showing import best_showing_of, showing_value
from engine.state import Phase


def go_on(draft: Draft) -> None:
    """Settle what a rolled card raised, then find out who leads, who is out, and who rolls next."""
    if settle_next(draft):
        return
    contenders = _contenders(draft)
    if draft.leader and not any(player.seat == draft.leader for player in contenders):
        _replace_leader(draft, contenders)
        return
    if draft.rolled > 0:
        _judge_roll(draft)
    elif draft.leader and len(contenders) <= 1:
        _show_down(draft)
    elif draft.rolled == 0 and _may_roll(draft, draft.roller):
        _ask(draft, draft.roller)
    else:
        _ask_next(draft)


def roll(draft: Draft, amount: int) -> None:
    """Turn up the next unseen card of the actor."""
    player = draft.player(draft.actor)
    card, *rest = player.unseen
    is_door = not player.up
    player.unseen = tuple(rest)
    player.up = (*player.up, card)
    draft.actor = 0
    draft.rolled += 1
    draft.phase = Phase.ROLLING
    draft.emit(CardRolled(player.seat, card))
    show_card(draft, player.seat, card, is_door)


def give_up(draft: Draft, amount: int) -> None:
    """Fold instead of rolling."""
    player = draft.player(draft.actor)
    draft.actor = 0
    draft.rolled = -1
    draft.phase = Phase.ROLLING
    draft.fold(player)


def _contenders(draft: Draft) -> list[DraftPlayer]:
    return [player for player in draft.live() if not player.out]


def _replace_leader(draft: Draft, contenders: list[DraftPlayer]) -> None:
    """Let the best showing hand lead without rolling, after the leader folded."""
    seat = best_showing_of(draft, contenders or draft.live()).seat
    _name_leader(draft, seat)
    if not contenders:
        _show_down(draft)  # everybody who could still bet has folded: the hands that are out settle it
    elif draft.rolled > 0 and seat == draft.roller:
        # The roller leads by the cards rolled on this very turn: that is a new lead, and it is bet on.
        draft.rolled = -1
        draft.phase = Phase.OPENING


def _judge_roll(draft: Draft) -> None:
    """Let the roller lead if strictly ahead, be out without a card left, and roll on otherwise."""
    roller = draft.player(draft.roller)
    if roller.folded:  # refused to pay for the card
        draft.rolled = -1
        return
    others = [showing_value(draft, player) for player in draft.live() if player.seat != roller.seat]
    if showing_value(draft, roller) > max(others):
        draft.rolled = -1
        _name_leader(draft, roller.seat)
        draft.phase = Phase.OPENING
    elif not roller.unseen:
        draft.rolled = -1
        roller.out = True
        draft.emit(PlayerOut(roller.seat))
    else:
        _ask(draft, roller.seat)


def _name_leader(draft: Draft, seat: int) -> None:
    draft.leader = seat
    draft.emit(LeaderNamed(seat))


def _may_roll(draft: Draft, seat: int) -> bool:
    return any(player.seat == seat and player.seat != draft.leader for player in _contenders(draft))


def _ask_next(draft: Draft) -> None:
    """Give the turn to the next player still in, clockwise from the last roller and passing the leader."""
    after = draft.roller or draft.players[-1].seat
    turn = [player for player in draft.clockwise_from(after) if _may_roll(draft, player.seat)]
    draft.rolled = 0
    draft.roller = turn[0].seat
    if turn[0].unseen:
        _ask(draft, draft.roller)
    else:  # an overtaken player with every card up has nothing left to try
        draft.rolled = -1
        turn[0].out = True
        draft.emit(PlayerOut(draft.roller))


def _ask(draft: Draft, seat: int) -> None:
    draft.roller = seat
    draft.actor = seat
    draft.phase = Phase.ROLL


def _show_down(draft: Draft) -> None:
    draft.actor = draft.leader
    draft.phase = Phase.SHOWDOWN
