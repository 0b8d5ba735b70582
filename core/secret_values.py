"""Whether a value that stands where a secret would stand is one. Pure."""

import math
import re
from base64 import b64decode
from binascii import Error
from collections import Counter
from itertools import pairwise

_TOKEN_CHARS = 16
_SHORT_TOKEN_CHARS = 12
_TOKEN_BITS = 3.0
_PASSWORD_CHARS = 6
_RANDOM_LETTERS = 10
_LONG_LETTERS = 20

_EXAMPLES = (
    "example", "placeholder", "redacted", "your-", "your_", "your.", "xxxx", "***", "...", "…",
)  # fmt: skip
_REPEATED = re.compile(r"(.)\1{4}")
_PLACEHOLDERS = (
    "${", "{{", "://", "changeme", "change-me", "change_me", "changeit", "changethis", "replaceme",
    "replace-", "replace_", "get-me", "get_me", "dummy", "sample", "insert", "fake", "fixme",
    "todo", "xxx", "0123456", "1password", "bitwarden", "keepass", "lastpass",
)  # fmt: skip
_PLACEHOLDER = re.compile(
    r"[<{\[(*$%]|&lt;|#\{|--?[a-z]|enc\[|![a-z]+$|12345|abcde"
    r"|(?:[a-z]{1,8}[-_]){0,2}[a-z]{0,8}(?:pass|passwd|password|passphrase|pwd|secret|token|key)"
    r"[-_]?\d{0,4}$"
    r"|(?:foo|bar|baz|test|admin|guest|root|user|string|required|optional)+$"
    r"|(?:foo|bar|baz|test|user|string)+\d{0,4}$"
)
_REFERENCE = re.compile(
    r"[~/.\\]|[a-z]:\\|arn:|sha\d+:|(?:env|file|gcp|op|sm|sops|ssm|vault|@microsoft\.\w+):"
    r"|\d{4}-\d\d-\d\d(?:[t_ ]|$)"
    r"|[^@\s]+@[\w-]+(?:\.[\w-]+)+$"
    r"|[a-z_]+\d{0,2}(?:\.[a-z_]+\d{0,2})+[\[(]?$"
)
_SEPARATORS = re.compile(r"[-_./:@+]+")
_PARTS = re.compile(r"[-_]")
_WORD = re.compile(r"[A-Z]?[a-z]+(?:[A-Z][a-z]+){0,7}\d{0,2}|[A-Z]+|\d+")
_CAMEL = re.compile(r"[A-Z]{0,6}[a-z]*(?:[A-Z][a-z]+){0,8}")
_WORD_AND_NUMBER = re.compile(r"(?:[A-Z][a-z]+[-_.:@+]){1,3}\d{2,8}")
_WORDLIKE = re.compile(r"[a-z]{5}|[A-Z]{5}")
_PROSE = re.compile(r"[A-Za-z]+\d*|[\d.,:/-]+|[A-Z\d-]+")


def is_example(value: str) -> bool:
    """Return whether a value of a token's own shape says that it is only shown as an example."""
    lowered = value.lower()
    return any(word in lowered for word in _EXAMPLES) or _REPEATED.search(lowered) is not None


def is_placeholder(value: str) -> bool:
    """Return whether a value is an example, or stands for one that is kept elsewhere."""
    lowered = value.lower()
    return (
        is_example(value)
        or any(word in lowered for word in _PLACEHOLDERS)
        or _PLACEHOLDER.match(lowered) is not None
        or _REFERENCE.match(lowered) is not None
    )


def is_password(value: str) -> bool:
    """Return whether a value assigned to a password is one: no word, name, variable or path.

    A capital word with a number (`Summer-2024`) is how people make one up, and no name of a thing.
    """
    if len(value) < _PASSWORD_CHARS or is_placeholder(value):
        return False
    if _reads_like_a_name(value):
        return _WORD_AND_NUMBER.fullmatch(value) is not None
    if value.isascii() and value.isalpha():
        irregular = _CAMEL.fullmatch(value) is None
        return len(value) >= (_RANDOM_LETTERS if irregular else _LONG_LETTERS)
    return True


def is_quoted_password(value: str) -> bool:
    """Return whether a value that a sentence quotes is a password: it has no space, but a digit."""
    digits = any(c.isdigit() for c in value) and not value.isdigit()
    return digits and not any(c.isspace() for c in value) and is_password(value)


def is_bare_password(value: str) -> bool:
    """Return whether a value that a sentence goes on with is a password: no word with a number."""
    return _PROSE.fullmatch(value) is None and is_quoted_password(value)


def is_token(value: str) -> bool:
    """Return whether a value assigned to a secret, token or key looks random enough to be one.

    A git SHA or a UUID so assigned is one: several issuers' tokens have no other look.
    """
    if len(value) < _SHORT_TOKEN_CHARS or is_placeholder(value) or _reads_like_a_name(value):
        return False
    mixed = any(c.isdigit() for c in value) and any(c.isalpha() for c in value)
    if len(value) < _TOKEN_CHARS:
        return mixed and _is_scrambled(value)
    irregular = value.isalpha() and _CAMEL.fullmatch(value) is None
    return (mixed or irregular) and _bits(value) >= _TOKEN_BITS


def is_unbroken_token(value: str) -> bool:
    """Return whether a value looks random in one stretch without `-` or `_`: names are of words."""
    parts = _PARTS.split(value)
    return is_token(value) and any(
        len(part) >= _SHORT_TOKEN_CHARS and _WORD.fullmatch(part) is None for part in parts
    )


def is_login(value: str) -> bool:
    """Return whether a value is a user and a password in base64, as HTTP and registries want it."""
    try:
        user, colon, password = b64decode(value, validate=True).decode().partition(":")
    except (Error, UnicodeDecodeError):
        return False
    return bool(colon) and user.isprintable() and not is_placeholder(password)


def _is_scrambled(value: str) -> bool:
    """Return whether letters and digits change places often, and no word is among them."""
    kinds = [(c.isdigit(), c.isupper()) for c in value]
    changes = sum(one != other for one, other in pairwise(kinds))
    return changes * 3 >= len(value) and _WORDLIKE.search(value) is None


def _reads_like_a_name(value: str) -> bool:
    """Return whether a value is words and numbers joined by separators, as names of things are."""
    chunks = [chunk for chunk in _SEPARATORS.split(value) if chunk]
    return len(chunks) > 1 and all(_WORD.fullmatch(chunk) for chunk in chunks)


def _bits(value: str) -> float:
    """Return Shannon's entropy in bits a character."""
    counts = Counter(value).values()
    return -sum(n / len(value) * math.log2(n / len(value)) for n in counts)
