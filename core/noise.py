"""What a pasted alert or log says besides its message: times, hashes, addresses, suffixes. Pure."""

import re

WORTH = 12
"""Fewer characters than this are not worth touching what was typed."""

_NOISE = re.compile(
    r"""
    # a date and time, with or without its zone
    \b\d{4}-\d\d-\d\d[T\ ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:\ ?(?:Z|UTC|[+-]\d\d:?\d\d))?
    | \b\d\d:\d\d:\d\d(?:[.,]\d+)?\b  # a time
    | \b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b  # a UUID
    | \b(?:sha256:)?(?=[0-9a-f]*\d)[0-9a-f]{12,}\b  # a hash
    | \b0x[0-9a-fA-F]{4,}\b  # an address in memory
    | \b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b  # an IPv4 address
    | <\d+\.\d+\.\d+>  # an Erlang process
    """,
    re.VERBOSE,
)
# The hash of a ReplicaSet and the suffix of its pod: `api-6d4cf56db6-x2vbn`, `api-x2vbn`.
_POD = re.compile(r"(?<=[a-z0-9])-(?=[a-z0-9]*\d)[a-z0-9]{8,10}-[a-z0-9]{5}\b")


def without_noise(text: str) -> str:
    """Return the text without noise, or unchanged where that would save 12 characters or fewer."""
    stripped = _POD.sub("", _NOISE.sub(" ", text))
    return stripped if len(text) - len(stripped) > WORTH and stripped.split() else text
