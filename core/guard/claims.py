"""What a sentence claims word for word: numbers with units, paths, flags, names. Pure, linear.

The same reading is applied to an answer and to its sections, so that what a section says always
bears out what is quoted from it.
"""

import re
from functools import lru_cache

from core.guard.code import HOLE
from core.guard.pieces import CITATION

_UNITS = {
    "ms": "ms millisecond milliseconds msec",
    "us": "us µs microsecond microseconds",
    "s": "s sec secs second seconds",
    "min": "m min mins minute minutes",
    "h": "h hr hrs hour hours",
    "d": "d day days",
    "week": "w week weeks",
    "month": "month months",
    "year": "y year years",
    "%": "% percent",
    "B": "B byte bytes",
    "KB": "kB KB kb K k",
    "MB": "MB mb M",
    "GB": "GB gb G g",
    "TB": "TB tb T",
    "KiB": "KiB Ki",
    "MiB": "MiB Mi",
    "GiB": "GiB Gi",
    "TiB": "TiB Ti",
    "core": "core cores cpu cpus CPU CPUs vCPU vCPUs",
}
_TIMES = "ms us s min h d week month year"
_SIZES = "B KB MB GB TB KiB MiB GiB TiB"
DIMENSION = dict.fromkeys(_TIMES.split(), "time") | dict.fromkeys(_SIZES.split(), "size")
"""What a unit measures, of units that can stand for each other."""
UNIT = {form: unit for unit, forms in _UNITS.items() for form in forms.split()}
_WORDS = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
]
NUMBER_WORD = {word: str(value) for value, word in enumerate(_WORDS)} | {
    "thirty": "30",
    "forty": "40",
    "fifty": "50",
    "sixty": "60",
    "ninety": "90",
    "hundred": "100",
}
_NUMBER = re.compile(
    r"(?<![\w$])(\d{1,3}(?:,\d{3})+(?!\d)|\d+)((?:[.:]\d+)*)"
    r"(?:(?P<glued>[A-Za-zµ%]+(?![\w.]*\w))|[ \t\n\u00a0\u202f-]?(?P<apart>[A-Za-zµ%]+))?"
)
_TOKEN = re.compile(r"[^\s\x00|,;\"“”<>()\[\]{}]+")
_EDGES = "*!?'’‘“”…`"
_CAMEL = re.compile(r"[a-z][A-Z]")
_CAPITALS = re.compile(r"[A-Z]{5,}(?:s?)$")
_PLAIN = re.compile(r"[A-Za-z]+(?:['’-][A-Za-z]+)*\Z")
_SLASHED = re.compile(r"[A-Za-z-]+(?:/[A-Za-z-]+){1,2}\Z")
_DASHES = re.compile(r"[‐‑]")
_LONG_DASH = re.compile(r"(?<![^\s(])[–—−]{1,2}(?=[A-Za-z])")
_WELL_KNOWN = frozenset({"HTTPS", "ASCII", "e.g", "i.e", "E.g", "I.e", "a.m", "p.m", "and/or"})


def plain(text: str) -> str:
    """Return prose without its citations and list marks, typographic hyphens and spaces folded."""
    text = CITATION.sub(" ", text) if "[" in text else text
    if text.isascii():
        return text
    return _DASHES.sub("-", text).replace("\u00a0", " ").replace("\u202f", " ")


def names(prose: str) -> list[str]:
    """Return what must stand in a section letter for letter: paths, flags, identifiers, URLs."""
    found = [name for name in map(_name_in, _TOKEN.findall(prose)) if name]
    if prose.isascii():
        return found
    dashed = _LONG_DASH.finditer(prose)
    return [prose[one.start() : one.end() + 12].split()[0] for one in dashed] + found


@lru_cache(maxsize=8192)
def _name_in(written: str) -> str:
    """Return the name that a word is, without the signs around it; empty where it is none."""
    token = _trimmed(written)
    return token if token and HOLE not in token and _is_name(token) else ""


def _trimmed(token: str) -> str:
    token = token.strip(_EDGES).rstrip(".:").strip(_EDGES)
    for end in ("'s", "’s"):
        token = token.removesuffix(end)
    return token


def _is_name(token: str) -> bool:
    if token in _WELL_KNOWN:
        return False
    if _PLAIN.match(token):
        return bool(_CAMEL.search(token) or _CAPITALS.match(token))
    if _SLASHED.match(token):
        return len(token) > 24 or any(map(_CAMEL.search, token.split("/")))
    return _has_shape(token)


def _has_shape(token: str) -> bool:
    digits = any(sign.isdigit() for sign in token)
    letters = any(sign.isalpha() for sign in token)
    if digits and not letters:
        return token.count(".") > 1 or token.count("-") > 1 or "/" in token
    if digits and letters:
        return not _NUMBER.fullmatch(token) or not _known_unit(token)
    if len(token) > 1 and token[0] == "-" and (token[1].isalpha() or token[1] == "-"):
        return letters
    return letters and any(sign in "_/$~=:.#@\\&+*" for sign in token)


def _known_unit(token: str) -> bool:
    found = _NUMBER.fullmatch(token)
    return bool(found and UNIT.get(found["glued"] or found["apart"] or ""))
