from dataclasses import replace

import pytest

from core.evidence import Calibration, decide
from core.models import Metadata, Section, Span
from core.outcomes import Answer, Cutoffs, Finding, Gate, Hit, Ranks, Refusal, Result, WeakAnswer

CALIBRATION = Calibration({"cos": 10.0}, -5.0, Cutoffs(weak=0.4, answer=0.6), "a test")
SECTION = Section(
    "s", "d", "h", "default", "runbooks", "a.md", Metadata("A"), (), "", Span(0, 1), 1, 1, "x"
)
RESULT = Result((Hit(SECTION, 0.5, 0.0, 1.0, Ranks(), Span(0, 1)),))


def finding(cos: float, *, dcover: float = 0.0, tokens: int = 9) -> Finding:
    signals = {"cos": cos, "dcover": dcover, "tokens": float(tokens)}
    return Finding((RESULT,), signals, Gate(dense=True))


@pytest.mark.parametrize(
    ("cos", "outcome"),
    [(0.55, Answer), (0.54, WeakAnswer), (0.46, WeakAnswer), (0.45, Refusal)],
)
def test_confidence_is_cut_at_two_points(cos: float, outcome: type) -> None:
    assert type(decide(finding(cos), CALIBRATION)) is outcome


def test_the_distance_shown_is_the_best_raw_one() -> None:
    outcome = decide(finding(0.25), CALIBRATION)
    assert isinstance(outcome, Refusal)
    assert outcome.evidence.distance == 0.75


def test_a_refusal_keeps_the_nearest_misses() -> None:
    outcome = decide(finding(0.1), CALIBRATION)
    assert isinstance(outcome, Refusal)
    assert outcome.nearest == (RESULT,)


def test_nothing_found_is_a_refusal_without_confidence() -> None:
    outcome = decide(replace(finding(0.9), results=()), CALIBRATION)
    assert isinstance(outcome, Refusal)
    assert (outcome.evidence.confidence, outcome.evidence.distance) == (0.0, None)


def test_an_exact_name_is_evidence_at_any_distance() -> None:
    outcome = decide(replace(finding(0.1), exact=True), CALIBRATION)
    assert isinstance(outcome, Answer)
    assert outcome.evidence.confidence == 0.9


def test_a_short_question_that_the_page_has_in_full_is_never_refused() -> None:
    known = finding(0.1, dcover=1.0, tokens=3)
    assert isinstance(decide(known, CALIBRATION), WeakAnswer)
    assert isinstance(decide(finding(0.1, dcover=1.0, tokens=4), CALIBRATION), Refusal)


@pytest.mark.parametrize(("dcover", "outcome"), [(0.8, Answer), (0.5, WeakAnswer), (0.44, Refusal)])
def test_by_keywords_alone_the_share_of_words_decides(dcover: float, outcome: type) -> None:
    closed = replace(finding(0.99, dcover=dcover), gate=Gate(dense=False, reason="test"))
    decided = decide(closed, CALIBRATION)
    assert type(decided) is outcome
    assert isinstance(decided, Answer | WeakAnswer | Refusal)
    assert decided.evidence.distance is None
