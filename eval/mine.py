"""`mine`: questions with known answers out of a corpus that nobody has labelled.

What its authors wrote says what belongs to what: an alert's name to its page, the text of a link to
the section that it leads to, a description to its page, a summary to its postmortem. Such questions
are easier than people's and marked as mined: they are for comparing builds, not for boasting.
"""

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from core.errors import DocumentError
from core.keywords import tokens
from core.models import Document, Section, Span
from core.points import searchable
from core.redaction import redact
from corpus.frontmatter import read_frontmatter
from corpus.loader import load
from corpus.markdown import links, opening
from corpus.sources import Source
from corpus.splitter import cut
from eval.lines import Unfit
from eval.postmortems import first_sentences, summary
from eval.shelf import Shelf

_SHORTEST_QUOTE = 12
_WORDS, _LETTERS = 2, 3
_PATH_LIKE = re.compile(r"\.md\b|://|^\S*/\S*$")


@dataclass(frozen=True, slots=True)
class Page:
    """A document with its sections that hold text, and what its frontmatter says it is about."""

    document: Document
    sections: tuple[Section, ...]
    description: str = ""


@dataclass(frozen=True, slots=True)
class _Found:
    """A question that was mined, and a section that answers it."""

    kind: str
    question: str
    section: Section


def pages_of(sources: Iterable[Source]) -> list[Page]:
    """Read every page of the sources; a file that cannot be one is passed over. Blocks.

    Raises:
        SourceError: a source cannot be read.
    """
    pages = []
    for source in sources:
        for path in source.listing().files:
            try:
                data = source.read(path)
                document = load(data, path, source.settings).document
                pages.append(page_of(document, _description(data)))
            except DocumentError:
                continue
    return pages


def page_of(document: Document, description: str = "") -> Page:
    """Return a page with its sections, whatever a model's window is."""
    sections = searchable(cut(document, fits=lambda text: True))
    return Page(document, sections, description)


def mined(pages: Sequence[Page]) -> list[dict[str, Any]]:
    """Return the records that the pages give, in the shape of eval/dataset.py.

    One question a text and kind, its answers alternatives. What is quoted as evidence occurs once
    in its document; a question of which nothing can be quoted is left out.
    """
    shelf = Shelf(page.document for page in pages)
    grouped: dict[tuple[str, str], list[_Found]] = {}
    for found in _all(pages):
        grouped.setdefault((found.kind, found.question.casefold()), []).append(found)
    names = _names(pages)
    records: list[dict[str, Any]] = []
    numbers: Counter[str] = Counter()
    for (kind, _), answers in grouped.items():
        sections = {found.section.id: found.section for found in answers}
        quotes = [_quoted(section, shelf, names) for section in sections.values()]
        if relevant := [quote for quote in quotes if quote is not None]:
            numbers[kind] += 1
            records.append(
                {
                    "id": f"mined-{kind}-{numbers[kind]:03}",
                    "category": f"mined-{kind}",
                    "question": answers[0].question,
                    "relevant": relevant,
                }
            )
    return records


def _all(pages: Sequence[Page]) -> Iterator[_Found]:
    by_path = {(page.document.source, page.document.path): page for page in pages}
    for page in pages:
        yield from _alerts(page)
    for page in pages:
        yield from _links(page, by_path)
    for page in pages:
        if page.description:
            yield from _whole("description", page.description, page)
    for page in pages:
        if said := summary(page.document, page.sections):
            yield from _whole("summary", said, page)


def _alerts(page: Page) -> Iterator[_Found]:
    """Yield each alert with the sections that are headed by it, else with all of its page."""
    for alert in page.document.metadata.alerts:
        headed = [s for s in page.sections if alert.casefold() in s.heading.casefold()]
        for section in headed or page.sections:
            yield _Found("alert", alert, section)


def _links(page: Page, by_path: Mapping[tuple[str, str], Page]) -> Iterator[_Found]:
    document = page.document
    for link in links(document.text):
        question = link.text
        if sum(map(_is_word, tokens(question))) < _WORDS or _PATH_LIKE.search(question):
            continue
        place, _, anchor = link.target.partition("#")
        path = unquote(place.partition("?")[0])
        target = by_path.get((document.source, _resolved(document.path, path)))
        if target is None or (target is page and not anchor):
            continue
        for section in target.sections:
            if not anchor or section.anchor == unquote(anchor):
                yield _Found("link", question, section)


def _is_word(token: str) -> bool:
    return len(token) >= _LETTERS and token.isalpha()


def _whole(kind: str, question: str, page: Page) -> Iterator[_Found]:
    for section in page.sections:
        yield _Found(kind, question, section)


def _description(data: bytes) -> str:
    """Return the first sentences of what the frontmatter says the page is about, as they read."""
    text = data.decode("utf-8-sig", errors="replace").replace("\r\n", "\n").replace("\r", "\n")
    value = read_frontmatter(text).values.get("description")
    if not isinstance(value, str):
        return ""
    said = redact(value)[0]
    return first_sentences(" ".join(opening(said, Span(0, len(said)))) or said)


def _resolved(page: str, link: str) -> str:
    """Return the path that a link leads to, from the root of its source."""
    if not link:
        return page
    start = "" if link.startswith("/") else posixpath.dirname(page)
    return posixpath.normpath(posixpath.join(start, link.lstrip("/")))


def _names(pages: Sequence[Page]) -> Mapping[tuple[str, str], str]:
    """Return what each document is called: its path, with its source where two have that path."""
    shared = Counter(page.document.path for page in pages)
    return {
        (page.document.source, page.document.path): page.document.path
        if shared[page.document.path] == 1
        else f"{page.document.source}/{page.document.path}"
        for page in pages
    }


def _quoted(
    section: Section, shelf: Shelf, names: Mapping[tuple[str, str], str]
) -> dict[str, str] | None:
    """Return a line of the section that occurs once in its document, best one below its heading."""
    name = names[section.source, section.path]
    heading, _, body = section.text.strip().partition("\n")
    for line in [*body.split("\n"), heading]:
        quote = " ".join(line.split())
        if len(quote) < _SHORTEST_QUOTE:
            continue
        try:
            shelf.quoted(name, quote)
        except Unfit:
            continue
        return {"doc": name, "evidence": quote}
    return None
