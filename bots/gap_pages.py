"""What leaves the gaps as files: the draft of a page, and votes as evaluation questions."""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import corpus
from bots.app import App
from core.errors import NotFound
from core.models import Scope, Section
from corpus.starter import STARTER
from feedback.closing import reference
from feedback.drafts import draft, draft_name, line_to_add
from feedback.gap_reports import GapStory
from feedback.golden import golden, golden_lines
from feedback.models import SectionRef
from feedback.places import section_named
from feedback.right_sections import most_meant

TEMPLATE = Path(corpus.__file__).parent / "TEMPLATE.md"
_GUIDE = " How to write them: [README.md](README.md)."
"""What the template says of its neighbour, which is there among the shipped pages alone."""


@dataclass(frozen=True, slots=True)
class DraftedPage:
    """A file's name and its Markdown; `found` where that begins with a line for a page there is."""

    name: str
    text: str
    found: bool = False


async def draft_page(
    app: App, gap_id: str, tenant: str, visibility: tuple[str, ...]
) -> DraftedPage:
    """Return the page that a gap lacks, for who sees these labels.

    It begins with the line to add to the section that answers already, where people named one that
    is there and seen.

    Raises:
        NotFound: the tenant has no such gap, or nothing is left of what was asked.
        IndexUnavailable: the index cannot be reached.
    """
    known = await app.gaps.story(gap_id, tenant, visibility)
    shown = {
        hit.section_ids[0]
        for exchange in known.exchanges
        for hit in (exchange.recorded.results if exchange.recorded else ())
        if hit.section_ids
    }
    near = {known.gap.nearest.section_id} if known.gap.nearest else set()
    sections = await app.library.index.sections(sorted(shown | near))
    template = await asyncio.to_thread(TEMPLATE.read_text, encoding="utf-8")
    if all(source.settings.name != STARTER for source in app.library.sources):
        template = template.replace(_GUIDE, "")
    text = draft(
        known.gap,
        known.exchanges,
        known.notes,
        template,
        visibility=visibility,
        link=_linker(app, sections.values(), tenant, visibility),
    )
    line = await _line_to_add(app, known, tenant, visibility)
    return DraftedPage(draft_name(known.gap), line + text, found=bool(line))


async def golden_export(app: App, tenant: str, visibility: tuple[str, ...]) -> str:
    """Return what people agreed on as evaluation questions, one JSON object a line.

    It reaches back as far as the journal keeps what was asked.

    Raises:
        IndexUnavailable: the index cannot be reached.
    """
    now = app.clock.now()
    kept = timedelta(days=app.settings.journal.retention_days)
    evidence = await app.journal.evidence(tenant, now - kept, now)
    records = await app.journal.gap_records(tenant)
    shown = {
        hit.section_ids[0]
        for exchange in evidence.exchanges
        for hit in (exchange.recorded.results[:1] if exchange.recorded else ())
        if hit.section_ids and exchange.id in evidence.votes
    }
    shown |= {record.section.section_id for record in records if record.section}
    sections = await app.library.index.sections(sorted(shown))
    corrected = (one.right_section for one in evidence.reasons)
    sections |= await _named(app, corrected, tenant, visibility)
    documents = {section.document_id for section in sections.values()}
    pages = {one: await app.library.index.page(one) for one in sorted(documents)}
    found = await asyncio.to_thread(
        golden, evidence, records, sections, pages, visibility=visibility
    )
    return golden_lines(found)


async def _line_to_add(app: App, known: GapStory, tenant: str, visibility: tuple[str, ...]) -> str:
    """Return what a draft begins with where the answer is there already, else an empty text."""
    names = (name for names in known.meant for name in names)
    section = most_meant(known.meant, await _named(app, names, tenant, visibility))
    if section is None:
        return ""
    return line_to_add(
        reference(section),
        known.exchanges,
        visibility=visibility,
        link=app.library.link(section),
    )


async def _named(
    app: App, names: Iterable[str], tenant: str, visibility: tuple[str, ...]
) -> dict[str, Section]:
    """Return the sections that people named as the right ones, by what they wrote."""
    found = {}
    for named in dict.fromkeys(names):
        if named:
            try:
                found[named] = await section_named(
                    app.library.index, tenant, Scope(visibility=visibility), named
                )
            except NotFound:
                continue  # it was no section, or is none any more
    return found


def _linker(
    app: App, sections: Iterable[Section], tenant: str, visibility: tuple[str, ...]
) -> Callable[[SectionRef], str | None]:
    """Return what links the sections that are there and seen; of others it knows nothing."""
    links = {
        section.id: app.library.link(section)
        for section in sections
        if section.tenant == tenant and set(section.metadata.visibility) & set(visibility)
    }
    return lambda section: links.get(section.section_id)
