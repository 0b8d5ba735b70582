"""Between the core's words and Qdrant Edge's: points, filters, queries, hits. Pure."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

import qdrant_edge as qdrant

from core.engines.edge_places import Place, number_of
from core.points import Filter, Point, RawHit, SearchRequest, SparseVector

Stored = tuple[Mapping[str, Any], Mapping[str, Sequence[int]]]
"""A point read back: its payload, and the token numbers of its keyword vectors by name."""

DENSE_EFFORT: Final = 1024
"""Vectors that an approximate search keeps in view (HNSW's ef): it finds 99.8 % of the nearest 80
of 90,000 in an eighth of the time."""


def query(
    request: SearchRequest,
    name: str,
    vector: Any,
    *,
    limit: int,
    exact: bool = True,
    effort: int | None = DENSE_EFFORT,
    given: Collection[str] = (),
) -> qdrant.QueryRequest:
    """Return one list's query under the request's filter: ids and scores alone.

    Conditions that are `given` hold for every point and are not asked for.
    """
    return qdrant.QueryRequest(
        limit=limit,
        query=qdrant.Query.Nearest(vector, using=name),
        filter=conditions(request.where, given=given),
        params=qdrant.SearchParams(exact=exact, hnsw_ef=None if exact else effort),
        with_payload=False,
    )


def hits(
    points: Sequence[qdrant.ScoredPoint], limit: int, name: str, places: Mapping[Any, Place]
) -> tuple[RawHit, ...]:
    """Return at most `limit` hits by falling score, ties by id; keyword hits above 0 only."""
    ordered = sorted([(-point.score, point.id) for point in points])
    if name != "dense":
        ordered = [one for one in ordered if one[0] < 0]
    told = [(places[number], -negative) for negative, number in ordered[:limit]]
    return tuple([RawHit(place[0], place[1], score, place[2]) for place, score in told])


def conditions(
    where: Filter | None,
    *,
    kind: str = "",
    document_id: str = "",
    given: Collection[str] = (),
) -> qdrant.Filter | None:
    """Return the engine's filter for ours, narrowed to a kind of point or to one document.

    Conditions that are `given` are left out; None is a filter that keeps every point.
    """
    narrow = {"kind": kind, "document_id": document_id}
    must = [any_of(name, (value,)) for name, value in narrow.items() if value]
    if where is not None:
        if "tenant" not in given:
            must.append(any_of("tenant", (where.tenant,)))
        if where.visibility is not None and "visibility" not in given:
            must.append(any_of("visibility", where.visibility))
        narrowing = {
            "service": where.service,
            "type": where.type,
            "names": where.names,
            "section_id": where.section_ids,
            "document_id": where.document_ids,
        }
        must.extend(any_of(name, values) for name, values in narrowing.items() if values)
    return qdrant.Filter(must=list(must)) if must else None


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
    return qdrant.Point(number_of(point.id), vectors, dict(point.payload))


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
