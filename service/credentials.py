"""Who is calling: operator keys and seat tokens.

An operator key is a trusted frontend's. It is configured as ``id:secret`` with the id ``tenant`` or
``tenant/name``, so that a tenant can have two valid keys while it changes them; the caller sends
``authorization: Bearer id:secret`` or the secret alone. A seat token is a signed statement (JWT, HS256)
that its bearer is one player in one seating; it is made from the first of the token keys and accepted under
any of them. Comparisons take the same time whatever is sent.

CredentialError     what a caller sent is no valid credential; the message never repeats it
└── CredentialExpired
SecretError         a configured key cannot be used; the message names its id and never the secret
"""

import hashlib
import hmac
import re
import secrets
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, TypeVar

import jwt
import msgspec

_ISSUER = "dugout"
_ALGORITHM = "HS256"
_SECRET_CHARS_LEAST = 8
_TOKEN_CHARS_MOST = 4096
_TOKENS_REMEMBERED = 4096

_TENANT = re.compile(r"[A-Za-z0-9_.-]{1,64}", re.ASCII)
_SENDABLE = re.compile(r"[!-~]+", re.ASCII)
_KEY_ID = re.compile(r"[A-Za-z0-9_.-]{1,64}(?:/[A-Za-z0-9_.-]{1,64})?", re.ASCII)


class CredentialError(Exception):
    """What the caller sent is no valid credential."""


class CredentialExpired(CredentialError):
    """The seat token was good once."""


class SecretError(ValueError):
    """A configured key cannot be used."""


class Operator(msgspec.Struct, frozen=True):
    """A trusted frontend, acting for the players of its tenant's tables."""

    tenant: str
    key_id: str

    @property
    def identity(self) -> str:
        """What tells this caller from every other one."""
        return f"operator {self.key_id}"


class SeatHolder(msgspec.Struct, frozen=True):
    """A player in one seating of one table. ``number`` counts the table's seatings."""

    tenant: str
    table_id: str
    seat: int
    player_id: str
    number: int
    expires_s: int

    @property
    def identity(self) -> str:
        """What tells this caller from every other one."""
        return f"seat {self.seat} {self.number} {self.player_id}"


class Anonymous(msgspec.Struct, frozen=True):
    """Somebody without credentials."""

    @property
    def identity(self) -> str:
        """What tells this caller from every other one: nothing."""
        return "anonymous"


class SeatToken(msgspec.Struct, frozen=True):
    """A seat token to be handed out."""

    text: str
    expires_ms: int


Caller = Operator | SeatHolder | Anonymous


class OperatorKey(msgspec.Struct, frozen=True):
    """A configured operator key."""

    key_id: str
    secret: str

    @property
    def tenant(self) -> str:
        """The tenant the key belongs to."""
        return self.key_id.partition("/")[0]

    @property
    def bearer(self) -> str:
        """What a caller sends after ``Bearer``."""
        return f"{self.key_id}:{self.secret}"

    @staticmethod
    def random(key_id: str) -> "OperatorKey":
        """Make a key that nobody can guess."""
        return OperatorKey(key_id, secrets.token_urlsafe(24))

    def __repr__(self) -> str:
        return f"OperatorKey({self.key_id!r}, …)"


class TokenKey(msgspec.Struct, frozen=True):
    """A configured key that signs seat tokens; its id travels in the token's header."""

    key_id: str
    secret: str

    @staticmethod
    def random(key_id: str) -> "TokenKey":
        """Make a key that nobody can guess."""
        return TokenKey(key_id, secrets.token_urlsafe(32))

    def __repr__(self) -> str:
        return f"TokenKey({self.key_id!r}, …)"


def parse_operator_keys(text: str) -> tuple[OperatorKey, ...]:
    """Read ``tenant/name:secret`` entries; SecretError on a bad one."""
    keys = _parse(text, OperatorKey, _KEY_ID, "tenant:secret or tenant/name:secret")
    for key in keys:
        if not _SENDABLE.fullmatch(key.secret):
            raise SecretError(f"the secret of {key.key_id} must be of visible ASCII characters, or nobody can send it")
    return keys


def parse_token_keys(text: str) -> tuple[TokenKey, ...]:
    """Read ``id:secret`` entries, the signing one first; SecretError on a bad one."""
    return _parse(text, TokenKey, _TENANT, "id:secret")


_Key = TypeVar("_Key", OperatorKey, TokenKey)


def _parse(text: str, make: Callable[[str, str], _Key], ids: re.Pattern[str], form: str) -> tuple[_Key, ...]:
    """Read entries that are separated by commas, spaces or lines."""
    keys: list[_Key] = []
    for place, entry in enumerate(re.split(r"[,\s]+", text.strip()) if text.strip() else (), start=1):
        key_id, colon, secret = entry.partition(":")
        if not colon or not ids.fullmatch(key_id):
            raise SecretError(f"entry {place} is not {form} with letters, digits and _ . - in the id")
        if len(secret) < _SECRET_CHARS_LEAST:
            raise SecretError(
                f"the secret of {key_id} has {len(secret)} characters, at least {_SECRET_CHARS_LEAST} are due"
            )
        if any(key.key_id == key_id for key in keys):
            raise SecretError(f"the id {key_id} stands twice: give each key its own, such as tenant/2")
        if any(key.secret == secret for key in keys):
            raise SecretError(f"the secret of {key_id} is that of another key")
        keys.append(make(key_id, secret))
    return tuple(keys)


class Keyring:
    """The keys a server knows, and what they open."""

    def __init__(
        self, operator_keys: tuple[OperatorKey, ...], token_keys: tuple[TokenKey, ...], token_ttl_s: int
    ) -> None:
        if not token_keys:
            raise SecretError("a server needs a token key")
        # Digests of equal length, so that comparing says nothing about the length of a secret either.
        self._operators = tuple(
            (_digest(text), Operator(key.tenant, key.key_id))
            for key in operator_keys
            for text in (key.bearer, key.secret)
        )
        self._signing = token_keys[0]
        self._token_secrets = {key.key_id: key.secret for key in token_keys}
        self._token_ttl_s = token_ttl_s
        # Checking a signature costs more than all else a call does before the table is loaded.
        self._seen_tokens: OrderedDict[str, SeatHolder] = OrderedDict()

    def identify(self, authorization: str | None, now_ms: int) -> Caller:
        """Return who sent this ``authorization`` metadata.

        Raises:
            CredentialError: if something was sent and it is not a valid credential.
        """
        if authorization is None:
            return Anonymous()
        scheme, _, credential = authorization.partition(" ")
        credential = credential.strip()
        if scheme.lower() != "bearer" or not credential:
            raise CredentialError("authorization must be: Bearer, a space, and an operator key or a seat token")
        operator = self._operator(credential)
        if operator is not None:
            return operator
        holder = self._seat_holder(credential)
        if holder.expires_s * 1000 <= now_ms:
            raise CredentialExpired("the seat token has expired")
        return holder

    def mint(self, tenant: str, table_id: str, seat: int, player_id: str, number: int, now_ms: int) -> SeatToken:
        """Make the token of one seating."""
        now_s = now_ms // 1000
        expires_s = now_s + self._token_ttl_s
        claims = {
            "iss": _ISSUER,
            "iat": now_s,
            "exp": expires_s,
            "sub": player_id,
            "tenant": tenant,
            "table": table_id,
            "seat": seat,
            "seating": number,
        }
        headers = {"kid": self._signing.key_id}
        text = jwt.encode(claims, self._signing.secret, algorithm=_ALGORITHM, headers=headers)
        return SeatToken(text, expires_s * 1000)

    def _operator(self, credential: str) -> Operator | None:
        sent = _digest(credential)
        found = None
        for digest, operator in self._operators:  # all of them, whichever matches
            if hmac.compare_digest(digest, sent):
                found = operator
        return found

    def _seat_holder(self, token: str) -> SeatHolder:
        known = self._seen_tokens.get(token)
        if known is not None:
            self._seen_tokens.move_to_end(token)
            return known
        holder = self._verified(token)
        self._seen_tokens[token] = holder
        if len(self._seen_tokens) > _TOKENS_REMEMBERED:
            self._seen_tokens.popitem(last=False)
        return holder

    def _verified(self, token: str) -> SeatHolder:
        if len(token) > _TOKEN_CHARS_MOST:
            raise CredentialError("the credential is neither an operator key nor a seat token")
        try:
            secret = self._token_secrets[jwt.get_unverified_header(token)["kid"]]
            claims: dict[str, Any] = jwt.decode(
                token,
                secret,
                algorithms=[_ALGORITHM],
                issuer=_ISSUER,
                # Time is asked of the service's own clock, at every call.
                options={"require": ["exp"], "verify_exp": False, "verify_iat": False},
            )
            return msgspec.convert(
                {**claims, "table_id": claims["table"], "player_id": claims["sub"],
                 "number": claims["seating"], "expires_s": claims["exp"]},
                SeatHolder,
            )  # fmt: skip
        except (jwt.InvalidTokenError, LookupError, TypeError, ValueError, RecursionError):
            # Whatever is wrong with it; text that is no JWT fails in many ways.
            raise CredentialError("the credential is neither an operator key nor a seat token") from None


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
