"""The names of actions, and which of them a game has."""

from collections.abc import Iterator, Mapping

from engine.actions import ActionKind
from engine.knobs import BonusMode, Free
from engine.rules import Rules
from service.words.language import Language, marked

ACTION_NAMES: Mapping[ActionKind, str] = {
    ActionKind.FOLD: marked("action", "fold"),
    ActionKind.CHECK: marked("action", "check"),
    ActionKind.CALL: marked("action", "call"),
    ActionKind.BET: marked("action", "bet"),
    ActionKind.RAISE: marked("action", "raise"),
    ActionKind.BRING_IN: marked("action", "bring in"),
    ActionKind.COMPLETE: marked("action", "complete"),
    ActionKind.BUY: marked("action", "buy"),
    ActionKind.DECLINE: marked("action", "decline"),
    ActionKind.REPLACE: marked("action", "replace"),
    ActionKind.KEEP: marked("action", "keep"),
    ActionKind.CLAIM: marked("action", "claim"),
    ActionKind.ROLL: marked("action", "roll"),
    ActionKind.SHOWDOWN: marked("action", "show down"),
    ActionKind.LEAVE: marked("action", "leave"),
}


def action_name(language: Language, kind: ActionKind) -> str:
    """Return the name of an action as players say it."""
    return language.named("action", ACTION_NAMES[kind])


def actions_of(rules: Rules) -> Iterator[ActionKind]:
    """Yield the kinds of action that can come up for a player in a game."""
    yield from (ActionKind.FOLD, ActionKind.CHECK, ActionKind.CALL, ActionKind.BET)
    if rules.raise_cap != 0 or rules.heads_up_uncapped:
        yield ActionKind.RAISE
    if rules.bring_in:
        yield ActionKind.BRING_IN
    if 0 < rules.bring_in < rules.low_bet:
        yield ActionKind.COMPLETE
    extra = rules.bonus_mode == BonusMode.EXTRA
    buys = rules.pay_rank is not None or (extra and not isinstance(rules.bonus_price, Free))
    if buys:
        yield ActionKind.BUY
    if buys or rules.hole_bonus is not None:
        yield ActionKind.DECLINE
    if rules.bonus_mode == BonusMode.REPLACE:
        yield from (ActionKind.REPLACE, ActionKind.KEEP)
    if rules.hole_bonus is not None:
        yield ActionKind.CLAIM
    if rules.rolls:
        yield ActionKind.ROLL
