"""How much of an exact search an approximate one finds, and what it saves: recall@10 and time.

The embedded home compares a question with every vector up to 20,000 of them (`EXACT_UP_TO` in
core/engines/edge.py). Above, and on a server unless `NIGHTLAMP_QDRANT_EXACT` is set, it goes by a
graph (HNSW). The engine is the same, so the graph of the embedded one tells what is lost.
"""

import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from statistics import fmean
from typing import Any, Final
from uuid import UUID

from core.engines.edge import BATCH, Shard
from core.models import Vector
from core.points import Filter, Point, RawHits, SearchRequest
from eval.timing import middle

SIZE: Final = 20_000
"""Points from about which on the engine makes a graph at all."""
TOP: Final = 10
_TENANT = "bench"


def measure_recall(
    folder: Path, vectors: Sequence[Vector], questions: Sequence[Vector]
) -> dict[str, Any]:
    """Return recall@10 of the approximate dense search, and both searches' milliseconds. Blocks.

    `folder` must be new; `indexed` says how many vectors the graph has.
    """
    shard = Shard.create(folder, len(vectors[0]))
    shard.effort = None  # as a server searches; the embedded index looks further
    try:
        for batch in _batches(vectors):
            shard.write(batch)
        indexed = shard.optimize()
        exact, exact_ms = _asked(shard, questions, exact=True)
        near, near_ms = _asked(shard, questions, exact=False)
    finally:
        shard.close()
    return {
        "points": len(vectors),
        "indexed": indexed,
        "questions": len(questions),
        "recall10": fmean(recall(one, other) for one, other in zip(near, exact, strict=True)),
        "ms": {"exact": exact_ms, "approximate": near_ms},
    }


def recall(found: RawHits, exact: RawHits) -> float:
    """Return the share of the exact search's hits that were found."""
    wanted = {hit.section_id for hit in exact.dense}
    return len(wanted & {hit.section_id for hit in found.dense}) / len(wanted) if wanted else 1.0


def _batches(vectors: Sequence[Vector]) -> Iterator[list[Point]]:
    points = map(_passage, range(len(vectors)), vectors)
    while batch := list(islice(points, BATCH)):
        yield batch


def _passage(number: int, vector: Vector) -> Point:
    id_ = str(UUID(int=number))
    payload = {
        "kind": "passage", "tenant": _TENANT, "visibility": ["everyone"], "section_id": id_,
        "document_id": id_, "start": 0, "end": 1,
    }  # fmt: skip
    return Point(id_, payload, dense=vector)


def _asked(
    shard: Shard, questions: Sequence[Vector], *, exact: bool
) -> tuple[list[RawHits], dict[str, float]]:
    """Return what each question finds, and the median and 95th percentile of its milliseconds."""
    shard.exact = exact
    where = Filter(_TENANT, ("everyone",))
    requests = [SearchRequest(where, TOP, dense=one) for one in questions]
    shard.search(requests[:TOP])  # warm
    found, taken = [], []
    for request in requests:
        started = time.perf_counter()
        found += shard.search([request])
        taken.append(1000 * (time.perf_counter() - started))
    return found, middle(taken)
