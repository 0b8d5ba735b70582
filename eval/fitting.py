"""Fitting when to answer and when to refuse, and how often that will be wrong. Pure.

Weights by logistic regression of "the corpus has an answer" on the signals of retrieval; cut-offs
on confidences of questions that the weights were not fitted on. What is reported is cross-validated
once more around both: each question's outcome is decided by weights and cut-offs that never saw it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import ceil, floor
from typing import Literal

from core.errors import UsageError
from core.evidence import Calibration
from core.outcomes import Cutoffs
from eval.logistic import logistic
from eval.samples import Sample

FOLDS = 5
REFUSED = 0.05
"""The share of questions with an answer that may be refused."""
STRONG = 0.10
"""The share of questions without an answer that may be answered strongly."""
LEAST = 20
"""Questions of either kind below which nothing is fitted."""
_DIGITS = 10_000

Judged = Literal["top3", "all"]
"""Which answerable questions the lower cut-off is for: those found in the top three, or all."""

Fit = Callable[[Sequence[Sample]], Calibration]


@dataclass(frozen=True, slots=True)
class Fitting:
    """What is fitted: the signals by name, and which questions must not be refused."""

    signals: tuple[str, ...]
    judged: Judged
    source: str

    def __call__(self, samples: Sequence[Sample]) -> Calibration:
        """Return weights from all samples, and cut-offs from confidences out of their folds."""
        weights = self._weighed(samples)
        outside = held_out(samples, self._weighed)
        confidences = [
            fitted.confidence(sample.finding.signals)
            for fitted, sample in zip(outside, samples, strict=True)
        ]
        return replace(weights, cutoffs=cutoffs_for(samples, confidences, self.judged))

    def _weighed(self, samples: Sequence[Sample]) -> Calibration:
        rows = [[s.finding.signals[name] for name in self.signals] for s in samples]
        weights, intercept = logistic(rows, [sample.answerable for sample in samples])
        named = {n: round(w, 4) for n, w in zip(self.signals, weights, strict=True)}
        return Calibration(named, round(intercept, 4), Cutoffs(0.5, 0.5), self.source)


def check_enough(samples: Sequence[Sample]) -> None:
    """Check that there are enough questions of both kinds.

    Raises:
        UsageError: there are not.
    """
    answerable = sum(sample.answerable for sample in samples)
    others = len(samples) - answerable
    if min(answerable, others) < LEAST:
        raise UsageError(
            f"Calibrating needs {LEAST} answerable and {LEAST} unanswerable questions or more, "
            f"not {answerable} and {others}: add some, or leave --questions out."
        )


def held_out(samples: Sequence[Sample], fit: Fit) -> list[Calibration]:
    """Return for each sample what was fitted without it and the others of its fold.

    Folds are dealt in order, answerable and other questions apart, so that each has its share of
    both and the same samples give the same folds.
    """
    folds = [0] * len(samples)
    for answerable in (True, False):
        same = [i for i, sample in enumerate(samples) if sample.answerable is answerable]
        for place, i in enumerate(same):
            folds[i] = place % FOLDS
    fitted = [
        fit([sample for sample, fold in zip(samples, folds, strict=True) if fold != out])
        for out in range(FOLDS)
    ]
    return [fitted[fold] for fold in folds]


def cutoffs_for(samples: Sequence[Sample], confidences: Sequence[float], judged: Judged) -> Cutoffs:
    """Return the highest lower cut-off that refuses few, and the least upper one that lies seldom.

    Few are 5 % of the answerable questions (or of those found in the top three), seldom 10 % of the
    others. The upper cut-off is never below the lower.
    """
    pairs = list(zip(samples, confidences, strict=True))
    kept = [c for s, c in pairs if s.answerable and (judged == "all" or s.in_top)]
    others = [c for s, c in pairs if not s.answerable]
    weak = at_most_below(kept, REFUSED)
    return Cutoffs(weak=weak, answer=max(weak, at_most_above(others, STRONG)))


def at_most_below(values: Sequence[float], share: float) -> float:
    """Return the highest cut-off, to four digits, with at most this share of values below it."""
    ascending = sorted(values)
    return floor(_DIGITS * ascending[int(share * len(ascending))]) / _DIGITS if values else 0.0


def at_most_above(values: Sequence[float], share: float) -> float:
    """Return the least cut-off, to four digits, with at most this share of values at or above."""
    descending = sorted(values, reverse=True)
    if not values:
        return 0.0
    value = descending[min(int(share * len(descending)), len(descending) - 1)]
    return min(1.0, (ceil(_DIGITS * value) + 1) / _DIGITS)
