"""Outcomes to what the journal keeps of them, and back to what is shown. Pure."""

from collections.abc import Sequence

from core.answering import Answered
from core.exchanges import OutcomeKind, Recorded, ShownHit
from core.models import Section
from core.outcomes import (
    Answer,
    Help,
    Hit,
    Outcome,
    Ranks,
    Refusal,
    Result,
    UnknownName,
    WeakAnswer,
    shown,
)


def recorded(answered: Answered, model: str = "") -> Recorded:
    """Return what is kept of an answer: figures and ids, never text of a runbook."""
    outcome = answered.outcome
    evidence = None if isinstance(outcome, Help | UnknownName) else outcome.evidence
    return Recorded(
        kind=kind_of(outcome),
        confidence=evidence.confidence if evidence else 0.0,
        distance=evidence.distance if evidence else None,
        results=tuple(_shown_hit(result) for result in shown(outcome)),
        dense=evidence.gate.dense if evidence else False,
        ms=evidence.timing.total if evidence else 0.0,
        vector=answered.finding.vector if answered.finding else None,
        model=model,
    )


def failed() -> Recorded:
    """Return what is kept of a question that could not be searched for."""
    return Recorded(
        OutcomeKind.ERROR, confidence=0.0, distance=None, results=(), dense=False, ms=0.0
    )


def result_again(kept: ShownHit, sections: Sequence[Section]) -> Result:
    """Return a kept result with the sections as the index has them now, best first."""
    return Result(tuple(_hit_again(kept, section) for section in sections))


def _hit_again(kept: ShownHit, section: Section) -> Hit:
    first = section.id == kept.section_ids[0]
    inside = section.span.start <= kept.passage.start < section.span.end
    return Hit(
        section=section,
        distance=kept.distance if first else None,
        keyword_score=kept.keyword_score if first else 0.0,
        score=0.0,
        ranks=Ranks(),
        passage=kept.passage if first and inside else section.span,
    )


def _shown_hit(result: Result) -> ShownHit:
    best = result.best
    return ShownHit(
        section_ids=tuple(hit.section.id for hit in result.hits),
        document_id=best.section.document_id,
        source=best.section.source,
        path=best.section.path,
        breadcrumb=best.section.breadcrumb,
        distance=best.distance,
        keyword_score=best.keyword_score,
        passage=best.passage,
        visibility=best.section.metadata.visibility,
    )


def kind_of(outcome: Outcome) -> OutcomeKind:
    """Return an outcome's name; one that tells how to ask is help."""
    match outcome:
        case Answer():
            return OutcomeKind.ANSWER
        case WeakAnswer():
            return OutcomeKind.WEAK
        case Refusal():
            return OutcomeKind.REFUSAL
        case Help() | UnknownName():
            return OutcomeKind.HELP
