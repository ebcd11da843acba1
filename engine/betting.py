# cython: annotation_typing=False, binding=False
"""Betting rounds (rules, section 5.4): who opens, what each action does, and when the round is over."""

from engine.draft import Draft, DraftPlayer
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
from engine.sizes import able_count, can_act, full_sizes, limit_units
from engine.state import Phase

_FOURTH_STREET = 4
# CPython 3.11 takes long to read a member off its enum; these are read in every step.
_BETTING, _BRING_IN, _CLOSING, _WALKOVER = Phase.BETTING, Phase.BRING_IN, Phase.CLOSING, Phase.WALKOVER
_ROLLING, _ASKING_BEFORE, _SHOWDOWN = Phase.ROLLING, Phase.ASKING_BEFORE, Phase.SHOWDOWN
_HALF_BET, _FULL_AMOUNT, _BY_BRING_IN = ShortRaise.HALF_BET, ShortBringIn.FULL_AMOUNT, FirstOpener.BRING_IN


def open_round(draft: Draft) -> None:
    """Begin a betting round, or pass it over where nobody could answer a bet."""
    _reopen(draft)
    if able_count(draft) < 2:
        _go_on(draft)  # no betting takes place: who bet last is still the one of the round before
        return
    betting = draft.betting
    betting.begin()
    betting.open_pair = draft.rules.open_pair_high_bet and draft.street() == _FOURTH_STREET and shows_pair(draft)
    betting.heads_up = len([player for player in draft.players if not player.folded and not player.out]) == 2
    choose_opener(draft)


def choose_opener(draft: Draft) -> None:
    """Give the turn to the seat that opens the round, or to the next one that can act."""
    if able_count(draft) < 2:
        draft.phase = _CLOSING
        return
    by_bring_in = draft.round == 0 and draft.rules.first_opener is _BY_BRING_IN
    draft.phase = _BRING_IN if by_bring_in else _BETTING
    if draft.rules.rolls:
        opener = draft.player(draft.leader)
    else:
        opener = lowest_door(draft) if by_bring_in else best_showing(draft)
    if not can_act(draft, opener):
        opener = _next_able(draft, opener)
    draft.actor = opener.seat


def post_bring_in(draft: Draft, to: int) -> None:
    """Open with the bring-in; what others owe may be more than a short one that was posted."""
    rules, betting = draft.rules, draft.betting
    bring_in, low_bet = rules.bring_in, rules.low_bet
    player = draft.player(draft.actor)
    paid = _put_in(player, to)
    draft.emit(BringInPosted(player.seat, to, paid))
    owed = bring_in if rules.short_bring_in is _FULL_AMOUNT else to
    full = bring_in == low_bet and _is_full(draft, owed, low_bet, 0)
    betting.level = owed
    betting.full_level = owed if full else 0
    betting.step = low_bet if full else 0
    betting.opened = full
    draft.phase = _BETTING
    pass_turn(draft)


def check(draft: Draft, to: int) -> None:
    """Pass with nothing to call."""
    draft.player(draft.actor).acted = True
    draft.emit(Checked(draft.actor))
    pass_turn(draft)


def call(draft: Draft, to: int) -> None:
    """Match the level, or put in what is left."""
    player = draft.player(draft.actor)
    paid = _put_in(player, to)
    draft.emit(Called(player.seat, to, paid))
    pass_turn(draft)


def fold(draft: Draft, to: int) -> None:
    """Give the hand up."""
    draft.fold(draft.player(draft.actor))
    if draft.phase is not _WALKOVER:
        pass_turn(draft)


def bet(draft: Draft, to: int) -> None:
    """Open the betting of a round."""
    player = draft.player(draft.actor)
    paid = _wager(draft, player, to)
    draft.emit(BetMade(player.seat, to, paid))
    pass_turn(draft)


def complete(draft: Draft, to: int) -> None:
    """Raise a partial opening bet to a full one."""
    draft.phase = _BETTING
    player = draft.player(draft.actor)
    paid = _wager(draft, player, to)
    draft.emit(Completed(player.seat, to, paid))
    pass_turn(draft)


def raise_(draft: Draft, to: int) -> None:
    """Go above the level."""
    player = draft.player(draft.actor)
    before = player.bet
    paid = _wager(draft, player, to)
    draft.emit(Raised(player.seat, before, to, paid))
    pass_turn(draft)


def waiting_players(draft: Draft) -> list[DraftPlayer]:
    """Return who still has to act before the round is over, in dealing order."""
    level = draft.betting.level
    able = [player for player in draft.players if can_act(draft, player)]
    if len(able) == 1 and able[0].bet >= level:
        return []  # nobody is left who could answer a bet, and nothing is owed
    return [player for player in able if player.bet < level or not player.acted]


def pass_turn(draft: Draft) -> None:
    """Give the turn to the next seat that has to act, or close the round."""
    waiting = waiting_players(draft)
    if not waiting:
        draft.phase = _CLOSING
        return
    place = draft.place(draft.actor)
    following = waiting[0]
    for player in waiting:
        if draft.place(player.seat) > place:
            following = player
            break
    draft.actor = following.seat


def close_round(draft: Draft) -> None:
    """End a betting round: settle its bets and go on with the next round or the showdown."""
    collect(draft)
    _go_on(draft)


def collect(draft: Draft) -> None:
    """Return the uncalled part of the highest bet and put the rest of the round's bets into the pots."""
    draft.actor = 0
    _return_uncalled(draft)
    for player in draft.players:
        player.collected += player.bet
        player.bet = 0
    betting = draft.betting
    aggressor = betting.aggressor
    betting.begin()
    betting.aggressor = aggressor
    draft.emit(BettingClosed(tuple([(pot.amount, pot.seats) for pot in draft.pots()])))


def _return_uncalled(draft: Draft) -> None:
    top = draft.players[0]
    called = 0  # the second highest bet
    for player in draft.players[1:]:
        if player.bet > top.bet:
            top, called = player, top.bet
        elif player.bet > called:
            called = player.bet
    uncalled = top.bet - called
    if uncalled and not top.folded:
        top.bet -= uncalled
        top.stack += uncalled
        draft.emit(BetReturned(top.seat, uncalled))


def _go_on(draft: Draft) -> None:
    if draft.rules.rolls:
        draft.betting_round += 1
        draft.phase = _ROLLING
    elif draft.round + 1 < len(draft.rules.rounds):
        draft.round += 1
        draft.betting_round += 1
        draft.cursor = -1
        draft.phase = _ASKING_BEFORE
    else:
        draft.phase = _SHOWDOWN
        draft.actor = draft.betting.aggressor
        if draft.actor not in [player.seat for player in draft.live()]:
            draft.actor = best_showing(draft).seat


def _next_able(draft: Draft, after: DraftPlayer) -> DraftPlayer:
    """Return the next player clockwise who can act; there is one."""
    for player in draft.clockwise_from(after.seat):
        if can_act(draft, player):
            return player
    raise AssertionError("nobody can act")


def _put_in(player: DraftPlayer, to: int) -> int:
    """Move chips of the actor in front of them up to ``to``; return what was paid."""
    paid = to - player.bet
    player.stack -= paid
    player.bet = to
    player.acted = True
    return paid


def _wager(draft: Draft, player: DraftPlayer, to: int) -> int:
    """Bet, complete or raise to an amount, all-in for less included; return what was paid."""
    betting = draft.betting
    least = full_sizes(draft, player)[0][0]
    base = betting.full_level if betting.opened else 0
    if _is_full(draft, to, least, base):
        betting.high = betting.high or _is_high_bet(draft, to, base)
        betting.level = betting.full_level = to
        betting.step = max(to, least) - base
        betting.raises += betting.opened
        betting.opened = True
        betting.aggressor = player.seat
        _reopen(draft)
    else:
        # An all-in that is no raise: others call it, and nobody who has acted may raise because of it.
        if betting.level == 0:
            betting.aggressor = player.seat
        betting.level = to
    return _put_in(player, to)


def _is_full(draft: Draft, to: int, least: int, base: int) -> bool:
    """Whether an amount counts as a full bet or raise where ``least`` would be one, measured from ``base``."""
    return to >= least or (draft.rules.short_raise is _HALF_BET and 2 * (to - base) >= least - base)


def _is_high_bet(draft: Draft, to: int, base: int) -> bool:
    """Whether a bet is the high one where low and high bets are both allowed; an all-in may be short of it."""
    structure = draft.rules.structure
    if not isinstance(structure, FixedLimit) or to - base <= structure.low:
        return False
    return _is_full(draft, to, base + structure.high, base) and len(limit_units(draft, structure)) > 1


def _reopen(draft: Draft) -> None:
    """Let everybody act again; a raiser has, once the chips are in."""
    for player in draft.players:
        player.acted = False
