"""What leaves the gaps as files: the draft of a page, and votes as evaluation questions."""

import asyncio
from collections.abc import Callable, Iterable
from datetime import timedelta
from pathlib import Path

import corpus
from bots.app import App
from core.errors import NotFound
from core.models import Scope, Section
from corpus.starter import STARTER
from feedback.drafts import draft, draft_name
from feedback.golden import golden, golden_lines
from feedback.models import Evidence, SectionRef
from feedback.places import section_named

TEMPLATE = Path(corpus.__file__).parent / "TEMPLATE.md"
_GUIDE = " How to write them: [README.md](README.md)."
"""What the template says of its neighbour, which is there among the shipped pages alone."""


async def draft_page(
    app: App, gap_id: str, tenant: str, visibility: tuple[str, ...]
) -> tuple[str, str]:
    """Return file name and Markdown of the page that a gap lacks, for who sees these labels.

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
    return draft_name(known.gap), text


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
    sections |= await _corrected(app, evidence, tenant, visibility)
    documents = {section.document_id for section in sections.values()}
    pages = {one: await app.library.index.page(one) for one in sorted(documents)}
    found = await asyncio.to_thread(
        golden, evidence, records, sections, pages, visibility=visibility
    )
    return golden_lines(found)


async def _corrected(
    app: App, evidence: Evidence, tenant: str, visibility: tuple[str, ...]
) -> dict[str, Section]:
    """Return the sections that people named as the right ones, by what they wrote."""
    found = {}
    for named in dict.fromkeys(one.right_section for one in evidence.reasons):
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
