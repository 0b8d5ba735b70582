"""Which splitter the settings name: the sections of `corpus.splitter`, or other people's habits.

A piece of another splitter is a `Section` like any other: a stretch of the cleaned text that is
ranked, shown and linked by the heading that it begins under. Where the model's window does not take
it whole it gets several passages, so that no text is beyond the window here either.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from core.models import CutDocument, Document, Passage, Section, Span
from core.settings_groups import SplitterSettings
from corpus.markdown import parse
from corpus.passages import Cutter
from corpus.payloads import Payloads
from corpus.splitter import SPLITTER_VERSION, Part, cut, parts_of, passages_of, section_of
from corpus.windows import cut_sections, fixed, merged_sections, paragraphs, recursive


def split(
    document: Document, splitter: SplitterSettings, fits: Callable[[str], bool]
) -> CutDocument:
    """Return a document cut as the settings say.

    `fits` says whether the embedding model's window takes a text, all special tokens included.
    """
    if splitter.kind == "section" and not splitter.piece_chars:
        return cut(
            document,
            fits=fits,
            passage_chars=splitter.passage_chars,
            breadcrumb=splitter.breadcrumb,
        )
    outline = parse(document.text)
    parts = list(parts_of(document, outline.headings))
    longest = splitter.passage_chars if splitter.kind == "document" else len(document.text)
    most = max(longest, splitter.passage_chars)
    cutter = Cutter(document.text, outline.blocks, Payloads(document.text), fits, most)
    sections: list[Section] = []
    passages: list[Passage] = []
    for part in _pieces(document, parts, _spans(document.text, parts, splitter)):
        section = section_of(document, part)
        sections.append(section)
        passages += passages_of(section, part, cutter, breadcrumb=splitter.breadcrumb)
    return CutDocument(document, tuple(sections), tuple(passages))


def splitter_fingerprint(splitter: SplitterSettings) -> str:
    """Return what an index depends on of these settings."""
    sizes = f" {splitter.piece_chars}/{splitter.overlap}" if splitter.piece_chars else ""
    bare = "" if splitter.breadcrumb else " bare"
    return f"{SPLITTER_VERSION} {splitter.kind} {splitter.passage_chars}{sizes}{bare}"


def _spans(text: str, parts: Sequence[Part], splitter: SplitterSettings) -> list[Span]:
    """Return where the pieces stand."""
    sections = [part.span for part in parts]
    size, overlap = splitter.piece_chars, splitter.overlap
    match splitter.kind:
        case "fixed":
            return fixed(text, size, overlap)
        case "recursive":
            return recursive(text, size, overlap)
        case "paragraph":
            return paragraphs(text, size, overlap)
        case "section":
            return cut_sections(text, sections, size, overlap)
        case "header-merge":
            return merged_sections(text, sections, size, overlap)
        case "document":
            return [Span(0, len(text))]


def _pieces(document: Document, parts: Sequence[Part], spans: Sequence[Span]) -> Iterator[Part]:
    """Yield pieces with the headings that they begin under and the names that they hold."""
    starts = [part.span.start for part in parts]
    breaks = [at for at, letter in enumerate(document.text) if letter == "\n"]
    seen: Counter[tuple[str, ...]] = Counter()
    for span in spans:
        written = document.text[span.start : span.end]
        begin = span.start + len(written) - len(written.lstrip())
        opened = parts[max(0, bisect_right(starts, begin) - 1)]
        inside = parts[max(0, bisect_right(starts, span.start) - 1) : bisect_left(starts, span.end)]
        first = document.first_line + bisect_left(breaks, span.start)
        last = document.first_line + bisect_left(breaks, max(span.start, span.end - 1))
        yield replace(
            opened,
            span=span,
            body=opened.body if _holds_heading(span, opened) else span.start,
            nth=seen[opened.headings],
            lines=(first, last),
            names=tuple(dict.fromkeys(name for part in inside for name in part.names)),
        )
        seen[opened.headings] += 1


def _holds_heading(span: Span, part: Part) -> bool:
    """Return whether a piece begins with a section's heading, in which its breadcrumb ends."""
    return span.start <= part.span.start and part.body <= span.end
