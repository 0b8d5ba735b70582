"""The figures of a sentence: its numbers and names with digits, and what stands beside them. Pure.

The same reading is applied to an answer and to its sections.
"""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from core.guard.lists import words
from core.guard.words import PLAIN, Token, tokens

_CHAIN = words("to or and - – — ,")


class Figure(NamedTuple):
    """A figure where it stands.

    `near` are the words of its clause, `names` the code and identifiers of it; `before` and
    `after` the nearest of `near` on either side, `left` and `right` the very next words.
    """

    value: str
    kind: str
    unit: str
    at: int
    near: frozenset[str]
    names: frozenset[str]
    before: str
    after: str
    left: str
    right: str


def keys_of(row: Sequence[Token]) -> frozenset[str]:
    """Return the words by which a row is compared with others."""
    return frozenset(chain.from_iterable([token.keys for token in row]))


def near_of(row: Sequence[Token], at: int) -> frozenset[str]:
    """Return the words of the clause around a word."""
    clause = _clause(row, at)
    rows = [token.keys for token in row[clause.start : at]]
    rows += [token.keys for token in row[at + 1 : clause.stop]]
    return frozenset(chain.from_iterable(rows))


def figures_of(
    row: Sequence[Token], heads: Sequence[frozenset[str]] = (), *, of_section: bool = False
) -> Iterator[Figure]:
    """Yield the figures of a row in their order; `heads` are what stands over a table's columns.

    A section's numbers in code are figures as well. An answer's code is compared as a whole.
    """
    valued = [at for at, token in enumerate(row) if token.value]
    if not valued:
        return
    units = _units(row)
    for at in valued:
        if row[at].word != "one" or _counts(row, at, of_section):
            yield _figure(row, at, units.get(at, ""), heads)
    if of_section:
        for at in valued:
            if row[at].code:
                yield from _in_code(row, at)


def _in_code(row: Sequence[Token], at: int) -> Iterator[Figure]:
    inside = tokens(row[at].code.replace("\x00", " "), ())
    around = _clause(row, at)
    for one in figures_of(inside):
        yield Figure(
            one.value,
            one.kind,
            one.unit,
            at,
            one.near.union(*(row[i].keys for i in around)),
            frozenset(),
            one.before,
            one.after,
            one.left,
            one.right,
        )


def _counts(row: Sequence[Token], at: int, of_section: bool) -> bool:
    """Return whether `one` is a number here: before a unit or in `one of the six`.

    Of a section it is one before any noun as well.
    """
    if at + 1 == len(row):
        return False
    following = row[at + 1]
    if following.word == "of" and any(one.kind == PLAIN for one in row[at + 2 : at + 4]):
        return True
    return bool(following.unit) or (of_section and bool(following.keys))


def _units(row: Sequence[Token]) -> dict[int, str]:
    """Return the unit of each number; what the end of a range or list has, its start has too."""
    found: dict[int, str] = {}
    following = ""
    last = len(row)
    for at in [at for at, token in enumerate(row) if token.kind == PLAIN][::-1]:
        token = row[at]
        own = token.unit
        if not own and at + 1 < len(row) and not row[at + 1].value:
            own = row[at + 1].unit
        if not own and following and all(one.word in _CHAIN for one in row[at + 1 : last]):
            own = following
        found[at] = following = own
        last = at
    return found


def _clause(row: Sequence[Token], at: int) -> range:
    start = at
    while start > 0 and not row[start - 1].breaks:
        start -= 1
    end = at + 1
    size = len(row)
    while end < size and not row[end].breaks:
        end += 1
    return range(start, end)


def _figure(row: Sequence[Token], at: int, unit: str, heads: Sequence[frozenset[str]]) -> Figure:
    token = row[at]
    clause = _clause(row, at)
    before, after = row[clause.start : at], row[at + 1 : clause.stop]
    told = [one for one in before if one.keys]
    following = [one for one in after if one.keys]
    near = frozenset(chain.from_iterable([one.keys for one in (*told, *following)]))
    if heads:
        column = sum([one.word == "|" for one in row[:at]]) - 1
        near = near | heads[column] if 0 <= column < len(heads) else near
    return Figure(
        token.value,
        token.kind,
        unit,
        at,
        near,
        frozenset([one.written for one in (*before, *after) if _is_name(one)]),
        told[-1].keys[0] if told else "",
        following[0].keys[0] if following else "",
        row[at - 1].masked if at else "",
        row[at + 1].masked if at + 1 < len(row) else "",
    )


def _is_name(token: Token) -> bool:
    return bool(token.code) or (len(token.keys) > 1 and token.kind != PLAIN)
