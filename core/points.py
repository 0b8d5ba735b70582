"""What an index holds and is asked, in the core's terms: points, filters, raw hits. Pure.

Two kinds of point. A *passage* carries a dense vector and a keyword vector named `passage`; a
*section* carries a keyword vector named `section` and the text that is shown. Keyword vectors hold
only the term-frequency half of BM25; the other half, the idf, comes from the build's own
`Frequencies` and is put into the query's weights, so that it is the same for every home.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from core.models import CutDocument, Metadata, Passage, Section, Span, Vector

FINGERPRINT_SEPARATOR = " | "
"""Between the parts of an index's fingerprint, of which the embedder's own is the first."""
_EXPORTED, _REFERENCE = ":onnx:fp32:", ":torch:fp32:"


def comparable(print_: str) -> str:
    """Return a fingerprint as it is compared and looked up: with the reference backend.

    An exported model is used only where its vectors are torch's to 1e-5. So an index, a calibration
    and the cached vectors of the one are good for the other, and neither undoes the other's work.
    """
    return print_.replace(_EXPORTED, _REFERENCE, 1)


def alike(one: str, other: str) -> bool:
    """Return whether what has the one fingerprint can be used with what has the other."""
    return comparable(one) == comparable(other)


@dataclass(frozen=True, slots=True)
class SparseVector:
    """Token numbers (32 bits, ascending, distinct) and their weights, as long as each other."""

    indices: tuple[int, ...] = ()
    values: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Point:
    """One row of the index. A passage has `dense` and `passage`, a section has `section`."""

    id: str
    payload: Mapping[str, Any]
    dense: Vector | None = None
    passage: SparseVector | None = None
    section: SparseVector | None = None


@dataclass(frozen=True, slots=True)
class Filter:
    """Which points a search may see. The tenant is not optional; an empty rest does not narrow.

    `visibility` is any-of against the document's labels: an empty tuple sees nothing, None sees
    all (for book-keeping, never for a person's search).
    """

    tenant: str
    visibility: tuple[str, ...] | None
    service: tuple[str, ...] = ()
    type: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    section_ids: tuple[str, ...] = ()
    document_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """Up to three lists of one search, each with at most `limit` hits. A None list is not asked."""

    where: Filter
    limit: int
    dense: Vector | None = None
    passage: SparseVector | None = None
    section: SparseVector | None = None


class RawHit(NamedTuple):
    """One point of one list: cosine similarity or BM25 sum. `span` is a passage's, else None."""

    section_id: str
    document_id: str
    score: float
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class RawHits:
    """The lists of one search, each by falling score, ties by id; keyword hits above 0 only."""

    dense: tuple[RawHit, ...] = ()
    passage: tuple[RawHit, ...] = ()
    section: tuple[RawHit, ...] = ()


@dataclass(frozen=True, slots=True)
class Frequencies:
    """The document frequencies of one build: how many passages and sections hold each token."""

    passages: int = 0
    sections: int = 0
    by_token: Mapping[int, tuple[int, int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class IndexedDocument:
    """What the index knows of a document from its own points."""

    id: str
    tenant: str
    source: str
    path: str
    hash: str
    metadata: Metadata
    headings: tuple[str, ...]
    points: int


@dataclass(frozen=True, slots=True)
class BuildInfo:
    """One state of the index. `sources` maps a source's name to its commit (empty without one).

    `uncommitted` has, for a folder in a checkout, the paths of pages that its commit lacks or has
    otherwise; a folder that is not in it is one of which that is not known.
    """

    id: str
    fingerprint: str
    created_at: datetime
    sources: Mapping[str, str]
    documents: int
    sections: int
    passages: int
    dimension: int
    uncommitted: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def model(self) -> str:
        """Return the embedder's part of the fingerprint: whose vectors are in there."""
        return self.fingerprint.partition(FINGERPRINT_SEPARATOR)[0]


def section_point(section: Section, keywords: SparseVector, passages: int) -> Point:
    """Return a section's point; `passages` is how many passages the section has."""
    payload = _common(section) | {
        "kind": "section",
        "path": section.path,
        "source": section.source,
        "title": section.metadata.title,
        "owner": section.metadata.owner,
        "last_reviewed": section.metadata.last_reviewed,
        "alerts": list(section.metadata.alerts),
        "headings": list(section.headings),
        "anchor": section.anchor,
        "start": section.span.start,
        "end": section.span.end,
        "line_start": section.line_start,
        "line_end": section.line_end,
        "names": list(section.names),
        "passages": passages,
        "text": section.text,
    }
    return Point(section.id, payload, section=keywords)


def passage_point(
    section: Section, passage: Passage, dense: Vector | None, keywords: SparseVector
) -> Point:
    """Return a passage's point. Without a vector it is found by keywords alone."""
    payload = _common(section) | {
        "kind": "passage",
        "ordinal": passage.ordinal,
        "start": passage.span.start,
        "end": passage.span.end,
        "names": list(section.names),
    }
    return Point(passage.id, payload, dense=dense, passage=keywords)


def _common(section: Section) -> dict[str, Any]:
    return {
        "tenant": section.tenant,
        "visibility": list(section.metadata.visibility),
        "service": section.metadata.service,
        "type": section.metadata.type,
        "document_id": section.document_id,
        "document_hash": section.document_hash,
        "section_id": section.id,
    }


def section_from(payload: Mapping[str, Any]) -> Section:
    """Read a section back from its point's payload."""
    return Section(
        id=payload["section_id"],
        document_id=payload["document_id"],
        document_hash=payload["document_hash"],
        tenant=payload["tenant"],
        source=payload["source"],
        path=payload["path"],
        metadata=metadata_from(payload),
        headings=tuple(payload["headings"]),
        anchor=payload["anchor"],
        span=Span(payload["start"], payload["end"]),
        line_start=payload["line_start"],
        line_end=payload["line_end"],
        text=payload["text"],
        names=tuple(payload["names"]),
    )


def metadata_from(payload: Mapping[str, Any]) -> Metadata:
    """Read the document's metadata from the payload of one of its sections."""
    return Metadata(
        title=payload["title"],
        service=payload["service"],
        type=payload["type"],
        owner=payload["owner"],
        last_reviewed=payload["last_reviewed"],
        alerts=tuple(payload["alerts"]),
        visibility=tuple(payload["visibility"]),
    )


def searchable(cut: CutDocument) -> tuple[Section, ...]:
    """Return the sections that become points: those with passages, or else the first.

    A heading straight under a heading holds nothing to show; it lives in its children's
    breadcrumbs. A document of nothing but headings keeps one point, for the book-keeping.
    """
    with_text = {passage.section_id for passage in cut.passages}
    kept = tuple(section for section in cut.sections if section.id in with_text)
    return kept or cut.sections[:1]
