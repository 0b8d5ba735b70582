"""What is compared: ways of cutting and showing, halves of the search, and the rule of selection.

Pure. The rule is that of HYPOTHESES.md.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import inf
from typing import Any, Final

from eval.intervals import mean_interval, paired_difference
from eval.metrics import Score, known
from eval.summary import differences

NEAR: Final = 0.02
"""How far below the best MRR@10 the other two figures still decide."""
MEANS = ("mrr10", "hit1", "recall5", "recall10", "read2500", "read6000", "chars1", "chars5")
WITH_INTERVALS = ("mrr10", "recall5")
COMPARED = ("mrr10", "recall5", "chars5")

Means = Mapping[str, float | None]
"""Means by the names of figures; None: no question has that figure."""

_UNKNOWN: Final = {"mrr10": 0.0, "recall5": 0.0, "chars5": inf}
"""What stands for a figure that no question has: the worst."""
_HITS = {"retrieval.results": "hits"}


@dataclass(frozen=True, slots=True)
class Cutting:
    """A splitter by its settings, and the kinds of result that are shown of it, by name."""

    splitter: Mapping[str, str]
    shown: Mapping[str, Mapping[str, str]]


def _pieces(name: str, kind: str, size: int = 0, overlap: int = 0) -> Cutting:
    values = {"kind": kind, "size": str(size), "overlap": str(overlap)}
    return Cutting({f"splitter.{key}": value for key, value in values.items()}, {name: _HITS})


PAGE_CARDS: Final = "page cards"
DOCUMENTS: Final = "whole documents"
"""No candidate of the rule: a page that is shown whole is "found" with every question about it."""
CUTTINGS: Final = (
    _pieces("fixed 500/50", "fixed", 500, 50),
    _pieces("fixed 1000/100", "fixed", 1000, 100),
    _pieces("fixed 2000/200", "fixed", 2000, 200),
    _pieces("recursive 500", "recursive", 500),
    _pieces("paragraph 1000", "paragraph", 1000),
    _pieces("section 1500", "section", 1500),
    _pieces("header-merge 1000", "header-merge", 1000),
    _pieces(DOCUMENTS, "document"),
    Cutting(
        {"splitter.kind": "section", "splitter.size": "0", "splitter.overlap": "0"},
        {"sections with passages": _HITS, PAGE_CARDS: {"retrieval.results": "cards"}},
    ),
)
SEARCHES: Final[Mapping[str, Mapping[str, str]]] = {
    "dense": {"retrieval.search": "dense"},
    "keyword": {"retrieval.search": "keyword", "retrieval.fusion": "mix"},
    "mix": {"retrieval.search": "fused", "retrieval.fusion": "mix"},
    "rrf": {"retrieval.search": "fused", "retrieval.fusion": "rrf"},
}


@dataclass(frozen=True, slots=True)
class Way:
    """One row of the comparison, by the names of all that is varied."""

    model: str
    shown: str
    breadcrumb: bool
    search: str
    reranker: str
    filtered: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """How every answerable question went one way, and how much was indexed for it.

    `late` counts those that keep the order of the search in a chat: the reranker failed, or took
    longer than its setting allows there.
    """

    way: Way
    passages: int
    scores: tuple[Score, ...]
    late: int = 0

    def values(self, figure: str) -> list[float]:
        """Return one figure of every question that has it, in their order."""
        return known(figure, self.scores)

    def mean(self, figure: str) -> float | None:
        """Return the mean of one figure; None where no question has it."""
        values = self.values(figure)
        return sum(values) / len(values) if values else None

    @property
    def means(self) -> Means:
        """Return the mean of every figure, by its name."""
        return {name: self.mean(name) for name in MEANS}


def selected(means: Sequence[Means]) -> int:
    """Return which of some rows the rule selects, taken literally.

    The highest MRR@10; within 0.02 of it the higher Recall@5; of those the fewer characters.

    Raises:
        ValueError: there are no rows.
    """

    def of(place: int, figure: str) -> float:
        value = means[place][figure]
        return value if value is not None else _UNKNOWN[figure]

    places = range(len(means))
    best = max(of(place, "mrr10") for place in places)
    near = [place for place in places if of(place, "mrr10") >= best - NEAR]
    return max(near, key=lambda place: (of(place, "recall5"), -of(place, "chars5")))


def chosen(rows: Iterable[Row]) -> Row:
    """Return the row that the rule selects of those that are candidates.

    Raises:
        ValueError: there are no rows but those of whole documents.
    """
    candidates = [row for row in rows if row.way.shown != DOCUMENTS]
    return candidates[selected([row.means for row in candidates])]


def row_json(row: Row, default: Row) -> dict[str, Any]:
    """Return a row as plain values, beside its paired differences against the default.

    A difference is None where no question has the figure in both.
    """
    ahead = differences(COMPARED, row.scores, default.scores)
    return {
        **asdict(row.way),
        "passages": row.passages,
        "questions": len(row.scores),
        "keywords_only": sum(score.keywords_only for score in row.scores),
        "failed": sum(score.failed for score in row.scores),
        "late": row.late,
        "means": row.means,
        "intervals": {name: asdict(mean_interval(row.values(name))) for name in WITH_INTERVALS},
        "against_default": {
            name: asdict(ahead[name]) if name in ahead else None for name in COMPARED
        },
        "mrr10_by_category": _by_category(row.scores),
    }


def filter_json(off: Row, on: Row, services: Sequence[str]) -> dict[str, Any]:
    """Return what narrowing to the right service changes, in all and service by service.

    `services` has the service of each question's page, empty where the page names none: those
    questions were not narrowed and are left out.
    """
    named = sorted({service for service in services if service})
    groups = {name: [name == service for service in services] for name in named}
    narrowed = [bool(service) for service in services]
    return {
        "all": _narrowed(off, on, narrowed) if any(narrowed) else None,
        "services": {name: _narrowed(off, on, taken) for name, taken in groups.items()},
    }


def _narrowed(off: Row, on: Row, taken: Sequence[bool]) -> dict[str, Any]:
    before, after = (
        [value for value, take in zip(row.values("mrr10"), taken, strict=True) if take]
        for row in (off, on)
    )
    return {
        "questions": len(before),
        "mrr10_off": sum(before) / len(before),
        "mrr10_on": sum(after) / len(after),
        "difference": asdict(paired_difference(after, before)),
    }


def _by_category(scores: Sequence[Score]) -> dict[str, float]:
    values: dict[str, list[float]] = {}
    for score in scores:
        values.setdefault(score.category, []).append(score.figures["mrr10"])
    return {name: sum(found) / len(found) for name, found in sorted(values.items())}
