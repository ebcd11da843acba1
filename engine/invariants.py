"""What must hold of every hand at every moment; a list of what does not is a bug report.

Snapshots are checked with it when they are read, so it must answer for anything that has the shape of a state: the
later checks look only at hands whose structure holds.
"""

from collections import Counter
from collections.abc import Iterator

from engine.cards import DECK_SIZE, FULL_DECK, HIDDEN
from engine.legal import legal_actions
from engine.state import Phase, Player, State

# CPython 3.11 takes long to read a member off its enum; these are read for every state.
_BETTING, _BRING_IN, _PURCHASE, _ROLL = Phase.BETTING, Phase.BRING_IN, Phase.PURCHASE, Phase.ROLL
_DECK_IN_ORDER = list(FULL_DECK)
_TOO_LARGE = 2**60
"""No number of a hand comes near; sums of such numbers would leave 64 bits."""

Live = tuple[Player, ...]

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
    live = state.live
    unsound = [fault for check in _OF_STRUCTURE for fault in check(state, live)]
    return unsound or [fault for check in _OF_PLAY for fault in check(state, live)]


def _numbers(state: State, live: Live) -> Iterator[str]:
    betting = state.betting
    numbers = [state.seat_count, state.button, state.chips, state.round, state.cursor, state.actor, state.betting_round]
    numbers += (state.named_wild, state.asked, state.leader, state.roller, state.rolled, state.carry)
    numbers += (betting.level, betting.full_level, betting.step, betting.raises, betting.aggressor)
    for player in state.players:
        numbers += (player.seat, player.stack, player.collected, player.bet)
    for level, amount in state.dead_money:
        numbers += (level, amount)
    if max(numbers) >= _TOO_LARGE or min(numbers) <= -_TOO_LARGE:
        yield f"numbers: {max(numbers, key=abs)} is none that a hand could come to"


def _seats(state: State, live: Live) -> Iterator[str]:
    seats = [player.seat for player in state.players]
    if len(set(seats)) != len(seats) or (seats and not (min(seats) >= 1 and max(seats) <= state.seat_count)):
        yield f"seats: {seats} are not different seats from 1 to {state.seat_count}"
    if not 1 <= state.button <= state.seat_count:
        yield f"seats: the button is at seat {state.button}"
    order = [(seat <= state.button, seat) for seat in seats]
    if order != sorted(order):
        yield f"seats: {seats} is not the dealing order from button {state.button}"
    if not live:
        yield "seats: nobody is in the hand"


def _cards(state: State, live: Live) -> Iterator[str]:
    cards = [*state.deck, *state.burns, *state.community]
    for player in state.players:
        cards += player.down + player.unseen + player.up + player.dead
    if sorted(cards) != _DECK_IN_ORDER:
        yield from _miscounted(cards)
    if state.spare and sorted(state.spare) != _DECK_IN_ORDER:
        yield "cards: the spare order is no permutation of the deck"
    for player in state.players:
        if not (player.paid or player.claimable):
            continue
        if not set(player.paid) <= set(player.up) or not set(player.claimable) <= set(player.down):
            yield f"cards: seat {player.seat} has paid for or may claim for a card it does not hold"


def _miscounted(cards: list[int]) -> Iterator[str]:
    counts = Counter(cards)
    doubled = sum(count > 1 for count in counts.values())
    if doubled:  # which ones is nobody's business: the message may reach a log
        yield f"cards: {doubled} of them are there more than once"
    if counts.keys() != set(FULL_DECK):
        yield f"cards: {len(counts)} different numbers are not the {DECK_SIZE} cards"


def _progress(state: State, live: Live) -> Iterator[str]:
    if state.phase not in _RESTING:
        yield f"turn: the hand rests in phase {state.phase}"
    if not 0 <= state.round < len(state.rules.rounds):
        yield f"turn: there is no dealing round {state.round}"
    if state.finished != (state.actor == 0):
        yield f"turn: seat {state.actor} is to act in phase {state.phase}"
    acting = [player for player in live if player.seat == state.actor]
    if state.actor and not acting:
        yield f"turn: seat {state.actor} is to act and is not in the hand"
    if state.phase == _BRING_IN and not all(player.up for player in live):
        yield "turn: the bring-in is due and somebody has no door card"
    if state.phase == _ROLL and acting and not acting[0].unseen:
        yield f"turn: seat {state.actor} is to roll and has no card left to roll"


def _offer(state: State, live: Live) -> Iterator[str]:
    offer = state.offer
    if (offer is not None) != (state.phase in _OFFERING):
        yield f"offer: {'one' if offer else 'none'} stands in phase {state.phase}"
    if offer is None:
        return
    player = next((player for player in live if player.seat == offer.seat), None)
    if player is None or offer.seat != state.actor:
        yield f"offer: made to seat {offer.seat} while seat {state.actor} is to act"
    elif offer.card not in (HIDDEN, *player.up, *player.down):
        yield f"offer: seat {offer.seat} does not hold the card it is about"
    elif offer.price < 0 or (state.phase == _PURCHASE and offer.price > player.stack and not state.rules.credit):
        yield f"offer: seat {offer.seat} cannot pay {offer.price}"


def _chips(state: State, live: Live) -> Iterator[str]:
    players = state.players
    stacks = sum([player.stack for player in players])
    dead = sum([amount for _, amount in state.dead_money])
    middle = sum([player.collected + player.bet for player in players]) + dead
    if stacks + middle + state.carry != state.chips:
        yield f"chips: {stacks} in stacks and {middle} in the middle are not the {state.chips} of the start"
    if not state.finished and sum([pot.amount for pot in state.pots]) != middle:
        yield f"chips: the pots do not hold the {middle} that were put in"
    for player in players:
        if player.stack < 0 and not state.rules.credit:
            yield f"chips: seat {player.seat} has {player.stack}"
        if player.bet < 0 or player.collected < 0:
            yield f"chips: seat {player.seat} put in a negative amount"
    if any(amount < 0 for _, amount in state.dead_money):
        yield "chips: negative dead money"


def _turn(state: State, live: Live) -> Iterator[str]:
    if state.finished:
        return
    if len(live) < 2:
        yield "turn: the hand goes on with fewer than two players"
    actor = state.player(state.actor)
    if state.phase in (_BRING_IN, _BETTING) and (state.all_in(actor) or actor.out):
        yield f"turn: seat {state.actor} is to bet and has nothing to bet with"
    elif not legal_actions(state).choices:
        yield f"turn: seat {state.actor} is to act and may do nothing"


def _betting(state: State, live: Live) -> Iterator[str]:
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
    if state.phase not in (_BRING_IN, _BETTING) and any(player.bet for player in state.players):
        yield f"betting: bets lie in front of players in phase {state.phase}"


def _end(state: State, live: Live) -> Iterator[str]:
    shown = [player.seat for player in state.players if player.shown]
    if not state.finished:
        if state.awards or shown or state.rained or state.carry:
            yield "end: something was awarded, shown or carried over before the end"
        return
    if any(player.contributed for player in state.players) or state.dead_money:
        yield "end: chips are left in the middle"
    if any(award.amount < 0 for award in state.awards):
        yield "end: a negative award"
    if len(live) == 1 and shown:
        yield f"end: seats {shown} showed although everybody else folded"
    if state.rained:
        if state.awards or shown:
            yield "end: a rained-out hand was awarded or shown"
    elif len(live) > 1 and shown != [player.seat for player in live if player.up or not state.rules.rolls]:
        yield f"end: seats {shown} showed instead of everybody still in who has something to show"


_OF_STRUCTURE = (_numbers, _seats, _cards, _progress, _offer)
_OF_PLAY = (_chips, _turn, _betting, _end)
