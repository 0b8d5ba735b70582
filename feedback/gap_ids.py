"""Names of gaps that can be typed on a phone: `G-7KQ2`. Pure."""

import hashlib
import re
from collections.abc import Collection, Iterator
from typing import Final

ALPHABET: Final = "234679CDFHJKMNPQRTVWX"
"""Digits and letters of which none looks like another: no 0 or O, no 1, I or L, no 5 or S, no 8 or
B, 2 but no Z. No vowels, so that no name is a word; no G, which leads."""

LENGTH: Final = 4
PREFIX: Final = "G-"
_TRIES: Final = 8
_NO_PART = re.compile(r"[\W_]+")


def new_gap_id(seed: str, taken: Collection[str]) -> str:
    """Return the name of a gap that begins with this exchange; longer where many are taken.

    The same seed and names give the same name, so that nothing is lost where it was not saved.
    """
    return next(name for name in _candidates(seed) if name not in taken)


def canonical(typed: str) -> str:
    """Return the name that somebody meant: case, dash, spaces and the leading G do not matter."""
    letters = _NO_PART.sub("", typed).upper()
    return f"{PREFIX}{letters.removeprefix('G')}"


def _candidates(seed: str) -> Iterator[str]:
    tried = 0
    while True:
        digest = hashlib.sha256(f"{tried} {seed}".encode("utf-8", "replace")).digest()
        number = int.from_bytes(digest, "big")
        letters = []
        for _ in range(LENGTH + tried // _TRIES):
            number, letter = divmod(number, len(ALPHABET))
            letters.append(ALPHABET[letter])
        yield PREFIX + "".join(letters)
        tried += 1
