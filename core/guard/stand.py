"""What a sentence affirms and denies, and which way it points on the scales of words. Pure."""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from core.guard.figures import near_of
from core.guard.lists import words
from core.guard.words import Token

_SCALES = (
    ("more larger bigger higher longer greater raise increase grow above over",
     "fewer less smaller lower shorter reduce decrease shrink halve below under"),
    ("safe harmless", "unsafe dangerous risky harmful"),
    ("newest latest youngest newer", "oldest earliest older"),
    ("first", "last"),
    ("keep kept survive stay remain", "lose lost forgotten gone"),
    ("open", "close"),
    ("fast faster quick quickly", "slow slower slowly"),
    ("succeed success successful", "fail failed failure"),
    ("best better", "worst worse"),
    ("same", "different another separate"),
    ("parallel together simultaneously", "alone separately"),
    ("inside internal", "outside external"),
)  # fmt: skip
_BEFORE_NUMBERS = words("above over below under")
_ENDS = words("but because since so then although though if when while until as which who once")
_DENIES_TOO = words("except excluding")
_NO_DENIAL = words("only just more less later sooner longer earlier fewer least matter")


def _scale_words() -> Mapping[str, tuple[int, int]]:
    found: dict[str, tuple[int, int]] = {}
    for scale, sides in enumerate(_SCALES):
        for side, told in zip((1, -1), sides, strict=True):
            for word in told.split():
                forms = {word, f"{word}s", f"{word}d", f"{word}ed", f"{word.rstrip('e')}ing"}
                found |= dict.fromkeys(forms, (scale, side))
    return found


_ON_SCALE = _scale_words()
_TURNS = _DENIES_TOO | _ON_SCALE.keys()


class Lean(NamedTuple):
    """A word of a scale in a row: which side it points to, and the words of its clause."""

    scale: int
    side: int
    near: frozenset[str]


class Stand(NamedTuple):
    """The words of a row that it only affirms, those that it only denies, and where it leans.

    `forbidden` are those of the denied that name a deed.
    """

    affirmed: frozenset[str]
    denied: frozenset[str]
    leans: tuple[Lean, ...]
    forbidden: frozenset[str] = frozenset()


def stand_of(row: tuple[Token, ...], cells: tuple[int, ...] = ()) -> Stand:
    """Read a row; `cells` are the signs that stand over a table's columns, or over all of it."""
    denying = bool([token for token in row if token.denies or token.word in _DENIES_TOO])
    signs = [1] * len(row)
    keys = [(whole(one),) if one.code else one.keys for one in row]
    if denying or cells:
        signs = _under(row, _signs(row) if denying else signs, cells)
        found: dict[int, list[str]] = {1: [], 0: [], -1: []}
        for told, sign in zip(keys, signs, strict=True):
            if told:
                found[sign] += told
        affirmed = frozenset(found[1]).difference(found[0], found[-1])
        denied = frozenset(found[-1]).difference(found[0], found[1])
    else:
        affirmed, denied = frozenset(chain.from_iterable(keys)), frozenset[str]()
    leaning = [at for at, token in enumerate(row) if token.word in _ON_SCALE and signs[at]]
    return Stand(
        affirmed,
        denied,
        tuple(
            [
                Lean(sided[0], sided[1] * signs[at], near_of(row, at))
                for at in leaning
                if (sided := scale_of(row, at))
            ]
        ),
        denied.intersection(chain.from_iterable([token.keys for token in row if token.acts]))
        if denied
        else denied,
    )


def whole(token: Token) -> str:
    """Return the key of a code span as a whole."""
    return token.kind or f"`{token.code.casefold()}"


def _under(row: Sequence[Token], signs: list[int], cells: tuple[int, ...]) -> list[int]:
    """Return the signs of a row with what stands over it: under a prohibition none is sure."""
    if not cells:
        return signs
    found: list[int] = []
    column = -1
    for token, sign in zip(row, signs, strict=True):
        column += token.word == "|"
        over = cells[min(max(column, 0), len(cells) - 1)]
        found.append(sign if over > 0 else over if sign > 0 else 0)
    return found


def leaning(row: Sequence[Token]) -> tuple[bool, frozenset[int]]:
    """Return whether a row denies anything, and the scales of its words, quicker than all of it."""
    turns = [one.word for one in row if one.denies or one.word in _TURNS]
    if not turns:
        return False, frozenset()
    scales = frozenset([_ON_SCALE[word][0] for word in turns if word in _ON_SCALE])
    return any(word not in _ON_SCALE for word in turns), scales


def scale_of(row: Sequence[Token], at: int) -> tuple[int, int] | None:
    """Return the scale and side of a word, None where it is on none."""
    token = row[at]
    if token.code or (token.word in _BEFORE_NUMBERS and not row[at + 1 : at + 2]):
        return None
    if token.word in _BEFORE_NUMBERS and not row[at + 1].value:
        return None
    return _ON_SCALE.get(token.word)


def _signs(row: Sequence[Token]) -> list[int]:
    """Return 1 for a word that is affirmed, -1 for one that is denied, 0 where that is not sure."""
    signs: list[int] = []
    start, sign = 0, 1
    for at, token in enumerate(row):
        word = token.word
        if (token.denies or word in _DENIES_TOO) and _denies(row, at):
            signs[start:] = [0] * (at - start)
            sign = -1 if sign > 0 else 0
            start = at
        elif token.stops or word in _ENDS:
            start, sign = at, 1
        elif word == "that" and sign < 0:
            sign = 0
        elif word == "," and not (sign < 0 and _goes_on(row, at)):
            start, sign = at, 1
        elif word in {"and", "or", "nor"}:
            start = at if sign > 0 else start
            sign = 0 if sign < 0 and word == "and" else sign
        signs.append(sign)
    return signs


def _denies(row: Sequence[Token], at: int) -> bool:
    token, following = row[at], row[at + 1].word if at + 1 < len(row) else ""
    if token.word in _DENIES_TOO:
        return True
    if not token.denies or following in _NO_DENIAL or _points(token, following):
        return False
    return token.word not in {"instead", "rather"} or following in {"of", "than"}


def _points(token: Token, following: str) -> bool:
    return token.word == "without" and following in {"this", "that", "it", "them"}


def _goes_on(row: Sequence[Token], at: int) -> bool:
    """Return whether a list after a negation goes on behind a comma: `do not a, b or c`."""
    for token in row[at + 1 :]:
        if token.stops:
            return False
        if token.word in {"or", "nor"}:
            return True
    return False
