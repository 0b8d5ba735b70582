import pytest

from core.answering import Answered
from core.exchanges import OutcomeKind, Recorded, ShownHit
from core.models import Metadata, Section, Span
from core.outcomes import (
    Answer,
    Cutoffs,
    Evidence,
    Finding,
    Gate,
    Help,
    Hit,
    Outcome,
    Ranks,
    Refusal,
    Result,
    Timing,
    WeakAnswer,
)
from core.recording import failed, kind_of, recorded, result_again


def section(id_: str, start: int) -> Section:
    return Section(
        id=id_,
        document_id="d",
        document_hash="h",
        tenant="acme",
        source="runbooks",
        path="disk.md",
        metadata=Metadata("Disk full", visibility=("everyone", "sre")),
        headings=("Disk full", id_),
        anchor=id_,
        span=Span(start, start + 10),
        line_start=1,
        line_end=2,
        text="0123456789",
    )


FIRST, SECOND = section("meaning", 0), section("steps", 10)
RESULT = Result(
    (
        Hit(FIRST, 0.25, 0.75, 1.5, Ranks(1, 2, 3), Span(2, 8)),
        Hit(SECOND, 0.5, 0.25, 1.0, Ranks(2), Span(12, 14)),
    )
)
EVIDENCE = Evidence(0.875, Cutoffs(0.4, 0.75), 0.25, {"cos": 0.75}, timing=Timing(1.0, 2.0, 3.0))
FINDING = Finding((RESULT,), {"cos": 0.75}, Gate(dense=True), vector=(0.6, 0.8))
KEPT = ShownHit(
    section_ids=("meaning", "steps"),
    document_id="d",
    source="runbooks",
    path="disk.md",
    breadcrumb="Disk full › meaning",
    distance=0.25,
    keyword_score=0.75,
    passage=Span(2, 8),
    visibility=("everyone", "sre"),
)


def test_an_answer_is_kept_as_figures_and_ids_without_its_text() -> None:
    assert recorded(Answered(Answer((RESULT,), EVIDENCE), FINDING), "scripted") == Recorded(
        kind=OutcomeKind.ANSWER,
        confidence=0.875,
        distance=0.25,
        results=(KEPT,),
        dense=True,
        ms=3.0,
        vector=(0.6, 0.8),
        model="scripted",
    )


def test_a_keyword_only_refusal_says_so() -> None:
    evidence = Evidence(0.0, Cutoffs(0.4, 0.75), None, gate=Gate(dense=False, reason="a test"))
    finding = Finding((), {}, evidence.gate)
    assert recorded(Answered(Refusal((), evidence), finding)) == Recorded(
        OutcomeKind.REFUSAL, confidence=0.0, distance=None, results=(), dense=False, ms=0.0
    )


def test_help_has_no_figures() -> None:
    assert recorded(Answered(Help())) == Recorded(
        OutcomeKind.HELP, confidence=0.0, distance=None, results=(), dense=False, ms=0.0
    )


def test_what_could_not_be_searched_is_an_error_and_no_refusal() -> None:
    assert failed() == Recorded(
        OutcomeKind.ERROR, confidence=0.0, distance=None, results=(), dense=False, ms=0.0
    )


@pytest.mark.parametrize(
    ("outcome", "kind"),
    [
        (Answer((), EVIDENCE), OutcomeKind.ANSWER),
        (WeakAnswer((), EVIDENCE), OutcomeKind.WEAK),
        (Refusal((), EVIDENCE), OutcomeKind.REFUSAL),
        (Help(), OutcomeKind.HELP),
    ],
)
def test_every_outcome_has_a_name(outcome: Outcome, kind: OutcomeKind) -> None:
    assert kind_of(outcome) is kind


def test_a_kept_result_comes_back_with_its_distance_and_passage() -> None:
    assert result_again(KEPT, [FIRST, SECOND]) == Result(
        (
            Hit(FIRST, 0.25, 0.75, 0.0, Ranks(), Span(2, 8)),
            Hit(SECOND, None, 0.0, 0.0, Ranks(), Span(10, 20)),
        )
    )


def test_a_section_that_has_moved_is_shown_as_a_whole() -> None:
    moved = section("meaning", 40)
    assert result_again(KEPT, [moved]).best.passage == Span(40, 50)
