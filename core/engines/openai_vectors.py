"""The body of an answer from `/embeddings` to vectors, every number of it looked at. No vendor."""

import json
import math
from array import array
from collections.abc import Sequence
from typing import Any

from core.models import Vector

_SHORTEST = 1e-6
"""A vector of no length has no direction."""


class BadVectors(Exception):
    """An answer is not the vectors that were asked for; `str()` says what it is instead."""


def vectors_from(body: bytes, count: int, length: int) -> list[Vector]:
    """Return so many vectors of this length in the order of their texts, L2-normalised.

    Raises:
        BadVectors: the body is no JSON, or holds others, too few, or what is not a number.
    """
    try:
        rows = json.loads(body)["data"]
        by_index = {row["index"]: row["embedding"] for row in rows}
    except (ValueError, TypeError, KeyError, RecursionError):
        raise BadVectors("something other than vectors") from None
    if by_index.keys() != set(range(count)) or len(rows) != count:
        raise BadVectors("other vectors than those of the texts")
    return [_unit(by_index[at], length) for at in range(count)]


def _unit(numbers: Any, length: int) -> Vector:
    if not isinstance(numbers, list) or len(numbers) != length:
        there = len(numbers) if isinstance(numbers, list) else "no"
        raise BadVectors(f"vectors of {there} numbers where {length} were expected")
    if not all(type(one) in {int, float} for one in numbers):
        raise BadVectors("vectors of something other than numbers")
    return _normalised(numbers)


def _normalised(numbers: Sequence[float]) -> Vector:
    try:
        norm = math.hypot(*numbers)
    except OverflowError:
        norm = math.inf
    if not _SHORTEST < norm < math.inf:
        raise BadVectors("vectors that have no direction")
    return array("f", [one / norm for one in numbers])
