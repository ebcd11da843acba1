"""``dugout demo``: one hand of poker, played by simulated players against a real server and told as a story.

The demo is a client like any other: it knows the API and nothing of the engine. Every player has a seat token and a
stream of the table's events, and sees only what that seat may see; the story puts the players' views together.
"""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import grpc
import typer
from rich.console import Console

from proto.stud.v1 import stud_pb2, stud_pb2_grpc
from service.cli.output import fail
from service.cli.story import Story

_NAMES = ("Ada", "Babe", "Casey", "Dolly", "Eddie", "Fern", "Gus")
_CHIPS = 100
_HIDDEN = "??"
_TIMEOUT_S = 20.0
_START_TIMEOUT_S = 60.0
_STOP_TIMEOUT_S = 30.0
_LOG_LINES_SHOWN = 15
_NOT_FOR_IT = (
    *("REDIS_URL", "DUGOUT_DATA_DIR", "DUGOUT_HOST", "DUGOUT_METRICS_PORT"),
    *("DUGOUT_TLS_CERT", "DUGOUT_TLS_KEY", "DUGOUT_TLS_CLIENT_CA"),
    *("DUGOUT_OPERATOR_RATE_LIMIT", "DUGOUT_SEAT_RATE_LIMIT", "DUGOUT_PEER_RATE_LIMIT"),
)
"""The settings of somebody's own server that are not for this one: above all, its store is not to be played on."""


def demo(
    profile: Annotated[str, typer.Option(metavar="PROFILE", help="The game's profile.")] = "baseball",
    players: Annotated[int, typer.Option(min=2, max=7, help="How many players.")] = 4,
    seed: Annotated[int | None, typer.Option(help="Seed of the players' choices; the cards are never seeded.")] = None,
) -> None:
    """Play one hand against a real server with its own store, and print it.

    Example: dugout demo --profile baseball --players 4
    """
    story = Story(Console(highlight=False))
    try:
        with _server() as (address, operator_key), grpc.insecure_channel(address) as channel:
            Game(channel, operator_key, story, random.Random(seed)).play(profile, players)  # noqa: S311 -- no cards
    except grpc.RpcError as error:
        refusal: Any = error  # a call that failed is its own error
        if refusal.code() == grpc.StatusCode.INVALID_ARGUMENT:
            raise typer.BadParameter(refusal.details()) from None
        fail(f"the server answered {refusal.code().name}: {refusal.details()}")


class Player:
    """A simulated player: a seat token, a stream of events, and a way to choose."""

    def __init__(self, channel: grpc.Channel, table_id: str, name: str, taken: stud_pb2.TakeSeatResponse) -> None:
        self.name = name
        self.seat = taken.seat
        self._tables = stud_pb2_grpc.TableServiceStub(channel)
        self._evaluator = stud_pb2_grpc.EvaluatorServiceStub(channel)
        self._metadata = (("authorization", f"Bearer {taken.seat_token}"),)
        self._table_id = table_id
        watch = stud_pb2.WatchTableRequest(table_id=table_id, after_version=taken.version)
        self._stream = self._tables.WatchTable(watch, metadata=self._metadata)

    def events(self, version: int) -> list[stud_pb2.Event]:
        """Return the events of a version as this player sees them."""
        for message in self._stream:
            if message.version == version and not message.checkpoint:
                return list(message.events)
        raise AssertionError(f"the stream ended before version {version}")

    def stop_watching(self) -> None:
        """End the stream."""
        self._stream.cancel()

    def act(self, action: stud_pb2.Action) -> stud_pb2.ActResponse:
        """Take an action in this player's seat."""
        request = stud_pb2.ActRequest(table_id=self._table_id, action=action)
        return self._tables.Act(request, metadata=self._metadata, timeout=_TIMEOUT_S)

    def choose(self, profile: str, rng: random.Random) -> stud_pb2.Action:
        """Choose an action by what the own cards are worth: rarely fold, raise with something."""
        request = stud_pb2.GetTableRequest(table_id=self._table_id)
        table = self._tables.GetTable(request, metadata=self._metadata, timeout=_TIMEOUT_S).table
        own = next(seat for seat in table.seats if seat.seat == self.seat)
        cards = " ".join(card for card in (*own.down_cards, *own.up_cards) if card != _HIDDEN)
        category = stud_pb2.HAND_CATEGORY_UNSPECIFIED
        if cards:
            evaluated = stud_pb2.EvaluateRequest(cards=cards, profile=profile)
            category = self._evaluator.Evaluate(evaluated, timeout=_TIMEOUT_S).category
        legal = {action.kind: action for action in table.legal_actions}
        still_in = sum(seat.in_hand and not seat.folded for seat in table.seats)
        return choose_action(legal, category, table.street, still_in, rng)


def choose_action(
    legal: dict[Any, stud_pb2.LegalAction], category: int, street: int, still_in: int, rng: random.Random
) -> stud_pb2.Action:
    """Return one of the legal actions; the last two players never fold, so that the hands are shown."""
    chance = rng.random()
    aggressive = [stud_pb2.ACTION_KIND_RAISE, stud_pb2.ACTION_KIND_BET, stud_pb2.ACTION_KIND_COMPLETE]
    wanted: list[stud_pb2.ActionKind.ValueType] = []
    if stud_pb2.ACTION_KIND_BUY in legal:
        wanted = [stud_pb2.ACTION_KIND_BUY if chance < 0.85 or still_in <= 2 else stud_pb2.ACTION_KIND_DECLINE]
    elif category >= stud_pb2.HAND_CATEGORY_STRAIGHT:
        wanted = aggressive if chance < 0.6 else []
    elif category >= stud_pb2.HAND_CATEGORY_TWO_PAIR:
        wanted = aggressive if chance < 0.25 else []
    elif street >= 5 and still_in > 2 and chance < 0.45:
        wanted = [stud_pb2.ACTION_KIND_CHECK, stud_pb2.ACTION_KIND_FOLD]
    elif chance > 0.93:
        wanted = aggressive
    passive = [
        stud_pb2.ACTION_KIND_CHECK,
        stud_pb2.ACTION_KIND_CALL,
        stud_pb2.ACTION_KIND_BRING_IN,
        stud_pb2.ACTION_KIND_BUY,
        stud_pb2.ACTION_KIND_CLAIM,
        stud_pb2.ACTION_KIND_REPLACE,
        stud_pb2.ACTION_KIND_ROLL,
    ]
    kind = next((kind for kind in (*wanted, *passive) if kind in legal), next(iter(legal)))
    return stud_pb2.Action(kind=kind, to=legal[kind].min_to)


class Game:
    """A table, its operator and its players."""

    def __init__(self, channel: grpc.Channel, operator_key: str, story: Story, rng: random.Random) -> None:
        self._channel = channel
        self._tables = stud_pb2_grpc.TableServiceStub(channel)
        self._metadata = (("authorization", f"Bearer {operator_key}"),)
        self._story = story
        self._rng = rng
        self._players: list[Player] = []

    def play(self, profile: str, players: int) -> None:
        """Play one hand and tell it."""
        created = self._tables.CreateTable(
            stud_pb2.CreateTableRequest(profile=profile, name="demo"), metadata=self._metadata, timeout=_TIMEOUT_S
        )
        table = created.table
        if not table.rules.min_players <= players <= table.rules.max_players:
            raise typer.BadParameter(
                f"{profile} is played by {table.rules.min_players} to {table.rules.max_players}, not by {players}",
                param_hint="--players",
            )
        try:
            for name in _NAMES[:players]:
                self._seat(table, name)
            self._story.begin(profile, table.rules, {player.seat: player.name for player in self._players})
            self._play_hand(table.table_id, profile)
        finally:
            for player in self._players:
                player.stop_watching()

    def _seat(self, table: stud_pb2.Table, name: str) -> None:
        request = stud_pb2.TakeSeatRequest(
            table_id=table.table_id, player_id=name, stack=_CHIPS * table.rules.minor_units
        )
        taken = self._tables.TakeSeat(request, metadata=self._metadata, timeout=_TIMEOUT_S)
        self._players.append(Player(self._channel, table.table_id, name, taken))

    def _play_hand(self, table_id: str, profile: str) -> None:
        reply: Any = self._tables.Deal(
            stud_pb2.DealRequest(table_id=table_id), metadata=self._metadata, timeout=_TIMEOUT_S
        )
        self._tell(reply.version)
        while reply.table.status == stud_pb2.TABLE_STATUS_PLAYING:
            table = reply.table
            player = next(player for player in self._players if player.seat == table.to_act_seat)
            self._story.turn(table)
            reply = player.act(player.choose(profile, self._rng))
            self._tell(reply.version)
        if reply.table.status == stud_pb2.TABLE_STATUS_SHOWDOWN:
            reply = self._tables.Showdown(
                stud_pb2.ShowdownRequest(table_id=table_id), metadata=self._metadata, timeout=_TIMEOUT_S
            )
            self._tell(reply.version)
        self._story.end(reply.table)

    def _tell(self, version: int) -> None:
        """Tell what a change brought about, with every card that some player sees."""
        views = [player.events(version) for player in self._players]
        for seen in zip(*views, strict=True):
            self._story.tell(next((event for event in seen if _shows_card(event)), seen[0]))


def _shows_card(event: stud_pb2.Event) -> bool:
    kind = event.WhichOneof("kind")
    return kind is not None and getattr(getattr(event, kind), "card", "") not in ("", _HIDDEN)


@contextmanager
def _server() -> Iterator[tuple[str, str]]:
    """Run ``dugout serve`` with a store of its own; yield where it listens and its operator key."""
    beside = Path(sys.executable).with_name("dugout")
    program = str(beside) if beside.exists() else shutil.which("dugout")
    if program is None:
        fail("the command dugout is not installed beside this Python")
    with tempfile.TemporaryFile("w+", errors="replace") as log:
        process = subprocess.Popen(
            [program, "serve", "--dev", "--json", "--port", "0"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            env={**os.environ, **dict.fromkeys(_NOT_FOR_IT, "")},
            # An interrupt from the terminal ends the demo, which then stops the server in order.
            start_new_session=True,
        )
        try:
            said = _first_line(process)
            if said is None:
                log.seek(0)
                fail("the server did not start\n" + "\n".join(log.read().splitlines()[-_LOG_LINES_SHOWN:]))
            yield said["address"], said["operator_key"]
        finally:
            _stop(process)


def _first_line(process: subprocess.Popen[str]) -> dict[str, str] | None:
    """Return what the server says once it serves; None if it ends or says nothing for too long."""
    if process.stdout is None:
        return None
    too_long = threading.Timer(_START_TIMEOUT_S, process.terminate)
    too_long.start()
    try:
        line = process.stdout.readline()
    finally:
        too_long.cancel()
    return dict(json.loads(line)) if line else None


def _stop(process: subprocess.Popen[str]) -> None:
    process.terminate()
    try:
        process.wait(_STOP_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    if process.stdout is not None:
        process.stdout.close()
