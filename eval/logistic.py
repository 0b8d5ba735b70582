"""Logistic regression in plain Python: a handful of signals, a few hundred questions. Pure.

Maximum likelihood with an L2 penalty on the weights (not on the intercept), by Newton's method, as
in Hastie, Tibshirani and Friedman, The Elements of Statistical Learning, section 4.4.1.
"""

import math
from collections.abc import Sequence

PENALTY = 0.1
"""The penalty's weight: the inverse of scikit-learn's C = 10."""
_STEPS = 50
_CLOSE = 1e-9
_FAR = 30.0


def logistic(
    rows: Sequence[Sequence[float]], labels: Sequence[bool]
) -> tuple[tuple[float, ...], float]:
    """Return the weights and the intercept that tell true labels from false ones.

    Each row holds one question's signals in a fixed order. Both labels must occur; what can be told
    apart without error still has finite weights, by the penalty, but for the intercept's sake both
    sides are needed.

    Raises:
        ValueError: all labels are the same.
    """
    if len(set(labels)) < 2:
        raise ValueError("a regression needs both kinds of label")
    wide = [(*row, 1.0) for row in rows]
    beta = [0.0] * len(wide[0])
    for _ in range(_STEPS):
        step = _step(wide, labels, beta)
        beta = [b + s for b, s in zip(beta, step, strict=True)]
        if max(map(abs, step)) < _CLOSE:
            break
    return tuple(beta[:-1]), beta[-1]


def probability(z: float) -> float:
    """Return 1 / (1 + e^−z)."""
    return 1 / (1 + math.exp(-max(min(z, _FAR), -_FAR)))


def _step(
    wide: Sequence[Sequence[float]], labels: Sequence[bool], beta: Sequence[float]
) -> list[float]:
    """Return Newton's step: the Hessian's inverse times the gradient."""
    size = len(beta)
    penalties = [PENALTY] * (size - 1) + [0.0]
    gradient = [-p * b for p, b in zip(penalties, beta, strict=True)]
    hessian = [[0.0] * size for _ in range(size)]
    for row, label in zip(wide, labels, strict=True):
        p = probability(sum(b * x for b, x in zip(beta, row, strict=True)))
        for i, x in enumerate(row):
            gradient[i] += (label - p) * x
            for j in range(i + 1):
                hessian[i][j] += p * (1 - p) * x * row[j]
    for i in range(size):
        hessian[i][i] += penalties[i] + _CLOSE
        for j in range(i):
            hessian[j][i] = hessian[i][j]
    return _solved(hessian, gradient)


def _solved(matrix: Sequence[Sequence[float]], right: Sequence[float]) -> list[float]:
    """Return the x of `matrix · x = right`, by Gaussian elimination with partial pivoting."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    size = len(rows)
    for i in range(size):
        pivot = max(range(i, size), key=lambda k: abs(rows[k][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for k in range(i + 1, size):
            factor = rows[k][i] / rows[i][i]
            rows[k] = [a - factor * b for a, b in zip(rows[k], rows[i], strict=True)]
    found = [0.0] * size
    for i in reversed(range(size)):
        rest = sum(rows[i][j] * found[j] for j in range(i + 1, size))
        found[i] = (rows[i][size] - rest) / rows[i][i]
    return found
