"""The actions that a section names, with what object, and which of them it forbids. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

from core.guard.code import Fence, statements
from core.guard.objects import is_content, object_of, objects_of, row_of
from core.guard.pieces import ITEM, Kind, Piece, sentences
from core.guard.tokens import Deed, deeds, deeds_in_code, denies, is_denied
from core.guard.words import Token, parts

_FORBIDS = re.compile(
    r"\b(?:never|do not|don[’']t|must not|may not|should not|avoid|forbidden)\b", re.IGNORECASE
)
_NARROWS = frozenset({"only", "unless", "except"})
_DECISION = re.compile(r"(?:yes|no|never)\b(?! \w)")
_ASIDE = frozenset("():")
_MEMORY = 120
"""Words before a verb among which its object is looked for when none stands after it."""
_REACH = 12
"""Words after a verb of a section within which its object is looked for."""


@dataclass(frozen=True)
class Mention:
    """An action as a section names it: `said` are the words that may name its object.

    `code` is the command that takes it, if one does.
    """

    deed: str
    said: tuple[Token, ...]
    advice: bool
    denied: bool
    narrowed: bool
    gerund: bool = False
    code: str = ""

    @cached_property
    def objects(self) -> frozenset[str]:
        """Return the words by which its object is known, once they are asked for."""
        return frozenset((*objects_of(self.said), *(parts(self.code) if self.code else ())))


def mentions_of(pieces: Sequence[Piece], breadcrumb: str) -> tuple[Mention, ...]:
    """Return every action that a section names; list items and rows are read under their lead."""
    return tuple(_Reading(breadcrumb).of(pieces))


class _Reading:
    """Reads pieces in their order, keeping what stands over them."""

    def __init__(self, breadcrumb: str) -> None:
        self._heading = breadcrumb.rsplit("›", 1)[-1].strip()
        self._titles = [part.strip() for part in breadcrumb.split("›")]
        self._lead = ""
        self._block = -1
        self._header: tuple[Token, ...] = ()
        self._before: tuple[Token, ...] = ()
        self._spoken_before: tuple[Token, ...] = ()
        self._lead_in: tuple[Token, ...] = ()
        self._earlier: tuple[Mention, ...] = ()

    def of(self, pieces: Sequence[Piece]) -> Iterator[Mention]:
        for title in (*self._titles, *(one.text for one in pieces if one.kind is Kind.HEADING)):
            yield from _of_title(row_of(title), pieces)
        for piece in pieces:
            yield from self._piece(piece)

    def _piece(self, piece: Piece) -> Iterator[Mention]:
        if piece.kind is Kind.HEADING:
            self._heading, self._lead = piece.text, ""
            return
        if piece.block != self._block:
            self._before, self._earlier = row_of(self._heading), ()
            self._spoken_before, self._lead_in = self._before, ()
        if piece.kind is Kind.ROW and piece.block != self._block:
            self._header = row_of(piece.text)
        self._block = piece.block
        listed = piece.kind is not Kind.SENTENCE
        over = [text for text in (self._heading, self._lead) if listed and _FORBIDS.search(text)]
        yield from self._under(over, piece)
        if piece.kind is Kind.ROW:
            yield from self._decided(piece)
        named = any(True for text in over for _ in deeds(row_of(text)))
        yield from self._body(piece, forbidden=bool(over) and not named)
        if piece.kind is Kind.SENTENCE:
            self._lead = piece.text if piece.leads else ""

    def _under(self, over: Sequence[str], piece: Piece) -> Iterator[Mention]:
        """Yield what a lead or heading that forbids says of this item or row."""
        for text in over:
            for deed in deeds(row_of(text)):
                yield Mention(
                    deed.name, row_of(piece.text), advice=True, denied=True, narrowed=False
                )

    def _decided(self, piece: Piece) -> Iterator[Mention]:
        """Yield what a row answers to a question in its header: `roll back?`, `no`."""
        cells = [cell.strip(" *_`").casefold() for cell in piece.text.strip("|").split("|")]
        answers = [cell for cell in cells if _DECISION.match(cell)]
        if not answers or self._header == row_of(piece.text):
            return
        denied = not answers[0].startswith("yes")
        for deed in deeds(self._header):
            yield Mention(deed.name, row_of(piece.text), advice=True, denied=denied, narrowed=False)

    def _body(self, piece: Piece, *, forbidden: bool) -> Iterator[Mention]:
        if piece.kind is Kind.ROW:
            row = row_of(piece.text)
            self._before = (*self._header, *row, *row_of(self._heading))
            yield from self._sentence(row, forbidden=forbidden)
        else:
            item = ITEM.match(piece.text)
            text = piece.text[item.end() :] if item else piece.text
            found = sentences(text)
            forbidden = forbidden and not (found and denies(row_of(found[0])))
            for sentence in found:
                yield from self._spoken(row_of(sentence), forbidden=forbidden)
        for fence in piece.fences:
            yield from self._fence(fence, forbidden=forbidden)
        if piece.leads and piece.fences and not forbidden:
            yield from _done_by(row_of(sentences(piece.text)[-1]), piece.fences)

    def _spoken(self, row: tuple[Token, ...], *, forbidden: bool) -> Iterator[Mention]:
        """Yield a sentence's mentions; one that only says `never` takes the one before it back."""
        if _only_denies(row):
            for one in self._earlier:
                yield replace(one, advice=True, denied=True)
        self._earlier = tuple(self._sentence(row, forbidden=forbidden))
        yield from self._earlier
        self._before = (*self._spoken_before, *row)[-_MEMORY:]
        self._lead_in = () if denies(row) else row
        if not denies(row):
            self._spoken_before = self._before

    def _fence(self, fence: Fence, *, forbidden: bool) -> Iterator[Mention]:
        """Yield what commands do; the remark over a command names what it does it to."""
        remarks = dict(_remarks(fence.text))
        for one in statements(fence):
            row = (
                *row_of(self._heading),
                *self._lead_in,
                *row_of(remarks.get(one.split("\n", 1)[0].strip(), "")),
            )
            yield from self._command(one, row, denied=forbidden, narrowed=False)
        for remark in remarks.values():
            yield from self._sentence(row_of(remark), forbidden=forbidden)

    def _sentence(self, row: tuple[Token, ...], *, forbidden: bool) -> Iterator[Mention]:
        narrowed = any(token.word in _NARROWS for token in row)
        found = tuple(deeds(row))
        told = {one.at for one in found if one.advice and not one.gerund}
        for deed in found:
            yield Mention(
                deed.name,
                _said_with(row, deed, told, self._before),
                advice=deed.advice and not deed.gerund,
                denied=deed.denied or forbidden,
                narrowed=narrowed,
                gerund=deed.gerund or deed.noun,
            )
        for at, token in enumerate(row):
            if token.code:
                denied = forbidden or is_denied(row, at)
                near = row if denied or " " not in token.code else tuple(_clause_before(row, at))
                yield from self._command(token.code, near, denied=denied, narrowed=narrowed)

    def _command(
        self, code: str, row: Sequence[Token], *, denied: bool, narrowed: bool
    ) -> Iterator[Mention]:
        if not (named := deeds_in_code(code)):
            return
        said = tuple(row)
        for deed in named:
            yield Mention(deed, said, advice=True, denied=denied, narrowed=narrowed, code=code)


def _of_title(row: tuple[Token, ...], pieces: Sequence[Piece]) -> Iterator[Mention]:
    """Yield the deeds of a heading; one without an object is done to what its section names."""
    for deed in deeds(row):
        said: tuple[Token, ...] = tuple(object_of(row, deed))
        if _only_points(row, deed):
            said = tuple(token for piece in pieces for token in row_of(piece.text))
        advice = not deed.denied and not deed.gerund
        yield Mention(
            deed.name,
            said,
            advice=advice and not deed.passive,
            denied=deed.denied,
            narrowed=False,
            gerund=deed.gerund or deed.noun,
        )


def _done_by(lead: tuple[Token, ...], fences: Sequence[Fence]) -> Iterator[Mention]:
    """Yield what a sentence that announces commands says they do: `Drain it first:`."""
    narrowed = any(token.word in _NARROWS for token in lead)
    for deed in deeds(lead):
        if deed.advice and not deed.denied:
            for one in chain.from_iterable(map(statements, fences)):
                yield Mention(deed.name, lead, True, False, narrowed, code=one)


def _only_points(row: Sequence[Token], deed: Deed) -> bool:
    """Return whether a heading says `Grow it`, and so speaks of what its section is about."""
    return not deed.noun and [one.word for one in row[deed.end : deed.end + 1]] == ["it"]


def _only_denies(row: Sequence[Token]) -> bool:
    """Return whether a sentence forbids without a verb of its own (`For databases: never`)."""
    never = [at for at, token in enumerate(row) if token.word == "never"]
    begins = bool(row) and row[0].word in {"for", "on", "in", "if", "with", "never"}
    return begins and bool(never) and not any(True for _ in deeds(row))


def _clause_before(row: Sequence[Token], at: int) -> Iterator[Token]:
    """Yield the words before a command, up to the last full stop or semicolon."""
    for i in range(at - 1, max(-1, at - 1 - _REACH), -1):
        if row[i].stops and row[i].word not in _ASIDE:
            return
        yield row[i]


def _remarks(text: str) -> Iterator[tuple[str, str]]:
    """Yield each line that has a remark right over it, or over the lines before it."""
    remark = ""
    for line in map(str.strip, text.split("\n")):
        if line.startswith(("#", "--")):
            remark = line.lstrip("#- ")
        elif line and remark:
            yield line, remark


def _said_with(
    row: tuple[Token, ...], deed: Deed, told: set[int], before: tuple[Token, ...]
) -> tuple[Token, ...]:
    """Return what the verb may act on: the words after it; where they name nothing, those before.

    The words end at the next verb that is told to be done to something else; `told` is where
    such verbs stand.
    """
    after = tuple(_until_stop(row, deed, told))
    direct = any(is_content(token) for token in object_of(row, deed))
    if direct and not deed.passive and not deed.noun:
        return after
    return (*after, *row[max(0, deed.at - _MEMORY) : deed.at], *before)


def _until_stop(row: Sequence[Token], deed: Deed, told: set[int]) -> Iterator[Token]:
    named = False
    for at in range(deed.end, min(deed.end + _REACH, len(row))):
        token = row[at]
        if (token.stops and token.word not in _ASIDE) or (named and at in told):
            return
        named = named or is_content(token)
        yield token
