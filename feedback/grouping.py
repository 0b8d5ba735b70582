"""Questions that mean the same, by their vectors and by the names in them. Pure.

Average linkage, bottom-up, in rounds: each round joins all pairs that are each other's nearest.
What is near enough depends on the neighbourhood: five questions on Redis are closer together than
two wordings of one on printers. So the similarity of two is judged against how similar each is to
the nearest others (CSLS, Conneau et al. 2018, https://arxiv.org/abs/1710.04087), where wordings
that are surely the same stand for one, or a gap would be harder to join the more ask for it.
Names that exclude each other are never joined. The figures of `Cut` were fitted on one half of
`eval/gap_groups.jsonl`; docs/gaps.md has what they reach on the other.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from core.keywords import tokens
from core.models import Vector
from core.points import comparable
from feedback.linkage import Points, linked
from feedback.subjects import Subject

_EMPTY_WORDS = frozenset(
    tokens(
        "a an the is are was be been am do does did how what when where which who why can could "
        "i we me my our us you your it its this that these those to of in on at for from by with "
        "and or now today please help anyone anybody somebody someone get got has have had there "
        "here hi hey hello should would will need want s m re"
    )
)


@dataclass(frozen=True, slots=True)
class Wording:
    """A question as it was put, oldest first in a list of them.

    `vector` is None where there is none; `model` made it: only vectors of one model are compared.
    `gap` is the name of the gap that it belongs to already.
    """

    id: str
    text: str
    vector: Vector | None
    model: str
    subjects: frozenset[Subject]
    gap: str = ""


def grouped(wordings: Sequence[Wording], gaps: Sequence[str] = ()) -> list[list[Wording]]:
    """Return groups that mean the same, in the order of their first wordings.

    `gaps` are the names that may occur, oldest first. What belongs to one gap stays together, and
    two gaps are never joined; what could join either joins the nearer, or the older where the two
    mean the same.
    """
    ages = {name: age for age, name in enumerate(gaps)}
    sets = _Sets(len(wordings))
    _join_equal(wordings, ages, sets)
    models = dict.fromkeys(comparable(one.model) for one in wordings if one.vector is not None)
    for model in models:
        units = [[at for at in members if _has(wordings[at], model)] for members in sets.all()]
        units = [members for members in units if members]
        units.sort(key=lambda members: _age(wordings, members, ages))
        points = _points(wordings, units, sets, ages)
        for first, *others in linked(points):
            for other in others:
                sets.join(units[first][0], units[other][0])
    return [[wordings[at] for at in members] for members in sets.all()]


def keywords(text: str) -> frozenset[str]:
    """Return the words of a question that carry its meaning, stemmed."""
    return frozenset(tokens(text)) - _EMPTY_WORDS


def _join_equal(wordings: Sequence[Wording], ages: dict[str, int], sets: "_Sets") -> None:
    """Join what belongs to one gap, and what says the same words in whatever order.

    The words alone are all there is without a vector. They never join two gaps.
    """
    by_gap: dict[str, int] = {}
    by_words: dict[frozenset[str], int] = {}
    order = sorted(range(len(wordings)), key=lambda at: _age(wordings, [at], ages))
    for at in order:
        if gap := wordings[at].gap:
            sets.join(by_gap.setdefault(gap, at), at)
        words = keywords(wordings[at].text)
        first = by_words.setdefault(words, at) if words else at
        if not (gap and wordings[first].gap):
            sets.join(first, at)


def _points(
    wordings: Sequence[Wording],
    units: Sequence[Sequence[int]],
    sets: "_Sets",
    ages: dict[str, int],
) -> Points:
    named = []
    for members in units:
        found = {wordings[at].gap for at in sets.of(members[0])} - {""}
        named.append(ages.get(min(found, key=lambda name: ages.get(name, -1)), -1) if found else -1)
    return Points(
        vectors=[[wordings[at].vector or () for at in members] for members in units],
        subjects=[frozenset().union(*(wordings[at].subjects for at in m)) for m in units],
        gaps=named,
    )


def _has(wording: Wording, model: str) -> bool:
    return wording.vector is not None and comparable(wording.model) == model


def _age(
    wordings: Sequence[Wording], members: Sequence[int], ages: dict[str, int]
) -> tuple[int, int]:
    """Order by age: gaps by that of their names, before what has none."""
    named = [ages[wordings[at].gap] for at in members if wordings[at].gap in ages]
    return (min(named, default=len(ages)), min(members))


class _Sets:
    """Disjoint sets of positions (union-find)."""

    def __init__(self, count: int) -> None:
        self._parents = list(range(count))
        self._members = {at: [at] for at in range(count)}

    def join(self, one: int, other: int) -> None:
        """Make one set of two; the smaller is poured into the larger."""
        first, second = self._root(one), self._root(other)
        if first == second:
            return
        if len(self._members[first]) < len(self._members[second]):
            first, second = second, first
        self._parents[second] = first
        self._members[first] += self._members.pop(second)

    def of(self, at: int) -> list[int]:
        """Return the members of a position's set."""
        return self._members[self._root(at)]

    def all(self) -> list[list[int]]:
        """Return every set, members ascending, in the order of their first."""
        return sorted(sorted(members) for members in self._members.values())

    def _root(self, at: int) -> int:
        while self._parents[at] != at:
            self._parents[at] = self._parents[self._parents[at]]
            at = self._parents[at]
        return at
