"""qdrant-client's local mode, Qdrant's own stand-in in Python: the same lists, to compare speed."""

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from qdrant_client import QdrantClient, models

from core.points import Point, SparseVector
from core.query import KeywordQuery

MOST: Final = 20_000
"""Points up to which its makers recommend it; more are not measured."""
_COLLECTION = "bench"
_BATCH = 256


class LocalMode:
    """A collection in a folder, with the dense and both keyword vectors of every point."""

    def __init__(self, folder: Path, dimension: int) -> None:
        self._client = QdrantClient(path=str(folder))
        self._client.create_collection(
            _COLLECTION,
            vectors_config={
                "dense": models.VectorParams(size=dimension, distance=models.Distance.COSINE)
            },
            sparse_vectors_config={
                "passage": models.SparseVectorParams(),
                "section": models.SparseVectorParams(),
            },
        )

    def write(self, points: Sequence[Point]) -> None:
        """Write points, batch by batch."""
        waiting = iter(points)
        while batch := list(islice(waiting, _BATCH)):
            self._client.upsert(_COLLECTION, [_struct(point) for point in batch])

    def find(self, vector: Sequence[float], words: KeywordQuery, tenant: str, limit: int) -> int:
        """Ask for the three lists of one question; return how many hits they have."""
        where = models.Filter(
            must=[models.FieldCondition(key="tenant", match=models.MatchValue(value=tenant))]
        )
        lists = self._client.query_batch_points(
            _COLLECTION,
            [
                models.QueryRequest(query=query, using=name, filter=where, limit=limit)
                for name, query in (
                    ("dense", [*vector]),
                    ("passage", _sparse(words.passage)),
                    ("section", _sparse(words.section)),
                )
            ],
        )
        return sum(len(one.points) for one in lists)

    def close(self) -> None:
        """Let go of the folder."""
        self._client.close()


def _struct(point: Point) -> models.PointStruct:
    vectors: dict[str, Any] = {}
    if point.dense is not None:
        vectors["dense"] = [*point.dense]
    if point.passage is not None:
        vectors["passage"] = _sparse(point.passage)
    if point.section is not None:
        vectors["section"] = _sparse(point.section)
    return models.PointStruct(
        id=str(UUID(point.id)), payload={"tenant": point.payload["tenant"]}, vector=vectors
    )


def _sparse(words: SparseVector) -> models.SparseVector:
    return models.SparseVector(indices=list(words.indices), values=list(words.values))
