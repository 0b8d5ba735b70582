"""A document cut into sections, and these into passages. Pure."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from core.models import CutDocument, Document, Passage, Section, Span
from corpus.exact_names import exact_names
from corpus.host_anchors import host_anchors
from corpus.identity import passage_id, section_id
from corpus.kinds import stem
from corpus.markdown import Heading, parse
from corpus.passages import Cutter, Slice
from corpus.payloads import Payloads

SPLITTER_VERSION = "section-2"
PASSAGE_CHARS = 900

_TITLE_TEMPLATE = re.compile(r"(?:<%=|\{\{)[^%}]*\btitle\b[^%}]*(?:%>|\}\})", re.IGNORECASE)


def cut(
    document: Document,
    *,
    fits: Callable[[str], bool],
    passage_chars: int = PASSAGE_CHARS,
    breadcrumb: bool = True,
) -> CutDocument:
    """Return a document's sections, which partition its text, and their passages.

    `fits` says whether the embedding model's window takes a text, all special tokens included;
    `passage_chars` bounds what is embedded beside it. A section without text below its heading has
    no passage. Without `breadcrumb` a passage is embedded as it stands, the heading in its place.
    """
    outline = parse(document.text)
    cutter = Cutter(document.text, outline.blocks, Payloads(document.text), fits, passage_chars)
    sections: list[Section] = []
    passages: list[Passage] = []
    for part in parts_of(document, outline.headings):
        section = section_of(document, part)
        sections.append(section)
        passages += passages_of(section, part, cutter, breadcrumb=breadcrumb)
    return CutDocument(document, tuple(sections), tuple(passages))


def passages_of(
    section: Section, part: "Part", cutter: Cutter, *, breadcrumb: bool
) -> list[Passage]:
    """Return the passages of a section that stands at this place; none if it is all heading.

    Those of the text come first, then those of the questions that it is said to answer.
    """
    body = Span(part.body, part.span.end)
    if not breadcrumb and cutter.says_something(body):
        body = part.span
    crumb = section.breadcrumb if breadcrumb else ""
    slices = cutter.slices(body, crumb)
    if slices:
        slices += [Slice(slices[0].span, cutter.question(one, crumb)) for one in section.asked]
    return [
        Passage(
            id=passage_id(section.id, ordinal),
            section_id=section.id,
            document_id=section.document_id,
            ordinal=ordinal,
            span=found.span,
            embedded=found.embedded,
        )
        for ordinal, found in enumerate(slices)
    ]


@dataclass(frozen=True, slots=True)
class Part:
    """Where a section stands: `body` is where the text below its heading starts."""

    span: Span
    body: int
    headings: tuple[str, ...]
    nth: int
    anchor: str
    lines: tuple[int, int]
    names: tuple[str, ...]


def parts_of(document: Document, headings: Sequence[Heading]) -> Iterator[Part]:
    """Yield the sections' places, in order: from each heading to the next of any level."""
    spans = _partition(document.text, headings)
    opened: Sequence[Heading | None] = [*([None] * (len(spans) - len(headings))), *headings]
    paths = _paths(headings, document.metadata.title)
    slugs = host_anchors(headings, document.host, document.path)
    known = dict(zip(headings, zip(paths, slugs, strict=True), strict=True))
    names = _document_names(document)
    seen: Counter[tuple[str, ...]] = Counter()
    line = document.first_line
    for heading, span in zip(opened, spans, strict=True):
        path, anchor = known[heading] if heading else ((), "")
        inside = document.text.count("\n", span.start, max(span.start, span.end - 1))
        yield Part(
            span=span,
            body=heading.span.end if heading else span.start,
            headings=path,
            nth=seen[path],
            anchor=anchor,
            lines=(line, line + inside),
            names=tuple(dict.fromkeys((*names, *chain.from_iterable(map(exact_names, path))))),
        )
        seen[path] += 1
        line += document.text.count("\n", span.start, span.end)


def _partition(text: str, headings: Sequence[Heading]) -> list[Span]:
    """Return the sections' spans; blank lines before the first heading belong to its section."""
    starts = [heading.span.start for heading in headings]
    if starts and not text[: starts[0]].strip():
        starts[0] = 0
    elif not starts or starts[0] > 0:
        starts.insert(0, 0)
    ends = [*starts[1:], len(text)]
    return [Span(start, end) for start, end in zip(starts, ends, strict=True)]


def _paths(headings: Sequence[Heading], title: str) -> list[tuple[str, ...]]:
    """Return each heading's path from the root, its own last.

    A heading belongs to the nearest one above it of a smaller level, whatever the levels are. One
    without a text adds nothing to the path, and one that a template fills with the title is it.
    """
    stack: list[tuple[int, str]] = []
    paths: list[tuple[str, ...]] = []
    for heading in headings:
        while stack and stack[-1][0] >= heading.level:
            stack.pop()
        label = title if _TITLE_TEMPLATE.fullmatch(heading.label) else heading.label
        stack.append((heading.level, label))
        paths.append(tuple(label for _, label in stack if label))
    return paths


def section_of(document: Document, part: Part) -> Section:
    """Return the section that stands at a place of a document."""
    whose = (document.tenant, document.source, document.path)
    return Section(
        id=section_id(*whose, part.headings, part.nth),
        document_id=document.id,
        document_hash=document.hash,
        tenant=document.tenant,
        source=document.source,
        path=document.path,
        metadata=document.metadata,
        headings=part.headings,
        anchor=part.anchor,
        span=part.span,
        line_start=part.lines[0],
        line_end=part.lines[1],
        text=document.text[part.span.start : part.span.end],
        names=part.names,
        asked=_asked(document, part.span),
    )


def _asked(document: Document, span: Span) -> tuple[str, ...]:
    """Return the questions that stood in a stretch of the text; one at its very end is in it."""
    end = span.end + (span.end == len(document.text))
    inside = (one.questions for one in document.asked if span.start <= one.at < end)
    return tuple(dict.fromkeys(chain.from_iterable(inside)))


def _document_names(document: Document) -> tuple[str, ...]:
    """Return the exact names that find any section: alerts, and what file and title name."""
    own = (*exact_names(stem(document.path)), *exact_names(document.metadata.title))
    return (*(alert.lower() for alert in document.metadata.alerts), *own)
