"""A hand told in words: the API's events as lines that a person reads."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from rich.console import Console

from proto.stud.v1 import stud_pb2

_SUITS = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}
_STREETS = {3: "Third street", 4: "Fourth street", 5: "Fifth street", 6: "Sixth street", 7: "Seventh street"}
_KINDS = {
    number: name.removeprefix("ACTION_KIND_").lower().replace("_", " ") for name, number in stud_pb2.ActionKind.items()
}


class Story:
    """Tells one hand, event by event, on a console; red suits are red where it has colours."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._names: Mapping[int, str] = {}
        self._unit = 1
        self._down: dict[int, list[str]] = {}
        self._up: dict[int, list[str]] = {}
        self._antes: dict[int, list[int]] = {}
        self._new_cards: dict[int, int] = {}
        self._gaps: dict[int, int] = {}
        self._rolled = False
        self._turn = ""
        self._hands: dict[int, stud_pb2.ShownHand] = {}
        self._prizes: list[stud_pb2.PotAwarded] = []

    def begin(self, profile: str, rules: stud_pb2.Rules, names: Mapping[int, str]) -> None:
        """Introduce the game and its players."""
        self._names = names
        self._unit = rules.minor_units
        self._rolled = rules.reveal_mode == stud_pb2.REVEAL_MODE_ROLL_YOUR_OWN
        self._print(f"[bold]A hand of {profile}[/bold]")
        for line in _explained(rules, self._chips):
            self._print(line)
        self._print(f"At the table, in order: {_listed(names.values())}.")

    def turn(self, table: stud_pb2.Table) -> None:
        """Remember whose turn it is, to say so with what that player does."""
        self._flush_cards()
        choices = ", ".join(map(self._choice, table.legal_actions))
        self._turn = f"[dim]{self._name(table.to_act_seat)}'s turn ({choices}):[/dim] "

    def tell(self, event: stud_pb2.Event) -> None:
        """Tell one event."""
        kind = event.WhichOneof("kind")
        if kind is None:
            return
        if kind != "card_dealt":
            self._flush_cards()
        teller = _TELLERS.get(kind)
        if teller is not None:
            teller(self, getattr(event, kind))

    def end(self, table: stud_pb2.Table) -> None:
        """Say who won, with which five cards."""
        self._heading("Result")
        stacks = ", ".join(f"{seat.player_id} {self._chips(seat.stack)}" for seat in table.seats)
        self._print(f"  Stacks: {stacks}")
        for prize in self._prizes:
            self._print(self._result(prize))

    def _print(self, text: str) -> None:
        self._console.print(text, soft_wrap=True)

    def _heading(self, text: str) -> None:
        self._print(f"\n[bold]── {text} {'─' * max(2, 44 - len(text))}[/bold]")

    def _say(self, seat: int, text: str) -> None:
        """Tell what a seat does; on its turn with what else it could have done."""
        if self._turn:
            self._print(f"  {self._turn}{text}")
            self._turn = ""
        else:
            self._print(f"  {self._name(seat)} {text}")

    def _name(self, seat: int) -> str:
        return f"[bold]{self._names.get(seat, f'seat {seat}')}[/bold]"

    def _chips(self, amount: int) -> str:
        """Return an amount in chips; of a chip that is divided, two digits."""
        whole, rest = divmod(abs(amount), self._unit)
        sign = "-" if amount < 0 else ""
        return f"{sign}{whole}" if not rest else f"{sign}{whole}.{rest * 100 // self._unit:02d}"

    def _choice(self, action: stud_pb2.LegalAction) -> str:
        kind = _KINDS[action.kind]
        if action.price:
            return f"{kind} for {self._chips(action.price)}"
        if not action.max_to:
            return kind
        least, most = self._chips(action.min_to), self._chips(action.max_to)
        return f"{kind} {least}" if least == most else f"{kind} {least} to {most}"

    def _flush_cards(self) -> None:
        """Print the hands of those who got cards, the new cards last."""
        for seat in self._new_cards:
            self._print(f"  {self._names[seat]:<7} {self._held(seat)}")
        self._new_cards = {}

    def _held(self, seat: int) -> str:
        down = " ".join(map(_card, self._down.get(seat, ())))
        up = " ".join(map(_card, self._up.get(seat, ())))
        return f"({down}) {up}".rstrip()

    def _hand_started(self, event: stud_pb2.HandStarted) -> None:
        self._print(f"{self._name(event.button_seat)} deals.")

    def _street_started(self, event: stud_pb2.StreetStarted) -> None:
        for paid, seats in self._antes.items():
            who = "Everybody antes" if len(seats) == len(self._names) else f"{_listed(map(self._name, seats))} ante"
            self._print(f"{who} {self._chips(paid)}.")
        self._antes = {}
        self._heading("The deal" if self._rolled else _STREETS.get(event.street, f"Street {event.street}"))

    def _ante_posted(self, event: stud_pb2.AntePosted) -> None:
        self._antes.setdefault(event.paid, []).append(event.seat)

    def _card_dealt(self, event: stud_pb2.CardDealt) -> None:
        if event.cause != stud_pb2.DEAL_CAUSE_STREET:
            self._flush_cards()
        pile = (self._up if event.face == stud_pb2.FACE_UP else self._down).setdefault(event.seat, [])
        pile.insert(self._gaps.pop(event.seat, len(pile)), event.card)
        if event.cause == stud_pb2.DEAL_CAUSE_STREET:
            self._new_cards[event.seat] = self._new_cards.pop(event.seat, 0) + 1
            return
        lies = "face up" if event.face == stud_pb2.FACE_UP else "face down"
        self._say(event.seat, f"gets {_card(event.card)} {lies}: {self._held(event.seat)}")

    def _community_card_dealt(self, event: stud_pb2.CommunityCardDealt) -> None:
        self._print(f"  The deck is short: {_card(event.card)} lies in the middle for everybody")

    def _card_rolled(self, event: stud_pb2.CardRolled) -> None:
        self._turn_up(event.seat, "??", event.card)

    def _card_exposed(self, event: stud_pb2.CardExposed) -> None:
        self._turn_up(event.seat, event.card, event.card)

    def _turn_up(self, seat: int, lay_there: str, card: str) -> None:
        down = self._down.setdefault(seat, [])
        if lay_there in down:
            down.remove(lay_there)
        self._up.setdefault(seat, []).append(card)
        self._say(seat, f"turns up {_card(card)}: {self._held(seat)}")

    def _card_replaced(self, event: stud_pb2.CardReplaced) -> None:
        """Take the dead card out of the hand; its replacement comes to lie in its place."""
        up = self._up.get(event.seat, [])
        if event.card in up:
            self._gaps[event.seat] = up.index(event.card)
            up.remove(event.card)

    def _leader_named(self, event: stud_pb2.LeaderNamed) -> None:
        self._print(f"  {self._name(event.seat)} leads")

    def _player_out(self, event: stud_pb2.PlayerOut) -> None:
        self._print(f"  {self._name(event.seat)} has no card left to turn up and is not ahead: no more bets")

    def _wild_named(self, event: stud_pb2.WildNamed) -> None:
        self._print(f"  {event.rank}s are wild now" if event.rank else "  No rank is wild now but the printed ones")

    def _purchase_offered(self, event: stud_pb2.PurchaseOffered) -> None:
        card, price = _card(event.card), self._price(event.price)
        self._say(
            event.seat,
            {
                stud_pb2.PURCHASE_KIND_PAY_RANK: f"has an open {card}: wild {price}?",
                stud_pb2.PURCHASE_KIND_REPLACEMENT: f"has an open {card}: exchange it {price}?",
                stud_pb2.PURCHASE_KIND_HOLE_BONUS: f"has {card} face down: another card {price}?"
                if event.card != "??"
                else "is asked as well, to give nothing away",
            }.get(event.purchase, f"has an open {card}: another card {price}?"),
        )

    def _purchase_made(self, event: stud_pb2.PurchaseMade) -> None:
        price = self._price(event.paid)
        self._say(
            event.seat,
            {
                stud_pb2.PURCHASE_KIND_PAY_RANK: f"has {_card(event.card)} as a wild card {price}",
                stud_pb2.PURCHASE_KIND_REPLACEMENT: f"exchanges {_card(event.card)} {price}",
                stud_pb2.PURCHASE_KIND_HOLE_BONUS: f"claims another card {price}",
            }.get(event.purchase, f"buys {price}"),
        )

    def _purchase_declined(self, event: stud_pb2.PurchaseDeclined) -> None:
        self._say(
            event.seat,
            {
                stud_pb2.PURCHASE_KIND_PAY_RANK: "does not pay",
                stud_pb2.PURCHASE_KIND_REPLACEMENT: f"keeps {_card(event.card)}",
                stud_pb2.PURCHASE_KIND_HOLE_BONUS: "claims nothing",
            }.get(event.purchase, "does not buy"),
        )

    def _price(self, amount: int) -> str:
        return f"for {self._chips(amount)}" if amount else "for nothing"

    def _bring_in_posted(self, event: stud_pb2.BringInPosted) -> None:
        self._say(event.seat, f"brings it in for {self._chips(event.to)}")

    def _completed(self, event: stud_pb2.Completed) -> None:
        self._say(event.seat, f"completes to {self._chips(event.to)}")

    def _checked(self, event: stud_pb2.Checked) -> None:
        self._say(event.seat, "checks")

    def _called(self, event: stud_pb2.Called) -> None:
        self._say(event.seat, f"calls {self._chips(event.paid)}")

    def _bet_made(self, event: stud_pb2.BetMade) -> None:
        self._say(event.seat, f"bets {self._chips(event.to)}")

    def _raised(self, event: stud_pb2.Raised) -> None:
        self._say(event.seat, f"raises to {self._chips(event.to)}")

    def _fold(self, event: stud_pb2.Folded) -> None:
        self._say(event.seat, "folds")

    def _bet_returned(self, event: stud_pb2.BetReturned) -> None:
        self._say(event.seat, f"takes back {self._chips(event.amount)} that nobody called")

    def _betting_closed(self, event: stud_pb2.BettingClosed) -> None:
        self._print(f"  Pot: {', side pot '.join(self._chips(pot.amount) for pot in event.pots)}")

    def _hand_shown(self, event: stud_pb2.HandShown) -> None:
        if not self._hands:
            self._heading("Showdown")
        self._hands[event.seat] = event.hand
        cards = " ".join(map(_card, event.cards))
        self._print(f"  {self._name(event.seat)} shows {cards}")
        self._print(f"          {event.hand.words}: {_five(event.hand)}")
        if event.hand.low_five:
            self._print(f"          {_low(event.hand)}")

    def _pot_awarded(self, event: stud_pb2.PotAwarded) -> None:
        self._prizes.append(event)

    def _rained_out(self, event: stud_pb2.RainedOut) -> None:
        self._print(f"  {_card(event.card)}: it rains. {self._chips(event.carry)} go into the next hand")

    def _result(self, prize: stud_pb2.PotAwarded) -> str:
        halves = {stud_pb2.POT_HALF_HIGH: "high half of the ", stud_pb2.POT_HALF_LOW: "low half of the "}
        pot = f"{halves.get(prize.half, '')}{f'side pot {prize.pot}' if prize.pot else 'pot'}"
        names = _listed(self._name(share.seat) for share in prize.shares)
        amount = self._chips(prize.amount)
        if len(prize.shares) == 1:
            shown = self._shown(prize, prize.shares[0].seat)
            return f"{names} wins the {pot} of {amount}{f' with {shown}' if shown else ': everybody else folded.'}"
        lines = [f"{names} split the {pot} of {amount}."]
        for share in prize.shares:
            shown = self._shown(prize, share.seat)
            with_ = f" with {shown}" if shown else ""
            lines.append(f"{self._name(share.seat)} splits the {pot}, {self._chips(share.amount)}{with_}")
        return "\n".join(lines)

    def _shown(self, prize: stud_pb2.PotAwarded, seat: int) -> str:
        """Return the hand with which a seat won, as it is told; empty if it showed none."""
        hand = self._hands.get(seat)
        if hand is None:
            return ""
        return _low(hand) if prize.half == stud_pb2.POT_HALF_LOW else f"{hand.words}: {_five(hand)}"


_TELLERS: Mapping[str, Callable[[Story, Any], None]] = {
    "hand_started": Story._hand_started,
    "street_started": Story._street_started,
    "ante_posted": Story._ante_posted,
    "card_dealt": Story._card_dealt,
    "community_card_dealt": Story._community_card_dealt,
    "card_rolled": Story._card_rolled,
    "card_exposed": Story._card_exposed,
    "card_replaced": Story._card_replaced,
    "leader_named": Story._leader_named,
    "player_out": Story._player_out,
    "wild_named": Story._wild_named,
    "purchase_offered": Story._purchase_offered,
    "purchase_made": Story._purchase_made,
    "purchase_declined": Story._purchase_declined,
    "bring_in_posted": Story._bring_in_posted,
    "completed": Story._completed,
    "checked": Story._checked,
    "called": Story._called,
    "bet_made": Story._bet_made,
    "raised": Story._raised,
    "folded": Story._fold,
    "bet_returned": Story._bet_returned,
    "betting_closed": Story._betting_closed,
    "hand_shown": Story._hand_shown,
    "pot_awarded": Story._pot_awarded,
    "rained_out": Story._rained_out,
}


def _card(text: str) -> str:
    """Return a card with the symbol of its suit."""
    if text == "??":
        return text
    shown = text[0] + _SUITS[text[1]]
    return f"[red]{shown}[/red]" if text[1] in "hd" else shown


def _five(hand: stud_pb2.ShownHand) -> str:
    """Return the five cards that play, each wild with what it stands for."""
    stands_for = {wild.card: wild.stands_for for wild in hand.wild_as}
    return " ".join(
        f"{_card(card)} (as {_card(stands_for[card])})" if card in stands_for else _card(card)
        for card in hand.best_five
    )


def _low(hand: stud_pb2.ShownHand) -> str:
    """Return the five cards of the low, as they are printed."""
    return f"the low {' '.join(map(_card, hand.low_five))}"


def _listed(words: Iterable[str]) -> str:
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


def _explained(rules: stud_pb2.Rules, chips: Callable[[int], str]) -> list[str]:
    """Say what is special about a game."""
    lines = []
    wild = [f"{rank}s" for rank in rules.wild_ranks.ranks] + [_card(card) for card in rules.wild_cards.cards]
    if wild:
        lines.append(f"Wild: {_listed(wild)}.")
    if rules.wild_next_after:
        lines.append(f"The open card after an open {rules.wild_next_after} names one more wild rank.")
    if rules.pay_rank:
        price = _priced(rules.pay_price, chips)
        lines.append(f"An open {rules.pay_rank} is wild {price}; one that is dealt face down is wild for nothing.")
    if rules.bonus_rank:
        price = _priced(rules.bonus_price, chips)
        if rules.bonus_mode == stud_pb2.BONUS_MODE_REPLACE:
            lines.append(f"An open {rules.bonus_rank} may be exchanged for another card {price}.")
        else:
            face = "face down" if rules.bonus_face == stud_pb2.BONUS_FACE_DOWN else "face up"
            lines.append(f"An open {rules.bonus_rank} earns another card, {face}, {price}.")
    if rules.HasField("hole_bonus"):
        price = _priced(rules.hole_bonus, chips)
        lines.append(f"For a {rules.bonus_rank} dealt face down another card may be claimed {price}.")
    if rules.reveal_mode == stud_pb2.REVEAL_MODE_ROLL_YOUR_OWN:
        lines.append("Nobody looks at the cards: they are turned up one by one, until ahead of the best open hand.")
    if rules.rain_card:
        lines.append(f"An open {_card(rules.rain_card)} is rain: the hand is void, and its pot goes into the next one.")
    return lines


def _priced(price: stud_pb2.Price, chips: Callable[[int], str]) -> str:
    return {
        "free": "for nothing",
        "fixed": f"for {chips(price.fixed.amount)}",
        "match_pot": "for the size of the pot",
        "match_pot_capped": f"for the size of the pot, at most {chips(price.match_pot_capped.cap)}",
        "min_bet": f"for {price.min_bet.multiple} times the smallest bet",
    }.get(price.WhichOneof("price") or "", "at a price")
