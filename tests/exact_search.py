"""Exact search over arrays: what `tests/fake_index.py` computes point by point, for many questions.

A point without the vector that is asked for, or without a word in common, scores -inf.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.models import Vector
from core.points import Filter, Point, RawHits, SearchRequest, SparseVector
from tests.fake_index import FakeIndex, hit, visible

Scores = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Vectors:
    """The vectors of one point."""

    dense: Vector | None
    words: Mapping[str, SparseVector]


class ExactSearch:
    """The vectors of points, by their place in the sequence."""

    def __init__(self, points: Sequence[Vectors]) -> None:
        self._count = len(points)
        self._dense_rows = [row for row, one in enumerate(points) if one.dense is not None]
        self._dense = normalised([one.dense for one in points if one.dense is not None])
        postings: defaultdict[tuple[str, int], list[tuple[int, float]]] = defaultdict(list)
        for row, one in enumerate(points):
            for name, words in one.words.items():
                for token, weight in zip(words.indices, words.values, strict=True):
                    postings[name, token].append((row, weight))
        self._postings: dict[tuple[str, int], tuple[list[int], Scores]] = {
            key: ([row for row, _ in pairs], np.array([weight for _, weight in pairs]))
            for key, pairs in postings.items()
        }

    def dense(self, vector: Vector) -> Scores:
        """Return the cosine of every point with a vector."""
        scores = np.full(self._count, -np.inf)
        if self._dense_rows:
            scores[self._dense_rows] = self._dense @ normalised([vector])[0]
        return scores

    def words(self, name: str, asked: SparseVector) -> Scores:
        """Return the dot product of every point's keyword vector with one."""
        scores, met = np.zeros(self._count), np.zeros(self._count, dtype=bool)
        for token, weight in zip(asked.indices, asked.values, strict=True):
            if found := self._postings.get((name, token)):
                scores[found[0]] += weight * found[1]
                met[found[0]] = True
        return np.where(met, scores, -np.inf)


def normalised(vectors: Sequence[Vector]) -> Scores:
    """Return vectors as rows of length 1; one of length 0 stays."""
    rows = np.array(vectors, dtype=np.float64)
    lengths = np.sqrt((rows**2).sum(axis=-1, keepdims=True)) if len(vectors) else 1.0
    return rows / np.where(lengths == 0, 1.0, lengths)


def ranked(scores: Scores, seen: NDArray[np.bool_], limit: int) -> list[int]:
    """Return the places of the best that are seen and score at all, best first, ties in order."""
    among = np.flatnonzero(seen & np.isfinite(scores))
    return [int(row) for row in among[np.argsort(-scores[among], kind="stable")][:limit]]


class QuickIndex(FakeIndex):
    """The fake index for many questions; its points do not change after the first."""

    def __init__(self, dimension: int) -> None:
        super().__init__(dimension)
        self._ordered: list[Point] = []
        self._exact = ExactSearch([])
        self._seen: dict[Filter, NDArray[np.bool_]] = {}

    def _search(self, request: SearchRequest) -> RawHits:
        if not self._ordered:
            self._ordered = [self.points[id_] for id_ in sorted(self.points)]
            self._exact = ExactSearch([vectors_of(one) for one in self._ordered])
        if request.where not in self._seen:
            seen = [visible(point, request.where) for point in self._ordered]
            self._seen[request.where] = np.array(seen, dtype=bool)
        asked: dict[str, Any] = {}
        if request.dense is not None:
            asked["dense"] = self._exact.dense(request.dense)
        for name, words in (("passage", request.passage), ("section", request.section)):
            if words is not None:
                scores = self._exact.words(name, words)
                asked[name] = np.where(scores > 0, scores, -np.inf)
        return RawHits(
            **{
                name: tuple(
                    hit(float(scores[row]), self._ordered[row].payload)
                    for row in ranked(scores, self._seen[request.where], request.limit)
                )
                for name, scores in asked.items()
            }
        )


def vectors_of(point: Point) -> Vectors:
    words = {"passage": point.passage, "section": point.section}
    return Vectors(point.dense, {name: one for name, one in words.items() if one is not None})
