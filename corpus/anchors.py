"""Heading anchors by GitHub's rules. Pure.

GitHub publishes no algorithm; this follows the npm package github-slugger, whose fixtures were
taken from a page that GitHub rendered.
"""

import unicodedata
from collections.abc import Iterable
from functools import lru_cache

_KEPT = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "Pc"})
# Symbols with the property Alphabetic: circled, squared and negative Latin letters.
_ALPHABETIC = (
    (0x24B6, 0x24E9),
    (0x1F130, 0x1F149),
    (0x1F150, 0x1F169),
    (0x1F170, 0x1F189),
)


def slug(text: str) -> str:
    """Return the anchor of one heading's rendered text; empty where nothing of it remains.

    Letters, marks, numbers, connectors and hyphens stay, each space becomes a hyphen, anything
    else goes; hyphens are neither collapsed nor trimmed.
    """
    return "".join(filter(_kept, text.lower())).replace(" ", "-")


def anchors(texts: Iterable[str]) -> list[str]:
    """Return the anchors of all headings of a page, in order: `echo`, `echo-1`, `echo-2`.

    A heading without any character that an anchor keeps has none, an empty string; it counts all
    the same, so that the next one is `-1`.
    """
    handed_out: dict[str, int] = {}
    found: list[str] = []
    for text in texts:
        first = anchor = slug(text)
        while anchor in handed_out:
            handed_out[first] += 1
            anchor = f"{first}-{handed_out[first]}"
        handed_out[anchor] = 0
        found.append(anchor)
    return found


@lru_cache(maxsize=4096)
def _kept(character: str) -> bool:
    if character in " -":
        return True
    code = ord(character)
    return unicodedata.category(character) in _KEPT or any(a <= code <= b for a, b in _ALPHABETIC)
