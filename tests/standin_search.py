"""The searches of a stand-in that holds many points: local mode would take each in turn, anew."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from qdrant_client import QdrantClient
from qdrant_client.http import models as m

from core.points import SparseVector
from tests.exact_search import ExactSearch, Vectors, ranked

ALL = 1_000_000


class Snapshot:
    """A collection as it is now; filters are local mode's own, and each is computed once."""

    def __init__(self, held: QdrantClient, name: str) -> None:
        self._held, self._name = held, name
        self._records = self._all(with_vectors=True)
        self._rows = {record.id: row for row, record in enumerate(self._records)}
        self._exact = ExactSearch([vectors_of(record) for record in self._records])
        self._seen: dict[str, NDArray[np.bool_]] = {}

    def query(self, asked: m.QueryRequest) -> list[m.ScoredPoint]:
        """Answer a query for the points nearest to a vector that has a name."""
        assert asked.using is not None
        vector: Any = (
            asked.query.nearest if isinstance(asked.query, m.NearestQuery) else asked.query
        )
        if isinstance(vector, m.SparseVector):
            scores = self._exact.words(asked.using, words_of(vector))
        else:
            scores = self._exact.dense(vector)
        wanted = asked.with_payload
        assert isinstance(wanted, list)
        return [
            m.ScoredPoint(
                id=self._records[row].id,
                version=0,
                score=float(np.float32(scores[row])),
                payload={
                    name: value
                    for name, value in (self._records[row].payload or {}).items()
                    if name in wanted
                },
            )
            for row in ranked(scores, self._seen_by(asked.filter), asked.limit or 10)
        ]

    def _seen_by(self, where: m.Filter | None) -> NDArray[np.bool_]:
        key = where.model_dump_json() if where else ""
        if key not in self._seen:
            seen = np.zeros(len(self._records), dtype=bool)
            seen[[self._rows[record.id] for record in self._all(where, with_payload=False)]] = True
            self._seen[key] = seen
        return self._seen[key]

    def _all(self, where: m.Filter | None = None, **wanted: bool) -> Sequence[m.Record]:
        return self._held.scroll(self._name, scroll_filter=where, limit=ALL, **wanted)[0]


def vectors_of(record: m.Record) -> Vectors:
    named: Any = record.vector if isinstance(record.vector, dict) else {}
    return Vectors(
        named.get("dense"),
        {name: words_of(one) for name, one in named.items() if isinstance(one, m.SparseVector)},
    )


def words_of(vector: m.SparseVector) -> SparseVector:
    return SparseVector(tuple(vector.indices), tuple(vector.values))
