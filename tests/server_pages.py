"""Pages of one section and one passage on a server, as the indexer would put them there."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

from core.engines.server_index import ServerIndex
from core.models import Metadata, Passage, Section, Span
from core.points import (
    BuildInfo,
    Filter,
    Point,
    SearchRequest,
    SparseVector,
    passage_point,
    section_point,
)
from core.ports import Build, VectorIndex
from core.settings_groups import QdrantSettings
from tests.qdrant_standin import QdrantStandin

WORDS = SparseVector((7,), (1.0,))
SEEN = Filter("acme", ("everyone",))
ASKED = SearchRequest(SEEN, 9, dense=[1.0, 0.0], passage=WORDS, section=WORDS)


def at(server: QdrantStandin, **values: object) -> QdrantSettings:
    told = {"url": server.url, "api_key": server.key, "timeout": 60, **values}
    return QdrantSettings.model_validate(told)


@asynccontextmanager
async def opened(root: Path, settings: QdrantSettings) -> AsyncIterator[ServerIndex]:
    index = await ServerIndex.open(root, 2, settings)
    try:
        yield index
    finally:
        await index.aclose()


def page(number: int, text: str) -> list[Point]:
    """Return the points of a page with one section, which has one passage."""
    document = f"00000000-0000-0000-0000-0000000000{number:02}"
    section = Section(
        id=f"000000{number:02}-0001-0000-0000-000000000000",
        document_id=document,
        document_hash=f"hash of {text}",
        tenant="acme",
        source="runbooks",
        path=f"{number}.md",
        metadata=Metadata(title=f"Page {number}", visibility=("everyone",)),
        headings=("Top",),
        anchor="top",
        span=Span(0, len(text)),
        line_start=1,
        line_end=2,
        text=text,
        names=(),
    )
    passage = Passage(
        f"000000{number:02}-0002-0000-0000-000000000000", section.id, document, 0, section.span, ""
    )
    return [
        section_point(section, WORDS, 1),
        passage_point(section, passage, [1.0, 0.0], WORDS),
    ]


def document_of(number: int) -> str:
    return str(page(number, "")[0].payload["document_id"])


async def begun(index: VectorIndex, points: Sequence[Point], *, from_live: bool = True) -> Build:
    """Fill and seal a build that replaces the pages of these points."""
    build = await index.begin(from_live=from_live)
    await build.delete_documents([str(point.payload["document_id"]) for point in points])
    await build.upsert(points)
    counts = build.frequencies
    await build.seal(
        BuildInfo(
            build.id,
            "print",
            datetime(2030, 1, 1, tzinfo=UTC),
            {"runbooks": ""},
            documents=counts.sections,
            sections=counts.sections,
            passages=counts.passages,
            dimension=2,
        )
    )
    return build


async def put(index: VectorIndex, points: Sequence[Point], *, from_live: bool = True) -> Build:
    build = await begun(index, points, from_live=from_live)
    await build.activate()
    return build


async def texts(index: VectorIndex) -> list[str]:
    """Return the texts of all sections that a search finds."""
    [hits] = await index.search([ASKED])
    found = await index.sections([hit.section_id for hit in hits.section])
    return sorted(section.text for section in found.values())
