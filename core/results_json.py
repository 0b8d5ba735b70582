"""Answers as JSON, the same for the terminal, the evaluation and whoever reads them. Pure."""

from collections.abc import Sequence
from typing import Any

from core.answering import Answered
from core.outcomes import Evidence, Gate, Help, Hit, Result, Timing, UnknownName, shown
from core.ports import Linker
from core.recording import kind_of


def answered_json(question: str, answered: Answered, link: Linker) -> dict[str, Any]:
    """Return one answer as `ask --json` prints it; results stand there whatever the outcome."""
    outcome = answered.outcome
    evidence = None if isinstance(outcome, Help | UnknownName) else outcome.evidence
    return {
        "question": question,
        "outcome": kind_of(outcome).value,
        **_evidence_json(evidence),
        "results": results_json(shown(outcome), link),
    }


def results_json(results: Sequence[Result], link: Linker) -> list[dict[str, Any]]:
    """Return results in order, ranks counted from 1."""
    return [result_json(result, rank, link) for rank, result in enumerate(results, start=1)]


def result_json(result: Result, rank: int, link: Linker) -> dict[str, Any]:
    """Return one result: its best section's place, the whole text, and the parts with offsets."""
    best = result.best
    return {
        "rank": rank,
        "source": best.section.source,
        "path": best.section.path,
        "title": best.section.metadata.title,
        "link": link(best.section),
        "text": result.text,
        "distance": best.distance,
        "keyword_score": best.keyword_score,
        "document_id": best.section.document_id,
        "parts": [_part_json(hit, link) for hit in result.hits],
    }


def _part_json(hit: Hit, link: Linker) -> dict[str, Any]:
    section = hit.section
    return {
        "section_id": section.id,
        "heading": list(section.headings),
        "anchor": section.anchor,
        "link": link(section),
        "start": section.span.start,
        "end": section.span.end,
        "line_start": section.line_start,
        "line_end": section.line_end,
        "passage": {"start": hit.passage.start, "end": hit.passage.end},
    }


def _evidence_json(evidence: Evidence | None) -> dict[str, Any]:
    gate = evidence.gate if evidence else Gate(dense=True)
    timing = evidence.timing if evidence else Timing()
    return {
        "confidence": evidence.confidence if evidence else 0.0,
        "distance": evidence.distance if evidence else None,
        "cutoffs": (
            {"weak": evidence.cutoffs.weak, "answer": evidence.cutoffs.answer} if evidence else {}
        ),
        "signals": dict(evidence.signals) if evidence else {},
        "gate": {"dense": gate.dense, "reason": gate.reason},
        "ms": {"embed": timing.embed, "search": timing.search, "total": timing.total},
    }
