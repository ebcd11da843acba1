import pytest

from proto.stud.v1 import stud_pb2
from service.admission import COSTS, FAILED_ATTEMPT_COST, Gate, host_of
from service.credentials import Anonymous, CredentialError, CredentialExpired, Keyring, Operator, OperatorKey, TokenKey
from service.errors import Reason, ServiceError

ACT = "stud.v1.TableService/Act"
ODDS = "stud.v1.EvaluatorService/Odds"
PEER, OTHER_PEER = "ipv4:10.0.0.1:1000", "ipv4:10.0.0.2:1000"
OPERATOR = "Bearer acme/1:first-secret"


@pytest.fixture
def keyring():
    keys = (OperatorKey("acme/1", "first-secret"), OperatorKey("acme/2", "second-secret"))
    return Keyring(keys, (TokenKey("k", "t" * 32),), token_ttl_s=60)


@pytest.fixture
def gate(keyring, clock):
    return Gate(keyring, clock, operator_rate=100, seat_rate=20, peer_rate=10)


def admitted(gate, *authorizations, peer=PEER, method=ACT):
    """Count how many calls are let in until one is refused, and how it is."""
    for count in range(10_000):
        try:
            gate.admit(authorizations, peer, method)
        except ServiceError as refusal:
            if refusal.reason != Reason.RATE_LIMITED:
                raise
            return count, refusal.retry_after_ms
    return None


def attempts(gate, authorization, peer=PEER):
    """Count how many failed attempts are told that they failed, before they are told to wait."""
    count = 0
    while True:
        try:
            gate.admit([authorization], peer, ACT)
        except CredentialError:
            count += 1
        except ServiceError:
            return count


def test_each_kind_of_caller_has_a_rate(gate, keyring, clock):
    token = f"Bearer {keyring.mint('acme', 'table', 1, 'ann', 1, clock.now_ms()).text}"
    assert (200, 10) == admitted(gate, OPERATOR)
    assert (40, 50) == admitted(gate, token)
    assert (20, 100) == admitted(gate)
    clock.time_ms += 1000
    assert [(100, 10), (20, 50), (10, 100)] == [admitted(gate, *sent) for sent in ([OPERATOR], [token], [])]


def test_credentials_are_counted_wherever_the_calls_come_from(gate):
    assert (200, 10) == admitted(gate, OPERATOR)
    for sent, peer in ((OPERATOR, OTHER_PEER), ("Bearer first-secret", PEER)):
        assert (0, 10) == admitted(gate, sent, peer=peer)


def test_keys_seatings_and_addresses_are_counted_apart(gate, keyring, clock):
    assert 200 == admitted(gate, OPERATOR)[0]
    assert 200 == admitted(gate, "Bearer second-secret")[0]
    for table_id, number in (("table", 1), ("table", 2), ("other", 1)):
        token = keyring.mint("acme", table_id, 1, "ann", number, clock.now_ms()).text
        assert 40 == admitted(gate, f"Bearer {token}")[0]
    assert [20, 20, 0] == [admitted(gate, peer=peer)[0] for peer in (PEER, OTHER_PEER, "ipv4:10.0.0.1:2000")]


def test_a_new_token_for_the_same_seating_is_the_same_caller(gate, keyring, clock):
    first = keyring.mint("acme", "table", 1, "ann", 1, clock.now_ms()).text
    second = keyring.mint("acme", "table", 1, "ann", 1, clock.now_ms() + 1000).text
    assert first != second
    assert [40, 0] == [admitted(gate, f"Bearer {token}")[0] for token in (first, second)]


def test_heavy_calls_weigh_more(gate):
    batch = "stud.v1.EvaluatorService/EvaluateBatch"
    assert (2, 1000) == admitted(gate, method=batch)


def test_every_heavy_call_exists():
    services = stud_pb2.DESCRIPTOR.services_by_name.values()
    assert set(COSTS) <= {f"{service.full_name}/{method.name}" for service in services for method in service.methods}


def test_odds_are_let_in_by_a_full_bucket_only(gate, clock):
    gate.admit([], PEER, ODDS)
    assert (0, 100) == admitted(gate)
    assert (0, 2000) == admitted(gate, method=ODDS)
    clock.time_ms += 2000
    assert Anonymous() == gate.admit([], PEER, ODDS)


@pytest.mark.parametrize("sent", ["Bearer wrong-secret", "Bearer a.b.c", "", "Basic first-secret"])
def test_failed_attempts_are_counted_by_address(gate, sent, clock):
    most = 20 // FAILED_ATTEMPT_COST
    assert [most, 0, most] == [attempts(gate, sent, peer) for peer in (PEER, PEER, OTHER_PEER)]
    assert 0 == admitted(gate)[0]
    clock.time_ms += 1000
    assert 2 == attempts(gate, sent)


def test_valid_credentials_do_not_suffer_from_others_at_the_same_address(gate, keyring, clock):
    attempts(gate, "Bearer wrong-secret")
    admitted(gate)
    token = keyring.mint("acme", "table", 1, "ann", 1, clock.now_ms()).text
    assert Operator("acme", "acme/1") == gate.admit([OPERATOR], PEER, ACT)
    assert "ann" == gate.admit([f"Bearer {token}"], PEER, ACT).player_id


def test_an_expired_token_and_two_credentials_at_once_are_failed_attempts(gate, keyring, clock):
    token = f"Bearer {keyring.mint('acme', 'table', 1, 'ann', 1, clock.now_ms()).text}"
    clock.time_ms += 60_000
    with pytest.raises(CredentialExpired):
        gate.admit([token], PEER, ACT)
    with pytest.raises(CredentialError, match="once"):
        gate.admit([OPERATOR, OPERATOR], PEER, ACT)
    assert 20 - 2 * FAILED_ATTEMPT_COST == admitted(gate)[0]


def test_without_rates_nobody_is_limited(keyring, clock):
    gate = Gate(keyring, clock)
    for sent in ([], [OPERATOR]):
        assert admitted(gate, *sent) is None


@pytest.mark.parametrize(
    ("peer", "host"),
    [
        ("ipv4:10.1.2.3:54321", "10.1.2.3"),
        ("ipv6:%5B::1%5D:54321", "::/64"),
        ("ipv6:[2001:db8:1:2:3:4:5:6]:54321", "2001:db8:1:2::/64"),
        ("ipv6:[2001:db8:1:2:ffff::]:1", "2001:db8:1:2::/64"),
        ("ipv6:[fe80::1%25eth0]:1", "fe80::/64"),
        ("ipv6:[::ffff:10.1.2.3]:54321", "10.1.2.3"),
        ("unix:/run/dugout", "unix:/run/dugout"),
        ("unix:", "unix:"),
        ("ipv4:", "ipv4:"),
        ("", ""),
    ],
)
def test_what_calls_from_one_place_have_in_common(peer, host):
    assert host == host_of(peer)
