"""What is kept of a hand, and that it is all of it."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import engine
from engine import Action, ActionKind
from engine.events import HandEnded, HandShown, HandStarted, PotAwarded, RainedOut
from engine.playback import PlaybackError
from service import dealer
from service.hands import HandRecord, PlayerRecord, replay
from service.snapshot import decode_happening, decode_record, encode_happening, encode_record
from tests.engine.random_hands import randoms
from tests.service.played_hands import START_MS, Recorder, a_table, play_hand, two_decks

PROFILES = sorted(engine.PROFILES)


def of_kind(played, kind):
    return [event for event in played.hand.events if isinstance(event, kind)]


def random_hand(rng, profile, leave=0.1):
    return play_hand(rng, a_table(rng, profile), two_decks(rng), leave=rng.choice((0.0, leave)))


class TestReplay:
    @settings(max_examples=150)
    @given(st.sampled_from(PROFILES), randoms())
    def test_a_kept_hand_plays_to_the_same_end(self, profile, rng):
        played = random_hand(rng, profile)
        # Out of the store come bytes.
        happenings = tuple(decode_happening(encode_happening(each)) for each in played.hand.happenings)
        hand = replace(played.hand, record=decode_record(encode_record(played.hand.record)), happenings=happenings)
        again = replay(hand, played.before.rules)
        assert replace(played.table.hand, rolled=0) == replace(again, rolled=0)
        assert {player.seat: player.end_stack for player in hand.record.players} == {
            player.seat: player.stack for player in again.players
        }

    def test_folded_cards_that_came_back_do_so_again(self):
        rules = engine.PROFILES["baseball"].replace(exhaustion="recycle_folded")
        for seed in range(60):
            rng = random.Random(seed)
            table = replace(a_table(rng, "baseball"), rules=rules)
            played = play_hand(rng, table, two_decks(rng))
            assert played.hand.happenings[0].shuffled.spare
            assert played.table.hand == replay(played.hand, rules)

    def test_a_game_of_its_own_is_part_of_the_record(self):
        rng = random.Random(4)
        played = random_hand(rng, "baseball-home", leave=0.0)
        own = replace(played.hand, record=replace(played.hand.record, rules=played.before.rules))
        assert played.table.hand == replay(own, engine.PROFILES["no-peek"])
        with pytest.raises(PlaybackError):
            replay(played.hand, engine.PROFILES["no-peek"])

    def test_without_the_deck_there_is_no_replay(self):
        played = random_hand(random.Random(1), "baseball")
        happenings = tuple(replace(each, shuffled=None) for each in played.hand.happenings)
        with pytest.raises(PlaybackError, match="deck"):
            replay(replace(played.hand, happenings=happenings), played.before.rules)

    def test_the_deck_is_kept_once(self):
        played = random_hand(random.Random(1), "baseball")
        assert [True] + [False] * (len(played.hand.happenings) - 1) == [
            each.shuffled is not None for each in played.hand.happenings
        ]


class TestRecord:
    @settings(max_examples=150)
    @given(st.sampled_from(PROFILES), randoms())
    def test_it_says_what_the_events_say(self, profile, rng):
        played = random_hand(rng, profile)
        record = played.hand.record
        started, ended = of_kind(played, HandStarted)[0], of_kind(played, HandEnded)[0]
        awards = [share for event in of_kind(played, PotAwarded) for share in event.shares]
        assert (started.button, dict(started.stacks)) == (record.button, played.hand.start_stacks)
        assert ended.stacks == tuple((player.seat, player.end_stack) for player in record.players)
        assert sum(amount for _, amount in awards) == record.pot
        assert sorted({seat for seat, _ in awards}) == list(record.winners)
        assert bool(of_kind(played, HandShown)) == record.showdown
        assert bool(of_kind(played, RainedOut)) == record.rained
        assert played.table.hand_number == record.number
        assert (played.hand.happenings[0].time_ms, played.hand.happenings[-1].time_ms) == (
            record.started_ms,
            record.ended_ms,
        )

    @settings(max_examples=60)
    @given(st.sampled_from(PROFILES), randoms())
    def test_no_chip_is_lost_between_the_stacks(self, profile, rng):
        played = random_hand(rng, profile)
        record = played.hand.record
        carry = played.table.carry
        ended = sum(player.end_stack for player in record.players)
        assert sum(played.hand.start_stacks.values()) == ended + carry

    def test_who_left_in_mid_hand_is_in_it(self):
        rng = random.Random(3)
        recorder = Recorder(a_table(rng, "baseball"))
        recorder.take(dealer.deal(recorder.table, iter(two_decks(rng)).__next__, START_MS))
        seated = {each.seat: each.number for each in recorder.before.seats}
        for seat in sorted(seated)[1:]:
            if recorder.table.playing:
                recorder.play(Action(ActionKind.LEAVE, seat=seat))
        record = recorder.record
        assert seated == {player.seat: player.seating for player in record.players}
        assert len(recorder.table.seats) < len(record.players)
        assert not record.showdown

    def test_a_rained_out_hand_has_no_winner(self):
        rules = engine.PROFILES["baseball"].replace(rain_card="Qs", rain_ante=True, rain_returns=True)
        for seed in range(200):
            rng = random.Random(seed)
            played = play_hand(rng, replace(a_table(rng, "baseball"), rules=rules), two_decks(rng))
            if played.hand.record.rained:
                break
        record = played.hand.record
        assert (True, 0, (), False) == (record.rained, record.pot, record.winners, record.showdown)
        assert played.table.hand == replay(played.hand, rules)


def test_a_seating_sees_the_hands_it_was_dealt_into():
    players = (PlayerRecord(2, "ann", 7, 10), PlayerRecord(5, "bob", 3, 10))
    record = HandRecord(1, "baseball", None, 5, 0, 1, players, 4, (2,), False, False)
    assert [2, 5, None, None] == [record.viewer(seating) for seating in (7, 3, 2, 8)]
