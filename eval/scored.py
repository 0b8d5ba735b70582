"""A run's questions one by one, without any text: what its plots are drawn from. Pure."""

from collections.abc import Sequence
from typing import Any

from eval.metrics import Score
from eval.runfile import RunLine
from eval.summary import outcome_of

_DIGITS = 4


def scored(scores: Sequence[Score], lines: Sequence[RunLine]) -> list[dict[str, Any]]:
    """Return each question's outcome, rank, confidence and best distance, in their order."""
    return [
        {
            "id": score.id,
            "category": score.category,
            "kind": str(score.kind),
            "outcome": outcome_of(score),
            "rank": score.rank,
            "confidence": round(score.confidence, _DIGITS),
            "distance": None if line.distance is None else round(line.distance, _DIGITS),
        }
        for score, line in zip(scores, lines, strict=True)
    ]
