"""Between the core's words and Qdrant's: points, filters, queries, hits. Pure.

A point lies in its collection once for every generation that changed it. `since` is the generation
that wrote it, `until` the first that no longer has it (absent while all have it), `point_id` the id
that the core knows it by; its own id is made of that and `since`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID, uuid5

from qdrant_client import models

from core.models import Span
from core.points import Filter, Point, RawHit, SearchRequest, SparseVector

KEYWORDS: Final = (
    "visibility", "service", "type", "names", "section_id", "document_id", "kind", "point_id",
)  # fmt: skip
NUMBERS: Final = ("since", "until")
_HIT_FIELDS: Final = ("kind", "section_id", "document_id", "start", "end", "point_id")


@dataclass(frozen=True, slots=True)
class Stored:
    """A point read back: Qdrant's id, its payload, its keyword vectors' tokens by name."""

    id: str
    payload: Mapping[str, Any]
    words: Mapping[str, Sequence[int]]


def point_struct(point: Point, since: int) -> models.PointStruct:
    """Return a point as the server takes it, written by a generation."""
    vectors: dict[str, Any] = {}
    if point.dense is not None:
        vectors["dense"] = list(point.dense)
    for name, words in (("passage", point.passage), ("section", point.section)):
        if words is not None:
            vectors[name] = server_words(words)
    payload = {**point.payload, "point_id": point.id, "since": since}
    return models.PointStruct(id=id_at(point.id, since), vector=vectors, payload=payload)


def id_at(point_id: str, since: int) -> str:
    """Return the id by which the server knows a point as one generation wrote it."""
    return str(uuid5(UUID(point_id), str(since)))


def server_words(words: SparseVector) -> models.SparseVector:
    """Return a keyword vector as the server takes it."""
    return models.SparseVector(indices=list(words.indices), values=list(words.values))


def stored_from(record: models.Record) -> Stored:
    """Read a point back, with the tokens of the keyword vectors that were asked for."""
    vectors = record.vector if isinstance(record.vector, dict) else {}
    words = {
        name: vector.indices
        for name, vector in vectors.items()
        if isinstance(vector, models.SparseVector)
    }
    return Stored(str(record.id), record.payload or {}, words)


def query(
    request: SearchRequest, name: str, vector: Any, at: int, *, limit: int, exact: bool
) -> models.QueryRequest:
    """Return one list's query under its request's filter, as a generation sees it."""
    return models.QueryRequest(
        query=vector,
        using=name,
        filter=seen(at, *narrowed(request.where)),
        params=models.SearchParams(exact=exact) if name == "dense" else None,
        limit=limit,
        with_payload=list(_HIT_FIELDS),
    )


def hits(points: Sequence[models.ScoredPoint], limit: int, name: str) -> tuple[RawHit, ...]:
    """Return at most `limit` hits by falling score, ties by id; keyword hits above 0 only."""
    ordered = sorted(points, key=lambda one: (-one.score, (one.payload or {})["point_id"]))
    kept = [one for one in ordered if name == "dense" or one.score > 0][:limit]
    return tuple(_hit(one.score, one.payload or {}) for one in kept)


def _hit(score: float, payload: Mapping[str, Any]) -> RawHit:
    span = None if payload["kind"] == "section" else Span(payload["start"], payload["end"])
    return RawHit(payload["section_id"], payload["document_id"], score, span)


def seen(at: int, *must: models.Condition) -> models.Filter:
    """Return the filter for what a generation sees, narrowed."""
    since = models.FieldCondition(key="since", range=models.Range(lte=at))
    return models.Filter(must=[since, *must], must_not=[ended(at)])


def ended(at: int) -> models.FieldCondition:
    """Return the condition that a point is gone in a generation."""
    return models.FieldCondition(key="until", range=models.Range(lte=at))


def later(name: str, at: int) -> models.Filter:
    """Return the filter for points whose `since` or `until` is a later generation's."""
    return models.Filter(must=[models.FieldCondition(key=name, range=models.Range(gt=at))])


def narrowed(where: Filter | None) -> list[models.Condition]:
    """Return the server's conditions for our filter; None does not narrow."""
    if where is None:
        return []
    must: list[models.Condition] = [any_of("tenant", (where.tenant,))]
    if where.visibility is not None:
        must.append(any_of("visibility", where.visibility))
    narrowing = {
        "service": where.service,
        "type": where.type,
        "names": where.names,
        "section_id": where.section_ids,
        "document_id": where.document_ids,
    }
    return must + [any_of(name, values) for name, values in narrowing.items() if values]


def sees_nothing(where: Filter | None) -> bool:
    """Return whether a filter is one that no point passes, so that nothing need be asked."""
    return where is not None and where.visibility == ()


def any_of(name: str, values: Sequence[str]) -> models.FieldCondition:
    """Return the condition that a field holds one of these values."""
    return models.FieldCondition(key=name, match=models.MatchAny(any=list(values)))
