"""An index in memory that ranks by exact search: the reference of the index's contract."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from core.errors import IndexMisconfigured, IndexUnavailable
from core.models import Section, Span, Vector
from core.points import (
    BuildInfo,
    Filter,
    Frequencies,
    IndexedDocument,
    Point,
    RawHit,
    RawHits,
    SearchRequest,
    SparseVector,
    metadata_from,
    section_from,
)


class FakeReader:
    """The reading half of an index over points in a dictionary, searched exactly."""

    def __init__(self, points: dict[str, Point] | None = None) -> None:
        self.points = points if points is not None else {}
        self.info: BuildInfo | None = None

    @property
    def frequencies(self) -> Frequencies:
        passages = [point.passage for point in self.points.values() if point.passage]
        sections = [point.section for point in self.points.values() if point.section]
        by_passage = Counter(token for words in passages for token in words.indices)
        by_section = Counter(token for words in sections for token in words.indices)
        tokens = by_passage.keys() | by_section.keys()
        return Frequencies(
            len(passages), len(sections), {t: (by_passage[t], by_section[t]) for t in tokens}
        )

    async def search(self, requests: Sequence[SearchRequest]) -> list[RawHits]:
        return [self._search(request) for request in requests]

    def _search(self, request: SearchRequest) -> RawHits:
        seen = [point for point in self.points.values() if visible(point, request.where)]
        found: dict[str, tuple[RawHit, ...]] = {}
        if request.dense is not None:
            near = [(cosine(request.dense, p.dense), p) for p in seen if p.dense is not None]
            found["dense"] = best(near, request.limit)
        if request.passage is not None:
            said = [(overlap(request.passage, p.passage), p) for p in seen if p.passage]
            found["passage"] = best([one for one in said if one[0] > 0], request.limit)
        if request.section is not None:
            told = [(overlap(request.section, p.section), p) for p in seen if p.section]
            found["section"] = best([one for one in told if one[0] > 0], request.limit)
        return RawHits(**found)

    async def sections(self, ids: Sequence[str]) -> dict[str, Section]:
        there = [self.points[id_] for id_ in ids if id_ in self.points]
        return {p.id: section_from(p.payload) for p in there if p.payload["kind"] == "section"}

    async def lengths(self, ids: Sequence[str]) -> dict[str, int]:
        return {id_: len(section.span) for id_, section in (await self.sections(ids)).items()}

    async def page_tokens(self, document_id: str) -> frozenset[int]:
        mine = [p for p in self.points.values() if p.payload["document_id"] == document_id]
        return frozenset(token for p in mine if p.section for token in p.section.indices)

    async def documents(self, where: Filter | None = None) -> dict[str, IndexedDocument]:
        seen = [p for p in self.points.values() if where is None or visible(p, where)]
        ids = sorted({p.payload["document_id"] for p in seen if p.payload["kind"] == "section"})
        return {id_: document([p for p in seen if p.payload["document_id"] == id_]) for id_ in ids}

    async def page(self, document_id: str) -> list[Section]:
        mine = [p for p in self.points.values() if p.payload["document_id"] == document_id]
        sections = [section_from(p.payload) for p in mine if p.payload["kind"] == "section"]
        return sorted(sections, key=lambda section: (section.span.start, section.id))

    async def count(self) -> int:
        return len(self.points)


class FakeIndex(FakeReader):
    """An index in memory that ranks by exact search: the reference of the contract."""

    def __init__(self, dimension: int) -> None:
        super().__init__()
        self.dimension = dimension
        self.begun = 0
        self.closed = False

    async def begin(self, *, from_live: bool) -> "FakeBuild":
        self.begun += 1
        return FakeBuild(self, dict(self.points) if from_live else {}, f"build-{self.begun}")

    async def record(
        self, sources: Mapping[str, str], uncommitted: Mapping[str, tuple[str, ...]]
    ) -> None:
        if self.info is None:
            raise IndexUnavailable("Nothing is indexed yet: run nightlamp index.")
        self.info = replace(self.info, sources=dict(sources), uncommitted=dict(uncommitted))

    async def health(self) -> str:
        return "" if self.info else "Nothing is indexed yet: run nightlamp index."

    async def aclose(self) -> None:
        self.closed = True


class FakeBuild(FakeReader):
    """A build in memory. Nobody sees it before `activate`."""

    def __init__(self, home: FakeIndex, points: dict[str, Point], name: str) -> None:
        super().__init__(points)
        self.id = name
        self._home = home
        self._open = True

    async def upsert(self, points: Sequence[Point]) -> None:
        self._check_open()
        for point in points:
            if point.dense is not None:
                if len(point.dense) != self._home.dimension:
                    raise IndexMisconfigured("A vector has the wrong length.")
                if not all(map(math.isfinite, point.dense)):
                    raise IndexMisconfigured("A vector is not finite.")
        self.points.update({point.id: point for point in points})

    async def delete_documents(self, document_ids: Sequence[str]) -> None:
        self._check_open()
        gone = [p.id for p in self.points.values() if p.payload["document_id"] in document_ids]
        for id_ in gone:
            del self.points[id_]

    async def seal(self, info: BuildInfo) -> None:
        self._check_open()
        self.info = info

    async def activate(self) -> None:
        self._check_open()
        if self.info is None:
            raise IndexMisconfigured("A build is sealed before it is activated.")
        self._home.points, self._home.info = self.points, self.info
        self._open = False

    async def drop(self) -> None:
        self._open = False

    def _check_open(self) -> None:
        if not self._open:
            raise IndexUnavailable("The build was activated or dropped already.")


def visible(point: Point, where: Filter) -> bool:
    """Return whether a filter lets a point be seen."""
    payload = point.payload
    allowed = [
        payload["tenant"] == where.tenant,
        where.visibility is None or not set(where.visibility).isdisjoint(payload["visibility"]),
        not where.service or payload["service"] in where.service,
        not where.type or payload["type"] in where.type,
        not where.names or not set(where.names).isdisjoint(payload["names"]),
        not where.section_ids or payload["section_id"] in where.section_ids,
        not where.document_ids or payload["document_id"] in where.document_ids,
    ]
    return all(allowed)


def cosine(a: Vector, b: Vector) -> float:
    """Return the cosine of two vectors; 0 where one has no length."""
    if len(a) != len(b):
        raise IndexMisconfigured("A vector has the wrong length.")
    lengths = math.hypot(*a) * math.hypot(*b)
    dot = sum(x * y for x, y in zip(a, b, strict=True))
    return dot / lengths if lengths else 0.0


def overlap(a: SparseVector, b: SparseVector) -> float:
    """Return the dot product of two keyword vectors."""
    weights = dict(zip(b.indices, b.values, strict=True))
    return sum(v * weights.get(i, 0.0) for i, v in zip(a.indices, a.values, strict=True))


def best(scored: Sequence[tuple[float, Point]], limit: int) -> tuple[RawHit, ...]:
    """Return the best hits, ties by the point's id."""
    ordered = sorted(scored, key=lambda one: (-one[0], one[1].id))[:limit]
    return tuple(hit(score, point.payload) for score, point in ordered)


def hit(score: float, payload: Mapping[str, Any]) -> RawHit:
    """Return a point's raw hit; a section's has no span."""
    span = Span(payload["start"], payload["end"]) if payload["kind"] == "passage" else None
    return RawHit(str(payload["section_id"]), str(payload["document_id"]), score, span)


def document(points: Sequence[Point]) -> IndexedDocument:
    """Return what a document's points tell of it."""
    told = [p.payload for p in points if p.payload["kind"] == "section"]
    sections = sorted(told, key=lambda payload: payload["start"])
    first = sections[0]
    return IndexedDocument(
        id=first["document_id"],
        tenant=first["tenant"],
        source=first["source"],
        path=first["path"],
        hash=first["document_hash"],
        metadata=metadata_from(first),
        headings=tuple(p["headings"][-1] for p in sections if p["headings"]),
        points=len(points),
    )
