"""How well one question went: ranks, recall and reading cost from what was shown. Pure.

A result counts for a stretch of evidence when the union of its parts covers at least half of it.
Several stretches are alternatives, unless the record needs them all. MRR and Hit as in Voorhees
(1999, the TREC-8 question answering track); both take the first result that counts.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from core.models import Span
from eval.dataset import Kind, Record, Relevant
from eval.runfile import RESULTS, RunLine, Shown

JOINER = len("\n\n")
"""Characters between two parts of one result, as it is shown."""

FIGURES = (
    "mrr10", "hit1", "recall1", "recall3", "recall5", "recall10", "precision5", "doc_mrr10",
    "chars1", "chars5", "read2500", "read6000",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Score:
    """One question's figures. `rank` is that of the first result that counts, from 1.

    `keywords_only` says that it was searched for without the dense half.
    `figures` is empty for a question that must be refused, else it has every name of FIGURES; but
    how many characters were shown is known only where something was: a failure saves no reading.
    """

    id: str
    category: str
    kind: Kind
    outcome: str
    confidence: float
    ms: float
    failed: bool = False
    keywords_only: bool = False
    rank: int | None = None
    figures: Mapping[str, float] = field(default_factory=dict)


def score(record: Record, line: RunLine | None) -> Score:
    """Return how a question went; one without a line, or with an error, went as badly as can be."""
    results = line.results[:RESULTS] if line else ()
    failed = line is None or bool(line.error)
    worst = 0.0 if record.relevant else 1.0
    return Score(
        id=record.id,
        category=record.category,
        kind=record.kind,
        outcome=line.outcome if line else "refusal",
        confidence=line.confidence if line and not failed else worst,
        ms=line.ms if line else 0.0,
        failed=failed,
        keywords_only=line is not None and bool(results) and line.distance is None,
        rank=first(ranks(record.relevant, results)),
        figures=_figures(record, results) if record.relevant else {},
    )


def _figures(record: Record, results: Sequence[Shown]) -> dict[str, float]:
    found = ranks(record.relevant, results)
    read = characters_read(record, results)
    return {
        "mrr10": reciprocal(first(found)),
        "hit1": float(first(found) == 1),
        "recall1": recall_at(1, found, needs_all=record.needs_all),
        "recall3": recall_at(3, found, needs_all=record.needs_all),
        "recall5": recall_at(5, found, needs_all=record.needs_all),
        "recall10": recall_at(10, found, needs_all=record.needs_all),
        "precision5": precision_at(5, record.relevant, results),
        "doc_mrr10": reciprocal(document_rank(record.relevant, results)),
        "read2500": float(read is not None and read <= 2500),
        "read6000": float(read is not None and read <= 6000),
        **(_cost(results) if results else {}),
    }


def _cost(results: Sequence[Shown]) -> dict[str, float]:
    return {
        "chars1": float(sum(result.chars for result in results[:1])),
        "chars5": float(sum(result.chars for result in results[:5])),
    }


def known(figure: str, scores: Iterable[Score]) -> list[float]:
    """Return one figure of all questions that have it, in their order."""
    return [one.figures[figure] for one in scores if figure in one.figures]


def paired(
    figure: str, ours: Iterable[Score], theirs: Iterable[Score]
) -> tuple[list[float], list[float]]:
    """Return one figure of the same questions asked in two ways, of those that have it in both."""
    both = [
        (one.figures[figure], other.figures[figure])
        for one, other in zip(ours, theirs, strict=True)
        if figure in one.figures and figure in other.figures
    ]
    return [one for one, _ in both], [other for _, other in both]


def counts_for(result: Shown, relevant: Relevant) -> bool:
    """Return whether a result shows at least half of a stretch of evidence."""
    return 2 * sum(map(len, _pieces(result, relevant))) >= len(relevant.span)


def ranks(relevant: Sequence[Relevant], results: Sequence[Shown]) -> tuple[int | None, ...]:
    """Return for each stretch the rank, from 1, of the first result that counts for it."""
    return tuple(
        next((n for n, result in enumerate(results, start=1) if counts_for(result, one)), None)
        for one in relevant
    )


def document_rank(relevant: Sequence[Relevant], results: Sequence[Shown]) -> int | None:
    """Return the rank, from 1, of the first result from a document that has evidence."""
    places = {(one.source, one.path) for one in relevant}
    found = (n for n, one in enumerate(results, start=1) if (one.source, one.path) in places)
    return next(found, None)


def first(found: Sequence[int | None]) -> int | None:
    """Return the best of some ranks, None if there is none."""
    return min((rank for rank in found if rank is not None), default=None)


def reciprocal(rank: int | None) -> float:
    """Return 1 for the first place, 1/2 for the second, 0 for none."""
    return 1 / rank if rank is not None else 0.0


def recall_at(k: int, found: Sequence[int | None], *, needs_all: bool) -> float:
    """Return the share of the stretches found in the first k; of alternatives, whether any was."""
    within = [rank is not None and rank <= k for rank in found]
    return sum(within) / len(within) if needs_all else float(any(within))


def precision_at(k: int, relevant: Sequence[Relevant], results: Sequence[Shown]) -> float:
    """Return the share of the first k places with a result that counts for some stretch."""
    return sum(any(counts_for(result, one) for one in relevant) for result in results[:k]) / k


def characters_read(record: Record, results: Sequence[Shown]) -> int | None:
    """Return after how many characters the answer has been read, None if it never is.

    Read is a stretch of which half has been seen, all results read in their order. Where all
    stretches are needed the last of them counts, else the first.
    """
    read = [_read_at(one, results) for one in record.relevant]
    known = [place for place in read if place is not None]
    if record.needs_all:
        return max(known) if len(known) == len(read) else None
    return min(known, default=None)


def _read_at(relevant: Relevant, results: Sequence[Shown]) -> int | None:
    missing = (len(relevant.span) + 1) // 2
    seen: list[Span] = []
    begin = 0
    for result in results:
        at = begin
        for part in result.parts:
            for piece in _new(_within(part, result, relevant), seen):
                if len(piece) >= missing:
                    return at + piece.start - part.start + missing
                missing -= len(piece)
                seen.append(piece)
            at += len(part) + JOINER
        begin += result.chars
    return None


def _pieces(result: Shown, relevant: Relevant) -> list[Span]:
    """Return the stretches of evidence that a result's parts show, none of them twice."""
    pieces: list[Span] = []
    for part in result.parts:
        pieces.extend(_new(_within(part, result, relevant), pieces))
    return pieces


def _within(part: Span, result: Shown, relevant: Relevant) -> Span:
    """Return the part's share of the evidence, empty where it has none."""
    if (result.source, result.path) != (relevant.source, relevant.path):
        return Span(0, 0)
    start = max(part.start, relevant.span.start)
    return Span(start, max(start, min(part.end, relevant.span.end)))


def _new(span: Span, seen: Sequence[Span]) -> list[Span]:
    """Return what of a span was not seen, in order."""
    new: list[Span] = []
    start = span.start
    for known in sorted(seen, key=lambda known: known.start):
        if start < min(known.start, span.end):
            new.append(Span(start, min(known.start, span.end)))
        start = max(start, known.end)
    if start < span.end:
        new.append(Span(start, span.end))
    return new
