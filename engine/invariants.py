"""What must hold of every hand at every moment; a list of what does not is a bug report."""

from collections import Counter
from collections.abc import Iterator

from engine.cards import DECK_SIZE, card_text
from engine.legal import legal_actions
from engine.state import Phase, State

_RESTING = frozenset(
    {Phase.PURCHASE, Phase.CLAIM, Phase.ROLL, Phase.BRING_IN, Phase.BETTING, Phase.SHOWDOWN, Phase.FINISHED}
)


def broken(state: State) -> list[str]:
    """Return every invariant that does not hold, in words; an intact hand gives an empty list."""
    checks = (_chips, _cards, _turn, _betting, _offer, _end)
    return [fault for check in checks for fault in check(state)]


def _chips(state: State) -> Iterator[str]:
    players = state.players
    stacks = sum(player.stack for player in players)
    middle = sum(player.contributed for player in players) + sum(amount for _, amount in state.dead_money)
    if stacks + middle + state.carry != state.chips:
        yield f"chips: {stacks} in stacks and {middle} in the middle are not the {state.chips} of the start"
    if not state.finished and sum(pot.amount for pot in state.pots) != middle:
        yield f"chips: the pots do not hold the {middle} that were put in"
    for player in players:
        if player.stack < 0 and not state.rules.credit:
            yield f"chips: seat {player.seat} has {player.stack}"
        if player.bet < 0 or player.collected < 0:
            yield f"chips: seat {player.seat} put in a negative amount"
    if any(amount < 0 for _, amount in state.dead_money):
        yield "chips: negative dead money"


def _cards(state: State) -> Iterator[str]:
    held = [card for player in state.players for card in (*player.down, *player.unseen, *player.up, *player.dead)]
    counts = Counter((*held, *state.deck, *state.burns, *state.community))
    for card, count in counts.items():
        if count > 1:
            yield f"cards: {card_text(card)} is there {count} times"
    if counts.keys() != set(range(DECK_SIZE)):
        yield f"cards: {len(counts)} different cards instead of {DECK_SIZE}"


def _turn(state: State) -> Iterator[str]:
    if state.phase not in _RESTING:
        yield f"turn: the hand rests in phase {state.phase}"
        return
    if state.finished != (state.actor == 0):
        yield f"turn: seat {state.actor} is to act in phase {state.phase}"
        return
    if state.finished:
        return
    if len(state.live) < 2:
        yield "turn: the hand goes on with fewer than two players"
    if not any(player.seat == state.actor for player in state.live):
        yield f"turn: seat {state.actor} is to act and is not in the hand"
    elif not legal_actions(state).choices:
        yield f"turn: seat {state.actor} is to act and may do nothing"


def _betting(state: State) -> Iterator[str]:
    betting, rules = state.betting, state.rules
    if betting.full_level > betting.level:
        yield f"betting: the last full level {betting.full_level} is above the level {betting.level}"
    for player in state.players:
        if player.bet > betting.level:
            yield f"betting: seat {player.seat} has bet {player.bet} at a level of {betting.level}"
    uncapped = rules.raise_cap is None or (rules.heads_up_uncapped and betting.heads_up)
    if not uncapped and rules.raise_cap is not None and betting.raises > rules.raise_cap:
        yield f"betting: {betting.raises} raises with a cap of {rules.raise_cap}"
    if state.phase not in (Phase.BRING_IN, Phase.BETTING) and any(player.bet for player in state.players):
        yield f"betting: bets lie in front of players in phase {state.phase}"


def _offer(state: State) -> Iterator[str]:
    if (state.offer is not None) != (state.phase in (Phase.PURCHASE, Phase.CLAIM)):
        yield f"offer: {state.offer} in phase {state.phase}"
    elif state.offer is not None and state.offer.seat != state.actor:
        yield f"offer: made to seat {state.offer.seat} while seat {state.actor} is to act"


def _end(state: State) -> Iterator[str]:
    if not state.finished:
        if state.awards:
            yield "end: something was awarded before the end"
        return
    if any(player.contributed for player in state.players) or state.dead_money:
        yield "end: chips are left in the middle"
    if any(award.amount < 0 for award in state.awards):
        yield "end: a negative award"
    shown = [player.seat for player in state.players if player.shown]
    if len(state.live) == 1 and shown:
        yield f"end: seats {shown} showed although everybody else folded"
    if state.carry:
        if state.awards or shown:
            yield "end: a rained-out hand was awarded or shown"
    elif len(state.live) > 1 and shown != [player.seat for player in state.live]:
        yield f"end: seats {shown} showed instead of everybody still in"
