"""``dugout tables`` against a real server."""

import json
import os
import re
import subprocess
import sys

import pytest

from proto.stud.v1 import stud_pb2
from tests.service.certificate_authority import Authority
from tests.service.serving import serving

COMMAND = [sys.executable, "-c", "from service.cli import main; main()", "tables"]


@pytest.fixture(scope="module")
def server():
    with serving() as server:
        yield server


@pytest.fixture
def key(server):
    return server.options["metadata"][0][1].removeprefix("Bearer ")


@pytest.fixture
def look(dugout, server, key):
    """Return a function that runs ``dugout tables`` with a key for the server."""
    return lambda *flags: dugout("tables", "--target", server.address, "--operator-key", key, *flags)


@pytest.fixture
def tables(server):
    with server.tables() as tables:
        yield tables


@pytest.fixture
def playing(server, tables):
    """A table where a hand is played; what its first player sees."""
    request = stud_pb2.CreateTableRequest(profile="seven-card-stud", name="[red]High[/red] noon")
    table_id = tables.CreateTable(request, **server.options).table.table_id
    for player in ("ann", "bob"):
        request = stud_pb2.TakeSeatRequest(table_id=table_id, player_id=player, stack=1500)
        tables.TakeSeat(request, **server.options)
    return tables.Deal(stud_pb2.DealRequest(table_id=table_id, view_as=1), **server.options).table


def test_the_lobby(look, playing):
    shown = look("--profile", "seven-card-stud", "--limit", "1000")
    assert (0, "") == (shown.status, shown.err)
    row = next(line for line in shown.out.splitlines() if playing.table_id in line)
    for text in ("[red]High[/red] noon", "seven-card-stud", "playing", "2/"):
        assert text in row
    assert "There are more" not in shown.out


def test_the_lobby_page_by_page_as_json(look, server, tables):
    made = {
        tables.CreateTable(stud_pb2.CreateTableRequest(profile="football"), **server.options).table.table_id
        for _ in range(5)
    }
    found, token = [], ""
    for _ in range(5):
        page = json.loads(look("--json", "--profile", "football", "--limit", "2", "--page-token", token).out)
        assert len(page["tables"]) <= 2
        found += [table["table_id"] for table in page["tables"]]
        token = page["next_page_token"]
        if not token:
            break
    assert made == set(found)
    assert len(found) == len(made)
    assert "There are more: --page-token" in look("--limit", "1").out


def test_a_table_as_a_spectator_sees_it(look, playing):
    shown = look(playing.table_id)
    assert 0 == shown.status
    assert f"seat {playing.to_act_seat} until" in shown.out
    assert "bob" in shown.out
    own = playing.seats[0]
    assert f"(?? ??) {own.up_cards[0]}" in shown.out
    fields = json.loads(look(playing.table_id, "--json").out)
    assert (playing.table_id, str(playing.version)) == (fields["table_id"], fields["version"])
    assert ["??", "??"] == fields["seats"][0]["down_cards"]
    for card in own.down_cards:
        assert not re.search(rf"\b{card}\b", shown.out + json.dumps(fields["seats"]))


def test_following_a_table_until_it_is_gone_or_one_stops(server, key, tables, playing):
    environment = {**os.environ, "DUGOUT_TARGET": server.address, "DUGOUT_OPERATOR_KEY": key, "PYTHONUNBUFFERED": "1"}
    watching = subprocess.Popen(
        [*COMMAND, playing.table_id, "--watch", "--json"], stdout=subprocess.PIPE, text=True, env=environment
    )
    words = subprocess.Popen(
        [*COMMAND, playing.table_id, "--watch"], stdout=subprocess.PIPE, text=True, env=environment
    )
    try:
        assert str(playing.version) == json.loads(watching.stdout.readline())["version"]
        while "ann" not in words.stdout.readline():
            pass
        action = stud_pb2.Action(kind=stud_pb2.ACTION_KIND_FOLD)
        legal = {each.kind: each for each in playing.legal_actions}
        if stud_pb2.ACTION_KIND_FOLD not in legal:
            kind, each = next(iter(legal.items()))
            action = stud_pb2.Action(kind=kind, to=each.min_to)
        request = stud_pb2.ActRequest(table_id=playing.table_id, seat=playing.to_act_seat, action=action)
        version = tables.Act(request, **server.options).version
        commit = json.loads(watching.stdout.readline())
        assert (str(version), True) == (commit["version"], bool(commit["events"]))
        told = words.stdout.readline()
        while f"version {version}" not in told:
            told = words.stdout.readline()
            assert told
        assert f"seat={playing.to_act_seat}" in told
    finally:
        for process in (watching, words):
            process.send_signal(2)
            assert 0 == process.wait(30)
            process.stdout.close()


def test_a_server_that_wants_a_certificate(dugout, tmp_path):
    authority = Authority()
    (tmp_path / "authority.pem").write_bytes(authority.certificate)
    ca = str(tmp_path / "authority.pem")
    cert, key = authority.sign().write(tmp_path)
    own_cert, own_key = authority.sign("operator").write(tmp_path, "operator")
    with serving("--tls-cert", cert, "--tls-key", key, "--tls-client-ca", ca) as server:
        operator_key = server.options["metadata"][0][1].removeprefix("Bearer ")
        flags = ("tables", "--target", server.address, "--operator-key", operator_key, "--json", "--tls-ca", ca)
        listed = dugout(*flags, "--tls-cert", own_cert, "--tls-key", own_key)
        assert (0, []) == (listed.status, json.loads(listed.out)["tables"])
        without = dugout(*flags)
        assert 1 == without.status
        assert "UNAVAILABLE" in without.err


@pytest.mark.parametrize(
    ("flags", "status", "said"),
    [
        (("nonesuch",), 1, "NOT_FOUND"),
        (("--page-token", "?"), 1, "INVALID_ARGUMENT"),
        (("--watch",), 2, "--watch"),
        (("--limit", "0"), 2, "--limit"),
        (("--tls-ca", "/nonesuch"), 2, "--tls-ca"),
        (("--tls-ca", __file__), 2, "is no PEM"),
        (("--tls-cert", __file__), 2, "--tls-key"),
        (("--tls-cert", __file__, "--tls-key", __file__), 2, "--tls-ca"),
        (("--target", "127.0.0.1:1"), 1, "UNAVAILABLE"),
        (("--target", ""), 2, "--target"),
        (("--target", "localhost"), 2, "--target"),
        (("--target", "127.0.0.1:99999"), 2, "--target"),
        (("--operator-key", "dev:wrong"), 1, "UNAUTHENTICATED"),
        (("--operator-key", ""), 2, "--operator-key"),
        (("--operator-key", "dev:secret\n"), 2, "--operator-key"),
        (("--operator-key", "dev:sécret"), 2, "--operator-key"),
        (("--target", "h\udcff:1"), 2, "--target"),
        (("--profile", "\udcff"), 2, "--profile"),
        (("--page-token", "\udcff"), 2, "--page-token"),
        (("\udcff",), 2, "TABLE_ID"),
    ],
)
def test_what_cannot_be_is_said_without_a_traceback(look, flags, status, said):
    ended = look(*flags)
    assert status == ended.status, ended
    assert said in ended.err
    assert "Traceback" not in ended.err
    assert "cret" not in ended.err
