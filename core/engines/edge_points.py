"""Between the core's words and Qdrant Edge's: points, filters, queries, hits. Pure."""

import math
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

import qdrant_edge as qdrant

from core.errors import IndexMisconfigured
from core.models import Span
from core.points import Filter, Point, RawHit, SearchRequest, SparseVector

_HIT_FIELDS = ["section_id", "document_id", "start", "end"]
_LARGEST_TOKEN = 2**32 - 1

Stored = tuple[Mapping[str, Any], Mapping[str, Sequence[int]]]
"""A point read back: its payload, and the token numbers of its keyword vectors by name."""


def query(request: SearchRequest, name: str, vector: Any, *, limit: int) -> qdrant.QueryRequest:
    """Return one list's query: exact, under the request's filter, with what a raw hit needs."""
    return qdrant.QueryRequest(
        limit=limit,
        query=qdrant.Query.Nearest(vector, using=name),
        filter=conditions(request.where),
        params=qdrant.SearchParams(exact=True),
        with_payload=_HIT_FIELDS,
    )


def hits(points: Sequence[qdrant.ScoredPoint], limit: int, name: str) -> tuple[RawHit, ...]:
    """Return at most `limit` hits by falling score, ties by id; keyword hits above 0 only."""
    ordered = sorted(points, key=lambda point: (-point.score, str(point.id)))
    kept = [point for point in ordered if name == "dense" or point.score > 0][:limit]
    return tuple(_hit(point, name) for point in kept)


def _hit(point: qdrant.ScoredPoint, name: str) -> RawHit:
    payload = point.payload or {}
    span = None if name == "section" else Span(payload["start"], payload["end"])
    return RawHit(payload["section_id"], payload["document_id"], point.score, span)


def conditions(where: Filter | None, *, kind: str = "", document_id: str = "") -> qdrant.Filter:
    """Return the engine's filter for ours, narrowed to a kind of point or to one document."""
    narrow = {"kind": kind, "document_id": document_id}
    must = [any_of(name, (value,)) for name, value in narrow.items() if value]
    if where is not None:
        must.append(any_of("tenant", (where.tenant,)))
        if where.visibility is not None:
            must.append(any_of("visibility", where.visibility))
        narrowing = {
            "service": where.service,
            "type": where.type,
            "names": where.names,
            "section_id": where.section_ids,
            "document_id": where.document_ids,
        }
        must.extend(any_of(name, values) for name, values in narrowing.items() if values)
    return qdrant.Filter(must=list(must))


def any_of(name: str, values: Sequence[str]) -> qdrant.FieldCondition:
    """Return the condition that a field holds one of these values; none of them holds never."""
    return qdrant.FieldCondition(key=name, match=qdrant.MatchAny(any=list(values)))


def engine_point(point: Point) -> qdrant.Point:
    """Return a point as the engine takes it."""
    vectors: dict[str, Any] = {}
    if point.dense is not None:
        vectors["dense"] = list(point.dense)
    for name, words in (("passage", point.passage), ("section", point.section)):
        if words is not None:
            vectors[name] = engine_words(words)
    return qdrant.Point(point.id, vectors, dict(point.payload))


def stored_from(record: qdrant.Record) -> Stored:
    """Read a point back, with the tokens of the keyword vectors that were asked for."""
    vectors = record.vector if isinstance(record.vector, dict) else {}
    words = {
        name: vector.indices
        for name, vector in vectors.items()
        if isinstance(vector, qdrant.SparseVector)
    }
    return record.payload or {}, words


def engine_words(words: SparseVector) -> qdrant.SparseVector:
    """Return a keyword vector as the engine takes it."""
    return qdrant.SparseVector(list(words.indices), list(words.values))


def check_sparse(words: SparseVector) -> None:
    """Check that a keyword vector is one.

    Raises:
        IndexMisconfigured: lengths differ, a weight is not finite, a number has over 32 bits.
    """
    sound = len(words.indices) == len(words.values) and all(map(math.isfinite, words.values))
    if not sound or any(not 0 <= token <= _LARGEST_TOKEN for token in words.indices):
        raise IndexMisconfigured("A keyword vector is not pairs of token numbers and weights.")


def is_uuid(text: str) -> bool:
    """Return whether a text is a UUID in its usual spelling."""
    try:
        return str(UUID(text)) == text
    except ValueError:
        return False
