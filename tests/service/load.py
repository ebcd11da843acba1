"""Players who keep a server busy."""

import threading
import uuid

import grpc

from proto.stud.v1 import stud_pb2, stud_pb2_grpc
from tests.service.serving import Serving, eventually


class Load:
    """Players who sit down and get up again, each at a table of their own, through the client that the guide publishes.

    A call that fails ends its player; a change that was made twice, or not at all, shows in the table's version.
    """

    def __init__(self, server: Serving, players: int = 12) -> None:
        self._server = server
        self._over = threading.Event()
        self.calls = 0
        self.failures: list[str] = []
        self._players = [threading.Thread(target=self._play) for _ in range(players)]

    def __enter__(self) -> "Load":
        for player in self._players:
            player.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        for player in self._players:
            player.join()

    def _play(self) -> None:
        with self._server.tables() as tables:
            try:
                self._take_turns(tables)
            except grpc.RpcError as error:
                self.failures.append(f"{error.code().name}: {error.details()}")

    def _take_turns(self, tables: stud_pb2_grpc.TableServiceStub) -> None:
        options = self._server.options
        request = stud_pb2.CreateTableRequest(profile="baseball", request_id=str(uuid.uuid4()))
        table_id, version = tables.CreateTable(request, **options).table.table_id, 1
        while not self._over.is_set():
            for call, request in (
                (tables.TakeSeat, stud_pb2.TakeSeatRequest(player_id="ann", seat=1, stack=50)),
                (tables.LeaveSeat, stud_pb2.LeaveSeatRequest(player_id="ann", seat=1)),
            ):
                request.table_id, request.request_id = table_id, str(uuid.uuid4())
                version += 1
                if version != call(request, **options).version:
                    self.failures.append(f"not version {version}")
                self.calls += 1


def more_calls(load: Load) -> None:
    """Wait until the load has gone on for a while."""
    before = load.calls
    eventually(lambda: load.calls > before + 200 or load.failures)
