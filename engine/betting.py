"""Betting rounds (rules, section 5.4): who opens, what each action does, and when the round is over."""

from msgspec.structs import replace

from engine.draft import Draft
from engine.events import (
    BetMade,
    BetReturned,
    BettingClosed,
    BringInPosted,
    Called,
    Checked,
    Completed,
    Raised,
)
from engine.knobs import FirstOpener, FixedLimit, ShortBringIn, ShortRaise
from engine.showing import best_showing, lowest_door, shows_pair
from engine.sizes import can_act, full_sizes, limit_units
from engine.state import Betting, Phase

_FOURTH_STREET = 4


def open_round(draft: Draft) -> None:
    """Begin a betting round, or pass it over where nobody could answer a bet."""
    _reopen(draft, 0)
    if sum(can_act(draft, player) for player in draft.players) < 2:
        _go_on(draft)  # no betting takes place: who bet last is still the one of the round before
        return
    open_pair = draft.rules.open_pair_high_bet and draft.street == _FOURTH_STREET and shows_pair(draft)
    draft.betting = Betting(heads_up=sum(not player.out for player in draft.live) == 2, open_pair=open_pair)
    choose_opener(draft)


def choose_opener(draft: Draft) -> None:
    """Give the turn to the seat that opens the round, or to the next one that can act."""
    if sum(can_act(draft, player) for player in draft.players) < 2:
        draft.phase = Phase.CLOSING
        return
    by_bring_in = draft.round == 0 and draft.rules.first_opener == FirstOpener.BRING_IN
    draft.phase = Phase.BRING_IN if by_bring_in else Phase.BETTING
    if draft.rules.rolls:
        opener = draft.player(draft.leader)
    else:
        opener = lowest_door(draft) if by_bring_in else best_showing(draft)
    draft.actor = opener.seat if can_act(draft, opener) else _next_to_act(draft, opener.seat)


def post_bring_in(draft: Draft, to: int) -> None:
    """Open with the bring-in; what others owe may be more than a short one that was posted."""
    rules = draft.rules
    seat, paid = _put_in(draft, to)
    draft.emit(BringInPosted(seat, to, paid))
    owed = rules.bring_in if rules.short_bring_in == ShortBringIn.FULL_AMOUNT else to
    full = rules.bring_in == rules.low_bet and _is_full(draft, owed, rules.low_bet, 0)
    draft.betting = replace(
        draft.betting,
        level=owed,
        full_level=owed if full else 0,
        step=rules.low_bet if full else 0,
        opened=full,
    )
    draft.phase = Phase.BETTING
    pass_turn(draft)


def check(draft: Draft, to: int) -> None:
    """Pass with nothing to call."""
    draft.update(draft.actor, acted=True)
    draft.emit(Checked(draft.actor))
    pass_turn(draft)


def call(draft: Draft, to: int) -> None:
    """Match the level, or put in what is left."""
    seat, paid = _put_in(draft, to)
    draft.emit(Called(seat, to, paid))
    pass_turn(draft)


def fold(draft: Draft, to: int) -> None:
    """Give the hand up."""
    draft.fold(draft.actor)
    if draft.phase != Phase.WALKOVER:
        pass_turn(draft)


def bet(draft: Draft, to: int) -> None:
    """Open the betting of a round."""
    seat, paid = _wager(draft, to)
    draft.emit(BetMade(seat, to, paid))
    pass_turn(draft)


def complete(draft: Draft, to: int) -> None:
    """Raise a partial opening bet to a full one."""
    draft.phase = Phase.BETTING
    seat, paid = _wager(draft, to)
    draft.emit(Completed(seat, to, paid))
    pass_turn(draft)


def raise_(draft: Draft, to: int) -> None:
    """Go above the level."""
    before = draft.player(draft.actor).bet
    seat, paid = _wager(draft, to)
    draft.emit(Raised(seat, before, to, paid))
    pass_turn(draft)


def waiting_seats(draft: Draft) -> set[int]:
    """Return the seats that still have to act before the round is over."""
    able = [player for player in draft.players if can_act(draft, player)]
    level = draft.betting.level
    if len(able) == 1 and able[0].bet >= level:
        return set()  # nobody is left who could answer a bet, and nothing is owed
    return {player.seat for player in able if player.bet < level or not player.acted}


def pass_turn(draft: Draft) -> None:
    """Give the turn to the next seat that has to act, or close the round."""
    waiting = waiting_seats(draft)
    if not waiting:
        draft.phase = Phase.CLOSING
        return
    turn = (player.seat for player in draft.clockwise_from(draft.actor) if player.seat in waiting)
    draft.actor = next(turn)


def close_round(draft: Draft) -> None:
    """End a betting round: settle its bets and go on with the next round or the showdown."""
    collect(draft)
    _go_on(draft)


def collect(draft: Draft) -> None:
    """Return the uncalled part of the highest bet and put the rest of the round's bets into the pots."""
    draft.actor = 0
    top, second = sorted(draft.players, key=lambda player: player.bet, reverse=True)[:2]
    uncalled = top.bet - second.bet
    if uncalled and not top.folded:
        draft.update(top.seat, bet=second.bet, stack=top.stack + uncalled)
        draft.emit(BetReturned(top.seat, uncalled))
    for player in list(draft.players):
        draft.update(player.seat, collected=player.collected + draft.player(player.seat).bet, bet=0)
    draft.betting = Betting(aggressor=draft.betting.aggressor)
    draft.emit(BettingClosed(tuple((pot.amount, pot.seats) for pot in draft.pots())))


def _go_on(draft: Draft) -> None:
    if draft.rules.rolls:
        draft.betting_round += 1
        draft.phase = Phase.ROLLING
    elif draft.round + 1 < len(draft.rules.rounds):
        draft.round += 1
        draft.betting_round += 1
        draft.cursor = -1
        draft.phase = Phase.ASKING_BEFORE
    else:
        draft.phase = Phase.SHOWDOWN
        first = draft.betting.aggressor
        still_in = any(player.seat == first for player in draft.live)
        draft.actor = first if still_in else best_showing(draft).seat


def _next_to_act(draft: Draft, seat: int) -> int:
    return next(player.seat for player in draft.clockwise_from(seat) if can_act(draft, player))


def _put_in(draft: Draft, to: int) -> tuple[int, int]:
    """Move chips of the actor in front of them up to ``to``; return the seat and what was paid."""
    player = draft.player(draft.actor)
    paid = to - player.bet
    draft.update(player.seat, stack=player.stack - paid, bet=to, acted=True)
    return player.seat, paid


def _wager(draft: Draft, to: int) -> tuple[int, int]:
    """Bet, complete or raise to an amount, all-in for less included; return the seat and what was paid."""
    betting = draft.betting
    player = draft.player(draft.actor)
    least = full_sizes(draft, player)[0][0]
    base = betting.full_level if betting.opened else 0
    if _is_full(draft, to, least, base):
        high = betting.high or _is_high_bet(draft, to - base)
        draft.betting = replace(
            betting,
            level=to,
            full_level=to,
            step=max(to, least) - base,
            raises=betting.raises + betting.opened,
            opened=True,
            high=high,
            aggressor=player.seat,
        )
        _reopen(draft, player.seat)
    else:
        # An all-in that is no raise: others call it, and nobody who has acted may raise because of it.
        first_bet = betting.level == 0
        draft.betting = replace(betting, level=to, aggressor=player.seat if first_bet else betting.aggressor)
    return _put_in(draft, to)


def _is_full(draft: Draft, to: int, least: int, base: int) -> bool:
    """Whether an amount counts as a full bet or raise where ``least`` would be one, measured from ``base``."""
    half_counts = draft.rules.short_raise == ShortRaise.HALF_BET
    return to >= least or (half_counts and 2 * (to - base) >= least - base)


def _is_high_bet(draft: Draft, size: int) -> bool:
    structure = draft.rules.structure
    return isinstance(structure, FixedLimit) and len(limit_units(draft)) > 1 and size >= structure.high


def _reopen(draft: Draft, raiser: int) -> None:
    """Let everybody but the raiser act again."""
    for player in list(draft.players):
        if player.acted and player.seat != raiser:
            draft.update(player.seat, acted=False)
