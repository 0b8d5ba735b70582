"""Average linkage over vectors, in rounds, by blocks of rows: 5,000 points need no square. Pure.

The mean cosine between two clusters is the dot product of their mean vectors, so that a cluster
is kept as the sum of its vectors. Linkage by averages is reducible: what was nobody's nearest does
not become it by others' joining. So after a round only those look again whose nearest is gone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from core.models import Vector
from feedback.subjects import SERVICE, Subject

Floats: TypeAlias = NDArray[np.float32]
Indices: TypeAlias = NDArray[np.intp]

_ROWS = 256
"""Rows looked at together: 256 × 5,000 cosines are 5 MB."""


@dataclass(frozen=True, slots=True)
class Cut:
    """What is near enough to be the same. Similarities are cosines, `service` added to them.

    `sure` is always the same. Otherwise it takes a similarity of `least`, and no less than
    `margin` above the mean of both neighbourhoods (each the mean over its `neighbours` nearest,
    at least `density`).
    """

    sure: float = 0.68
    least: float = 0.30
    margin: float = -0.06
    neighbours: int = 3
    density: float = 0.35
    service: float = 0.10


CUT = Cut()


@dataclass(frozen=True, slots=True)
class Points:
    """What is to be linked, oldest first: each one's vectors (of one length), subjects and gap.

    `gaps` has the age rank of the gap that a point is of, or -1; two gaps are never linked.
    """

    vectors: Sequence[Sequence[Vector]]
    subjects: Sequence[frozenset[Subject]]
    gaps: Sequence[int]


def linked(points: Points, cut: Cut = CUT) -> list[list[int]]:
    """Return clusters of positions, each ascending."""
    if not points.vectors:
        return []
    state = _Clusters(points, cut)
    single = state.means()
    state.run(near=False)
    state.neighbourhoods(single)
    state.run(near=True)
    return sorted(sorted(members) for members in state.members)


class _Clusters:
    """Clusters so far, oldest first."""

    def __init__(self, points: Points, cut: Cut) -> None:
        self._cut = cut
        self._marks = _Marks(points.subjects)
        services = _services(points.subjects, cut.service)
        sums = np.array([np.sum(np.array(v, np.float32), axis=0) for v in points.vectors])
        sizes = np.array([len(one) for one in points.vectors], np.float32)
        self._sums: Floats = np.hstack([sums, services * sizes[:, None]]).astype(np.float32)
        self._sizes: Floats = sizes
        self._around: Floats = np.zeros(len(sizes), np.float32)
        self._gaps = np.array(points.gaps, np.intp)
        self.members: list[list[int]] = [[at] for at in range(len(sizes))]

    def means(self) -> Floats:
        """Return the mean vector of each cluster."""
        means: Floats = self._sums / self._sizes[:, None]
        return means

    def run(self, *, near: bool) -> None:
        """Join in rounds until nothing is near enough: only what is sure, or by neighbourhoods."""
        count = len(self.members)
        best = np.full(count, -1, np.intp)
        stale = np.arange(count)
        while len(stale):
            means = self.means()
            best[stale] = self._nearest(means, stale, near)
            ones = np.flatnonzero((best >= 0) & (best[best] == np.arange(len(best))))
            pairs = [(int(one), int(best[one])) for one in ones if one < best[one]]
            if not pairs:
                return
            best, stale = self._join([self._elder(pair, means, near) for pair in pairs], best)

    def neighbourhoods(self, single: Floats) -> None:
        """Measure how near the nearest others are to each point, clusters counting as one."""
        order = np.concatenate([np.array(one, np.intp) for one in self.members])
        starts = np.cumsum([0, *(len(one) for one in self.members[:-1])])
        sizes = np.array([len(one) for one in self.members], np.float32)
        cluster_of = np.empty(len(single), np.intp)
        cluster_of[order] = np.repeat(np.arange(len(self.members)), sizes.astype(np.intp))
        around = np.zeros(len(single), np.float32)
        wanted = min(self._cut.neighbours, len(self.members))
        for rows in _blocks(np.arange(len(single))):
            near = single[rows] @ single.T
            near[np.arange(len(rows)), rows] = 0
            ones, others = np.nonzero(near >= self._cut.least)
            clash = self._marks.clash(rows[ones], others, single=True)
            near[ones[clash], others[clash]] = 0
            sums = np.add.reduceat(near[:, order], starts, axis=1)
            counts = np.tile(sizes, (len(rows), 1))
            counts[np.arange(len(rows)), cluster_of[rows]] -= 1
            means = sums / np.maximum(counts, 1)
            top = np.partition(means, means.shape[1] - wanted, axis=1)[:, -wanted:]
            around[rows] = np.maximum(
                np.maximum(top, 0).sum(axis=1) / self._cut.neighbours, self._cut.density
            )
        weights = self._sizes / sizes
        self._around = np.array(
            [around[one].sum() * weight for one, weight in zip(self.members, weights, strict=True)],
            np.float32,
        )

    # --- inside ---------------------------------------------------------------------------------

    def _nearest(self, means: Floats, rows: Indices, near: bool) -> Indices:
        """Return the nearest cluster that each of these may join, or -1; ties to the older."""
        found = np.full(len(rows), -1, np.intp)
        for at, block in enumerate(_blocks(rows)):
            ones, others, score = self._enough(means, block, near)
            free = (block[ones] != others) & ~self._clash(block[ones], others)
            ones, others, score = ones[free], others[free], score[free]
            if len(ones):
                first, place = np.unique(ones, return_index=True)
                best = np.repeat(np.maximum.reduceat(score, place), np.diff([*place, len(ones)]))
                top = np.flatnonzero(score == best)
                _, earliest = np.unique(ones[top], return_index=True)
                found[at * _ROWS + first] = others[top[earliest]]
        return found

    def _enough(self, means: Floats, rows: Indices, near: bool) -> tuple[Indices, Indices, Floats]:
        """Return the pairs that are near enough (row, cluster), and how near each is."""
        similar: Floats = means[rows] @ means.T
        ones, others = np.nonzero(similar >= (self._cut.least if near else self._cut.sure))
        score: Floats = similar[ones, others]
        if not near:
            return ones, others, score
        around: Floats = self._around / self._sizes
        above: Floats = score - (around[rows[ones]] + around[others]) / np.float32(2)
        enough = (above >= self._cut.margin) | (score >= self._cut.sure)
        return ones[enough], others[enough], above[enough]

    def _clash(self, ones: Indices, others: Indices) -> NDArray[np.bool_]:
        two = (self._gaps[ones] >= 0) & (self._gaps[others] >= 0)
        return two | self._marks.clash(ones, others)

    def _elder(self, pair: tuple[int, int], means: Floats, near: bool) -> tuple[int, int]:
        """Return the pair, with an older gap in place of one that means the same."""
        gap, other = pair if self._gaps[pair[0]] >= 0 else pair[::-1]
        if self._gaps[gap] < 0:
            return pair
        older = np.flatnonzero((self._gaps >= 0) & (self._gaps < self._gaps[gap]))
        if not len(older):
            return pair
        ones, others, _ = self._enough(means, np.array([gap, other]), near)
        both = np.intersect1d(others[ones == 0], others[ones == 1])
        found = np.intersect1d(both, older)
        found = found[~self._marks.clash(np.full(len(found), other), found)]
        return (int(found[self._gaps[found].argmin()]), other) if len(found) else pair

    def _join(self, pairs: Sequence[tuple[int, int]], best: Indices) -> tuple[Indices, Indices]:
        """Join pairs; return whose nearest is still there, and who has to look again."""
        touched = np.zeros(len(self.members), np.bool_)
        keep = np.ones(len(self.members), np.bool_)
        for one, other in pairs:
            into, out = min(one, other), max(one, other)
            if self._gaps[out] >= 0:
                into, out = out, into
            self.members[into] += self.members[out]
            self._sums[into] += self._sums[out]
            self._sizes[into] += self._sizes[out]
            self._around[into] += self._around[out]
            self._marks.pour(into, out)
            touched[[into, out]] = True
            keep[out] = False
        again = touched | ((best >= 0) & touched[best])
        moved = np.cumsum(keep) - 1
        best = np.where(best >= 0, moved[best], -1)[keep]
        self.members = [one for one, kept in zip(self.members, keep, strict=True) if kept]
        self._sums, self._sizes = self._sums[keep], self._sizes[keep]
        self._around, self._gaps = self._around[keep], self._gaps[keep]
        self._marks.keep(keep)
        return best, np.flatnonzero(again[keep])


class _Marks:
    """The subjects of clusters as bits, so that many pairs are compared at once."""

    def __init__(self, subjects: Sequence[frozenset[Subject]]) -> None:
        lists: dict[str, list[Subject]] = {}
        for subject in sorted(frozenset().union(*subjects)):
            lists.setdefault(subject.list, []).append(subject)
        places: dict[Subject, tuple[int, int]] = {}
        self._lists: list[slice] = []
        width = 0
        for members in lists.values():
            words = -(-len(members) // 64)
            self._lists.append(slice(width, width + words))
            for at, subject in enumerate(members):
                places[subject] = (width + at // 64, at % 64)
            width += words
        self._bits = np.zeros((len(subjects), width), np.uint64)
        for row, named in enumerate(subjects):
            for subject in named:
                word, bit = places[subject]
                self._bits[row, word] |= np.uint64(1) << np.uint64(bit)
        self._single = self._bits.copy()

    def clash(self, ones: Indices, others: Indices, *, single: bool = False) -> NDArray[np.bool_]:
        """Return which pairs name different members of one list."""
        bits = self._single if single else self._bits
        found = np.zeros(len(ones), np.bool_)
        for part in self._lists:
            a, b = bits[ones, part], bits[others, part]
            found |= a.any(axis=1) & b.any(axis=1) & ~(a & b).any(axis=1)
        return found

    def pour(self, into: int, out: int) -> None:
        """Add what one cluster names to another."""
        self._bits[into] |= self._bits[out]

    def keep(self, kept: NDArray[np.bool_]) -> None:
        """Forget the clusters that were joined to others."""
        self._bits = self._bits[kept]


def _services(subjects: Sequence[frozenset[Subject]], weight: float) -> Floats:
    """Return coordinates by which points that name the same service are nearer by `weight`."""
    names = sorted({s for named in subjects for s in named if s.list == SERVICE})
    columns = {name: at for at, name in enumerate(names)}
    found = np.zeros((len(subjects), len(names)), np.float32)
    for row, named in enumerate(subjects):
        own = [columns[one] for one in named if one in columns]
        found[row, own] = np.sqrt(weight / len(own)) if own else 0
    return found


def _blocks(rows: Indices) -> list[Indices]:
    return [rows[at : at + _ROWS] for at in range(0, len(rows), _ROWS)]
