"""What happens at a table by itself, and when: time runs out, the next hand is dealt.

All of it is pure: instants are milliseconds since the epoch, and the present one is handed in.

The deadline of a turn is the end of its action time plus what is left of the player's time bank, so it is one instant
from the beginning of the turn on. What a turn takes beyond the action time comes off the bank when it ends.
"""

from msgspec.structs import replace

from engine.state import Phase, State
from service import seating
from service.table import Seating, Table


def turn_ends_ms(table: Table, hand: State, now_ms: int) -> int:
    """Return when the turn that begins now runs out of time, or the showdown is overdue."""
    thinking = _thinking(table, hand)
    return now_ms + table.settings.action_time_ms + (thinking.time_bank_ms if thinking is not None else 0)


def charged(table: Table, now_ms: int) -> Table:
    """Return the table after the turn that ends now: what it took beyond the action time is off the time bank."""
    if table.hand is None or table.deadline_ms is None:
        return table
    thinking = _thinking(table, table.hand)
    if thinking is None:
        return table
    left_ms = min(thinking.time_bank_ms, max(0, table.deadline_ms - now_ms))
    return table if left_ms == thinking.time_bank_ms else table.seated(replace(thinking, time_bank_ms=left_ms))


def timed_out(table: Table, absent: Seating) -> tuple[Table, bool]:
    """Count a player's timeout; return whether the player sits out for it from now on."""
    timeouts = absent.timeouts + 1
    limit = table.settings.sit_out_after
    sits_out = bool(limit) and timeouts >= limit and not absent.sitting_out
    absent = replace(absent, timeouts=timeouts, sitting_out=absent.sitting_out or sits_out)
    return table.seated(absent), sits_out


def scheduled(table: Table, now_ms: int) -> Table:
    """Return a changed table with the time of the next hand, where it is dealt by itself.

    It is set as soon as a hand can be dealt and stands until none can be: nobody who comes and goes puts it off.
    """
    deal_ms = None
    if _deals_itself(table):
        deal_ms = table.deal_ms if table.deal_ms is not None else now_ms + table.settings.deal_pause_ms
    return table if deal_ms == table.deal_ms else replace(table, deal_ms=deal_ms)


def _deals_itself(table: Table) -> bool:
    if not table.settings.auto_deal or table.playing or table.paused or table.session_over:
        return False
    return len(seating.next_stacks(table)) >= table.next_rules.min_players


def _thinking(table: Table, hand: State) -> Seating | None:
    """Return whose turn it is; None: nobody's, the showdown is due or the hand is over."""
    if hand.finished or hand.phase == Phase.SHOWDOWN:
        return None
    return table.seating(hand.actor)
