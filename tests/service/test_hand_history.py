"""Finished hands through the use cases and a real store."""

import random

import pytest
from msgspec.structs import replace

import engine
from engine import Action, ActionKind
from engine.cards import FULL_DECK, parse_card
from engine.events import Event, HandEnded, HandStarted
from service.credentials import Anonymous, Operator, SeatHolder
from service.errors import Reason, ServiceError
from service.hand_history import HandHistory
from service.hands import replay
from service.snapshot import encode_table
from service.store.keys import table_key
from service.store.redis import RedisStore
from service.table import Settings
from service.table_events import SeatLeft, SeatTaken
from service.table_service import TableService
from service.table_writer import Mutation
from tests.service.conftest import START_MS
from tests.service.test_table_service import act, full_table, leave, play_out, refused, showdown

DAY_MS = 86_400_000


async def fold_out(house, table):
    """Play a hand in which everybody folds to the last one."""
    reply = await house.deal(table)
    while reply.table.playing:
        kinds = [choice.kind for choice in engine.legal_actions(reply.table.hand).choices]
        wanted = (ActionKind.FOLD, ActionKind.BRING_IN, ActionKind.DECLINE, ActionKind.CHECK)
        reply = await act(house, table, next(kind for kind in wanted if kind in kinds))
    return reply.table


async def get_hand(house, table, number, caller=None, view_as=0):
    return await house.hands.get_hand(caller or house.operator, table.table_id, number, view_as)


async def listed(house, table, caller=None, page_size=100, page_token=""):
    page = await house.hands.list_hands(caller or house.operator, table.table_id, page_size, page_token)
    return [record.number for record in page.records]


class TestGetHand:
    @pytest.mark.parametrize("profile", ["baseball", "baseball-match-pot", "no-peek", "baseball-hi-lo"])
    async def test_every_commit_of_the_hand_is_in_it(self, house, profile):
        table, _ = await full_table(house, 4, profile=profile)
        rng = random.Random(profile)
        for number in (1, 2, 3):
            dealt = await house.deal(table)
            ended = await play_out(house, table, rng)
            seen = await get_hand(house, table, number)
            happenings = seen.played.happenings
            assert list(range(dealt.version, ended.table.version + 1)) == [each.version for each in happenings]
            assert isinstance(happenings[0].events[0], HandStarted)
            assert any(isinstance(event, HandEnded) for event in happenings[-1].events)
            again = replay(seen.played, ended.table.rules)
            assert replace(ended.table.hand, rolled=0) == replace(again, rolled=0)
            assert ended.table.version == seen.table.version

    async def test_the_record(self, house, clock):
        table, _ = await full_table(house, 3)
        clock.time_ms += 5000
        await house.deal(table)
        clock.time_ms += 7000
        ended = (await play_out(house, table, random.Random(1))).table
        record = (await get_hand(house, table, 1)).played.record
        assert (1, "baseball", START_MS + 5000, START_MS + 12_000) == (
            record.number,
            record.profile,
            record.started_ms,
            record.ended_ms,
        )
        assert {seating.seat: seating.stack for seating in ended.seats} == {
            player.seat: player.end_stack for player in record.players
        }
        assert {1: 100, 2: 100, 3: 100} == (await get_hand(house, table, 1)).played.start_stacks

    async def test_what_goes_on_at_the_table_meanwhile_is_in_it_and_does_no_harm(self, house):
        table, callers = await full_table(house, 4)
        await house.deal(table)
        await house.seat(table, "late")
        await leave(house, table, callers[1])
        ended = await play_out(house, table, random.Random(2))
        played = (await get_hand(house, table, 1)).played
        others = [event for each in played.happenings for event in each.events if not isinstance(event, Event)]
        assert {SeatTaken, SeatLeft} == set(map(type, others))
        assert [1, 2, 3, 4] == sorted(player.seat for player in played.record.players)
        assert "player2" in [player.player_id for player in played.record.players]
        assert ended.table.hand == replay(played, ended.table.rules)

    async def test_all_but_one_leave(self, house):
        table, callers = await full_table(house, 3)
        await house.deal(table)
        for caller in callers[:2]:
            await leave(house, table, caller)
        played = (await get_hand(house, table, 1)).played
        assert ((3,), False) == (played.record.winners, played.record.showdown)
        assert 300 == sum(player.end_stack for player in played.record.players)

    async def test_a_hand_that_is_rained_out_in_the_deal(self, house, shuffle):
        table, _ = await full_table(house, 4, rain_card="Qs", rain_ante=True, rain_returns=True)
        rain = parse_card("Qs")
        cards = [card for card in FULL_DECK if card != rain]
        shuffle.decks.append((*cards[:8], rain, *cards[8:]))  # two down cards each, then the first door card
        rained = (await house.deal(table)).table
        played = (await get_hand(house, table, 1)).played
        assert (True, 0, (), 1) == (
            played.record.rained,
            played.record.pot,
            played.record.winners,
            len(played.happenings),
        )
        assert rained.hand == replay(played, rained.rules)
        await house.deal(table)
        ended = (await play_out(house, table, random.Random(8))).table
        carried = (await get_hand(house, table, 2)).played
        assert rained.carry == carried.events[0].carry
        assert replace(ended.hand, rolled=0) == replace(replay(carried, ended.rules), rolled=0)

    async def test_a_hand_of_more_commits_than_events_are_kept(self, embedded, house, clock, shuffle):
        store = RedisStore(embedded.url, events_kept=1)
        await store.connect()
        house.tables = TableService(store, clock, shuffle, house.keyring, None)
        house.hands = HandHistory(store, house.tables, clock, ttl_s=86_400)
        table, _ = await full_table(house, 2)
        await house.deal(table)
        for number in range(150):
            await leave(house, table, await house.seat(table, f"guest{number}"))
        ended = await play_out(house, table, random.Random(3))
        seen = await get_hand(house, table, 1)
        assert len(seen.played.happenings) > 300
        assert ended.table.hand == replay(seen.played, ended.table.rules)
        await store.close()


class TestNotFound:
    async def test_before_during_and_after(self, house):
        table, _ = await full_table(house)
        for number in (1, 2**63 - 1):
            with refused(Reason.HAND_NOT_FOUND, hand_number=number) as refusal:
                await get_hand(house, table, number)
            assert "has not been played" in refusal.value.message
        await house.deal(table)
        with refused(Reason.HAND_NOT_FOUND, hand_number=1) as refusal:
            await get_hand(house, table, 1)
        assert "is being played" in refusal.value.message
        assert [] == await listed(house, table)
        await play_out(house, table, random.Random(4))
        assert 1 == (await get_hand(house, table, 1)).played.record.number

    async def test_a_hand_is_not_over_before_its_showdown(self, house):
        table, _ = await full_table(house)
        reply = await house.deal(table)
        while not reply.table.showdown_due:
            kinds = [choice.kind for choice in engine.legal_actions(reply.table.hand).choices]
            wanted = (ActionKind.CHECK, ActionKind.CALL, ActionKind.BRING_IN, ActionKind.BUY)
            reply = await act(house, table, next(kind for kind in wanted if kind in kinds))
        with refused(Reason.HAND_NOT_FOUND):
            await get_hand(house, table, 1)
        await showdown(house, table)
        assert (await get_hand(house, table, 1)).played.record.showdown
        await showdown(house, table)
        assert [1] == await listed(house, table)

    async def test_too_many_or_too_old(self, embedded, house, clock, shuffle):
        store = RedisStore(embedded.url, hands_kept=2, hands_ttl_s=86_400)
        await store.connect()
        house.tables = TableService(store, clock, shuffle, house.keyring, None)
        house.hands = HandHistory(store, house.tables, clock, ttl_s=86_400)
        table, _ = await full_table(house)
        for _ in range(3):
            await fold_out(house, table)
            clock.time_ms += DAY_MS // 2
        assert [3, 2] == await listed(house, table)
        with refused(Reason.HAND_NOT_FOUND, hand_number=1) as refusal:
            await get_hand(house, table, 1)
        assert "no longer kept" in refusal.value.message
        clock.time_ms += 1
        assert [3] == await listed(house, table)
        with refused(Reason.HAND_NOT_FOUND, hand_number=2):
            await get_hand(house, table, 2)
        clock.time_ms += DAY_MS // 2
        assert [] == await listed(house, table)
        with refused(Reason.HAND_NOT_FOUND, hand_number=3) as refusal:
            await get_hand(house, table, 3)
        assert "no longer kept" in refusal.value.message
        await store.close()

    async def test_a_hand_that_was_dealt_before_hands_were_kept(self, house, store):
        """Its beginning was not noted, so it is played on and not kept; the next one is."""
        table, _ = await full_table(house)
        dealt = (await house.deal(table)).table
        old = encode_table(replace(dealt, dealt_version=0, dealt_ms=0))
        await (await store._servers.node_of(0)).client.hset(table_key(table.table_id), "snapshot", old)
        house.tables._writer._known.clear()
        await play_out(house, table, random.Random(5))
        assert [] == await listed(house, table)
        await fold_out(house, table)
        assert [2] == await listed(house, table)


class TestViewers:
    async def test_an_operator_sees_as_the_seat_it_names(self, house):
        table, callers = await full_table(house)
        await fold_out(house, table)
        assert [None, 1, 2, 3] == [(await get_hand(house, table, 1, view_as=seat)).viewer for seat in range(4)]
        assert [1, 2, 3] == [(await get_hand(house, table, 1, caller)).viewer for caller in callers]
        assert (await get_hand(house, table, 1, Anonymous())).viewer is None

    async def test_who_sits_down_later_sees_no_earlier_cards(self, house):
        table, (_, second, _) = await full_table(house)
        await fold_out(house, table)
        await leave(house, table, second)
        with refused(Reason.PLAYER_NOT_SEATED):
            await get_hand(house, table, 1, view_as=2)
        newcomer = await house.seat(table, "newcomer", seat=2)
        await fold_out(house, table)
        for caller, view_as in ((newcomer, 0), (newcomer, 2), (house.operator, 2)):
            assert (await get_hand(house, table, 1, caller, view_as)).viewer is None
            assert 2 == (await get_hand(house, table, 2, caller, view_as)).viewer
        for number in (1, 2):
            with refused(Reason.SEATING_ENDED):
                await get_hand(house, table, number, second)

    async def test_who_comes_back_to_the_seat_is_somebody_new(self, house):
        table, (_, second, _) = await full_table(house)
        await fold_out(house, table)
        await leave(house, table, second)
        again = await house.seat(table, "player2", seat=2)
        assert (await get_hand(house, table, 1, again)).viewer is None

    async def test_who_was_not_dealt_in_sees_what_a_spectator_sees(self, house):
        table, _ = await full_table(house)
        await house.deal(table)
        late = await house.seat(table, "late", seat=5)
        await play_out(house, table, random.Random(6))
        assert (await get_hand(house, table, 1, late)).viewer is None
        assert (await get_hand(house, table, 1, view_as=5)).viewer is None

    async def test_who_folds_and_leaves_in_mid_hand_is_followed_by_somebody_who_sees_nothing(self, house):
        table, callers = await full_table(house, 4)
        await house.deal(table)
        await leave(house, table, callers[2])
        await play_out(house, table, random.Random(7))
        newcomer = await house.seat(table, "newcomer", seat=3)
        assert 3 == newcomer.seat
        assert (await get_hand(house, table, 1, newcomer)).viewer is None

    async def test_who_may_not_see_the_table_may_not_see_its_hands(self, house, tenant):
        table, callers = await full_table(house, settings=Settings(spectators=False))
        other, (stranger, *_) = await full_table(house)
        await fold_out(house, table)
        first = callers[0]
        forged = SeatHolder(first.tenant, first.table_id, first.seat, first.player_id, 99, first.expires_s)
        neighbour = Operator(f"{tenant}x", f"{tenant}x")
        for caller, view_as, reason in (
            (Anonymous(), 0, Reason.SPECTATORS_REFUSED),
            (stranger, 0, Reason.NOT_YOUR_TABLE),
            (neighbour, 0, Reason.TABLE_NOT_FOUND),
            (forged, 0, Reason.SEATING_ENDED),
            (first, 2, Reason.NOT_YOUR_SEAT),
            (house.operator, 8, Reason.INVALID_FIELD),
        ):
            with refused(reason):
                await get_hand(house, table, 1, caller, view_as)
        for caller, reason in (
            (Anonymous(), Reason.SPECTATORS_REFUSED),
            (stranger, Reason.NOT_YOUR_TABLE),
            (neighbour, Reason.TABLE_NOT_FOUND),
            (forged, Reason.SEATING_ENDED),
        ):
            with refused(reason):
                await listed(house, table, caller)
        assert other.table_id != table.table_id

    async def test_spectators_see_the_hands_of_an_open_table(self, house):
        table, _ = await full_table(house)
        await fold_out(house, table)
        assert [1] == await listed(house, table, Anonymous())
        with refused(Reason.CREDENTIALS_MISSING):
            await get_hand(house, table, 1, Anonymous(), view_as=1)


class TestListHands:
    async def test_pages(self, house):
        table, _ = await full_table(house)
        for _ in range(5):
            await fold_out(house, table)
        found, token = [], ""
        for size in (2, 2, 1):
            page = await house.hands.list_hands(house.operator, table.table_id, 2, token)
            assert size == len(page.records)
            found += [record.number for record in page.records]
            token = page.next_page_token
        assert ([5, 4, 3, 2, 1], "") == (found, token)

    async def test_a_token_is_for_its_table_and_its_list(self, house):
        table, _ = await full_table(house)
        other, _ = await full_table(house)
        for _ in range(2):
            await fold_out(house, table)
        token = (await house.hands.list_hands(house.operator, table.table_id, 1, "")).next_page_token
        assert token
        _, lobby = await house.tables.list_tables(house.operator, 1, "")
        assert lobby
        for asked, wrong in ((other, token), (table, lobby), (table, token[:-1]), (table, "x"), (table, "1")):
            with pytest.raises(ServiceError) as refusal:
                await listed(house, asked, page_token=wrong)
            assert Reason.INVALID_FIELD == refusal.value.reason
            assert ["page_token"] == [violation.field for violation in refusal.value.fields]
        assert [1] == await listed(house, table, page_token=token)

    async def test_hands_of_one_table_are_none_of_another(self, house):
        table, _ = await full_table(house)
        other, _ = await full_table(house)
        await fold_out(house, table)
        assert [] == await listed(house, other)


async def test_a_repeated_action_that_ended_the_hand_keeps_it_once(house):
    table, _ = await full_table(house, 2)
    reply = await house.deal(table)
    mutation = Mutation("Act", table.table_id, "123e4567-e89b-42d3-a456-426614174000", body=b"same")
    while ActionKind.FOLD not in [choice.kind for choice in engine.legal_actions(reply.table.hand).choices]:
        kind = engine.legal_actions(reply.table.hand).choices[0].kind
        reply = await act(house, table, kind)
    seat = reply.table.hand.actor
    for _ in range(3):
        await house.tables.act(house.operator, mutation, Action(ActionKind.FOLD), seat=seat, player_id="", view_as=0)
    assert [1] == await listed(house, table)
