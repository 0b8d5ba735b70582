"""What secrets look like, and where others are written; all rules in their order. Pure."""

import re

from core.secret_commands import COMMANDS, FLAG, PASSWORD, QUOTED, VALUE, WORDS
from core.secret_rule import written
from core.secret_shapes import SHAPES, UUID
from core.secret_tables import PasswordColumn
from core.secret_urls import URLS
from core.secret_values import (
    is_bare_password,
    is_login,
    is_password,
    is_quoted_password,
    is_token,
)

_KEYS = (
    "access", "account", "admin", "api", "app", "application", "auth", "client", "consumer",
    "encryption", "ingest", "integration", "license", "master", "preshared", "private", "routing",
    "secret", "service", "shared", "signing", "subscription", "webhook", "write",
)  # fmt: skip
# A SHA or UUID that is so called names a thing, and a page or a request is no secret either.
_NO_TOKENS = (
    "commit", "continue", "continuation", "cursor", "digest", "hash", "idempotency", "next", "page",
    "publickey", "request", "resume", "revision", "sha", "sync",
)  # fmt: skip


def _before(words: tuple[str, ...], sign: str) -> list[str]:
    return [f"(?<{sign}{word}{between})" for word in words for between in ("", "[ _-]")]


_TOKEN = (
    "".join(_before(_NO_TOKENS, "!"))
    + rf"(?:(?:secret|token)(?:[_-]?key)?|(?:{'|'.join(_before(_KEYS, '='))})key)"
)
# Whose it is may follow: PASSWORD_DB. What else follows (a policy, a file) is mostly no password.
_OF = (
    "admin", "app", "backup", "database", "db", "dev", "ldap", "master", "mongo", "mysql", "new",
    "old", "pg", "postgres", "primary", "prod", "production", "qa", "redis", "replica", "ro",
    "root", "rw", "smtp", "stage", "staging",
)  # fmt: skip
# A bracket only after a quote: `[redacted: password]=x` assigns to no password.
_END = (
    rf"(?:_?(?:b64|base64|key|value|[0-9]{{1,3}})|[_-](?:{'|'.join(_OF)}))?"
    r"[\\*\"'`]{0,3}(?:(?<=[\"'`])\])?"
)
_ASSIGNED = rf"{_END}[ \t]{{0,8}}(?:=>|:=|=|:)\*{{0,2}}[ \t]{{0,8}}{VALUE}"
_SPACED = r"[ \t]{1,8}"
# The two halves of a variable in a Kubernetes or ECS manifest: `name: X`, and next `value: Y`.
_IN_PAIR = rf"[\"']?(?:,\s{{0,40}}|\s{{1,40}})[\"']?value[\"']?[ \t]{{0,8}}[:=][ \t]{{0,8}}{VALUE}"
# The same halves the other way round: `value: Y`, and next `name: X`.
_PAIRED = (
    rf"value[\"']?[ \t]{{0,8}}:[ \t]{{0,8}}{VALUE}(?:,\s{{0,40}}|\s{{1,40}})"
    r"[\"']?name[\"']?:[ \t]{0,8}[\"']?"
)
_NAMED = r"(?:_?(?:b64|base64|key|value|[0-9]{1,3}))?(?![\w-])"
_BELOW = r"[\"'`*]{0,3}[ \t]{0,8}:\*{0,2}[ \t]{0,8}"
_ALONE = rf"\n[ \t]{{1,40}}{VALUE}(?=[ \t]{{0,8}},?[ \t]{{0,8}}(?:\n|\Z))"
_IN_TAG = r">(?P<secret>[^<>\s]{1,256})</"
_QUOTED = r"(?:\"(?P<double>[^\"\n]{1,512})\"|'(?P<single>[^'\n]{1,512})'"
# As a sentence, a table's row or a line of a list tells a password.
_IS = r"[*`\"']{0,3}(?:[ \t]{1,4}(?:is|was|to)(?:[ \t]now)?|[ \t]{0,40}\||[ \t]-)[ \t]{1,40}\*{0,2}"
_BARE = r"(?P<bare>[^\s\"'`,;|&<>()]{1,128}?)(?=[*.!?:]*(?:[\s,;|)<]|-->|\*/|\Z))"
_BY = rf"identified (?:with{_SPACED}[\"'\w]{{1,40}}{_SPACED})?by"
_SCHEMES = r"(?:api-?key|basic|bearer|bot|geniekey|key|splunk|ssws|token)"
_HEADER = r"authorization[\\\"'`]{0,3}[ \t]{0,8}[:=][ \t]{0,8}[\\\"'`]{0,3}"
_PASSWORDS = ("pass", "pwd")
_SPOKEN = ("passw", "passp", "passc", "pwd")
_TOKENS = ("secret", "token", "key")

_LOGINS = (
    written(
        "authorization",
        ("authorization", "bearer"),
        rf"(?:{_HEADER}{_SCHEMES}|\bbearer){_SPACED}(?:token=)?(?P<secret>[\w.~+/=-]{{8,2048}})",
        is_password,
    ),
    written(
        "authorization",
        ("authorization",),
        rf"{_HEADER}(?P<secret>[\w.~+/=-]{{12,2048}})",
        is_token,
    ),
    written("authorization", ("geniekey",), rf"geniekey{_SPACED}(?P<secret>{UUID})"),
    written(
        "registry login",
        ("auth",),
        r"auth\\?[\"'][ \t]{0,8}:\s{0,8}\\?[\"'](?P<secret>[A-Za-z0-9+/]{8,512}={0,2})",
        is_login,
    ),
)

_GIVEN_PASSWORDS = (
    written("password", _PASSWORDS, PASSWORD + _ASSIGNED, is_password),
    written("password", _PASSWORDS, PASSWORD + _IN_PAIR, is_password),
    written("password", ("value",), rf"{_PAIRED}[\w.-]{{0,64}}?{PASSWORD}{_NAMED}", is_password),
    # On the next line, as YAML folds it; without its mark a name or a word may stand there.
    written("password", _PASSWORDS, rf"{PASSWORD}{_BELOW}[|>][+-]?[ \t]*{_ALONE}", is_password),
    written("password", _PASSWORDS, PASSWORD + _BELOW + _ALONE, is_bare_password),
    written("password", _PASSWORDS, PASSWORD + _IN_TAG, is_password),
    written("password", ("identified ",), rf"{_BY}{_SPACED}{_QUOTED})", is_password),
    written(
        "password", ("passw",), rf"password{_SPACED}'(?P<secret>[^'\n]{{1,512}})'", is_password
    ),
    written("password", ("password(",), rf"password\([ \t]?{_QUOTED})", is_quoted_password),
    written("password", _SPOKEN, rf"(?:{WORDS}){_IS}{QUOTED})", is_quoted_password),
    written("password", _SPOKEN, rf"(?:{WORDS}){_IS}{_BARE}", is_bare_password),
    # As .netrc has it.
    written(
        "password",
        ("login ",),
        rf"login{_SPACED}\S{{1,64}}\s{{1,8}}password{_SPACED}{VALUE}",
        is_password,
    ),
)

_GIVEN_TOKENS = (
    written("secret", _TOKENS, _TOKEN + _ASSIGNED, is_token),
    written("secret", _TOKENS, _TOKEN + _IN_PAIR, is_token),
    written("secret", ("value",), rf"{_PAIRED}[\w.-]{{0,64}}?{_TOKEN}{_NAMED}", is_token),
    written("secret", _TOKENS, _TOKEN + _IN_TAG, is_token),
    written("secret", ("--", "-token", "-secret"), rf"{FLAG}{_TOKEN}{_SPACED}{VALUE}", is_token),
    # Vault's: the id of a role is none, and AWS calls the name of a secret so.
    written(
        "secret",
        ("secret_id", "secret-id"),
        rf"secret[_-]id[\"']?[ \t]?[:= ][ \t]?[\"']?(?P<secret>{UUID})",
    ),
    written(
        "secret",
        ("unseal key",),
        rf"unseal key(?:[ \t]\d{{1,2}})?:{_SPACED}(?P<secret>[\w+/]{{32,}}={{0,2}})",
    ),
)

RULES = (*SHAPES, *URLS, *_LOGINS, *COMMANDS, *_GIVEN_PASSWORDS, PasswordColumn(), *_GIVEN_TOKENS)
"""In this order: what has a shape of its own is told by its own name."""

_ANY = re.compile(
    "|".join(
        (
            "-----begin",
            "private-lines:",
            "begin ssh2",
            r"[mno][\w-]{23}",
            *{re.escape(s) for rule in RULES for s in rule.starts},
        )
    )
)
"""Where any rule would look, those without a start and whole keys included; for lower case."""


def is_harmless(lowered: str) -> bool:
    """Return whether no rule would look anywhere in a text, given in lower case.

    For short texts: a title or a tag is asked in a hundredth of the time that all rules take.
    """
    return _ANY.search(lowered) is None
