"""What must hold of every hand at every moment; a list of what does not is a bug report.

Snapshots are checked with it when they are read, so it must answer for anything that has the shape of a state: the
later checks look only at hands whose structure holds.
"""

from collections import Counter
from collections.abc import Iterator

from engine.cards import DECK_SIZE, FULL_DECK, HIDDEN
from engine.legal import legal_actions
from engine.state import Phase, State

_RESTING = frozenset(
    {
        Phase.PURCHASE,
        Phase.CLAIM,
        Phase.ROLL,
        Phase.BRING_IN,
        Phase.BETTING,
        Phase.SHOWDOWN,
        Phase.FINISHED,
    }
)
_OFFERING = frozenset({Phase.PURCHASE, Phase.CLAIM})


def broken(state: State) -> list[str]:
    """Return every invariant that does not hold, in words; an intact hand gives an empty list."""
    unsound = [fault for check in (_seats, _cards, _progress, _offer) for fault in check(state)]
    return unsound or [fault for check in (_chips, _turn, _betting, _end) for fault in check(state)]


def _seats(state: State) -> Iterator[str]:
    seats = [player.seat for player in state.players]
    if len(set(seats)) != len(seats) or not all(1 <= seat <= state.seat_count for seat in seats):
        yield f"seats: {seats} are not different seats from 1 to {state.seat_count}"
    if not 1 <= state.button <= state.seat_count:
        yield f"seats: the button is at seat {state.button}"
    if seats != sorted(seats, key=lambda seat: (seat <= state.button, seat)):
        yield f"seats: {seats} is not the dealing order from button {state.button}"
    if not state.live:
        yield "seats: nobody is in the hand"


def _cards(state: State) -> Iterator[str]:
    held = [card for player in state.players for card in (*player.down, *player.unseen, *player.up, *player.dead)]
    counts = Counter((*held, *state.deck, *state.burns, *state.community))
    doubled = sum(count > 1 for count in counts.values())
    if doubled:  # which ones is nobody's business: the message may reach a log
        yield f"cards: {doubled} of them are there more than once"
    if counts.keys() != set(FULL_DECK):
        yield f"cards: {len(counts)} different numbers are not the {DECK_SIZE} cards"
    if state.spare and sorted(state.spare) != list(FULL_DECK):
        yield "cards: the spare order is no permutation of the deck"
    for player in state.players:
        if not set(player.paid) <= set(player.up) or not set(player.claimable) <= set(player.down):
            yield f"cards: seat {player.seat} has paid for or may claim for a card it does not hold"


def _progress(state: State) -> Iterator[str]:
    if state.phase not in _RESTING:
        yield f"turn: the hand rests in phase {state.phase}"
    if not 0 <= state.round < len(state.rules.rounds):
        yield f"turn: there is no dealing round {state.round}"
    if state.finished != (state.actor == 0):
        yield f"turn: seat {state.actor} is to act in phase {state.phase}"
    live = {player.seat: player for player in state.live}
    if state.actor and state.actor not in live:
        yield f"turn: seat {state.actor} is to act and is not in the hand"
    if state.phase == Phase.BRING_IN and not all(player.up for player in state.live):
        yield "turn: the bring-in is due and somebody has no door card"
    if state.phase == Phase.ROLL and state.actor in live and not live[state.actor].unseen:
        yield f"turn: seat {state.actor} is to roll and has no card left to roll"


def _offer(state: State) -> Iterator[str]:
    offer = state.offer
    if (offer is not None) != (state.phase in _OFFERING):
        yield f"offer: {'one' if offer else 'none'} stands in phase {state.phase}"
    if offer is None:
        return
    player = next((player for player in state.live if player.seat == offer.seat), None)
    if player is None or offer.seat != state.actor:
        yield f"offer: made to seat {offer.seat} while seat {state.actor} is to act"
    elif offer.card not in (HIDDEN, *player.up, *player.down):
        yield f"offer: seat {offer.seat} does not hold the card it is about"
    elif offer.price < 0 or (state.phase == Phase.PURCHASE and offer.price > player.stack and not state.rules.credit):
        yield f"offer: seat {offer.seat} cannot pay {offer.price}"


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


def _turn(state: State) -> Iterator[str]:
    if state.finished:
        return
    if len(state.live) < 2:
        yield "turn: the hand goes on with fewer than two players"
    actor = state.player(state.actor)
    if state.phase in (Phase.BRING_IN, Phase.BETTING) and (state.all_in(actor) or actor.out):
        yield f"turn: seat {state.actor} is to bet and has nothing to bet with"
    elif not legal_actions(state).choices:
        yield f"turn: seat {state.actor} is to act and may do nothing"


def _betting(state: State) -> Iterator[str]:
    betting, rules = state.betting, state.rules
    if min(betting.level, betting.full_level, betting.step, betting.raises) < 0:
        yield "betting: a negative level, step or number of raises"
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


def _end(state: State) -> Iterator[str]:
    shown = [player.seat for player in state.players if player.shown]
    if not state.finished:
        if state.awards or shown or state.rained or state.carry:
            yield "end: something was awarded, shown or carried over before the end"
        return
    if any(player.contributed for player in state.players) or state.dead_money:
        yield "end: chips are left in the middle"
    if any(award.amount < 0 for award in state.awards):
        yield "end: a negative award"
    if len(state.live) == 1 and shown:
        yield f"end: seats {shown} showed although everybody else folded"
    if state.rained:
        if state.awards or shown:
            yield "end: a rained-out hand was awarded or shown"
    elif len(state.live) > 1 and shown != [player.seat for player in state.live]:
        yield f"end: seats {shown} showed instead of everybody still in"
