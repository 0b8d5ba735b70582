"""Means with the uncertainty that they have: seeded bootstrap intervals. Pure.

The percentile bootstrap of Efron (1979): the questions are drawn again with replacement, and the
middle 95 % of the means of such draws is the interval.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

RESAMPLES = 2000
SEED = 20_250_101
TAIL = 0.025


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean of `n` values, with the ends of its 95 % interval."""

    mean: float
    low: float
    high: float
    n: int


def mean_interval(values: Sequence[float]) -> Interval:
    """Return the mean of the values; the same values give the same interval, to the last digit.

    Raises:
        ValueError: there are no values, and so no mean.
    """
    if not values:
        raise ValueError("the mean of nothing is undefined")
    draws = random.Random(SEED)  # noqa: S311 - resampling, no secret
    means = sorted(fmean(draws.choices(values, k=len(values))) for _ in range(RESAMPLES))
    return Interval(
        fmean(values), percentile(means, TAIL), percentile(means, 1 - TAIL), len(values)
    )


def paired_difference(ours: Sequence[float], theirs: Sequence[float]) -> Interval:
    """Return the mean of `ours − theirs`, question by question, both in one order.

    Raises:
        ValueError: they are not of one length, or empty.
    """
    return mean_interval([a - b for a, b in zip(ours, theirs, strict=True)])


def percentile(ascending: Sequence[float], share: float) -> float:
    """Return the value below which a share of sorted values lies, interpolated between two.

    Raises:
        ValueError: there are no values.
    """
    if not ascending:
        raise ValueError("a percentile of nothing is undefined")
    place = share * (len(ascending) - 1)
    below = int(place)
    above = min(below + 1, len(ascending) - 1)
    return ascending[below] + (ascending[above] - ascending[below]) * (place - below)
