"""Points, sections and builds that the index's contract is told with."""

from datetime import UTC, datetime
from uuid import UUID

from core.models import Metadata, Passage, Section, Span
from core.points import (
    BuildInfo,
    Filter,
    Point,
    RawHit,
    SparseVector,
    passage_point,
    section_point,
)
from core.ports import Build, VectorIndex

DIMENSION = 4
EAST, NORTH, UP, WEST = (
    [1.0, 0.0, 0.0, 0.0],
    [0.0, 1.0, 0.0, 0.0],
    [0.0, 0.0, 1.0, 0.0],
    [-1.0, 0.0, 0.0, 0.0],
)
ALL = Filter("acme", None)


def uuid(number: int) -> str:
    return str(UUID(int=number << 64))


def section(number: int, *, page: int = 1, tenant: str = "acme", **metadata: object) -> Section:
    """Return the `number`-th section of a page; ids sort by number."""
    start = 100 * number
    values = {"service": "payments", "type": "runbook", **metadata}
    names = values.pop("names", ())
    return Section(
        id=uuid(1000 + number),
        document_id=uuid(page),
        document_hash=f"hash-{page}",
        tenant=tenant,
        source="runbooks",
        path=f"page-{page}.md",
        metadata=Metadata(title=f"Page {page}", **values),  # type: ignore[arg-type]
        headings=("Top", f"Part {number}"),
        anchor=f"part-{number}",
        span=Span(start, start + 50),
        line_start=number,
        line_end=number + 3,
        text=f"## Part {number}\n\nüñî `kubectl`\t\x00",
        names=names,  # type: ignore[arg-type]
    )


def passage_of(section: Section, vector: list[float] | None, words: SparseVector) -> Point:
    number = UUID(section.id).int >> 64
    passage = Passage(
        uuid(number + 5000), section.id, section.document_id, 0, section.span, "embedded"
    )
    return passage_point(section, passage, vector, words)


def both(section: Section, vector: list[float] | None, words: SparseVector) -> list[Point]:
    return [section_point(section, words, 1), passage_of(section, vector, words)]


def info(build: Build, **counts: int) -> BuildInfo:
    figures = {"documents": 1, "sections": 1, "passages": 1, **counts}
    when = datetime(2030, 1, 1, tzinfo=UTC)
    return BuildInfo(build.id, "print", when, {"runbooks": ""}, dimension=DIMENSION, **figures)


async def fill(index: VectorIndex, points: list[Point]) -> None:
    build = await index.begin(from_live=True)
    await build.upsert(points)
    await build.seal(info(build))
    await build.activate()


def words(*tokens: int) -> SparseVector:
    return SparseVector(tokens, tuple(1.0 for _ in tokens))


def hit(number: int, score: float, *, page: int = 1, passage: bool = True) -> RawHit:
    span = Span(100 * number, 100 * number + 50) if passage else None
    return RawHit(uuid(1000 + number), uuid(page), score, span)
