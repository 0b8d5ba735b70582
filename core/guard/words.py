"""Words of a sentence as the guard compares them: stems, numbers, what may deny or act. Pure."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from core.guard.claims import NUMBER_WORD, UNIT
from core.guard.code import HOLE
from core.guard.lists import FILLING, TELLING, words
from core.guard.verbs import FORMS, PARTED

_WORD = re.compile(
    r"[A-Za-z_][\w'’./-]*[\w]|[.,;:!?()|—–]|\x00|\d+(?:[.,:]\d+)+(?![\w-])(?:[ \t]?%)?|\d+[ \t]?%"
    r"|[0-9][\w'’./-]*[\w]|[A-Za-z0-9]"
)
PART = re.compile(r"[A-Za-z]{2,}[0-9]?(?![A-Za-z])|[A-Za-z]{2,}|\d+")
_NUMBER = re.compile(r"(\d+(?:[.,:]\d+)*)[ \t-]?([A-Za-zµ%]*)")
_THOUSANDS = re.compile(r",(?=\d{3}(?!\d))")
_DIGITS = re.compile(r"\d+")
STOPS: frozenset[str] = frozenset(".;:!?()|—–")
DENY = words(
    "not never no none nobody nothing neither nor without cannot avoid avoids avoiding unlike"
    " forbidden refuse refuses refused"
)
_BREAKS = (
    words("and but while because since whereas although though so if when unless or ,") | STOPS
)
PLAIN = "#"
"""The kind of a number that is not part of a name."""


@dataclass(frozen=True, slots=True)
class Token:
    """A word in lower case, a sign, or a code span (`code` is its text then).

    `objects` are the words by which it is known as an object, none where it names nothing.
    `acts` and `denies` say that it may be (part of) a deed or a negation. `keys` are the roots by
    which it is compared, no digits in them. Of a number, `value` is what it says, `kind` what it
    looks like without its digits, `unit` its unit if that is written in one with it; of a unit
    that stands alone, `unit` is all. `written` is how it is compared letter for letter, `masked`
    the same with numbers hidden and their units gone; both are empty for a sign. At one that
    `breaks` a clause may end, and at one that `stops` it ends for certain.
    """

    word: str
    code: str = ""
    objects: tuple[str, ...] = ()
    acts: bool = False
    denies: bool = False
    keys: tuple[str, ...] = ()
    value: str = ""
    kind: str = ""
    unit: str = ""
    written: str = ""
    masked: str = ""
    breaks: bool = False
    stops: bool = False


def tokens(prose: str, spans: Sequence[str]) -> tuple[Token, ...]:
    """Cut prose with HOLEs into tokens, the spans put back as one token each."""
    if not spans:
        return tuple(map(_word, _WORD.findall(prose)))
    codes = iter(spans)
    found = _WORD.findall(prose)
    return tuple([_code(next(codes, "")) if word == HOLE else _word(word) for word in found])


@lru_cache(maxsize=1024)
def _code(code: str) -> Token:
    objects = tuple(sorted(parts(code))) if code else ()
    masked = f"`{_DIGITS.sub('#', code.casefold())}"
    digits = masked[1:] != code.casefold()
    return Token(
        "`",
        code,
        objects,
        keys=tuple({masked, *_keys(objects)}) if code else (),
        value=code if digits else "",
        kind=masked if digits else "",
        written=code,
        masked=_DIGITS.sub("#", code),
    )


@lru_cache(maxsize=8192)
def _word(written: str) -> Token:
    word = written.casefold()
    if "-" in word and (whole := word.replace("-", "")) in FORMS:
        word = whole  # a verb that is written with a hyphen: re-start
    names = word not in FILLING and word[0].isalnum()
    objects = {stem(word)} if names else set()
    if names and any(sign in word for sign in "-_/."):
        objects |= parts(word)
    value, kind, unit = _figure(written, word)
    return Token(
        word,
        objects=tuple(sorted(objects)),
        acts=word in FORMS or word in PARTED,
        denies=word in DENY or word in {"instead", "rather"} or word.endswith(("n't", "n’t")),
        keys=() if kind == PLAIN or unit else tuple(_keys(objects or TELLING & {word})),
        value=value,
        kind=kind,
        unit=unit,
        written=_written(word, value, kind, unit),
        masked=_masked(word, kind) if word[0].isalnum() else "",
        breaks=word in _BREAKS,
        stops=word in STOPS,
    )


def _figure(written: str, word: str) -> tuple[str, str, str]:
    """Return the value, kind and unit of a word; empty ones where it has none."""
    if word in NUMBER_WORD:
        return NUMBER_WORD[word], PLAIN, ""
    if not any(sign.isdigit() for sign in word):
        return "", "", unit_of(written)
    found = _NUMBER.fullmatch(written)
    if found and (not found[2] or unit_of(found[2])):
        value = _THOUSANDS.sub("", found[1])
        kind = PLAIN if ":" not in value and value.count(".") < 2 else _DIGITS.sub("#", value)
        return value, kind, unit_of(found[2])
    return word, _DIGITS.sub("#", word), ""


def _written(word: str, value: str, kind: str, unit: str) -> str:
    if kind == PLAIN:
        return f"{value}{unit}"
    return word if word[0].isalnum() else ""


def _masked(word: str, kind: str) -> str:
    if not kind:
        return word
    return kind if any(sign.isalpha() for sign in kind) else PLAIN


def unit_of(word: str) -> str:
    """Return the unit that a word names, empty if it names none."""
    return UNIT.get(word, UNIT.get(word.casefold(), "") if len(word) > 2 else "")


def _keys(objects: Iterable[str]) -> Iterator[str]:
    for one in objects:
        masked = _DIGITS.sub("#", one)
        if any(sign.isalpha() for sign in masked):
            yield root(masked)


@lru_cache(maxsize=8192)
def root(word: str) -> str:
    """Return a stem without the endings of verbs: `drain` for `drained` and `draining`."""
    for ending in ("ing", "ed"):
        if len(word) > len(ending) + 3 and word.endswith(ending):
            word = word.removesuffix(ending)
            if word[-1] == word[-2] and word[-1] not in "ls":
                word = word[:-1]
            break
    return word[:-1] if len(word) > 3 and word[-1] in "ey" else word


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """Return a noun without its plural or possessive."""
    word = word.removesuffix("'s").removesuffix("’s")
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("sses", "xes", "ches", "shes")):
        word = word[:-1]
    if len(word) > 3 and word.endswith("s") and word[-2] not in "su":
        word = word[:-1]
    return word[:-1] if len(word) > 3 and word.endswith("e") else word


@lru_cache(maxsize=2048)
def parts(code: str) -> frozenset[str]:
    """Return the words that a command or name is made of, stemmed, and the whole."""
    found = {code.casefold()}
    found.update(word.strip("\"'`(),;").casefold() for word in code.split())
    found.update(stem(part.casefold()) for part in PART.findall(code))
    return frozenset(found)
