"""Median and 95th percentile of times."""

from collections.abc import Sequence

from eval.intervals import percentile


def middle(ms: Sequence[float]) -> dict[str, float]:
    """Return p50 and p95 of milliseconds.

    Raises:
        ValueError: there are none.
    """
    ascending = sorted(ms)
    return {"p50": percentile(ascending, 0.5), "p95": percentile(ascending, 0.95)}
