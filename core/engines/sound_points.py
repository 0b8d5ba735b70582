"""What a point must be before an engine is given it, and that all are there after. No vendor."""

import math
from collections.abc import Sequence
from typing import Final
from uuid import UUID

from core.engines.build_folder import REBUILD
from core.errors import BuildFailed, IndexMisconfigured
from core.points import Point, SparseVector

_LARGEST_TOKEN: Final = 2**32 - 1


def check_count(there: int, expected: int, what: str = "points") -> None:
    """Check that a build holds as many points as it should.

    Raises:
        BuildFailed: it holds more or fewer.
    """
    if there != expected:
        raise BuildFailed(
            f"The new index holds {there} {what} and should hold {expected}, so the one before "
            "goes on answering: run nightlamp index again."
        )


def check_points(points: Sequence[Point], dimension: int) -> None:
    """Check every vector before any is written.

    Raises:
        IndexMisconfigured: an id is no UUID, a vector has another length, a weight or number is
            not finite, or a token number has more than 32 bits.
    """
    for point in points:
        if not is_uuid(point.id):
            raise IndexMisconfigured(f"The point {point.id} is not named by a UUID.")
        if point.dense is not None:
            check_dense(point.dense, dimension)
        for words in (point.passage, point.section):
            if words is not None:
                check_sparse(words)


def check_dense(vector: Sequence[float], dimension: int) -> None:
    """Check a dense vector's length and numbers.

    Raises:
        IndexMisconfigured: it has another length, or a number is not finite.
    """
    if len(vector) != dimension:
        raise IndexMisconfigured(
            f"A vector has {len(vector)} numbers and must have {dimension}: {REBUILD}."
        )
    if not all(map(math.isfinite, vector)):
        raise IndexMisconfigured("A vector holds something that is not a finite number.")


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
