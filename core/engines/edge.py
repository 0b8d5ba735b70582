"""Qdrant Edge, the Rust engine in the process: one shard in one directory. Its only importer.

Every call holds the interpreter's lock. A search takes a few milliseconds at most; loading, and
writing a batch of at most 128 points with its flush, take tens. The engine does not break ties, so
that is done here, and it accepts what is not a number, so points are checked before any of a batch
is applied.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from itertools import chain, takewhile
from pathlib import Path
from typing import Any, Final

import qdrant_edge as qdrant

from core.engines.edge_errors import mapped
from core.engines.edge_layout import field_indexes, layout
from core.engines.edge_places import PLACE_FIELDS, Places, number_of, place_of
from core.engines.edge_points import (
    DENSE_EFFORT,
    Stored,
    any_of,
    conditions,
    engine_point,
    engine_words,
    hits,
    query,
    stored_from,
)
from core.engines.mapped_pages import give_back_pages
from core.engines.sound_points import check_dense, check_sparse, is_uuid
from core.points import Filter, Point, RawHit, RawHits, SearchRequest

ENGINE: Final = f"qdrant-edge {'.'.join(version('qdrant-edge-py').split('.')[:2])}"
"""What writes the vectors: another version may lay its files out in another way."""
BATCH: Final = 128
"""Points a write: the engine replays a batch as a whole after a crash, and stalls 2 to 6 ms."""
EXACT_UP_TO: Final = 20_000
"""Passages that a question is compared with one by one (4 ms); above, the graph is asked."""
_BEYOND: Final = {"dense": 1, "passage": 60, "section": 60}
"""Points asked for beyond a list's limit, to see whether it cuts a tie. Keyword scores tie in every
second list of large shards whose pages are alike, and another query takes longer."""
_PAGE = 500


class Shard:
    """An open shard. Nothing else may have it open; `close` when done.

    `exact` is whether dense search compares with every vector, or goes by the graph of `optimize`
    with this `effort` (None: the engine's own); None is to go by the number of passages.
    """

    def __init__(
        self, engine: qdrant.EdgeShard, dimension: int, places: Places | None = None
    ) -> None:
        self._engine = engine
        self.dimension = dimension
        self.exact: bool | None = None
        self.effort: int | None = DENSE_EFFORT
        self._places = self._read_places() if places is None else places

    @classmethod
    def create(cls, path: Path, dimension: int) -> "Shard":
        """Make an empty shard for dense vectors of this length, with the fields to filter by.

        Raises:
            VectorIndexError, DataFolderBroken: it cannot be made.
        """
        with mapped():
            engine = qdrant.EdgeShard.create(str(path), layout(dimension))
            for operation in field_indexes():
                engine.update(operation)
            return cls(engine, dimension, Places())

    @classmethod
    def load(cls, path: Path, dimension: int, like: "Shard | None" = None) -> "Shard":
        """Open a shard that exists; one that is a copy has the same points as the one it is `like`.

        Raises:
            DataFolderBusy: another process has it open.
            IndexUnavailable: it is missing or damaged.
        """
        with mapped():
            places = None if like is None else like._places.copy()
            shard = cls(qdrant.EdgeShard.load(str(path)), dimension, places)
        give_back_pages(path)
        return shard

    def close(self) -> None:
        """Flush and let go of the files. Safe to call twice."""
        with mapped():
            self._engine.close()

    @property
    def large(self) -> bool:
        """Return whether dense search is approximate, and wants the graph of `optimize`."""
        return self._places.passages() > EXACT_UP_TO if self.exact is None else not self.exact

    def optimize(self) -> int:
        """Build the graph for approximate search; return how many vectors are in it.

        Takes seconds for every 10,000 and holds the interpreter's lock: not where answers are made.
        """
        with mapped():
            self._engine.optimize()
            self._engine.flush()  # only then is what it replaces gone, and no copy has both
            return int(self._engine.info().indexed_vectors_count)

    def count(self) -> int:
        """Return the number of points."""
        with mapped():
            return int(self._engine.info().points_count)

    def points_by_document(self) -> Counter[str]:
        """Return how many points each document has, by its id."""
        return self._places.points_by_document()

    def write(self, points: Sequence[Point]) -> None:
        """Add or replace at most one batch of points that were checked, and wait for the disk."""
        with mapped():
            self._engine.update(
                qdrant.UpdateOperation.upsert_points([engine_point(point) for point in points])
            )
            self._engine.flush()
        self._places.add(points)

    def delete(self, document_ids: Sequence[str]) -> None:
        """Remove every point of these documents, and wait for the disk."""
        with mapped():
            self._engine.update(
                qdrant.UpdateOperation.delete_points_by_filter(
                    qdrant.Filter(must=[any_of("document_id", document_ids)])
                )
            )
            self._engine.flush()
        self._places.remove(document_ids)

    def search(self, requests: Sequence[SearchRequest]) -> list[RawHits]:
        """Answer all lists of all requests in one call of the engine.

        Raises:
            IndexMisconfigured: a question's vector has another length or is not finite.
        """
        asked = [
            (number, name, vector)
            for number, request in enumerate(requests)
            for name, vector in self._vectors(request)
        ]
        with mapped():
            lists = self._lists(
                [(requests[number], name, vector) for number, name, vector in asked]
            )
        found: list[dict[str, tuple[RawHit, ...]]] = [{} for _ in requests]
        for (number, name, _), one in zip(asked, lists, strict=True):
            found[number][name] = one
        return [RawHits(**by_name) for by_name in found]

    def _vectors(self, request: SearchRequest) -> Iterator[tuple[str, Any]]:
        if request.dense is not None:
            check_dense(request.dense, self.dimension)
            yield "dense", list(request.dense)
        for name, words in (("passage", request.passage), ("section", request.section)):
            if words is not None:
                check_sparse(words)
                yield name, engine_words(words)

    def _lists(self, asked: Sequence[tuple[SearchRequest, str, Any]]) -> list[tuple[RawHit, ...]]:
        if not asked:
            return []
        queries = [self._query(*one, limit=one[0].limit + _BEYOND[one[1]]) for one in asked]
        answers = self._engine.query_batch(qdrant.QueryBatchRequest(queries))
        return [
            hits(self._with_whole_tie(*one, answer), one[0].limit, one[1], self._places.by_number)
            for one, answer in zip(asked, answers, strict=True)
        ]

    def _with_whole_tie(
        self, request: SearchRequest, name: str, vector: Any, found: list[qdrant.ScoredPoint]
    ) -> list[qdrant.ScoredPoint]:
        """Return what was found up to the limit, with the whole of a tie there.

        Which points of a tie come first is left to chance, so it is asked on until all are there.
        """
        limit, asked = request.limit, request.limit + _BEYOND[name]
        while len(found) == asked and found[limit - 1].score == found[-1].score:
            asked *= 3
            found = self._engine.query(self._query(request, name, vector, limit=asked))
        if len(found) <= limit:
            return found
        last = found[limit - 1].score
        return [*found[:limit], *takewhile(lambda point: point.score == last, found[limit:])]

    def _query(
        self, request: SearchRequest, name: str, vector: Any, *, limit: int
    ) -> qdrant.QueryRequest:
        """Return one list's query.

        Conditions that every point meets take a query up to half its time, and are left out of it,
        but for a keyword query without any other: it gains nothing, and without a filter the engine
        may add the same numbers in another order.
        """
        where, dense = request.where, name == "dense"
        return query(
            request,
            name,
            vector,
            limit=limit,
            exact=not dense or self._exact(where),
            effort=self.effort,
            given=self._places.met_by_all(where) if dense or where.section_ids else (),
        )

    def _exact(self, where: Filter) -> bool:
        return bool(where.section_ids) or not self.large

    def _read_places(self) -> Places:
        return Places(
            {
                int(record.id): place_of(record.payload or {})
                for records in self._pages(None, with_payload=list(PLACE_FIELDS))
                for record in records
            }
        )

    def payloads(self, ids: Sequence[str]) -> list[Mapping[str, Any]]:
        """Return the payloads of the points that are there, in no order."""
        known = [number_of(id_) for id_ in ids if is_uuid(id_)]
        with mapped():
            records = (
                self._engine.retrieve([*known], with_payload=True, with_vector=False)
                if known
                else []
            )
        return [record.payload or {} for record in records]

    def section_chars(self, ids: Sequence[str]) -> dict[str, int]:
        """Return the characters of the sections with these ids that are there."""
        return self._places.section_chars(ids)

    def stored(self, ids: Sequence[str]) -> list[Stored]:
        """Return the points with these ids that are there, with their keyword tokens."""
        with mapped():
            records = self._engine.retrieve(
                [number_of(id_) for id_ in ids],
                with_payload=["kind"],
                with_vector=["passage", "section"],
            )
        return [stored_from(record) for record in records]

    def page_tokens(self, document_id: str) -> frozenset[int]:
        """Return the token numbers of a document's sections."""
        ids = self._places.sections_of(document_id)
        with mapped():
            records = self._engine.retrieve([*ids], with_payload=False, with_vector=["section"])
        words = (stored_from(record)[1] for record in records)
        return frozenset(chain.from_iterable(one.get("section", ()) for one in words))

    def scroll(
        self,
        where: Filter | None,
        *,
        kind: str = "",
        document_id: str = "",
        fields: Sequence[str] = (),
        words: bool = False,
    ) -> Iterator[list[Stored]]:
        """Yield the points under a filter, page by page; a page takes a few milliseconds.

        `kind` narrows to passages or sections, `document_id` to one document; `fields` are those
        of the payload that are read (all when none is named).
        """
        narrowed = conditions(where, kind=kind, document_id=document_id)
        pages = self._pages(
            narrowed,
            with_payload=list(fields) or True,
            with_vector=["passage", "section"] if words else False,
        )
        for records in pages:
            yield [
                stored_from(record) if words else (record.payload or {}, {}) for record in records
            ]

    def _pages(
        self,
        narrowed: qdrant.Filter | None,
        *,
        with_payload: list[str] | bool,
        with_vector: list[str] | bool = False,
    ) -> Iterator[list[qdrant.Record]]:
        after = None
        while True:
            with mapped():
                records, after = self._engine.scroll(
                    qdrant.ScrollRequest(
                        offset=after,
                        limit=_PAGE,
                        filter=narrowed,
                        with_payload=with_payload,
                        with_vector=with_vector,
                    )
                )
            yield records
            if after is None:
                return
