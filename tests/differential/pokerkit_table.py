"""Plays a hand in PokerKit and in the engine side by side, and knows where the two are meant to differ.

Every decision of both is compared with a book of its own, so that no difference goes unnoticed and none is skipped:
where the books agree the engines must agree, and where they do not, each must say what its book says.
"""

import random
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any, NamedTuple

from pokerkit import Automation, FixedLimitSevenCardStud, FixedLimitSevenCardStudHighLowSplitEightOrBetter

import engine
from engine import Action, ActionKind, Rules, State
from engine.cards import FULL_DECK, card_text
from engine.events import AnyEvent, CardDealt
from engine.knobs import FixedLimit, OddUnit, ShortBringIn, Split
from engine.state import Phase
from tests.differential.books import OurBook, Place, Places, TheirBook
from tests.differential.settlement import Worth, our_way, their_way

WAGERS = (ActionKind.COMPLETE, ActionKind.BET, ActionKind.RAISE)
_AUTOMATIONS = (
    Automation.ANTE_POSTING,
    Automation.BET_COLLECTION,
    Automation.BLIND_OR_STRADDLE_POSTING,
    Automation.HOLE_CARDS_SHOWING_OR_MUCKING,
    Automation.HAND_KILLING,
    Automation.CHIPS_PUSHING,
    Automation.CHIPS_PULLING,
)


class Game(NamedTuple):
    """What is played: our knobs are set PokerKit's way where there is a knob."""

    rules: Rules
    stacks: tuple[int, ...]
    deck: tuple[int, ...]

    @property
    def amounts(self) -> str:
        """What a report has to name so that the hand can be played again."""
        structure = self.rules.structure
        return f"{self.rules.split} {structure} ante {self.rules.ante} bring-in {self.rules.bring_in} {self.stacks}"


def rules_like_theirs(ante: int, bring_in: int, small: int, big: int, split: Split = Split.HIGH) -> Rules:
    """Return seven-card stud with every knob at PokerKit's way."""
    return Rules(
        ante=ante,
        bring_in=bring_in,
        structure=FixedLimit(small, big),
        split=split,
        short_bring_in=ShortBringIn.AS_POSTED,
        odd_unit=OddUnit.FIRST_LEFT_OF_DEALER,
    )


def random_game(rng: random.Random) -> Game:
    """Return a game with unequal stacks, many of them too short for a bet, a bring-in or even the ante."""
    small = rng.choice((2, 3, 4, 5, 10))
    rules = rules_like_theirs(
        ante=rng.choice((0, 1, 2, 3)),
        bring_in=rng.randint(1, small - 1),
        small=small,
        big=rng.choice((small, 2 * small)),
        split=rng.choice((Split.HIGH, Split.HIGH_LOW)),
    )
    short = rng.choice((0.1, 0.5, 0.9))
    stacks = tuple(
        rng.randint(1, 8 * small) if rng.random() < short else rng.randint(20, 80) * small
        for _ in range(rng.randint(2, 7))
    )
    return Game(rules, stacks, tuple(rng.sample(FULL_DECK, 52)))


class Table:
    """One hand in both engines."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.differences: Counter[str] = Counter()
        self.decisions = 0
        self.played: list[str] = []
        self._cards: dict[int, list[str]] = defaultdict(list)
        self._street = 0
        self._ours, self._theirs = OurBook(1, None), TheirBook(1, None)
        rules = game.rules
        assert isinstance(rules.structure, FixedLimit)
        variant = FixedLimitSevenCardStudHighLowSplitEightOrBetter if rules.low is not None else FixedLimitSevenCardStud
        self.their: Any = variant.create_state(
            _AUTOMATIONS,
            True,  # antes are trimmed
            rules.ante,
            rules.bring_in,
            rules.structure.low,
            rules.structure.high,
            game.stacks,
            len(game.stacks),
        )
        step = engine.start(rules, game.stacks, len(game.stacks), game.deck)
        self.state: State = step.state
        self._take(step.events)

    @property
    def over(self) -> bool:
        """Whether nobody has anything more to decide."""
        return self.state.phase in (Phase.SHOWDOWN, Phase.FINISHED)

    def compare(self) -> None:
        """Compare everything that can be seen before a decision."""
        self.decisions += 1
        legal = engine.legal_actions(self.state)
        assert self.their.actor_index is not None, f"they have nobody to act, we have seat {legal.seat}"
        assert self.their.actor_index + 1 == legal.seat, "the turn"
        assert legal.seat is not None
        self._compare_chips()
        self._new_round()
        places = self._places()
        kinds = {choice.kind: choice for choice in legal.choices}
        due = ActionKind.BRING_IN in kinds
        assert due == self.their.can_post_bring_in(), "whether the bring-in is due"
        if due:
            assert kinds[ActionKind.BRING_IN].max == self.their.effective_bring_in_amount, "the bring-in"
        call = kinds[ActionKind.CALL].max - places[legal.seat].bet if ActionKind.CALL in kinds else 0
        assert (None if due else call) == self.their.checking_or_calling_amount, "the call"
        self._compare_folds(legal.seat, kinds, due=due, owed=call)
        self._compare_wagers(legal.seat, places, due=due)

    def choices(self) -> list[Action]:
        """Return the actions that both engines allow."""
        actions = []
        for choice in engine.legal_actions(self.state).choices:
            if choice.kind in WAGERS and choice.min != self.their.min_completion_betting_or_raising_to_amount:
                continue
            if choice.kind == ActionKind.FOLD and not self.their.can_fold():
                continue
            actions.append(Action(choice.kind, choice.min))
        return actions

    def act(self, action: Action) -> None:
        """Take an action in both engines."""
        seat = self.state.actor
        self.played.append(f"{seat} {action.kind} {action.amount}")
        all_in = action.amount == sum(self._places()[seat])
        step = engine.step(self.state, action)
        match action.kind:
            case ActionKind.FOLD:
                self.their.fold()
            case ActionKind.BRING_IN:
                self._ours.opened(seat, action.amount)
                self._theirs.opened(seat, action.amount)
                self.their.post_bring_in()
            case ActionKind.CHECK | ActionKind.CALL:
                self._ours.passed(seat)
                self._theirs.passed(seat)
                self.their.check_or_call()
            case _:
                self._ours.wagered(seat, action.amount)
                self._theirs.wagered(seat, action.amount, all_in=all_in)
                self.their.complete_bet_or_raise_to(action.amount)
        self.state = step.state
        self._take(step.events)

    def finish(self) -> None:
        """Settle the hand and compare what everybody has."""
        assert self.their.actor_index is None, "we are done, they are not"
        if self.state.phase == Phase.SHOWDOWN:
            self._settle()
        assert self.state.finished
        assert [] == engine.broken(self.state)
        assert not self.their.status, "they are not done"
        if not self.differences["pots paid another way"]:
            assert list(self.state.stacks) == list(map(int, self.their.stacks)), "the stacks at the end"

    def _settle(self) -> None:
        """Show the hands; each engine must pay its way, and both ways mostly come to the same."""
        before = sorted(self.state.players, key=lambda player: player.seat)
        pots = [(pot.amount, pot.seats) for pot in self.state.pots]
        low = self.game.rules.low is not None
        worths = {
            player.seat: Worth(engine.evaluate(player.cards), engine.evaluate_low(player.cards) if low else None)
            for player in self.state.live
        }
        self.state = engine.step(self.state, Action(ActionKind.SHOWDOWN)).state
        ours, theirs = (
            [player.stack + paid[player.seat] for player in before]
            for paid in (our_way(pots, worths), their_way(pots, worths))
        )
        assert ours == list(self.state.stacks), "our payment"
        assert theirs == list(map(int, self.their.stacks)), "their payment"
        self.differences["pots paid another way"] += ours != theirs

    def _take(self, events: Iterable[AnyEvent]) -> None:
        """Note what happened and give PokerKit the cards that we dealt."""
        for event in events:
            if isinstance(event, CardDealt):
                self._cards[event.seat].append(card_text(event.card))
        while True:
            while self.their.can_burn_card():
                self.their.burn_card("??")
            place = self.their.hole_dealee_index
            if place is None or not self.their.can_deal_hole():
                break
            wanted = len(self.their.hole_dealing_statuses[place])
            held = self._cards[place + 1]
            assert len(held) >= wanted, f"they want to deal {wanted} to seat {place + 1}, who gets {held}"
            self.their.deal_hole("".join(held[:wanted]))
            del held[:wanted]
        assert not any(self._cards.values()), f"they do not deal {dict(self._cards)}"

    def _places(self) -> Places:
        return {player.seat: Place(player.stack, player.bet) for player in self.state.live}

    def _new_round(self) -> None:
        if self.state.street == self._street:
            return
        self._street = self.state.street
        structure = self.game.rules.structure
        assert isinstance(structure, FixedLimit)
        unit = structure.low if self._street < 5 else structure.high
        bring_in = self.game.rules.bring_in if self._street == 3 else None
        self._ours, self._theirs = OurBook(unit, bring_in), TheirBook(unit, bring_in)

    def _compare_chips(self) -> None:
        bets = [self.state.player(seat).bet for seat in range(1, len(self.game.stacks) + 1)]
        ours = (list(self.state.stacks), bets, sum(pot.amount for pot in self.state.pots))
        stacks, their_bets = list(map(int, self.their.stacks)), list(map(int, self.their.bets))
        assert ours == (stacks, their_bets, int(self.their.total_pot_amount)), "stacks, bets and pots"

    def _compare_folds(self, seat: int, kinds: Iterable[ActionKind], *, due: bool, owed: int) -> None:
        """Ours may always fold but for the bring-in's owner; theirs only where they owe something."""
        low_card = min(self.state.live, key=lambda player: (player.up[0] % 13, player.up[0] // 13)).seat
        ours, theirs = not due or seat != low_card, owed > 0
        assert ours == (ActionKind.FOLD in kinds), "our fold"
        assert theirs == self.their.can_fold(), "their fold"
        self.differences["fold in place of an all-in low card"] += due and ours
        self.differences["fold that owes nothing"] += not due and not theirs

    def _compare_wagers(self, seat: int, places: Places, *, due: bool) -> None:
        ours, theirs = self._ours.wager(seat, places), self._theirs.wager(seat, places)
        choices = [choice for choice in engine.legal_actions(self.state).choices if choice.kind in WAGERS]
        offered = [(choice.min, choice.max) for choice in choices]
        assert ([] if ours is None else [(ours, ours)]) == offered, "our completion, bet or raise"
        assert theirs == self.their.min_completion_betting_or_raising_to_amount, "their completion, bet or raise"
        assert theirs == self.their.max_completion_betting_or_raising_to_amount, "their largest one"
        if ours == theirs:
            return
        if due:
            posted = min(self.game.rules.bring_in, places[seat].stack)
            assert ours is None, "we offer more than they do"
            assert theirs is not None
            assert theirs <= posted, "our completion is missing"
            self.differences["completion that is no more than the bring-in"] += 1
            return
        assert self._ours.had_short_bet, "the books differ without an all-in for less than a bet"
        name = "no raise for us" if ours is None else "no raise for them" if theirs is None else "another size"
        self.differences[f"after a short all-in: {name}"] += 1


def play(game: Game, rng: random.Random) -> Table:
    """Play a game with random actions that both allow; AssertionError names the hand and what differs."""
    with warnings.catch_warnings():
        # PokerKit warns of cards that it would not have dealt: it burns one before each street.
        warnings.simplefilter("ignore")
        table = Table(game)
        try:
            while not table.over:
                table.compare()
                actions = table.choices()
                table.act(rng.choices(actions, [1 if action.kind == ActionKind.FOLD else 5 for action in actions])[0])
            table.finish()
        except Exception as error:
            error.add_note(f"{game.amounts}; {'; '.join(table.played)}")
            raise
    return table
