"""The keys that say who may see a text, found in lines that nothing else can read. Pure.

A parser says what a key is; this says what a human took for one. It errs on the side of naming.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import IntEnum

VISIBILITY = "visibility"
TENANT = "tenant"

_ALIKE = 0.8
"""From here on a key is a slip of `visibility`: one letter is off, or it is a plural."""
_FEWEST = 7
"""So many letters of its own a key of six or more must have to be so much alike."""
_ALSO = re.compile(
    r"(?:doc|document|page)visibility|visibilitylabels?|visable|vis[ai]ble(?:for|to)"
)
"""Other names that people give it, without `_`. `visible` alone mostly is a switch."""
_WORDS = re.compile(r"(?:div|fus|indiv|irasc|misc|ris|vinc)ibility|(?:dis|vi)ability")
"""Words of English that are as near to it as slips are, and mean something else."""
_LEFT = 200
_FILLERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0") | {
    chr(selector) for selector in range(0xFE00, 0xFE10)
}
_ESCAPE = re.compile(r"\\(?:x([\da-f]{2})|u([\da-f]{4})|U([\da-f]{8}))", re.IGNORECASE)
_BREAKS = re.compile(r"[\x0b\x0c\x85\u2028\u2029]")
_WORD = re.compile(r"(?<!\w)[^\W\d_][\w-]{5,20}(?!\w)")
_SIGN = re.compile(r"(?:\.[\w.\"'-]{1,200})?[\"'`*_)\]]{0,6}\s{0,200}[:=]")
_ENDS = re.compile(r"[\"'`]?[ \t]*[,}]")
_TABLE = re.compile(r"[\"']?[ \t]*\]+[ \t]*(?:#.*)?$", re.MULTILINE)
_DECORATION = re.compile(r"[^\w#]*")
_TAGGED = re.compile(r"(?:^|[^\w])(?P<kind>[!&])[^\s,{}\[\]]*[ \t]+[\"']?\Z")
_DOTTED = re.compile(r"[^\w#]*[\w\"'.-]+[\"']?\.[\"']?")
_COMMENT = re.compile(r"[ \t]#")


class Place(IntEnum):
    """How surely a word stands where a key does: the first of a line, of a pair, or anywhere."""

    LINE = 1
    PAIR = 2
    LOOSE = 3


@dataclass(frozen=True, slots=True)
class Mention:
    """A key that says who may see the text; `line` counts from 0 where the lines begin."""

    key: str
    line: int
    place: Place


def is_invisible(letter: str) -> bool:
    """Tell whether a letter takes no room: byte order marks, joiners, fillers and the like."""
    return letter in _FILLERS or unicodedata.category(letter) == "Cf"


def key_of(key: object) -> str:
    """Return a key as it is compared: lower case, `_` for `-`, without what cannot be seen."""
    return plain(str(key)).strip().lower().replace("-", "_")


def plain(text: str) -> str:
    """Return a text as it looks: wide letters narrow, invisible ones gone, escapes resolved.

    The number of its lines stays.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
        text = text.translate({ord(letter): None for letter in {*text} if is_invisible(letter)})
    return _ESCAPE.sub(_escaped, text) if "\\" in text else text


def access_key(key: str) -> str:
    """Return `visibility` or `tenant` where a key means one of them, else an empty string.

    `repo_visibility` is somebody else's.
    """
    if key in (TENANT, VISIBILITY):
        return key
    key = key.removeprefix("nightlamp_")
    joined = "".join(key.replace("_", " ").split())
    if _ALSO.fullmatch(joined):
        return VISIBILITY
    if "_" in key:
        return VISIBILITY if joined == VISIBILITY else ""
    if _WORDS.fullmatch(key) or sum(letter in VISIBILITY for letter in key) < _FEWEST:
        return ""
    matcher = SequenceMatcher(None, key, VISIBILITY, autojunk=False)
    return VISIBILITY if matcher.ratio() >= _ALIKE else ""


def mentions(lines: Sequence[str], up_to: Place) -> Iterator[Mention]:
    """Yield what names who may see the text in plain lines, in order, comments left out."""
    text = "\n".join(lines)
    at = line = 0
    for word in _WORD.finditer(text):
        key = access_key(word[0].lower().replace("-", "_"))
        if not key:
            continue
        place = _place(text, word.start(), word.end())
        limit = min(up_to, Place.PAIR) if key == TENANT else up_to
        if place is not None and place <= limit:
            line += text.count("\n", at, word.start())
            at = word.start()
            yield Mention(key, line, place)


def _escaped(found: re.Match[str]) -> str:
    code = int(found[1] or found[2] or found[3], 16)
    return chr(code) if 0x20 <= code < 0x7F else found[0]


def _decoration(left: str) -> int:
    """Return how many letters before a key are no word: quotes, brackets, dashes, blanks."""
    found = _DECORATION.match(left[::-1])
    return found.end() if found else 0


def _place(text: str, start: int, end: int) -> Place | None:
    furthest = max(start - _LEFT, 0)
    begins = max(text.rfind("\n", furthest, start) + 1, furthest)
    left = _BREAKS.split(text[begins:start])[-1]
    if left.lstrip().startswith("#"):
        return None
    around = left[len(left) - _decoration(left) :]
    first = around == left
    tag = _TAGGED.search(left)
    if _SIGN.match(text, end):
        if first or tag or _DOTTED.fullmatch(left):
            return Place.LINE
        if {"{", ",", ";"} & {*around}:
            return Place.PAIR
        return None if _COMMENT.search(left) else Place.LOOSE
    if first and (
        "?" in around
        or (around.strip(" \t\"'").endswith("[") and _TABLE.match(text, end))
        or ("{" in around and _ENDS.match(text, end))
    ):
        return Place.LINE
    if tag and tag["kind"] == "&":
        return Place.PAIR
    bare = not left.strip() and text[end : end + 1] in {"", "\n", " ", "\t"}
    return Place.LOOSE if bare else None
