"""What a sentence or a place of a section puts before what. Pure."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from core.guard.figures import keys_of
from core.guard.lists import words
from core.guard.words import Token

MARKS = words("before after afterwards then")
_WEAK = words("once when")
"""Words by which a section tells an order, and an answer only a condition."""
_POINTS = words("that this which it")
_GOES_ON = words("then afterwards next")
_ENDS = frozenset(".;:!?()|—–")


class Order(NamedTuple):
    """The words of what comes first, and of what comes after it."""

    first: frozenset[str]
    second: frozenset[str]


def orders_in(row: Sequence[Token]) -> Iterator[Order]:
    """Yield the orders that a sentence tells with `before`, `after`, `then` and the like."""
    return (order for order, weak in _told(row) if not weak)


def orders_of(row: Sequence[Token]) -> Iterator[Order]:
    """Yield the orders that a place of a section tells, those of `when` and `once` as well."""
    return (order for order, _ in _told(row))


def goes_on(row: Sequence[Token], before: Sequence[Token]) -> Order | None:
    """Return the order of two sentences of which the second begins with `then` or the like."""
    begins = [token.word for token in row[:2]]
    if not begins or (begins[0] not in _GOES_ON and begins != ["after", "that"]):
        return None
    first, second = keys_of(before), keys_of(row)
    return Order(first - second, second - first)


def _told(row: Sequence[Token]) -> Iterator[tuple[Order, bool]]:
    for at, token in enumerate(row):
        if (token.word not in MARKS and token.word not in _WEAK) or _is_no_order(row, at):
            continue
        word, pointed = token.word, at + 1 < len(row) and row[at + 1].word in _POINTS
        start, end = _ends(row, at)
        left, right = row[start:at], row[at + 1 : end]
        if not keys_of(left):
            right, left = _at_comma(right)
        else:
            right = _at_comma(right)[0] or right
        if word == "then" or word == "afterwards" or (pointed and not keys_of(right)):
            left, right = _around(row, start, at, end)
            word = "before" if word != "before" else "after"
        order = Order(keys_of(left), keys_of(right))
        if word != "before":
            order = Order(order.second, order.first)
        common = order.first & order.second
        yield Order(order.first - common, order.second - common), word in _WEAK


def _is_no_order(row: Sequence[Token], at: int) -> bool:
    """Return whether a mark tells a time or nothing: `10 s before`, `before anything else`."""
    before, after = row[max(0, at - 1) : at], row[at + 1 : at + 5]
    return (
        any(one.unit or one.value for one in before)
        or any(one.word in {"anything", "everything", "all"} for one in after[:1])
        or any(one.word == "else" for one in after)
    )


def _ends(row: Sequence[Token], at: int) -> tuple[int, int]:
    start = next((i + 1 for i in range(at - 1, -1, -1) if row[i].word in _ENDS), 0)
    end = next((i for i in range(at + 1, len(row)) if row[i].word in _ENDS), len(row))
    return start, end


def _at_comma(row: Sequence[Token]) -> tuple[Sequence[Token], Sequence[Token]]:
    """Return what stands before and after the first comma: `before you a, b`."""
    comma = next((i for i, token in enumerate(row) if token.word == ","), len(row))
    return row[:comma], row[comma + 1 :]


def _around(
    row: Sequence[Token], start: int, at: int, end: int
) -> tuple[Sequence[Token], Sequence[Token]]:
    """Return what `then` or `after that` stands between, or behind: `a, and b after that`."""
    if keys_of(row[at + 1 : end]):
        return row[start:at], row[at + 1 : end]
    joint = next((i for i in range(at - 1, start, -1) if row[i].word in {"and", ","}), at)
    return row[start:joint], row[joint:at]
