"""Where every card lies and what is wild, worked out from the events alone, by rules read once more."""

from engine import Rules, State
from engine.cards import parse_card, parse_rank, rank_of
from engine.events import (
    AnyEvent,
    Burned,
    BurnsReturned,
    CardDealt,
    CardExposed,
    CardReplaced,
    CardRolled,
    CommunityCardDealt,
    Face,
    Folded,
    HandStarted,
    PurchaseDeclined,
    PurchaseKind,
    PurchaseMade,
    PurchaseOffered,
    RainedOut,
    WildNamed,
)
from engine.knobs import BonusMode, BonusStreets, Exhaustion


class Croupier:
    """Keeps the cards of one hand while events come in."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.down: dict[int, list[int]] = {}
        self.up: dict[int, list[int]] = {}
        self.unseen: dict[int, list[int]] = {}
        self.dead: dict[int, list[int]] = {}
        self.burned = 0
        self.community: list[int] = []
        self.folded: set[int] = set()
        self.declined: set[int] = set()
        self.bought: set[int] = set()
        self.claimed: set[int] = set()
        self.named: int | None = None
        self.naming = False
        self.any_bought = False
        self.public: set[int] = set()
        """Cards that everybody has seen."""
        self.dealt_to: dict[int, int] = {}
        """Who was the last to know a card that was dealt down."""

    def record(self, event: AnyEvent) -> None:
        """Take note of one event."""
        match event:
            case HandStarted(stacks=stacks):
                for cards in (self.down, self.up, self.unseen, self.dead):
                    cards.update({seat: [] for seat, _ in stacks})
            case Folded(seat=seat):
                self.folded.add(seat)
            case Burned():
                self.burned += 1
            case BurnsReturned(count=count):
                self._take_back(count)
            case CommunityCardDealt(card=card):
                self.community.append(card)
                self.public.add(card)
            case CardDealt():
                self._deal(event)
            case CardRolled(seat=seat, card=card):
                assert card == self.unseen[seat].pop(0)
                self._come_up(seat, card)
            case CardReplaced(seat=seat, card=card):
                assert self.rules.bonus_mode == BonusMode.REPLACE
                self._replaced = self.up[seat].index(card)
                self.dead[seat].append(card)
            case WildNamed(rank=rank):
                assert self.named == rank
            case PurchaseOffered() | PurchaseMade() | PurchaseDeclined() | CardExposed() | RainedOut():
                self._settle(event)

    def _expose(self, seat: int, card: int) -> None:
        """A claimed card that is turned up names no wild rank; of the pay rank it stays wild."""
        assert self.rules.hole_bonus_expose
        assert card in self.claimed
        self.down[seat].remove(card)
        self.up[seat].append(card)
        self.public.add(card)
        if self._is_pay_rank(card):
            self.bought.add(card)

    def _settle(self, event: AnyEvent) -> None:
        match event:
            case CardExposed(seat=seat, card=card):
                self._expose(seat, card)
            case PurchaseOffered(seat=seat, purchase=purchase, card=card):
                assert seat not in self.folded
                self._may_be_asked(seat, purchase, card)
            case PurchaseMade(seat=seat, purchase=PurchaseKind.HOLE_BONUS, card=card):
                assert card in self.down[seat]
                self.claimed.add(card)
            case PurchaseMade(purchase=PurchaseKind.PAY_RANK, card=card):
                self.bought.add(card)
                self.any_bought = True
            case PurchaseDeclined(purchase=PurchaseKind.PAY_RANK, card=card):
                self.declined.add(card)
            case RainedOut(seat=seat, card=card):
                assert card == parse_card(self.rules.rain_card or "")
                assert card in (*self.up[seat], *self.dead[seat]), "replaced it may be, its rain comes last"

    def _deal(self, event: CardDealt) -> None:
        seat, card = event.seat, event.card
        assert seat not in self.folded
        assert card not in self.public
        if event.face == Face.UNSEEN:
            assert self.rules.rolls
            self.unseen[seat].append(card)
        elif event.face == Face.DOWN:
            self.down[seat].append(card)
            self.dealt_to[card] = seat
        elif event.cause == "replacement":
            dead = self.up[seat][self._replaced]
            assert dead == self.dead[seat][-1]
            self.up[seat][self._replaced] = card
            self._name_wild(card)
            self.public.add(card)
        else:
            self._come_up(seat, card)

    def _come_up(self, seat: int, card: int) -> None:
        self.up[seat].append(card)
        self.public.add(card)
        self._name_wild(card)

    def _name_wild(self, card: int) -> None:
        """Follow the Queen: an up card after an up trigger card names the rank; a trigger card cancels it."""
        if self.rules.wild_next_after is None:
            return
        if rank_of(card) == parse_rank(self.rules.wild_next_after):
            self.named, self.naming = None, True
        elif self.naming:
            self.named, self.naming = rank_of(card), False

    def _is_pay_rank(self, card: int) -> bool:
        return self.rules.pay_rank is not None and rank_of(card) == parse_rank(self.rules.pay_rank)

    def _may_be_asked(self, seat: int, purchase: PurchaseKind, card: int) -> None:
        """Whether a purchase has a card that raises it, lying as it must."""
        rules = self.rules
        if purchase == PurchaseKind.HOLE_BONUS:
            assert rules.hole_bonus is not None
            assert card == -1 or (card in self.down[seat] and rank_of(card) == parse_rank(rules.bonus_rank or ""))
        elif purchase == PurchaseKind.PAY_RANK:
            assert card in self.up[seat]
            assert self._is_pay_rank(card)
            assert card not in self.bought | self.declined
        else:
            assert card in self.up[seat]
            assert rank_of(card) == parse_rank(rules.bonus_rank or "")
            assert (purchase == PurchaseKind.REPLACEMENT) == (rules.bonus_mode == BonusMode.REPLACE)
            assert rules.bonus_streets == BonusStreets.ALL or self.up[seat].index(card) > 0

    def _take_back(self, count: int) -> None:
        if self.rules.exhaustion == Exhaustion.RECYCLE_FOLDED:
            for seat in self.folded:
                for cards in (self.down, self.up, self.dead):
                    count -= len(cards[seat])
                    cards[seat] = []
        assert count == self.burned
        self.burned = 0

    def compare(self, state: State) -> None:
        """Check the engine's own account of the cards."""
        for player in state.players:
            assert self.down[player.seat] == list(player.down)
            assert self.up[player.seat] == list(player.up)
            assert self.unseen[player.seat] == list(player.unseen)
            assert self.dead[player.seat] == list(player.dead)
            assert not self.rules.hole_bonus_expose or not self.claimed & {*player.down}
            paid = set(player.paid)
            assert all(map(self._is_pay_rank, paid))
            assert not paid & self.declined
            assert self.bought & {*player.up} <= paid
        assert self.community == list(state.community)
        assert self.burned == len(state.burns)
        assert (-1 if self.named is None else self.named) == state.named_wild
        assert self.any_bought <= state.pay_bought

    def known_to(self, viewer: int | None) -> set[int]:
        """Cards that a viewer has seen at some time."""
        return self.public | {card for card, seat in self.dealt_to.items() if seat == viewer}
