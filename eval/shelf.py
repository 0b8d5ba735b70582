"""The documents that evidence is looked up in: a quote, a range of lines, or a whole page. Pure."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePath

from core.models import Document, Span
from core.redaction import redact
from corpus.markdown import parse
from eval.lines import Unfit
from eval.one_line import one_line

QUOTE_SHOWN = 60


class Absent(Unfit):
    """What was evidence is not there, or not there once: the document may have changed."""


@dataclass(frozen=True, slots=True)
class Relevant:
    """A stretch of a document's cleaned text that answers a question."""

    source: str
    path: str
    span: Span


class Shelf:
    """Documents by path and by `source/path`."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self._by_name: dict[str, list[Document]] = {}
        self._sources: dict[str, None] = {}
        for document in documents:
            self._sources[document.source] = None
            for name in (document.path, f"{document.source}/{document.path}"):
                self._by_name.setdefault(name, []).append(document)

    def quoted(self, doc: str, quote: str) -> Relevant:
        """Return where a quote stands, its white space folded and its secrets replaced.

        Raises:
            Absent: no such document, or the quote is not there exactly once.
            Unfit: several documents have that name.
        """
        document = self._document(doc)
        spans = _spans(quote, document.text) or _spans(redact(quote)[0], document.text)
        if len(spans) != 1:
            cut = one_line(quote, QUOTE_SHOWN)
            times = "does not occur" if not spans else f"occurs {len(spans)} times"
            raise Absent(f"the evidence “{cut}” {times} in {document.path}")
        return Relevant(document.source, document.path, spans[0])

    def lines(self, doc: str, first: int, last: int) -> Relevant:
        """Return where lines of the original file stand, from 1 and inclusive.

        Raises:
            Absent: no such document, or its text has no such lines.
            Unfit: several documents have that name.
        """
        document = self._document(doc)
        rows = _rows(document.text)
        above = document.first_line
        begin, end = first - above, last - above + 1
        if not 0 <= begin < end <= len(rows):
            there = f"its text is lines {above} to {above + len(rows) - 1}"
            raise Absent(f"{document.path} has no lines {first} to {last}: {there}")
        start = sum(map(len, rows[:begin]))
        text = "".join(rows[begin:end])
        if not text.strip():
            raise Absent(f"the lines {first} to {last} of {document.path} are blank")
        start += len(text) - len(text.lstrip())
        return Relevant(document.source, document.path, Span(start, start + len(text.strip())))

    def whole(self, doc: str) -> tuple[Relevant, ...]:
        """Return every section of a document: any of them shows that it was found.

        Raises:
            Absent: no such document.
            Unfit: several documents have that name.
        """
        document = self._document(doc)
        starts = sorted({0, *(heading.span.start for heading in parse(document.text).headings)})
        ends = [*starts[1:], len(document.text)]
        spans = [Span(start, end) for start, end in zip(starts, ends, strict=True)]
        return tuple(
            Relevant(document.source, document.path, span)
            for span in spans
            if document.text[span.start : span.end].strip()
        )

    def sources_in(self, folder: str, name: str) -> tuple[str, ...]:
        """Return the sources that are folders of that name in a folder of that name."""
        return tuple(s for s in self._sources if PurePath(s).parts[-2:] == (folder, name))

    def _document(self, doc: str) -> Document:
        found = self._by_name.get(doc, [])
        if not found:
            raise Absent(f"there is no document {doc}")
        if len(found) > 1:
            names = " and ".join(f"{document.source}/{document.path}" for document in found)
            raise Unfit(f"{doc} names more than one document: {names}")
        return found[0]


def _rows(text: str) -> list[str]:
    """Return the lines with their ends. Line feeds alone end one, in the original file or here."""
    rows = [f"{row}\n" for row in text.split("\n")]
    rows[-1] = rows[-1][:-1]
    return rows if rows[-1] else rows[:-1]


def _spans(quote: str, text: str) -> list[Span]:
    """Return each stretch that equals the quote but for its white space, overlapping ones too."""
    pattern = r"\s+".join(re.escape(word) for word in quote.split())
    return [Span(*match.span(1)) for match in re.finditer(f"(?=({pattern}))", text)]
