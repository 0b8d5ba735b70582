"""How a shard of Qdrant Edge is laid out: its vectors, and the fields to filter by. Pure."""

from collections.abc import Iterator

import qdrant_edge as qdrant

_MAPPED = qdrant.Memory.Cold
"""Files are read where a search needs them: else 32 MB of each, mostly holes, are in memory, and a
large shard's payload indexes are built there anew whenever it is opened (0.3 s for 90,000 passages,
in which the event loop stands still; 0.06 s mapped)."""
_FILTERED = ("tenant", "visibility", "service", "type", "names", "section_id", "document_id")


def layout(dimension: int) -> qdrant.EdgeConfig:
    """Return the layout of a shard for dense vectors of this length."""
    return qdrant.EdgeConfig(
        vectors={
            "dense": qdrant.EdgeVectorParams(
                size=dimension, distance=qdrant.Distance.Cosine, memory=_MAPPED
            )
        },
        sparse_vectors={
            "passage": qdrant.EdgeSparseVectorParams(memory=_MAPPED),
            "section": qdrant.EdgeSparseVectorParams(memory=_MAPPED),
        },
    )


def field_indexes() -> Iterator[qdrant.UpdateOperation]:
    """Yield what makes the indexes of the fields, once the shard is there."""
    for name in _FILTERED:
        yield qdrant.UpdateOperation.create_field_index(
            name, qdrant.KeywordIndexParams(memory=_MAPPED)
        )
