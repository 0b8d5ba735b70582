"""Whether a value that stands where a secret would stand is one. Pure."""

import math
import re
from collections import Counter

_TOKEN_CHARS = 16
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
    r"[<{\[(*$%]|--?[a-z]|enc\[|![a-z]+$|12345|abcde"
    r"|(?:[a-z]{1,8}[-_]){0,2}[a-z]{0,8}(?:pass|passwd|password|passphrase|pwd|secret|token|key)"
    r"[-_]?\d{0,4}$"
    r"|(?:foo|bar|baz|test|admin|guest|root|user|string|required|optional)+\d{0,4}$"
)
_REFERENCE = re.compile(
    r"[~/.\\]|[a-z]:\\|arn:|sha\d+:"
    r"|[^@\s]+@[\w-]+(?:\.[\w-]+)+$"
    r"|[a-z_]+\d{0,2}(?:\.[a-z_]+\d{0,2})+[\[(]?$"
)
_SEPARATORS = re.compile(r"[-_./:@+]+")
_WORD = re.compile(r"[A-Z]?[a-z]+(?:[A-Z][a-z]+){0,7}\d{0,2}|[A-Z]+|\d+")
_CAMEL = re.compile(r"[A-Z]{0,6}[a-z]*(?:[A-Z][a-z]+){0,8}")


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
    """Return whether a value assigned to a password is one: no word, name, variable or path."""
    if len(value) < _PASSWORD_CHARS or is_placeholder(value) or _reads_like_a_name(value):
        return False
    if value.isascii() and value.isalpha():
        irregular = _CAMEL.fullmatch(value) is None
        return len(value) >= (_RANDOM_LETTERS if irregular else _LONG_LETTERS)
    return True


def is_token(value: str) -> bool:
    """Return whether a value assigned to a secret, token or key looks random enough to be one."""
    if len(value) < _TOKEN_CHARS or is_placeholder(value) or _reads_like_a_name(value):
        return False
    mixed = any(c.isdigit() for c in value) and any(c.isalpha() for c in value)
    irregular = value.isalpha() and _CAMEL.fullmatch(value) is None
    return (mixed or irregular) and _bits(value) >= _TOKEN_BITS


def _reads_like_a_name(value: str) -> bool:
    """Return whether a value is words and numbers joined by separators, as names of things are."""
    chunks = [chunk for chunk in _SEPARATORS.split(value) if chunk]
    return len(chunks) > 1 and all(_WORD.fullmatch(chunk) for chunk in chunks)


def _bits(value: str) -> float:
    """Return Shannon's entropy in bits a character."""
    counts = Counter(value).values()
    return -sum(n / len(value) * math.log2(n / len(value)) for n in counts)
