"""The places of a section: its sentences, rows and lines of code, and how like one they are. Pure.

A sentence of an answer is compared with places by its words alone, never by its numbers, so that
which place it fits best does not depend on what numbers it tells.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise
from typing import NamedTuple

from core.guard.figures import Figure, figures_of, keys_of
from core.guard.objects import row_of
from core.guard.order import Order, goes_on, orders_of
from core.guard.pieces import ITEM, Kind, Piece, sentences
from core.guard.stand import Stand, stand_of
from core.guard.tokens import denies
from core.guard.words import PLAIN, Token

_OVER = 0.4
"""What a shared word counts that stands over a place and not in it."""
_CODE = 0.6
"""What a shared word counts that stands in a line of code: sentences are about sentences first."""
_MEMORY = 3
"""Sentences of a paragraph before a sentence that count as said over it."""


@dataclass(frozen=True)
class Place:
    """A sentence, row or line of code: its tokens, its words, and the words that stand over it.

    `before` is the sentence before it in its list item, `header` the first row of its table.
    """

    row: tuple[Token, ...]
    keys: frozenset[str]
    over: frozenset[str]
    heads: tuple[frozenset[str], ...] = ()
    nth: int = 0
    code: bool = False
    signs: tuple[int, ...] = ()
    step: int = 0
    before: tuple[Token, ...] = ()
    header: tuple[Token, ...] = ()

    @cached_property
    def stand(self) -> Stand:
        """Return what the place affirms, denies, and which way it points."""
        return stand_of(self.row, self.signs)

    @cached_property
    def orders(self) -> tuple[Order, ...]:
        """Return what the place puts before what."""
        following = goes_on(self.row, self.before)
        return (*orders_of(self.row), *((following,) if following else ()))


class Slot(NamedTuple):
    """A figure of a section, and the number of the place that it stands in."""

    place: int
    figure: Figure


class Places:
    """All places of a section, those that are told before the `code`; found by their words."""

    def __init__(self, pieces: Sequence[Piece], breadcrumb: str) -> None:
        found = tuple(_places(pieces, breadcrumb))
        self.told = sum(not place.code for place in found)
        self.all = tuple(sorted(found, key=lambda place: place.code))
        self.keys = tuple([place.keys for place in self.all])
        index: defaultdict[str, list[tuple[int, float]]] = defaultdict(list)
        for number, place in enumerate(self.all):
            over, own = (number, _OVER), (number, _CODE if place.code else 1.0)
            for key in place.over - place.keys:
                index[key].append(over)
            for key in place.keys:
                index[key].append(own)
        self._index = dict(index)
        self._weights = {key: math.sqrt(1 / len(found)) for key, found in index.items()}
        texts = [row_of(one.text) for one in pieces if one.text]
        rows = [*texts, row_of(breadcrumb), *(one.row for one in self.all)]
        self._exact = "\n".join(dict.fromkeys(map(exact, rows)))
        self._masked = "\n".join(dict.fromkeys(map(masked, rows)))

    @cached_property
    def slots(self) -> dict[str, dict[int, tuple[Slot, ...]]]:
        """Return the figures of the section by their kind and place."""
        found: dict[str, dict[int, tuple[Slot, ...]]] = {}
        for number, place in enumerate(self.all):
            over = [
                one._replace(at=one.at - len(place.header))
                for one in figures_of(place.header, of_section=True)
            ]
            for figure in (*over, *figures_of(place.row, place.heads, of_section=True)):
                of_kind = found.setdefault(figure.kind, {})
                of_kind[number] = (*of_kind.get(number, ()), Slot(number, figure))
        return found

    @cached_property
    def values(self) -> dict[str, frozenset[str]]:
        """Return what the figures of each kind say."""
        return {
            kind: frozenset(slot.figure.value for slots in found.values() for slot in slots)
            for kind, found in self.slots.items()
        }

    @cached_property
    def denied(self) -> frozenset[str]:
        """Return the words that some place denies."""
        return frozenset().union(*(place.stand.denied for place in self.all))

    @cached_property
    def scales(self) -> frozenset[int]:
        """Return the scales on which some place leans to a side."""
        return frozenset(lean.scale for place in self.all for lean in place.stand.leans)

    @cached_property
    def ordered(self) -> frozenset[int]:
        """Return the numbers of the places that put something before something."""
        return frozenset(number for number, place in enumerate(self.all) if place.orders)

    @cached_property
    def sequence(self) -> tuple[Order, ...]:
        """Return for each two steps of a numbered list what the one has and the other has not."""
        steps = [place for place in self.all if place.step]
        return tuple(
            Order(one.keys - other.keys, other.keys - one.keys)
            for one, other in combinations(steps, 2)
            if other.step == one.step and other.nth > one.nth
        )

    def read(self) -> None:
        """Read all that is otherwise read when a sentence first asks for it."""
        _ = self.slots, self.values, self.sequence, self.sentences, self.ordered
        _ = self.denied, self.scales
        for place in self.all:
            _ = place.stand, place.orders

    def shared(self, keys: Iterable[str]) -> float:
        """Return how much shared words say: each the less, the more places have it."""
        weights = self._weights
        return sum([weights.get(key, 0.0) for key in keys])

    def alike(self, keys: Iterable[str]) -> list[float]:
        """Return for each place how much it shares with these words."""
        scores = [0.0] * len(self.all)
        index, weights = self._index, self._weights
        for key in index.keys() & keys:
            weight = weights[key]
            for number, share in index[key]:
                scores[number] += share * weight
        return scores

    @cached_property
    def sentences(self) -> frozenset[str]:
        """Return the whole sentences that stand under no prohibition, as `exact` gives them."""
        return frozenset(exact(one.row) for one in self.all[: self.told] if not one.signs)

    def says(self, line: str) -> bool:
        """Return whether the words of `exact` stand here one after the other, numbers and all."""
        return line in self._exact

    def says_but_for_numbers(self, line: str) -> bool:
        """Return whether the words of `masked` stand here one after the other."""
        return line in self._masked


def exact(row: Sequence[Token]) -> str:
    """Return the words of a row in one line, signs left out."""
    return f" {' '.join([token.written for token in row if token.written])} "


def masked(row: Sequence[Token]) -> str:
    """Return the words of a row in one line, signs left out and numbers hidden with their units."""
    told: list[str] = []
    numbered = False
    for token in row:
        if token.masked and not (numbered and token.unit and not token.value):
            told.append(token.masked)
        numbered = token.masked == PLAIN
    return f" {' '.join(told)} "


def _places(pieces: Sequence[Piece], breadcrumb: str) -> Iterator[Place]:
    crumb = row_of(breadcrumb)
    yield Place(crumb, keys_of(crumb), frozenset())
    reader = _Reader(crumb)
    for nth, piece in enumerate(pieces):
        yield from reader.read(piece, nth)


class _Reader:
    """Reads pieces in their order, keeping what stands over them."""

    def __init__(self, crumb: tuple[Token, ...]) -> None:
        self._heading = self._crumb = crumb
        self._lead: tuple[Token, ...] = ()
        self._above: list[frozenset[str]] = []
        self._header: tuple[Token, ...] = ()
        self._block = -1

    def read(self, piece: Piece, nth: int) -> Iterator[Place]:
        row = row_of(piece.text)
        if piece.kind is Kind.HEADING:
            self._heading, self._lead, self._above = row, (), []
        elif piece.block != self._block:
            self._above = []
            self._header = row if piece.kind is Kind.ROW else ()
        self._block = piece.block
        over = keys_of((*self._crumb, *self._heading, *self._lead)).union(*self._above)
        if piece.kind is Kind.ROW:
            yield self._row(row, over, nth)
        elif piece.text:
            yield from self._told(piece, over, nth)
        yield from _code(piece, over | keys_of(row), nth)
        if piece.kind is Kind.SENTENCE:
            self._lead = row if piece.leads else ()
            self._above = [*self._above, keys_of(row)][-_MEMORY:]

    def _row(self, row: tuple[Token, ...], over: frozenset[str], nth: int) -> Place:
        """Return a row under its table's header; what the header says itself is not sure."""
        cells = tuple(_cells(self._header))
        signs = tuple(-1 if denies(cell) else 1 for cell in cells)
        heads = tuple(map(keys_of, cells))
        first = row == self._header
        signs = (0,) if first else signs
        header = () if first else self._header
        keys, over = keys_of(row), over | keys_of(self._header)
        return Place(row, keys, over, heads, nth, signs=signs, header=header)

    def _told(self, piece: Piece, over: frozenset[str], nth: int) -> Iterator[Place]:
        """Yield the sentences of a piece, each under the others; a step's number is one too."""
        item = ITEM.match(piece.text)
        text = piece.text[item.end() :] if item else piece.text
        if item and item[3]:
            mark = row_of(f"step {item[3].rstrip('.)')}")
            yield Place(mark, keys_of(mark), over | keys_of(row_of(text)), (), nth)
        told = [row_of(one) for one in sentences(text)]
        whole = over.union(*map(keys_of, told)) if len(told) > 1 else over
        forbidden = bool(item) and (denies(self._heading) or denies(self._lead))
        signs = (0,) if forbidden else ()
        step = piece.block if piece.kind is Kind.STEP else 0
        for before, row in pairwise(((), *told)):
            keys = keys_of(row)
            yield Place(row, keys, whole, (), nth, signs=signs, step=step, before=before)


def _code(piece: Piece, over: frozenset[str], nth: int) -> Iterator[Place]:
    for fence in piece.fences:
        for line in filter(str.strip, fence.text.split("\n")):
            row = row_of(line.replace("`", " "))
            yield Place(row, keys_of(row), over, (), nth, code=True)


def _cells(row: Sequence[Token]) -> Iterator[Sequence[Token]]:
    """Yield the words of each cell of a table's header."""
    cell: list[Token] = []
    for token in row[1:]:
        if token.word == "|":
            yield cell
            cell = []
        else:
            cell.append(token)
