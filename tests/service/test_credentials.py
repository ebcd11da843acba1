import base64
import hmac
import json
from contextlib import suppress

import jwt
import pytest

from service.credentials import (
    Anonymous,
    CredentialError,
    CredentialExpired,
    Keyring,
    Operator,
    OperatorKey,
    SeatHolder,
    SecretError,
    TokenKey,
    parse_operator_keys,
    parse_token_keys,
)

NOW_MS = 1_700_000_000_000
FIRST, SECOND = TokenKey("k1", "1" * 32), TokenKey("k2", "2" * 32)
OPERATORS = (OperatorKey("acme/1", "first-secret"), OperatorKey("acme/2", "second-secret"),
             OperatorKey("zeta", "zeta-secret"))  # fmt: skip


@pytest.fixture
def keyring():
    return Keyring(OPERATORS, (FIRST, SECOND), token_ttl_s=60)


def mint(keyring):
    return keyring.mint("acme", "table", 3, "ann", 7, NOW_MS).text


@pytest.mark.parametrize("sent", ["Bearer acme/1:first-secret", "bearer first-secret", "Bearer   first-secret "])
def test_an_operator_key_names_its_tenant(keyring, sent):
    assert Operator("acme", "acme/1") == keyring.identify(sent, NOW_MS)


def test_every_key_is_compared_whatever_is_sent(keyring, monkeypatch):
    """So that the time it takes tells neither which keys there are nor how much of one was right."""
    compared = []
    compare = hmac.compare_digest

    def noted(known, sent):
        compared.append((len(known), len(sent)))
        return compare(known, sent)

    monkeypatch.setattr("service.credentials.hmac.compare_digest", noted)
    counts = []
    for sent in ("acme/1:first-secret", "zeta:zeta-secret", "zeta-secret", "acme/1:wrong-secret", "nobody:secret", "x"):
        compared.clear()
        with suppress(CredentialError):
            keyring.identify(f"Bearer {sent}", NOW_MS)
        counts.append(list(compared))
    assert [[(32, 32)] * 6] * 6 == counts


def test_a_wrong_secret_and_an_unknown_id_get_the_same_answer(keyring):
    answers = set()
    token = mint(keyring)
    for sent in ("acme/1:wrong-secret", "nobody:wrong-secret", "wrong-secret", "a.b.c", token[:-4] + "AAAA",
                 mint(Keyring((), (TokenKey("k1", "x" * 32),), 60)), mint(Keyring((), (TokenKey("k9", "x" * 32),), 60)),
                 mint(Keyring((), (TokenKey("k9", "1" * 32),), 60))):  # fmt: skip
        with pytest.raises(CredentialError) as refusal:
            keyring.identify(f"Bearer {sent}", NOW_MS)
        answers.add((type(refusal.value), str(refusal.value)))
    assert 1 == len(answers)


def test_two_keys_of_a_tenant_are_two_callers(keyring):
    first, second = (keyring.identify(f"Bearer {key.bearer}", NOW_MS) for key in OPERATORS[:2])
    assert first.tenant == second.tenant
    assert first.identity != second.identity


def test_no_credentials_is_anonymous(keyring):
    assert Anonymous() == keyring.identify(None, NOW_MS)


@pytest.mark.parametrize(
    "sent",
    ["", "Bearer", "Bearer ", "Basic first-secret", "first-secret", "Bearer acme/2:first-secret", "Bearer acme/1",
     "Bearer first-secre", "Bearer first-secret first-secret", "Bearer \udcff", "Bearer a.b.c", "Bearer ..",
     "Bearer " + "x" * 100_000, "Bearer " + base64.urlsafe_b64encode(b"[" * 2900).decode() + ".e30.e30"],
)  # fmt: skip
def test_what_is_no_credential_is_refused(keyring, sent):
    with pytest.raises(CredentialError) as refusal:
        keyring.identify(sent, NOW_MS)
    assert "first-secret" not in str(refusal.value)


def test_a_seat_token_comes_back_as_it_was_minted(keyring):
    holder = SeatHolder("acme", "table", 3, "ann", 7, NOW_MS // 1000 + 60)
    assert holder == keyring.identify(f"Bearer {mint(keyring)}", NOW_MS)


def test_a_seat_token_expires_to_the_millisecond_even_when_it_is_remembered(keyring):
    sent = f"Bearer {mint(keyring)}"
    assert keyring.identify(sent, NOW_MS + 59_999)
    with pytest.raises(CredentialExpired):
        keyring.identify(sent, NOW_MS + 60_000)


def test_the_tokens_used_last_are_remembered_and_no_more_than_a_bound(keyring, monkeypatch):
    """With room for two of three, the one longest out of use is checked anew."""
    monkeypatch.setattr("service.credentials._TOKENS_REMEMBERED", 2)
    checked = []
    decode = jwt.decode

    def noted(token, *arguments, **options):
        checked.append(token)
        return decode(token, *arguments, **options)

    monkeypatch.setattr("service.credentials.jwt.decode", noted)
    ann, bob, cid = (keyring.mint("acme", "table", seat, f"player{seat}", seat, NOW_MS).text for seat in (1, 2, 3))
    for token in (ann, bob, ann, ann, cid, ann, bob):
        keyring.identify(f"Bearer {token}", NOW_MS)
    assert [ann, bob, cid, bob] == checked


def test_token_keys_rotate(keyring):
    old = f"Bearer {mint(keyring)}"
    rotating = Keyring(OPERATORS, (SECOND, FIRST), token_ttl_s=60)
    assert 3 == rotating.identify(old, NOW_MS).seat
    new = mint(rotating)
    assert "k2" == jwt.get_unverified_header(new)["kid"]
    assert 3 == keyring.identify(f"Bearer {new}", NOW_MS).seat
    with pytest.raises(CredentialError):
        Keyring(OPERATORS, (SECOND,), token_ttl_s=60).identify(old, NOW_MS)


CLAIMS = {"iss": "dugout", "exp": NOW_MS // 1000 + 60, "sub": "ann", "tenant": "acme", "table": "table",
          "seat": 3, "seating": 7}  # fmt: skip


@pytest.mark.parametrize(
    ("claims", "secret", "algorithm", "headers"),
    [
        (CLAIMS, "3" * 32, "HS256", {"kid": "k1"}),
        (CLAIMS, FIRST.secret, "HS256", {"kid": "k2"}),
        (CLAIMS, FIRST.secret, "HS256", {"kid": "k3"}),
        (CLAIMS, FIRST.secret, "HS256", {}),
        (CLAIMS, FIRST.secret * 2, "HS512", {"kid": "k1"}),
        (CLAIMS, "", "none", {"kid": "k1"}),
        ({**CLAIMS, "iss": "somebody"}, FIRST.secret, "HS256", {"kid": "k1"}),
        ({**CLAIMS, "seat": "3"}, FIRST.secret, "HS256", {"kid": "k1"}),
        ({**CLAIMS, "sub": None}, FIRST.secret, "HS256", {"kid": "k1"}),
        ({key: value for key, value in CLAIMS.items() if key != "exp"}, FIRST.secret, "HS256", {"kid": "k1"}),
        ({key: value for key, value in CLAIMS.items() if key != "table"}, FIRST.secret, "HS256", {"kid": "k1"}),
    ],
)
def test_a_token_of_another_make_is_refused(keyring, claims, secret, algorithm, headers):
    token = jwt.encode(claims, secret, algorithm=algorithm, headers=headers)
    with pytest.raises(CredentialError):
        keyring.identify(f"Bearer {token}", NOW_MS)


def test_the_claims_above_are_accepted_when_signed_rightly(keyring):
    token = jwt.encode(CLAIMS, FIRST.secret, algorithm="HS256", headers={"kid": "k1"})
    assert 3 == keyring.identify(f"Bearer {token}", NOW_MS).seat


def test_a_token_longer_than_any_that_is_minted_is_not_even_read(keyring):
    token = jwt.encode({**CLAIMS, "pad": "x" * 4096}, FIRST.secret, algorithm="HS256", headers={"kid": "k1"})
    with pytest.raises(CredentialError):
        keyring.identify(f"Bearer {token}", NOW_MS)


def test_a_changed_claim_breaks_the_signature(keyring):
    head, body, signature = mint(keyring).split(".")
    claims = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
    claims["seat"] = 4
    forged = base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=")
    with pytest.raises(CredentialError):
        keyring.identify(f"Bearer {head}.{forged}.{signature}", NOW_MS)


@pytest.mark.parametrize(
    "text",
    ["acme", "acme:", "acme:short", ":first-secret", "ac me:first-secret", "acme/:first-secret",
     "acme/1/2:first-secret", "acme:first-secret,acme:other-secret", "acme:first-secret,zeta:first-secret",
     "acme:seven-7"],
)  # fmt: skip
def test_bad_operator_keys_are_refused_without_repeating_a_secret(text):
    with pytest.raises(SecretError) as refusal:
        parse_operator_keys(text)
    assert "first-secret" not in str(refusal.value)
    assert "short" not in str(refusal.value)


@pytest.mark.parametrize("secret", ["käse-und-brot", "secret\x7f-of-eleven", "secret\0-of-eleven"])
def test_an_operator_key_that_metadata_cannot_carry_is_refused(secret):
    with pytest.raises(SecretError, match="acme must be of visible ASCII") as refusal:
        parse_operator_keys(f"acme:{secret}")
    assert secret not in str(refusal.value)


def test_keys_are_listed_by_commas_spaces_or_lines():
    assert ["a", "b", "c"] == [key.key_id for key in parse_token_keys(" a:12345678, b:23456789\nc:34567890\n")]
    assert () == parse_token_keys("  ")


def test_a_secret_may_hold_colons():
    assert "12:34:56:78" == parse_operator_keys("acme:12:34:56:78")[0].secret


def test_nobody_can_guess_a_key_that_is_made():
    operators = [OperatorKey.random("acme").secret for _ in range(100)]
    tokens = [TokenKey.random("k1").secret for _ in range(100)]
    assert 200 == len({*operators, *tokens})
    assert (32, 43) == (min(map(len, operators)), min(map(len, tokens))), "24 and 32 bytes in base64"


def test_no_key_shows_its_secret():
    assert "first-secret" not in f"{OPERATORS} {OPERATORS[0]!r}"
    assert FIRST.secret not in repr(FIRST)


def test_a_server_needs_a_token_key():
    with pytest.raises(SecretError):
        Keyring(OPERATORS, (), token_ttl_s=60)
