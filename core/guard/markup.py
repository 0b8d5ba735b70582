"""What no written answer may carry, whatever the sections say: pings, HTML, hidden signs. Pure."""

import re
import unicodedata
from collections.abc import Sequence
from typing import Protocol

_CODE_PING = re.compile(r"<(?:@|!|#|https?:[^>|]*\|)")
_PING = re.compile(r"(?<![\w.+-])@\w|<(?:@|!|#)")
_HTML = re.compile(r"</?[A-Za-z!][^>\n]{0,200}>|<!--|&(?:#\d+|#x[0-9a-f]+|[a-z]+);", re.IGNORECASE)
_AUTOLINK = re.compile(r"<(https?://[^\s<>|]+)>")
_IMAGE = re.compile(r"!\[")
_LINK = re.compile(r"\[[^\]\n]*\]\([^)\n]*\)?")
_REFERENCE = re.compile(r"\[[^\]\n]+\]\[(?!\d)[^\]\n]*\]|^[ \t]*\[[^\]\n]+\]:", re.MULTILINE)
_CONTROL = re.compile(r"[^\x20-\x7e\n\t]")
_SIGNS = ("@", "<", "&", "!", "](", "][", "]:")
_SCRIPT = re.compile(r"[^\W\d_]+")


def hidden(text: str) -> str:
    """Return what in a text is not what it looks like: the sign's name, empty without any."""
    if text.isascii():
        return "" if text.isprintable() else _control(text)
    for sign in text:
        if sign not in "\n\t" and unicodedata.category(sign) in {"Cc", "Cf", "Cs", "Co", "Cn"}:
            return unicodedata.name(sign, f"U+{ord(sign):04X}")
        if not sign.isascii() and _poses_as_ascii(sign):
            return unicodedata.name(sign, f"U+{ord(sign):04X}")
    for word in _SCRIPT.findall(text):
        if not word.isascii() and _mixed(word):
            return f"mixed alphabets in {word}"
    return ""


def _control(text: str) -> str:
    found = _CONTROL.search(text)
    return f"U+{ord(found[0]):04X}" if found else ""


def _poses_as_ascii(sign: str) -> bool:
    """Return whether folding makes a letter, digit or shell sign of it: `ａ`, `𝚛`, `；`."""
    folded = unicodedata.normalize("NFKC", sign)
    return (
        folded != sign
        and folded.isascii()
        and folded.strip() != ""
        and sign not in "…™ªº²³¹½¼¾"
        and folded != "-"
    )


def _mixed(word: str) -> bool:
    """Return whether a word mixes Latin letters with those of another alphabet."""
    alphabets = {unicodedata.name(sign, "?").split()[0] for sign in word}
    return "LATIN" in alphabets and bool(alphabets & {"CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE"})


class Linked(Protocol):
    """A section in whose text links are looked for."""

    @property
    def linked(self) -> str:
        """Return that text."""


def markup(prose: str, sources: Sequence[Linked]) -> str:
    """Return what in prose (no code) would ping, link elsewhere or be HTML; empty without any.

    `sources` are the cited sections: a link that stands there verbatim may stay.
    """
    if not [sign for sign in _SIGNS if sign in prose]:
        return ""
    if ping := _PING.search(prose):
        return f"mention {prose[ping.start() : ping.start() + 20]}"
    if _IMAGE.search(prose):
        return "image"
    if reference := _REFERENCE.search(prose):
        return f"link {reference[0]}"
    for link in _LINK.finditer(prose):
        if not any(link[0] in source.linked for source in sources):
            return f"link {link[0]}"
    bare = _AUTOLINK.sub(lambda one: one[1], prose)
    if html := _HTML.search(bare):
        return f"HTML {html[0]}"
    masked = _CODE_PING.search(bare)
    return f"link {masked[0]}" if masked else ""
